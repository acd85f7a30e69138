//! How fast code is allocated and checked.

fn main() {
    divan::main();
}
