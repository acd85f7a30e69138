//! Quotients and roots of doubles, rounded correctly (spec sections 6.6 and 16).
//!
//! The machine's reciprocals are good to 28 bits: two steps of Newton's make a quotient's, what is left of the
//! numerator then rounds it. Operands are scaled before, so that nothing on the way is subnormal:
//!
//! ```text
//! v_div_scale_f64 d, s0, y, y, x       the denominator, scaled
//! v_rcp_f64       r, d
//! v_fma_f64       e, -d, r, 1.0        r += r * e, twice
//! v_div_scale_f64 n, vcc, x, y, x      the numerator, and whether to scale back
//! v_mul_f64       q, n, r
//! v_fma_f64       e, -d, q, n          what is left
//! v_div_fmas_f64  q, e, r, q           reads vcc
//! v_div_fixup_f64 q, q, y, x           zeros, infinities, NaN
//! ```

use chiaro_ir::Op as Ir;
use chiaro_mach::{Block, Operand};

use super::Select;
use super::float::of;
use super::part::{Kind, Part};
use super::value::{DOUBLE, WORD};
use crate::compile::code::{self, Modifiers};
use crate::compile::legalize::Double;
use crate::isa::Op;
use crate::isa::vop1::Vop1;
use crate::isa::vop3::Vop3;
use crate::isa::vopc::Vopc;

/// Classes of numbers (spec section 6.5): both zeros and plus infinity, which are their own roots.
const OWN_ROOTS: u32 = 1 << 5 | 1 << 6 | 1 << 9;
/// Numbers below are scaled before their root is taken: what is left of them would be subnormal.
const SMALL: f64 = f64::from_bits((1023 - 767) << 52);
/// Powers of two that they are scaled by, and their roots back.
const UP: u32 = 256;
const BACK: i32 = -128;

fn number(x: f64) -> Part {
    Part::long(x.to_bits())
}

