//! Block I/O as every controller offers it: requests, completions, limits, and
//! the one trait that the rest of the project hangs on.

mod completion;
mod controller;
mod disk;
mod geometry;
mod limits;
mod pool;
mod request;
mod tags;

pub use completion::{Completion, Refusal, Sense, Status};
pub use controller::{
    Accesses, Controller, ControllerError, Health, InterruptMode, Options, QueueDoorbells,
    SubmitError,
};
pub use disk::{Disk, DiskAddress, Ignored};
pub use geometry::Geometry;
pub use limits::Limits;
pub use pool::BufferPool;
pub use request::{BufferId, DiskId, Lba, Op, QueueId, Request};
pub use tags::{Tag, TagError, TagTable};
