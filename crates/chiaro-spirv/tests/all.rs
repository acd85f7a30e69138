//! All tests of this crate in one program: with one for each file, most of a build would be to link them.

mod api;
mod emit;
mod function_pointers;
mod large;
mod linkage;
mod made;
mod mutate;
mod read;
mod vulkanize;
mod wgsl;
