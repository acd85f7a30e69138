//! Assembling and disassembling.

use std::collections::BTreeMap;

use chiaro_diag::{Diagnostic, FileId, Span};
use chiaro_ir::Stage;

/// How to assemble.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AssembleOptions {
    /// The language of the sources by its name; by the first file's name without it.
    pub dialect: Option<&'static str>,
    /// Do exactly what the language's original tool does, its silent errors included.
    pub compat: bool,
    /// Insert no padding instructions.
    pub no_padding: bool,
    /// Where the program starts, in languages that do not say it themselves.
    pub entry: Option<String>,
    /// The stage of the program, in languages that do not say it themselves.
    pub stage: Option<Stage>,
    /// Choices of the target: a generation, for instance.
    pub settings: Vec<(String, String)>,
}

/// What comes out.
#[derive(Clone, Debug, Default)]
pub struct Assembled {
    /// The container.
    pub bytes: Vec<u8>,
    /// A C header with which the host program knows where the uniforms are, if the language has one.
    pub header: Option<String>,
    /// A table that belongs to code without a container, where it has no other place.
    pub table: Option<Vec<u8>>,
    /// Places in the code by name, counted in instructions, where the language has names for them.
    pub labels: BTreeMap<String, u32>,
    /// What each instruction came from, as far as that is known.
    pub spans: Vec<Span>,
    /// What is likely not what was meant.
    pub warnings: Vec<Diagnostic>,
}

/// A part of a program, made separately.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Piece {
    /// Which part it is, where the bytes do not say it.
    pub role: Option<String>,
    /// The file's name, for messages.
    pub name: String,
    /// The container, or code alone.
    pub bytes: Vec<u8>,
}

/// The text of a key, or of several, with its place in the source map.
#[derive(Clone, Copy, Debug)]
pub struct KeyText<'a> {
    /// The file.
    pub file: FileId,
    /// What it says.
    pub text: &'a str,
}

/// A program joined of parts.
#[derive(Clone, Debug, Default)]
pub struct LinkedParts {
    /// The container.
    pub bytes: Vec<u8>,
    /// What is worth knowing.
    pub remarks: Vec<Diagnostic>,
}

/// Opens a file that a source includes, by its path. The error is a sentence without a full stop.
pub type Open<'a> = dyn FnMut(&str) -> Result<String, String> + 'a;

/// An [`Open`] for sources in one piece.
///
/// # Errors
/// Always.
pub fn no_files(_: &str) -> Result<String, String> {
    Err("other files cannot be read here".to_owned())
}

/// How to disassemble.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DisassembleOptions {
    /// The bytes are code alone, without a container.
    pub raw: bool,
    /// A table that belongs to code without a container.
    pub table: Vec<u8>,
    /// Choices of the target: a generation, for instance.
    pub settings: Vec<(String, String)>,
}

/// A listing that assembles to the same bytes.
#[derive(Clone, Debug, Default)]
pub struct Disassembled {
    /// The listing.
    pub text: String,
    /// What is worth knowing about it.
    pub remarks: Vec<Diagnostic>,
}
