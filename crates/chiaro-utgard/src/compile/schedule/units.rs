//! What an operation takes of an instruction, or of several: units, opcodes, operands.

use super::attempt::Scheduler;
use super::room::Room;
use super::slot::{self, Input, Slot};
use crate::compile::graph::{Data, Node, Op, Source};
use crate::isa::selector::{Select, Unit};
use crate::isa::{Add0, Complex, Mul0, Pass, word};
use crate::regs::{IDENT, WITH_BRANCH};

impl Scheduler<'_> {
    /// What the current instruction, and those before it, have room for.
    pub(super) fn room(&self) -> Room {
        let at = |back: u32| &self.slots[(self.now + back) as usize];
        let first_steps = |back: u32| {
            let slot = at(back);
            Mul0::in_word(slot.word) == Mul0::Mul && !slot.has(Unit::Mul0) && !slot.has(Unit::Complex)
        };
        let last_step = at(0).has_both_multipliers() && first_steps(1);
        let pass = !at(0).has(Unit::Pass);
        let product = at(0).is_free(Unit::Mul1, Add0::Add) || at(0).is_free(Unit::Mul0, Add0::Add);
        let all = [
            (product, Room::PRODUCT),
            (at(0).has_both_multipliers(), Room::SELECT),
            (last_step, Room::ROOT),
            (last_step && !at(2).has(Unit::Pass), Room::EXP2),
            (pass && at(2).has_both_multipliers() && first_steps(3), Room::LOG2),
            (pass, Room::PASS),
            (pass && self.now == 0, Room::BRANCH),
            (!at(0).has(Unit::Complex), Room::ADDRESS),
        ];
        let adders = Room::adders(at(0).adder_opcodes());
        all.iter().filter(|(is_free, _)| *is_free).fold(adders, |room, &(_, one)| room.with(one))
    }

    pub(super) fn slot(&mut self) -> &mut Slot {
        &mut self.slots[self.now as usize]
    }

    pub(super) fn free(&self, units: &[Unit], add: Add0) -> Option<Unit> {
        let slot = &self.slots[self.now as usize];
        units.iter().copied().find(|&unit| slot.is_free(unit, add))
    }

    pub(super) fn product(&mut self, data: &Data) -> Option<Unit> {
        let unit = self.free(&[Unit::Mul1, Unit::Mul0], Add0::Add)?;
        self.slot().take(unit);
        let Op::Mul(neg) = data.op else { return None };
        let field = if unit == Unit::Mul0 { word::MUL0_NEG } else { word::MUL1_NEG };
        self.slot().set(field, u32::from(neg));
        let (a, b) = slot::inputs(unit);
        let [x, y] = [data.args()[0].node, data.args()[1].node];
        let (x, y) = if self.is_number(x, 1.0) { (y, x) } else { (x, y) };
        self.operand(self.now, a, x)?;
        self.operand(self.now, b, y)?;
        Some(unit)
    }

    /// A value with its sign turned, by a multiplier or an adder.
    pub(super) fn turned(&mut self, data: &Data) -> Option<Unit> {
        let unit = self.free(&[Unit::Mul1, Unit::Add1, Unit::Add0, Unit::Mul0], Add0::Add)?;
        self.slot().take(unit);
        let (a, b) = slot::inputs(unit);
        let sign = match unit {
            Unit::Mul0 => word::MUL0_NEG,
            Unit::Mul1 => word::MUL1_NEG,
            _ => slot::signs(unit).0,
        };
        self.slot().set(sign, 1);
        self.slot().read(b, IDENT);
        if matches!(unit, Unit::Add0 | Unit::Add1) {
            // -x + -0, so that 0 becomes -0.
            self.slot().set(slot::signs(unit).1, 1);
            self.slot().set(Add0::FIELD, Add0::Add.opcode());
        }
        self.operand(self.now, a, data.args()[0].node)?;
        Some(unit)
    }

    pub(super) fn sum(&mut self, data: &Data) -> Option<Unit> {
        let op = data.op.adder()?;
        let unit = self.free(&[Unit::Add0, Unit::Add1], op)?;
        self.slot().take(unit);
        self.slot().set(Add0::FIELD, op.opcode());
        let (a, b) = slot::inputs(unit);
        let (neg_a, neg_b) = slot::signs(unit);
        let mut args = [data.args()[0], data.args().get(1).copied().unwrap_or(data.args()[0])];
        let one = data.args().len() == 1;
        if matches!(data.op, Op::Add | Op::Min | Op::Max) && self.is_number(args[0].node, 0.0) {
            args.swap(0, 1);
        }
        self.operand(self.now, a, args[0].node)?;
        self.slot().set(neg_a, u32::from(args[0].neg));
        if !one {
            self.operand(self.now, b, args[1].node)?;
            self.slot().set(neg_b, u32::from(args[1].neg));
        }
        Some(unit)
    }

    pub(super) fn select(&mut self, data: &Data) -> Option<Unit> {
        self.wide(self.now, Mul0::Select)?;
        let [condition, yes, no] = [0, 1, 2].map(|i| data.args()[i].node);
        self.operand(self.now, Input::MUL0_B, condition)?;
        self.operand(self.now, Input::MUL1_A, yes)?;
        self.operand(self.now, Input::MUL0_A, no)?;
        Some(Unit::Mul0)
    }

    /// Takes both multipliers of an instruction.
    fn wide(&mut self, at: u32, op: Mul0) -> Option<()> {
        let slot = &mut self.slots[at as usize];
        if Mul0::in_word(slot.word) != Mul0::Mul || slot.has(Unit::Mul0) || slot.has(Unit::Mul1) {
            return None;
        }
        slot.take(Unit::Mul0);
        slot.take(Unit::Mul1);
        slot.set(Mul0::FIELD, op.opcode());
        Some(())
    }

    pub(super) fn clamp(&mut self, data: &Data, low: u32, high: u32) -> Option<Unit> {
        self.free(&[Unit::Pass], Add0::Add)?;
        self.slot().take(Unit::Pass);
        self.slot().set(Pass::FIELD, Pass::Clamp.opcode());
        self.limits(low, high)?;
        self.operand(self.now, Input::PASS_A, data.args()[0].node)?;
        Some(Unit::Pass)
    }

    /// The last step now; the first ones in the instructions before.
    pub(super) fn function(&mut self, data: &Data) -> Option<Unit> {
        let (now, x) = (self.now, data.args()[0].node);
        if data.op == Op::Exp2 {
            self.steps(now, Complex::Exp2, None)?;
            let before = &mut self.slots[now as usize + 2];
            if !before.is_free(Unit::Pass, Add0::Add) {
                return None;
            }
            before.take(Unit::Pass);
            before.set(Pass::FIELD, Pass::Preexp2.opcode());
            self.operand(now + 2, Input::PASS_A, x)?;
            self.slot().read(Input::MUL1_B, Select::Result(Unit::Pass, 2).first());
        } else {
            self.steps(now, data.op.function()?, Some(x))?;
        }
        Some(Unit::Mul0)
    }

    pub(super) fn log2(&mut self, data: &Data) -> Option<Unit> {
        self.free(&[Unit::Pass], Add0::Add)?;
        self.slot().take(Unit::Pass);
        self.slot().set(Pass::FIELD, Pass::Postlog2.opcode());
        self.slot().read(Input::PASS_A, Select::Result(Unit::Mul0, 2).first());
        self.steps(self.now + 2, Complex::Log2, Some(data.args()[0].node))?;
        Some(Unit::Pass)
    }

    /// complex1 in an instruction, complex2 and the first approximation in the one before.
    /// Without an argument they work on the pass unit's result.
    fn steps(&mut self, at: u32, op: Complex, x: Option<Node>) -> Option<()> {
        self.wide(at, Mul0::Complex1)?;
        let steps =
            [(Input::MUL0_A, Unit::Complex), (Input::MUL0_B, Unit::Mul0), (Input::MUL1_A, Unit::Complex)];
        for (field, unit) in steps {
            self.slots[at as usize].read(field, Select::Result(unit, 1).first());
        }
        let before = &mut self.slots[at as usize + 1];
        if Mul0::in_word(before.word) != Mul0::Mul || before.has(Unit::Mul0) || before.has(Unit::Complex) {
            return None;
        }
        before.take(Unit::Mul0);
        before.take(Unit::Complex);
        before.set(Mul0::FIELD, Mul0::Complex2.opcode());
        before.set(Complex::FIELD, op.opcode());
        let fields = [Input::COMPLEX_A, Input::MUL0_A, Input::MUL0_B];
        match x {
            None => {
                fields
                    .into_iter()
                    .for_each(|field| before.read(field, Select::Result(Unit::Pass, 1).first()));
            }
            Some(x) => {
                self.operand(at, Input::MUL1_B, x)?;
                for field in fields {
                    self.operand(at + 1, field, x)?;
                }
            }
        }
        Some(())
    }

    pub(super) fn branch(&mut self, data: &Data) -> Option<()> {
        if self.now != 0 {
            return None;
        }
        self.free(&[Unit::Pass], Add0::Add)?;
        let slot = self.slot();
        slot.take(Unit::Pass);
        slot.set(word::BRANCH, 1);
        slot.set(word::UNKNOWN, WITH_BRANCH);
        self.operand(0, Input::PASS_A, data.args()[0].node)
    }

    fn is_number(&self, node: Node, value: f32) -> bool {
        self.graph.get(node).op == Op::Load(Source::Constant(value.to_bits()))
    }
}
