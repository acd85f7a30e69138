//! Conditions: comparisons where they are needed, in selects, ifs and loops, or as bools (spec 3.6, 6.1, 6.2).

use chiaro_ir as ir;
use chiaro_ir::{Def, Op as Ir};
use chiaro_mach::{Block, Operand};

use super::Select;
use super::part::{From, Part};
use crate::compile::code::Modifiers;
use crate::compile::code::condition::{ABOVE, BELOW, EQUAL, GREATER, INVERT, LESS};
use crate::isa::Op;
use crate::isa::float::Float;
use crate::isa::integer::Integer;

/// A comparison.
#[derive(Clone, Copy, Debug)]
pub(super) struct Test {
    pub(super) is_float: bool,
    /// The machine's code; 8 inverts it.
    pub(super) condition: u8,
    pub(super) a: Operand,
    pub(super) b: Operand,
}

impl Test {
    pub(super) fn inverse(self) -> Test {
        Test { condition: self.condition ^ INVERT, ..self }
    }
}

/// The code of a comparison of the IR.
fn condition(op: Ir) -> Option<(bool, u8)> {
    Some(match op {
        Ir::FEq => (true, 0),
        Ir::FNe => (true, INVERT),
        Ir::FLt => (true, 1),
        Ir::FLe => (true, 6),
        Ir::IsNan => (true, INVERT),
        Ir::IsInf => (true, 0),
        Ir::IEq => (false, EQUAL),
        Ir::INe => (false, EQUAL | INVERT),
        Ir::ULt => (false, BELOW),
        Ir::ULe => (false, ABOVE | INVERT),
        Ir::SLt => (false, LESS),
        Ir::SLe => (false, GREATER | INVERT),
        _ => return None,
    })
}

