//! Following a guest by its serial port: what it said, where it is, how it ended.

mod firmware;
mod follow;
mod phase;
mod sample;
mod transcript;
mod verdict;

pub use follow::{Followed, Line, follow};
pub use phase::{Limits, Phase};
pub use sample::{Idle, Sample, Sampler};
pub use transcript::{Row, Transcript};
pub use verdict::{Exit, Stop, verdict};
