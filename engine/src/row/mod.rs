//! One row: a closed loop of one job on one disk.
//!
//! The loops of plain rows are instantiated per controller type and per [`policy`]:
//! the loop that runs has no branch for what its row does not do. What happens
//! rarely (errors, edges of the window, time-outs) is kept out of line, and that and
//! the general loop work on a controller of any type, so they exist once.
//!
//! The refill policy is the same for every controller: drain all that is found,
//! then fill, then one doorbell; nothing is submitted inside a reap pass.

mod backoff;
mod buffers;
mod crew;
mod data;
mod drive;
mod driven;
mod edges;
mod errors;
mod finish;
mod gaps;
mod hot;
mod issue;
mod policy;
mod rings;
mod search;
mod spec;
mod split;
mod state;
mod stats;
mod steady;
mod table;
mod tally;
mod trace;
mod verify;
mod wait;
mod watch;

pub use buffers::{UNREAD_MARK, buffer_bytes, buffers_needed};
pub use crew::{CrewSpec, Seat};
pub use data::Data;
pub use drive::{Env, Recheck, run, run_crew};
pub use errors::ErrorCounts;
pub use search::{SearchOutcome, SearchSpec};
pub use spec::{Extras, Kind, Lane, RingSpec, Spec};
pub use split::MAX_PIECES;
pub use stats::{COMPLETION_BUCKETS, Stages, Stats, Waits};
pub use steady::{SteadyOutcome, SteadySpec};
pub use table::MAX_IN_FLIGHT;
pub use tally::{Failure, Tally, Workspace};
pub use trace::TraceLog;
pub use verify::{MISMATCHES_LISTED, Mismatch};
pub use wait::WaitFor;
