//! A result as a person or a program wants it.
//!
//! Rows become [`points`] (repeats taken together), these [`lines`] (one for each
//! direction), and lines with columns ([`cells`]) a [`sheet`], which knows what it leaves
//! out where there is no room.

mod cells;
mod csv;
mod figures;
mod fold;
mod head;
mod inventory;
mod lines;
mod merged;
mod names;
mod of_row;
mod percentiles;
mod points;
mod remarks;
#[cfg(test)]
pub(crate) mod sample;
mod sheet;
mod side_by_side;
mod stages;
mod table;
#[cfg(test)]
mod tests;
mod trace;

pub use csv::csv;
pub use figures::{blank, count, decimals, micros, size};
pub use inventory::Inventory;
pub use names::kinds;
pub use remarks::{advised, remarks};
pub use table::{markdown, table};
pub use trace::write_trace;

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
    /// Markdown tables.
    Md,
}

/// The result in one format; `width` is that of the terminal in columns.
#[must_use]
pub fn render(document: &Document, format: Format, width: usize) -> String {
    match format {
        Format::Table => table(document, width),
        Format::Json => document.to_json(),
        Format::Csv => csv(document),
        Format::Md => markdown(document),
    }
}
