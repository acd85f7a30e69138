//! Operations on the components of values, and changes across a quad.

use super::arith;
use super::domain::{Domain, Inconclusive, Note};
use super::exec::Walk;
use super::frame::Frame;
use super::layout::Leaf;
use crate::{Inst, Op, Shape};

impl<'m, D: Domain> Walk<'m, D> {
    /// Operations that treat every component alone.
    pub(super) fn scalars(&mut self, fr: &mut Frame<'m, D>, inst: Inst, op: Op, here: &[u32]) {
        let f = fr.f;
        let args = f.args(inst);
        let Some(result) = f.result_of(inst) else { return };
        let (to, from) = (fr.layout(result), fr.layout(args[0]));
        if matches!(op.info().shape, Shape::Dot | Shape::Fold) {
            return self.folded(fr, inst, op, here);
        }
        for (i, &(leaf, _)) in to.leaves.iter().enumerate() {
            let source = from.leaves.get(i).map_or(leaf, |l| l.0);
            for &lane in here {
                let arg = |n: usize| args.get(n).map_or(D::Scalar::default(), |&v| fr.get(v, i, lane));
                let s = match op.info().shape {
                    Shape::Select => {
                        let wide = from.leaves.len() > 1;
                        let chosen =
                            self.domain.bits(fr.get(args[0], if wide { i } else { 0 }, lane)) & 1 == 1;
                        arg(if chosen { 1 } else { 2 })
                    }
                    _ => self.component(op, source, leaf, [arg(0), arg(1), arg(2)], lane),
                };
                fr.set(result, i, lane, s);
            }
        }
    }

    /// One component of an operation, from a leaf of one kind to one of another.
    pub(super) fn component(
        &mut self,
        op: Op,
        from: Leaf,
        to: Leaf,
        args: [D::Scalar; 3],
        lane: u32,
    ) -> D::Scalar {
        let result = component(self.domain, op, from, to, args, &mut self.notes[lane as usize]);
        if let Some(limit) = self.options.largest_integer
            && matches!((from, to), (Leaf::Int(32), _) | (_, Leaf::Int(32)))
        {
            let numbers = [args[0], args[1], result].map(|s| self.domain.bits(s) as u32);
            self.large[lane as usize] |= is_beyond(op, numbers, limit);
        }
        result
    }

    /// Dot products, all and any.
    fn folded(&mut self, fr: &mut Frame<'m, D>, inst: Inst, op: Op, here: &[u32]) {
        let f = fr.f;
        let (args, domain) = (f.args(inst), self.domain);
        let Some(result) = f.result_of(inst) else { return };
        let leaves = &fr.layout(args[0]).leaves;
        let second = args.get(1).copied().unwrap_or(args[0]);
        for &lane in here {
            let pairs = leaves
                .iter()
                .enumerate()
                .map(|(i, l)| (l.0, fr.get(args[0], i, lane), fr.get(second, i, lane)));
            let all = fold(domain, op, pairs, &mut self.notes[lane as usize]);
            fr.set(result, 0, lane, all);
        }
    }

    /// A change across the quad of four consecutive lanes.
    pub(super) fn derivative(&mut self, fr: &mut Frame<'m, D>, inst: Inst, op: Op, here: &[u32]) {
        let f = fr.f;
        let v = f.args(inst)[0];
        let Some(result) = f.result_of(inst) else { return };
        // 0 1 over 2 3: fine ones take this lane's own row or column, coarse ones the first.
        let (step, is_fine) = match op {
            Op::DdxFine => (1, true),
            Op::DdyFine => (2, true),
            Op::Ddx | Op::DdxCoarse => (1, self.options.fine_derivatives),
            _ => (2, self.options.fine_derivatives),
        };
        for (i, &(leaf, _)) in fr.layout(v).leaves.iter().enumerate() {
            let Leaf::Float(width) = leaf else { continue };
            for &lane in here {
                let low = if is_fine { lane & !step } else { lane & !3 };
                let high = low | step;
                // The last quad may not be complete.
                let present = |other: u32| if (other as usize) < self.lanes { other } else { low };
                let (a, b) = (fr.get(v, i, present(high)), fr.get(v, i, low));
                let note = &mut self.notes[lane as usize];
                let change = self.domain.float_op(Op::FSub, width, [a, b, b], note);
                fr.set(result, i, lane, change);
            }
        }
    }
}

