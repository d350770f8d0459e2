//! What lies behind the virtual disks.

mod blockdev;
mod image;
mod in_use;
mod scratch;
mod spec;

pub use blockdev::{NULL_BYTES, null_blockdev, raw_blockdev};
pub use image::{SharedImage, check as check_image};
pub use scratch::{make as make_scratch, new_nonce};
pub use spec::Backend;
