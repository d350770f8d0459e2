//! Where the job comes from: the first of QEMU's fw_cfg, the image's ramdisk, and
//! the built-in job that holds one.

mod fw_cfg;
mod source;

pub use fw_cfg::FwCfg;
pub use source::{Job, find};
