//! Floats of 16, 32 and 64 bits: an instruction each, as the machine has them (spec section 16).

use chiaro_ir::Op as Ir;
use chiaro_mach::Block;
use chiaro_opt::lower::Native;

use super::Select;
use super::part::{From, Kind, Part};
use super::value::{DOUBLE, FLOAT, HALF, Of, WORD};
use crate::compile::code::{Modifiers, flag};
use crate::isa::Op;
use crate::isa::vop1::Vop1;
use crate::isa::vop2::Vop2;
use crate::isa::vop3::Vop3;
use crate::isa::vopc::Vopc;

/// 1 / (2 pi), a small constant.
const INVERSE_TURN: f32 = f32::from_bits(0x3e22_f983);

/// What sources of a float's kind are taken as.
pub(super) fn of(kind: Kind) -> Of {
    match kind {
        Kind::Short => HALF,
        Kind::Pair => DOUBLE,
        _ => FLOAT,
    }
}

/// One of three operations, by the kind of float.
fn by_kind(kind: Kind, [word, short, pair]: [Op; 3]) -> Op {
    match kind {
        Kind::Short => short,
        Kind::Pair => pair,
        _ => word,
    }
}

/// Operations of one source, for words, shorts and pairs.
fn unary(op: Ir) -> Option<[Op; 3]> {
    use Vop1 as V;
    let three = match op {
        Ir::FFloor => [V::FloorF32, V::FloorF16, V::FloorF64],
        Ir::FCeil => [V::CeilF32, V::CeilF16, V::CeilF64],
        Ir::FTrunc => [V::TruncF32, V::TruncF16, V::TruncF64],
        Ir::FRoundEven => [V::RndneF32, V::RndneF16, V::RndneF64],
        Ir::FFract => [V::FractF32, V::FractF16, V::FractF64],
        // Those of doubles take several instructions.
        Ir::FSqrt => [V::SqrtF32, V::SqrtF16, V::Nop],
        Ir::FRsqrt => [V::RsqF32, V::RsqF16, V::Nop],
        Ir::FExp2 => [V::ExpF32, V::ExpF16, V::Nop],
        Ir::FLog2 => [V::LogF32, V::LogF16, V::Nop],
        Ir::Native(n) => match Native::of(n)? {
            Native::Rcp => [V::RcpF32, V::RcpF16, V::Nop],
            Native::Rsq => [V::RsqF32, V::RsqF16, V::Nop],
            Native::Ex2 => [V::ExpF32, V::ExpF16, V::Nop],
            Native::Lg2 => [V::LogF32, V::LogF16, V::Nop],
            _ => return None,
        },
        _ => return None,
    };
    Some(three.map(Op::Vop1))
}

/// Operations of two sources that may change places.
fn binary(op: Ir) -> Option<[Op; 3]> {
    use {Vop2 as V, Vop3 as L};
    Some(match op {
        Ir::FAdd => [Op::Vop2(V::AddF32), Op::Vop2(V::AddF16), Op::Vop3(L::AddF64)],
        Ir::FMul => [Op::Vop2(V::MulF32), Op::Vop2(V::MulF16), Op::Vop3(L::MulF64)],
        Ir::FMin => [Op::Vop2(V::MinF32), Op::Vop2(V::MinF16), Op::Vop3(L::MinF64)],
        Ir::FMax => [Op::Vop2(V::MaxF32), Op::Vop2(V::MaxF16), Op::Vop3(L::MaxF64)],
        _ => return None,
    })
}

