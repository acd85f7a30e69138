//! What the compiler makes of a shader.

use chiaro_diag::Span;
use chiaro_ir::Module;

use super::options::Options;
use crate::abi::interface::Interface;

/// A compiled kernel.
#[derive(Clone, Debug, Default)]
pub struct Compiled {
    /// How it was compiled.
    pub options: Options,
    /// Code, without what stands behind its end.
    pub code: Vec<u8>,
    /// The source text of each instruction, by its first byte.
    pub spans: Vec<(u32, Option<Span>)>,
    /// Where it meets those who launch it.
    pub interface: Interface,
    /// Vector registers in use.
    pub vectors: u16,
    /// Values that were put elsewhere because registers did not suffice.
    pub spilled: u32,
    /// The legal IR that the words were selected from.
    pub module: Module,
}
