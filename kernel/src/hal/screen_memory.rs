//! The memory behind a screen.
#![expect(
    unsafe_code,
    reason = "a screen is reached through a raw pointer to its mapping"
)]

use super::volatile;
use crate::memory::mmio;
use crate::pci::{Function, VGA_CLASS};
use bootloader_api::info::FrameBuffer;
use core::ptr::NonNull;

/// Text of a VGA adapter: 80 x 25 cells of a character and an attribute (IBM VGA).
const VGA_TEXT: u64 = 0xb_8000;
const VGA_TEXT_BYTES: usize = 80 * 25 * 2;

/// Memory that is written, never read.
#[derive(Debug)]
pub struct ScreenMemory {
    base: NonNull<u8>,
    len_bytes: usize,
}

// SAFETY: it is plain memory of a device, the same from every processor, and
// nobody else has a pointer to it.
unsafe impl Send for ScreenMemory {}

impl ScreenMemory {
    /// The framebuffer that the loader mapped; it is given away for good.
    #[must_use]
    pub fn of_framebuffer(framebuffer: FrameBuffer) -> Option<Self> {
        // The contract offers the address only as a slice; nothing is accessed
        // through it.
        let bytes = framebuffer.into_buffer();
        Some(Self {
            len_bytes: bytes.len(),
            base: NonNull::new(bytes.as_mut_ptr())?,
        })
    }

    /// The text memory of `adapter`, if that is a VGA adapter.
    #[must_use]
    pub fn of_vga_text(adapter: &Function) -> Option<Self> {
        if adapter.class[..2] != VGA_CLASS {
            return None;
        }
        Some(Self {
            base: mmio::map(VGA_TEXT, VGA_TEXT_BYTES)?,
            len_bytes: VGA_TEXT_BYTES,
        })
    }

    /// Whether `bytes` bytes at `offset` lie inside.
    const fn holds(&self, offset: usize, bytes: usize) -> bool {
        bytes <= self.len_bytes && offset <= self.len_bytes - bytes
    }

    /// Stores a cell or pixel of up to 4 bytes at `offset`; what lies outside is
    /// left out. One store where the width and the alignment allow it.
    pub fn store(&self, offset: usize, value: &[u8]) {
        if !self.holds(offset, value.len()) {
            return;
        }
        let aligned = (self.base.addr().get() + offset).is_multiple_of(value.len().max(1));
        match *value {
            [a, b, c, d] if aligned => {
                let value = u32::from_le_bytes([a, b, c, d]);
                // SAFETY: inside the mapping and aligned, as just checked.
                unsafe { volatile::store32(self.base, offset, value) };
            }
            [a, b] if aligned => {
                let value = u16::from_le_bytes([a, b]);
                // SAFETY: inside the mapping and aligned, as just checked.
                unsafe { volatile::store16(self.base, offset, value) };
            }
            _ => {
                for (at, &byte) in (offset..).zip(value) {
                    // SAFETY: inside the mapping, as checked above.
                    unsafe { volatile::store8(self.base, at, byte) };
                }
            }
        }
    }

    /// Screen memory in a test's own bytes, which must outlive it.
    #[cfg(test)]
    pub(crate) fn over(bytes: &mut [u8]) -> Self {
        Self {
            base: NonNull::from(&mut *bytes).cast(),
            len_bytes: bytes.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pci::Interrupts;

    #[test]
    fn every_width_is_stored_and_nothing_outside() {
        let mut bytes = [0; 16];
        let screen = ScreenMemory::over(&mut bytes);
        screen.store(0, &[1, 2, 3, 4]);
        screen.store(5, &[5, 6]);
        screen.store(8, &[8, 9, 10]);
        screen.store(12, &[12]);
        screen.store(13, &[1, 1, 1, 1]);
        screen.store(usize::MAX, &[1, 1]);
        assert_eq!(bytes, [1, 2, 3, 4, 0, 5, 6, 0, 8, 9, 10, 0, 12, 0, 0, 0]);
    }

    #[test]
    fn only_a_vga_adapter_has_vga_text() {
        let disk = Function::without_bars(
            "00:03.0",
            0x15ad,
            0x07c0,
            [0x01, 0x07, 0],
            Interrupts::default(),
        );
        assert!(ScreenMemory::of_vga_text(&disk).is_none());
    }
}
