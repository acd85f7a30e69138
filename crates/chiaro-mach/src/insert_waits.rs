//! Waits for results that come back late: as few and as weak as the paths to them allow.
//!
//! Before: code with registers, in its last order.
//! After: every instruction that touches what may be under way on some path to it waits for
//! that, at the last moment and only as long as it has to.
//!
//! The state in front of an instruction says of each register that may be held how many of its
//! queue have been issued behind it, on the path where these are fewest: so many a wait may leave
//! under way, as long as all of them return in order. States meet where paths meet (linear edges,
//! as waits are of the wave and not of its lanes); around loops they only grow, so it ends.

use crate::code::{Code, Inst};
use crate::file::RegFile;
use crate::op::Op;
use crate::queues::{Holds, Left, Pending, Place, Queue, Queues, Touched};

/// Inserts the waits that the code needs, and says how many instructions have to wait.
pub fn insert_waits(code: &mut Code, files: &[RegFile], machine: &dyn Queues) -> usize {
    let mut waiting = 0;
    let entries = entries(code, files, machine);
    let mut touched = Touched::default();
    for (block, mut state) in code.blocks().zip(entries) {
        let mut insts = Vec::with_capacity(code.insts(block).len());
        for inst in code.insts(block).to_vec() {
            let left = state.step(code, files, machine, inst, &mut touched);
            if !left.is_empty() {
                insts.extend(machine.set_waits(code, inst, &left));
                waiting += 1;
            }
            insts.push(inst);
        }
        code.block_mut(block).insts = insts;
    }
    waiting
}

/// The state in front of each block.
fn entries(code: &Code, files: &[RegFile], machine: &dyn Queues) -> Vec<State> {
    let mut entries = vec![State::default(); code.block_count()];
    let mut stale = vec![true; code.block_count()];
    let mut touched = Touched::default();
    while stale.contains(&true) {
        for block in code.blocks() {
            // Nobody asks what is under way at the end.
            let ends = code.block_data(block).linear.succs.is_empty();
            if std::mem::take(&mut stale[block.0 as usize]) && !ends {
                let mut after = entries[block.0 as usize].clone();
                for &inst in code.insts(block) {
                    after.step(code, files, machine, inst, &mut touched);
                }
                for succ in &code.block_data(block).linear.succs {
                    stale[succ.0 as usize] |= entries[succ.0 as usize].meet(&after);
                }
            }
        }
    }
    entries
}

/// Something that may be under way, queue by queue.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum What {
    /// The latest of a kind.
    Kind(Option<u8>),
    /// A held register, and the kind that holds it.
    Held(Place, Holds, Option<u8>),
}

/// What may be under way, in order, and how many of its queue were issued behind it at least. Mostly it is little.
#[derive(Clone, Default, Debug)]
struct State(Vec<((u8, What), u16)>);

impl State {
    /// Takes in what another path brings; whether that is new.
    fn meet(&mut self, other: &State) -> bool {
        let mut new = false;
        for &(key, behind) in &other.0 {
            let mine = self.entry(key);
            new |= behind < *mine;
            *mine = behind.min(*mine);
        }
        new
    }

    /// How many were issued behind something; more than ever are where it was not under way.
    fn entry(&mut self, key: (u8, What)) -> &mut u16 {
        let found = self.0.binary_search_by(|(other, _)| other.cmp(&key));
        let at = found.unwrap_or_else(|at| {
            self.0.insert(at, (key, u16::MAX));
            at
        });
        &mut self.0[at].1
    }

    /// Where what is under way in a queue stands.
    fn range(&self, queue: u8) -> std::ops::Range<usize> {
        let start = self.0.partition_point(|((other, _), _)| *other < queue);
        let count = self.0[start..].iter().take_while(|((other, _), _)| *other == queue).count();
        start..start + count
    }

