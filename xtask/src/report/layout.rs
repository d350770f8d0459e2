//! Tables that fit: one where there is room, three stacked at 80 columns, a list
//! of figures per row where not even that fits.

use super::cells::{Column, Group, Line, columns, lines};
use crate::result::Row;
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

/// The tables for a terminal of this many columns.
#[must_use]
pub fn table(runs: &[Row], width: usize) -> String {
    let lines = lines(runs);
    let whole = grid(&lines, &columns(runs, |_| true));
    if fits(&whole, width) {
        return whole;
    }
    let parts = [Group::Rate, Group::Latency, Group::Cpu];
    let part = |part| {
        let shown = |group| group == part || !parts.contains(&group);
        grid(&lines, &columns(runs, shown))
    };
    let tables = parts.map(part);
    if tables.iter().all(|table| fits(table, width)) {
        return tables.join("\n");
    }
    let all = columns(runs, |_| true);
    lines.iter().map(|line| list(line, &all, width)).collect()
}

fn fits(text: &str, width: usize) -> bool {
    text.lines().all(|line| line.chars().count() <= width)
}

fn grid(lines: &[Line<'_>], columns: &[&Column]) -> String {
    let mut table = Table::new();
    table
        .load_preset(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(columns.iter().map(|column| column.name));
    for line in lines {
        table.add_row(columns.iter().map(|column| (column.cell)(line)));
    }
    for (index, column) in columns.iter().enumerate() {
        if let Some(shown) = table.column_mut(index) {
            shown.set_padding((0, 1));
            if column.right {
                shown.set_cell_alignment(CellAlignment::Right);
            }
        }
    }
    let mut text = String::new();
    for line in table.lines() {
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// `name value` pairs, as many on a text line as fit.
fn list(line: &Line<'_>, columns: &[&Column], width: usize) -> String {
    let mut text = String::new();
    let mut used = 0;
    for column in columns {
        let cell = (column.cell)(line);
        if cell.is_empty() {
            continue;
        }
        let pair = format!("{} {cell}", column.name);
        let length = pair.chars().count();
        if used > 0 && used + 2 + length > width {
            text.push_str("\n  ");
            used = 2;
        } else if used > 0 {
            text.push_str("  ");
            used += 2;
        }
        text.push_str(&pair);
        used += length;
    }
    text.push('\n');
    text
}
