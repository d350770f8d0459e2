//! QEMU: finding it, its command line, its process, what it counts.

pub mod accel;
pub mod blockstats;
pub mod command;
pub mod controllers;
pub mod cpu;
pub mod device_option;
pub mod firmware;
pub mod install;
pub mod process;
pub mod qmp;
