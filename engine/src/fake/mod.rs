//! A clock that moves only by what is done, and a controller that answers by
//! script: rows and sessions run on them on the host, and every figure can be
//! worked out by hand.

mod clock;
mod device;
mod line;
mod media;
mod wall;

pub use clock::HandClock;
pub use device::{Answer, Device, Hook, Plan};
pub use line::{FakeLine, Wire, WireState};
pub use media::Media;
pub use wall::HandWall;

use crate::session::{MachineCounters, MachineCounts};

/// A machine that counts nothing.
pub struct NoCounters;

impl MachineCounters for NoCounters {
    fn counts(&self) -> MachineCounts {
        MachineCounts::default()
    }
}