    /// Passes an instruction, and says what it has to wait for beyond what it does by itself; an empty list where
    /// that is nothing.
    fn step(
        &mut self,
        code: &Code,
        files: &[RegFile],
        machine: &dyn Queues,
        inst: Inst,
        touched: &mut Touched,
    ) -> Vec<Left> {
        let queues = machine.queues();
        if matches!(code.op(inst), Op::Phi | Op::Start) {
            return Vec::new();
        }
        let pending = machine.pending(code, inst);
        // Mostly nothing is under way.
        if self.0.is_empty() && pending.is_empty() {
            return Vec::new();
        }
        self.wait(&machine.waits(code, inst));
        touched.find(code, files, inst);
        let left = self.needs(queues, touched, pending, machine.drains(code, inst));
        self.wait(&left);
        self.issue(queues, touched, pending);
        left
    }

    /// How many of each queue may stay under way when an instruction issues.
    fn needs(&self, queues: &[Queue], touched: &Touched, pending: &[Pending], drains: u32) -> Vec<Left> {
        let of_queue = |(queue, facts): (u8, &Queue)| {
            self.queue(queue).next()?;
            let drained = (drains >> queue & 1 != 0).then_some(0);
            let held = self.queue(queue).filter_map(|(what, behind)| match what {
                What::Held(place, holds, kind) if touched.conflicts(place, holds, queue, kind, pending) => {
                    Some(behind)
                }
                _ => None,
            });
            let fewest = held.chain(drained).min()?;
            Some(if self.is_ordered(queue) { fewest.min(facts.limit) } else { 0 })
        };
        let mut left = Vec::new();
        for (n, found) in (0..).zip(queues).map(of_queue).enumerate().filter(|(_, found)| found.is_some()) {
            left.resize(queues.len(), None);
            left[n] = found;
        }
        left
    }

    /// What has come back for certain after a wait goes.
    fn wait(&mut self, left: &[Left]) {
        for (queue, left) in (0..).zip(left) {
            let Some(left) = *left else { continue };
            if left == 0 || self.is_ordered(queue) {
                self.0.retain(|&((other, _), behind)| other != queue || behind < left);
            }
        }
    }

    fn issue(&mut self, queues: &[Queue], touched: &Touched, pending: &[Pending]) {
        for (queue, facts) in (0..).zip(queues) {
            if pending.iter().all(|pending| pending.queue != queue) {
                continue;
            }
            let range = self.range(queue);
            self.0[range].iter_mut().for_each(|(_, behind)| *behind = (*behind + 1).min(facts.limit));
        }
        for &Pending { queue, kind, holds } in pending {
            *self.entry((queue, What::Kind(kind))) = 0;
            for &place in touched.held(holds) {
                *self.entry((queue, What::Held(place, holds, kind))) = 0;
            }
        }
    }

    /// What may be under way in a queue.
    fn queue(&self, queue: u8) -> impl Iterator<Item = (What, u16)> {
        self.0[self.range(queue)].iter().map(|&((_, what), behind)| (what, behind))
    }

    /// Whether what is under way in a queue comes back in the order of issue, so that a count says what is left.
    fn is_ordered(&self, queue: u8) -> bool {
        let mut kinds = self.queue(queue).map_while(|(what, _)| match what {
            What::Kind(kind) => Some(kind),
            What::Held(..) => None,
        });
        matches!((kinds.next(), kinds.next()), (None | Some(Some(_)), None))
    }
}

impl Touched {
    /// Whether a register that is held must be free first. What itself comes back behind the holder, in
    /// the same queue and of the same kind, may write over its result at once.
    fn conflicts(
        &self,
        place: Place,
        holds: Holds,
        queue: u8,
        kind: Option<u8>,
        pending: &[Pending],
    ) -> bool {
        let follows = |p: &Pending| p.queue == queue && p.kind == kind && p.holds == Holds::Results;
        let in_order = kind.is_some() && pending.iter().any(follows);
        let read = holds == Holds::Results && self.read.contains(&place);
        read || self.written.contains(&place) && !(holds == Holds::Results && in_order)
    }
}