impl Select<'_> {
    /// Whether an operation is a comparison.
    pub(super) fn tests(&self, op: Ir) -> bool {
        condition(op).is_some()
    }

    /// A comparison of scalars; of 64 bits none.
    pub(super) fn test_of(&mut self, at: Block, inst: ir::Inst, [a, b, _]: [Part; 3]) -> Option<Test> {
        let op = self.f.op(inst);
        let (is_float, code) = condition(op)?;
        if a.size > 2 {
            return self.long_test(at, op, a, b);
        }
        let is_signed = matches!(op, Ir::SLt | Ir::SLe);
        let bytes = self.module.types.bits(self.f.ty(self.f.args(inst)[0])) == Some(8);
        let (a, b) = match (op, is_signed && bytes) {
            (Ir::IsNan, _) => (a, a),
            (Ir::IsInf, _) if a.size == 1 => (a.absolute(), Part::half(0x7c00)),
            (Ir::IsInf, _) => (a.absolute(), Part::float(f32::INFINITY)),
            (_, true) => (self.byte_extended(at, a), self.byte_extended(at, b)),
            _ => (a, b),
        };
        let side = |s: &mut Self, part: Part| match is_float {
            true => s.float(at, part),
            false => s.compared(at, part, is_signed),
        };
        Some(Test { is_float, condition: code, a: side(self, a), b: side(self, b) })
    }

    /// A source of an integer comparison: what is read with its sign is held in its own size.
    fn compared(&mut self, at: Block, part: Part, is_signed: bool) -> Operand {
        let narrow = part.held() < part.size;
        if is_signed && narrow && part.bits().is_none() {
            return self.register(at, part);
        }
        // Numbers of 16 bits that are read with a sign have to come with their size.
        self.integer(at, part, false)
    }

    /// What a condition asks, the comparison itself if it is one.
    pub(super) fn test(&mut self, at: Block, condition_of: ir::Value) -> Test {
        if let Def::Result(inst, 0) = self.f.def(condition_of) {
            let op = self.f.op(inst);
            let args = self.f.args(inst).to_vec();
            if op == Ir::Not {
                return self.test(at, args[0]).inverse();
            }
            let scalars = args.iter().all(|&arg| self.sizes(self.f.ty(arg)).len() == 1);
            if condition(op).is_some() && scalars && self.sizes(self.f.ty(args[0])) != [4] {
                let [a, b] = [0, args.len() - 1].map(|n| self.scalar(args[n]));
                if let Some(test) = self.test_of(at, inst, [a, b, b]) {
                    return test;
                }
            }
        }
        let bool = self.scalar(condition_of);
        self.holds(at, bool)
    }

    /// Whether a bool holds.
    pub(super) fn holds(&mut self, at: Block, bool: Part) -> Test {
        let a = self.integer(at, bool, false);
        Test { is_float: false, condition: EQUAL | INVERT, a, b: Operand { size: 1, ..Operand::imm(0) } }
    }

    /// Whether an integer is a number.
    pub(super) fn is_number(&mut self, at: Block, value: Part, n: u32) -> Test {
        let number = Part::new(From::Number(n.into()), value.size);
        let (a, b) = (self.integer(at, value, false), self.integer(at, number, false));
        Test { is_float: false, condition: EQUAL, a, b }
    }

    /// A comparison as a bool.
    pub(super) fn truth(&mut self, at: Block, test: &Test) -> Part {
        self.select(at, test, Part::bool(true), Part::bool(false))
    }

    /// One of two by a comparison.
    pub(super) fn select(&mut self, at: Block, test: &Test, yes: Part, no: Part) -> Part {
        let size = yes.size.max(no.size);
        if size > 2 {
            return self.select_long(at, test, yes, no);
        }
        let (yes, no) = if test.condition & INVERT != 0 { (no, yes) } else { (yes, no) };
        let uses = [test.a, test.b, self.selected(at, yes), self.selected(at, no)];
        let op = if test.is_float { Op::Float(Float::Fcmpsel) } else { Op::Integer(Integer::Icmpsel) };
        let condition = test.condition & !INVERT;
        self.make(at, op, size, &uses, Modifiers { condition, ..Modifiers::default() })
    }

    fn select_long(&mut self, at: Block, test: &Test, yes: Part, no: Part) -> Part {
        let plain = self.is_part();
        let ready = |s: &mut Self, part: Part| match plain && part.halves(0, 2).is_some() {
            true => part,
            false => s.in_register(at, part),
        };
        let (yes, no) = (ready(self, yes), ready(self, no));
        let halves: Vec<Part> = (0..2)
            .filter_map(|n| Some((yes.halves(2 * n, 2)?, no.halves(2 * n, 2)?)))
            .map(|(yes, no)| self.select(at, test, yes, no))
            .collect();
        self.joined(at, &halves)
    }

    /// One of two by a bool. 1 and 0 by a bool are the bool itself.
    pub(super) fn choose(&mut self, at: Block, inst: ir::Inst, [condition, yes, no]: [Part; 3]) -> Part {
        let of_one = self.sizes(self.f.ty(self.f.args(inst)[0])).len() == 1;
        let test = match of_one {
            true => self.test(at, self.f.args(inst)[0]),
            false => self.holds(at, condition),
        };
        self.select(at, &test, yes, no)
    }

    /// Which of two integers of 64 bits is smaller or larger; `None` for shorter ones.
    pub(super) fn long_order(&mut self, at: Block, condition: u8, a: Part, b: Part) -> Option<Test> {
        let op = if matches!(condition, LESS | GREATER) { Ir::SLt } else { Ir::ULt };
        let (a, b) = if matches!(condition, GREATER | ABOVE) { (b, a) } else { (a, b) };
        if a.size > 2 { self.long_test(at, op, a, b) } else { None }
    }

    /// A comparison of 64 bits: the high words decide unless they are equal.
    fn long_test(&mut self, at: Block, op: Ir, a: Part, b: Part) -> Option<Test> {
        let (a, b) = (self.in_register(at, a), self.in_register(at, b));
        let [(low_a, high_a), (low_b, high_b)] = [a, b].map(|x| (x.halves(0, 2), x.halves(2, 2)));
        let (low_a, high_a, low_b, high_b) = (low_a?, high_a?, low_b?, high_b?);
        if matches!(op, Ir::IEq | Ir::INe) {
            let low = self.bits(at, 2, crate::compile::code::table::XOR, low_a, low_b);
            let high = self.bits(at, 2, crate::compile::code::table::XOR, high_a, high_b);
            let any = self.bits(at, 2, crate::compile::code::table::OR, low, high);
            let test = self.is_number(at, any, 0);
            return Some(if op == Ir::IEq { test } else { test.inverse() });
        }
        // a <= b is not b < a.
        let swapped = matches!(op, Ir::ULe | Ir::SLe);
        let (la, ha, lb, hb) =
            if swapped { (low_b, high_b, low_a, high_a) } else { (low_a, high_a, low_b, high_b) };
        let below = |s: &mut Self, condition: u8, a: Part, b: Part| {
            let (a, b) = (s.integer(at, a, false), s.integer(at, b, false));
            Test { is_float: false, condition, a, b }
        };
        let low = below(self, BELOW, la, lb);
        let low = self.truth(at, &low);
        let high = below(self, if matches!(op, Ir::SLt | Ir::SLe) { LESS } else { BELOW }, ha, hb);
        let high = self.truth(at, &high);
        let equal = below(self, EQUAL, ha, hb);
        let less = self.select(at, &equal, low, high);
        let test = self.holds(at, less);
        Some(if swapped { test.inverse() } else { test })
    }
}
