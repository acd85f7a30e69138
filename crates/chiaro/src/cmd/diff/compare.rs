//! What differs between two programs.

use std::collections::BTreeMap;

use chiaro::timeline::Timeline;
use chiaro::{Cause, Report};

use super::align::{Pair, align, source_lines};
use super::passes::{Parting, parting};
use crate::made::Made;

/// Rounds of loops when cycles are compared.
const ROUNDS: u32 = 2;

/// A number on both sides.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row<T> {
    /// Of what.
    pub what: T,
    /// Of the first program.
    pub before: u64,
    /// Of the second.
    pub after: u64,
}

impl<T> Row<T> {
    /// By how much the second has more.
    pub fn change(&self) -> i64 {
        self.after as i64 - self.before as i64
    }
}

/// A source line: of the first program, of the second, or of both.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Place {
    /// In the first program.
    pub before: Option<(usize, u32)>,
    /// In the second.
    pub after: Option<(usize, u32)>,
}

/// Everything that is told.
pub struct Difference {
    /// Instructions.
    pub total: Row<()>,
    /// Cycles of the longest way, as `chiaro timeline` counts them.
    pub cycles: Row<()>,
    /// Instructions by cause, those that either has.
    pub causes: Vec<Row<Cause>>,
    /// Instructions by source line where they differ, each with the causes of that; without a place last.
    pub lines: Vec<(Row<Place>, Vec<Row<Cause>>)>,
    /// Metrics of the reports that both have, under their names.
    pub metrics: Vec<Row<String>>,
    /// Instructions of both, one by one.
    pub pairs: Vec<Pair>,
    /// Where they part.
    pub parting: Option<Parting>,
}

impl Difference {
    /// Of two programs.
    pub fn of(before: &Made, after: &Made) -> Difference {
        let cycles = |made: &Made| Timeline::of(&made.anatomy, ROUNDS).cycles;
        Difference {
            total: Row { what: (), before: before.lines.len() as u64, after: after.lines.len() as u64 },
            cycles: Row { what: (), before: cycles(before), after: cycles(after) },
            causes: by_cause(&causes(before), &causes(after)),
            lines: by_line(before, after),
            metrics: metrics(before.report.as_ref(), after.report.as_ref()),
            pairs: align(before, after),
            parting: parting(&before.passes, &after.passes),
        }
    }

    /// Whether there is nothing to tell.
    pub fn is_empty(&self, before: &Made, after: &Made) -> bool {
        let same = |pair: &Pair| !pair.is_moved && pair.is_alike(before, after);
        self.pairs.iter().all(same) && self.metrics.iter().all(|row| row.change() == 0)
    }
}

fn causes(made: &Made) -> Vec<Cause> {
    made.anatomy.instructions.iter().map(|one| one.cause).collect()
}

fn by_cause(before: &[Cause], after: &[Cause]) -> Vec<Row<Cause>> {
    let count = |all: &[Cause], cause| all.iter().filter(|one| **one == cause).count() as u64;
    let row = |what| Row { what, before: count(before, what), after: count(after, what) };
    Cause::ALL.into_iter().map(row).filter(|row| row.before + row.after > 0).collect()
}

fn by_line(before: &Made, after: &Made) -> Vec<(Row<Place>, Vec<Row<Cause>>)> {
    let aligned = source_lines(before, after);
    let mut found: BTreeMap<(bool, Place), [Vec<Cause>; 2]> = BTreeMap::new();
    let other: BTreeMap<(usize, u32), (usize, u32)> = aligned.iter().map(|(a, b)| (*b, *a)).collect();
    for (line, one) in before.lines.iter().zip(&before.anatomy.instructions) {
        let place = Place { before: line.place, after: line.place.and_then(|at| other.get(&at).copied()) };
        found.entry((line.place.is_none(), place)).or_default()[0].push(one.cause);
    }
    for (line, one) in after.lines.iter().zip(&after.anatomy.instructions) {
        let place = Place { before: line.place.and_then(|at| aligned.get(&at).copied()), after: line.place };
        found.entry((line.place.is_none(), place)).or_default()[1].push(one.cause);
    }
    let row = |((_, what), [before, after]): ((bool, Place), [Vec<Cause>; 2])| {
        let mut rows = by_cause(&before, &after);
        rows.retain(|row| row.change() != 0);
        (Row { what, before: before.len() as u64, after: after.len() as u64 }, rows)
    };
    found.into_iter().map(row).filter(|(_, causes)| !causes.is_empty()).collect()
}

/// Metrics by name, in the order of the first report; targets that count other things share few.
fn metrics(before: Option<&Report>, after: Option<&Report>) -> Vec<Row<String>> {
    let (Some(before), Some(after)) = (before, after) else { return Vec::new() };
    let after = crate::terms::metrics(after);
    let row = |(name, value): (String, u64)| {
        let other = after.iter().find(|(other, _)| *other == name)?.1;
        Some(Row { what: name, before: value, after: other })
    };
    crate::terms::metrics(before).into_iter().filter_map(row).collect()
}
