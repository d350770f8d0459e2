//! What must be said of one row.

use super::figures::size;
use super::remarks::Remarks;
use crate::result::{Document, Row};
use proto::result::{CheckStatus, RunStatus};
use proto::units::size_bytes;

/// A window of less is too short for figures that come out the same again.
const SHORT_NS: u64 = 1_000_000_000;

/// Adds it to the remarks.
pub fn of_row(document: &Document, row: &Row, said: &mut Remarks) {
    let reason = row.reason.as_deref().unwrap_or("no reason given");
    match row.status {
        RunStatus::Ok => {}
        RunStatus::Failed => said.on(row.row, format!("FAILED: {reason}")),
        RunStatus::Skipped => said.on(row.row, format!("skipped: {reason}")),
    }
    for check in &row.checks {
        let (name, detail) = (&check.name, &check.detail);
        match check.status {
            CheckStatus::Ok => {}
            CheckStatus::Failed => said.on(row.row, format!("check {name} FAILED: {detail}")),
            CheckStatus::NotMade => said.on(row.row, format!("check {name} not made: {detail}")),
        }
    }
    if row.status != RunStatus::Skipped {
        asked_and_had(document, row, said);
    }
    let counted = row.read.ios + row.write.ios + row.trim.as_ref().map_or(0, |trim| trim.ios);
    if counted > 0 && row.window_ns < SHORT_NS {
        said.on(row.row, "the window was shorter than 1 s: figures scatter.");
    }
    if let Some(at) = &row.started_at {
        said.on(row.row, started(at, row.start_skew_ns));
    }
    data(document, row, said);
    finer(row, said);
    if row.open_at_end.censored {
        said.on(
            row.row,
            "the tail is cut off: an I/O older than p99 was open at the end.",
        );
    }
}

/// When it began by its machine's clock, for comparison with other machines.
fn started(at: &str, skew_ns: Option<u64>) -> String {
    match skew_ns {
        Some(ns) => format!("started at {at}, {:.3} ms after start_at.", ns as f64 / 1e6),
        None => format!("started at {at}, after another row of the same start_at."),
    }
}

/// What the row could not have as it was asked.
fn asked_and_had(document: &Document, row: &Row, said: &mut Remarks) {
    let asked = row.params.keys.get("size");
    let asked = asked.and_then(|text| size_bytes(text).ok());
    let used = row.params.region_bytes;
    let block = document.block_size(&row.disk).unwrap_or(512);
    if let Some(asked) = asked.filter(|asked| used > 0 && asked.saturating_sub(used) >= block) {
        said.on(
            row.row,
            format!(
                "size={} is more than the disk has from there on; {} of it are used.",
                size(asked),
                size(used)
            ),
        );
    }
    let depth = &row.depth;
    if depth.limit > 0 && depth.asked > depth.limit {
        said.on(
            row.row,
            format!(
                "depth {} is more than the {} commands that can be in flight at once.",
                depth.asked, depth.limit
            ),
        );
    }
}

/// What came of the data.
fn data(document: &Document, row: &Row, said: &mut Remarks) {
    if row.all_zero == Some(true) && !document.host().backend.starts_with("null") {
        said.on(
            row.row,
            "every byte read was zero, as from space that was never written; prefill=1 writes it \
             first.",
        );
    }
    for (kind, times) in &row.errors_by_kind {
        said.on(row.row, format!("{times} x {kind}"));
    }
    if row.mismatched_bytes > 0 {
        said.on(row.row, format!("{} bytes differ", row.mismatched_bytes));
        for bad in &row.mismatches {
            said.on(
                row.row,
                format!(
                    "byte {}: expected {:#04x}, found {:#04x}",
                    bad.offset, bad.expected, bad.found
                ),
            );
        }
    }
    if row.shares.len() > 1 && row.status != RunStatus::Skipped {
        let each = row.shares.iter();
        let each: Vec<String> = each
            .map(|share| format!("{} {}", share.disk, share.ios))
            .collect();
        said.on(row.row, format!("I/Os by disk: {}.", each.join(", ")));
    }
}

