//! What the compiler makes of a shader.

use crate::abi::{Abi, LoopCount};
use crate::compile::geometry::Plan;
use crate::container::Shbin;
use chiaro_diag::{Diagnostic, Span};
use chiaro_ir::Module;

/// A program, or why there is none.
pub(super) type Made = Result<Compiled, Box<Diagnostic>>;

/// A compiled vertex shader.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The file, to be edited or written again.
    pub shbin: Shbin,
    /// The file's bytes.
    pub bytes: Vec<u8>,
    /// The source text of each word.
    pub spans: Vec<Option<Span>>,
    /// The optimised, legal IR that the words compute.
    pub module: Module,
    /// What it takes of the machine.
    pub statistics: Statistics,
    /// Where a geometry program finds its vertices.
    pub plan: Option<Plan>,
    /// What is worth knowing: guesses, outputs that go nowhere, values that a host cannot change.
    pub remarks: Vec<Diagnostic>,
    /// Where its variables are.
    pub(crate) abi: Abi,
    /// Decisions that a search may turn round.
    pub(crate) decisions: u32,
}

impl Compiled {
    /// The integer registers that the application sets for loops.
    #[must_use]
    pub fn loop_counts(&self) -> &[LoopCount] {
        &self.abi.loops
    }

    /// The source's name of an output register; empty for one that nothing is in.
    #[must_use]
    pub fn output_name(&self, register: u16) -> &str {
        self.abi.outputs.get(usize::from(register)).map_or("", |out| &out.name)
    }

    /// Names of inputs that nothing reads and that have no register, since there are too many.
    #[must_use]
    pub fn unread_inputs(&self) -> &[String] {
        &self.abi.unread_inputs
    }

    /// Names of uniforms that nothing reads, which have no register.
    #[must_use]
    pub fn unread(&self) -> &[String] {
        &self.abi.unread
    }
}

impl Statistics {
    /// Whether no way to pack, order and place the operations takes fewer words; other operations may.
    #[must_use]
    pub fn is_proven(&self) -> bool {
        self.words == self.least
    }
}

/// What a program takes of the machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Words, END not counted.
    pub words: usize,
    /// The fewest words that the operations chosen for it can take, each done once; subroutines may do with fewer.
    pub least: usize,
    /// Operand descriptors.
    pub descriptors: usize,
    /// Temporary registers.
    pub registers: usize,
    /// c registers that hold numbers of the program.
    pub constants: usize,
    /// c registers that the application fills.
    pub uniforms: usize,
    /// Steps that shorten most programs and had to be left out, since with them there was no order of the
    /// instructions, or too few registers or operand descriptors; not those that a search leaves out to see what comes
    /// of it.
    pub left_out: u32,
}
