//! A result as a person or a program wants it.

mod cells;
mod csv;
mod figures;
mod layout;
mod markdown;
mod remarks;
#[cfg(test)]
pub(crate) mod tests;

pub use cells::{COLUMNS, Column, Group, Line, columns, lines};
pub use csv::csv;
pub use figures::{blank, count, decimals, micros, size};
pub use layout::table;
pub use markdown::markdown;
pub use remarks::remarks;

use crate::result::Document;
use clap::ValueEnum;

/// What `--format` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Tables for a person.
    Table,
    /// result.json.
    Json,
    /// One line per row and direction, raw figures.
    Csv,
    /// A Markdown table.
    Md,
}

/// The result in one format; `width` is that of the terminal in columns.
#[must_use]
pub fn render(document: &Document, format: Format, width: usize) -> String {
    match format {
        Format::Table => format!(
            "{}{}",
            table(&document.rows, width),
            remarks(document, width)
        ),
        Format::Json => document.to_json(),
        Format::Csv => csv(&document.rows),
        Format::Md => format!(
            "{}\n{}",
            markdown(&document.rows),
            remarks(document, usize::MAX)
        ),
    }
}
