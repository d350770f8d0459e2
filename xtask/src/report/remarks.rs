//! What must be said beside the figures.

use crate::result::{Document, Row};
use proto::result::{CheckStatus, RunStatus};

/// Lines below a table, each wrapped to `width` columns; starts with an empty line.
#[must_use]
pub fn remarks(document: &Document, width: usize) -> String {
    let mut all = Vec::new();
    if document.accel() == "tcg" {
        all.push(
            "Accelerator TCG: times are TCG times, not hardware times; counts are exact.".into(),
        );
    }
    let null = document.backend().starts_with("null");
    if null {
        all.push(
            "Null backend: there is no medium behind the disk, the figures are the controller's; \
             reads give zeros."
                .into(),
        );
    }
    all.extend(document.rows.iter().flat_map(|run| of_run(run, null)));
    if document.rows.iter().any(|run| run.stages_ns.is_some()) {
        all.push("The stages of each row's latency are in result.json, as stages_ns.".into());
    }
    all.extend(gaps(&document.rows));
    let mut text = String::new();
    for remark in all {
        text.push('\n');
        text.push_str(&wrap(&remark, width));
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

fn of_run(run: &Row, null: bool) -> Vec<String> {
    let mut said = Vec::new();
    let row = run.row;
    let reason = run.reason.as_deref().unwrap_or("no reason given");
    match run.status {
        RunStatus::Ok => {}
        RunStatus::Failed => said.push(format!("Row {row} FAILED: {reason}")),
        RunStatus::Skipped => said.push(format!("Row {row} skipped: {reason}")),
    }
    for check in &run.checks {
        let name = &check.name;
        match check.status {
            CheckStatus::Ok => {}
            CheckStatus::Failed => {
                said.push(format!("Row {row}: check {name} FAILED: {}", check.detail));
            }
            CheckStatus::NotMade => {
                said.push(format!(
                    "Row {row}: check {name} not made: {}",
                    check.detail
                ));
            }
        }
    }
    if run.all_zero == Some(true) && !null {
        said.push(format!(
            "Row {row}: every byte read was zero, as from space that was never written."
        ));
    }
    for (kind, times) in &run.errors_by_kind {
        said.push(format!("Row {row}: {times} x {kind}"));
    }
    if run.mismatched_bytes > 0 {
        said.push(format!("Row {row}: {} bytes differ", run.mismatched_bytes));
        for bad in &run.mismatches {
            said.push(format!(
                "Row {row}: byte {}: expected {:#04x}, found {:#04x}",
                bad.offset, bad.expected, bad.found
            ));
        }
    }
    if run.shares.len() > 1 && run.status != RunStatus::Skipped {
        let each = run.shares.iter();
        let each: Vec<String> = each
            .map(|share| format!("{} {}", share.disk, share.ios))
            .collect();
        said.push(format!("Row {row}: I/Os by disk: {}.", each.join(", ")));
    }
    said.extend(finer(run));
    if run.open_at_end.censored {
        said.push(format!(
            "Row {row}: the tail is cut off: an I/O older than p99 was open at the end."
        ));
    }
    said
}

/// What rates, searches, flushes and steadiness came to.
fn finer(run: &Row) -> Vec<String> {
    let row = run.row;
    let mut said = Vec::new();
    if let Some(late) = &run.late {
        let ms = |ns: Option<u64>| ns.map_or("-".into(), |ns| format!("{:.3}", ns as f64 / 1e6));
        said.push(format!(
            "Row {row}: at its fixed rate I/Os started {:.3} ms late on average; from their intended \
             start p99 is {} ms and the longest {} ms.",
            late.mean_ns / 1e6,
            ms(late.lat_intended_ns.p99),
            ms(late.lat_intended_ns.max)
        ));
    }
    if let Some(found) = &run.latency_target {
        let target = found.target_ns as f64 / 1e6;
        said.push(match (found.finished, found.depth) {
            (true, 0) => format!("Row {row}: not even depth 1 meets {target:.3} ms."),
            (true, depth) => format!("Row {row}: depth {depth} is the largest that meets {target:.3} ms."),
            (false, depth) => format!(
                "Row {row}: the search for the depth that meets {target:.3} ms did not end in time; \
                 {depth} met it."
            ),
        });
    }
    if let Some(steady) = &run.steady {
        let so = if steady.attained {
            "steady"
        } else {
            "NOT steady"
        };
        said.push(format!(
            "Row {row}: {so}, the criterion was {:.3} at last.",
            steady.criterion
        ));
    }
    if let Some(flush) = run.flush.as_ref().filter(|flush| flush.ios > 0) {
        said.push(format!(
            "Row {row}: {} flushes, {:.3} ms on average.",
            flush.ios,
            flush.lat_ns.mean.unwrap_or(0.0) / 1e6
        ));
    }
    said
}

/// Gaps come in most rows of a busy host: they are said once.
fn gaps(rows: &[Row]) -> Option<String> {
    let with: Vec<String> = rows
        .iter()
        .filter(|run| run.gaps.count > 0)
        .map(|run| run.row.to_string())
        .collect();
    let longest_ns = rows.iter().map(|run| run.gaps.longest_ns).max()?;
    if with.is_empty() {
        return None;
    }
    Some(format!(
        "The guest did not run at times, for up to {:.1} ms, in rows {}: their tails are the host's.",
        longest_ns as f64 / 1e6,
        with.join(", ")
    ))
}

/// Breaks at spaces; a word longer than the width stays whole.
fn wrap(text: &str, width: usize) -> String {
    let mut wrapped = String::new();
    let mut used = 0;
    for word in text.split(' ') {
        let length = word.chars().count();
        if used > 0 && used + 1 + length > width {
            wrapped.push_str("\n  ");
            used = 2;
        } else if used > 0 {
            wrapped.push(' ');
            used += 1;
        }
        wrapped.push_str(word);
        used += length;
    }
    wrapped
}

#[cfg(test)]
mod tests {
    use super::super::tests::row;
    use super::{gaps, of_run, wrap};
    use proto::result::Share;

    #[test]
    fn the_disks_of_a_row_on_several_are_listed() {
        let mut two = row(1);
        assert_eq!(of_run(&two, true), Vec::<String>::new());
        let share = |disk: &str, ios| Share {
            disk: disk.into(),
            ios,
            ..Share::default()
        };
        two.shares = vec![share("pvscsi@00:03.0:0:0", 7), share("nvme@00:04.0:1", 6)];
        let listed = "Row 1: I/Os by disk: pvscsi@00:03.0:0:0 7, nvme@00:04.0:1 6.";
        assert_eq!(of_run(&two, true), [listed]);
    }

    #[test]
    fn gaps_are_said_once() {
        assert_eq!(gaps(&[row(0)]), None);
        let mut runs = [row(0), row(1), row(2)];
        runs[0].gaps.count = 2;
        runs[0].gaps.longest_ns = 1_500_000;
        runs[2].gaps.count = 1;
        runs[2].gaps.longest_ns = 400_000;
        let said = gaps(&runs).unwrap();
        assert!(said.contains("up to 1.5 ms, in rows 0, 2:"), "{said}");
    }

    #[test]
    fn wraps_at_spaces() {
        assert_eq!(wrap("aa bb cc", 5), "aa bb\n  cc");
        assert_eq!(wrap("aaaaaaaa bb", 5), "aaaaaaaa\n  bb");
        assert_eq!(wrap("aa bb", usize::MAX), "aa bb");
    }
}