/// Whether an operation on 32-bit integers needs more than a machine has that holds them as floats:
/// its mathematical result or what it is made of is beyond a limit, it takes a negative number for a large one,
/// or divides by 0.
fn is_beyond(op: Op, [a, b, result]: [u32; 3], limit: u32) -> bool {
    let (x, y, limit) = (i64::from(a as i32), i64::from(b as i32), i64::from(limit));
    let is_large = |n: i64| n.abs() > limit;
    match op {
        Op::IAdd => [x, y, x + y].into_iter().any(is_large),
        Op::ISub => [x, y, x - y].into_iter().any(is_large),
        Op::IMul => [x, y, x * y].into_iter().any(is_large),
        Op::SMin | Op::SMax | Op::SLt | Op::SLe | Op::IEq | Op::INe => is_large(x) || is_large(y),
        // By 0 there is a number here and none there: GLSL leaves it open, WGSL's reader asks before.
        Op::SDiv | Op::SRem | Op::SMod => y == 0 || is_large(x) || is_large(y),
        // A machine that holds a rounded number has no low bits to mask, and takes numbers apart into the bits below
        // the limit and a sign: the limit itself has one more.
        Op::And | Op::Or | Op::Xor => [x, y].into_iter().any(|n| is_large(n) || n == limit),
        Op::SToF | Op::AShr => is_large(x),
        Op::Shl => is_large(x << (b & 31)),
        Op::INeg | Op::IAbs => is_large(x),
        Op::Not => is_large(x) || is_large(!x),
        Op::FToS | Op::FToU => is_large(i64::from(result as i32)),
        Op::UToF | Op::LShr => x < 0 || is_large(x),
        Op::UDiv | Op::URem => y <= 0 || x < 0 || is_large(x) || is_large(y),
        Op::ULt | Op::ULe | Op::UMin | Op::UMax => x < 0 || y < 0 || is_large(x) || is_large(y),
        _ => false,
    }
}

/// One component of an operation, from a leaf of one kind to one of another.
pub(super) fn component<D: Domain>(
    domain: &D,
    op: Op,
    from: Leaf,
    to: Leaf,
    args: [D::Scalar; 3],
    note: &mut Note,
) -> D::Scalar {
    let bits = |n: usize| domain.bits(args[n]);
    match (op, from, to) {
        (Op::FToF, Leaf::Float(a), Leaf::Float(b)) => domain.resize(args[0], a, b),
        (Op::FToS | Op::FToU, Leaf::Float(a), Leaf::Int(b)) => {
            domain.of_bits(domain.to_int(args[0], a, b, op == Op::FToS, note))
        }
        (Op::SToF, Leaf::Int(a), Leaf::Float(b)) => domain.of_int(arith::signed(bits(0), a).into(), b),
        (Op::UToF, Leaf::Int(_), Leaf::Float(b)) => domain.of_int(bits(0).into(), b),
        (Op::SExt, Leaf::Int(a), Leaf::Int(b)) => {
            domain.of_bits(arith::signed(bits(0), a) as u64 & arith::mask(b))
        }
        (Op::ZExt, Leaf::Int(_), Leaf::Int(b)) => domain.of_bits(bits(0) & arith::mask(b)),
        (Op::FFrexpExponent, Leaf::Float(a), Leaf::Int(b)) => {
            // Where the fraction may be anything, so may the exponent.
            let fraction = domain.float_op(Op::FFrexpFraction, a, args, note);
            if domain.error(fraction).is_infinite() {
                note.add(Inconclusive::Step);
            }
            domain.of_bits(libm::frexp(arith::float(bits(0), a)).1 as u64 & arith::mask(b))
        }
        (Op::FLdexp, Leaf::Float(w), _) => {
            let n = (bits(1) as i32).clamp(-4096, 4096);
            domain.scale(args[0], w, n)
        }
        (_, Leaf::Float(w), Leaf::Bool) => {
            domain.of_bits(domain.float_test(op, w, args[0], args[1], note).into())
        }
        (_, Leaf::Int(w), Leaf::Bool) => domain.of_bits(arith::int_test(op, w, bits(0), bits(1)).into()),
        (Op::IEq | Op::INe, _, Leaf::Bool) => {
            domain.of_bits(arith::int_test(op, 64, bits(0), bits(1)).into())
        }
        (_, _, Leaf::Float(w)) => domain.float_op(op, w, args, note),
        (_, _, Leaf::Int(w)) => {
            domain.of_bits(arith::int_op(op, w, [bits(0), bits(1), bits(2)]).unwrap_or(0))
        }
        _ => domain.of_bits(arith::int_op(op, 1, [bits(0), bits(1), bits(2)]).unwrap_or(0)),
    }
}

