//! SPIR-V and the languages that reach it: read into the IR, written, rearranged.
//!
//! The hub is `chiaro-words`' [`module::Module`]: words, the source text of each instruction,
//! and what SPIR-V cannot say. [`wgsl::read`] makes one from WGSL, [`write::Builder`] from instructions;
//! [`rewrite()`] reads words and writes them again, [`vulkanize()`] turns the OpenGL flavour into
//! the Vulkan one.
//!
//! [`read`] takes the words of a module (Vulkan or OpenGL flavour, versions 1.0 to 1.6) and
//! gives a [`chiaro_ir::Module`] with the module's [`Interface`]. Structured control flow
//! becomes the IR's tree, matrices become arrays of columns, extended instructions become
//! simple ones; nothing is optimised here.
//!
//! The reader never panics: what it cannot read is a [`ReadError`] that names the word, the
//! instruction and, where the module tells, the source line. Memory and time are in
//! proportion to the input. What comes out may still break a rule of types if the input
//! does; the IR's verifier tells.

#![forbid(unsafe_code)]

mod body;
mod calls;
mod cfg;
mod composite;
mod constants;
mod driver;
mod emit;
mod entry;
mod error;
mod flow;
mod fold;
mod function;
mod glsl;
mod ids;
mod image;
mod interface;
mod labels;
pub mod languages;
mod lines;
mod matrix;
mod memory;
mod notes;
mod ops;
mod pack;
mod reach;
mod reader;
mod reading;
mod subgroup;
pub mod text;
mod type_info;
mod types;
pub mod wgsl;
mod words;

pub use chiaro_words::{
    Builder, HEADER, Instruction, Instructions, Malformed, Reason, derive, grammar, header, instructions,
    module, openglize, rewrite, swapped, vulkanize, write,
};
pub use emit::{Names, Unwritten, emit, emit_named};
pub use error::ReadError;
pub use reading::{Options, Reading, SpecKey, SpecValue};
pub use words::{MAGIC, words_of};

use chiaro_diag::SourceMap;

/// Reads a module from its words, in this machine's byte order ([`words_of`] gives them).
///
/// Source files that the module names are added to `sources`, with their text if the module
/// has it, and spans point into them.
///
/// # Errors
/// The first thing that is wrong with the module, or that is not supported.
pub fn read(words: &[u32], options: &Options, sources: &mut SourceMap) -> Result<Reading, ReadError> {
    driver::read(words, &[], options, sources)
}

/// Reads a module of a front end of ours: its instructions have the spans that came with it,
/// and the interface tells what the front end knows.
///
/// # Errors
/// As [`read`].
pub fn read_module(
    module: &module::Module,
    options: &Options,
    sources: &mut SourceMap,
) -> Result<Reading, ReadError> {
    let mut reading = driver::read(&module.words, &module.spans, options, sources)?;
    interface::amend(&mut reading.interface, &module.interface);
    Ok(reading)
}
