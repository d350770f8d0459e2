//! Wires.
fn main() {}
