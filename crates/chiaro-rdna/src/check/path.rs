//! The way from an access to where its register is touched too early, for messages.

use super::order::{Order, order_of};
use super::step::{Step, next};
use super::tables;
use std::collections::{BTreeMap, VecDeque};

/// Places that are looked at before a path is left out.
const MOST: usize = 1 << 12;
/// Counts beyond this are all alike.
const MOST_AFTER: u32 = 63;

/// A step, and the accesses of the load's own order before it, of which the load is the first.
type Place = (usize, u32);

/// The words at which execution goes on elsewhere than behind, on a shortest path from `load` to
/// `touched` on which no wait is sure to bring it. `None` where none is found.
pub(super) fn path(steps: &[Step], load: usize, touched: usize) -> Option<Vec<u32>> {
    let order = order_of(&steps[load]);
    let mut from: BTreeMap<Place, Place> = BTreeMap::new();
    let mut open: VecDeque<Place> = VecDeque::from([(load, 0)]);
    while let Some(place) = open.pop_front().filter(|_| from.len() < MOST) {
        let (step, after) = place;
        if brings(&steps[step], &steps[load], after) {
            continue;
        }
        let counts = order != Order::None && order_of(&steps[step]) == order;
        let after = (after + u32::from(counts)).min(MOST_AFTER);
        for to in next(steps, step).filter(|_| steps[step].inst.is_some()) {
            if to == touched {
                return Some(jumps(steps, &from, place, touched));
            }
            if to != load && !from.contains_key(&(to, after)) {
                from.insert((to, after), place);
                open.push_back((to, after));
            }
        }
    }
    None
}

/// Whether a step is a wait that is sure to bring a load, from which on so many of its own order came; one that comes
/// in no order is none of them.
fn brings(step: &Step, load: &Step, accesses: u32) -> bool {
    let Some(waited) = tables::waited(step.dword) else { return false };
    let after = accesses.saturating_sub(1);
    let (vm, lgkm) = load.access.map_or((false, false), tables::Access::counters);
    (!vm || waited.vm <= after) && (!lgkm || waited.lgkm <= after)
}

/// The first words of what is gone to, in their order: from the load, of which nothing leads back to
/// itself, by way of `last` to what touches the register, which may be the load again.
fn jumps(steps: &[Step], from: &BTreeMap<Place, Place>, last: Place, touched: usize) -> Vec<u32> {
    let mut words = Vec::new();
    let (mut to, mut place) = (touched, Some(last));
    while let Some(before) = place {
        if to != before.0 + 1 {
            words.push(steps[to].word);
        }
        (to, place) = (before.0, from.get(&before).copied());
    }
    words.reverse();
    words
}
