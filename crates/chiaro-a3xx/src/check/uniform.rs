//! Which values are the same in all lanes, so that a branch on them parts nobody.
//!
//! A value is known by the instruction that wrote it, or before which two values met: no
//! instruction does both to a place. Where lanes join, two different values make one that
//! differs between lanes; elsewhere all lanes come the same way, and the merge is a value
//! of its own. A program that does not settle has no uniform values.

use super::effect::{Effect, Place};
use std::collections::BTreeMap;

/// Uniform places, and where their values come from.
type Values = BTreeMap<Place, usize>;

/// Rounds after which a program counts as one that does not settle; each nested loop takes
/// a few.
const ROUNDS: usize = 50;

/// For each instruction whether it reads something that differs between lanes.
pub(super) fn parting(effects: &[Option<Effect>], successors: &[Vec<usize>]) -> Vec<bool> {
    let before = predecessors(successors);
    let mut after: Vec<Option<Values>> = vec![None; effects.len()];
    for _ in 0..ROUNDS {
        let mut settled = true;
        for index in 0..effects.len() {
            let mut values = entry(index, effects, &before, &after);
            transfer(&mut values, effects[index].as_ref(), index);
            if after[index].as_ref() != Some(&values) {
                after[index] = Some(values);
                settled = false;
            }
        }
        if settled {
            return (0..effects.len()).map(|i| parts(i, effects, &before, &after)).collect();
        }
    }
    vec![true; effects.len()]
}

fn predecessors(successors: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut before = vec![Vec::new(); successors.len()];
    for (index, next) in successors.iter().enumerate() {
        next.iter().filter(|n| **n < successors.len()).for_each(|n| before[*n].push(index));
    }
    before
}

/// What is uniform before an instruction.
fn entry(
    index: usize,
    effects: &[Option<Effect>],
    before: &[Vec<usize>],
    after: &[Option<Values>],
) -> Values {
    let joins = effects[index].as_ref().is_some_and(|e| e.jp);
    let mut incoming = before[index].iter().filter_map(|from| after[*from].as_ref());
    let Some(first) = incoming.next().filter(|_| index > 0) else { return Values::new() };
    let mut values = first.clone();
    for other in incoming {
        values.retain(|place, from| {
            let Some(theirs) = other.get(place) else { return false };
            let same = theirs == from;
            if !same {
                *from = index;
            }
            same || !joins
        });
    }
    values
}

fn transfer(values: &mut Values, effect: Option<&Effect>, index: usize) {
    let Some(effect) = effect else { return };
    for (reads, writes) in &effect.steps {
        let uniform = effect.spreads && reads.iter().all(|read| values.contains_key(&read.place));
        for place in writes {
            match uniform {
                true => values.insert(*place, index),
                false => values.remove(place),
            };
        }
    }
}

fn parts(index: usize, effects: &[Option<Effect>], before: &[Vec<usize>], after: &[Option<Values>]) -> bool {
    let values = entry(index, effects, before, after);
    let reads = effects[index].iter().flat_map(|e| &e.steps).flat_map(|(reads, _)| reads);
    reads.into_iter().any(|read| !values.contains_key(&read.place))
}
