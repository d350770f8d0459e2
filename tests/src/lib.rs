//! Whole-machine scenarios: the host tool is called as a person calls it, QEMU
//! boots the image, and the outcome is judged by exit code, messages, result.json
//! and a look at the disk file from outside.
#![forbid(unsafe_code)]

mod boot;
mod call;
mod disk;
pub mod fuzz;
mod machine;
mod monitor;
mod reboot;
mod scenario;
mod screen;
mod slow;
mod watched;
mod ways;

pub use boot::{boot, device, null, raw};
pub use call::{Called, call, call_in, call_with};
pub use disk::{
    ext4_image, flip_byte, holds_its_pattern, holds_its_pattern_everywhere, pattern_blocks,
};
pub use machine::{Machine, flash};
pub use monitor::{Monitor, MonitorSocket};
pub use reboot::{heard, reset_in_a_row};
pub use scenario::{Scenario, run};
pub use screen::screen_at_end;
pub use slow::{Slow, listen_slowly};
pub use watched::{call_watched, wait_for_reads};
pub use ways::{
    WAYS, Way, image_of_its_own, image_that_writes_everywhere, run_quick, write_everywhere,
};
