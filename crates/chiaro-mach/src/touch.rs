//! Touches: what instructions do with the values of each register file, in the order of the code.
//!
//! Operands are large, and those of all files stand among one another. Whoever asks only which values are
//! written and read, and when next, goes over these lists instead.

use crate::code::{Code, Inst, Value};
use crate::id::Block;
use crate::op::Op;
use crate::operand::{Operand, What};

/// Next use of a value: none.
pub(crate) const NEVER: u32 = u32::MAX;
/// Next use of a value: in another block.
pub(crate) const ELSEWHERE: u32 = u32::MAX - 1;

/// That an instruction writes or reads a value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    pub(crate) value: Value,
    /// The place of the instruction in its block.
    pub(crate) pos: u32,
    /// The place in the block of the next instruction that reads the value; [`ELSEWHERE`] or [`NEVER`]. Known
    /// once [`look_ahead`](crate::next_use::look_ahead()) has been there.
    pub(crate) next: u32,
    /// The operand's number among the definitions, or among the uses.
    pub(crate) number: u16,
    /// A set of the bits below.
    kind: u8,
}

impl Touch {
    const DEF: u8 = 1;
    const PHI: u8 = 2;
    const COPY: u8 = 4;
    const BOUND: u8 = 8;

    /// Whether the value is written.
    pub(crate) fn is_def(self) -> bool {
        self.kind & Touch::DEF != 0
    }

    /// Whether a phi does it.
    pub(crate) fn is_phi(self) -> bool {
        self.kind & Touch::PHI != 0
    }

    /// Whether a copy between values does it.
    pub(crate) fn is_copy(self) -> bool {
        self.kind & Touch::COPY != 0
    }

    /// Whether the operand says where the value has to be, or that it shares no place.
    pub(crate) fn is_bound(self) -> bool {
        self.kind & Touch::BOUND != 0
    }
}

/// What happens to one file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Touches {
    /// Block by block, instruction by instruction, its definitions before its uses.
    list: Vec<Touch>,
    /// Where each block begins in the list; one entry more for the end.
    starts: Vec<u32>,
    /// Instructions that destroy registers of the file, in the order of the code.
    pub(crate) destroyers: Vec<(Block, u32, Inst)>,
    /// First units and sizes of registers that stand in the code by number.
    pub(crate) bare: Vec<(u16, u16)>,
    /// Values that are asked for by number: the first unit that is accessed, and where it has to be.
    pub(crate) fixed: Vec<(Value, u16, u16)>,
    /// Whether some instruction needs more of the file than what is alive takes.
    pub(crate) is_hard: bool,
}

impl Touches {
    /// Those of all blocks.
    pub(crate) fn all(&self) -> &[Touch] {
        &self.list
    }

    /// Those of a block.
    pub(crate) fn of(&self, block: Block) -> &[Touch] {
        &self.list[self.range(block)]
    }

    /// Those of a block, to be changed.
    pub(crate) fn of_mut(&mut self, block: Block) -> &mut [Touch] {
        let range = self.range(block);
        &mut self.list[range]
    }

    /// Whether anything happens to the file in a block.
    pub(crate) fn is_touched(&self, block: Block) -> bool {
        !self.of(block).is_empty()
    }

    /// Where those of a block stand among all.
    pub(crate) fn range(&self, block: Block) -> std::ops::Range<usize> {
        self.starts[block.0 as usize] as usize..self.starts[block.0 as usize + 1] as usize
    }

    fn push(&mut self, operand: &Operand, value: Value, pos: u32, number: usize, kind: u8) {
        let overlaps = operand.late_kill || operand.early_clobber;
        let is_placed = operand.fixed.is_some() || operand.tied.is_some() || operand.align > 1;
        let kind = kind | if overlaps || is_placed { Touch::BOUND } else { 0 };
        self.fixed.extend(operand.fixed.map(|unit| (value, operand.offset, unit)));
        self.list.push(Touch { value, pos, next: NEVER, number: number as u16, kind });
    }
}

/// What happens to each of so many files.
pub(crate) fn touches(code: &Code, files: usize) -> Vec<Touches> {
    let mut all = vec![Touches::default(); files];
    for block in code.blocks() {
        all.iter_mut().for_each(|touches| touches.starts.push(touches.list.len() as u32));
        for (pos, &inst) in (0..).zip(code.insts(block)) {
            for clobber in code.clobbered(inst) {
                let Some(touches) = all.get_mut(usize::from(clobber.file.0)) else { continue };
                touches.is_hard = true;
                if touches.destroyers.last() != Some(&(block, pos, inst)) {
                    touches.destroyers.push((block, pos, inst));
                }
            }
            touch(code, pos, inst, &mut all);
        }
    }
    all.iter_mut().for_each(|touches| touches.starts.push(touches.list.len() as u32));
    all
}

/// Adds what one instruction does.
fn touch(code: &Code, pos: u32, inst: Inst, all: &mut [Touches]) {
    let kind = match code.op(inst) {
        Op::Phi => Touch::PHI,
        Op::Collect | Op::Split | Op::Pcopy => Touch::COPY,
        _ => 0,
    };
    let mut touch = |operand: &Operand, number: usize, kind: u8| {
        let Some(touches) = all.get_mut(usize::from(operand.file.0)) else { return };
        touches.is_hard |= operand.late_kill || operand.early_clobber;
        match operand.what {
            What::Value(value) => touches.push(operand, value, pos, number, kind),
            What::Reg => touches.bare.extend(operand.reg.map(|unit| (unit, operand.size))),
            _ => {}
        }
    };
    code.defs(inst).iter().enumerate().for_each(|(n, def)| touch(def, n, kind | Touch::DEF));
    code.uses(inst).iter().enumerate().for_each(|(n, used)| touch(used, n, kind));
}
