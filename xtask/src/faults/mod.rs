//! `cargo xtask ci --faults`: the fault matrix, cell by cell.
//!
//! [`MATRIX`] says what there is, the tests of `tests/tests/faults` are the cells,
//! and the command runs them and puts their outcomes into the table.

mod command;
mod matrix;
mod outcomes;

pub use command::{CiArgs, run};
pub use matrix::{CONTROLLERS, Cell, Fault, MATRIX};
