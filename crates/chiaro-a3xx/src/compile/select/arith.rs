//! Arithmetic, one operation for one scalar of legal IR where the machine has it.

use chiaro_ir as ir;
use chiaro_ir::{Def, Op as Ir};
use chiaro_mach::Block;

use super::Select;
use super::part::{From, Part};
use crate::compile::code::{Modifiers, relation, types};
use crate::isa::Op;
use chiaro_opt::lower::Native;

/// A comparison: operation, relation, whether its operands are floats, whether they change places.
#[derive(Clone, Copy)]
pub(super) struct Comparison {
    pub(super) op: Op,
    pub(super) relation: u8,
    pub(super) is_float: bool,
}

/// The comparison of an operation of the IR.
pub(super) fn comparison(op: Ir) -> Option<Comparison> {
    let (op, relation) = match op {
        Ir::FEq => (Op::CmpsF, relation::EQ),
        Ir::FNe => (Op::CmpsF, relation::NE),
        Ir::FLt => (Op::CmpsF, relation::LT),
        Ir::FLe => (Op::CmpsF, relation::LE),
        Ir::IEq => (Op::CmpsS, relation::EQ),
        Ir::INe => (Op::CmpsS, relation::NE),
        Ir::ULt => (Op::CmpsU, relation::LT),
        Ir::ULe => (Op::CmpsU, relation::LE),
        Ir::SLt => (Op::CmpsS, relation::LT),
        Ir::SLe => (Op::CmpsS, relation::LE),
        _ => return None,
    };
    Some(Comparison { op, relation, is_float: op == Op::CmpsF })
}

/// The machine's operation for a float operation of one source.
fn float1(op: Ir) -> Option<Op> {
    Some(match op {
        Ir::FSign => Op::SignF,
        Ir::FFloor => Op::FloorF,
        Ir::FCeil => Op::CeilF,
        Ir::FTrunc => Op::TruncF,
        Ir::FRoundEven => Op::RndneF,
        _ => return None,
    })
}

/// Two sources.
fn float2(op: Ir) -> Option<Op> {
    Some(match op {
        Ir::FAdd => Op::AddF,
        Ir::FMul => Op::MulF,
        Ir::FMin => Op::MinF,
        Ir::FMax => Op::MaxF,
        _ => return None,
    })
}

fn special(op: Ir) -> Option<Op> {
    Some(match op {
        Ir::FSqrt => Op::Sqrt,
        Ir::FRsqrt => Op::Rsq,
        Ir::FExp2 => Op::Exp2,
        Ir::FLog2 => Op::Log2,
        Ir::Native(n) => match Native::of(n)? {
            Native::Rcp => Op::Rcp,
            Native::Rsq => Op::Rsq,
            Native::Ex2 => Op::Exp2,
            Native::Lg2 => Op::Log2,
            Native::Sin => Op::Sin,
            Native::Cos => Op::Cos,
            _ => return None,
        },
        _ => return None,
    })
}

/// A comparison whose result is 1.0 or 0.0.
fn truth(op: Ir) -> Option<Comparison> {
    let Ir::Native(n) = op else { return None };
    let relation = match Native::of(n)? {
        Native::Slt => relation::LT,
        Native::Sge => relation::GE,
        _ => return None,
    };
    Some(Comparison { op: Op::CmpsF, relation, is_float: true })
}

