//! The fault matrix: what each fault on each controller does to its row, to the
//! counts, and to the other rows.
//!
//! `xtask/src/faults/matrix.rs` is the table, `cargo xtask ci --faults` prints it
//! with the outcomes. Test `model::cells::pvscsi::eio` is a cell of it.

mod model;
mod qemu;
mod table;
