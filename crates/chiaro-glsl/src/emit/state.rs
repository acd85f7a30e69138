//! What is known while words are written, without the emitter: places, tables of what was
//! declared, and the function that is being written.

mod body;
mod place;
mod root;
mod tables;

pub(crate) use body::{Body, Instance, Key, Slot, Target};
pub(crate) use place::{Link, Memory, Place, Seen, View, Way};
pub(crate) use root::{Counter, Root};
pub(crate) use tables::{Bytes, Extent, Heaps, References, TypeTable};
