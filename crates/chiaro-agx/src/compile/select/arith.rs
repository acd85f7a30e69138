//! Arithmetic, one operation for one scalar of legal IR where the machine has it (spec 5, 19.1).

use chiaro_ir as ir;
use chiaro_ir::Op as Ir;
use chiaro_mach::{Block, Operand};
use chiaro_opt::lower::Native;

use super::Select;
use super::part::{From, Part, Widened};
use super::test::Test;
use crate::compile::code::{Modifiers, modifiers};
use crate::isa::Op;
use crate::isa::float::Float;
use crate::isa::integer::Integer;

/// Conversions by mode (spec 4.2).
mod convert {
    pub(super) const U8_TO_F: u8 = 0;
    pub(super) const S8_TO_F: u8 = 1;
    pub(super) const F_TO_U16: u8 = 4;
    pub(super) const F_TO_S16: u8 = 5;
    pub(super) const U16_TO_F: u8 = 6;
    pub(super) const S16_TO_F: u8 = 7;
    pub(super) const F_TO_U32: u8 = 8;
    pub(super) const F_TO_S32: u8 = 9;
    pub(super) const U32_TO_F: u8 = 10;
    pub(super) const S32_TO_F: u8 = 11;
}

/// The machine's function of one source.
fn function(op: Ir) -> Option<Float> {
    Some(match op {
        Ir::FFloor => Float::Floor,
        Ir::FCeil => Float::Ceil,
        Ir::FTrunc => Float::Trunc,
        Ir::FRoundEven => Float::Rint,
        Ir::FRsqrt => Float::Rsqrt,
        Ir::FExp2 => Float::Exp2,
        Ir::FLog2 => Float::Log2,
        Ir::Ddx | Ir::DdxFine | Ir::DdxCoarse => Float::Dfdx,
        Ir::Ddy | Ir::DdyFine | Ir::DdyCoarse => Float::Dfdy,
        Ir::Native(n) => match Native::of(n)? {
            Native::Rcp => Float::Rcp,
            Native::Rsq => Float::Rsqrt,
            Native::Ex2 => Float::Exp2,
            Native::Lg2 => Float::Log2,
            _ => return None,
        },
        _ => return None,
    })
}

