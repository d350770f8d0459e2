//! The disk answers something else than success.

use super::machine::{BLOCKS, Outcome, Second, run};

/// Every block of the second disk once; the fault is in the second quarter.
const READ_ALL: &str = "rw=read\n";
/// The same, written.
const WRITE_ALL: &str = "rw=write\n";
/// Sector of a block that cannot be read or written.
const BAD_SECTOR: u64 = BLOCKS * 8 / 4 + 8;
/// Times that BUSY is sent again before it is an error.
const BUSY_RETRIES: u64 = 20;

fn failing(controller: &str, errno: u32, once: bool, keys: &str) -> Outcome {
    let once = if once { "on" } else { "off" };
    let inject = format!(
        "inject-error.0.errno={errno},inject-error.0.sector={BAD_SECTOR},inject-error.0.once={once}"
    );
    let second = Second {
        // QEMU stops the machine where space is missing, unless told otherwise.
        device: if controller == "nvme" {
            ""
        } else {
            ",werror=report,rerror=report"
        },
        ..Second::failing(&inject)
    };
    run(controller, &second, keys, |_| ())
}

/// One I/O of the row failed after so many retries; it is in no figure of success.
fn one_failed(outcome: &Outcome, way: &str, retries: u64) {
    let row = outcome.faulty();
    assert_eq!(outcome.called.code, 1);
    assert_eq!(row["status"], "failed", "{row:#}");
    assert_eq!(
        (outcome.number("/errors"), outcome.number("/retries")),
        (1, retries),
        "{row:#}"
    );
    let ios = outcome.number(&format!("/{way}/ios"));
    assert_eq!(ios, BLOCKS - 1, "{row:#}");
    let bins = row[way]["bins"].as_array().expect("bins");
    let counted: u64 = bins
        .iter()
        .map(|bin| bin[1].as_u64().expect("a count"))
        .sum();
    assert_eq!(counted, ios, "the histogram holds successes only");
    assert_eq!(
        outcome.number(&format!("/commands/{way}")),
        BLOCKS + retries
    );
    assert_eq!(outcome.number("/commands/failed"), 1);
    outcome.checked(1);
    let said = format!("{}{}", outcome.called.out, outcome.called.err);
    assert!(said.contains("2 of 4 rows failed"), "{said}");
    outcome.first_disk_unharmed();
}

pub fn eio(controller: &str) {
    one_failed(&failing(controller, 5, false, READ_ALL), "read", 0);
}

pub fn enospc(controller: &str) {
    one_failed(&failing(controller, 28, false, WRITE_ALL), "write", 0);
}

/// EDOM is what QEMU's SCSI disks make TASK SET FULL of.
pub fn task_set_full_once(controller: &str) {
    let outcome = failing(controller, 33, true, READ_ALL);
    assert_eq!(outcome.called.code, 0, "{}", outcome.called.err);
    assert_eq!(
        (outcome.number("/errors"), outcome.number("/retries")),
        (0, 1)
    );
    assert_eq!(outcome.number("/read/ios"), BLOCKS);
    assert_eq!(outcome.number("/commands/read"), BLOCKS + 1);
    outcome.well(1);
    outcome.well(3);
    outcome.first_disk_unharmed();
}

pub fn task_set_full_always(controller: &str) {
    one_failed(
        &failing(controller, 33, false, READ_ALL),
        "read",
        BUSY_RETRIES,
    );
}

pub fn write_protected(controller: &str) {
    let second = Second::plain(",read-only=on");
    let outcome = run(controller, &second, WRITE_ALL, |_| ());
    assert_eq!(outcome.called.code, 1);
    for row in [1, 3] {
        let row = &outcome.rows[row];
        assert_eq!(row["status"], "skipped", "{row:#}");
        let reason = row["reason"].as_str().expect("a reason");
        assert!(reason.contains("write-protected"), "{reason}");
        assert_eq!(row["commands"]["write"], 0);
    }
    outcome.first_disk_unharmed();

    // Reading it is another matter.
    let outcome = run(controller, &second, READ_ALL, |_| ());
    assert_eq!(outcome.called.code, 0, "{}", outcome.called.err);
    for row in [1, 3] {
        outcome.well(row);
        assert_eq!(outcome.rows[row]["read"]["ios"], BLOCKS);
    }
    outcome.first_disk_unharmed();
}
