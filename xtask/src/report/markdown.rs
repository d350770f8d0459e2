//! The table as Markdown.

use super::cells::{columns, lines};
use crate::result::Row;
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

/// All columns in one table.
#[must_use]
pub fn markdown(runs: &[Row]) -> String {
    let columns = columns(runs, |_| true);
    let mut table = Table::new();
    table
        .load_preset(presets::ASCII_MARKDOWN)
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(columns.iter().map(|column| column.name));
    for line in lines(runs) {
        table.add_row(columns.iter().map(|column| (column.cell)(&line)));
    }
    for (index, column) in columns.iter().enumerate() {
        if let Some(shown) = table.column_mut(index).filter(|_| column.right) {
            shown.set_cell_alignment(CellAlignment::Right);
        }
    }
    format!("{table}\n")
}
