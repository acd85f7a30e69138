//! Links the command at a fixed address.
//!
//! The instruction sets are tables full of pointers. In a program that may lie anywhere the dynamic
//! linker writes each of them anew at every start: some 50,000 relocations over 330 pages, which took
//! more time than assembling a shader. At a fixed address they are ready in the file. What is given up
//! is the random address of the program's own code, in a program without `unsafe` that serves nobody
//! over a network.

use std::env;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let is = |key: &str, value: &str| env::var(key).is_ok_and(|found| found == value);
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        println!("cargo:rustc-link-arg-bins=-no-pie");
    }
}
