//! The table as Markdown.

use super::cells::{COLUMNS, lines};
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use proto::result::Run;

/// All columns in one table.
#[must_use]
pub fn markdown(runs: &[Run]) -> String {
    let mut table = Table::new();
    table
        .load_preset(presets::ASCII_MARKDOWN)
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(COLUMNS.iter().map(|column| column.name));
    for line in lines(runs) {
        table.add_row(COLUMNS.iter().map(|column| (column.cell)(&line)));
    }
    for (index, column) in COLUMNS.iter().enumerate() {
        if let Some(shown) = table.column_mut(index).filter(|_| column.right) {
            shown.set_cell_alignment(CellAlignment::Right);
        }
    }
    format!("{table}\n")
}
