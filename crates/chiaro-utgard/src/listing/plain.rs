//! chiaro's own listing of an instruction, which loses nothing; [`crate::asm::instruction`] reads it.
//!
//! An instruction is a line: busy units in any order, separated by semicolons. What no busy
//! unit claims and is not as in the idle word follows as raw fields (`.add_op=3`).
//!
//! ```text
//! in0 a2; in2 t[3]; mul0 in0.y, in0.w; add0.add ^mul1, in2.z; out0 v2 = pass, complex
//! ```

use chiaro_isa::{Cx, Out};

use crate::isa::UTGARD_GP;
use crate::isa::selector::{OPERANDS, Select};
use crate::isa::word::{self, FIELDS, Word};

/// Appends the text of an instruction.
pub fn print(word: Word, out: &mut Out) {
    let bundle = &*UTGARD_GP;
    let bytes = word.to_bytes();
    let start = out.len();
    let mut claimed = 0;
    for (unit, isa) in bundle.units.iter().enumerate() {
        let Ok(mut inst) = isa.decode(&bytes) else { continue };
        if isa.form(&inst).operation.name.is_empty() {
            if !is_read(unit, word) {
                continue;
            }
            // A port that is read is printed even where it holds what idle ones do.
            inst.form = BUSY_LOAD;
        }
        let before = out.len();
        separate(start, out);
        if isa.print(&inst, &Cx::default(), out) {
            claimed |= said(unit, isa.claimed(inst.form));
        } else {
            out.truncate(before);
        }
    }
    for field in FIELDS {
        let stray = claimed >> field.lo & u128::from(field.most()) == 0 && word.get(*field) != field.idle;
        if stray {
            separate(start, out);
            out.push('.');
            out.push_str(field.name);
            out.push('=');
            out.push_int(i64::from(word.get(*field)));
        }
    }
    if out.len() == start {
        out.push_str("nop");
    }
}

fn separate(start: usize, out: &mut Out) {
    if out.len() > start {
        out.push_str(UTGARD_GP.separator);
    }
}

/// The number of multiplier 1 among the units.
const MUL1: usize = 4;

/// The bits that a unit's text determines. Multiplier 1 does not say what the pair does.
pub(crate) fn said(unit: usize, claimed: chiaro_isa::Word) -> u128 {
    let bits = u128::from(claimed.0[0]) | u128::from(claimed.0[1]) << 64;
    if unit == MUL1 { bits & !(u128::from(word::MUL_OP.most()) << word::MUL_OP.lo) } else { bits }
}

/// The form of a load that is not idle, in the sets of the three ports.
const BUSY_LOAD: u16 = 1;

/// Whether the unit is a load port that some operand of this instruction reads.
fn is_read(unit: usize, word: Word) -> bool {
    let reads: fn(Select) -> bool = match unit {
        0 => |s| matches!(s, Select::Port0 { back: 0, .. }),
        1 => |s| matches!(s, Select::Port1(_)),
        2 => |s| matches!(s, Select::Load(_)),
        _ => return false,
    };
    OPERANDS.iter().any(|&(field, ..)| reads(Select::of(word.get(field), false)))
}
