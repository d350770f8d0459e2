//! What every controller must do alike, and what each can do.

use tests::{Scenario, holds_its_pattern, run};

const JOB_SIZES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/jobs/sizes.fio");

/// The controllers of `--controller all`, in the order of their slots, and thus of
/// the scratch files behind them.
const ALL: [&str; 4] = ["pvscsi", "lsisas", "nvme", "virtio-scsi"];

#[test]
fn all_controllers_in_one_boot_count_as_qemu_does() {
    let called = run(&Scenario {
        name: "all",
        flags: &[
            "--controller",
            "all",
            "--set",
            "wait=poll",
            "--set",
            "iodepth=32",
            "--set",
            "iodepth_batch_submit=32",
            "--set",
            "iodepth_batch_complete_min=32",
            "--set",
            "runtime=500ms",
            "--set",
            "ramp_time=0",
        ],
        code: 0,
        says: &[],
        rows: ALL.len(),
    });
    for (row, kind) in called.rows().iter().zip(ALL) {
        assert!(row["controller"].as_str().unwrap().starts_with(kind));
        assert_eq!(row["status"], "ok", "{row:#}");
        for check in row["checks"].as_array().unwrap() {
            assert_eq!(check["status"], "ok", "{kind}: {check:#}");
        }
        // Over the whole row every batch is full but for the last: one doorbell a
        // batch, and on NVMe one more that gives completion slots back. MPT takes
        // each request by a write of its own.
        let commands = row["commands"]["read"].as_u64().unwrap();
        let batches = commands.div_ceil(32);
        let submit = row["doorbells"]["submit"].as_u64().unwrap();
        let completion = row["doorbells"]["completion"].as_u64().unwrap_or(0);
        match kind {
            "lsisas" => assert_eq!(submit, commands),
            _ => assert_eq!(submit, batches, "{kind}: {commands} commands"),
        }
        if kind == "nvme" {
            assert!(completion <= batches + 1, "{completion} for {batches}");
        }
    }
}

#[test]
fn blocks_of_every_size_land_at_their_place() {
    let called = run(&Scenario {
        name: "sizes on all",
        flags: &[
            "--controller",
            "all",
            "--backend",
            "file:96M",
            "--job",
            JOB_SIZES,
        ],
        code: 0,
        says: &[],
        rows: 6 * ALL.len(),
    });
    for row in called.rows() {
        let controller = row["controller"].as_str().unwrap();
        let number = ALL.iter().position(|kind| controller.starts_with(kind));
        let file = format!("disk{}.img", number.unwrap());
        holds_its_pattern(&called.file(&file), &row);
    }
}

#[test]
fn nvme_splits_at_mdts_and_counts_one_io() {
    // mdts=0 is no limit of the device's own; QEMU still takes 1,024 pages at most.
    let limits = [
        ("nvme.mdts=0", 1023 * 4096),
        ("nvme.mdts=1", 8192),
        ("nvme.mdts=3", 32768),
    ];
    let dir = tempfile::tempdir().unwrap();
    let trace = dir.path().join("trace");
    let trace_flag = format!("--qemu-arg={}", trace.display());
    for (option, max_transfer_bytes) in limits {
        let called = run(&Scenario {
            name: option,
            flags: &[
                "--controller",
                "nvme",
                "--device-opt",
                option,
                "--backend",
                "file:96M",
                "--job",
                JOB_SIZES,
                "--qemu-arg=-trace",
                "--qemu-arg=pci_nvme_err_*",
                "--qemu-arg=-D",
                &trace_flag,
            ],
            code: 0,
            says: &[],
            rows: 6,
        });
        let traced = std::fs::read_to_string(&trace).unwrap();
        assert!(!traced.contains("mdts"), "{option}: {traced}");
        for row in called.rows() {
            holds_its_pattern(&called.file("disk0.img"), &row);
            let ios = row["write"]["ios"].as_u64().unwrap();
            let pieces = row["params"]["bs"]
                .as_u64()
                .unwrap()
                .div_ceil(max_transfer_bytes);
            assert_eq!(row["commands"]["write"], ios * pieces, "{option}: {row:#}");
        }
    }
}

/// One pair of queues is the least that a device can have.
#[test]
fn nvme_with_one_pair_of_queues_works() {
    let called = run(&Scenario {
        name: "max_ioqpairs=1",
        flags: &[
            "--controller",
            "nvme",
            "--device-opt",
            "nvme.max_ioqpairs=1",
            "--fio",
            "--name=one --rw=randread --iodepth=64 --number_ios=1000",
        ],
        code: 0,
        says: &[],
        rows: 1,
    });
    assert_eq!(called.rows()[0]["read"]["ios"], 1_000);
}

#[test]
fn buffers_above_4_gib_are_reached_by_every_controller() {
    let called = run(&Scenario {
        name: "memory from the top",
        flags: &[
            "--controller",
            "all",
            "--memory",
            "6144",
            "--inject",
            "dma-top",
            "--backend",
            "file:16M",
            "--set",
            "rw=randwrite",
            "--set",
            "bs=64k",
            "--set",
            "wait=poll",
            "--set",
            "iodepth=16",
            "--set",
            "verify=pattern",
            "--set",
            "time_based=0",
            "--set",
            "ramp_time=0",
            "--set",
            "runtime=20",
        ],
        code: 0,
        says: &[],
        // Each write row is followed by its read-back.
        rows: 2 * ALL.len(),
    });
    for row in called.rows() {
        assert_eq!(row["status"], "ok", "{row:#}");
        assert_eq!(row["mismatched_bytes"], 0);
        if row["params"]["rw"] == "randread" {
            assert!(row["verified_blocks"].as_u64().unwrap() > 0, "{row:#}");
        }
    }
}
