//! Who reads a part of a register says so, instead of having it cut out before.
//!
//! | before | after |
//! |---|---|
//! | `v_cvt_f32_f16 v2, v0; v_fma_f32 v3, v2, v1, v1` | `v_fma_mix_f32 v3, v0, v1, v1 op_sel_hi:[1,0,0]` |
//! | `v_bfe_u32 v1, v0, 8, 8; v_cvt_f32_u32 v2, v1` | `v_cvt_f32_ubyte1 v2, v0` |
//! | `v_lshrrev_b32 v2, 16, v0; v_add_nc_u32 v3, v2, v1` | `v_add_nc_u32_sdwa v3, v0, v1 src0_sel:WORD_1` |
//!
//! Before: SSA. What is not read any more is dead.

use chiaro_mach::{Code, Inst, Made, Operand};

use super::facts::{maker, number};
use crate::compile::code::{Modifiers, PART, VECTOR, flag, machine, operation, row};
use crate::isa::Op;
use crate::isa::vop1::Vop1;
use crate::isa::vop2::Vop2;
use crate::isa::vop3::Vop3;
use crate::isa::vop3p::Vop3p;
use crate::operand::dpp::{HALF, WHOLE};

/// Rewrites what it can; whether there was anything.
pub(super) fn read_parts(code: &mut Code) -> bool {
    let made = Made::of(code);
    let mut changed = false;
    for block in code.blocks() {
        for inst in code.insts(block).to_vec() {
            if Modifiers::unpack(code.inst(inst).modifiers) != Modifiers::default() {
                continue;
            }
            let rewritten = match operation(code, inst) {
                Some(Op::Vop3(Vop3::FmaF32)) => mixed(code, &made, inst),
                Some(Op::Vop1(Vop1::CvtF32U32)) => {
                    float_of_byte(code, &made, inst).or_else(|| selected(code, &made, inst))
                }
                Some(Op::Vop1(_) | Op::Vop2(_)) => selected(code, &made, inst),
                _ => None,
            };
            let Some((op, uses, modifiers)) = rewritten else { continue };
            let defs = code.defs(inst).to_vec();
            code.set_operands(inst, &defs, &uses);
            let data = code.inst_mut(inst);
            (data.op, data.modifiers) = (machine(op), modifiers.pack());
            changed = true;
        }
    }
    changed
}

/// An instruction instead of another.
type Rewritten = Option<(Op, Vec<Operand>, Modifiers)>;

/// Factors and sums that are converted from half floats.
fn mixed(code: &Code, made: &Made, inst: Inst) -> Rewritten {
    let mut uses = code.uses(inst).to_vec();
    let (mut halves, mut is_shorter) = (0, false);
    for (n, used) in uses.iter_mut().enumerate() {
        if number(used).is_some_and(|bits| bits != 0) {
            // Numbers have other codes there.
            return None;
        }
        let Some((_, maker, Op::Vop1(Vop1::CvtF32F16))) = maker(code, made, used) else { continue };
        let &[half] = code.uses(maker) else { continue };
        if half.file == VECTOR && half.value().is_some() && half.bits == 0 {
            is_shorter |= made.is_read_once(used);
            *used = half.bits(used.bits);
            halves |= 1 << (PART + n as u8);
        }
    }
    let modifiers = Modifiers { halves, ..Modifiers::default() };
    is_shorter.then_some((Op::Vop3p(Vop3p::FmaMixF32), uses, modifiers))
}

fn float_of_byte(code: &Code, made: &Made, inst: Inst) -> Rewritten {
    let (word, part) = part(code, made, code.uses(inst).first()?)?;
    let ops = [Vop1::CvtF32Ubyte0, Vop1::CvtF32Ubyte1, Vop1::CvtF32Ubyte2, Vop1::CvtF32Ubyte3];
    Some((Op::Vop1(*ops.get(usize::from(part))?), vec![word], Modifiers::default()))
}

/// An instruction that selects parts of its sources.
fn selected(code: &Code, made: &Made, inst: Inst) -> Rewritten {
    let op = operation(code, inst)?;
    let mut uses = code.uses(inst).to_vec();
    let is_possible = code.defs(inst).len() == 1
        && code.defs(inst)[0].size == 1
        && uses.len() == if matches!(op, Op::Vop1(_)) { 1 } else { 2 }
        && uses.iter().all(|used| used.file == VECTOR && used.value().is_some() && used.bits == 0)
        && row(op).encodings.iter().any(|(format, _)| format.name.ends_with("SDWA"));
    if !is_possible || is_cut(op) {
        return None;
    }
    let (mut halves, mut is_shorter) = (WHOLE | WHOLE << PART, false);
    for (n, used) in uses.iter_mut().enumerate() {
        if !made.is_read_once(used) {
            continue;
        }
        let Some((word, part)) = part(code, made, used) else { continue };
        let first = PART * n as u8;
        (*used, halves, is_shorter) = (word, halves & !(7 << first) | part << first, true);
    }
    let modifiers = Modifiers { halves, ..Modifiers::default() }.with(flag::SDWA);
    is_shorter.then_some((op, uses, modifiers))
}

/// Copies are no computation: whoever reads them looks further.
fn is_cut(op: Op) -> bool {
    matches!(op, Op::Vop1(Vop1::MovB32))
}

/// The register that an operand is a part of, and which part: it is cut out by an instruction of its own.
fn part(code: &Code, made: &Made, operand: &Operand) -> Option<(Operand, u8)> {
    if operand.bits != 0 {
        return None;
    }
    let (_, maker, op) = maker(code, made, operand)?;
    let uses = code.uses(maker);
    let (word, part) = match (op, uses) {
        (Op::Vop3(Vop3::BfeU32), [word, first, bits]) => (word, field(number(first)?, number(bits)?)?),
        (Op::Vop2(Vop2::LshrrevB32), [by, word]) => (word, field(number(by)?, 32 - number(by)?.min(32))?),
        (Op::Vop2(Vop2::AndB32), [mask, word]) => match number(mask)? {
            0xff => (word, 0),
            0xffff => (word, HALF),
            _ => return None,
        },
        _ => return None,
    };
    (word.file == VECTOR && word.value().is_some() && word.size == 1 && word.bits == 0)
        .then_some((*word, part))
}

/// The selector of a field.
fn field(first: u32, bits: u32) -> Option<u8> {
    match (first, bits) {
        (0 | 8 | 16 | 24, 8) => Some((first / 8) as u8),
        (0 | 16, 16) => Some(HALF + (first / 16) as u8),
        _ => None,
    }
}
