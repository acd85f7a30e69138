//! The command `chiaro`.
fn main() {}
