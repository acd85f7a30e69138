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

#[cfg(test)]
mod tests {
    use super::*;

    /// Words with these instructions, of so many operands each, and so many times.
    fn module(bound: u32, instructions: &[(Op, usize, usize)]) -> Module {
        let mut words = vec![spirv::MAGIC_NUMBER, 0x1_0000, 0, bound, 0];
        for &(op, operands, times) in instructions {
            for _ in 0..times {
                words.push((operands as u32 + 1) << 16 | op as u32);
                words.resize(words.len() + operands, 1);
            }
        }
        words.resize(words.len().max(SMALL), 1 << 16);
        Module { words, spans: Vec::new(), interface: Default::default() }
    }

    /// As many as may be pass; one more is refused, with both numbers.
    #[test]
    fn each_limit_is_the_last_that_passes() {
        type Made = fn(usize) -> Module;
        let limits: [(usize, Made); 7] = [
            (255, |n| module(9, &[(Op::TypeFunction, 2 + n, 1)])),
            (16_383, |n| module(9, &[(Op::TypeStruct, 1 + n, 1)])),
            (16_383, |n| module(9, &[(Op::Switch, 2 + 2 * n, 1)])),
            (255, |n| module(9, &[(Op::AccessChain, 3 + n, 1)])),
            (65_535, |n| module(9, &[(Op::Variable, 3, n)])),
            (524_287, |n| module(9, &[(Op::Function, 4, 1), (Op::Variable, 3, n), (Op::FunctionEnd, 0, 1)])),
            (4_194_303, |n| module(n as u32, &[])),
        ];
        for (allowed, made) in limits {
            assert_eq!(exceeded(&made(allowed)), None, "{allowed}");
            let found = exceeded(&made(allowed + 1)).map(|e| (e.used, e.allowed));
            assert_eq!(found, Some((allowed + 1, allowed)));
        }
    }

    #[test]
    fn variables_of_functions_are_counted_apart() {
        let function = |n| [(Op::Function, 4, 1), (Op::Variable, 3, n), (Op::FunctionEnd, 0, 1)];
        let both = [function(300_000), function(300_000)].concat();
        assert_eq!(exceeded(&module(9, &both)), None);
    }
}
