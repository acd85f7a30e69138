//! Conversions to 16 bits as part of what makes the number: floats are rounded to 32 bits before in any case
//! (spec 5.2).
//!
//! ```text
//! v2:32 = fmul32 v0, v1
//! v3:16 = fadd32 v2, -0.0      ->     v3:16 = fmul32 v0, v1
//! ```

use chiaro_mach::{Code, Inst, Made};

use super::made::{is_number, operation_of, redirect, take_out};
use crate::compile::code::{MINUS_ZERO, Modifiers, modifiers, operation};
use crate::isa::Op;
use crate::isa::float::Float;

/// Lets what makes a number of 32 bits round it to 16, where nobody reads all of them.
pub fn narrow(code: &mut Code) -> bool {
    let made = Made::of(code);
    take_out(code, |code, inst| narrows(code, &made, inst))
}

/// Whether a conversion is done by what makes its source now.
fn narrows(code: &mut Code, made: &Made, inst: Inst) -> bool {
    let (&[def], [source, zero]) = (code.defs(inst), code.uses(inst)) else { return false };
    let is_copy = operation(code, inst) == Some(Op::Float(Float::Fadd32)) && is_number(zero, MINUS_ZERO);
    if !is_copy || def.size != 1 || def.fixed.is_some() || source.size != 2 || !made.is_read_once(source) {
        return false;
    }
    let Some((maker, op, own)) = operation_of(code, made, source) else { return false };
    let clamps = modifiers(code, inst).saturate;
    if !rounds(op) || code.inst(maker).effects.reads != 0 {
        return false;
    }
    redirect(code, maker, def);
    code.inst_mut(maker).modifiers = Modifiers { saturate: own.saturate || clamps, ..own }.pack();
    true
}

/// Operations that compute in 32 bits and round once more for a result of 16.
fn rounds(op: Op) -> bool {
    use Float as F;
    matches!(
        op,
        Op::Float(
            F::Fadd32
                | F::Fmul32
                | F::Fmadd32
                | F::Rcp
                | F::Rsqrt
                | F::RsqrtSpecial
                | F::Exp2
                | F::Log2
                | F::Floor
                | F::Ceil
                | F::Trunc
                | F::Rint
        )
    )
}
