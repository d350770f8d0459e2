//! Progress on stderr: a bar on a terminal, plain lines elsewhere.

use crate::console::Console;
use crate::report::advised;
use crate::serial::{Phase, Transcript};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use proto::record::row_number;
use proto::result::{Run, RunStatus};
use std::time::Instant;

/// Shows where a guest is.
pub struct Progress<'c, 'a> {
    console: &'c mut Console<'a>,
    bar: Option<ProgressBar>,
    /// Rows that ended well are said too.
    rows_said: bool,
    rows_begun: Option<u32>,
    rows_done: usize,
    notes_said: usize,
    /// Planned ns of the rows that are done.
    done_ns: u64,
    row_since: Instant,
}

impl<'c, 'a> Progress<'c, 'a> {
    /// Starts. Without `rows_said` only rows that did not end well are said.
    pub fn new(console: &'c mut Console<'a>, rows_said: bool) -> Self {
        let bar = console.bar().then(|| {
            // Without colours: the bar says what it says on any terminal.
            let style = ProgressStyle::with_template("{wide_bar} {percent:>3}% {msg} ETA {eta}")
                .unwrap_or_else(|_| ProgressStyle::default_bar());
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(5));
            bar.set_style(style);
            bar
        });
        Self {
            console,
            bar,
            rows_said,
            rows_begun: None,
            rows_done: 0,
            notes_said: 0,
            done_ns: 0,
            row_since: Instant::now(),
        }
    }

    /// Shows what is new.
    pub fn update(&mut self, said: &Transcript) {
        for note in &said.notes[self.notes_said..] {
            self.say(&format!("note: {}", advised(note)));
        }
        self.notes_said = said.notes.len();
        while let Some(row) = said.rows.get(self.rows_done) {
            self.row_done(&row.run, said);
        }
        if let Phase::Row(row) = &said.phase
            && self.rows_begun != Some(row.row)
        {
            self.rows_begun = Some(row.row);
            self.row_since = Instant::now();
        }
        self.draw(said);
    }

    /// Takes the bar away.
    pub fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }

    fn row_done(&mut self, run: &Run, said: &Transcript) {
        self.rows_done += 1;
        let planned = run.params.ramp_ns + run.params.runtime_ns.unwrap_or(0);
        self.done_ns += planned;
        if !self.rows_said && run.status == RunStatus::Ok {
            return;
        }
        let rows = said.plan.as_ref().map_or(0, |plan| plan.rows);
        let what = match run.status {
            RunStatus::Ok => {
                let trims = run.trim.as_ref().map_or(0.0, |trim| trim.iops);
                let iops = run.read.iops + run.write.iops + trims;
                let places = if iops < 9.995 { 2 } else { 0 };
                format!("{iops:.places$} IOPS")
            }
            RunStatus::Failed => format!("FAILED: {}", run.reason.as_deref().unwrap_or("?")),
            RunStatus::Skipped => format!("skipped: {}", run.reason.as_deref().unwrap_or("?")),
        };
        let number = row_number(run.row);
        self.say(&format!(
            "row {number}/{rows} {} on {}: {what}",
            run.job, run.disk
        ));
    }

    fn draw(&mut self, said: &Transcript) {
        let Some(bar) = &self.bar else {
            return;
        };
        let planned_ns = said.plan.as_ref().and_then(|plan| plan.planned_ns);
        let (length, position) = match (planned_ns, &said.plan) {
            (Some(total), _) => {
                let current = match &said.phase {
                    Phase::Row(row) | Phase::Trace(row, _) => {
                        elapsed_ns(self.row_since).min(row.planned_ns.unwrap_or(0))
                    }
                    _ => 0,
                };
                (total, self.done_ns + current)
            }
            (None, Some(plan)) => (u64::from(plan.rows), self.rows_done as u64),
            (None, None) => (1, 0),
        };
        bar.set_length(length.max(1));
        bar.set_position(position.min(length));
        bar.set_message(said.phase.to_string());
    }

    fn say(&mut self, line: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| self.console.say(line)),
            None => self.console.say(line),
        }
    }
}

fn elapsed_ns(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_counted_from_one_and_an_inventory_is_no_measurement() {
        let mut said = Transcript::default();
        said.feed(include_bytes!("../../../tests/golden/good.log"));
        let lines = |rows_said| {
            let (mut out, mut err) = (Vec::new(), Vec::new());
            let mut console = Console::plain(&mut out, &mut err, 80);
            let mut progress = Progress::new(&mut console, rows_said);
            progress.update(&said);
            progress.finish();
            assert!(out.is_empty(), "progress is no result");
            String::from_utf8(err).unwrap()
        };
        let text = lines(true);
        let rows: Vec<&str> = text
            .lines()
            .filter(|line| line.starts_with("row "))
            .collect();
        assert_eq!(rows.len(), 2, "{text}");
        assert!(
            rows[0].starts_with("row 1/2 ") && rows[1].starts_with("row 2/2 "),
            "{text}"
        );
        assert!(!lines(false).contains("row "));
    }
}
