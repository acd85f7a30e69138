//! Links the command so that it starts quickly: at a fixed address, and with its own unwinder.
//!
//! The instruction sets are tables full of pointers. In a program that may lie anywhere the dynamic
//! linker writes each of them anew at every start: some 50,000 relocations over 330 pages, which took
//! more time than assembling a shader. At a fixed address they are ready in the file. What is given up
//! is the random address of the program's own code, in a program without `unsafe` that serves nobody
//! over a network.
//!
//! The unwinder, which compilers have in a library of its own, is all that programs want of that library: to find it,
//! map it and bind it takes a tenth of the start of a program that does nothing.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let is = |key: &str, value: &str| env::var(key).is_ok_and(|found| found == value);
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        println!("cargo:rustc-link-arg-bins=-no-pie");
        if has_unwinder() {
            println!("cargo:rustc-link-arg-bins=-Wl,--whole-archive,-lgcc_eh,--no-whole-archive");
        }
    }
}

/// Whether the linker has the unwinder as an archive. A file that it lacks is answered by the bare name.
fn has_unwinder() -> bool {
    let linker = env::var("RUSTC_LINKER").unwrap_or_else(|_| "cc".to_owned());
    let answer = Command::new(linker).arg("-print-file-name=libgcc_eh.a").output();
    answer.is_ok_and(|answer| answer.stdout.starts_with(b"/"))
}
