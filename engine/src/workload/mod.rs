//! What a workload asks for, I/O by I/O: which direction, and where.
//!
//! Everything follows from the seed, so the same job repeats exactly (fio
//! `randrepeat`), and the digest proves it.

mod arrival;
mod course;
mod digest;
mod lengths;
mod mix;
mod permutation;
mod rng;
mod skew;
mod stream;
mod worker;

pub use arrival::Arrival;
pub use course::{Course, Places};
pub use digest::Digest;
pub use lengths::{Lengths, Split};
pub use mix::Mix;
pub use permutation::Permutation;
pub use rng::Rng;
pub use skew::{Scatter, Skew, Zipf};
pub use stream::{Order, Stream};
pub use worker::Worker;

/// Direction of an I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Direction {
    /// Device to memory.
    Read = 0,
    /// Memory to device.
    Write = 1,
}
