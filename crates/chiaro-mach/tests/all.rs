//! All tests of this crate in one program: with one for each file, most of a build would be to link them.

mod allocate;
mod compile;
mod files;
mod made;
mod steps;
mod text;
mod verify;
mod waits;
