//! What SPIR-V itself has room for: limits that a module may not exceed, whoever reads it.
//!
//! [SPIR-V 1.6, 2.17, table "Universal Limits"]

use spirv::Op;

use crate::instruction::instructions;
use crate::module::Module;

/// Parameters of a function, and arguments of a call.
const PARAMETERS: usize = 255;
/// Members of a structure.
const MEMBERS: usize = 16_383;
/// Cases of a switch.
const CASES: usize = 16_383;
/// Variables of a module.
const GLOBALS: usize = 65_535;
/// Variables of a function.
const LOCALS: usize = 524_287;
/// Indices of an access chain.
const INDICES: usize = 255;
/// Ids.
const BOUND: usize = 4_194_303;
/// Words below which none of these can be exceeded: what has the least room takes as many.
const SMALL: usize = PARAMETERS;

/// A limit that a module exceeds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Exceeded {
    /// The number of the instruction that is one too many, or holds too much.
    pub instruction: usize,
    /// What there is too much of.
    pub what: &'static str,
    /// How much there is.
    pub used: usize,
    /// How much there may be.
    pub allowed: usize,
}

/// The first limit that a module exceeds; everything of its kind is counted.
#[must_use]
pub fn exceeded(module: &Module) -> Option<Exceeded> {
    let words = &module.words;
    if words.len() < SMALL {
        return None;
    }
    let (mut globals, mut locals, mut within) = (Counter::default(), Counter::default(), false);
    for (at, inst) in instructions(words).map_while(Result::ok).enumerate() {
        let count = inst.operands.len();
        let found = match inst.op {
            Op::TypeFunction => many(at, "parameters of a function", count.saturating_sub(2), PARAMETERS),
            Op::TypeStruct => many(at, "members of a structure", count.saturating_sub(1), MEMBERS),
            Op::Switch => many(at, "cases of a switch", count.saturating_sub(2) / 2, CASES),
            Op::AccessChain => many(at, "indices in one place", count.saturating_sub(3), INDICES),
            Op::Function => {
                within = true;
                locals = Counter::default();
                None
            }
            Op::FunctionEnd => many(locals.first, "variables of a function", locals.count, LOCALS),
            Op::Variable => {
                if within {
                    locals.add(at, LOCALS);
                } else {
                    globals.add(at, GLOBALS);
                }
                None
            }
            _ => None,
        };
        if found.is_some() {
            return found;
        }
    }
    let bound = words.get(3).map_or(0, |&bound| bound as usize);
    many(globals.first, "variables of a module", globals.count, GLOBALS)
        .or_else(|| many(0, "results", bound, BOUND))
}

fn many(instruction: usize, what: &'static str, used: usize, allowed: usize) -> Option<Exceeded> {
    (used > allowed).then_some(Exceeded { instruction, what, used, allowed })
}

/// How many there are, and which is the first too many.
#[derive(Default)]
struct Counter {
    count: usize,
    first: usize,
}

impl Counter {
    fn add(&mut self, at: usize, allowed: usize) {
        self.count += 1;
        if self.count == allowed + 1 {
            self.first = at;
        }
    }
}
