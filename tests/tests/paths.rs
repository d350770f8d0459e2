//! The boot medium is left alone on a bus that is measured. Every way from a
//! firmware to the image: `cargo run -p tests --example every_way`, some minutes.

use tests::{WAYS, image_that_writes_everywhere, write_everywhere};

#[test]
fn the_boot_medium_is_spared_on_a_bus_that_is_measured() {
    let called = image_that_writes_everywhere();
    for (name, uefi) in [("NVMe", true), ("mptsas1068", false)] {
        let way = WAYS.iter().find(|way| way.name == name).unwrap();
        write_everywhere(&called.file("ioprobe.img"), way, uefi);
    }
}
