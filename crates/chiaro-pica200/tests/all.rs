//! All tests of this crate in one program: with one for each file, most of a build would be to link them.

mod again;
mod asm;
mod check;
mod commands;
mod compile;
mod container;
mod door;
mod errata;
mod geometry;
mod isa;
mod lift;
mod listing;
mod machine;
mod nihcode;
mod outmap;
mod samples;
mod splice;
mod verify;
mod words;
