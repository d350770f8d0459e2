//! Several request queues, and doorbells that publish only so many requests.

use serde_json::Value;
use tests::{Scenario, run};

/// I/Os of a row, and those of a batch: every batch is full.
const IOS: u64 = 3_200;
const BATCH: u64 = 32;
const BATCHES: u64 = IOS / BATCH;

/// Random reads in full batches, with every doorbell made.
const JOB: &[&str] = &[
    "--fio",
    "--name=rings --rw=randread --bs=4k --iodepth=32 --iodepth_batch_submit=32 \
     --iodepth_batch_complete_min=32 --number_ios=3200",
    "--set",
    "kick_suppression=0",
    "--set",
    "shadow_doorbells=0",
];

fn number(value: &Value) -> u64 {
    value.as_u64().expect("a count")
}

fn doorbells(row: &Value, name: &str) -> u64 {
    row["doorbells"][name].as_u64().unwrap_or(0)
}

/// A row that ran and whose counts are those of QEMU.
fn is_whole(row: &Value) {
    assert_eq!(row["status"], "ok", "{row:#}");
    assert_eq!(number(&row["read"]["ios"]), IOS, "{row:#}");
    for check in row["checks"].as_array().expect("checks") {
        assert_eq!(check["status"], "ok", "{row:#}");
    }
}

fn rows(name: &str, flags: &[&str], count: usize) -> Vec<Value> {
    let flags = [flags, JOB].concat();
    let called = run(&Scenario {
        name,
        flags: &flags,
        code: 0,
        says: &[],
        rows: count,
    });
    let rows = called.rows();
    rows.iter().for_each(is_whole);
    rows
}

#[test]
fn each_queue_is_rung_once_a_batch_by_every_way_to_wait() {
    let flags = [
        "--controller",
        "nvme,virtio-scsi",
        "--sweep",
        "queues=1,2,4",
        "--sweep",
        "wait=poll,irq",
    ];
    let mut messages = 0;
    for row in rows("queues", &flags, 12) {
        let queues = number(&row["params"]["queues"]);
        assert_eq!(doorbells(&row, "submit"), queues * BATCHES, "{row:#}");
        let polled = row["params"]["wait"] == "poll";
        let nvme = row["controller"]
            .as_str()
            .expect("an id")
            .starts_with("nvme");
        if nvme && polled {
            // Slots are given back once a batch, when all of a queue was reaped.
            assert_eq!(doorbells(&row, "completion"), queues * BATCHES, "{row:#}");
        }
        for queue in 0..4 {
            let rung = match (queue, queues) {
                (_, 1) => 0,
                (queue, queues) if queue < queues => BATCHES,
                _ => 0,
            };
            let name = format!("submit_queue_{queue}");
            assert_eq!(doorbells(&row, &name), rung, "{row:#}");
        }
        if !polled {
            let interrupts = &row["interrupts"];
            assert!(number(&interrupts["device"]) > 0, "{row:#}");
            assert_eq!(interrupts["lost"], 0, "{row:#}");
            messages += u32::from(row["params"]["irq"] == "msix");
        }
    }
    assert_eq!(messages, 6);
}

#[test]
fn a_line_wakes_for_every_queue() {
    let flags = [
        "--controller",
        "nvme,virtio-scsi",
        "--set",
        "queues=4",
        "--set",
        "wait=irq",
        "--set",
        "irq=intx",
    ];
    for row in rows("queues by INTx", &flags, 2) {
        assert_eq!(row["params"]["irq"], "intx");
        assert_eq!(row["interrupts"]["lost"], 0, "{row:#}");
        assert_eq!(doorbells(&row, "submit_queue_3"), BATCHES, "{row:#}");
    }
}

#[test]
fn a_doorbell_publishes_as_many_as_asked() {
    let kinds = ["pvscsi", "virtio-scsi", "nvme"];
    let flags = [
        "--controller",
        "pvscsi,virtio-scsi,nvme",
        "--sweep",
        "doorbell_batch=1,4,32",
    ];
    let rows = rows("doorbell_batch", &flags, 3 * kinds.len());
    for kind in kinds {
        let mut seen = Vec::new();
        for row in &rows {
            if !row["controller"].as_str().expect("an id").starts_with(kind) {
                continue;
            }
            let most = number(&row["params"]["doorbell_batch"]);
            assert_eq!(doorbells(row, "submit"), IOS / most, "{row:#}");
            // What NVMe gives back does not depend on it.
            let back = if kind == "nvme" { BATCHES } else { 0 };
            assert_eq!(doorbells(row, "completion"), back, "{row:#}");
            seen.push(most);
        }
        assert_eq!(seen, [1, 4, 32], "{kind}");
    }
}

#[test]
fn posts_are_what_they_are_and_that_is_said_once() {
    let flags = ["--controller", "lsisas", "--sweep", "doorbell_batch=1,4"];
    let flags = [&flags[..], JOB].concat();
    let called = run(&Scenario {
        name: "doorbell_batch on MPT",
        flags: &flags,
        code: 0,
        says: &[],
        rows: 2,
    });
    for row in called.rows() {
        is_whole(&row);
        assert_eq!(doorbells(&row, "submit"), IOS);
    }
    let said = "doorbell_batch changes when requests are posted";
    let all = format!("{}{}", called.out, called.err);
    assert_eq!(all.matches(said).count(), 1, "{all}");
}

#[test]
fn a_row_is_skipped_where_there_are_fewer_queues() {
    let flags = [
        "--controller",
        "all",
        "--device-opt",
        "virtio-scsi.num_queues=2",
        "--device-opt",
        "nvme.max_ioqpairs=3",
        "--set",
        "queues=4",
    ];
    let flags = [&flags[..], JOB].concat();
    let called = run(&Scenario {
        name: "fewer queues",
        flags: &flags,
        code: 1,
        says: &[],
        rows: 4,
    });
    let reasons: Vec<String> = called
        .rows()
        .iter()
        .map(|row| {
            assert_eq!(row["status"], "skipped", "{row:#}");
            row["reason"].as_str().expect("a reason").to_owned()
        })
        .collect();
    let said = |queues: &str| format!("queues=4: the controller has {queues} to offer");
    assert_eq!(
        reasons,
        [
            said("1 request queue"),
            said("1 request queue"),
            said("3 request queues"),
            said("2 request queues"),
        ]
    );
}
