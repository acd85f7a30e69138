//! Comparisons: of lanes into a bit for each, of the wave into SCC; bools and choices by them.

use chiaro_ir as ir;
use chiaro_ir::{Def, Op as Ir};
use chiaro_mach::Block;

use super::Select;
use super::float::of;
use super::part::{From, Kind, Part};
use super::value::{LONG, Of, SHORT, WORD};
use crate::isa::Op;
use crate::isa::sop1::Sop1;
use crate::isa::sop2::Sop2;
use crate::isa::sopc::Sopc;
use crate::isa::vopc::Vopc;

/// Relations by their place in the rows below: the opposite way round, for sources that change places.
const MIRRORED: [usize; 6] = [0, 1, 4, 5, 2, 3];

/// Equal, different, less, less or equal, greater, greater or equal.
const FLOATS: [[Vopc; 6]; 3] = [
    [Vopc::CmpEqF32, Vopc::CmpNeqF32, Vopc::CmpLtF32, Vopc::CmpLeF32, Vopc::CmpGtF32, Vopc::CmpGeF32],
    [Vopc::CmpEqF16, Vopc::CmpNeqF16, Vopc::CmpLtF16, Vopc::CmpLeF16, Vopc::CmpGtF16, Vopc::CmpGeF16],
    [Vopc::CmpEqF64, Vopc::CmpNeqF64, Vopc::CmpLtF64, Vopc::CmpLeF64, Vopc::CmpGtF64, Vopc::CmpGeF64],
];
const UNSIGNED: [[Vopc; 6]; 3] = [
    [Vopc::CmpEqU32, Vopc::CmpNeU32, Vopc::CmpLtU32, Vopc::CmpLeU32, Vopc::CmpGtU32, Vopc::CmpGeU32],
    [Vopc::CmpEqU16, Vopc::CmpNeU16, Vopc::CmpLtU16, Vopc::CmpLeU16, Vopc::CmpGtU16, Vopc::CmpGeU16],
    [Vopc::CmpEqU64, Vopc::CmpNeU64, Vopc::CmpLtU64, Vopc::CmpLeU64, Vopc::CmpGtU64, Vopc::CmpGeU64],
];
const SIGNED: [[Vopc; 6]; 3] = [
    [Vopc::CmpEqI32, Vopc::CmpNeI32, Vopc::CmpLtI32, Vopc::CmpLeI32, Vopc::CmpGtI32, Vopc::CmpGeI32],
    [Vopc::CmpEqI16, Vopc::CmpNeI16, Vopc::CmpLtI16, Vopc::CmpLeI16, Vopc::CmpGtI16, Vopc::CmpGeI16],
    [Vopc::CmpEqI64, Vopc::CmpNeI64, Vopc::CmpLtI64, Vopc::CmpLeI64, Vopc::CmpGtI64, Vopc::CmpGeI64],
];
const OF_WAVE: [[Sopc; 6]; 2] = [
    [Sopc::CmpEqU32, Sopc::CmpLgU32, Sopc::CmpLtU32, Sopc::CmpLeU32, Sopc::CmpGtU32, Sopc::CmpGeU32],
    [Sopc::CmpEqI32, Sopc::CmpLgI32, Sopc::CmpLtI32, Sopc::CmpLeI32, Sopc::CmpGtI32, Sopc::CmpGeI32],
];

/// How numbers are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sort {
    Float,
    Unsigned,
    Signed,
}

/// A comparison of the IR: its sort, and the place of its relation.
fn relation(op: Ir) -> Option<(Sort, usize)> {
    Some(match op {
        Ir::FEq => (Sort::Float, 0),
        Ir::FNe => (Sort::Float, 1),
        Ir::FLt => (Sort::Float, 2),
        Ir::FLe => (Sort::Float, 3),
        Ir::IEq => (Sort::Unsigned, 0),
        Ir::INe => (Sort::Unsigned, 1),
        Ir::ULt => (Sort::Unsigned, 2),
        Ir::ULe => (Sort::Unsigned, 3),
        Ir::SLt => (Sort::Signed, 2),
        Ir::SLe => (Sort::Signed, 3),
        _ => return None,
    })
}

fn width(kind: Kind) -> usize {
    match kind {
        Kind::Short => 1,
        Kind::Pair => 2,
        _ => 0,
    }
}

