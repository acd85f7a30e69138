//! All tests of this crate in one program: with one for each file, most of a build would be to link them.

mod agx;
mod commands;
mod fold;
mod found;
mod glsl;
mod intervals;
mod listings;
mod loader;
mod opt;
mod planted;
mod rays;
mod seeded;
mod vectors;
mod wide;
