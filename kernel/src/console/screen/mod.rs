//! The screen: what a person sees who has no serial line.
//!
//! Text goes into a grid in memory from the start, and from there to whatever
//! screen is found: the loader's framebuffer, or the text of a VGA adapter. Without
//! a screen it stays in the grid. Nothing here allocates, and only cells that
//! changed are drawn.

mod canvas;
mod framebuffer;
mod grid;
mod vga_text;
mod words;

pub use canvas::{Canvas, Cell};
pub use framebuffer::Framebuffer;
pub use grid::Grid;
pub use vga_text::VgaText;
#[cfg(test)]
pub use words::sample_row;
pub use words::{row_text, text_of};

use crate::hal::ScreenMemory;
use crate::pci::Function;
use bootloader_api::info::FrameBuffer;
use core::fmt::{self, Write};
use spin::Mutex;

static GRID: Mutex<Grid> = Mutex::new(Grid::new());
/// What shows it. Locked after the grid.
static CANVAS: Mutex<Option<Canvas>> = Mutex::new(None);

/// Shows everything on the framebuffer of the loader from now on, if it is of a kind
/// that is known.
pub fn attach_framebuffer(framebuffer: FrameBuffer) {
    let info = framebuffer.info();
    let memory = ScreenMemory::of_framebuffer(framebuffer);
    if let Some(canvas) = memory.and_then(|memory| Framebuffer::new(memory, info)) {
        attach(Canvas::Framebuffer(canvas));
    }
}

/// Shows everything as VGA text from now on, if `adapter` has that. To be called
/// only where firmware has left it in text mode.
pub fn attach_vga_text(adapter: &Function) {
    if let Some(memory) = ScreenMemory::of_vga_text(adapter) {
        attach(Canvas::VgaText(VgaText::new(memory).without_cursor()));
    }
}

/// Shows on `canvas` what was written so far and from now on.
fn attach(mut canvas: Canvas) {
    let mut grid = GRID.lock();
    let (columns, rows) = canvas.size();
    grid.resize(columns, rows);
    canvas.clear();
    *CANVAS.lock() = Some(canvas);
    draw(&mut grid);
}

/// Whether there is a screen.
#[must_use]
pub fn is_attached() -> bool {
    CANVAS.lock().is_some()
}

/// Writes text. A carriage return takes back what the last row holds.
pub fn print(text: fmt::Arguments<'_>) {
    print_to(&mut GRID.lock(), text);
}

/// Writes text even in a panic or fault. If something was just being drawn, its
/// owner will never go on, and the text is left out.
pub fn print_if_free(text: fmt::Arguments<'_>) {
    if CANVAS.is_locked() {
        return;
    }
    if let Some(mut grid) = GRID.try_lock() {
        print_to(&mut grid, text);
    }
}

fn print_to(grid: &mut Grid, text: fmt::Arguments<'_>) {
    // A grid takes everything.
    let _ = grid.write_fmt(text);
    draw(grid);
}

fn draw(grid: &mut Grid) {
    if let Some(canvas) = CANVAS.lock().as_mut() {
        grid.draw(|column, row, cell| canvas.put(column, row, cell));
    }
}
