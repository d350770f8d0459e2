//! Where things lie.

use std::path::{Path, PathBuf};

/// The folder of the workspace's Cargo.toml.
#[must_use]
pub fn workspace_root() -> &'static Path {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().unwrap_or(manifest)
}

/// Where builds and runs leave their files: cargo's target folder.
#[must_use]
pub fn target_dir() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR")
        .filter(|dir| !dir.is_empty())
        .map_or_else(|| workspace_root().join("target"), PathBuf::from)
}
