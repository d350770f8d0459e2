//! Records as a person reads them on a screen of 80 columns.

use alloc::format;
use alloc::string::String;
use proto::record::{Record, row_number};
use proto::result::{ControllerInfo, Direction, DiskInfo, GuestInfo, Run, RunStatus};
use proto::units::size_text;

const HEADER: &str = "row rw           bs depth     IOPS     mean      p99 errors disk";
/// Longest job name that is shown.
const JOB_CHARS: usize = 24;

/// What a record says, with its line feeds; empty for what a screen need not show.
/// A row that runs is a line without an end, which the next text takes back.
#[must_use]
pub fn text_of(record: &Record) -> String {
    match record {
        Record::Hello(hello) => format!("{}, job from {}\n", hello.tool, hello.job_source),
        Record::Guest(guest) => machine(guest),
        Record::Controller(controller) => adapter(controller),
        Record::Disk(info) => disk(info),
        Record::Ignored(ignored) => format!("  {} left alone: {}\n", ignored.id, ignored.reason),
        Record::Plan(plan) => {
            let seconds = plan.planned_ns.map(|ns| ns.div_ceil(1_000_000_000));
            let about = seconds.map_or_else(String::new, |s| format!(", about {s} s"));
            format!("{} rows{about}\n{HEADER}\n", plan.rows)
        }
        Record::StartWait(wait) => {
            let number = row_number(wait.row);
            format!("\r{number:>3} starts at {}\n", wait.start_at)
        }
        Record::RowBegin(begin) => {
            let job: String = begin.job.chars().take(JOB_CHARS).collect();
            format!("\r{:>3} running: {job}", row_number(begin.row))
        }
        Record::Row(run) => format!("\r{}", row_text(run)),
        Record::Note(note) => format!("\r{}\n", note.text),
        Record::Fatal(note) => format!("\r{}\n", note.text),
        Record::Trace(_) | Record::Progress(_) => String::new(),
        Record::End(end) => format!(
            "\r{} rows ok, {} failed, {} skipped\n",
            end.ok, end.failed, end.skipped
        ),
    }
}

fn machine(guest: &GuestInfo) -> String {
    let GuestInfo {
        hypervisor,
        boot,
        cpus,
        memory_mib,
        tsc_khz,
        ..
    } = guest;
    format!(
        "hypervisor {hypervisor}, booted by {boot}, {cpus} CPU, {memory_mib} MiB, TSC {} MHz\n",
        tsc_khz / 1000
    )
}

fn adapter(controller: &ControllerInfo) -> String {
    format!("{} ({})\n", controller.id, controller.pci_id)
}

fn disk(info: &DiskInfo) -> String {
    let mib = (u128::from(info.blocks) * u128::from(info.block_size)) >> 20;
    let size = if mib < 10 << 10 {
        format!("{mib} MiB")
    } else {
        format!("{} GiB", mib >> 10)
    };
    let access = if info.write_allowed {
        "may be written"
    } else {
        "read only"
    };
    format!(
        "  {} ({}) {size} {} {}, {access}\n",
        info.id, info.name_in_vsphere, info.vendor, info.model
    )
}

/// The line of a row; of a mix, one for each direction. The reason follows a row
/// that is not ok.
#[must_use]
pub fn row_text(run: &Run) -> String {
    let mut text = String::new();
    for (name, direction, bs) in [
        ("read", &run.read, run.params.bs),
        (
            "write",
            &run.write,
            run.params.bs_write.unwrap_or(run.params.bs),
        ),
    ] {
        if direction.ios > 0 {
            text.push_str(&figures(run, name, direction, bs));
        }
    }
    if text.is_empty() {
        let (number, rw, disk) = (row_number(run.row), &run.params.rw, &run.disk);
        text = format!("{number:>3} {rw:<9} on {disk}\n");
    }
    if run.status != RunStatus::Ok {
        let what = if run.status == RunStatus::Failed {
            "failed"
        } else {
            "skipped"
        };
        let reason = run.reason.as_deref().unwrap_or("no reason given");
        text.push_str(&format!("    {what}: {reason}\n"));
    }
    text
}

