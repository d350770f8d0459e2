//! Without a serial port the run ends in time, and the screen shows what came out.

use std::fs;
use tests::{call, screen_at_end};

const JOB: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/jobs/last-words.fio");

#[test]
fn without_a_serial_port_the_screen_tells() {
    let called = call("image", &["--format", "raw", "--job", JOB]);
    assert_eq!(called.code, 0, "{}", called.err);
    let data = called.file("data");
    fs::write(&data, vec![0; 16 << 20]).unwrap();
    for (firmware, uefi) in [("bios", false), ("uefi", true)] {
        let rows = screen_at_end(&called.file("ioprobe.img"), &data, uefi);
        let rows: Vec<&str> = rows.iter().map(|row| row.trim_end()).collect();
        let screen = rows.join("\n");
        let booted = format!("hypervisor tcg, booted by {firmware}, 1 CPU, ");
        assert!(rows[0].ends_with(", job from ramdisk"), "{screen}");
        assert!(rows[1].starts_with(&booted), "{screen}");
        let row = |number: &str| {
            let found = rows.iter().find(|row| row.trim_start().starts_with(number));
            let words = found.map(|row| row.split_whitespace().collect::<Vec<_>>());
            words.unwrap_or_else(|| panic!("no row {number}\n{screen}"))
        };
        let last = "pvscsi@00:07.0:0:0";
        for (number, bs, depth) in [("1 randread", "4k", "1"), ("2 randread", "8k", "32")] {
            let words = row(number);
            assert_eq!(words[2..4], [bs, depth], "{screen}");
            assert!(
                words[4].parse::<u64>().is_ok_and(|iops| iops > 0),
                "{screen}"
            );
            assert_eq!(words[words.len() - 2..], ["0", last], "{screen}");
        }
        let at = rows
            .iter()
            .position(|row| *row == "2 rows ok, 0 failed, 0 skipped");
        let at = at.unwrap_or_else(|| panic!("no summary\n{screen}"));
        assert!(
            rows[at + 1].starts_with("No serial port was found"),
            "{screen}"
        );
        assert!(rows[at + 2..].iter().all(|row| row.is_empty()), "{screen}");
    }
}
