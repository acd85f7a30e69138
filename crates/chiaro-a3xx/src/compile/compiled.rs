//! What the compiler makes of a shader.

use chiaro_diag::Span;
use chiaro_ir::Module;

use super::options::Options;
use crate::abi::Interface;
use crate::abi::constants::Constants;

/// A compiled shader.
#[derive(Clone, Debug, Default)]
pub struct Compiled {
    /// How it was compiled.
    pub options: Options,
    /// The words, without padding.
    pub words: Vec<u64>,
    /// The source text of each.
    pub spans: Vec<Option<Span>>,
    /// Where it meets the driver.
    pub interface: Interface,
    /// Variables in the constant file.
    pub constants: Constants,
    /// The legal IR that the words were selected from.
    pub module: Module,
}