fn figures(run: &Run, name: &str, direction: &Direction, bs: u64) -> String {
    let mixed = run.read.ios > 0 && run.write.ios > 0;
    // Only a mix needs to be told which of its two lines this is.
    let rw = if mixed { name } else { &run.params.rw };
    let random = if mixed && run.params.rw.starts_with("rand") {
        "rand"
    } else {
        ""
    };
    let mean = direction.lat_ns.mean.map(|ns| ns as u64);
    format!(
        "{:>3} {:<9} {:>5} {:>5} {:>8} {:>8} {:>8} {:>6} {}\n",
        row_number(run.row),
        format!("{random}{rw}"),
        size_text(bs),
        run.params.iodepth,
        (direction.iops + 0.5) as u64,
        time(mean),
        time(direction.lat_ns.p99),
        run.errors,
        run.disk,
    )
}

/// A latency with its unit; `-` where it is not known.
fn time(ns: Option<u64>) -> String {
    match ns {
        None => String::from("-"),
        Some(ns @ ..10_000) => format!("{ns} ns"),
        Some(ns @ ..10_000_000) => format!("{} us", ns / 1000),
        Some(ns) => format!("{} ms", ns / 1_000_000),
    }
}

/// The first row of a transcript that the host's tests use too.
#[cfg(test)]
pub fn sample_row() -> Run {
    let log = include_str!("../../../../tests/golden/good.log");
    let json = |line: &'static str| line.get(line.find('{')?..);
    let mut records = log.lines().filter_map(json);
    let row = records.find_map(|json| match serde_json::from_str(json) {
        Ok(Record::Row(run)) => Some(run),
        _ => None,
    });
    *row.expect("a row")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proto::record::{End, Note, Plan};

    fn lines(record: Record) -> String {
        text_of(&record)
    }

    #[test]
    fn a_row_is_one_line_of_at_most_80_columns() {
        let run = sample_row();
        let text = row_text(&run);
        std::println!("{HEADER}\n{text}");
        assert_eq!(text.lines().count(), 1);
        assert!(text.trim_end().chars().count() <= 80, "{text}");
        let words: std::vec::Vec<&str> = text.split_whitespace().collect();
        assert_eq!(words[1], run.params.rw);
        assert_eq!(words[2], "4k");
        assert_eq!(words[4], format!("{}", (run.read.iops + 0.5) as u64));
        assert_eq!(words.last(), Some(&run.disk.as_str()));
    }

    #[test]
    fn a_mix_has_a_line_for_each_direction() {
        let mut run = sample_row();
        run.params.rw = "randrw".into();
        run.params.bs_write = Some(8192);
        run.write = run.read.clone();
        let text = row_text(&run);
        let names = text
            .lines()
            .map(|line| line.split_whitespace().skip(1).take(2).collect());
        let names: std::vec::Vec<std::vec::Vec<&str>> = names.collect();
        assert_eq!(names, [["randread", "4k"], ["randwrite", "8k"]]);
    }

    #[test]
    fn what_did_not_run_says_why() {
        let mut run = sample_row();
        run.status = RunStatus::Skipped;
        run.reason = Some("needs 40 MiB".into());
        run.read = Direction::default();
        let text = row_text(&run);
        assert!(text.contains(&run.disk), "{text}");
        assert!(text.ends_with("    skipped: needs 40 MiB\n"), "{text}");
    }

    #[test]
    fn the_end_and_the_plan() {
        let end = End {
            records: 9,
            ok: 3,
            failed: 1,
            skipped: 2,
        };
        assert_eq!(
            lines(Record::End(end)),
            "\r3 rows ok, 1 failed, 2 skipped\n"
        );
        let plan = |planned_ns| {
            lines(Record::Plan(Plan {
                rows: 6,
                planned_ns,
            }))
        };
        assert!(plan(Some(14_100_000_000)).starts_with("6 rows, about 15 s\nrow rw"));
        assert!(plan(None).starts_with("6 rows\nrow rw"));
        let text = "a disk vanished".into();
        assert_eq!(lines(Record::Note(Note { text })), "\ra disk vanished\n");
    }

    #[test]
    fn latencies_keep_their_digits() {
        let cases = [
            (None, "-"),
            (Some(9_999), "9999 ns"),
            (Some(10_000), "10 us"),
            (Some(9_999_999), "9999 us"),
            (Some(10_000_000), "10 ms"),
        ];
        for (ns, text) in cases {
            assert_eq!(time(ns), text);
        }
    }
}
