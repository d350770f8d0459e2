//! A run of four rows on two disks.

use serde_json::{Value, json};
use std::fmt::Write as _;
use tests::{Called, Monitor, call_watched};

/// I/Os of each row on the first disk.
pub const IOS: u64 = 2_000;
/// Blocks of 4 KiB on the second disk.
pub const BLOCKS: u64 = 4_096;

/// The second disk: QEMU's node without its name, and what its device has beside.
pub struct Second<'a> {
    pub node: String,
    pub device: &'a str,
}

impl Second<'_> {
    /// A disk of zeros, some I/Os on which fail as `inject` says.
    pub fn failing(inject: &str) -> Self {
        let size = BLOCKS * 4096;
        Self {
            node: format!(
                "driver=blkdebug,image.driver=null-co,image.size={size},image.read-zeroes=on,\
                 inject-error.0.event=none,{inject}"
            ),
            device: "",
        }
    }

    /// A disk of zeros.
    pub fn plain(more: &str) -> Self {
        let size = BLOCKS * 4096;
        let node = format!("driver=null-co,size={size},read-zeroes=on{more}");
        Self { node, device: "" }
    }
}

/// `-device` of a disk on the machine's controller.
fn disk(controller: &str, number: u32, node: &str, more: &str) -> String {
    if controller == "nvme" {
        let nsid = number + 1;
        format!("nvme-ns,id=disk-{node},bus=controller3,nsid={nsid},drive={node}{more}")
    } else {
        format!("scsi-hd,id=disk-{node},bus=controller3.0,scsi-id={number},drive={node}{more}")
    }
}

fn disk_id(controller: &str, number: u32) -> String {
    let address = if controller == "nvme" {
        format!("{}", number + 1)
    } else {
        format!("{number}:0")
    };
    format!("{controller}@00:03.0:{address}")
}

/// The job: rows in turn on both disks, those of the second with these keys.
fn job(controller: &str, keys: &str) -> String {
    let mut text = String::from("[global]\nstonewall\nbs=4k\niodepth=4\n");
    let ids = [disk_id(controller, 0), disk_id(controller, 1)];
    for (row, id) in ids.iter().cycle().take(4).enumerate() {
        let keys = match row {
            0 | 2 => format!("rw=randread\nnumber_ios={IOS}"),
            _ => keys.to_owned(),
        };
        let _ = write!(
            text,
            "[row{row}]\nfilename={id}\nallow_write={id}\n{keys}\n"
        );
    }
    text
}

/// What came of a run.
pub struct Outcome {
    pub called: Called,
    pub rows: Vec<Value>,
}

/// Runs the four rows, those of the second disk with `keys`, while `meanwhile`
/// talks to QEMU.
pub fn run(
    controller: &str,
    second: &Second<'_>,
    keys: &str,
    meanwhile: impl FnOnce(&mut Monitor) + Send,
) -> Outcome {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let path = dir.path().join("job.fio");
    std::fs::write(&path, job(controller, keys)).expect("the job");
    let node = format!("{},node-name=second", second.node);
    let device = disk(controller, 1, "second", second.device);
    let extra = ["-blockdev".into(), node, "-device".into(), device];
    let path = path.to_str().expect("a path");
    let flags = ["--controller", controller, "--job", path];
    let called = call_watched("run", &flags, &extra, meanwhile);
    assert!(called.code <= 1, "{}\n{}", called.out, called.err);
    let rows = called.rows();
    assert_eq!(rows.len(), 4, "{}", called.err);
    Outcome { called, rows }
}

/// Adds a third disk.
pub fn add_disk(monitor: &mut Monitor, controller: &str) {
    assert_ne!(controller, "nvme");
    let node = json!({"driver": "null-co", "node-name": "third", "size": 1 << 24});
    let _ = monitor.execute("blockdev-add", &node);
    let device = json!({
        "driver": "scsi-hd", "id": "disk-third", "bus": "controller3.0", "scsi-id": 2,
        "drive": "third",
    });
    let _ = monitor.execute("device_add", &device);
}

impl Outcome {
    /// The second row.
    pub fn faulty(&self) -> &Value {
        &self.rows[1]
    }

    pub fn number(&self, path: &str) -> u64 {
        let value = self.faulty().pointer(path);
        value
            .and_then(Value::as_u64)
            .unwrap_or_else(|| panic!("{path}: {}", self.faulty()))
    }

    /// A row is well, and QEMU counted what the guest did.
    pub fn well(&self, row: usize) {
        let one = &self.rows[row];
        assert_eq!(one["status"], "ok", "row {row}: {one:#}");
        assert_eq!(one["errors"], 0, "row {row}");
        self.checked(row);
    }

    /// No check of a row failed, and those of its counts were made.
    pub fn checked(&self, row: usize) {
        let checks = self.rows[row]["checks"].as_array().expect("checks");
        assert!(!checks.is_empty());
        for check in checks {
            assert_ne!(check["status"], "failed", "row {row}: {check}");
        }
        let commands = checks.iter().find(|check| check["name"] == "commands");
        assert_eq!(commands.expect("a check")["status"], "ok", "row {row}");
    }

    /// Both rows of the first disk are well and whole.
    pub fn first_disk_unharmed(&self) {
        for row in [0, 2] {
            self.well(row);
            assert_eq!(self.rows[row]["read"]["ios"], IOS);
            let retries = self.rows[row]["retries"].as_u64().expect("a count");
            assert_eq!(self.rows[row]["commands"]["read"], IOS + retries);
        }
    }
}
