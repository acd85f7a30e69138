//! Waits: on every path, a register that a load writes is waited for before it is touched.
//!
//! For each register on the way the state holds how many accesses of the same order came
//! after it: a counter at or below that number says that it has come. Scalar loads come in
//! no order, so only zero says so. VGPRs are on the way in the lanes that ran at the load:
//! where the set of lanes is known to be disjoint, others may use the register (spec 10.3).

use super::order::{Order, order};
use super::path::path;
use super::rules::{BARRIER, CALL, NEEDLESS, WAIT, found};
use super::step::{Lanes, Register, Step, at, name, next, target};
use super::tables::{self, ANY, Access, Steer, Waited};
use super::{Config, Found};
use crate::regs::file;
use std::collections::{BTreeMap, BTreeSet};

/// Counts beyond this are all alike.
const MOST: u32 = 63;
/// Findings whose way is looked for: with one of them mended, the others are mostly gone.
const MOST_WAYS: usize = 4;

/// A register that is on the way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Pending {
    order: Order,
    /// Accesses of this order issued since, where vmcnt has to come down to that.
    vm: Option<u32>,
    /// The same for lgkmcnt; 0 for what comes in no order.
    lgkm: Option<u32>,
    /// Whether the lanes of the load are among those that run.
    inside: bool,
    /// Whether none of them runs.
    asleep: bool,
}

/// What is on the way at a place.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
struct State {
    /// By register and by the step of the load.
    pending: BTreeMap<(Register, usize), Pending>,
    /// LDS accesses since the last one that writes LDS, if that may be on the way.
    lds: Option<u32>,
    /// The most that vmcnt and lgkmcnt may be.
    counts: [u32; 2],
}

/// Every register that is touched too early, and barriers and calls without their waits.
pub(super) fn check(steps: &[Step], starts: [&[usize]; 2], config: Config) -> Vec<Found> {
    let entries = entries(steps, starts);
    let mut seen = BTreeSet::new();
    let (mut all, mut needless) = (Vec::new(), Vec::new());
    for (&start, state) in &entries {
        let mut state = state.clone();
        each(steps, start, &entries, |i| {
            all.extend(state.breaches(steps, i, config));
            needless.extend(state.is_needless(&steps[i]).then_some(steps[i].word));
            state.pass(steps, i);
        });
    }
    if let Some(first) = needless.first() {
        let words: Vec<String> = needless.iter().map(u32::to_string).collect();
        let message = match words.as_slice() {
            [word] => format!("1 wait brings nothing: word {word}"),
            all => format!("{} waits bring nothing: words {}", all.len(), all.join(", ")),
        };
        all.push(found(&NEEDLESS, *first, message));
    }
    all.retain(|f: &Found| seen.insert((f.word, f.register.clone(), f.load)));
    all.iter_mut().take(MOST_WAYS).for_each(|found| add_way(steps, found));
    all
}

/// Says by which way a load comes to where its register is touched, if that is not straight on.
fn add_way(steps: &[Step], found: &mut Found) {
    let place = |word: u32| at(steps, word.into());
    let Some((load, touched)) = found.load.and_then(place).zip(place(found.word)) else { return };
    let words = path(steps, load, touched).unwrap_or_default();
    if let Some((last, others)) = words.split_last() {
        let others: String = others.iter().map(|word| format!("{word}, ")).collect();
        found.finding.message.push_str(&format!("; the way there is over word {others}{last}"));
    }
}

/// The state before each block, by the block's first step: a fixed point.
fn entries(steps: &[Step], [kernels, functions]: [&[usize]; 2]) -> BTreeMap<usize, State> {
    let mut leaders = leaders(steps);
    // What is on the way where a function begins is its caller's affair.
    let called = State { counts: [MOST; 2], ..State::default() };
    let called = functions.iter().map(|i| (*i, called.clone()));
    let mut entries: BTreeMap<usize, State> = kernels.iter().map(|i| (*i, State::default())).collect();
    entries.extend(called);
    leaders.extend(entries.clone());
    let mut open: BTreeSet<usize> = entries.keys().copied().collect();
    while let Some(start) = open.pop_first() {
        let mut state = entries.get(&start).cloned().unwrap_or_default();
        let mut last = start;
        each(steps, start, &leaders, |i| {
            state.pass(steps, i);
            last = i;
        });
        for to in next(steps, last).filter(|_| steps[last].inst.is_some()) {
            let changed = match entries.get_mut(&to) {
                Some(known) => known.join(&state),
                None => entries.insert(to, state.clone()).is_none(),
            };
            if changed {
                open.insert(to);
            }
        }
    }
    entries
}

