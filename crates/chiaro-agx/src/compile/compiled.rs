//! What the compiler makes of a shader.

use chiaro_diag::Span;
use chiaro_ir::{GlobalRef, Module};

use super::options::Options;
use crate::container::file::File;

/// Where a component of a variable is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Placed {
    /// The variable.
    pub variable: GlobalRef,
    /// Byte of the component, as selection lays variables out.
    pub byte: u32,
    /// Where it is.
    pub place: Place,
}

/// Where something is that goes into a program, or comes out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// In general registers: the first half, and how many.
    Register(u16, u16),
    /// In a coefficient register, and whether it is interpolated with perspective.
    Coefficient(u16, bool),
    /// In a word of the vertex.
    Word(u16),
    /// In a word of the record of a vertex that is computed in software.
    Stored(u16),
}

/// How the variables of a shader meet its program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Interface {
    /// Inputs that are not built in, and numbers of vertices.
    pub inputs: Vec<Placed>,
    /// Outputs.
    pub outputs: Vec<Placed>,
    /// Halves of uniforms that say where a varying begins among the words of a vertex, with the word where
    /// all of them follow one another.
    pub words: Vec<(u16, u16)>,
    /// Halves that hold the address of a buffer.
    pub buffers: Vec<(GlobalRef, u16)>,
    /// Halves that hold how many bytes a buffer has.
    pub sizes: Vec<(GlobalRef, u16)>,
    /// States of the first texture or sampler of a variable, how many, and how far apart.
    pub textures: Vec<(GlobalRef, u16, u16)>,
    /// The same of samplers.
    pub samplers: Vec<(GlobalRef, u16, u16)>,
}

/// A compiled shader.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// How it was compiled.
    pub options: Options,
    /// Code and all that a driver has to know of it.
    pub file: File,
    /// The source text of each instruction: the byte that it begins at.
    pub spans: Vec<(u32, Option<Span>)>,
    /// Where its variables are.
    pub interface: Interface,
    /// The legal IR that the code was selected from.
    pub module: Module,
}
