//! VGA text mode 3, as a BIOS leaves it: 80 x 25 cells.

use super::Cell;
use crate::hal::ScreenMemory;
use crate::hal::port::{VGA_CRTC_DATA, VGA_CRTC_INDEX};

const COLUMNS: usize = 80;
const ROWS: usize = 25;
/// Light grey on black.
const ATTRIBUTE: u8 = 0x07;
/// CRT controller: Cursor Start register, and its bit that hides the cursor.
const CURSOR_START: u8 = 0x0a;
const CURSOR_OFF: u8 = 1 << 5;

/// Text memory.
#[derive(Debug)]
pub struct VgaText {
    memory: ScreenMemory,
}

impl VgaText {
    /// Text in `memory`.
    #[must_use]
    pub const fn new(memory: ScreenMemory) -> Self {
        Self { memory }
    }

    /// Hides the cursor, which would blink where the firmware left it.
    #[must_use]
    pub fn without_cursor(self) -> Self {
        VGA_CRTC_INDEX.write(CURSOR_START);
        VGA_CRTC_DATA.write(CURSOR_OFF);
        self
    }

    /// Columns and rows.
    #[must_use]
    pub const fn size(&self) -> (usize, usize) {
        (COLUMNS, ROWS)
    }

    /// Makes all cells blank.
    pub fn clear(&mut self) {
        for row in 0..ROWS {
            for column in 0..COLUMNS {
                self.put(column, row, Cell::BLANK);
            }
        }
    }

    /// Shows a cell.
    pub fn put(&mut self, column: usize, row: usize, cell: Cell) {
        let offset = (row * COLUMNS + column) * 2;
        self.memory.store(offset, &[cell.letter(), ATTRIBUTE]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_a_letter_and_its_attribute() {
        let mut memory = std::vec![0xaa; COLUMNS * ROWS * 2];
        let mut text = VgaText::new(ScreenMemory::over(&mut memory));
        text.clear();
        text.put(79, 24, Cell::of('z'));
        text.put(1, 0, Cell::of('a'));
        assert_eq!(&memory[..6], [b' ', 7, b'a', 7, b' ', 7]);
        assert_eq!(&memory[3996..], [b' ', 7, b'z', 7]);
    }
}
