//! What must be said beside the figures, each once, with the rows that it holds for.

use super::of_row::of_row;
use crate::result::{Document, Row};
use proto::record::{row_number, split_row_note};
use proto::result::RunStatus;

/// Remarks in order, each with its rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remarks {
    all: Vec<(String, Vec<u32>)>,
}

impl Remarks {
    /// Of the whole result.
    pub fn say(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !self.all.iter().any(|(known, _)| *known == text) {
            self.all.push((text, Vec::new()));
        }
    }

    /// Of the row of this index.
    pub fn on(&mut self, row: u32, text: impl Into<String>) {
        let text = text.into();
        let known = |(said, rows): &&mut (String, Vec<u32>)| *said == text && !rows.is_empty();
        match self.all.iter_mut().find(known) {
            Some((_, rows)) if rows.contains(&row) => {}
            Some((_, rows)) => rows.push(row),
            None => self.all.push((text, vec![row])),
        }
    }

    /// One line each.
    fn lines(&self) -> impl Iterator<Item = String> + '_ {
        self.all.iter().map(|(text, rows)| match rows[..] {
            [] => text.clone(),
            [row] => format!("Row {}: {text}", row_number(row)),
            _ => format!("Rows {}: {text}", ranges(rows)),
        })
    }
}

/// What stands below a table, one line each. `blank_percentiles` says that the table has
/// such.
#[must_use]
pub fn remarks(document: &Document, blank_percentiles: bool) -> Vec<String> {
    let mut said = Remarks::default();
    if blank_percentiles {
        said.say("A percentile is blank where fewer than 10 I/Os lie beyond it.");
    }
    let host = document.host();
    if host.accel == "tcg" {
        said.say("Accelerator TCG: times are TCG times, not hardware times; counts are exact.");
    }
    if host.backend.starts_with("null") {
        said.say(
            "Null backend: there is no medium behind the disk, the figures are the controller's; \
             reads give zeros.",
        );
    }
    let closed = |row: &Row| row.status == RunStatus::Ok && row.late.is_none();
    if document.rows.iter().any(closed) {
        said.say(
            "Latencies are those of a closed loop: a stall is seen by the I/Os in flight alone; \
             rate_iops shows it to all that it delays.",
        );
    }
    if let Some(whose) = super::stages::whose_work(&document.rows) {
        said.say(whose);
    }
    for note in document.notes() {
        match split_row_note(note) {
            Some((row, text)) => said.on(row, advised(&of_any_disk(document, row, text))),
            None => said.say(advised(note)),
        }
    }
    for row in &document.rows {
        of_row(document, row, &mut said);
    }
    if let Some(ns) = document.rows.iter().map(|row| row.gaps.longest_ns).max() {
        // Gaps come in most rows of a busy host.
        let text = format!(
            "the guest did not run at times, for up to {:.1} ms: tails there are the host's.",
            ns as f64 / 1e6
        );
        for row in document.rows.iter().filter(|row| row.gaps.count > 0) {
            said.on(row.row, text.clone());
        }
    }
    said.lines().collect()
}

/// A note with what can be done about it.
#[must_use]
pub fn advised(note: &str) -> String {
    // A SCSI disk of QEMU's offers FUA only where it is asked to.
    if note.contains("takes no FUA") && !note.contains("nvme@") {
        return format!(
            "{note} (QEMU's SCSI disks have FUA with --device-opt disk.dpofua=on, which its NVMe \
             disks refuse)"
        );
    }
    note.to_owned()
}

/// The text of a note without the name of the row's own disk, which its line has, so
/// that the same is said once of several disks.
fn of_any_disk(document: &Document, row: u32, text: &str) -> String {
    let of = document.rows.iter().find(|known| known.row == row);
    of.map_or(text.to_owned(), |row| text.replace(&row.disk, "the disk"))
}

/// `1-3, 5` of sorted row indices.
fn ranges(rows: &[u32]) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for number in rows.iter().map(|row| row_number(*row)) {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => ranges.push((number, number)),
        }
    }
    let shown = ranges.iter().map(|(first, last)| match last - first {
        0 => first.to_string(),
        1 => format!("{first}, {last}"),
        _ => format!("{first}-{last}"),
    });
    shown.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::super::sample::{document, row};
    use super::*;
    use proto::result::Late;

    #[test]
    fn the_same_is_said_once_with_its_rows() {
        let mut said = Remarks::default();
        for row in [0, 1, 2, 4, 4] {
            said.on(row, "late.");
        }
        said.on(6, "FAILED: gone");
        said.say("TCG.");
        said.say("TCG.");
        let lines: Vec<String> = said.lines().collect();
        assert_eq!(lines, ["Rows 1-3, 5: late.", "Row 7: FAILED: gone", "TCG."]);
        assert_eq!(ranges(&[0, 1, 3]), "1, 2, 4");
    }

    #[test]
    fn a_closed_loop_is_named_where_a_row_is_one() {
        let of = |rows: &[Row]| remarks(&document(rows.to_vec()), false).join("\n");
        let (mut rated, mut skipped) = (row(0), row(1));
        rated.late = Some(Late::default());
        skipped.status = RunStatus::Skipped;
        let said = of(&[rated.clone(), skipped.clone()]);
        assert!(!said.contains("closed loop"), "{said}");
        let said = of(&[rated, skipped, row(2)]);
        assert!(
            said.contains("\nLatencies are those of a closed loop: "),
            "{said}"
        );
    }

    #[test]
    fn gaps_are_said_once() {
        let gaps = |counts: [u64; 3]| {
            let with = |(number, count): (u32, u64)| {
                let mut row = row(number);
                row.gaps.count = count;
                row.gaps.longest_ns = count * 500_000;
                row
            };
            remarks(&document((0..).zip(counts).map(with).collect()), false).join("\n")
        };
        assert!(!gaps([0, 0, 0]).contains("did not run"));
        let said = gaps([3, 0, 1]);
        let line = "\nRows 1, 3: the guest did not run at times, for up to 1.5 ms: tails";
        assert!(said.contains(line), "{said}");
    }

    #[test]
    fn notes_of_the_guest_are_repeated_below_the_table() {
        let mut other = row(1);
        other.disk = "lsisas@00:04.0:0:0".into();
        let mut document = document(vec![row(0), other, row(2)]);
        let no_fua = "takes no FUA, so its writes are plain ones";
        document.set_notes(vec![
            format!("row 1: pvscsi@00:03.0:0:0 {no_fua}"),
            "job x: no disk fits".into(),
            format!("row 2: lsisas@00:04.0:0:0 {no_fua}"),
        ]);
        let said = format!("\n{}\n", remarks(&document, true).join("\n"));
        let line = format!("\nRows 1, 2: the disk {no_fua} (QEMU's SCSI disks have FUA with ");
        assert!(
            said.contains(&line) && said.contains("--device-opt disk.dpofua=on"),
            "{said}"
        );
        assert!(said.contains("\njob x: no disk fits\n"), "{said}");
        assert!(said.starts_with("\nA percentile is blank where fewer than 10 I/Os"));
        assert_eq!(
            advised("nvme@00:05.0:1 takes no FUA"),
            "nvme@00:05.0:1 takes no FUA"
        );
    }
}
