//! A machine that is reset while commands are in flight finds all of it again.

use proto::exit::GuestExit;
use tests::{call, device, null, reset_in_a_row};
use xtask::serial::Transcript;

const JOB: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/jobs/load.fio");

fn disks(said: &Transcript) -> Vec<&str> {
    let ids = said.disk_infos.iter().map(|disk| disk.id.as_str());
    ids.collect()
}

#[test]
fn after_a_warm_reset_under_load_the_same_disks_are_found() {
    let called = call("image", &["--format", "raw", "--job", JOB]);
    assert_eq!(called.code, 0, "{}", called.err);
    let mut parts = vec![
        device("mptsas1068,id=a,addr=7"),
        device("mptsas1068,id=b,addr=8"),
    ];
    let places = [
        ("a", 0, 0),
        ("a", 1, 1),
        ("a", 7, 0),
        ("a", 8, 0),
        ("b", 0, 0),
    ];
    for (number, (bus, target, lun)) in places.into_iter().enumerate() {
        parts.push(null(&format!("d{number}"), 64 << 20));
        parts.push(device(&format!(
            "scsi-hd,bus={bus}.0,channel=0,scsi-id={target},lun={lun},drive=d{number}"
        )));
    }
    let ([first, second], code) = reset_in_a_row(&called.file("ioprobe.img"), &parts);
    let expected = [
        "lsisas@00:07.0:0:0",
        "lsisas@00:07.0:1:1",
        "lsisas@00:07.0:7:0",
        "lsisas@00:07.0:8:0",
        "lsisas@00:08.0:0:0",
    ];
    assert_eq!(disks(&first), expected);
    assert_eq!(disks(&second), expected);
    // The first boot was cut off in its row, the second came to its end.
    assert!(first.end.is_none() && first.rows.is_empty());
    assert!(first.fatal.is_none() && second.fatal.is_none());
    let end = second.end.expect("the second boot comes to its end");
    assert_eq!((end.ok, end.failed, end.skipped), (1, 0, 0));
    assert!(second.rows[0].run.read.ios > 0);
    assert_eq!(code, Some(GuestExit::Pass.qemu_status()));
}
