//! All tests of this crate in one program: with one for each file, most of a build would be to link them.

mod check;
mod cooperative;
mod data;
mod examples;
mod extensions;
mod link;
mod made;
mod names;
mod parse;
mod preprocess;
mod words;
