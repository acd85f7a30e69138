//! All tests of this crate in one program: with one for each file, most of a build would be to link them.

mod asm;
mod assumptions;
mod check;
mod compute;
mod container;
mod door;
mod emitted;
mod images;
mod kernels;
mod keys;
mod laws;
mod machine;
mod measured;
mod pixels;
mod samples;
mod texels;
mod verify;
mod whole;