impl Select<'_> {
    /// A float operation with a result of the same kind as its first operand.
    pub(super) fn float(&mut self, at: Block, op: Ir, [a, b, c]: [Part; 3]) -> Option<Part> {
        let (kind, of) = (a.kind, of(a.kind));
        if let Some(three) = unary(op) {
            let op = by_kind(kind, three);
            return (op != Op::Vop1(Vop1::Nop)).then(|| self.vector(at, op, &[(a, of)], kind));
        }
        if let Some(three) = binary(op) {
            return Some(self.exchangeable(at, by_kind(kind, three), [(a, of), (b, of)], kind));
        }
        Some(match op {
            Ir::FNeg => a.negated(),
            Ir::FAbs => a.absolute(),
            Ir::FSub => self.difference(at, [a, b]),
            Ir::Fma => self.product_and_sum(at, [a, b, c]),
            Ir::FSign => self.sign_of(at, a),
            Ir::FClamp => self.clamped(at, [a, b, c]),
            Ir::FLdexp => self.scaled_by_power(at, a, b),
            Ir::Native(n) => self.turning(at, Native::of(n)?, a)?,
            Ir::FQuantize16 => {
                let short = self.vector(at, Op::Vop1(Vop1::CvtF16F32), &[(a, FLOAT)], Kind::Short);
                self.vector(at, Op::Vop1(Vop1::CvtF32F16), &[(short, HALF)], Kind::Word)
            }
            _ => return None,
        })
    }

    /// Sources that may change places: the second one of short forms is a vector register.
    pub(super) fn exchangeable(&mut self, at: Block, op: Op, [a, b]: [(Part, Of); 2], kind: Kind) -> Part {
        let is_better = !self.is_vector(b.0) && self.is_vector(a.0);
        self.vector(at, op, &if is_better { [b, a] } else { [a, b] }, kind)
    }

    fn difference(&mut self, at: Block, [a, b]: [Part; 2]) -> Part {
        let (kind, of) = (a.kind, of(a.kind));
        let sum = binary(Ir::FAdd).map_or(Op::Vop2(Vop2::AddF32), |three| by_kind(kind, three));
        if kind == Kind::Pair || b.signs != 0 || b.bits().is_some() {
            return self.exchangeable(at, sum, [(a, of), (b.negated(), of)], kind);
        }
        let (plain, turned) = match kind {
            Kind::Short => (Vop2::SubF16, Vop2::SubrevF16),
            _ => (Vop2::SubF32, Vop2::SubrevF32),
        };
        match !self.is_vector(b) && self.is_vector(a) {
            true => self.vector(at, Op::Vop2(turned), &[(b, of), (a, of)], kind),
            false => self.vector(at, Op::Vop2(plain), &[(a, of), (b, of)], kind),
        }
    }

    fn product_and_sum(&mut self, at: Block, [a, b, c]: [Part; 3]) -> Part {
        let (kind, of) = (a.kind, of(a.kind));
        let op = by_kind(kind, [Op::Vop3(Vop3::FmaF32), Op::Vop3(Vop3::FmaF16), Op::Vop3(Vop3::FmaF64)]);
        // Short forms have a vector register second.
        let [a, b] = if !self.is_vector(b) && self.is_vector(a) { [b, a] } else { [a, b] };
        self.vector(at, op, &[(a, of), (b, of), (c, of)], kind)
    }

    /// Between minus 1 and 1 as an integer: the sign is that of the bits, 0 stays.
    fn sign_of(&mut self, at: Block, a: Part) -> Part {
        let zero = Part::new(From::Number(0), a.kind);
        let [above, below] = [[zero, a], [a, zero]].map(|[x, y]| self.less_float(at, x, y));
        let one = |x: f64| match a.kind {
            Kind::Pair => Part::long(x.to_bits()),
            Kind::Short => Part::new(From::Number(if x < 0.0 { 0xbc00 } else { 0x3c00 }), Kind::Short),
            _ => Part::float(x as f32),
        };
        let first = self.choice(at, below, [one(-1.0), zero]);
        self.choice(at, above, [one(1.0), first])
    }

    pub(super) fn less_float(&mut self, at: Block, a: Part, b: Part) -> Part {
        let op = match a.kind {
            Kind::Pair => Vopc::CmpLtF64,
            Kind::Short => Vopc::CmpLtF16,
            _ => Vopc::CmpLtF32,
        };
        let of = of(a.kind);
        self.compared(at, Op::Vopc(op), &[(a, of), (b, of)])
    }

    fn clamped(&mut self, at: Block, [a, low, high]: [Part; 3]) -> Part {
        let (kind, of) = (a.kind, of(a.kind));
        let is_unit = kind == Kind::Word && low.bits() == Some(0) && high == Part::float(1.0);
        if is_unit {
            // Clamping makes 0 of NaN, as the larger of NaN and 0 is [MODE.DX10_CLAMP, spec section 2].
            let modifiers = Modifiers::default().with(flag::CLAMP);
            return self.vector_with(at, Op::Vop2(Vop2::MaxF32), &[(a, of), (a, of)], kind, modifiers);
        }
        if let (Kind::Word, Some(_), Some(_)) = (kind, low.bits(), high.bits()) {
            return self.vector(at, Op::Vop3(Vop3::Med3F32), &[(a, of), (low, of), (high, of)], kind);
        }
        let [above, below] = [Ir::FMax, Ir::FMin].map(|op| binary(op).unwrap_or([Op::Vop2(Vop2::MaxF32); 3]));
        let above = self.exchangeable(at, by_kind(kind, above), [(a, of), (low, of)], kind);
        self.exchangeable(at, by_kind(kind, below), [(above, of), (high, of)], kind)
    }

    fn scaled_by_power(&mut self, at: Block, a: Part, power: Part) -> Part {
        match a.kind {
            Kind::Pair => {
                self.vector(at, Op::Vop3(Vop3::LdexpF64), &[(a, DOUBLE), (power, WORD)], Kind::Pair)
            }
            Kind::Short => {
                let short = self.vector(
                    at,
                    Op::Vop3(Vop3::Med3I32),
                    &[(power, WORD), (Part::number(-60i32 as u32), WORD), (Part::number(60), WORD)],
                    Kind::Word,
                );
                self.vector(at, Op::Vop2(Vop2::LdexpF16), &[(a, HALF), (short, WORD)], Kind::Short)
            }
            _ => self.vector(at, Op::Vop3(Vop3::LdexpF32), &[(a, FLOAT), (power, WORD)], Kind::Word),
        }
    }

    /// Sines and cosines are of turns.
    fn turning(&mut self, at: Block, native: Native, a: Part) -> Option<Part> {
        let (word, short) = match native {
            Native::Sin => (Vop1::SinF32, Vop1::SinF16),
            Native::Cos => (Vop1::CosF32, Vop1::CosF16),
            _ => return None,
        };
        let of = of(a.kind);
        if a.kind == Kind::Short {
            let turn = Part::new(From::Number(0x3118), Kind::Short);
            let turns = self.exchangeable(at, Op::Vop2(Vop2::MulF16), [(turn, of), (a, of)], a.kind);
            return Some(self.vector(at, Op::Vop1(short), &[(turns, of)], a.kind));
        }
        // Who wants the one often wants the other.
        let (turn, op) = (Part::float(INVERSE_TURN), Op::Vop2(Vop2::MulF32));
        let turns = self.known(op, &[turn, a], |s| s.exchangeable(at, op, [(turn, of), (a, of)], a.kind));
        Some(self.vector(at, Op::Vop1(word), &[(turns, of)], a.kind))
    }
}
