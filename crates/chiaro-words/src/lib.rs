//! The hub between front ends and everything behind them: SPIR-V words in memory.
//!
//! A [`Module`] is words, the source text of each instruction, and what SPIR-V cannot say
//! ([`module::Interface`]). [`write::Builder`] makes one from instructions, [`rewrite()`] reads
//! words and writes them again, [`vulkanize()`] turns the OpenGL flavour into the Vulkan one,
//! [`derive`](derive()) makes the interface of foreign words.
//!
//! Front ends depend on this crate alone; what a module means is `chiaro-spirv`'s and the
//! IR's affair.

#![forbid(unsafe_code)]

mod derive;
pub mod grammar;
mod hash;
mod instruction;
pub mod limits;
pub mod module;
pub mod newer;
pub mod openglize;
pub mod rewrite;
mod scan;
pub mod small;
pub mod vulkanize;
pub mod write;

pub use derive::derive;
pub use instruction::{HEADER, Instruction, Instructions, Malformed, Reason, header, instructions, swapped};
pub use module::Module;
pub use openglize::openglize;
pub use rewrite::rewrite;
pub use vulkanize::vulkanize;
pub use write::Builder;
