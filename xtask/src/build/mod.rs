//! Building the guest, in cargo invocations of its own.

mod guest;
mod paths;

pub use guest::{Guest, build};
pub use paths::{target_dir, workspace_root};
