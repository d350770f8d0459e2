//! What a run came to, in few words, for those who see nothing else of it.

use super::screen::row_text;
use alloc::format;
use alloc::string::String;
use proto::record::Record;

/// Rows beyond this length are counted and not shown.
const MAX_BYTES: usize = 8 << 10;

/// A line for each row, then the account.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    rows: String,
    left_out: u32,
    end: String,
}

impl Summary {
    /// Takes what it needs of a record.
    pub fn take(&mut self, record: &Record) {
        match record {
            Record::Row(run) => {
                let text = row_text(run);
                if self.rows.len() + text.len() > MAX_BYTES {
                    self.left_out += 1;
                } else {
                    self.rows.push_str(&text);
                }
            }
            Record::Fatal(note) => self.end = bounded(&note.text),
            Record::End(end) => {
                self.end = format!(
                    "{} rows ok, {} failed, {} skipped",
                    end.ok, end.failed, end.skipped
                );
            }
            _ => {}
        }
    }

    /// All of it, at most twice [`MAX_BYTES`] and a line long.
    #[must_use]
    pub fn text(&self) -> String {
        let more = match self.left_out {
            0 => String::new(),
            rows => format!("(and {rows} more rows)\n"),
        };
        format!("{}{more}{}", self.rows, self.end)
    }
}

/// The start of a text.
fn bounded(text: &str) -> String {
    let end = (0..=text.len().min(MAX_BYTES))
        .rev()
        .find(|&end| text.is_char_boundary(end));
    text[..end.unwrap_or(0)].into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::screen::sample_row;
    use alloc::boxed::Box;
    use alloc::string::ToString;
    use proto::record::{End, Note};

    #[test]
    fn rows_and_then_the_account() {
        let run = sample_row();
        let line = row_text(&run);
        let mut summary = Summary::default();
        summary.take(&Record::Row(Box::new(run)));
        summary.take(&Record::End(End {
            records: 5,
            ok: 1,
            failed: 0,
            skipped: 0,
        }));
        let text = summary.text();
        assert_eq!(text, format!("{line}1 rows ok, 0 failed, 0 skipped"));
    }

    #[test]
    fn it_does_not_grow_without_end() {
        let run = sample_row();
        let rows_that_fit = MAX_BYTES / row_text(&run).len();
        let mut summary = Summary::default();
        for _ in 0..rows_that_fit + 3 {
            summary.take(&Record::Row(Box::new(run.clone())));
        }
        let text = "日".repeat(MAX_BYTES);
        summary.take(&Record::Fatal(Note { text }));
        let text = summary.text();
        assert!(text.contains("(and 3 more rows)\n"));
        assert!(text.len() <= 2 * MAX_BYTES + 40);
        assert!(text.ends_with('日'));
    }

    #[test]
    fn a_run_that_could_not_begin_says_why() {
        let mut summary = Summary::default();
        let text = "guestinfo:1: no".to_string();
        summary.take(&Record::Fatal(Note { text }));
        assert_eq!(summary.text(), "guestinfo:1: no");
    }
}
