//! All tests of this crate in one program: with one for each file, most of a build would be to link them.

mod dispatch;
mod kernels;
mod painted;
mod proof;
mod texels;
mod timeline;
mod values;
mod wishes;
