//! PICA200, the vertex and geometry units of the Nintendo 3DS.
#![forbid(unsafe_code)]

pub mod container;
pub mod outmap;