impl Select<'_> {
    /// An operation on doubles that several instructions make.
    pub(super) fn double(&mut self, at: Block, double: Double, [a, b]: [Part; 2]) -> Part {
        match double {
            Double::Quotient => self.quotient(at, a, b),
            Double::Remainder => self.remainder(at, Vop1::TruncF64, [a, b]),
            Double::Modulo => self.remainder(at, Vop1::FloorF64, [a, b]),
            Double::Root => self.root(at, a),
            Double::InverseRoot => self.inverse_root(at, a),
            Double::Fraction => {
                let op = match a.kind {
                    Kind::Pair => Vop1::FrexpMantF64,
                    Kind::Short => Vop1::FrexpMantF16,
                    _ => Vop1::FrexpMantF32,
                };
                self.vector(at, Op::Vop1(op), &[(a, of(a.kind))], a.kind)
            }
        }
    }

    fn fma(&mut self, at: Block, parts: [Part; 3]) -> Part {
        self.vector(at, Op::Vop3(Vop3::FmaF64), &parts.map(|part| (part, DOUBLE)), Kind::Pair)
    }

    fn product_of_doubles(&mut self, at: Block, a: Part, b: Part) -> Part {
        self.exchangeable(at, Op::Vop3(Vop3::MulF64), [(a, DOUBLE), (b, DOUBLE)], Kind::Pair)
    }

    fn of_double(&mut self, at: Block, op: Vop1, a: Part) -> Part {
        self.vector(at, Op::Vop1(op), &[(a, DOUBLE)], Kind::Pair)
    }

    fn quotient(&mut self, at: Block, above: Part, below: Part) -> Part {
        if let Some(inverse) = exact_inverse(below) {
            return self.product_of_doubles(at, above, inverse);
        }
        // The operands that are scaled have no signs.
        let [above, below] = [above, below].map(|part| self.plain(at, part));
        let unused = self.new_scalar(Kind::Mask.size(self.wave));
        let denominator = self.div_scaled(at, [below, below, above], unused);
        let minus = denominator.negated();
        let mut inverse = self.of_double(at, Vop1::RcpF64, denominator);
        for _ in 0..2 {
            let error = self.fma(at, [minus, inverse, number(1.0)]);
            inverse = self.fma(at, [inverse, error, inverse]);
        }
        let inverse = self.above_middle(at, inverse, denominator);
        let numerator = self.div_scaled(at, [above, below, above], code::vcc(self.wave));
        let quotient = self.product_of_doubles(at, numerator, inverse);
        let left = self.fma(at, [minus, quotient, numerator]);
        let parts = [left, inverse, quotient].map(|part| (part, DOUBLE));
        let quotient = self.vector(at, Op::Vop3(Vop3::DivFmasF64), &parts, Kind::Pair);
        let parts = [quotient, below, above].map(|part| (part, DOUBLE));
        self.vector(at, Op::Vop3(Vop3::DivFixupF64), &parts, Kind::Pair)
    }

    /// Of a denominator whose fraction is all ones the inverse lies right above the middle between a power of two and the
    /// next number, and steps come from below: they end at the power, which is the wrong one [Markstein].
    fn above_middle(&mut self, at: Block, inverse: Part, denominator: Part) -> Part {
        let [low, high] = [0, 1].map(|n| denominator.half(n));
        let two = |s: &mut Self, op: Ir, a: Part, b: Part| s.integer(at, op, &[a, b], 32).unwrap_or(a);
        let fraction = two(self, Ir::Or, high, Part::number(0xfff0_0000));
        let fraction = two(self, Ir::And, fraction, low);
        let is_full = self.comparison(at, Ir::IEq, [fraction, Part::number(u32::MAX)]);
        let last = self.choice(at, is_full.unwrap_or(Part::truth(false)), [Part::number(1), Part::number(0)]);
        let low = two(self, Ir::Or, inverse.half(0), last);
        self.joined(at, [low, inverse.half(1)])
    }

    /// One of a quotient's operands, scaled; lanes whose quotient is to be scaled back go to a mask.
    fn div_scaled(&mut self, at: Block, parts: [Part; 3], mask: Operand) -> Part {
        let op = Op::Vop3(Vop3::DivScaleF64);
        let uses = self.sources(at, op, &parts.map(|part| (part, DOUBLE)));
        let def = self.new_vector(2);
        self.push(at, op, &[def, mask], &uses, Modifiers::default());
        Self::part(def, Kind::Pair)
    }

    /// What is left of a number behind a whole multiple of another.
    fn remainder(&mut self, at: Block, rounding: Vop1, [a, b]: [Part; 2]) -> Part {
        let quotient = self.quotient(at, a, b);
        let whole = self.of_double(at, rounding, quotient);
        self.fma(at, [whole.negated(), b, a])
    }

    /// A root and half of its inverse, which make each other better; then what is left of the square, twice.
    fn root(&mut self, at: Block, square: Part) -> Part {
        let is_small = self.less_float(at, square, number(SMALL));
        let by = self.choice(at, is_small, [Part::number(UP), Part::number(0)]);
        let square = self.float(at, Ir::FLdexp, [square, by, by]).unwrap_or(square);
        let inverse = self.of_double(at, Vop1::RsqF64, square);
        let mut root = self.product_of_doubles(at, square, inverse);
        let mut half = self.product_of_doubles(at, inverse, number(0.5));
        let error = self.fma(at, [half.negated(), root, number(0.5)]);
        root = self.fma(at, [root, error, root]);
        half = self.fma(at, [half, error, half]);
        for _ in 0..2 {
            let left = self.fma(at, [root.negated(), root, square]);
            root = self.fma(at, [left, half, root]);
        }
        let back = self.choice(at, is_small, [Part::number(BACK as u32), Part::number(0)]);
        let root = self.float(at, Ir::FLdexp, [root, back, back]).unwrap_or(root);
        let is_own = self.is_own_root(at, square);
        self.choice(at, is_own, [square, root])
    }

    /// y + y e (1/2 + 3/8 e), with e = 1 - x y y.
    fn inverse_root(&mut self, at: Block, square: Part) -> Part {
        let inverse = self.of_double(at, Vop1::RsqF64, square);
        let root = self.product_of_doubles(at, square, inverse);
        let error = self.fma(at, [root.negated(), inverse, number(1.0)]);
        let share = self.fma(at, [error, number(0.375), number(0.5)]);
        let step = self.product_of_doubles(at, inverse, error);
        let better = self.fma(at, [step, share, inverse]);
        let is_own = self.is_own_root(at, square);
        self.choice(at, is_own, [inverse, better])
    }

    fn is_own_root(&mut self, at: Block, square: Part) -> Part {
        let parts = [(square, DOUBLE), (Part::number(OWN_ROOTS), WORD)];
        self.compared(at, Op::Vopc(Vopc::CmpClassF64), &parts)
    }
}

/// The inverse of a power of two, if it is a normal number as well: products with it are rounded as quotients are.
fn exact_inverse(part: Part) -> Option<Part> {
    let x = f64::from_bits(part.bits()?);
    let is_power = x.is_normal() && x.to_bits() << 12 == 0 && (1.0 / x).is_normal();
    is_power.then(|| number(1.0 / x))
}
