//! All tests of this crate in one program: with one for each file, most of a build would be to link them.

mod algebra;
#[path = "../../chiaro-ir/tests/cases/mod.rs"]
mod cases;
mod endless;
mod expressions;
mod law;
mod lower;
mod made;
mod passes;
mod prints;
mod run;
mod uniform;
mod words;
