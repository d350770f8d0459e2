//! Every way from QEMU's firmwares to the boot image: on each the built-in job runs,
//! random writes reach every other disk, and the boot medium stays the same. Takes
//! some minutes; the first that fails ends it.

use std::time::Instant;
use tests::{WAYS, image_of_its_own, image_that_writes_everywhere, run_quick, write_everywhere};

fn main() {
    let (quick, writing) = (image_of_its_own(), image_that_writes_everywhere());
    for (firmware, uefi) in [("OVMF", true), ("SeaBIOS", false)] {
        for way in WAYS.iter().filter(|way| way.by_uefi || !uefi) {
            let started = Instant::now();
            let rows = run_quick(&quick.file("ioprobe.img"), way, uefi);
            let quick_s = started.elapsed().as_secs();
            write_everywhere(&writing.file("ioprobe.img"), way, uefi);
            println!(
                "{firmware:8} {:12} quick: {rows} rows ok in {quick_s} s; writes: medium unchanged",
                way.name
            );
        }
    }
}
