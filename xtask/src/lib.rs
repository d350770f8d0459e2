//! Host side of ioprobe: builds the guest, boots it in QEMU, follows its serial
//! port, checks its counts against QEMU's, and shows the result.
//!
//! Data flows one way: [`job`] and [`backend`] say what is wanted, [`build`] and
//! [`qemu`] make it run, [`serial`] follows it, [`result`] holds what came out and
//! [`report`] shows it; [`run`] ties them together.
#![forbid(unsafe_code)]

mod child;
mod cli;
mod console;
mod failure;
mod interrupt;

pub mod backend;
pub mod bench;
pub mod build;
pub mod faults;
pub mod image;
pub mod job;
pub mod qemu;
pub mod report;
pub mod result;
pub mod run;
pub mod serial;
pub mod tidy;

pub use cli::invoke;
pub use console::Console;
pub use failure::{EXIT_OK, Failure};
pub use interrupt::Interrupt;
