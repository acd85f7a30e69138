//! How long a program runs: its shortest and its longest path, in words.
//!
//! No public source gives the latency of an instruction, so a cycle is taken as one word
//! (assumption `cycles-per-word` 1). The rounds of a loop whose integer uniform the program
//! sets itself are known; of any other an assumption says how many (`loop-rounds`). Paths are
//! those of the structure: what conditions have to do with each other is not looked at.

use std::collections::HashMap;

use chiaro_isa::Value;

use crate::container::{ConstantValue, Shbin, UniformRegister};
use crate::isa::{Op, PICA200, fetch};

/// What the hardware's documents and the program leave open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Assumptions {
    /// Cycles that a word takes. [unknown]
    pub cycles_per_word: u32,
    /// Rounds of a loop that the host program decides.
    pub loop_rounds: u32,
}

impl Default for Assumptions {
    fn default() -> Assumptions {
        Assumptions { cycles_per_word: 1, loop_rounds: 8 }
    }
}

/// Cycles of a program, END included.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Paths {
    /// Along the shortest path.
    pub shortest: u64,
    /// Along the longest path.
    pub longest: u64,
    /// Whether the number of rounds of some loop was assumed.
    pub assumed_rounds: bool,
}

/// A word as far as paths need it.
#[derive(Clone, Copy, Default)]
struct Step {
    op: Option<Op>,
    target: u32,
    count: u32,
    int: u32,
}

struct Walk<'a> {
    steps: Vec<Step>,
    rounds: HashMap<u32, u64>,
    assumptions: &'a Assumptions,
    assumed: bool,
    /// Ranges that have been measured: calls and blocks are met often.
    known: HashMap<(u32, u32), Span>,
}

/// Shortest and longest way through a range; `None` where it does not come to the end.
#[derive(Clone, Copy, Default)]
struct Span {
    through: Option<(u64, u64)>,
    /// Ways that end the program inside.
    ends: Option<(u64, u64)>,
}

/// Nesting of calls and blocks that is followed.
const MOST_DEPTH: u32 = 32;

/// The paths of an executable from its entry; `None` for code that is not built of nested
/// blocks, or that no path leads to the end of.
#[must_use]
pub fn paths(file: &Shbin, executable: usize, assumptions: &Assumptions) -> Option<Paths> {
    let dvle = file.executables.get(executable)?;
    let steps = file.program.code.iter().map(|&word| step(word, &file.program.descriptors)).collect();
    let rounds = dvle.constants.iter().filter_map(|c| match (c.target(), c.value()) {
        (Some(UniformRegister::Int(i)), Some(ConstantValue::Int(n))) => {
            Some((u32::from(i), u64::from(n[0]) + 1))
        }
        _ => None,
    });
    let rounds = rounds.collect();
    let mut walk = Walk { steps, rounds, assumptions, assumed: false, known: HashMap::new() };
    let span = walk.range(dvle.entry, walk.steps.len() as u32, 0)?;
    let (shortest, longest) = span.ends?;
    let cycles = u64::from(assumptions.cycles_per_word);
    Some(Paths {
        shortest: shortest.saturating_mul(cycles),
        longest: longest.saturating_mul(cycles),
        assumed_rounds: walk.assumed,
    })
}

fn step(word: u32, descriptors: &[[u32; 2]]) -> Step {
    let Ok(inst) = PICA200.decode_word(&fetch(word, descriptors), 8) else { return Step::default() };
    let cx = PICA200.cx();
    let number = |name| match PICA200.value(&inst, name, &cx) {
        Some(Value::Int(n)) => n as u32,
        Some(Value::Reg(r)) => u32::from(r.index),
        _ => 0,
    };
    let op = Some(Op::of(PICA200.form(&inst).op));
    Step { op, target: number("target"), count: number("count"), int: number("int") }
}

/// The smaller of the shortest and the larger of the longest.
fn either(a: Option<(u64, u64)>, b: Option<(u64, u64)>) -> Option<(u64, u64)> {
    match (a, b) {
        (Some((s, l)), Some((t, m))) => Some((s.min(t), l.max(m))),
        (one, other) => one.or(other),
    }
}

/// One behind the other.
fn then(a: (u64, u64), b: Option<(u64, u64)>) -> Option<(u64, u64)> {
    b.map(|(s, l)| (a.0.saturating_add(s), a.1.saturating_add(l)))
}

