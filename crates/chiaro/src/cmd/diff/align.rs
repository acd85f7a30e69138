//! Which instruction of one program stands for which of the other.
//!
//! Machine code names no values of the IR: registers stand where they were. What is left of a value is the expression
//! that it was of, which every pass and target carries along as a span. So an instruction is known by its source line
//! (lines of two sources are aligned by their text), the text of its expression, and its operation. Those alike in all
//! three are themselves, in the order of both; between them those of one line and operation, whatever was written there;
//! and what finds itself at no place between its neighbours has moved. Two targets have no operations in common: there
//! it is what instructions are there for.

use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Range;

use chiaro::anatomy::Instruction;
use similar::{Algorithm, DiffTag, capture_diff_slices};

use crate::made::{Line, Made};

/// An instruction on either side, or on both; by number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pair {
    /// In the first program.
    pub before: Option<usize>,
    /// In the second.
    pub after: Option<usize>,
    /// It stands elsewhere among its neighbours.
    pub is_moved: bool,
}

impl Pair {
    /// Whether both have it, with the same operands.
    pub fn is_alike(&self, before: &Made, after: &Made) -> bool {
        match (self.before, self.after) {
            (Some(b), Some(a)) => before.lines[b].text == after.lines[a].text,
            _ => false,
        }
    }
}

/// What an instruction is known by: its line and operation, and its expression.
type Key<'a> = ((Option<(usize, u32)>, &'a str), &'a str);

/// All instructions of both, in the order of both; what has moved stands where the second has it.
pub fn align(before: &Made, after: &Made) -> Vec<Pair> {
    let lines = source_lines(before, after);
    let is_one_target = before.target.about().name == after.target.about().name;
    // Lines of the second program under the names of the first.
    let renamed = |place: (usize, u32)| lines.get(&place).copied().unwrap_or((usize::MAX - place.0, place.1));
    let old = keys(before, is_one_target, |place| place);
    let new = keys(after, is_one_target, renamed);
    pairs(&old, &new)
}

/// What the instructions of a program are known by, with the names of its source lines.
fn keys(made: &Made, by_operation: bool, named: impl Fn((usize, u32)) -> (usize, u32)) -> Vec<Key<'_>> {
    let all = made.lines.iter().zip(&made.anatomy.instructions);
    all.map(|(line, one): (&Line, &Instruction)| {
        let what = if by_operation { operation(&line.text) } else { one.cause.name() };
        ((line.place.map(&named), what), line.expression.as_str())
    })
    .collect()
}

fn pairs(old: &[Key<'_>], new: &[Key<'_>]) -> Vec<Pair> {
    // For instructions of the second program those of the first.
    let mut found: Vec<Option<usize>> = vec![None; new.len()];
    for (before, after) in matched(old, new, 0..old.len(), 0..new.len(), |key| *key, &mut found) {
        matched(old, new, before, after, |key| key.0, &mut found);
    }
    let moved = moved(old, new, &found);
    in_order(old.len(), &found, &moved)
}

