//! Innermost loops in as few lines of the instruction cache as they need, and prefetching that does not run past them
//! (spec section 12.2).
//!
//! ```text
//! s_inst_prefetch 0x2        a loop of two lines: only two more are fetched ahead
//! s_nop 0                    up to the next line
//! loop:
//!   ...
//!   s_cbranch_scc1 loop
//! s_inst_prefetch 0x3        as before
//! ```

use std::collections::BTreeMap;
use std::ops::Range;

use super::insert::{Inserted, Jumps};
use super::line::Line;
use crate::compile::code::Modifiers;
use crate::isa::Op;
use crate::isa::sopp::Sopp;

/// Bytes of a line of the cache.
const LINE: u32 = 64;
/// Lines that are fetched ahead where nothing says otherwise.
const USUAL: i32 = 3;
/// Bytes into its line up to which a loop of many lines may begin.
const LATE: u32 = 32;

/// A loop without others in it.
struct Loop {
    lines: Range<usize>,
    /// It is entered by its head alone, and left to what follows alone.
    is_plain: bool,
}

/// What goes before and behind the loops of a program whose lines begin at these bytes.
pub(super) fn align_loops(lines: &[Line], starts: &[u32]) -> Vec<Inserted> {
    let (mut found, mut shift) = (Vec::new(), 0);
    for Loop { lines: own, is_plain } in innermost(lines) {
        let bytes = starts[own.end] - starts[own.start];
        let count = bytes.div_ceil(LINE);
        let ahead = match count {
            2 if is_plain => Some(2),
            3 if is_plain => Some(1),
            _ => None,
        };
        let first = found.len();
        let outside = || Jumps::NotFrom(own.clone());
        found.extend(ahead.map(|ahead| new(lines, own.start, prefetch(ahead), outside())));
        let begin = starts[own.start] + shift + 4 * (found.len() - first) as u32;
        let touched = (begin + bytes - 1) / LINE - begin / LINE + 1;
        let pays = count == 1 || ahead.is_some() || begin % LINE > LATE;
        if touched > count && pays {
            let nothing = || new(lines, own.start, (Sopp::Nop, 0), outside());
            found.extend((begin % LINE..LINE).step_by(4).map(|_| nothing()));
        }
        let is_end = matches!(lines.get(own.end).map(|line| line.op), None | Some(Op::Sopp(Sopp::Endpgm)));
        if ahead.is_some() && !is_end {
            found.push(new(lines, own.end, prefetch(USUAL), Jumps::From(own)));
        }
        shift += 4 * (found.len() - first) as u32;
    }
    found
}

fn prefetch(ahead: i32) -> (Sopp, i32) {
    (Sopp::InstPrefetch, ahead)
}

/// A line of the source of what it goes before.
fn new(lines: &[Line], before: usize, (op, number): (Sopp, i32), jumps: Jumps) -> Inserted {
    let (modifiers, span) = (Modifiers::number(number), lines[before].span);
    let line = Line { modifiers, span, ..Line::new(Op::Sopp(op), Vec::new(), Vec::new()) };
    Inserted { before, line, jumps }
}

/// The loops without others and without calls in them, from first to last.
fn innermost(lines: &[Line]) -> Vec<Loop> {
    let mut ends: BTreeMap<usize, usize> = BTreeMap::new();
    for (n, target) in jumps(lines).filter(|(n, target)| target <= n) {
        let end = ends.entry(target).or_default();
        *end = (*end).max(n + 1);
    }
    let heads: Vec<(usize, usize)> = ends.into_iter().collect();
    let is_innermost = |n: &usize| heads.get(n + 1).is_none_or(|(next, _)| *next >= heads[*n].1);
    // What is called lies elsewhere.
    let calls = |own: &Range<usize>| lines[own.clone()].iter().any(|line| line.callee.is_some());
    let all = (0..heads.len()).filter(is_innermost).map(|n| heads[n].0..heads[n].1).filter(|own| !calls(own));
    let mut all: Vec<Loop> = all.map(|lines| Loop { lines, is_plain: true }).collect();
    let around = |all: &[Loop], line: usize| {
        let last = all.partition_point(|own| own.lines.start <= line).checked_sub(1);
        last.filter(|&n| all[n].lines.contains(&line))
    };
    for (n, target) in jumps(lines) {
        let (from, to) = (around(&all, n), around(&all, target));
        if let Some(own) = from.filter(|_| from != to).map(|own| &mut all[own]) {
            own.is_plain &= target == own.lines.end;
        }
        if let Some(own) = to.filter(|_| from != to).map(|own| &mut all[own]) {
            own.is_plain &= target == own.lines.start;
        }
    }
    all
}

