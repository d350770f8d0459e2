//! Physically contiguous memory that a device reads and writes.

use super::free_ranges::{FRAME_BYTES, Placement, Shape};
use super::physical;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicBool, Ordering};
use drivers::hal::{DmaError, DmaLayout};

static FROM_THE_TOP: AtomicBool = AtomicBool::new(false);

/// Chooses where shared memory is taken from now on. From the top means above
/// 4 GiB on a machine that has memory there, which shows addresses that a driver
/// cuts to 32 bits.
pub fn place(placement: Placement) {
    FROM_THE_TOP.store(placement == Placement::Highest, Ordering::Relaxed);
}

/// One zeroed, physically contiguous region; freed when dropped.
///
/// Stop the device before dropping it: the frames are handed out again.
#[derive(Debug)]
pub struct DmaBlock {
    /// Where the processor reaches it: cached, writable, never executable.
    pub(crate) virt: NonNull<u8>,
    /// Address of the first byte, in bytes; devices use it as it is.
    pub(crate) phys: u64,
    /// Length in bytes as asked.
    pub(crate) len: usize,
}

/// Allocates zeroed memory of the given shape, in whole frames.
///
/// # Errors
/// [`DmaError`] when no such run of frames is left.
pub fn allocate(layout: DmaLayout) -> Result<DmaBlock, DmaError> {
    let placement = if FROM_THE_TOP.load(Ordering::Relaxed) {
        Placement::Highest
    } else {
        Placement::Lowest
    };
    let error = DmaError { layout };
    let shape = shape(layout).ok_or(error)?;
    let phys = physical::take(shape, placement).ok_or(error)?;
    let Some(virt) = physical::pointer(phys) else {
        physical::give(phys, shape.bytes);
        return Err(error);
    };
    // SAFETY: `take` gave these frames to us alone, and all memory is mapped there.
    unsafe { virt.write_bytes(0, shape.bytes as usize) };
    Ok(DmaBlock {
        virt,
        phys,
        len: layout.size_bytes,
    })
}

/// Whole frames for `layout`; `None` where it is malformed.
fn shape(layout: DmaLayout) -> Option<Shape> {
    let bytes = (layout.size_bytes as u64).checked_next_multiple_of(FRAME_BYTES)?;
    let align = (layout.align_bytes as u64).max(FRAME_BYTES);
    let sound = bytes > 0 && align.is_power_of_two() && layout.boundary_bytes.is_power_of_two();
    sound.then_some(Shape {
        bytes,
        align,
        // Whole frames cannot respect less; a block below a page never crosses one.
        boundary: layout.boundary_bytes.max(FRAME_BYTES),
    })
}

impl Drop for DmaBlock {
    fn drop(&mut self) {
        let bytes = (self.len as u64).next_multiple_of(FRAME_BYTES);
        physical::give(self.phys, bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(size_bytes: usize, align_bytes: usize, boundary_bytes: u64) -> DmaLayout {
        DmaLayout {
            size_bytes,
            align_bytes,
            boundary_bytes,
        }
    }

    #[test]
    fn shapes_are_whole_frames() {
        assert_eq!(
            shape(layout(5000, 64, 1 << 32)),
            Some(Shape {
                bytes: 8192,
                align: 4096,
                boundary: 1 << 32
            })
        );
        assert_eq!(
            shape(layout(1, 1 << 16, 512)).map(|s| (s.align, s.boundary)),
            Some((1 << 16, 4096))
        );
    }

    #[test]
    fn malformed_layouts_are_refused() {
        for bad in [
            layout(0, 64, 1 << 32),
            layout(64, 12_289, 1 << 32),
            layout(64, 64, 0),
            layout(64, 64, 3 << 30),
            layout(usize::MAX, 64, 1 << 32),
        ] {
            assert_eq!(shape(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn without_memory_the_error_names_the_layout() {
        let asked = layout(4096, 4096, 1 << 32);
        assert_eq!(allocate(asked).err(), Some(DmaError { layout: asked }));
    }
}
