//! Single instructions: bits, operands, limits of fields.

use super::report::Report;
use super::rules::*;
use super::step::{Step, missing_descriptor, number, unclaimed};
use crate::container::Dvlp;
use crate::isa::Op;

/// Bits 8 and 9, into which picasso lets NUM overflow.
const NUM_OVERFLOW: u32 = 3 << 8;

/// Judges every word that some executable reaches, and the descriptors.
pub(super) fn check(steps: &[Step], program: &Dvlp, reached: &[bool], report: &mut Report) {
    let words = (0..).zip(&program.code).zip(steps.iter().zip(reached));
    for ((at, &word), (step, _)) in words.filter(|(_, (_, reached))| **reached) {
        let Some(op) = step.op else {
            let message = format!("the opcode {:#04x} of {word:08x} is unknown", word >> 26);
            report.word(&UNKNOWN_OPCODE, at, message);
            continue;
        };
        if step.odd {
            check_bits(at, word, op, unclaimed(word), report);
        }
        if let Some(index) = missing_descriptor(word, program.descriptors.len()) {
            let message = format!("names descriptor {index}, the table has {}", program.descriptors.len());
            report.word(&DESCRIPTOR_MISSING, at, message);
            continue;
        }
        check_operands(at, step, report);
        check_modifiers(at, word, op, report);
    }
    check_descriptors(&program.descriptors, report);
}

/// Bits that are set and have no meaning.
fn check_bits(at: u32, word: u32, op: Op, mut unclaimed: u32, report: &mut Report) {
    let counts = matches!(op, Op::Call | Op::Callc | Op::Callu | Op::Ifc | Op::Ifu);
    if counts && unclaimed & NUM_OVERFLOW != 0 {
        let count = word & 0x3ff;
        let message =
            format!("NUM seems to be {count}, 255 are allowed; the hardware reads {}", count & 0xff);
        report.word(&NUM_RANGE, at, message);
        unclaimed &= !NUM_OVERFLOW;
    }
    if unclaimed != 0 {
        let message = format!("bits {unclaimed:#010x} of {word:08x} are set, but have no known meaning");
        report.word(&RESERVED_BITS, at, message);
    }
}

fn check_operands(at: u32, step: &Step, report: &mut Report) {
    // Several, if any is left without the lowest.
    if step.inputs & step.inputs.wrapping_sub(1) != 0 {
        let names: Vec<String> =
            (0..16).filter(|v| step.inputs >> v & 1 != 0).map(|v| format!("v{v}")).collect();
        report.word(&TWO_INPUTS, at, format!("reads {}; one input is allowed", names.join(" and ")));
    }
    if step.idle {
        report.word(&NO_EFFECT, at, "enables no component of its destination".to_string());
    }
}

/// Values that fields can hold, but that nobody can explain.
fn check_modifiers(at: u32, word: u32, op: Op, report: &mut Report) {
    let holds_more = |field, most| number(word, field).filter(|&n| n > most);
    match op {
        Op::Cmp => {
            for flag in ["x", "y"] {
                if let Some(operator) = holds_more(flag, 5) {
                    report.word(&CMP_OPERATOR, at, format!("compares {flag} with operator {operator}"));
                }
            }
        }
        Op::Setemit if holds_more("vertex", 2).is_some() => {
            report.word(&SETEMIT_SLOT, at, "names vertex slot 3".to_string());
        }
        _ => {}
    }
}

fn check_descriptors(descriptors: &[[u32; 2]], report: &mut Report) {
    for (index, [first, second]) in descriptors.iter().enumerate() {
        if first >> 31 != 0 || *second != 0 {
            let message = format!("descriptor {index} is {first:08x} {second:08x}");
            report.file(&DESCRIPTOR_BITS, message);
        }
    }
}
