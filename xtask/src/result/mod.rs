//! What a run leaves: the checks, result.json, the run folder.

mod checks;
mod document;
mod folder;
mod host;
mod row;
mod together;

pub use checks::checks;
pub use document::{Document, HostInfo, Outcome};
pub use folder::{RunFolder, name as folder_name};
pub use host::{HostRun, host_run};
pub use row::Row;