impl Select<'_> {
    /// A comparison or test of the IR.
    pub(super) fn comparison(&mut self, at: Block, op: Ir, [a, b]: [Part; 2]) -> Option<Part> {
        match op {
            Ir::IsNan => return Some(self.tested(at, [Vopc::CmpUF32, Vopc::CmpUF16, Vopc::CmpUF64], [a, a])),
            Ir::IsInf => {
                let infinity = match a.kind {
                    Kind::Short => Part::new(From::Number(0x7c00), Kind::Short),
                    Kind::Pair => Part::long(f64::INFINITY.to_bits()),
                    _ => Part::float(f32::INFINITY),
                };
                return Some(self.tested(
                    at,
                    [FLOATS[0][0], FLOATS[1][0], FLOATS[2][0]],
                    [a.absolute(), infinity],
                ));
            }
            _ => {}
        }
        let (sort, place) = relation(op)?;
        if matches!(a.kind, Kind::Mask | Kind::Truth) {
            let same = self.bools(at, if place == 0 { Ir::IEq } else { Ir::Xor }, [a, b]);
            return Some(same);
        }
        if self.compares_in_wave(sort, place, [a, b]) {
            self.compare_in_wave(at, sort, place, [a, b]);
            return Some(self.truth_of_scc(at));
        }
        let rows = match sort {
            Sort::Float => FLOATS,
            Sort::Unsigned => UNSIGNED,
            Sort::Signed => SIGNED,
        };
        let of = match sort {
            Sort::Float => of(a.kind),
            _ => integer(a.kind),
        };
        let (parts, place) = match !self.is_vector(b) && self.is_vector(a) {
            true => ([(b, of), (a, of)], MIRRORED[place]),
            false => ([(a, of), (b, of)], place),
        };
        Some(self.compared(at, Op::Vopc(rows[width(a.kind)][place]), &parts))
    }

    fn tested(&mut self, at: Block, ops: [Vopc; 3], [a, b]: [Part; 2]) -> Part {
        let of = of(a.kind);
        self.compared(at, Op::Vopc(ops[width(a.kind)]), &[(a, of), (b, of)])
    }

    /// Whether SCC can hold what comes out: integers in scalar registers, pairs for equality.
    fn compares_in_wave(&self, sort: Sort, place: usize, [a, b]: [Part; 2]) -> bool {
        let fits = match a.kind {
            Kind::Word => true,
            Kind::Pair => place < 2,
            _ => false,
        };
        sort != Sort::Float && fits && self.is_scalar(a) && self.is_scalar(b)
    }

    fn compare_in_wave(&mut self, at: Block, sort: Sort, place: usize, parts: [Part; 2]) {
        let op = match parts[0].kind {
            Kind::Pair => [Sopc::CmpEqU64, Sopc::CmpLgU64][place],
            _ => OF_WAVE[usize::from(sort == Sort::Signed)][place],
        };
        self.test(at, Op::Sopc(op), parts);
    }

    /// Sets SCC where a bool of the wave holds: by comparing again, where it comes from a comparison.
    pub(super) fn set_scc(&mut self, at: Block, value: ir::Value) {
        if let Def::Result(inst, _) = self.f.def(value)
            && let Some((sort, place)) = relation(self.f.op(inst))
        {
            let parts = [0, 1].map(|n| self.one(self.f.args(inst)[n]));
            if self.compares_in_wave(sort, place, parts) {
                return self.compare_in_wave(at, sort, place, parts);
            }
        }
        let part = self.one(value);
        self.set_scc_of(at, part);
    }

    /// The same of a bool that is not the IR's.
    pub(super) fn set_scc_of(&mut self, at: Block, part: Part) {
        if part.kind == Kind::Mask {
            let (running, is_long) = (crate::compile::code::exec(self.wave), self.wave == 64);
            let (mask, def) = (self.mask(at, part), self.new_scalar(Kind::Mask.size(self.wave)));
            let op = Op::Sop2(if is_long { Sop2::AndB64 } else { Sop2::AndB32 });
            self.push(at, op, &[def], &[mask, running], Default::default());
            return;
        }
        self.test(at, Op::Sopc(Sopc::CmpLgU32), [Part { kind: Kind::Word, ..part }, Part::number(0)]);
    }

    /// An operation on bools.
    pub(super) fn bools(&mut self, at: Block, op: Ir, [a, b]: [Part; 2]) -> Part {
        let of_wave = a.kind == Kind::Truth && b.kind == Kind::Truth;
        let is_long = self.wave == 64 && !of_wave;
        let by = |word: Sop2, long: Sop2| Op::Sop2(if is_long { long } else { word });
        if op == Ir::Not {
            return self.turned(at, a);
        }
        if op == Ir::IEq && of_wave {
            let differs = self.bools(at, Ir::Xor, [a, b]);
            return self.turned(at, differs);
        }
        let machine = match op {
            Ir::And => by(Sop2::AndB32, Sop2::AndB64),
            Ir::Or => by(Sop2::OrB32, Sop2::OrB64),
            Ir::IEq => by(Sop2::XnorB32, Sop2::XnorB64),
            _ => by(Sop2::XorB32, Sop2::XorB64),
        };
        if of_wave {
            return self.scalar(at, machine, &[a, b], Kind::Truth);
        }
        let parts = [a, b].map(|part| Self::part(self.mask(at, part), Kind::Mask));
        self.scalar(at, machine, &parts, Kind::Mask)
    }

    /// The opposite of a bool.
    pub(super) fn turned(&mut self, at: Block, a: Part) -> Part {
        match (a.kind, a.from) {
            (_, From::Number(bits)) => Part::truth(bits == 0),
            (Kind::Mask, _) => {
                let mask = Self::part(self.mask(at, a), Kind::Mask);
                let op = Op::Sop1(if self.wave == 64 { Sop1::NotB64 } else { Sop1::NotB32 });
                self.scalar(at, op, &[mask], Kind::Mask)
            }
            _ => self.scalar(
                at,
                Op::Sop2(Sop2::XorB32),
                &[a, Part { kind: Kind::Truth, ..Part::number(1) }],
                Kind::Truth,
            ),
        }
    }

    /// One of two by a bool of the IR.
    pub(super) fn select(
        &mut self,
        at: Block,
        condition: ir::Value,
        component: usize,
        [yes, no]: [Part; 2],
    ) -> Part {
        let parts = self.value(condition);
        let Some(part) = parts.get(if parts.len() == 1 { 0 } else { component }).copied() else { return yes };
        if let (Kind::Truth, From::Value(..)) = (part.kind, part.from)
            && [yes, no].iter().all(|&p| self.is_scalar(p))
            && yes.kind != Kind::Mask
            && parts.len() == 1
        {
            self.set_scc(at, condition);
            let op = if yes.kind == Kind::Pair { Sop2::CselectB64 } else { Sop2::CselectB32 };
            return self.scalar(at, Op::Sop2(op), &[yes, no], yes.kind);
        }
        self.choice(at, part, [yes, no])
    }

    /// One of two by a bool.
    pub(super) fn choice(&mut self, at: Block, condition: Part, [yes, no]: [Part; 2]) -> Part {
        if let Some(bits) = condition.bits() {
            return if bits != 0 { yes } else { no };
        }
        match yes.kind {
            Kind::Mask | Kind::Truth => self.chosen_bool(at, condition, [yes, no]),
            Kind::Pair => {
                let halves = [0, 1].map(|n| {
                    let words = [yes, no].map(|part| self.plain(at, part).half(n));
                    self.chosen(at, condition, words)
                });
                self.joined(at, halves)
            }
            Kind::Short => {
                let plain = [yes, no].map(|part| self.plain(at, part));
                Part { kind: Kind::Short, ..self.chosen(at, condition, plain) }
            }
            Kind::Word => self.chosen(at, condition, [yes, no]),
        }
    }

    /// (condition and yes) or (no and not condition).
    fn chosen_bool(&mut self, at: Block, condition: Part, [yes, no]: [Part; 2]) -> Part {
        match (yes.bits(), no.bits()) {
            (Some(1), Some(0)) => return condition,
            (Some(0), Some(1)) => return self.turned(at, condition),
            _ => {}
        }
        let both = self.bools(at, Ir::And, [condition, yes]);
        let other = self.turned(at, condition);
        let rest = self.bools(at, Ir::And, [other, no]);
        self.bools(at, Ir::Or, [both, rest])
    }
}

/// What integer sources of a kind are taken as.
pub(super) fn integer(kind: Kind) -> Of {
    match kind {
        Kind::Short => SHORT,
        Kind::Pair => LONG,
        _ => WORD,
    }
}
