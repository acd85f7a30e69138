//! Facts carried along all ways through code.

use super::step::{Steer, Step, find};

/// The steps that may follow one; a branch to no instruction leads nowhere.
pub(super) fn next(steps: &[Step], n: usize) -> Vec<usize> {
    let on = (n + 1 < steps.len()).then_some(n + 1);
    let jump = |place: i64| find(steps, place);
    match steps[n].steer {
        _ if steps[n].inst.is_none() => Vec::new(),
        Steer::Next => on.into_iter().collect(),
        Steer::Branch(place) | Steer::Call(Some(place)) => on.into_iter().chain(jump(place)).collect(),
        Steer::Call(None) => on.into_iter().collect(),
        Steer::Return | Steer::Stop | Steer::Trap => Vec::new(),
    }
}

/// Something that is known at a place.
pub(super) trait Fact: Clone + PartialEq {
    /// What is known where two ways meet.
    fn meet(&self, other: &Self) -> Self;
}

/// What is known before each step that is reached, on all ways to it. Facts only ever get fewer where
/// ways meet, so this ends.
pub(super) fn solve<F: Fact>(steps: &[Step], start: F, after: impl Fn(&F, &Step) -> F) -> Vec<Option<F>> {
    let mut known: Vec<Option<F>> = vec![None; steps.len()];
    if steps.is_empty() {
        return known;
    }
    known[0] = Some(start);
    let mut open = vec![0];
    while let Some(n) = open.pop() {
        let Some(before) = known[n].clone() else { continue };
        let behind = after(&before, &steps[n]);
        for to in next(steps, n) {
            let met = known[to].as_ref().map_or_else(|| behind.clone(), |other| other.meet(&behind));
            if known[to].as_ref() != Some(&met) {
                known[to] = Some(met);
                open.push(to);
            }
        }
    }
    known
}
