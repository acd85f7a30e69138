//! Operations across lanes (spec 7).

use chiaro_isa::Value;

use super::field::{Fields, int, place};
use crate::compile::finish::line::Line;
use crate::compile::select::{SCAN_MAX, SCAN_MIN};
use crate::isa::simd::Simd;

/// Selectors of scans that have no name, by Mesa's bit pattern (spec 7.3): bits 41:26.
const PREFIX_MIN: i64 = 0x201c;
const PREFIX_MAX: i64 = 0x301c;

pub(super) fn simd(op: Simd, line: &Line, fields: &mut Fields) {
    fields.push(("D", place(&line.defs[0])));
    match op {
        Simd::IcmpBallot | Simd::FcmpBallot => fields.push(("cc", int(line.modifiers.condition))),
        Simd::SimdOp => {
            let selector = match line.modifiers.mode {
                SCAN_MIN => PREFIX_MIN,
                SCAN_MAX => PREFIX_MAX,
                other => other.into(),
            };
            fields.extend([("op1", int(0)), ("op2", Value::Int(selector))]);
        }
        _ => {}
    }
    fields.extend(["A", "B"].into_iter().zip(line.uses.iter().map(place)));
}
