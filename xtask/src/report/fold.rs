//! From lines and columns to a sheet; what is the same in all lines is said once.

use super::cells::{Column, Folds};
use super::lines::Line;
use super::sheet::{self, Sheet};

/// A sheet, and what holds for all of its lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folded {
    /// Name and value of each column that was the same in all lines.
    pub same: Vec<(String, String)>,
    /// All other columns.
    pub sheet: Sheet,
}

/// Makes the cells, and takes the columns out that say the same in each line.
#[must_use]
pub fn fold(lines: &[Line<'_>], columns: Vec<Column<'_>>) -> Folded {
    let mut folded = Folded::default();
    for column in columns {
        let cells: Vec<String> = lines.iter().map(&column.cell).collect();
        let folds = match column.folds {
            Folds::Always => true,
            Folds::IfSeveral => lines.len() > 1,
            Folds::Never => false,
        };
        match same(lines, &cells).filter(|_| folds) {
            Some(value) => folded.same.push((column.name, value)),
            None => folded.sheet.columns.push(sheet::Column {
                name: column.name,
                right: column.right,
                worth: column.worth,
                cells,
            }),
        }
    }
    folded
}

/// The one value of all lines. What is of a whole point stands in its first line only.
fn same(lines: &[Line<'_>], cells: &[String]) -> Option<String> {
    let of_points = lines.iter().zip(cells).filter(|(line, _)| line.first);
    let first = of_points.map(|(_, cell)| cell).next()?;
    let is_same =
        |(line, cell): (&Line<'_>, &String)| cell == first || !line.first && cell.is_empty();
    let all = lines.iter().zip(cells).all(is_same);
    (all && !first.is_empty()).then(|| first.clone())
}

impl Folded {
    /// Leaves the columns away that another table's head has already.
    #[must_use]
    pub fn without(mut self, said: &[(String, String)]) -> Self {
        let names = |name: &String| said.iter().any(|(known, _)| known == name);
        self.sheet.columns.retain(|column| !names(&column.name));
        self.same.retain(|(name, _)| !names(name));
        self
    }

    /// What holds for all lines, for a person; `None` if nothing does.
    #[must_use]
    pub fn sentence(&self, rows: usize) -> Option<String> {
        let parts: Vec<String> = self
            .same
            .iter()
            .map(|(name, value)| format!("{name} {value}"))
            .collect();
        let rows = if rows > 1 { "All rows" } else { "The row" };
        (!parts.is_empty()).then(|| format!("{rows}: {}", parts.join(", ")))
    }
}