/// The steps that branches lead to: blocks begin there, as they do behind what ends one.
fn leaders(steps: &[Step]) -> BTreeMap<usize, State> {
    (0..steps.len()).filter_map(|i| target(steps, i)).map(|to| (to, State::default())).collect()
}

/// The steps of the block that begins at `start`.
fn each(steps: &[Step], start: usize, leaders: &BTreeMap<usize, State>, mut visit: impl FnMut(usize)) {
    for (i, step) in steps.iter().enumerate().skip(start) {
        if i > start && leaders.contains_key(&i) {
            return;
        }
        visit(i);
        if matches!(step.steer, Steer::Branch(_) | Steer::Maybe(_) | Steer::Leave | Steer::End)
            || step.inst.is_none()
        {
            return;
        }
    }
}

impl State {
    /// What the step does.
    fn pass(&mut self, steps: &[Step], i: usize) {
        let step = &steps[i];
        if let Some(waited) = tables::waited(step.dword) {
            self.wait(waited);
        }
        for register in &step.writes {
            let gone = |key: &Register, p: &Pending| key == register && !p.asleep;
            self.pending.retain(|(key, _), p| !gone(key, p));
        }
        if let Some(access) = step.access {
            self.issue(access, step, i);
        }
        self.lanes(step.lanes);
        if step.steer == Steer::Call {
            self.pending.clear();
            self.lds = None;
            // What the callee leaves on the way is its own affair.
            self.counts = [MOST; 2];
        }
    }

    /// Whether a step waits for vmcnt or lgkmcnt and for nothing that may be on the way.
    fn is_needless(&self, step: &Step) -> bool {
        let Some(waited) = tables::waited(step.dword) else { return false };
        let waits = waited.vm != ANY || waited.lgkm != ANY;
        waits && waited.exp == ANY && waited.vm >= self.counts[0] && waited.lgkm >= self.counts[1]
    }

    fn wait(&mut self, waited: Waited) {
        self.counts = [self.counts[0].min(waited.vm), self.counts[1].min(waited.lgkm)];
        self.pending.retain(|_, p| {
            p.vm = p.vm.filter(|after| waited.vm > *after);
            p.lgkm = p.lgkm.filter(|after| waited.lgkm > *after);
            p.vm.is_some() || p.lgkm.is_some()
        });
        self.lds = self.lds.filter(|after| waited.lgkm > *after);
    }

    fn issue(&mut self, access: Access, step: &Step, i: usize) {
        let order = order(access, step);
        let (by_vm, by_lgkm) = access.counters();
        for (count, counts) in self.counts.iter_mut().zip([by_vm, by_lgkm]) {
            *count = (*count + u32::from(counts)).min(MOST);
        }
        for p in self.pending.values_mut().filter(|p| p.order == order && order != Order::None) {
            let count = if matches!(order, Order::Lds | Order::Gds) { &mut p.lgkm } else { &mut p.vm };
            *count = count.map(|after| (after + 1).min(MOST));
        }
        if let Access::Lds { writes } = access {
            let older = self.lds.map(|after| (after + 1).min(MOST));
            self.lds = if writes { Some(0) } else { older };
        }
        let (vm, lgkm) = match access {
            Access::Vector => (Some(0), None),
            Access::Flat => (Some(0), Some(0)),
            Access::Lds { .. } | Access::Gds | Access::Scalar => (None, Some(0)),
            Access::Message | Access::Export => return,
        };
        let new = Pending { order, vm, lgkm, inside: true, asleep: false };
        self.pending.extend(step.writes.iter().map(|register| ((*register, i), new)));
    }

