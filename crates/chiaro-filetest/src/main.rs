//! Text tests, golden vectors and whole-tool benchmarks.
fn main() {}
