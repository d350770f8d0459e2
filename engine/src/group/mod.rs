//! Several adapters as one controller: what `concurrent=1` runs on.
//!
//! A [`Group`] has one disk of each of its adapters, and its buffers are dealt out
//! to them in turn, so that a buffer belongs to one adapter for a whole row. The
//! loop of a row sees a controller; whoever fills it sees to it that a request goes
//! to the adapter that has its buffer.

mod controller;
mod homes;
mod line;

pub use controller::{Group, Part, PartEnd};
pub use line::GroupLine;

#[cfg(test)]
mod tests;
