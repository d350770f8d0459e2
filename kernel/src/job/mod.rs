//! Where the job comes from: the first of QEMU's fw_cfg, VMware's guestinfo, the
//! image's ramdisk, and the built-in job that holds one.

mod fw_cfg;
pub mod guestinfo;
mod source;

pub use fw_cfg::FwCfg;
pub use source::{Job, Source, find};
