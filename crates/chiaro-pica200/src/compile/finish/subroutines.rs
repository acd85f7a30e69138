//! Outlining: runs of words that stand in several places become a subroutine.
//!
//! Functions are inlined long before; that lets constants and registers flow through them, and
//! most of what is inlined twice is not the same afterwards. What is the same to the bit can be
//! shared without any convention for arguments: so many occurrences of a run of `n` words cost
//! one word each, and the run once, behind END.
//!
//! A run has no branches in it, nothing jumps into it, and no block ends with it, because none
//! may end with a CALL (spec section 13). MOVA stands at neither end: two of them must not follow
//! each other. Subroutines call none, so that one entry of the stack is enough.

use super::words::Pending;
use crate::isa::{Op, PICA200, halves};
use chiaro_isa::Value;
use std::collections::HashMap;

/// Longest run that is looked for.
const LONGEST: usize = 96;
/// Subroutines that are made at most.
const MOST: usize = 32;
/// Comparisons of words that a search may take: code that repeats itself all over is shared as
/// far as it was looked at.
const WORK: usize = 400_000;

const CALL: u32 = 0x24;
const MOVA: u32 = 0x12;
const FIRST_FLOW: u32 = 0x20;
const LAST_FLOW: u32 = 0x2d;

/// Makes subroutines of runs, each of which saves at least so many words. How many words the main
/// program has then.
pub(super) fn subroutines(code: &mut Vec<Pending>, least: usize) -> usize {
    let mut main = code.len();
    for _ in 0..MOST {
        let Some(run) = best(code, main, least.max(1)) else { return main };
        let before = code.len();
        if !share(code, &run) {
            return main;
        }
        main -= before + run.length - code.len();
    }
    main
}

/// A run of words and where it stands.
struct Run {
    starts: Vec<usize>,
    length: usize,
}

impl Run {
    /// Words that a subroutine saves.
    fn saves(&self) -> usize {
        let all = self.starts.len() * self.length;
        all.saturating_sub(self.starts.len() + self.length)
    }
}

/// The run of the main program that saves the most.
fn best(code: &[Pending], main: usize, least: usize) -> Option<Run> {
    let lengths = lengths(code, main);
    let mut pairs: HashMap<[Key; 2], Vec<usize>> = HashMap::new();
    for at in (0..main.saturating_sub(1)).filter(|at| lengths[*at] >= 2) {
        pairs.entry([key(&code[at]), key(&code[at + 1])]).or_default().push(at);
    }
    let mut groups: Vec<Vec<usize>> = pairs.into_values().filter(|starts| starts.len() > 1).collect();
    groups.sort();
    let mut best: Option<Run> = None;
    let mut work = WORK;
    for starts in groups {
        for (i, &first) in starts.iter().enumerate() {
            let same: Vec<(usize, usize)> =
                starts[i..].iter().map(|&at| (at, common(code, &lengths, first, at))).collect();
            let longest = same[1..].iter().map(|(_, n)| *n).max().unwrap_or(0);
            work = work.saturating_sub(same.len() * longest.max(1) * 2);
            for length in (2..=longest).filter(|n| may_end(code, first + n - 1)) {
                let run = Run { starts: apart(&same, length), length };
                if run.saves() >= least && best.as_ref().is_none_or(|best| run.saves() > best.saves()) {
                    best = Some(run);
                }
            }
            if work == 0 {
                return best;
            }
        }
    }
    best
}

/// What makes words the same.
type Key = (u32, u32, u32);

fn key(p: &Pending) -> Key {
    (p.word, p.descriptor & p.care, p.care)
}

/// For each place the length of the longest run that may start there.
fn lengths(code: &[Pending], main: usize) -> Vec<usize> {
    let mut ends = vec![false; code.len() + 1];
    for p in code {
        for place in places(p.word) {
            if let Some(end) = ends.get_mut(place) {
                *end = true;
            }
        }
    }
    let mut lengths = vec![0; code.len() + 1];
    for at in (0..main).rev() {
        let plain = !(FIRST_FLOW..=LAST_FLOW).contains(&opcode(&code[at]));
        // A run that would end where a block does gives its last word up.
        lengths[at] = match (plain, ends[at + 1]) {
            (false, _) | (true, true) => 0,
            (true, false) => (lengths[at + 1] + 1).min(LONGEST),
        };
    }
    for at in 0..main {
        if opcode(&code[at]) == MOVA {
            lengths[at] = 0;
        }
    }
    lengths
}

fn opcode(p: &Pending) -> u32 {
    p.word >> 26
}

fn may_end(code: &[Pending], last: usize) -> bool {
    opcode(&code[last]) != MOVA
}

/// The places that a word of control flow names: where something starts, or has just ended.
fn places(word: u32) -> Vec<usize> {
    let (target, count) = ((word >> 10 & 0xfff) as usize, (word & 0xff) as usize);
    match word >> 26 {
        0x24..=0x28 => vec![target, target + count],
        0x29 => vec![target + 1],
        0x2c | 0x2d => vec![target],
        _ => Vec::new(),
    }
}

/// How many words are the same from two places on, within what may be a run at both.
fn common(code: &[Pending], lengths: &[usize], a: usize, b: usize) -> usize {
    let most = lengths[a].min(lengths[b]);
    (0..most).take_while(|i| key(&code[a + i]) == key(&code[b + i])).count()
}

