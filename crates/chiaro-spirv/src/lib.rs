//! SPIR-V and the languages that reach it: words read, written and rearranged.
//!
//! The hub is [`Module`]: words, the source text of each instruction, and an
//! [`Interface`](module::Interface) that says what SPIR-V cannot. [`wgsl::read`] makes one from WGSL, [`Builder`] from
//! instructions; [`rewrite()`] reads words and writes them again, [`vulkanize()`] turns the
//! OpenGL flavour into the Vulkan one.

#![forbid(unsafe_code)]

mod derive;
pub mod grammar;
mod instruction;
pub mod module;
pub mod rewrite;
mod scan;
pub mod vulkanize;
pub mod wgsl;
pub mod write;

pub use derive::derive;
pub use instruction::{HEADER, Instruction, Instructions, Malformed, Reason, header, instructions, swapped};
pub use module::Module;
pub use rewrite::rewrite;
pub use vulkanize::vulkanize;
pub use write::Builder;
