//! Building the guest, in cargo invocations of its own.

mod guest;
mod paths;

pub use guest::{Guest, build, build_ceiling};
pub use paths::{target_dir, workspace_root};
