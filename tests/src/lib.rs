//! Whole-machine scenarios.
#![forbid(unsafe_code)]
