//! All tests of this crate in one program: with one for each file, most of a build would be to link them.

mod build;
mod cases;
mod data;
mod interp;
mod intervals;
mod lower_exits;
mod made;
mod meaning;
mod random;
mod rays;
mod uniformity;
