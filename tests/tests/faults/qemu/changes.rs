//! Disks that go and come while rows run.

use super::machine::{IOS, Second, add_disk, run};
use serde_json::json;
use tests::wait_for_reads;

/// A row that would take longer than the test has.
const LONG: &str = "rw=randread\nruntime=50s\ntime_based=1\n";
/// One that takes a moment.
const SHORT: &str = "rw=randread\nnumber_ios=2000\n";

pub fn unplug(controller: &str) {
    let outcome = run(controller, &Second::plain(""), LONG, |monitor| {
        let _ = wait_for_reads(monitor, "second", 1_000);
        let _ = monitor.execute("device_del", &json!({"id": "disk-second"}));
    });
    let row = outcome.faulty();
    assert_eq!(outcome.called.code, 1);
    assert_eq!(row["status"], "failed", "{row:#}");
    let reason = row["reason"].as_str().expect("a reason");
    assert!(reason.contains("the disk is gone"), "{reason}");
    // Long before its own end.
    assert!(outcome.number("/window_ns") < 40_000_000_000, "{row:#}");
    assert!(outcome.number("/read/ios") >= 1_000 - 10, "{row:#}");
    let errors = outcome.number("/errors");
    assert!(
        (1..=4).contains(&errors),
        "no more than were in flight: {row:#}"
    );
    let later = &outcome.rows[3];
    assert_eq!(later["status"], "skipped", "{later:#}");
    let reason = later["reason"].as_str().expect("a reason");
    assert!(reason.contains("does not answer"), "{reason}");
    outcome.first_disk_unharmed();
}

/// A new disk is none of those that were planned for.
pub fn hot_add(controller: &str) {
    let outcome = run(controller, &Second::plain(""), SHORT, |monitor| {
        // In the third row.
        let _ = wait_for_reads(monitor, "node0", IOS + IOS / 4);
        add_disk(monitor, controller);
    });
    for row in [1, 3] {
        outcome.well(row);
        assert_eq!(outcome.rows[row]["read"]["ios"], IOS);
    }
    outcome.first_disk_unharmed();
    assert_eq!(outcome.called.code, 0, "{}", outcome.called.err);
    assert_eq!(outcome.called.disks().len(), 2);
    // QEMU's LSI SAS tells nobody of a new disk.
    let noted =
        outcome.called.err.contains("row 3: ") && outcome.called.err.contains("came or went");
    assert_eq!(noted, controller != "lsisas", "{}", outcome.called.err);
}
