//! What the compiler makes of a vertex shader.

use chiaro_diag::Span;
use chiaro_ir::Module;

use super::combine::derive::Derived;
use super::schedule::Quality;
use crate::abi::Abi;
use crate::isa::word::Word;
#[cfg(feature = "sim")]
use crate::machine::Machine;

/// A compiled vertex shader.
#[derive(Clone, Default, Debug)]
pub struct Compiled {
    /// The instructions.
    pub words: Vec<Word>,
    /// Where the variables are.
    pub abi: Abi,
    /// vec4 of temporaries and constants, from two behind the user's uniforms on; NaN in those
    /// that the program stores.
    pub constants: Vec<[f32; 4]>,
    /// Length and quality of each block.
    pub blocks: Vec<Quality>,
    /// Where each block starts, and where the program ends.
    pub starts: Vec<usize>,
    /// The source text that most of each instruction comes from.
    pub spans: Vec<Option<Span>>,
    /// How each block ends.
    pub jumps: Vec<Option<Jumped>>,
    /// Register components stored for want of room.
    pub spills: u32,
    /// Uniforms that the host computes, where the program does not fit otherwise.
    pub derived: Vec<Derived>,
    /// vec4 of temporaries, the first ones of the constants: the program stores there.
    pub temporaries: u32,
    /// Whether some of them are arrays of the source.
    pub has_arrays: bool,
    /// Whether sums were put in another order than legal IR has them.
    pub is_regrouped: bool,
    /// The legal IR that the instructions were selected from.
    pub module: Module,
}

/// Instructions from which on a program is long enough to look for a shorter one with loops.
const LONG: usize = 64;

impl Compiled {
    /// Whether loops that were written out may be what makes it long.
    pub(super) fn is_long_and_branches(&self) -> bool {
        self.words.len() >= LONG && self.jumps.iter().any(Option::is_some)
    }
}

/// The branch at the end of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Jumped {
    /// The block that it leads to.
    pub to: usize,
    /// Whether it always goes there.
    pub always: bool,
}

#[cfg(feature = "sim")]
impl Compiled {
    /// Gives a machine whose uniforms are set those that the host computes.
    pub fn set_derived(&self, machine: &mut Machine) {
        for derived in &self.derived {
            let value = derived.evaluate(|row| machine.uniform(row.into()));
            machine.set_part(derived.row.into(), derived.component.into(), &[value]);
        }
    }
}
