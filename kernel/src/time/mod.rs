//! The rate of the TSC, how far it can be trusted, and what reading it costs.

mod calibration;
mod cost;
mod counter;
mod known;
pub mod math;
mod rate;
mod rtc;
mod track;

pub use calibration::Calibration;
pub use cost::{empty_loop_ticks, timer_cost_ticks};
pub use rate::{NoReference, Rate, Source};
pub use rtc::{Cmos, Rtc};
