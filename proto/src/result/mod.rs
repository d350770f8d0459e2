//! The figures of one run: result.json, schema `ioprobe-result/1`.
//!
//! The guest fills these and sends them as records; the host adds what only it
//! can know. Field names are the published schema.

mod inventory;
mod run;

pub use inventory::{ControllerInfo, DiskInfo, GuestInfo, IgnoredInfo};
pub use run::{
    Accesses, Check, CheckStatus, Commands, Cpu, Depth, Direction, Gaps, LatencyNs, Mismatch,
    OpenAtEnd, PerIo, Run, RunParams, RunStatus, StagesNs,
};

/// Name and major version of result.json.
pub const SCHEMA: &str = "ioprobe-result/1";
