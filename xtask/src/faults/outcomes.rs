//! What the tests said, and the table of it.

use super::matrix::{CONTROLLERS, Cell, MATRIX};
use comfy_table::{Table, presets};
use std::collections::BTreeMap;

/// How each test ended, by `place::controller::fault`.
#[derive(Default)]
pub struct Outcomes {
    ended: BTreeMap<String, bool>,
    /// Tests that are no cell and failed.
    pub others_failed: Vec<String>,
}

impl Outcomes {
    /// Takes a line of the test program; the cell that it tells of, if it does.
    pub fn take(&mut self, line: &str) -> Option<(String, bool)> {
        let (name, end) = line.strip_prefix("test ")?.rsplit_once(" ... ")?;
        let well = match end.trim() {
            "ok" => true,
            "FAILED" => false,
            _ => return None,
        };
        let parts: Vec<&str> = name.split("::").collect();
        let [place, "cells", controller, fault] = parts[..] else {
            if !well {
                self.others_failed.push(name.to_owned());
            }
            return None;
        };
        let key = format!("{place}::{controller}::{fault}");
        self.ended.insert(key.clone(), well);
        Some((key, well))
    }

    fn of(&self, place: &str, controller: &str, fault: &str) -> &'static str {
        match self.ended.get(&format!("{place}::{controller}::{fault}")) {
            Some(true) => "ok",
            Some(false) => "FAILED",
            None => "NOT RUN",
        }
    }

    /// What a cell shows; `reasons` collects why some cannot be made.
    fn cell(&self, cell: Cell, at: (&str, &str), reasons: &mut Vec<&'static str>) -> String {
        let (controller, fault) = at;
        let model = self.of("model", controller, fault);
        match cell {
            Cell::Model => format!("model {model}"),
            Cell::Both => format!("model {model}, qemu {}", self.of("qemu", controller, fault)),
            Cell::No(reason) => {
                let known = reasons.iter().position(|one| *one == reason);
                let number = known.unwrap_or_else(|| {
                    reasons.push(reason);
                    reasons.len() - 1
                });
                format!("not made ({})", number + 1)
            }
        }
    }

    /// The table with its footnotes, and the cells that are not well.
    pub fn table(&self) -> (String, Vec<String>) {
        let mut table = Table::new();
        table.load_preset(presets::NOTHING);
        table.set_header([&["fault"][..], &CONTROLLERS].concat());
        let (mut reasons, mut bad) = (Vec::new(), Vec::new());
        for fault in &MATRIX {
            let mut row = vec![fault.name.to_owned()];
            for (controller, cell) in CONTROLLERS.iter().zip(fault.cells) {
                let shown = self.cell(cell, (controller, fault.name), &mut reasons);
                if shown.contains("FAILED") || shown.contains("NOT RUN") {
                    bad.push(format!("{} on {controller}: {shown}", fault.name));
                }
                row.push(shown);
            }
            table.add_row(row);
        }
        let mut text = format!("{table}\n\n");
        for fault in &MATRIX {
            text.push_str(&format!("{}: {}\n", fault.name, fault.what));
        }
        text.push('\n');
        for (number, reason) in reasons.iter().enumerate() {
            text.push_str(&format!("({}) {reason}\n", number + 1));
        }
        (text, bad)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<String> {
        let mut names = Vec::new();
        for fault in &MATRIX {
            for (controller, cell) in CONTROLLERS.iter().zip(fault.cells) {
                for place in ["model", "qemu"].iter().filter(|place| cell.is_made(place)) {
                    names.push(format!("test {place}::cells::{controller}::{}", fault.name));
                }
            }
        }
        names
    }

    #[test]
    fn a_matrix_that_ran_whole_is_well() {
        let mut outcomes = Outcomes::default();
        for name in all() {
            assert!(outcomes.take(&format!("{name} ... ok")).is_some());
        }
        let (text, bad) = outcomes.table();
        assert_eq!(bad, [""; 0]);
        assert!(text.contains("not made (1)") && text.contains("\n(1) NVMe has no TASK SET FULL"));
    }

    #[test]
    fn a_cell_that_fails_or_does_not_run_is_named() {
        let mut outcomes = Outcomes::default();
        for name in all().iter().skip(1) {
            let end = if name.ends_with("nvme::late") {
                "FAILED"
            } else {
                "ok"
            };
            let _ = outcomes.take(&format!("{name} ... {end}"));
        }
        let (_, bad) = outcomes.table();
        let [not_run, failed] = &bad[..] else {
            panic!("{bad:?}")
        };
        assert!(
            not_run.starts_with("eio on pvscsi: model NOT RUN"),
            "{not_run}"
        );
        assert_eq!(failed, "late on nvme: model FAILED");
    }

    #[test]
    fn other_lines_are_none_of_ours() {
        let mut outcomes = Outcomes::default();
        for line in [
            "running 3 tests",
            "test table::a ... ok",
            "test result: ok. 3",
            "test x",
        ] {
            assert_eq!(outcomes.take(line), None);
        }
        assert_eq!(outcomes.take("test table::a ... FAILED"), None);
        assert_eq!(outcomes.others_failed, ["table::a"]);
    }
}
