//! Comparisons of lanes: VOPC, all of its types and conditions (spec section 6.5).

use chiaro_sim::{Op as U, Slot};

use super::Doer;
use super::uops::Uops;
use crate::regs::code;

/// `name` is the row's: `v_cmp` or `v_cmpx`, condition, type.
pub(super) fn vopc(name: &str, u: &mut Uops) -> Doer {
    let (lanes, rest) = match name.strip_prefix("v_cmpx_") {
        Some(rest) => (true, rest),
        None => (false, name.strip_prefix("v_cmp_").unwrap_or(name)),
    };
    let Some((condition, of)) = rest.split_once('_') else { return Doer::Unknown };
    let truth = match (condition, of) {
        ("class", _) => class(of, u),
        (_, "f32" | "f16" | "f64") => floats(condition, of, u),
        _ => integers(condition, of, u),
    };
    if lanes {
        u.op(U::Ballot, Slot(code::EXEC_LO), &[truth]);
    } else {
        u.put_mask(truth);
    }
    Doer::Vector
}

fn class(of: &str, u: &mut Uops) -> Slot {
    match of {
        "f16" => {
            let (a, b) = (u.half(0), u.word(1));
            u.t(U::Class16, &[a, b])
        }
        "f32" => {
            let (a, b) = (u.float(0), u.word(1));
            u.t(U::Class32, &[a, b])
        }
        _ => {
            let (a, b) = (u.double(0), u.word(1));
            u.t(U::Class64, &[a, b])
        }
    }
}

/// The sources of a type, and its operations: equal, less, less or equal.
fn floats(condition: &str, of: &str, u: &mut Uops) -> Slot {
    let (a, b, [equal, less, less_equal]) = match of {
        "f32" => {
            u.f32();
            (u.read_float(0), u.read_float(1), [U::Feq, U::Flt, U::Fle])
        }
        "f16" => {
            u.f16();
            (u.read_half(0), u.read_half(1), [U::Feq, U::Flt, U::Fle])
        }
        _ => (u.double(0), u.double(1), [U::Deq, U::Dlt, U::Dle]),
    };
    let (inverted, plain) = match condition {
        "f" => return u.imm(0),
        "tru" => return u.imm(u32::MAX),
        "u" => (true, "o"),
        "neq" => (true, "eq"),
        _ => match condition.strip_prefix('n') {
            Some(plain) => (true, plain),
            None => (false, condition),
        },
    };
    let truth = match plain {
        "lt" => u.t(less, &[a, b]),
        "eq" => u.t(equal, &[a, b]),
        "le" => u.t(less_equal, &[a, b]),
        "gt" => u.t(less, &[b, a]),
        "ge" => u.t(less_equal, &[b, a]),
        "lg" => {
            let (below, above) = (u.t(less, &[a, b]), u.t(less, &[b, a]));
            u.t(U::Or, &[below, above])
        }
        _ => {
            let (first, second) = (u.t(equal, &[a, a]), u.t(equal, &[b, b]));
            u.t(U::And, &[first, second])
        }
    };
    if inverted { u.t(U::Not, &[truth]) } else { truth }
}

fn integers(condition: &str, of: &str, u: &mut Uops) -> Slot {
    let (a, b, [equal, less]) = match of {
        "i64" => (u.long(0), u.long(1), [U::Eq64, U::LtS64]),
        "u64" => (u.long(0), u.long(1), [U::Eq64, U::LtU64]),
        "i16" => (u.short(0, U::FieldS), u.short(1, U::FieldS), [U::Eq, U::LtS]),
        "u16" => (u.short(0, U::FieldU), u.short(1, U::FieldU), [U::Eq, U::LtU]),
        "i32" => (u.word(0), u.word(1), [U::Eq, U::LtS]),
        _ => (u.word(0), u.word(1), [U::Eq, U::LtU]),
    };
    let truth = match condition {
        "f" => return u.imm(0),
        "t" | "tru" => return u.imm(u32::MAX),
        "lt" | "ge" => u.t(less, &[a, b]),
        "gt" | "le" => u.t(less, &[b, a]),
        _ => u.t(equal, &[a, b]),
    };
    if matches!(condition, "ge" | "le" | "ne" | "lg") { u.t(U::Not, &[truth]) } else { truth }
}