impl Select<'_> {
    /// The scalars of an arithmetic result; `None` if the operation is no arithmetic.
    pub(super) fn arithmetic(&mut self, at: Block, inst: ir::Inst, op: Ir) -> Option<Vec<Part>> {
        let args: Vec<Vec<Part>> = self.f.args(inst).to_vec().into_iter().map(|v| self.value(v)).collect();
        if let Some(made) = self.packed(at, inst, op, &args).or_else(|| self.dynamic(at, op, &args)) {
            return Some(made);
        }
        if let Some(made) = self.composite(inst, op, &args) {
            return Some(made);
        }
        if !self.is_word_sized(inst) {
            return None;
        }
        if op == Ir::FDot {
            return Some(vec![self.dot(at, &args[0], &args[1])]);
        }
        if matches!(op, Ir::All | Ir::Any) {
            let op = if op == Ir::All { Op::AndB } else { Op::OrB };
            let mut parts = args[0].iter().copied();
            let first = parts.next()?;
            return Some(vec![parts.fold(first, |all, part| self.int2(at, op, all, part))]);
        }
        let result = self.f.result_of(inst)?;
        let count = self.scalars(self.f.ty(result));
        let each = |s: &mut Self, i: usize| {
            let arg = |n: usize| args.get(n).and_then(|a| a.get(if a.len() == 1 { 0 } else { i })).copied();
            let a = arg(0)?;
            let (b, c) = (arg(1).unwrap_or(a), arg(2).unwrap_or(a));
            s.scalar_op(at, inst, op, [a, b, c])
        };
        (0..count).map(|i| each(self, i)).collect()
    }

    fn scalar_op(&mut self, at: Block, inst: ir::Inst, op: Ir, [a, b, c]: [Part; 3]) -> Option<Part> {
        if let Some(op) = float1(op) {
            return Some(self.float1(at, op, a));
        }
        if let Some(op) = float2(op) {
            return Some(self.float2(at, op, a, b));
        }
        if let Some(op) = special(op) {
            return Some(self.special(at, op, a));
        }
        if let Some(compared) = comparison(op) {
            return Some(self.compare(at, compared, [a, b]));
        }
        if let Some(truth) = truth(op) {
            let bool = self.compare(at, truth, [a, b]);
            return Some(self.convert(at, bool, types::U32, types::F32));
        }
        Some(match op {
            Ir::FNeg => a.negated(),
            Ir::FAbs => a.absolute(),
            Ir::FSub => self.float2(at, Op::AddF, a, b.negated()),
            Ir::Fma => self.multiply_add(at, a, b, c),
            Ir::FFract => {
                let whole = self.float1(at, Op::FloorF, a);
                self.float2(at, Op::AddF, a, whole.negated())
            }
            Ir::FClamp => self.clamp(at, inst, [a, b, c]),
            Ir::IsNan => {
                let differs = Comparison { op: Op::CmpsF, relation: relation::NE, is_float: true };
                self.compare(at, differs, [a, a])
            }
            Ir::IsInf => {
                let equal = Comparison { op: Op::CmpsF, relation: relation::EQ, is_float: true };
                self.compare(at, equal, [a.absolute(), Part::float(f32::INFINITY)])
            }
            Ir::FQuantize16 => {
                let half = self.halved(at, a);
                let wide = Modifiers { types: (types::F16, types::F32), ..Modifiers::default() };
                self.make(at, Op::Cov, &[half], wide)
            }
            Ir::Select => self.choose(at, inst, [a, b, c]),
            Ir::FToS => self.convert(at, a, types::F32, types::S32),
            Ir::FToU => self.convert(at, a, types::F32, types::U32),
            Ir::SToF => self.float_of(at, a, types::S32),
            Ir::UToF => self.float_of(at, a, types::U32),
            Ir::FLdexp => {
                let power = self.convert(at, b, types::S32, types::F32);
                let power = self.special(at, Op::Exp2, power);
                self.float2(at, Op::MulF, a, power)
            }
            _ => return self.integer(at, inst, op, [a, b, c]),
        })
    }

    fn multiply_add(&mut self, at: Block, a: Part, b: Part, c: Part) -> Part {
        let one = |p: Part| p.bits() == Some(1f32.to_bits());
        match (one(a), one(b)) {
            (true, _) => self.float2(at, Op::AddF, b, c),
            (_, true) => self.float2(at, Op::AddF, a, c),
            _ => self.three(at, Op::MadF32, [a, b, c]),
        }
    }

    /// Products added one after the other.
    fn dot(&mut self, at: Block, a: &[Part], b: &[Part]) -> Part {
        let first = self.float2(at, Op::MulF, a[0], b[0]);
        a.iter().zip(b).skip(1).fold(first, |sum, (&a, &b)| self.three(at, Op::MadF32, [a, b, sum]))
    }

    pub(super) fn compare(&mut self, at: Block, compared: Comparison, args: [Part; 2]) -> Part {
        let uses = self.two(at, compared.op, args, compared.is_float);
        self.make(at, compared.op, &uses, Modifiers { condition: compared.relation, ..Modifiers::default() })
    }

    /// Between 0 and 1 by `(sat)`, on what makes the value if nobody else reads that.
    fn clamp(&mut self, at: Block, inst: ir::Inst, [a, low, high]: [Part; 3]) -> Part {
        let is_unit = low.bits() == Some(0) && high.bits() == Some(1f32.to_bits());
        if !is_unit {
            let above = self.float2(at, Op::MaxF, a, low);
            return self.float2(at, Op::MinF, above, high);
        }
        let alone = self.uses[self.f.args(inst)[0].0 as usize] == 1;
        if let (From::Value(value), 0, true) = (a.from, a.signs, alone)
            && let Some(maker) = self.saturable(at, value)
        {
            let data = self.code.inst_mut(maker);
            let modifiers = Modifiers { saturate: true, ..Modifiers::unpack(data.modifiers) };
            data.modifiers = modifiers.pack();
            return a;
        }
        let source = self.two(at, Op::MaxF, [a, a], true);
        self.make(at, Op::MaxF, &source, Modifiers { saturate: true, ..Modifiers::default() })
    }

    /// What made a value in this block, if it can clamp it. It is one of the last few.
    fn saturable(&self, at: Block, value: chiaro_mach::Value) -> Option<chiaro_mach::Inst> {
        let recent = self.code.insts(at).iter().rev().take(16);
        let makes = |&&inst: &&chiaro_mach::Inst| {
            self.code.defs(inst).first().and_then(chiaro_mach::Operand::value) == Some(value)
        };
        let maker = *recent.into_iter().find(makes)?;
        let op = crate::compile::code::operation(&self.code, maker)?;
        matches!(op, Op::AddF | Op::MulF | Op::MadF32).then_some(maker)
    }

    /// One of two by a bool. 1 and 0 by a bool are the bool itself, or its conversion.
    fn choose(&mut self, at: Block, inst: ir::Inst, [condition, yes, no]: [Part; 3]) -> Part {
        let one = 1f32.to_bits();
        let inverse = self.inverse_of(self.f.args(inst)[0]);
        let (condition, yes, no) = match inverse {
            Some(other) if self.scalars(self.f.ty(other)) == 1 => (self.scalar(other), no, yes),
            _ => (condition, yes, no),
        };
        match (yes.bits(), no.bits()) {
            (Some(1), Some(0)) => return condition,
            (Some(yes), Some(0)) if yes == one => return self.convert(at, condition, types::U32, types::F32),
            (Some(0), Some(no)) if no == one => {
                let turned = self.int2(at, Op::SubU, Part::number(1), condition);
                return self.convert(at, turned, types::U32, types::F32);
            }
            _ => {}
        }
        self.three(at, Op::SelB32, [yes, condition, no])
    }

    /// What a bool is the opposite of.
    pub(super) fn inverse_of(&self, value: ir::Value) -> Option<ir::Value> {
        let Def::Result(inst, _) = self.f.def(value) else { return None };
        (self.f.op(inst) == Ir::Not).then(|| self.f.args(inst)[0])
    }

    /// Composites are lists of scalars: nothing is computed.
    fn composite(&mut self, inst: ir::Inst, op: Ir, args: &[Vec<Part>]) -> Option<Vec<Part>> {
        let result = self.f.result_of(inst);
        let count = result.map_or(0, |value| self.scalars(self.f.ty(value)));
        Some(match op {
            Ir::Construct => {
                let all: Vec<Part> = args.iter().flatten().copied().collect();
                if all.len() == 1 { vec![all[0]; count] } else { all }
            }
            Ir::Extract(n) => {
                let start = self.part_start(self.f.ty(self.f.args(inst)[0]), n);
                args[0].get(start..start + count)?.to_vec()
            }
            Ir::Insert(n) => {
                let start = self.part_start(self.f.ty(self.f.args(inst)[0]), n);
                let mut whole = args[0].clone();
                whole.get_mut(start..start + args[1].len())?.copy_from_slice(&args[1]);
                whole
            }
            Ir::Shuffle(picks) => {
                let both: Vec<Part> = args.iter().flatten().copied().collect();
                let pick = |&n: &u8| both.get(usize::from(n)).copied().unwrap_or(Part::new(From::Undef));
                picks.iter().take(count).map(pick).collect()
            }
            // Signs are those of floats: who reads the bits reads them applied.
            Ir::Bitcast if args[0].len() == count => args[0].clone(),
            _ => return None,
        })
    }

    /// The first scalar of a part of a composite.
    pub(super) fn part_start(&self, ty: ir::Ty, n: u32) -> usize {
        let types = &self.module.types;
        (0..n).filter_map(|i| types.part(ty, i)).map(|part| self.scalars(part)).sum()
    }
}
