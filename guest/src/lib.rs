//! The guest program beside the kernel that it runs on: what is compiled for speed.
//!
//! Everything else of the guest is compiled for size (see the profile `guest`), so
//! only what a measured window runs through belongs here.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

pub mod controllers;
