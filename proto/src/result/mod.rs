//! The figures of one run: result.json, schema `ioprobe-result/1`.
//!
//! The guest fills these and sends them as records; the host adds what only it
//! can know. Field names are the published schema, `proto/schema/ioprobe-result-1.schema.json`.

mod finite;
mod inventory;
mod run;
#[cfg(test)]
pub(crate) mod sample;
mod schema;
#[cfg(test)]
mod schema_tests;
#[cfg(test)]
mod tests;

pub use finite::{finite, ratio};
pub use inventory::{BarInfo, ControllerInfo, DiskInfo, GuestInfo, IgnoredInfo};
pub use run::{
    Accesses, Check, CheckStatus, Commands, Cpu, Depth, Direction, ExitsBounds, Gaps, Interrupts,
    Late, LatencyNs, Mismatch, OpenAtEnd, PerIo, Run, RunParams, RunStatus, Share, StagesNs,
    SteadyFound, TargetFound,
};
pub use schema::{JSON_SCHEMA, SchemaMismatch, check_schema, schema_differences};

/// Name and major version of result.json.
pub const SCHEMA: &str = "ioprobe-result/1";
