//! Rows on a scripted controller and a hand-moved clock: exact figures.

mod backoff;
mod bench;
mod counts;
mod depth;
mod errors;
mod gone;
mod interrupts;
mod rings;
mod split;
mod stages;
mod timeouts;
mod trace;
mod verify;
mod window;
