//! A table as text: columns that may be left out where there is no room for all.

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

/// Worth of a column that is never left out.
pub const KEPT: u8 = u8::MAX;

/// One column with its cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Header, unit included.
    pub name: String,
    /// Figures stand right, words left.
    pub right: bool,
    /// Where there is no room, the column of the least worth goes first.
    pub worth: u8,
    /// One for each line.
    pub cells: Vec<String>,
}

/// Columns of equal length.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sheet {
    /// In order.
    pub columns: Vec<Column>,
}

impl Column {
    fn width(&self) -> usize {
        let cells = self.cells.iter().map(|cell| cell.chars().count());
        cells.chain([self.name.chars().count()]).max().unwrap_or(0)
    }
}

impl Sheet {
    /// The table where it fits, without the columns of least worth if need be; the
    /// names of those. Where not even the others fit, every line is a list of all.
    #[must_use]
    pub fn fitted(&self, width: usize) -> (String, Vec<String>) {
        let mut shown = self.clone();
        let mut left_out = Vec::new();
        while shown.width() > width {
            let places = shown.columns.iter().enumerate();
            let worth = |&(_, column): &(usize, &Column)| column.worth;
            // Of two columns of one worth the last goes first.
            let Some((place, _)) = places
                .rev()
                .min_by_key(worth)
                .filter(|least| worth(least) < KEPT)
            else {
                return (self.listed(width), Vec::new());
            };
            left_out.push(shown.columns.remove(place).name);
        }
        (shown.grid(), left_out)
    }

    /// Columns of text that the whole table takes.
    #[must_use]
    pub fn width(&self) -> usize {
        let gaps = self.columns.len().saturating_sub(1);
        self.columns.iter().map(Column::width).sum::<usize>() + gaps
    }

    /// The whole table, whatever its width.
    #[must_use]
    pub fn grid(&self) -> String {
        let mut table = self.table(presets::NOTHING);
        for place in 0..self.columns.len() {
            if let Some(shown) = table.column_mut(place) {
                shown.set_padding((0, 1));
            }
        }
        let mut text = String::new();
        for line in table.lines() {
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }

    /// The whole table as Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        format!("{}\n", self.table(presets::ASCII_MARKDOWN))
    }

    fn table(&self, preset: &str) -> Table {
        let mut table = Table::new();
        table
            .load_preset(preset)
            .set_content_arrangement(ContentArrangement::Disabled)
            .set_header(self.columns.iter().map(|column| &column.name));
        for line in 0..self.lines() {
            table.add_row(self.columns.iter().map(|column| &column.cells[line]));
        }
        for (place, column) in self.columns.iter().enumerate() {
            if let Some(shown) = table.column_mut(place).filter(|_| column.right) {
                shown.set_cell_alignment(CellAlignment::Right);
            }
        }
        table
    }

    fn lines(&self) -> usize {
        self.columns.first().map_or(0, |column| column.cells.len())
    }

    /// `name value` pairs, as many on a text line as fit.
    fn listed(&self, width: usize) -> String {
        let mut text = String::new();
        for line in 0..self.lines() {
            let filled = self
                .columns
                .iter()
                .filter(|one| !one.cells[line].is_empty());
            let pairs = filled.map(|one| format!("{} {}", one.name, one.cells[line]));
            text.push_str(&flow(pairs, "  ", width));
            text.push('\n');
        }
        text
    }
}

/// One sheet of all parts where it fits, else as few sheets as do, of about as many
/// parts each.
pub fn in_parts<T>(parts: &[T], sheet: impl Fn(&[T]) -> Sheet, width: usize) -> Vec<Sheet> {
    for tables in 1..=parts.len() {
        let each = parts.len().div_ceil(tables);
        let sheets: Vec<Sheet> = parts.chunks(each).map(&sheet).collect();
        if each == 1 || sheets.iter().all(|sheet| sheet.width() <= width) {
            return sheets;
        }
    }
    Vec::new()
}

/// Parts one after another, on lines of at most `width`; a longer part stays whole.
/// Lines after the first are indented.
pub fn flow(parts: impl Iterator<Item = String>, gap: &str, width: usize) -> String {
    let mut text = String::new();
    let mut used = 0;
    for part in parts {
        let length = part.chars().count();
        if used > 0 && used + gap.len() + length > width {
            text.push_str("\n  ");
            used = 2;
        } else if used > 0 {
            text.push_str(gap);
            used += gap.len();
        }
        text.push_str(&part);
        used += length;
    }
    text
}

/// Breaks at spaces; a word longer than the width stays whole.
#[must_use]
pub fn wrap(text: &str, width: usize) -> String {
    flow(text.split(' ').map(str::to_owned), " ", width)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(name: &str, worth: u8, cells: [&str; 2]) -> Column {
        Column {
            name: name.into(),
            right: worth < KEPT,
            worth,
            cells: cells.map(String::from).to_vec(),
        }
    }

    fn sheet() -> Sheet {
        Sheet {
            columns: vec![
                column("name", KEPT, ["one", "three"]),
                column("much", 3, ["1", "22"]),
                column("less", 1, ["333", ""]),
                column("least", 1, ["4", "4"]),
            ],
        }
    }

    #[test]
    fn the_least_worth_goes_first() {
        let whole = "name  much less least\none      1  333     4\nthree   22          4\n";
        assert_eq!(sheet().fitted(21), (whole.to_owned(), vec![]));
        assert_eq!(sheet().width(), 21);
        let (text, left_out) = sheet().fitted(20);
        assert_eq!(text, "name  much less\none      1  333\nthree   22\n");
        assert_eq!(left_out, ["least"]);
        let (text, left_out) = sheet().fitted(10);
        assert_eq!(text, "name  much\none      1\nthree   22\n");
        assert_eq!(left_out, ["least", "less"]);
        assert_eq!(sheet().fitted(5).1, ["least", "less", "much"]);
    }

    #[test]
    fn a_list_has_everything() {
        let (text, left_out) = sheet().fitted(4);
        assert_eq!(left_out, Vec::<String>::new());
        let one = "name one\n  much 1\n  less 333\n  least 4\n";
        assert!(text.starts_with(one), "{text}");
        assert!(
            text.ends_with("name three\n  much 22\n  least 4\n"),
            "blank is nothing"
        );
    }

    #[test]
    fn markdown_has_all_columns() {
        let text = sheet().markdown();
        let first = text.lines().next().unwrap();
        assert_eq!(first.matches('|').count(), 5, "{text}");
    }

    #[test]
    fn what_is_too_wide_is_dealt_evenly() {
        let parts: Vec<Column> = (0..4)
            .map(|_| column("x", KEPT, ["123456789", ""]))
            .collect();
        let counts = |width| -> Vec<usize> {
            let sheet = |some: &[Column]| Sheet {
                columns: some.to_vec(),
            };
            let sheets = in_parts(&parts, sheet, width);
            sheets.iter().map(|sheet| sheet.columns.len()).collect()
        };
        assert_eq!(counts(39), [4]);
        assert_eq!(counts(38), [2, 2]);
        assert_eq!(counts(18), [1, 1, 1, 1]);
        assert_eq!(counts(2), [1, 1, 1, 1], "as narrow as can be");
    }

    #[test]
    fn wraps_at_spaces() {
        assert_eq!(wrap("aa bb cc", 5), "aa bb\n  cc");
        assert_eq!(wrap("aaaaaaaa bb", 5), "aaaaaaaa\n  bb");
        assert_eq!(wrap("aa bb", usize::MAX), "aa bb");
    }
}
