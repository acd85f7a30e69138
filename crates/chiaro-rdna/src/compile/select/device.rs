//! Loads and stores by address (spec section 8.4): 64 bits in each lane, whatever memory it is.

use chiaro_ir as ir;
use chiaro_ir::{Op as Ir, Space, Ty, Type};
use chiaro_mach::{Block, Effects, Operand};

use super::Select;
use super::memory::runs;
use super::part::Part;
use crate::abi::layout::Leaf;
use crate::compile::code::Modifiers;
use crate::isa::Op;
use crate::isa::global::Global;

/// Bytes that an instruction adds to an address at most.
const MOST_OFFSET: u32 = 0x7ff;
/// Words that it moves at most.
const MOST_WORDS: u32 = 4;

impl Select<'_> {
    /// Whether a type is an address of memory.
    pub(super) fn is_device(&self, ty: Ty) -> bool {
        matches!(self.module.types.get(ty), Type::Pointer(Space::Device, _))
    }

    /// Whether an address becomes a number, or the other way around: both are the same.
    pub(super) fn is_renamed(&self, inst: ir::Inst) -> bool {
        let types = self.f.args(inst).iter().copied().chain(self.f.result_of(inst));
        self.f.op(inst) == Ir::Bitcast && types.into_iter().any(|value| self.is_device(self.f.ty(value)))
    }

    /// The words at an address; an address and its first byte may be beyond what an instruction reaches.
    pub(super) fn load_device(
        &mut self,
        at: Block,
        pointer: ir::Value,
        leaves: &[Leaf],
    ) -> Option<Vec<Part>> {
        let address = self.device_address(at, pointer)?;
        let mut words = Vec::new();
        for run in runs(leaves, MOST_WORDS) {
            let op = Global::load(run.bits, run.words);
            let def = self.new_vector(run.words as u16);
            let place = within(run.first)?;
            let inst = self.push(at, Op::Global(op), &[def], &[Operand::imm(0), address], place);
            self.code.inst_mut(inst).effects.reads |= Effects::GLOBAL;
            words.extend(self.split(at, def));
        }
        Some(words)
    }

    /// Stores words to an address.
    pub(super) fn store_device(
        &mut self,
        at: Block,
        pointer: ir::Value,
        leaves: &[Leaf],
        words: &[Part],
    ) -> Option<()> {
        let address = self.device_address(at, pointer)?;
        let mut rest = words;
        for run in runs(leaves, MOST_WORDS) {
            let (here, others) = rest.split_at((run.words as usize).min(rest.len()));
            rest = others;
            let op = Global::store(run.bits, run.words);
            let data = self.collect(at, here);
            let place = within(run.first)?;
            let inst = self.push(at, Op::Global(op), &[], &[Operand::imm(0), address, data], place);
            self.code.inst_mut(inst).effects.writes |= Effects::GLOBAL;
        }
        Some(())
    }

    fn device_address(&mut self, at: Block, pointer: ir::Value) -> Option<Operand> {
        let address = *self.value(pointer).first()?;
        Some(self.in_vector(at, address))
    }
}

/// Bytes that an instruction adds; none where they are too many.
fn within(bytes: u32) -> Option<Modifiers> {
    (bytes <= MOST_OFFSET).then(|| Modifiers::number(bytes as i32))
}
