//! Many attempts side by side: after every instruction those that promise most go on, each with
//! several settings.
//!
//! What an attempt promises is the length that it seems to need still: its longest road or its
//! operations at the usual rate, whichever is more, and a little for every value that is alive.

use super::tactics::Tactics;
use super::{Around, MOST_INSTRUCTIONS, Scheduled, Scheduler};
use crate::dag::Dag;

/// Settings that each attempt is continued with.
const BRANCHES: u32 = 3;

/// The shortest schedule found with `attempts` attempts at any time; only if it is shorter than
/// the best known.
pub(super) fn search(
    dag: &Dag,
    around: &Around,
    depths: &[u32],
    attempts: u32,
    best: Option<&Scheduled>,
) -> Option<Scheduled> {
    let limit = best.map_or(MOST_INSTRUCTIONS, |best| (best.words.len() as u32).saturating_sub(1));
    let width = super::param(10, (attempts / BRANCHES).max(2) as i32) as usize;
    let start = |n| Scheduler::new(dag, around, depths, Tactics::of_attempt(n), limit);
    let mut open: Vec<Scheduler<'_>> = (0..width as u32).map(start).collect();
    while !open.is_empty() {
        if let Some(done) = open.iter().position(Scheduler::is_done) {
            return open.swap_remove(done).finished();
        }
        open = promising(continued(open), width);
    }
    None
}

/// One instruction more in every way.
fn continued(open: Vec<Scheduler<'_>>) -> Vec<Scheduler<'_>> {
    let mut next = Vec::with_capacity(open.len() * BRANCHES as usize);
    for (i, parent) in open.into_iter().enumerate() {
        for branch in 1..super::param(11, BRANCHES as i32) as u32 {
            let mut child = parent.clone();
            child.change_tactics(i as u32 * BRANCHES + branch + 7 * parent.now);
            if child.step().is_some() {
                next.push(child);
            }
        }
        let mut parent = parent;
        if parent.step().is_some() {
            next.push(parent);
        }
    }
    next
}

/// The most promising, no two alike.
fn promising(open: Vec<Scheduler<'_>>, width: usize) -> Vec<Scheduler<'_>> {
    let mut ranked: Vec<((u32, u32, u32), Scheduler<'_>)> =
        open.into_iter().map(|state| (state.promise(), state)).collect();
    ranked.sort_by_key(|(promise, _)| *promise);
    ranked.dedup_by(|a, b| a.0 == b.0 && a.1.ready == b.1.ready);
    ranked.truncate(width);
    ranked.into_iter().map(|(_, state)| state).collect()
}

impl Scheduler<'_> {
    /// Goes on with other settings and another order.
    fn change_tactics(&mut self, n: u32) {
        self.tactics = Tactics::of_attempt(n);
    }

    /// What seems to be left, in eighths of an instruction: less is better.
    fn promise(&self) -> (u32, u32, u32) {
        let (alive, kept) = (self.alive().len() as u32, self.kept.len() as u32);
        let (road, work) = (self.road_left() * 8, (self.left + kept) * 8 / 3);
        let w = |i, d| super::param(i, d) as u32;
        (
            road.max(work) * w(12, 4) + road.min(work) * w(13, 1) + alive * w(14, 8) + self.left * w(15, 0),
            self.left,
            alive,
        )
    }
}
