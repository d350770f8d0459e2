//! Letters made of pixels.

use super::Cell;
use crate::hal::ScreenMemory;
use bootloader_api::info::{FrameBufferInfo, PixelFormat};
use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};

const WEIGHT: FontWeight = FontWeight::Regular;
const HEIGHT: RasterHeight = RasterHeight::Size16;
/// Size of a cell in pixels.
const CELL_WIDTH: usize = get_raster_width(WEIGHT, HEIGHT);
const CELL_HEIGHT: usize = HEIGHT.val();
/// Widest pixel that is known, in bytes.
const MAX_PIXEL_BYTES: usize = 4;

/// A framebuffer in a mode that stays.
#[derive(Debug)]
pub struct Framebuffer {
    memory: ScreenMemory,
    info: FrameBufferInfo,
}

impl Framebuffer {
    /// Letters in `memory`, whose pixels are as `info` says. `None` where not even
    /// one fits, or a pixel has no size that is known.
    #[must_use]
    pub fn new(memory: ScreenMemory, info: FrameBufferInfo) -> Option<Self> {
        let known = (1..=MAX_PIXEL_BYTES).contains(&info.bytes_per_pixel);
        let fits = info.width >= CELL_WIDTH && info.height >= CELL_HEIGHT;
        (known && fits).then_some(Self { memory, info })
    }

    /// Columns and rows.
    #[must_use]
    pub const fn size(&self) -> (usize, usize) {
        (self.info.width / CELL_WIDTH, self.info.height / CELL_HEIGHT)
    }

    /// Makes all pixels black.
    pub fn clear(&mut self) {
        for y in 0..self.info.height {
            for x in 0..self.info.width {
                self.pixel(x, y, 0);
            }
        }
    }

    /// Shows a cell.
    #[inline(never)]
    pub fn put(&mut self, column: usize, row: usize, cell: Cell) {
        let Some(letter) = get_raster(char::from(cell.letter()), WEIGHT, HEIGHT) else {
            return;
        };
        let (left, top) = (column * CELL_WIDTH, row * CELL_HEIGHT);
        for (y, line) in (top..).zip(letter.rows()) {
            for (x, &intensity) in (left..).zip(line) {
                self.pixel(x, y, intensity);
            }
        }
    }

    /// A grey pixel: 0 is black, 255 white. Drawing is rare; copies of this in its
    /// callers would only make the image longer.
    #[inline(never)]
    fn pixel(&self, x: usize, y: usize, intensity: u8) {
        let info = &self.info;
        let offset = (y * info.stride + x) * info.bytes_per_pixel;
        let value = pixel_value(info.pixel_format, intensity).to_le_bytes();
        self.memory.store(offset, &value[..info.bytes_per_pixel]);
    }
}

/// A grey in a format, least significant byte first in memory. All colours have 8
/// bits, by the contract's definition of its formats.
fn pixel_value(format: PixelFormat, intensity: u8) -> u32 {
    let grey = u32::from(intensity);
    match format {
        PixelFormat::Unknown {
            red_position,
            green_position,
            blue_position,
        } => [red_position, green_position, blue_position]
            .into_iter()
            .fold(0, |value, position| {
                value | grey.checked_shl(position.into()).unwrap_or(0)
            }),
        PixelFormat::U8 => grey,
        // Of a grey, the order of the colours does not matter.
        _ => grey << 16 | grey << 8 | grey,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    const FORMATS: [(PixelFormat, usize); 6] = [
        (PixelFormat::Rgb, 4),
        (PixelFormat::Bgr, 4),
        (PixelFormat::Rgb, 3),
        (PixelFormat::Bgr, 3),
        (PixelFormat::U8, 1),
        (
            PixelFormat::Unknown {
                red_position: 8,
                green_position: 16,
                blue_position: 24,
            },
            4,
        ),
    ];

    /// Two rows of three letters, and some pixels beside and between.
    fn info(pixel_format: PixelFormat, bytes_per_pixel: usize) -> FrameBufferInfo {
        let (width, height) = (CELL_WIDTH * 3 + 2, CELL_HEIGHT * 2 + 5);
        let stride = width + 3;
        FrameBufferInfo {
            byte_len: stride * height * bytes_per_pixel,
            width,
            height,
            pixel_format,
            bytes_per_pixel,
            stride,
        }
    }

    #[test]
    fn a_letter_stands_in_its_cell_in_every_format_and_nowhere_else() {
        let letter = get_raster('W', WEIGHT, HEIGHT).unwrap();
        for (format, bytes) in FORMATS {
            let info = info(format, bytes);
            let mut memory = std::vec![0x55; info.byte_len];
            let mut screen = Framebuffer::new(ScreenMemory::over(&mut memory), info).unwrap();
            assert_eq!(screen.size(), (3, 2));
            screen.clear();
            screen.put(1, 1, Cell::of('W'));
            for (index, pixel) in memory.chunks(bytes).enumerate() {
                let (x, y) = (index % info.stride, index / info.stride);
                if x >= info.width {
                    assert!(pixel.iter().all(|&byte| byte == 0x55), "beyond the edge");
                    continue;
                }
                let inside = (CELL_WIDTH..2 * CELL_WIDTH).contains(&x)
                    && (CELL_HEIGHT..2 * CELL_HEIGHT).contains(&y);
                let grey = if inside {
                    letter.pixel(x - CELL_WIDTH, y - CELL_HEIGHT).unwrap()
                } else {
                    0
                };
                let expected: Vec<u8> = match (format, bytes) {
                    (PixelFormat::Unknown { .. }, _) => std::vec![0, grey, grey, grey],
                    (_, 4) => std::vec![grey, grey, grey, 0],
                    (_, bytes) => std::vec![grey; bytes],
                };
                assert_eq!(pixel, expected, "{format:?} at {x}, {y}");
            }
        }
    }

    #[test]
    fn letters_differ_and_all_of_ascii_has_one() {
        let rasters: Vec<_> = (b' '..=b'~')
            .map(|letter| get_raster(letter.into(), WEIGHT, HEIGHT).unwrap())
            .collect();
        for (index, letter) in rasters.iter().enumerate() {
            assert!(
                rasters[..index]
                    .iter()
                    .all(|other| other.pixels() != letter.pixels())
            );
        }
    }

    #[test]
    fn a_mode_that_cannot_be_is_no_screen() {
        let mut memory = [0; 64];
        let mut odd = info(PixelFormat::Rgb, 4);
        odd.bytes_per_pixel = 8;
        assert!(Framebuffer::new(ScreenMemory::over(&mut memory), odd).is_none());
        let mut small = info(PixelFormat::Rgb, 4);
        small.height = CELL_HEIGHT - 1;
        assert!(Framebuffer::new(ScreenMemory::over(&mut memory), small).is_none());
        // Shorter than it says: what is outside is left out.
        let short = info(PixelFormat::Rgb, 4);
        Framebuffer::new(ScreenMemory::over(&mut memory), short)
            .unwrap()
            .put(2, 1, Cell::of('W'));
    }
}
