//! All tests of this crate in one program: with one for each file, most of a build would be to link them.

mod check;
mod common;
mod compile;
mod container;
mod division;
mod door;
mod errata;
mod expressions;
mod listing;
mod machine;
mod referee;
mod schedule;
mod steps;
mod verify;
