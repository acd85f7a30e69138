//! Random words and damaged files against every reader.
fn main() {}