/// Those that are long enough, and do not overlap.
fn apart(same: &[(usize, usize)], length: usize) -> Vec<usize> {
    let mut end = 0;
    let mut starts = Vec::new();
    for &(at, _) in same.iter().filter(|(_, n)| *n >= length) {
        if at >= end {
            starts.push(at);
            end = at + length;
        }
    }
    starts
}

/// Puts a run behind the code, and calls where it stood; whether that could be done.
fn share(code: &mut Vec<Pending>, run: &Run) -> bool {
    let mut moved: Vec<usize> = Vec::with_capacity(code.len() + 1);
    let mut new: Vec<Pending> = Vec::with_capacity(code.len());
    let mut starts = run.starts.iter().copied().peekable();
    let mut at = 0;
    while at < code.len() {
        if starts.next_if_eq(&at).is_some() {
            // Nothing names a place within a run.
            moved.extend(std::iter::repeat_n(new.len(), run.length));
            new.push(Pending {
                word: CALL << 26,
                descriptor: 0,
                care: 0,
                has_descriptor: false,
                span: code[at].span,
            });
            at += run.length;
        } else {
            moved.push(new.len());
            new.push(code[at].clone());
            at += 1;
        }
    }
    moved.push(new.len());
    let body = new.len();
    for p in &mut new {
        if p.word != CALL << 26 {
            p.word = follow(p.word, &moved);
        }
    }
    let fields = [("target", Value::Int(body as i64)), ("count", Value::Int(run.length as i64))];
    let Ok(call) = PICA200.encode_op(Op::Call as u16, &fields, &PICA200.cx()) else { return false };
    let call = halves(call.word).0;
    new.iter_mut().filter(|p| p.word == CALL << 26).for_each(|p| p.word = call);
    new.extend_from_slice(&code[run.starts[0]..run.starts[0] + run.length]);
    *code = new;
    true
}

/// A word of control flow whose places have moved.
fn follow(word: u32, moved: &[usize]) -> u32 {
    let place = |old: usize| moved.get(old).copied().unwrap_or(old) as u32;
    let (target, count) = ((word >> 10 & 0xfff) as usize, (word & 0xff) as usize);
    let put = |target: u32, count: u32| word & !(0xfff << 10 | 0xff) | target << 10 | count;
    match word >> 26 {
        0x24..=0x28 => put(place(target), place(target + count) - place(target)),
        // LOOP names the last word of its body.
        0x29 => put(place(target + 1) - 1, word & 0xff),
        0x2c | 0x2d => put(place(target), word & 0xff),
        _ => word,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pending(word: u32) -> Pending {
        Pending { word, descriptor: 0, care: 0, has_descriptor: false, span: None }
    }

    /// Additions that differ by a number, NOPs of control flow and jumps.
    fn code(words: &[u32]) -> Vec<Pending> {
        words.iter().map(|w| pending(*w)).collect()
    }

    #[test]
    fn a_run_is_shared_and_jumps_follow() {
        const END: u32 = 0x22 << 26;
        let jump = |to: u32| 0x2c << 26 | to << 10;
        let mut words = vec![jump(11), 1, 2, 3, 4, 9, 1, 2, 3, 4, 8, 7, END];
        let mut made = code(&words);
        subroutines(&mut made, 2);
        let call = CALL << 26 | 7 << 10 | 4;
        let found: Vec<u32> = made.iter().map(|p| p.word).collect();
        assert_eq!(found, [jump(5), call, 9, call, 8, 7, END, 1, 2, 3, 4]);
        // A jump into the run keeps it as it is.
        words[0] = jump(8);
        let mut made = code(&words);
        subroutines(&mut made, 2);
        assert_eq!(made.len(), words.len());
    }

    /// Blocks begin at their target and end behind so many words, a loop ends with its target; each place moves by itself.
    #[test]
    fn places_of_every_word() {
        let word = |op: u32, target: u32, count: u32| op << 26 | 3 << 22 | target << 10 | count;
        let moved: Vec<usize> = (0..0x1000).map(|at| if at < 0x109 { at } else { at - 3 }).collect();
        for (op, places_of, target, count) in [
            (0x24, vec![0x105, 0x110], 0x105, 8),
            (0x25, vec![0x105, 0x110], 0x105, 8),
            (0x26, vec![0x105, 0x110], 0x105, 8),
            (0x27, vec![0x105, 0x110], 0x105, 8),
            (0x28, vec![0x105, 0x110], 0x105, 8),
            (0x29, vec![0x106], 0x105, 0xb),
            (0x2c, vec![0x105], 0x105, 0xb),
            (0x2d, vec![0x105], 0x105, 0xb),
            (0x22, vec![], 0x105, 0xb),
        ] {
            assert_eq!(places(word(op, 0x105, 0xb)), places_of, "{op:#x}");
            assert_eq!(follow(word(op, 0x105, 0xb), &moved), word(op, target, count), "{op:#x}");
        }
        assert_eq!(follow(word(0x2c, 0x120, 0xb), &moved), word(0x2c, 0x11d, 0xb));
        assert_eq!(follow(word(0x29, 0x108, 0xb), &moved), word(0x29, 0x105, 0xb));
        assert_eq!(follow(word(0x24, 0x109, 0xff), &moved), word(0x24, 0x106, 0xff));
    }
}