impl Select<'_> {
    /// The scalars of an arithmetic result; `None` if the operation is no arithmetic.
    pub(super) fn arithmetic(&mut self, at: Block, inst: ir::Inst, op: Ir) -> Option<Vec<Part>> {
        let args: Vec<Vec<Part>> = self.f.args(inst).to_vec().into_iter().map(|v| self.value(v)).collect();
        if let Some(made) = self.composite(at, inst, op, &args) {
            return Some(made);
        }
        match op {
            Ir::FDot => return Some(vec![self.dot(at, &args[0], &args[1])]),
            Ir::All | Ir::Any => return Some(vec![self.fold(at, op, &args[0])]),
            _ => {}
        }
        let result = self.f.result_of(inst)?;
        let sizes = self.sizes(self.f.ty(result));
        let each = |s: &mut Self, (i, &size): (usize, &u16)| {
            let arg = |n: usize| args.get(n).and_then(|a| a.get(if a.len() == 1 { 0 } else { i })).copied();
            let a = arg(0)?;
            let (b, c) = (arg(1).unwrap_or(a), arg(2).unwrap_or(a));
            s.scalar_op(at, inst, (op, size), [a, b, c])
        };
        sizes.iter().enumerate().map(|i| each(self, i)).collect()
    }

    fn scalar_op(
        &mut self,
        at: Block,
        inst: ir::Inst,
        (op, size): (Ir, u16),
        args: [Part; 3],
    ) -> Option<Part> {
        if let Some(op) = function(op) {
            return Some(self.special(at, op, size, args[0]));
        }
        if self.tests(op) {
            let test = self.test_of(at, inst, args)?;
            return Some(self.truth(at, &test));
        }
        let is_float = self.f.args(inst).first().is_some_and(|&v| self.module.types.is_float(self.f.ty(v)));
        match op {
            Ir::Native(n) => self.step(at, Native::of(n)?, size, args),
            Ir::Select => Some(self.choose(at, inst, args)),
            Ir::SToF | Ir::UToF => Some(self.float_of(at, inst, op, args[0], size)),
            _ if is_float => self.float_op(at, inst, (op, size), args),
            _ => self.integer_op(at, inst, (op, size), args),
        }
    }

    fn float_op(
        &mut self,
        at: Block,
        inst: ir::Inst,
        (op, size): (Ir, u16),
        [a, b, c]: [Part; 3],
    ) -> Option<Part> {
        Some(match op {
            Ir::FAdd => self.sum(at, size, a, b),
            Ir::FSub => self.sum(at, size, a, b.negated()),
            Ir::FMul => self.product(at, size, a, b),
            Ir::Fma => self.multiply_add(at, size, [a, b, c]),
            Ir::FNeg => a.negated(),
            Ir::FAbs => a.absolute(),
            Ir::FMin => self.bound(at, size, 3, a, b),
            Ir::FMax => self.bound(at, size, 7, a, b),
            Ir::FClamp => self.clamp(at, size, [a, b, c]),
            Ir::FFract => {
                let whole = self.special(at, Float::Floor, size, a);
                self.sum(at, size, a, whole.negated())
            }
            Ir::FSqrt => {
                let inverse = self.special(at, Float::RsqrtSpecial, size, a);
                self.product(at, size, a, inverse)
            }
            Ir::FSin => self.sine(at, size, a, 0.0),
            Ir::FCos => self.sine(at, size, a, 0.25),
            Ir::FSign => self.sign(at, size, a),
            Ir::FLdexp => self.scaled(at, size, a, b),
            Ir::FToF => self.resized(at, inst, a, size),
            Ir::FQuantize16 => {
                let half = self.float_copy(at, a, 1);
                Part { size: 2, widened: Widened::Float, ..half }
            }
            Ir::FToS | Ir::FToU => self.integer_of(at, op, a, size),
            Ir::FFrexpExponent => self.exponent(at, a),
            _ => return None,
        })
    }

    /// An operation on floats: of 16 bits where result and sources are, which rounds once.
    fn float_make(&mut self, at: Block, [wide, narrow]: [Float; 2], size: u16, parts: &[Part]) -> Part {
        let is_narrow = size == 1 && parts.iter().all(|part| part.size == 1);
        let uses: Vec<Operand> = parts.iter().map(|&part| self.float(at, part)).collect();
        self.make(at, Op::Float(if is_narrow { narrow } else { wide }), size, &uses, Modifiers::default())
    }

    pub(super) fn sum(&mut self, at: Block, size: u16, a: Part, b: Part) -> Part {
        self.float_make(at, [Float::Fadd32, Float::Fadd16], size, &[a, b])
    }

    pub(super) fn product(&mut self, at: Block, size: u16, a: Part, b: Part) -> Part {
        self.float_make(at, [Float::Fmul32, Float::Fmul16], size, &[a, b])
    }

    pub(super) fn multiply_add(&mut self, at: Block, size: u16, parts: [Part; 3]) -> Part {
        self.float_make(at, [Float::Fmadd32, Float::Fmadd16], size, &parts)
    }

    pub(super) fn special(&mut self, at: Block, op: Float, size: u16, a: Part) -> Part {
        let used = self.float(at, a);
        self.make(at, Op::Float(op), size, &[used], Modifiers::default())
    }

    /// The smaller or larger one: what is no number loses (spec 6.1).
    pub(super) fn bound(&mut self, at: Block, size: u16, condition: u8, a: Part, b: Part) -> Part {
        let uses = [self.float(at, a), self.float(at, b), self.selected(at, a), self.selected(at, b)];
        self.make(at, Op::Float(Float::Fcmpsel), size, &uses, Modifiers { condition, ..Modifiers::default() })
    }

    /// Between 0 and 1 by `.sat`; what makes the value clamps it later, where nobody else reads that.
    fn clamp(&mut self, at: Block, size: u16, [a, low, high]: [Part; 3]) -> Part {
        let one = if size == 1 { 0x3c00 } else { u64::from(1f32.to_bits()) };
        if low.bits() != Some(0) || high.bits() != Some(one) {
            let above = self.bound(at, size, 7, a, low);
            return self.bound(at, size, 3, above, high);
        }
        let copy = self.float_copy(at, a, size);
        if let Some(&made) = self.code.insts(at).last() {
            let clamped = Modifiers { saturate: true, ..modifiers(&self.code, made) };
            self.code.inst_mut(made).modifiers = clamped.pack();
        }
        copy
    }

    /// sin(2 pi (x / (2 pi) + shift)): a place among four quarter turns, then both halves of a sine (spec 5.3).
    fn sine(&mut self, at: Block, size: u16, x: Part, shift: f32) -> Part {
        let per_turn = Part::float(0.5 / std::f32::consts::PI);
        let turns = match shift {
            0.0 => self.product(at, 2, x, per_turn),
            _ => self.multiply_add(at, 2, [x, per_turn, Part::float(shift)]),
        };
        let whole = self.special(at, Float::Floor, 2, turns);
        let part = self.sum(at, 2, turns, whole.negated());
        let quarters = self.product(at, 2, part, Part::float(4.0));
        let angle = self.special(at, Float::SinPt1, 2, quarters);
        let factor = self.special(at, Float::SinPt2, 2, angle);
        self.product(at, size, angle, factor)
    }

    /// -1, 0 or 1: one with the sign, unless it is neither above nor below.
    fn sign(&mut self, at: Block, size: u16, x: Part) -> Part {
        let one = |sign: f32| {
            if size == 1 { Part::half(if sign < 0.0 { 0xbc00 } else { 0x3c00 }) } else { Part::float(sign) }
        };
        let used = self.float(at, x);
        let above = Test { is_float: true, condition: 2, a: used, b: Operand::imm(0) };
        let positive = self.select(at, &above, one(1.0), Part::new(From::Number(0), size));
        let below = Test { condition: 1, ..above };
        self.select(at, &below, one(-1.0), positive)
    }

    /// 1 or 0 by a comparison.
    fn step(&mut self, at: Block, op: Native, size: u16, [a, b, _]: [Part; 3]) -> Option<Part> {
        let (condition, [a, b]) = match op {
            Native::Slt => (1, [a, b]),
            Native::Sge => (6, [b, a]),
            _ => return None,
        };
        let test = Test { is_float: true, condition, a: self.float(at, a), b: self.float(at, b) };
        let one = if size == 1 { Part::half(0x3c00) } else { Part::float(1.0) };
        Some(self.select(at, &test, one, Part::new(From::Number(0), size)))
    }

    /// The exponent of what is between a half and 1 otherwise; 0 for 0.
    fn exponent(&mut self, at: Block, a: Part) -> Part {
        let is_plain = a.size == 2 && a.widened == Widened::No && a.bits().is_none();
        let a = if is_plain { Part { signs: 0, ..a } } else { self.float_copy(at, a, 2) };
        let biased = self.field(at, Integer::Bfeil, 2, [Part::number(0), a, Part::number(23)], 8);
        let power = self.integer_two(at, Integer::Isub, 2, biased, Part::number(126), 0);
        let is_zero = self.is_number(at, biased, 0);
        self.select(at, &is_zero, Part::number(0), power)
    }

    /// x times a power of two, in two steps so that neither is too large: numbers beyond both are 0 or infinite
    /// anyway.
    fn scaled(&mut self, at: Block, size: u16, x: Part, power: Part) -> Part {
        let half = self.shift_right(at, 2, power, Part::number(1), true);
        let rest = self.integer_two(at, Integer::Isub, 2, power, half, 0);
        let first = self.power_of_two(at, half);
        let second = self.power_of_two(at, rest);
        let once = self.product(at, 2, x, first);
        self.product(at, size, once, second)
    }

    fn power_of_two(&mut self, at: Block, power: Part) -> Part {
        let float = self.convert(at, convert::S32_TO_F, true, 2, power);
        self.special(at, Float::Exp2, 2, float)
    }

    /// Another size of float: to 32 bits for nothing, to 16 by what makes it if nobody else reads that.
    fn resized(&mut self, at: Block, inst: ir::Inst, a: Part, size: u16) -> Part {
        if a.size == size {
            return a;
        }
        if size == 2 {
            if let Some(bits) = a.bits() {
                return Part::float(chiaro_num::F16.decode(bits as u32) as f32);
            }
            let plain = Part { signs: 0, ..a }.wider(Widened::Float);
            return plain.map_or_else(|| self.float_copy(at, a, 2), |wide| Part { signs: a.signs, ..wide });
        }
        if a.widened == Widened::Float {
            return Part { size: 1, widened: Widened::No, ..a };
        }
        let _ = inst;
        self.float_copy(at, a, size)
    }

    fn convert(&mut self, at: Block, mode: u8, round: bool, size: u16, a: Part) -> Part {
        let used = if matches!(mode, convert::F_TO_U16..=convert::F_TO_S16 | convert::F_TO_U32..=convert::F_TO_S32)
        {
            self.register(at, a)
        } else {
            self.integer(at, a, false)
        };
        self.make(
            at,
            Op::Integer(Integer::Convert),
            size,
            &[used],
            Modifiers { mode, round, ..Modifiers::default() },
        )
    }

    fn integer_of(&mut self, at: Block, op: Ir, a: Part, size: u16) -> Part {
        let a = if a.widened == Widened::Float { Part { size: 1, widened: Widened::No, ..a } } else { a };
        let mode = match (op, size) {
            (Ir::FToS, 1) => convert::F_TO_S16,
            (Ir::FToS, _) => convert::F_TO_S32,
            (_, 1) => convert::F_TO_U16,
            _ => convert::F_TO_U32,
        };
        self.convert(at, mode, false, size, a)
    }

    fn float_of(&mut self, at: Block, inst: ir::Inst, op: Ir, a: Part, size: u16) -> Part {
        let ty = self.f.ty(self.f.args(inst)[0]);
        let is_signed = op == Ir::SToF;
        let narrow = Part { size: 1, widened: Widened::No, ..a };
        let (mode, a) = match (self.module.types.bits(ty), a.widened) {
            (Some(8), _) => (if is_signed { convert::S8_TO_F } else { convert::U8_TO_F }, a),
            (Some(16), _) => (if is_signed { convert::S16_TO_F } else { convert::U16_TO_F }, a),
            (_, Widened::Zero) => (convert::U16_TO_F, narrow),
            (_, Widened::Sign) if is_signed => (convert::S16_TO_F, narrow),
            _ => (if is_signed { convert::S32_TO_F } else { convert::U32_TO_F }, a),
        };
        self.convert(at, mode, true, size, a)
    }

    /// Products added one after the other.
    fn dot(&mut self, at: Block, a: &[Part], b: &[Part]) -> Part {
        let size = a[0].size;
        let first = self.product(at, size, a[0], b[0]);
        a.iter().zip(b).skip(1).fold(first, |sum, (&a, &b)| self.multiply_add(at, size, [a, b, sum]))
    }

    fn fold(&mut self, at: Block, op: Ir, parts: &[Part]) -> Part {
        let table =
            if op == Ir::All { crate::compile::code::table::AND } else { crate::compile::code::table::OR };
        let mut parts = parts.iter().copied();
        let first = parts.next().unwrap_or(Part::bool(op == Ir::All));
        parts.fold(first, |all, part| self.bits(at, 1, table, all, part))
    }

    /// Composites are lists of scalars: nothing is computed.
    fn composite(&mut self, at: Block, inst: ir::Inst, op: Ir, args: &[Vec<Part>]) -> Option<Vec<Part>> {
        let ty = self.f.ty(self.f.result_of(inst)?);
        let sizes = self.sizes(ty);
        let count = sizes.len();
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
                let pick = |&n: &u8| both.get(usize::from(n)).copied().unwrap_or(Part::undef(sizes[0]));
                picks.iter().take(count).map(pick).collect()
            }
            Ir::ExtractDyn => vec![self.indexed(at, &args[0], args[1][0])],
            Ir::InsertDyn => {
                let one = |(n, &old): (usize, &Part)| {
                    let here = self.is_number(at, args[2][0], n as u32);
                    self.select(at, &here, args[1][0], old)
                };
                args[0].iter().enumerate().map(one).collect()
            }
            Ir::Bitcast => self.bitcast(at, &args[0], &sizes)?,
            _ => return None,
        })
    }

    /// One of several by a number.
    pub(super) fn indexed(&mut self, at: Block, parts: &[Part], index: Part) -> Part {
        let numbered = parts.iter().zip(0..).skip(1);
        numbered.fold(parts[0], |found, (&part, n)| {
            let here = self.is_number(at, index, n);
            self.select(at, &here, part, found)
        })
    }

    /// The same bits in scalars of other sizes.
    fn bitcast(&mut self, at: Block, parts: &[Part], sizes: &[u16]) -> Option<Vec<Part>> {
        let plain: Vec<Part> = parts
            .iter()
            .map(|&part| match (part.widened, part.signs) {
                (Widened::Float | Widened::Sign, _) | (_, 1..) => self.in_register(at, part),
                _ => part,
            })
            .collect();
        if plain.len() == sizes.len() {
            return Some(plain);
        }
        let (from, to) = (plain.first()?.size, *sizes.first()?);
        if from > to {
            let whole: Vec<Part> = plain.into_iter().map(|part| self.unwidened(at, part)).collect();
            return whole.iter().flat_map(|part| (0..from / to).map(|n| part.halves(n * to, to))).collect();
        }
        let group = usize::from(to / from);
        Some(plain.chunks(group).map(|parts| self.assembled(at, parts, to)).collect())
    }

    fn unwidened(&mut self, at: Block, part: Part) -> Part {
        if part.widened == Widened::No && part.signs == 0 { part } else { self.in_register(at, part) }
    }

    /// Scalars as one of all their bits; numbers are put together here.
    fn assembled(&mut self, at: Block, parts: &[Part], size: u16) -> Part {
        let bits: Option<Vec<u64>> = parts.iter().map(|part| part.bits()).collect();
        if let Some(bits) = bits {
            let width = 16 * parts[0].size;
            let whole = bits.iter().rev().fold(0, |all, bits| all << width | bits);
            return Part::new(From::Number(whole), size);
        }
        self.joined(at, parts)
    }

    /// The first scalar of a part of a composite.
    pub(super) fn part_start(&self, ty: ir::Ty, n: u32) -> usize {
        let types = &self.module.types;
        (0..n).filter_map(|i| types.part(ty, i)).map(|part| self.sizes(part).len()).sum()
    }
}