/// A dot product, all or any, of pairs of components.
pub(super) fn fold<D: Domain>(
    domain: &D,
    op: Op,
    pairs: impl Iterator<Item = (Leaf, D::Scalar, D::Scalar)>,
    note: &mut Note,
) -> D::Scalar {
    let step = |all: Option<D::Scalar>, (leaf, a, b): (Leaf, D::Scalar, D::Scalar)| match (op, leaf) {
        (Op::FDot, Leaf::Float(w)) => {
            let product = domain.float_op(Op::FMul, w, [a, b, a], note);
            Some(all.map_or(product, |all| domain.float_op(Op::FAdd, w, [all, product, product], note)))
        }
        (Op::All, _) => Some(all.map_or(a, |all| domain.of_bits(domain.bits(all) & domain.bits(a)))),
        _ => Some(all.map_or(a, |all| domain.of_bits(domain.bits(all) | domain.bits(a)))),
    };
    pairs.fold(None, step).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_floats_round_are_beyond() {
        const LIMIT: u32 = 1 << 24;
        let large = LIMIT + 13;
        for op in [Op::AShr, Op::LShr, Op::UToF, Op::UMin, Op::URem, Op::ULt] {
            assert!(is_beyond(op, [large, 12, 12], LIMIT), "{op:?}");
            assert!(!is_beyond(op, [LIMIT, 12, 0], LIMIT), "{op:?}");
        }
        for op in [Op::And, Op::Or, Op::Xor] {
            assert!([LIMIT, large].iter().all(|&n| is_beyond(op, [n, 12, 12], LIMIT)), "{op:?}");
            assert!(!is_beyond(op, [LIMIT - 1, LIMIT.wrapping_neg(), 0], LIMIT), "{op:?}");
        }
        for op in [Op::FToS, Op::FToU] {
            assert!(
                is_beyond(op, [0, 0, large], LIMIT) && !is_beyond(op, [0, 0, LIMIT - 1], LIMIT),
                "{op:?}"
            );
        }
        assert!(is_beyond(Op::Not, [LIMIT, 0, 0], LIMIT) && !is_beyond(Op::Not, [LIMIT - 1, 0, 0], LIMIT));
        assert!(is_beyond(Op::And, [12, large, 12], LIMIT));
        assert!(is_beyond(Op::IMul, [1 << 20, 1 << 20, 0], LIMIT));
        assert!(!is_beyond(Op::And, [12, u32::MAX, 12], LIMIT), "a mask of ones is -1");
        for op in [Op::SDiv, Op::SRem, Op::SMod, Op::UDiv, Op::URem] {
            assert!(is_beyond(op, [12, 0, 0], LIMIT) && !is_beyond(op, [12, 5, 2], LIMIT), "{op:?}");
        }
    }
}
