//! The rule on calls: r1 takes the place to return to, so what it held is gone behind a call, unless it was saved
//! and is there again (spec 2.1, 6.3).

use chiaro_isa::finding::Finding;

use super::flow;
use super::rules::{LINK, at};
use super::step::{Steer, Step};
use crate::regs::halves::{Halves, name};

/// The halves of r1.
const LINK_HALVES: (u16, u16) = (2, 2);

/// Behind every call that is reached, the first instructions that read r1 as it was.
pub(super) fn check(steps: &[Step], reached: &[bool]) -> Vec<Finding> {
    let is_call = |n: &usize| reached[*n] && matches!(steps[*n].steer, Steer::Call(_));
    let mut found: Vec<Finding> = (0..steps.len()).filter(is_call).filter_map(|n| lost(steps, n)).collect();
    found.dedup_by_key(|finding| finding.at);
    found
}

/// Follows all ways from where a call comes back to, as far as halves of r1 are not written.
fn lost(steps: &[Step], call: usize) -> Option<Finding> {
    let mut link = Halves::default();
    link.add(LINK_HALVES.0, LINK_HALVES.1);
    let mut seen = vec![Halves::default(); steps.len()];
    let mut open = vec![(call + 1, link)];
    while let Some((n, halves)) = open.pop() {
        let Some(step) = steps.get(n).filter(|step| step.inst.is_some()) else { continue };
        if let Some(half) = step.reads.common(&halves).iter().next() {
            let (call, half) = (steps[call].offset, name(half));
            let message =
                format!("`{}` reads {half}, which the call at byte {call:#x} has overwritten", step.name);
            return Some(at(&LINK, step, message));
        }
        let left = halves.without(&step.writes);
        // Another call has a way of its own.
        let is_over = left.count() == 0 || matches!(step.steer, Steer::Call(_));
        if !is_over && seen[n].with(&left) != seen[n] {
            seen[n] = seen[n].with(&left);
            open.extend(flow::next(steps, n).into_iter().map(|next| (next, left)));
        }
    }
    None
}
