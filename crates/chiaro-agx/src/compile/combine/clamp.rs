//! Clamps as part of what makes the number: operations on floats clamp their results to 0..1 for nothing (spec 5.2).
//!
//! ```text
//! v2 = fmul32 v0, v1
//! v3 = fadd32.sat v2, -0.0     ->     v3 = fmul32.sat v0, v1
//! ```
//!
//! What somebody else reads as well stays as it is. That is known of machine values alone: several values of the source
//! may stand in one, as those that the parts of a program in one piece hand to each other.

use chiaro_mach::{Code, Inst, Made};

use super::made::{is_number, operation_of, redirect, take_out};
use crate::compile::code::{MINUS_ZERO, Modifiers, modifiers, operation};
use crate::isa::Op;
use crate::isa::float::Float;

/// Lets what makes a number clamp it, where nobody reads the number itself.
pub fn clamp(code: &mut Code) -> bool {
    let made = Made::of(code);
    take_out(code, |code, inst| clamps(code, &made, inst))
}

/// Whether a clamped copy is made by what makes its source now.
fn clamps(code: &mut Code, made: &Made, inst: Inst) -> bool {
    let (&[def], [source, zero]) = (code.defs(inst), code.uses(inst)) else { return false };
    let is_copy = matches!(operation(code, inst), Some(Op::Float(Float::Fadd32 | Float::Fadd16)))
        && modifiers(code, inst).saturate
        && is_number(zero, MINUS_ZERO);
    if !is_copy || def.size != source.size || def.fixed.is_some() || !made.is_read_once(source) {
        return false;
    }
    let Some((maker, Op::Float(op), own)) = operation_of(code, made, source) else { return false };
    if op == Float::Fcmpsel || code.inst(maker).effects.reads != 0 {
        return false;
    }
    redirect(code, maker, def);
    code.inst_mut(maker).modifiers = Modifiers { saturate: true, ..own }.pack();
    true
}
