//! pvh
fn main() {}