    fn lanes(&mut self, change: Lanes) {
        for ((register, _), p) in &mut self.pending {
            if register.0 != file::VGPR {
                continue;
            }
            (p.inside, p.asleep) = match change {
                Lanes::Same => continue,
                Lanes::Fewer => (false, p.asleep),
                Lanes::Others => (false, p.inside),
                Lanes::All => (true, false),
                Lanes::Unknown => (false, false),
            };
        }
    }

    /// Takes the other's paths in; whether that changed anything.
    fn join(&mut self, other: &State) -> bool {
        let before = self.clone();
        for (key, theirs) in &other.pending {
            let mine = self.pending.entry(*key).or_insert(*theirs);
            mine.vm = least(mine.vm, theirs.vm);
            mine.lgkm = least(mine.lgkm, theirs.lgkm);
            mine.inside &= theirs.inside;
            mine.asleep &= theirs.asleep;
        }
        self.lds = least(self.lds, other.lds);
        // At once to the most, so that loops come to an end soon: what is kept is a bound.
        for (mine, theirs) in self.counts.iter_mut().zip(other.counts) {
            *mine = if theirs > *mine { MOST } else { *mine };
        }
        *self != before
    }

    /// What is wrong with the step in this state.
    fn breaches(&self, steps: &[Step], i: usize, config: Config) -> Vec<Found> {
        let step = &steps[i];
        let mut after = self.clone();
        if let Some(waited) = tables::waited(step.dword) {
            after.wait(waited);
        }
        let mut all = after.touched(steps, i);
        let several = config.group.is_none_or(|threads| threads > u32::from(config.wave));
        if tables::is_barrier(step.dword) && several && after.lds.is_some() {
            let message = "LDS writes may be on the way at the barrier: lgkmcnt must be 0".to_owned();
            all.push(found(&BARRIER, step.word, message));
        }
        let leaves = matches!(step.steer, Steer::Call | Steer::Leave);
        if leaves && !after.pending.is_empty() {
            let message = format!("{} registers may be on the way at {}", after.pending.len(), step.name);
            all.push(found(&CALL, step.word, message));
        }
        all
    }

    /// The message names the register, the access, what each counter may be and what it has to be.
    fn too_early(
        &self,
        steps: &[Step],
        [load, i]: [usize; 2],
        register: Register,
        p: &Pending,
        read: bool,
    ) -> Found {
        let how = if read { "read" } else { "overwritten" };
        let counts = [("vmcnt", p.vm, self.counts[0]), ("lgkmcnt", p.lgkm, self.counts[1])];
        let need = |(counter, needed, most): &(&str, Option<u32>, u32)| {
            let may = if *most == MOST { "any number".to_owned() } else { most.to_string() };
            needed.map(|needed| format!("{counter} may be {may} and must be {needed}"))
        };
        let needs: Vec<String> = counts.iter().filter_map(need).collect();
        let message = format!(
            "{} is {how} by {}, but {} at word {} may not have written it: {}",
            name(register),
            steps[i].name,
            steps[load].name,
            steps[load].word,
            needs.join(" and ")
        );
        let found = found(&WAIT, steps[i].word, message);
        Found { register: Some(name(register)), load: Some(steps[load].word), ..found }
    }

    /// Registers that the step reads or overwrites too early.
    fn touched(&self, steps: &[Step], i: usize) -> Vec<Found> {
        let step = &steps[i];
        let mut all = Vec::new();
        for (&(register, load), p) in &self.pending {
            if p.asleep && !step.crosses {
                continue;
            }
            let read = step.reads.contains(&register);
            let in_order =
                step.access.map(|access| order(access, step)) == Some(p.order) && p.order != Order::None;
            let overwritten = step.writes.contains(&register) && !in_order;
            if read || overwritten {
                all.push(self.too_early(steps, [load, i], register, p, read));
            }
        }
        all
    }
}

fn least(a: Option<u32>, b: Option<u32>) -> Option<u32> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}
