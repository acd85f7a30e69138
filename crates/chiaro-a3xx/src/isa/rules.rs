//! What the hardware cannot run although words for it exist. spec sections 7, 8, 16, 17.
//!
//! Existing assemblers change such operands in silence or write words that misbehave;
//! here they are errors, unless a tool's exact behaviour is asked for.

use super::sources::{IR3, ISASPEC};
use crate::regs::generation::{A3XX, A6XX};
use crate::regs::{A0, P0, file, mods};
use chiaro_isa::{Operands, Reg, Role, Rule, Value};

type Verdict = Result<(), (&'static str, String)>;

/// Every rule by its name, to waive all of them.
pub(crate) const ALL: &[&str] = &[
    "one-constant",
    "one-immediate",
    "float-immediate",
    "integer-immediate",
    "no-signs",
    "only-not",
    "second-sign",
    "register-only",
    "predicate-destination",
    "address-destination",
    "last-input",
    "relative-once",
    "saturation",
];

pub(super) const ONE_CONSTANT: Rule = Rule {
    id: "one-constant",
    doc: "At most one of two sources is a constant.",
    source: &IR3,
    check: |o| at_most_one(o, is_constant, "a constant"),
};
pub(super) const ONE_IMMEDIATE: Rule = Rule {
    id: "one-immediate",
    doc: "At most one of two sources is an immediate.",
    source: &IR3,
    check: |o| at_most_one(o, is_immediate, "an immediate"),
};
pub(super) const FLOAT_TABLE: Rule = Rule {
    id: "float-immediate",
    doc: "A float operation takes immediates from the table alone.",
    source: &IR3,
    check: |o| {
        refuse(
            o,
            |r| r.file == file::IMMEDIATE,
            "a float operation takes an immediate from the table alone, such as (1.0)",
        )
    },
};
pub(super) const INTEGER_IMMEDIATE: Rule = Rule {
    id: "integer-immediate",
    doc: "An integer operation takes no float from the table.",
    source: &ISASPEC,
    check: |o| refuse(o, |r| r.file == file::TABLE, "an integer operation takes no float immediate"),
};
pub(super) const NO_SIGNS: Rule = Rule {
    id: "no-signs",
    doc: "Integer operations change no signs of their sources.",
    source: &IR3,
    check: |o| {
        refuse(o, |r| r.mods & (mods::NEG | mods::ABS) != 0, "this operation takes neither (neg) nor (abs)")
    },
};
pub(super) const ONLY_NOT: Rule = Rule {
    id: "only-not",
    doc: "Operations on bits take (neg), their complement, but no (abs).",
    source: &IR3,
    check: |o| refuse(o, |r| r.mods & mods::ABS != 0, "an operation on bits takes no (abs)"),
};
pub(super) const SECOND_SIGN: Rule = Rule {
    id: "second-sign",
    doc: "Only the second source may be negated.",
    source: &IR3,
    check: second_sign,
};
pub(super) const REGISTER_ONLY: Rule = Rule {
    id: "register-only",
    doc: "Special functions read registers.",
    source: &IR3,
    check: |o| {
        refuse(
            o,
            |r| is_constant(r) || is_immediate(r),
            "a special function reads a register; copy the value first",
        )
    },
};
pub(super) const PREDICATE_DEST: Rule = Rule {
    id: "predicate-destination",
    doc: "Before A6xx only comparisons write a predicate.",
    source: &IR3,
    check: predicate_destination,
};
pub(super) const WRITES_A0: Rule = Rule {
    id: "address-destination",
    doc: "Only mova writes the address register.",
    source: &IR3,
    check: address_destination,
};
pub(super) const LAST_INPUT: Rule = Rule {
    id: "last-input",
    doc: "(ei) stands on varying fetches; on sums it halves on later machines and is untested on A3xx.",
    source: &ISASPEC,
    check: last_input,
};
pub(super) const RELATIVE_ONCE: Rule = Rule {
    id: "relative-once",
    doc: "Source and destination of a copy are not both relative.",
    source: &IR3,
    check: relative_once,
};
pub(super) const NO_SATURATION: Rule = Rule {
    id: "saturation",
    doc: "Varying fetches and selections do not saturate on A3xx.",
    source: &IR3,
    check: no_saturation,
};

fn is_constant(r: Reg) -> bool {
    matches!(r.file, file::CONST | file::RELATIVE_CONST)
}

fn is_immediate(r: Reg) -> bool {
    matches!(r.file, file::IMMEDIATE | file::TABLE)
}

/// The sources with their names.
fn sources<'a>(o: &'a Operands<'_>) -> impl Iterator<Item = (&'static str, Reg)> + 'a {
    o.iter().filter(|(field, _)| field.role == Role::Use).filter_map(|(f, v)| Some((f.name, v.reg()?)))
}

fn at_most_one(o: &Operands<'_>, which: fn(Reg) -> bool, what: &str) -> Verdict {
    let mut found = sources(o).filter(|(_, r)| which(*r));
    match (found.next(), found.next()) {
        (Some((first, _)), Some((second, _))) => {
            Err((second, format!("{first} is {what} already, and only one can be; move one to a register")))
        }
        _ => Ok(()),
    }
}

fn refuse(o: &Operands<'_>, which: fn(Reg) -> bool, why: &str) -> Verdict {
    match sources(o).find(|(_, r)| which(*r)) {
        Some((name, _)) => Err((name, why.to_owned())),
        None => Ok(()),
    }
}

fn second_sign(o: &Operands<'_>) -> Verdict {
    let wrong = |(name, r): &(&str, Reg)| *name != "src2" && r.mods & mods::NEG != 0;
    match sources(o).find(wrong) {
        Some((name, _)) => Err((name, "only the second source may be negated".to_owned())),
        None => Ok(()),
    }
}

fn written(o: &Operands<'_>) -> Option<u16> {
    o.get("dst").and_then(Value::reg).filter(|r| r.file == file::GPR).map(|r| r.index)
}

fn predicate_destination(o: &Operands<'_>) -> Verdict {
    match written(o) {
        Some(n) if (P0..P0 + 4).contains(&n) && o.generation < A6XX => {
            Err(("dst", "only comparisons write a predicate before A6xx".to_owned()))
        }
        _ => Ok(()),
    }
}

fn address_destination(o: &Operands<'_>) -> Verdict {
    match written(o) {
        Some(n) if (A0..P0).contains(&n) => Err(("dst", "only mova writes the address register".to_owned())),
        _ => Ok(()),
    }
}

fn last_input(o: &Operands<'_>) -> Verdict {
    match o.get("ei") {
        Some(Value::Int(1)) if o.generation == A3XX => {
            Err(("ei", "(ei) belongs on the last bary.f".to_owned()))
        }
        _ => Ok(()),
    }
}

fn relative_once(o: &Operands<'_>) -> Verdict {
    let relative = |name| o.get(name).and_then(Value::reg).is_some_and(|r| r.indexed == 1);
    match relative("dst") && relative("src") {
        true => Err(("src", "source and destination cannot both be relative to a0.x".to_owned())),
        false => Ok(()),
    }
}

fn no_saturation(o: &Operands<'_>) -> Verdict {
    match o.get("sat") {
        Some(Value::Int(1)) => Err(("sat", "this operation does not saturate".to_owned())),
        _ => Ok(()),
    }
}
