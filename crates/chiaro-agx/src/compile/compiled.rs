//! What the compiler makes of a shader.

use chiaro_diag::Span;
use chiaro_ir::Module;

use super::options::Options;
use crate::container::file::File;

/// A compiled shader.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// How it was compiled.
    pub options: Options,
    /// Code and all that a driver has to know of it.
    pub file: File,
    /// The source text of each instruction: the byte that it begins at.
    pub spans: Vec<(u32, Option<Span>)>,
    /// The legal IR that the code was selected from.
    pub module: Module,
}