impl Walk<'_> {
    /// Words from `start` up to `end`, not included.
    fn range(&mut self, start: u32, end: u32, depth: u32) -> Option<Span> {
        if depth > MOST_DEPTH || end as usize > self.steps.len() {
            return None;
        }
        if let Some(&known) = self.known.get(&(start, end)) {
            return Some(known);
        }
        let mut span = Span { through: Some((0, 0)), ends: None };
        let mut at = start;
        while at < end {
            let Some(before) = span.through else { break };
            let (inner, next) = self.word(at, depth)?;
            span.ends = either(span.ends, then(before, inner.ends));
            span.through = then(before, inner.through);
            at = next;
        }
        self.known.insert((start, end), span);
        Some(span)
    }

    /// A word with all that belongs to it, and the word that follows.
    fn word(&mut self, at: u32, depth: u32) -> Option<(Span, u32)> {
        let step = self.steps[at as usize];
        let one = Span { through: Some((1, 1)), ends: None };
        let next = at + 1;
        Some(match step.op? {
            Op::End => (Span { through: None, ends: Some((1, 1)) }, next),
            Op::Ifc | Op::Ifu => {
                let yes = self.range(next, step.target, depth + 1)?;
                let no = self.range(step.target, step.target + step.count, depth + 1)?;
                let both = Span { through: either(yes.through, no.through), ends: either(yes.ends, no.ends) };
                (behind(both), step.target + step.count)
            }
            Op::Loop => {
                let body = self.range(next, step.target + 1, depth + 1)?;
                (behind(self.repeated(step.int, body)), step.target + 1)
            }
            op @ (Op::Call | Op::Callc | Op::Callu) => {
                let body = self.range(step.target, step.target + step.count, depth + 1)?;
                let skipped = (op != Op::Call).then_some((0, 0));
                (behind(Span { through: either(body.through, skipped), ..body }), next)
            }
            // A jump forward leaves out some words on one way.
            Op::Jmpc | Op::Jmpu if step.target > at => {
                let rest = self.range(next, step.target, depth + 1)?;
                let span = Span { through: either(rest.through, Some((0, 0))), ..rest };
                (behind(span), step.target)
            }
            Op::Jmpc | Op::Jmpu => return None,
            _ => (one, next),
        })
    }

    /// All rounds of a loop. BREAKC leaves it in any of them, which only the longest path knows.
    fn repeated(&mut self, int: u32, body: Span) -> Span {
        let rounds = self.rounds.get(&int).copied();
        self.assumed |= rounds.is_none();
        let rounds = rounds.unwrap_or_else(|| u64::from(self.assumptions.loop_rounds.max(1)));
        let times = |(s, l): (u64, u64)| (s.saturating_mul(rounds), l.saturating_mul(rounds));
        Span { through: body.through.map(times), ends: body.ends }
    }
}

/// The word itself, then what it leads to.
fn behind(span: Span) -> Span {
    Span { through: then((1, 1), span.through), ends: then((1, 1), span.ends) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::container::{Constant, Dvle, Dvlp};
    use crate::isa::halves;

    /// A program of words that need no descriptor.
    fn program(lines: &[&str]) -> Shbin {
        let word = |line: &&str| match PICA200.parse(line, &PICA200.cx()) {
            Ok(parsed) => halves(parsed.inst.word).0,
            Err(error) => panic!("{line}: {error:?}"),
        };
        let program = Dvlp { code: lines.iter().map(word).collect(), ..Dvlp::default() };
        Shbin::new(program, vec![Dvle::default()])
    }

    /// The shortest and the longest path, and whether rounds are assumed.
    fn told(lines: &[&str]) -> Option<(u64, u64, bool)> {
        let found = paths(&program(lines), 0, &Assumptions::default())?;
        Some((found.shortest, found.longest, found.assumed_rounds))
    }

    #[test]
    fn blocks_are_as_long_as_their_arms() {
        assert_eq!(told(&["nop", "ifc cmp.x, 4, 1", "nop", "nop", "nop", "end"]), Some((4, 5, false)));
        assert_eq!(told(&["ifu b0, 3, 0", "nop", "nop", "end"]), Some((2, 4, false)), "no other arm");
        assert_eq!(told(&["ifc cmp.x, 2, 0", "end", "nop", "end"]), Some((2, 3, false)), "an end within");
    }

    #[test]
    fn calls_are_as_long_as_what_they_call() {
        assert_eq!(told(&["call 3, 2", "nop", "end", "nop", "nop"]), Some((5, 5, false)));
        assert_eq!(told(&["callc cmp.x, 3, 2", "nop", "end", "nop", "nop"]), Some((3, 5, false)));
        assert_eq!(told(&["callu b0, 3, 1", "nop", "end", "end"]), Some((2, 3, false)), "an end within");
        assert_eq!(told(&["call 0, 2", "end"]), None, "it calls itself");
    }

    #[test]
    fn jumps_leave_words_out() {
        assert_eq!(told(&["jmpc cmp.x, 2", "nop", "end"]), Some((2, 3, false)));
        assert_eq!(told(&["nop", "jmpu b0, 0", "end"]), None, "backwards nobody knows how often");
        assert_eq!(told(&["nop"]), None, "past the last word");
    }

    #[test]
    fn rounds_are_known_or_assumed() {
        let lines = ["loop i1, 2", "nop", "nop", "end"];
        assert_eq!(told(&lines), Some((18, 18, true)), "eight rounds");
        let mut file = program(&lines);
        file.executables[0].constants = vec![Constant::new(1, ConstantValue::Int([3, 0, 1, 0]))];
        let cycles = |file: &Shbin, assumptions| paths(file, 0, &assumptions).map(|found| found.longest);
        assert_eq!(cycles(&file, Assumptions::default()), Some(10), "four rounds");
        let slow = Assumptions { cycles_per_word: 3, loop_rounds: 0 };
        assert_eq!(cycles(&file, slow), Some(30));
        assert_eq!(cycles(&program(&lines), slow), Some(12), "one round at least");
    }
}
