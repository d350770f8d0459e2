//! Building the guest, in cargo invocations of its own.

mod guest;
mod paths;

pub use guest::{BootParts, Guest, build, build_boot_parts, build_ceiling};
pub use paths::{target_dir, workspace_root};
