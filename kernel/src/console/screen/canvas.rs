//! A screen of either kind, as cells.

use super::{Framebuffer, VgaText};

/// One letter of printable ASCII, counted from the blank: a blank grid is all zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell(u8);

impl Cell {
    /// No letter.
    pub const BLANK: Self = Self(0);
    /// Stands for all that is no printable ASCII.
    const UNKNOWN: u8 = b'?';

    /// The cell of a letter.
    #[must_use]
    pub fn of(letter: char) -> Self {
        let ascii = u8::try_from(letter).ok();
        let printable = ascii.filter(|byte| (b' '..=b'~').contains(byte));
        Self(printable.unwrap_or(Self::UNKNOWN) - b' ')
    }

    /// Its letter.
    #[must_use]
    pub const fn letter(self) -> u8 {
        self.0 + b' '
    }
}

/// What shows cells.
#[derive(Debug)]
pub enum Canvas {
    /// Pixels.
    Framebuffer(Framebuffer),
    /// Letters.
    VgaText(VgaText),
}

impl Canvas {
    /// Columns and rows.
    #[must_use]
    pub const fn size(&self) -> (usize, usize) {
        match self {
            Self::Framebuffer(canvas) => canvas.size(),
            Self::VgaText(canvas) => canvas.size(),
        }
    }

    /// Makes all of it blank, whatever was shown before.
    pub fn clear(&mut self) {
        match self {
            Self::Framebuffer(canvas) => canvas.clear(),
            Self::VgaText(canvas) => canvas.clear(),
        }
    }

    /// Shows a cell.
    pub fn put(&mut self, column: usize, row: usize, cell: Cell) {
        match self {
            Self::Framebuffer(canvas) => canvas.put(column, row, cell),
            Self::VgaText(canvas) => canvas.put(column, row, cell),
        }
    }
}
