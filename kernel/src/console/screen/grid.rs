//! Text in lines and columns, without a device.

use super::Cell;
use core::fmt;

/// Largest grid: a screen with more cells keeps its edge empty.
pub const MAX_COLUMNS: usize = 160;
/// Largest grid.
pub const MAX_ROWS: usize = 64;
/// Size until a screen says otherwise: that of VGA text.
const FIRST_COLUMNS: usize = 80;
const FIRST_ROWS: usize = 25;

/// Cells with a place to write at. Long lines go on in the next row; below the last
/// row everything moves up. A carriage return takes the row back.
#[derive(Debug)]
pub struct Grid {
    cells: [[Cell; MAX_COLUMNS]; MAX_ROWS],
    /// What the screen shows, as far as is known.
    shown: [[Cell; MAX_COLUMNS]; MAX_ROWS],
    /// 0 until a screen says it; a grid that starts as zeros takes no room in the
    /// image.
    columns: usize,
    rows: usize,
    column: usize,
    row: usize,
}

impl Grid {
    /// An empty grid of 80 x 25.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            cells: [[Cell::BLANK; MAX_COLUMNS]; MAX_ROWS],
            shown: [[Cell::BLANK; MAX_COLUMNS]; MAX_ROWS],
            columns: 0,
            rows: 0,
            column: 0,
            row: 0,
        }
    }

    const fn columns(&self) -> usize {
        if self.columns == 0 {
            FIRST_COLUMNS
        } else {
            self.columns
        }
    }

    const fn rows(&self) -> usize {
        if self.rows == 0 {
            FIRST_ROWS
        } else {
            self.rows
        }
    }

    /// Takes the size of a screen that is blank. What was written stays, as far as
    /// it fits: the newest rows, and the start of each.
    pub fn resize(&mut self, columns: usize, rows: usize) {
        self.columns = columns.clamp(1, MAX_COLUMNS);
        self.rows = rows.clamp(1, MAX_ROWS);
        self.shown = [[Cell::BLANK; MAX_COLUMNS]; MAX_ROWS];
        while self.row >= self.rows {
            self.scroll();
        }
        self.column = self.column.min(self.columns);
    }

    /// Moves all rows up by one; the last one becomes blank.
    fn scroll(&mut self) {
        self.cells.copy_within(1.., 0);
        self.cells[MAX_ROWS - 1] = [Cell::BLANK; MAX_COLUMNS];
        self.row -= 1;
    }

    fn line_feed(&mut self) {
        self.column = 0;
        self.row += 1;
        if self.row == self.rows() {
            self.scroll();
        }
    }

    fn push(&mut self, letter: char) {
        match letter {
            '\n' => self.line_feed(),
            '\r' => {
                self.column = 0;
                self.cells[self.row] = [Cell::BLANK; MAX_COLUMNS];
            }
            letter => {
                if self.column == self.columns() {
                    self.line_feed();
                }
                self.cells[self.row][self.column] = Cell::of(letter);
                self.column += 1;
            }
        }
    }

    /// Gives every cell that is not shown yet to `put`: column, row, cell.
    pub fn draw(&mut self, mut put: impl FnMut(usize, usize, Cell)) {
        for row in 0..self.rows() {
            for column in 0..self.columns() {
                let cell = self.cells[row][column];
                if self.shown[row][column] != cell {
                    self.shown[row][column] = cell;
                    put(column, row, cell);
                }
            }
        }
    }
}

impl Default for Grid {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Write for Grid {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.chars().for_each(|letter| self.push(letter));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::fmt::Write;
    use std::string::String;
    use std::vec::Vec;

    /// A screen of the grid's size, and how many cells it was given.
    struct Shown {
        rows: Vec<Vec<u8>>,
        drawn: usize,
    }

    impl Shown {
        fn new(columns: usize, rows: usize) -> Self {
            Self {
                rows: std::vec![std::vec![b' '; columns]; rows],
                drawn: 0,
            }
        }

        fn take(&mut self, grid: &mut Grid) {
            grid.draw(|column, row, cell| {
                self.rows[row][column] = cell.letter();
                self.drawn += 1;
            });
        }

        fn text(&self) -> Vec<String> {
            let rows = self.rows.iter();
            rows.map(|row| String::from_utf8_lossy(row).trim_end().into())
                .collect()
        }
    }

    #[test]
    fn it_wraps_and_scrolls() {
        let (mut grid, mut shown) = (Grid::new(), Shown::new(4, 3));
        grid.resize(4, 3);
        grid.write_str("abcdef\n12\n").unwrap();
        shown.take(&mut grid);
        assert_eq!(shown.text(), ["ef", "12", ""]);
        grid.write_str("gone\rwxyz\n!").unwrap();
        shown.take(&mut grid);
        assert_eq!(shown.text(), ["12", "wxyz", "!"]);
    }

    #[test]
    fn a_full_row_is_followed_by_the_next_without_an_empty_one() {
        let (mut grid, mut shown) = (Grid::new(), Shown::new(4, 3));
        grid.resize(4, 3);
        grid.write_str("1234\n5").unwrap();
        shown.take(&mut grid);
        assert_eq!(shown.text(), ["1234", "5", ""]);
    }

    #[test]
    fn only_what_changed_is_drawn() {
        let (mut grid, mut shown) = (Grid::new(), Shown::new(80, 25));
        grid.write_str("same\nsame\n").unwrap();
        shown.take(&mut grid);
        assert_eq!(shown.drawn, 8);
        shown.take(&mut grid);
        assert_eq!(shown.drawn, 8);
        grid.write_str("x").unwrap();
        shown.take(&mut grid);
        assert_eq!(shown.drawn, 9);
    }

    #[test]
    fn what_was_written_before_a_screen_was_found_is_kept() {
        let (mut grid, mut shown) = (Grid::new(), Shown::new(160, 4));
        for line in 0..30 {
            writeln!(grid, "line {line}").unwrap();
        }
        grid.resize(999, 4);
        grid.write_str("last").unwrap();
        shown.take(&mut grid);
        assert_eq!(shown.text(), ["line 27", "line 28", "line 29", "last"]);
    }

    #[test]
    fn letters_that_a_screen_lacks_have_a_stand_in() {
        let (mut grid, mut shown) = (Grid::new(), Shown::new(80, 25));
        grid.write_str("a\u{1b}µ\u{7f}").unwrap();
        shown.take(&mut grid);
        assert_eq!(shown.text()[0], "a???");
    }
}
