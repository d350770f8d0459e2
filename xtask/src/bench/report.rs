//! What the benchmark prints.

use super::figure::Figure;
use comfy_table::{CellAlignment, Table, presets::ASCII_MARKDOWN};
use serde::Serialize;

/// Name and major version of the JSON form.
pub const SCHEMA: &str = "ioprobe-bench/1";

/// All figures of one call, and where they were taken.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// QEMU's version.
    pub qemu_version: String,
    /// `tcg` or `kvm`.
    pub accel: String,
    /// The controller's kind.
    pub controller: String,
    /// Pairs of interleaved runs.
    pub pairs: u32,
    /// Host processors that could be used.
    pub host_cpus: usize,
    /// Other work on the host at the start: the one-minute load average, where
    /// the host tells it.
    pub host_load: Option<f64>,
    /// The figures.
    pub figures: Vec<Figure>,
}

impl Report {
    /// As JSON, for programs.
    ///
    /// # Errors
    /// As `serde_json`.
    pub fn to_json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self)
    }

    /// As a table with its preconditions, for people.
    #[must_use]
    pub fn to_table(&self) -> String {
        let mut table = Table::new();
        table.load_preset(ASCII_MARKDOWN).set_header([
            "figure", "median", "min", "max", "unit", "floor", "aim", "verdict", "note",
        ]);
        for figure in &self.figures {
            let bound = |pick: fn(super::figure::Target) -> f64| {
                figure
                    .target
                    .map_or_else(String::new, |target| number(pick(target)))
            };
            table.add_row([
                figure.name.clone(),
                number(figure.value.median),
                number(figure.value.min),
                number(figure.value.max),
                figure.unit.to_owned(),
                bound(|target| target.floor),
                bound(|target| target.aim),
                figure.verdict.to_owned(),
                figure.note.clone(),
            ]);
        }
        for column in [1, 2, 3, 5, 6] {
            if let Some(column) = table.column_mut(column) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        let load = self
            .host_load
            .map_or_else(|| "unknown".to_owned(), |load| format!("{load:.2}"));
        format!(
            "{table}\n\n{} on QEMU {}, accelerator {}; {} interleaved pairs; {} host processors, load {load} at the start.\n\
             Verdicts judge medians. Figures of another call or machine do not compare with these.",
            self.controller, self.qemu_version, self.accel, self.pairs, self.host_cpus,
        )
    }
}

/// A number with as many digits as it is worth reading.
fn number(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let digits = (2 - value.abs().log10().floor() as i32).clamp(0, 4);
    format!("{value:.*}", digits as usize)
}

#[cfg(test)]
mod tests {
    use super::super::figure::Target;
    use super::super::spread::Spread;
    use super::*;

    #[test]
    fn numbers_have_three_digits_or_all_whole_ones() {
        for (value, text) in [
            (0.0, "0"),
            (0.96567, "0.966"),
            (1.0, "1.00"),
            (14.26, "14.3"),
            (154_321.7, "154322"),
            (0.000_012_3, "0.0000"),
        ] {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn the_table_shows_value_bounds_and_verdict() {
        let report = Report {
            schema: SCHEMA,
            qemu_version: "7.2.22".into(),
            accel: "tcg".into(),
            controller: "pvscsi".into(),
            pairs: 6,
            host_cpus: 2,
            host_load: Some(0.25),
            figures: vec![
                Figure::plain("probe / ceiling", "", Spread::single(0.91))
                    .against(Target::at_least(0.85, 0.97))
                    .noting("by pairs"),
            ],
        };
        let text = report.to_table();
        let row = text.lines().nth(2).unwrap();
        let cells: Vec<_> = row.trim_matches('|').split('|').map(str::trim).collect();
        assert_eq!(
            cells,
            [
                "probe / ceiling",
                "0.910",
                "0.910",
                "0.910",
                "",
                "0.850",
                "0.970",
                "reaches the floor",
                "by pairs"
            ]
        );
        assert!(text.contains("pvscsi on QEMU 7.2.22, accelerator tcg; 6 interleaved pairs"));
        let json: serde_json::Value = serde_json::from_str(&report.to_json().unwrap()).unwrap();
        assert_eq!(json["figures"][0]["target"]["aim"], 0.97);
        assert_eq!(json["figures"][0]["value"]["median"], 0.91);
    }
}
