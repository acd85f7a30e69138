//! What an operation takes of which instructions: the one table behind the lower bound and the
//! exact search. spec section 5.5.

use crate::compile::graph::Op;
use crate::isa::{Add0, Complex, Mul0, Pass};

/// Units that operations compete for: a multiplier or an adder that turns a sign comes last, before
/// it the adders by opcode, since both run the same. The larger of two values is the smaller one of
/// their opposites, so that min and max count as one.
pub(super) const MULTIPLIERS: usize = 0;
pub(super) const COMPLEX: usize = 1;
pub(super) const PASS: usize = 2;
pub(super) const ADDERS: usize = 3;
pub(super) const SIGNS: usize = ADDERS + 8;
pub(super) const UNITS: usize = SIGNS + 1;

/// A part of an operation: instructions before its last step, unit, and how many of it.
pub(super) type Step = (u32, usize, u32);

/// From a first approximation to complex1, from that to postlog2, and from preexp2 to the first
/// approximation.
const FIRST: u32 = Complex::Rcp.window().0;
const LAST: u32 = Mul0::Complex1.window().0;
const BEFORE: u32 = Pass::Preexp2.window().0;

/// The parts of an operation.
pub(super) fn steps(op: Op) -> &'static [Step] {
    const ADDER: [[Step; 1]; 8] = {
        let mut all = [[(0, ADDERS, 1)]; 8];
        let mut op = 0;
        while op < 8 {
            all[op][0].1 = ADDERS + op;
            op += 1;
        }
        all
    };
    match op {
        Op::Load(_) | Op::Store(_) => &[],
        Op::Mul(_) => &[(0, MULTIPLIERS, 1)],
        Op::Neg => &[(0, SIGNS, 1)],
        Op::Select => &[(0, MULTIPLIERS, 2)],
        Op::Clamp(..) | Op::Branch => &[(0, PASS, 1)],
        Op::Address(_) => &[(0, COMPLEX, 1)],
        Op::Rcp | Op::Rsqrt => &[(0, MULTIPLIERS, 2), (FIRST, MULTIPLIERS, 1), (FIRST, COMPLEX, 1)],
        Op::Exp2 => {
            &[(0, MULTIPLIERS, 2), (FIRST, MULTIPLIERS, 1), (FIRST, COMPLEX, 1), (FIRST + BEFORE, PASS, 1)]
        }
        Op::Log2 => &[
            (0, PASS, 1),
            (LAST, MULTIPLIERS, 2),
            (LAST + FIRST, MULTIPLIERS, 1),
            (LAST + FIRST, COMPLEX, 1),
        ],
        Op::Max => &ADDER[Add0::Min.opcode() as usize & 7],
        _ => &ADDER[op.adder().map_or(0, Add0::opcode) as usize & 7],
    }
}
