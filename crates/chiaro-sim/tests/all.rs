//! All tests of this crate in one program: with one for each file, most of a build would be to link them.

mod early;
mod law;
mod made;