/// Branches within a function and where they lead.
fn jumps(lines: &[Line]) -> impl Iterator<Item = (usize, usize)> {
    let own = |line: &Line| line.target.filter(|_| line.callee.is_none() && line.distance.is_none());
    lines.iter().enumerate().filter_map(move |(n, line)| Some((n, own(line)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(target: Option<usize>) -> Line {
        Line { target, ..Line::new(Op::Sopp(Sopp::CbranchScc1), Vec::new(), Vec::new()) }
    }

    /// Lines of four bytes: a loop of so many behind some others, and something at the end.
    fn looped(before: usize, count: usize) -> Vec<Line> {
        let mut lines = vec![line(None); before + count + 1];
        lines[before + count - 1].target = Some(before);
        lines
    }

    /// Where something is inserted: the line, `p` and its number or `n`.
    fn inserted(lines: &[Line]) -> Vec<(usize, String)> {
        let starts: Vec<u32> = (0..=lines.len() as u32).map(|n| 4 * n).collect();
        let mut all: Vec<(usize, String)> = Vec::new();
        for new in align_loops(lines, &starts) {
            let text = match new.line.op {
                Op::Sopp(Sopp::Nop) => "n".to_owned(),
                _ => format!("p{}", new.line.modifiers.number),
            };
            match all.last_mut().filter(|last| last.0 == new.before) {
                Some(last) => last.1 += &text,
                None => all.push((new.before, text)),
            }
        }
        all
    }

    fn at(place: usize, text: &str) -> (usize, String) {
        (place, text.to_owned())
    }

    #[test]
    fn loops_of_a_line_begin_one_where_they_would_touch_two() {
        assert_eq!(inserted(&looped(4, 12)), []);
        assert_eq!(inserted(&looped(5, 12)), [at(5, "nnnnnnnnnnn")]);
        assert_eq!(inserted(&looped(16, 16)), []);
    }

    #[test]
    fn loops_of_two_and_three_lines_fetch_less_ahead() {
        assert_eq!(inserted(&looped(3, 20)), [at(3, "p2"), at(23, "p3")]);
        assert_eq!(inserted(&looped(14, 32)), [at(14, "p2n"), at(46, "p3")]);
        assert_eq!(inserted(&looped(15, 48)), [at(15, "p1"), at(63, "p3")]);
        assert_eq!(inserted(&looped(15, 52)), [at(15, "n")], "four lines");
        let mut ends = looped(3, 20);
        ends[23].op = Op::Sopp(Sopp::Endpgm);
        assert_eq!(inserted(&ends), [at(3, "p2")]);
    }

    #[test]
    fn loops_that_are_left_to_elsewhere_or_hold_others_keep_the_prefetch() {
        let mut elsewhere = looped(3, 20);
        elsewhere.push(line(None));
        elsewhere[10].target = Some(24);
        assert_eq!(inserted(&elsewhere), []);
        let mut entered = looped(3, 20);
        entered[0].target = Some(7);
        assert_eq!(inserted(&entered), []);
        let mut called = looped(3, 20);
        called[9].callee = Some(1);
        assert_eq!(inserted(&called), []);
        // An outer loop of three lines around one of a line that touches two.
        let mut outer = looped(3, 40);
        outer[20].target = Some(10);
        assert_eq!(inserted(&outer), [at(10, "nnnnnn")]);
    }

    #[test]
    fn what_is_inserted_moves_later_loops() {
        let mut lines = looped(14, 32);
        lines.extend(vec![line(None); 20]);
        // The second loop would begin 5 words before a line's end, and does so two words behind it: three were inserted.
        lines[62].target = Some(59);
        lines[62].op = Op::Sopp(Sopp::CbranchScc0);
        assert_eq!(inserted(&lines), [at(14, "p2n"), at(46, "p3"), at(59, "nn")]);
    }
}
