//! What the bits of operands mean and how they are spelled, in LLVM's manner (spec 3, 15).

pub mod attribute;
pub mod constant;
pub mod dpp;
pub mod image;
pub mod immediate;
pub mod memory;
pub mod place;
pub mod register;
pub mod source;
