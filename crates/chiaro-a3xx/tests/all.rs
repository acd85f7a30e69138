//! All tests of this crate in one program: with one for each file, most of a build would be to link them.

mod asm;
mod check;
mod compute;
mod containers;
mod door;
mod errata;
mod kernels;
mod laws;
mod machine;
mod shaders;
mod steps;
mod verify;
