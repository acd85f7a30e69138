//! Branches, kills and the end: what the shared walk over control asks for. spec section 22.3.

use chiaro_ir as ir;
use chiaro_ir::Def;
use chiaro_mach::control::OPEN;
use chiaro_mach::{Block, Code, File, Inst, Op as Mach, Operand, Outcome, Selector};

use super::Select;
use super::arith::{Comparison, comparison};
use super::part::{From, Part};
use crate::compile::code::{FULL, Modifiers, NOT, predicate, relation};
use crate::isa::Op;

const DIFFERS: Comparison = Comparison { op: Op::CmpsS, relation: relation::NE, is_float: false };

impl Select<'_> {
    /// Sets the predicate where a condition holds; whether it says the opposite.
    fn predicate(&mut self, at: Block, condition: ir::Value) -> bool {
        if let Some(other) = self.inverse_of(condition) {
            return !self.predicate(at, other);
        }
        if let Def::Result(inst, _) = self.f.def(condition)
            && let Some(compared) = comparison(self.f.op(inst))
        {
            let args = [0, 1].map(|n| self.scalar(self.f.args(inst)[n]));
            self.test(at, compared, args);
            return false;
        }
        if let Some(is_inverse) = self.both_or_either(at, condition) {
            return is_inverse;
        }
        let bool = self.scalar(condition);
        self.test(at, DIFFERS, [bool, Part::number(0)]);
        false
    }

    /// Sets the predicate for two bools together, by comparing one with the opposite of the other:
    /// `a && b` is `a > !b`, `a || b` is `!(a < !b)`. A comparison has an opposite where no NaN is.
    fn both_or_either(&mut self, at: Block, condition: ir::Value) -> Option<bool> {
        let Def::Result(inst, _) = self.f.def(condition) else { return None };
        let (relation, is_inverse) = match self.f.op(inst) {
            ir::Op::And => (relation::GT, false),
            ir::Op::Or => (relation::LT, true),
            _ => return None,
        };
        let &[a, b] = self.f.args(inst) else { return None };
        let (other, (inst, opposite)) = match self.opposite_of(b) {
            Some(opposite) => (a, opposite),
            None => (b, self.opposite_of(a)?),
        };
        let args = [0, 1].map(|n| self.scalar(self.f.args(inst)[n]));
        let opposite = self.compare(at, opposite, args);
        let other = self.scalar(other);
        self.test(at, Comparison { op: Op::CmpsS, relation, is_float: false }, [other, opposite]);
        Some(is_inverse)
    }

    /// The comparison that says the opposite of a value, with the instruction that has its operands.
    fn opposite_of(&self, value: ir::Value) -> Option<(ir::Inst, Comparison)> {
        let Def::Result(inst, _) = self.f.def(value) else { return None };
        let compared = comparison(self.f.op(inst))?;
        let relation = match compared.relation {
            relation::EQ => relation::NE,
            relation::NE => relation::EQ,
            relation::LT if !compared.is_float => relation::GE,
            relation::LE if !compared.is_float => relation::GT,
            _ => return None,
        };
        Some((inst, Comparison { relation, ..compared }))
    }

    /// A comparison into the predicate.
    fn test(&mut self, at: Block, compared: Comparison, args: [Part; 2]) {
        let uses = self.two(at, compared.op, args, compared.is_float);
        let modifiers = Modifiers { condition: compared.relation, ..Modifiers::default() };
        self.push(at, compared.op, &[predicate()], &uses, modifiers);
    }

    fn branch_on(&mut self, at: Block, is_inverse: bool) -> Inst {
        let read = predicate().bits(if is_inverse { NOT } else { 0 });
        self.push(at, Op::Br, &[], &[read, OPEN], Modifiers::default())
    }
}

impl Selector for Select<'_> {
    fn code(&mut self) -> &mut Code {
        &mut self.code
    }

    fn inst(&mut self, block: Block, inst: ir::Inst) -> Outcome {
        self.instruction(block, inst)
    }

    fn parts(&self, value: ir::Value) -> Vec<(File, u16)> {
        vec![(FULL, 1); self.scalars(self.f.ty(value))]
    }

    fn carry(&mut self, block: Block, value: ir::Value) -> Vec<Operand> {
        let carried = |s: &mut Self, part: Part| match part.from {
            From::Undef => Operand { file: FULL, ..Operand::default() },
            From::Value(_) => s.register(block, part),
            // Numbers are made where the phi wants them: a copy of a copy would wait.
            _ => s.fresh(block, part),
        };
        self.value(value).into_iter().map(|part| carried(self, part)).collect()
    }

    fn define(&mut self, _: Block, value: ir::Value, parts: &[Operand]) {
        let part = |operand: &Operand| match operand.value() {
            Some(value) => Part::new(From::Value(value)),
            None => Part::new(From::Undef),
        };
        self.values[value.0 as usize] = Some(parts.iter().map(part).collect());
    }

    fn branch(&mut self, block: Block, condition: ir::Value, holds: bool) -> Inst {
        let is_inverse = self.predicate(block, condition);
        self.branch_on(block, is_inverse == holds)
    }

    fn branch_if_among(&mut self, block: Block, selector: ir::Value, values: &[u64]) -> Inst {
        let selector = self.scalar(selector);
        let equal = Comparison { op: Op::CmpsS, relation: relation::EQ, is_float: false };
        let number = |value: u64| Part::number(value as u32);
        match *values {
            [value] => self.test(block, equal, [selector, number(value)]),
            _ => {
                let tests: Vec<Part> = values
                    .iter()
                    .map(|&value| self.compare(block, equal, [selector, number(value)]))
                    .collect();
                let any = tests.into_iter().reduce(|a, b| self.int2(block, Op::OrB, a, b));
                self.test(block, DIFFERS, [any.unwrap_or(Part::number(0)), Part::number(0)]);
            }
        }
        self.branch_on(block, false)
    }

    fn jump(&mut self, block: Block) -> Inst {
        self.push(block, Op::Jump, &[], &[OPEN], Modifiers::default())
    }

    fn kill(&mut self, block: Block, condition: Option<(ir::Value, bool)>) {
        let is_inverse = match condition {
            Some((condition, holds)) => self.predicate(block, condition) == holds,
            None => {
                // Zero differs from one in every lane.
                let zero = self.register(block, Part::number(0));
                let modifiers = Modifiers { condition: relation::NE, ..Modifiers::default() };
                self.push(block, Op::CmpsS, &[predicate()], &[zero, Operand::imm(1)], modifiers);
                false
            }
        };
        let read = predicate().bits(if is_inverse { NOT } else { 0 });
        self.push(block, Op::Kill, &[], &[read], Modifiers::default());
    }

    fn results(&mut self, block: Block) -> Outcome<Vec<Operand>> {
        Ok(self.outputs(block))
    }

    fn end(&mut self, block: Block, results: &[Operand]) {
        self.code.push(block, Mach::Return, &[], results);
        if let Some(&inst) = self.code.insts(block).last() {
            self.code.inst_mut(inst).effects = chiaro_mach::Effects::writes(chiaro_mach::Effects::CONTROL);
        }
    }
}
