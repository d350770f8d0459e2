//! The machine.
#![no_std]