/// Notes those of a part of both that are alike by a name, in the order of both; gives the parts between them.
fn matched<'a, K: Hash + Eq + Ord>(
    old: &[Key<'a>],
    new: &[Key<'a>],
    before: Range<usize>,
    after: Range<usize>,
    name: impl Fn(&Key<'a>) -> K,
    found: &mut [Option<usize>],
) -> Vec<(Range<usize>, Range<usize>)> {
    let named = |all: &[Key<'a>]| all.iter().map(&name).collect::<Vec<K>>();
    let (b, a) = (named(&old[before.clone()]), named(&new[after.clone()]));
    let mut gaps = vec![(before.start..before.start, after.start..after.start)];
    for op in capture_diff_slices(Algorithm::Patience, &b, &a) {
        let (b, a) = (op.old_range(), op.new_range());
        let (b, a) =
            (b.start + before.start..b.end + before.start, a.start + after.start..a.end + after.start);
        if op.tag() == DiffTag::Equal {
            a.clone().zip(b.clone()).for_each(|(a, b)| found[a] = Some(b));
            gaps.push((b.end..b.end, a.end..a.end));
        } else if let Some(gap) = gaps.last_mut() {
            (gap.0.end, gap.1.end) = (b.end, a.end);
        }
    }
    gaps
}

/// Those that are alike in everything and were not found in their order.
fn moved(old: &[Key<'_>], new: &[Key<'_>], found: &[Option<usize>]) -> Vec<Option<usize>> {
    let mut is_free = vec![true; old.len()];
    found.iter().flatten().for_each(|b| is_free[*b] = false);
    let mut free: HashMap<&Key<'_>, Vec<usize>> = HashMap::new();
    for b in (0..old.len()).rev().filter(|b| is_free[*b]) {
        free.entry(&old[b]).or_default().push(b);
    }
    let take = |(a, known): (usize, &Option<usize>)| match known {
        None => free.get_mut(&new[a]).and_then(Vec::pop),
        Some(_) => None,
    };
    found.iter().enumerate().map(take).collect()
}

fn in_order(old: usize, found: &[Option<usize>], moved: &[Option<usize>]) -> Vec<Pair> {
    let mut is_elsewhere = vec![false; old];
    moved.iter().flatten().for_each(|b| is_elsewhere[*b] = true);
    let mut pairs = Vec::with_capacity(old.max(found.len()));
    let mut at = 0;
    let gone = |pairs: &mut Vec<Pair>, range: Range<usize>| {
        let alone = |b| Pair { before: Some(b), after: None, is_moved: false };
        pairs.extend(range.filter(|b| !is_elsewhere[*b]).map(alone));
    };
    for (a, (same, moved)) in found.iter().zip(moved).enumerate() {
        if let Some(b) = *same {
            gone(&mut pairs, at..b);
            at = b + 1;
        }
        pairs.push(Pair { before: same.or(*moved), after: Some(a), is_moved: moved.is_some() });
    }
    gone(&mut pairs, at..old);
    pairs
}

/// For lines of the second program those of the first that they are, file by file in their order.
pub fn source_lines(before: &Made, after: &Made) -> HashMap<(usize, u32), (usize, u32)> {
    let mut known = HashMap::new();
    for (n, (old, new)) in before.sources.iter().zip(&after.sources).enumerate() {
        let trimmed = |lines: &[String]| lines.iter().map(|line| line.trim().to_owned()).collect::<Vec<_>>();
        for op in capture_diff_slices(Algorithm::Patience, &trimmed(&old.lines), &trimmed(&new.lines)) {
            let (old, new) = (op.old_range(), op.new_range());
            // Of what was replaced, the lines at the same place are taken for each other.
            let pairs = old.zip(new).map(|(old, new)| ((n, new as u32 + 1), (n, old as u32 + 1)));
            known.extend(pairs);
        }
    }
    known
}

/// What an instruction does, without its operands.
fn operation(text: &str) -> &str {
    text.trim().split([' ', ',']).find(|word| !word.is_empty() && !word.starts_with('(')).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Instructions as `LINE OPERATION EXPRESSION`, a blank between two.
    fn aligned(old: &[&'static str], new: &[&'static str]) -> String {
        let keys = |all: &[&'static str]| -> Vec<Key<'static>> {
            let parts = all.iter().map(|one| one.split(' ').collect::<Vec<_>>());
            parts.map(|p| ((p[0].parse().ok().map(|line| (0, line)), p[1]), p[2])).collect()
        };
        let told = |pair: Pair| {
            let side = |n: Option<usize>| n.map_or("-".to_owned(), |n| n.to_string());
            let mark = if pair.is_moved { "!" } else { "" };
            format!("{}{}{mark}", side(pair.before), side(pair.after))
        };
        pairs(&keys(old), &keys(new)).into_iter().map(told).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn expressions_tell_operations_of_one_line_apart() {
        // The first product is gone: what is left is the second one.
        assert_eq!(aligned(&["1 mul a*b", "1 mul c*d", "1 add a*b+c*d"], &["1 mul c*d"]), "0- 10 2-");
        // The expression was edited: line and operation are what they were.
        assert_eq!(aligned(&["1 mul a*b", "1 add a*b+c"], &["1 mul a*x", "1 add a*x+c"]), "00 11");
        assert_eq!(aligned(&["1 mul a"], &["2 mul a"]), "-0 0-");
    }

    #[test]
    fn what_is_scheduled_elsewhere_has_moved() {
        let old = ["1 load p", "2 mul q", "2 add q+1", "3 mul r"];
        let new = ["2 mul q", "2 add q+1", "1 load p", "3 mul r"];
        assert_eq!(aligned(&old, &new), "10 21 02! 33");
        assert_eq!(aligned(&old, &old), "00 11 22 33");
        assert_eq!(aligned(&old, &[]), "0- 1- 2- 3-");
        assert_eq!(aligned(&[], &old), "-0 -1 -2 -3");
    }
}
