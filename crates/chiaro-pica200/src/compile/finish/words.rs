//! The state of emission: words whose descriptors and targets are still open.

use crate::compile::allocate::Place;
use crate::compile::finish::constants::Pool;
use crate::compile::graph::{Graph, Id, Setting};
use crate::compile::schedule::Step;
use crate::compile::schedule::homes::Homes;
use crate::isa::{Op, PICA200, halves};
use crate::operand::descriptor::Full;
use chiaro_diag::Span;
use chiaro_isa::Value;

/// What does not fit, or must not happen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Trouble {
    /// No descriptor is left for an instruction.
    Descriptors(Full, Option<Span>),
    /// Constructs are nested deeper than the machine's stack: what, found, allowed.
    Nesting(&'static str, u32, u32),
    /// More else words than the field counts.
    Else(u32),
    /// An operand that no field can hold: a mistake of ours.
    Operand(Id),
    /// More different constants for loops than integer registers are free.
    Loops,
    /// More words than a jump reaches.
    Words(u32),
}

/// The finished program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Words {
    pub(crate) code: Vec<u32>,
    /// Words of the main program, END included; subroutines follow.
    pub(crate) main: usize,
    pub(crate) spans: Vec<Option<Span>>,
    pub(crate) descriptors: Vec<[u32; 2]>,
    /// Integer constants by register.
    pub(crate) ints: Vec<(u8, [u8; 4])>,
    /// The boolean register that has to be set, for jumps.
    pub(crate) always: Option<u8>,
}

/// What the words are made from.
pub(crate) struct Input<'a> {
    pub(crate) graph: &'a Graph,
    pub(crate) homes: &'a Homes,
    pub(crate) steps: &'a [Step],
    pub(crate) places: &'a [Option<Place>],
    pub(crate) pool: &'a Pool,
    /// Registers of the pool count down from here.
    pub(crate) first_constant: u8,
    /// Boolean uniforms in use.
    pub(crate) bools: u8,
    /// The last boolean that is the program's: b15 of the geometry unit is the hardware's.
    pub(crate) last_bool: u8,
    /// Words that a subroutine must save to be made.
    pub(crate) subroutine_saves: usize,
}

#[derive(Clone)]
pub(super) struct Pending {
    pub(super) word: u32,
    pub(super) descriptor: u32,
    pub(super) care: u32,
    pub(super) has_descriptor: bool,
    pub(super) span: Option<Span>,
}

pub(super) struct Finish<'a> {
    pub(super) input: &'a Input<'a>,
    pub(super) code: Vec<Pending>,
    pub(super) ints: Vec<(u8, [u8; 4])>,
    pub(super) always: Option<u8>,
    /// What the last SETEMIT said, where that is known.
    pub(super) setting: Option<Setting>,
    /// What a0.x and a0.y hold.
    pub(super) addresses: [Option<u16>; 2],
    /// The step at hand.
    pub(super) at: usize,
    /// Constructs that are open.
    pub(super) open: Vec<Open>,
    /// The last step closed a block that the next one may not end with.
    pub(super) closed: bool,
    pub(super) span: Option<Span>,
}

pub(super) enum Open {
    /// The word of IFC or IFU, and the first word of the else part.
    If(usize, Option<usize>),
    /// The word of LOOP.
    Loop(usize),
    /// The first word of the body, and jumps to behind it.
    Jumps(usize, Vec<usize>),
}

impl Finish<'_> {
    /// An instruction without a descriptor.
    pub(super) fn plain(&mut self, op: Op, fields: &[(&str, Value)]) -> Result<usize, Trouble> {
        let inst =
            PICA200.encode_op(op as u16, fields, &PICA200.cx()).map_err(|_| Trouble::Operand(Id::MAX))?;
        let (word, _) = halves(inst.word);
        self.code.push(Pending { word, descriptor: 0, care: 0, has_descriptor: false, span: self.span });
        self.closed = false;
        Ok(self.code.len() - 1)
    }

    pub(super) fn target(&mut self, at: usize, target: usize) -> Result<(), Trouble> {
        let target = u32::try_from(target).ok().filter(|t| *t < 1 << 12);
        let target = target.ok_or(Trouble::Words(self.code.len() as u32))?;
        self.code[at].word = self.code[at].word & !(0xfff << 10) | target << 10;
        Ok(())
    }
}
