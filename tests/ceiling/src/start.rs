//! What every bare bring-up has in common: its errors, and the disk that it finds.

use crate::positions::Positions;
use drivers::hal::DmaError;

/// Bytes of every read.
pub const READ_BYTES: u64 = 4096;

/// Why there is no loop to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartError {
    /// No memory.
    Dma(DmaError),
    /// The controller refused a command; what it said.
    Refused(u32),
    /// The controller or its disk did not answer in time.
    TimedOut,
    /// No disk answers.
    NoDisk,
    /// The disk's size is not told, or its block size is one that 4 KiB is no
    /// multiple of.
    BadDisk,
}

impl From<DmaError> for StartError {
    fn from(error: DmaError) -> Self {
        Self::Dma(error)
    }
}

/// Size of a disk and of the reads from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    blocks: u64,
    blocks_per_read: u8,
}

impl Shape {
    /// A disk of `blocks` blocks of `block_bytes` bytes.
    ///
    /// # Errors
    /// [`StartError::BadDisk`] if 4 KiB is not 1, 2, 4 or 8 of its blocks, or more
    /// than all of them.
    pub fn new(blocks: u64, block_bytes: u64) -> Result<Self, StartError> {
        let per_read = READ_BYTES.checked_div(block_bytes).unwrap_or(0);
        let fits = per_read * block_bytes == READ_BYTES && per_read <= 8;
        if !fits || !per_read.is_power_of_two() || blocks < per_read {
            return Err(StartError::BadDisk);
        }
        Ok(Self {
            blocks,
            blocks_per_read: per_read as u8,
        })
    }

    /// Blocks of one read.
    #[must_use]
    pub const fn blocks_per_read(self) -> u8 {
        self.blocks_per_read
    }

    /// Random positions on it.
    #[must_use]
    pub fn positions(self) -> Positions {
        Positions::new(self.blocks, u32::from(self.blocks_per_read).ilog2())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_is_a_power_of_two_of_blocks_and_fits_the_disk() {
        for (block_bytes, per_read) in [(512, 8), (1024, 4), (4096, 1)] {
            let shape = Shape::new(8, block_bytes).unwrap();
            assert_eq!(shape.blocks_per_read(), per_read);
        }
        for (blocks, block_bytes) in [(8, 0), (7, 512), (0, 4096), (9, 520), (99, 256), (9, 8192)] {
            assert_eq!(Shape::new(blocks, block_bytes), Err(StartError::BadDisk));
        }
    }
}
