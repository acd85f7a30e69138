//! Fragments whose samples are tested before they run: `layout(early_fragment_tests) in` (spec 9.6, 14.3).
//!
//! A sample that has been tested must not be killed: what the shader discards is a mask in r3h, by which the epilog
//! leaves it out.
//!
//! ```text
//! wait_pix 1, 0
//! sample_mask 255, 255
//! mov_imm r3h, 255
//! ...
//! fcmpsel lt, r3h, v, 0.5, 0, r3h        discards where v is below
//! ```

use chiaro_ir as ir;
use chiaro_ir::{Op as Ir, Walk};
use chiaro_mach::{Block, Effects, Operand};

use super::Select;
use super::fragment::ALL;
use super::output::TEST;
use super::part::Part;
use crate::compile::code::condition::INVERT;
use crate::compile::code::table::{AND, COPY};
use crate::compile::code::{GPR, Modifiers};
use crate::isa::Op;
use crate::isa::float::Float;
use crate::isa::graphics::Graphics;
use crate::isa::integer::Integer;
use crate::regs::WRITTEN;

impl Select<'_> {
    /// Tests all samples, and starts the mask of those that the shader keeps.
    pub(super) fn test_early(&mut self, at: Block) {
        if !self.early {
            return;
        }
        self.push(at, Op::Graphics(Graphics::WaitPix), &[], &[Operand::imm(TEST)], Modifiers::default());
        let living = Operand { size: 1, ..Operand::imm(ALL) };
        let uses = [self.shaded(), living];
        self.push(at, Op::Graphics(Graphics::SampleMask), &[], &uses, Modifiers::default());
        self.link.already_ran_zs = 1;
        let kills = |inst: ir::Inst| matches!(self.f.op(inst), Ir::Terminate | Ir::Demote);
        if Walk::insts(self.f).any(kills) {
            self.keep_mask();
            self.set_mask(at, Op::Integer(Integer::MovImm), &[Operand::imm(ALL)], Modifiers::default());
        }
    }

    fn keep_mask(&mut self) {
        self.link.sample_mask_after_force_early = 1;
    }

    /// Leaves samples out that have been tested, where a condition is as given or in any case.
    pub(super) fn kill_tested(&mut self, at: Block, condition: Option<(ir::Value, bool)>) {
        let nothing = Operand { size: 1, ..Operand::imm(0) };
        let Some((condition, holds)) = condition else {
            return self.set_mask(at, Op::Integer(Integer::MovImm), &[nothing], Modifiers::default());
        };
        let test = self.test(at, condition);
        let test = if holds { test } else { test.inverse() };
        let kept = Operand::reg(GPR, WRITTEN, 1);
        let (yes, no) = if test.condition & INVERT == 0 { (nothing, kept) } else { (kept, nothing) };
        let op = if test.is_float { Op::Float(Float::Fcmpsel) } else { Op::Integer(Integer::Icmpsel) };
        let modifiers = Modifiers { condition: test.condition & !INVERT, ..Modifiers::default() };
        self.set_mask(at, op, &[test.a, test.b, yes, no], modifiers);
    }

    /// Of samples that have been tested those of a mask are written.
    pub(super) fn mask_tested(&mut self, at: Block, mask: Option<Part>) {
        let Some(mask) = mask else { return };
        let mask = self.bits(at, 1, AND, mask, Part::half(ALL as u16));
        let both = [Operand::reg(GPR, WRITTEN, 1), self.register(at, mask)];
        let (uses, table) = match self.link.sample_mask_after_force_early {
            1 => (both, AND),
            _ => ([both[1], Operand::imm(0)], COPY),
        };
        self.keep_mask();
        self.set_mask(at, Op::Integer(Integer::Bitop), &uses, Modifiers { table, ..Modifiers::default() });
    }

    /// The mask where the epilog looks for it.
    pub(super) fn leave_mask(&mut self, at: Block) -> Option<Operand> {
        if self.link.sample_mask_after_force_early == 0 {
            return None;
        }
        let mask = Operand::reg(GPR, WRITTEN, 1);
        if !self.among.is_one {
            return Some(mask);
        }
        let copy = Modifiers { table: COPY, ..Modifiers::default() };
        let part = self.make(at, Op::Integer(Integer::Bitop), 1, &[mask, Operand::imm(0)], copy);
        self.among.given.insert(WRITTEN, part);
        None
    }

    /// Writes the mask, in the order of the text.
    fn set_mask(&mut self, at: Block, op: Op, uses: &[Operand], modifiers: Modifiers) {
        let inst = self.push(at, op, &[Operand::reg(GPR, WRITTEN, 1)], uses, modifiers);
        self.code.inst_mut(inst).effects = Effects::writes(Effects::COVERAGE);
    }
}