/// What rates, searches, flushes and steadiness came to.
fn finer(row: &Row, said: &mut Remarks) {
    let number = row.row;
    if let Some(late) = &row.late {
        let ms = |ns: Option<u64>| ns.map_or("-".into(), |ns| format!("{:.3}", ns as f64 / 1e6));
        said.on(
            number,
            format!(
                "at its fixed rate I/Os started {:.3} ms late on average; from their intended start \
                 p99 is {} ms and the longest {} ms.",
                late.mean_ns / 1e6,
                ms(late.lat_intended_ns.p99),
                ms(late.lat_intended_ns.max)
            ),
        );
    }
    if let Some(found) = &row.latency_target {
        let target = found.target_ns as f64 / 1e6;
        said.on(
            number,
            match (found.finished, found.depth) {
                (true, 0) => format!("not even depth 1 meets {target:.3} ms."),
                (true, depth) => format!("depth {depth} is the largest that meets {target:.3} ms."),
                (false, depth) => format!(
                    "the search for the depth that meets {target:.3} ms did not end in time; \
                     {depth} met it."
                ),
            },
        );
    }
    if let Some(steady) = &row.steady {
        let so = if steady.attained {
            "steady"
        } else {
            "NOT steady"
        };
        let criterion = steady.criterion;
        said.on(
            number,
            format!("{so}, the criterion was {criterion:.3} at last."),
        );
    }
    if let Some(flush) = row.flush.as_ref().filter(|flush| flush.ios > 0) {
        let mean_ms = flush.lat_ns.mean.unwrap_or(0.0) / 1e6;
        let flushes = flush.ios;
        said.on(
            number,
            format!("{flushes} flushes, {mean_ms:.3} ms on average."),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{document, row};
    use super::*;
    use proto::result::Share;

    fn said_of(change: impl Fn(&mut Row)) -> String {
        let mut row = row(1);
        change(&mut row);
        let lines = super::super::remarks(&document(vec![row]), false);
        format!("\n{}\n", lines.join("\n"))
    }

    #[test]
    fn the_disks_of_a_row_on_several_are_listed() {
        let share = |disk: &str, ios| Share {
            disk: disk.into(),
            ios,
            ..Share::default()
        };
        let said = said_of(|row| {
            row.shares = vec![share("pvscsi@00:03.0:0:0", 7), share("nvme@00:04.0:1", 6)];
        });
        let listed = "\nRow 2: I/Os by disk: pvscsi@00:03.0:0:0 7, nvme@00:04.0:1 6.\n";
        assert!(said.contains(listed), "{said}");
        assert!(!said_of(|_| {}).contains("Row"), "all is well");
    }

    #[test]
    fn a_size_that_was_cut_is_told_and_one_that_was_rounded_is_not() {
        let sized = |size: &str, region_bytes| {
            said_of(|row| {
                row.params.keys.insert("size".into(), size.into());
                row.params.region_bytes = region_bytes;
            })
        };
        let said = sized("300g", 200 << 30);
        let line =
            "\nRow 2: size=300g is more than the disk has from there on; 200g of it are used.";
        assert!(said.contains(line), "{said}");
        assert!(sized("1g", (1 << 30) - (1 << 20)).contains("1023m of it"));
        for (size, used) in [("1g", 1 << 30), ("1000", 512), ("50%", 1 << 20), ("1g", 0)] {
            assert!(!sized(size, used).contains("size="), "{size}");
        }
    }

    #[test]
    fn a_short_window_is_told_where_something_was_measured() {
        let line = "Row 2: the window was shorter than 1 s: figures scatter.";
        assert!(said_of(|row| row.window_ns = 999_999_999).contains(line));
        assert!(!said_of(|row| row.window_ns = 1_000_000_000).contains("window"));
        let nothing = said_of(|row| {
            row.window_ns = 0;
            row.read.ios = 0;
        });
        assert!(!nothing.contains("window"));
    }

    #[test]
    fn a_depth_that_cannot_be_is_told() {
        let deep = |asked, limit| {
            said_of(|row| {
                row.depth.asked = asked;
                row.depth.limit = limit;
            })
        };
        let line = "Row 2: depth 256 is more than the 127 commands that can be in flight at once.";
        assert!(deep(256, 127).contains(line));
        assert!(!deep(127, 127).contains("depth") && !deep(8, 0).contains("depth"));
    }

    #[test]
    fn why_a_row_was_skipped_stands_below() {
        let said = said_of(|row| {
            row.status = RunStatus::Skipped;
            row.reason = Some("needs 96 MiB".into());
            row.checks.clear();
        });
        assert!(said.contains("\nRow 2: skipped: needs 96 MiB\n"), "{said}");
    }
}
