//! The clock of the cost model: an instruction issues when its sources, its counters and its unit
//! are ready (spec section 14.2). A block begins with what its predecessors left open.

use std::collections::VecDeque;

use super::Launch;
use super::inst::{Inst, Kind, REGISTERS};
use super::shape::Shape;
#[cfg(feature = "target")]
use crate::check::step::Step;
use crate::check::tables::{ANY, Access, Steer};

/// Cycles until memory answers: a guess of the model's authors, true values are unknown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Latencies {
    /// Vector loads.
    pub load: u32,
    /// Vector stores.
    pub store: u32,
    /// LDS, and what a flat access adds.
    pub lds: u32,
    /// Scalar loads that hit the cache.
    pub scalar: u32,
    /// Scalar loads by a descriptor at a place that a register adds.
    pub scalar_far: u32,
    /// Exports.
    pub export: u32,
}

impl Latencies {
    /// All of them by name.
    #[must_use]
    pub fn named(mut self) -> [(&'static str, u32); LATENCIES.len()] {
        self.places().map(|(name, place)| (name, *place))
    }

    /// One of them by its name; nothing for other names.
    pub fn by_name(&mut self, name: &str) -> Option<&mut u32> {
        self.places().into_iter().find(|(own, _)| *own == name).map(|(_, place)| place)
    }

    fn places(&mut self) -> [(&'static str, &mut u32); LATENCIES.len()] {
        let Latencies { load, store, lds, scalar, scalar_far, export } = self;
        let mut names = LATENCIES.iter().map(|(name, ..)| *name);
        [load, store, lds, scalar, scalar_far, export].map(|place| (names.next().unwrap_or_default(), place))
    }
}

/// Name, what it is, and ACO's guess, in the order of the fields of [`Latencies`]. The truth is unknown.
pub const LATENCIES: [(&str, &str, u32); 6] = [
    ("latency-load", "cycles of a vector load [unknown; ACO: 320]", 320),
    ("latency-store", "cycles of a vector store [unknown; ACO: 320]", 320),
    ("latency-lds", "cycles of LDS [unknown; ACO: 20]", 20),
    ("latency-scalar", "cycles of a scalar load [unknown; ACO: 30]", 30),
    ("latency-scalar-far", "cycles of a scalar load at an offset by register [unknown; ACO: 200]", 200),
    ("latency-export", "cycles of an export [unknown; ACO: 16]", 16),
];

impl Default for Latencies {
    fn default() -> Latencies {
        let [load, store, lds, scalar, scalar_far, export] = LATENCIES.map(|(.., cycles)| cycles);
        Latencies { load, store, lds, scalar, scalar_far, export }
    }
}

/// Units that work on one instruction at a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Unit {
    Scalar,
    Branch,
    Valu,
    Complex,
    Lds,
    Export,
    Vmem,
}

/// The names of the units, in their order.
const UNITS: [&str; 7] = ["scalar", "branch", "valu", "valu_complex", "lds", "export", "vmem"];

/// Why waves stand still, and how much each unit works, in weighted cycles.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Stalls {
    /// For results of instructions.
    pub registers: f64,
    /// For counters: vm, lgkm, exp, vs.
    pub counters: [f64; 4],
    /// For units.
    pub units: f64,
    /// Work of each unit.
    work: [f64; UNITS.len()],
}

impl Stalls {
    /// Work of each unit by its name, in weighted cycles.
    pub fn work(&self) -> impl Iterator<Item = (&'static str, u32)> {
        UNITS.iter().zip(self.work).map(|(name, work)| (*name, work.round() as u32))
    }

    /// Weighted cycles that waves stand still, by cause.
    #[must_use]
    pub fn by_cause(&self) -> [(&'static str, u64); 6] {
        let [vm, lgkm, exp, vs] = self.counters;
        let causes = [
            ("Stall_results", self.registers),
            ("Stall_vmcnt", vm),
            ("Stall_lgkmcnt", lgkm),
            ("Stall_expcnt", exp),
            ("Stall_vscnt", vs),
            ("Stall_units", self.units),
        ];
        causes.map(|(name, cycles)| (name, cycles.round() as u64))
    }

    /// Cycles of a SIMD for a wave, with others beside it.
    pub(super) fn inverse_throughput(&self, latency: f64, waves: u32, launch: &Launch) -> u32 {
        // The older driver does not count branches.
        let counts = |unit: usize| !(launch.older && unit == Unit::Branch as usize);
        let work = self.work.iter().enumerate().filter(|(unit, work)| **work > 0.0 && counts(*unit));
        let busy = work.map(|(_, work)| latency / work);
        let parallel = busy.fold(f64::from(waves), f64::min);
        let lanes = u32::from(launch.wave);
        let threads = f64::from(launch.threads) / f64::from(launch.threads.next_multiple_of(lanes));
        // In ACO's order, on which the last digit depends.
        let waves = 1.0 / latency * parallel;
        (1.0 / (waves * (f64::from(lanes) / 64.0) * threads)).round() as u32
    }
}

/// The clock inside a block, or along the way of a wave.
#[derive(Clone, Debug)]
pub(crate) struct Clock {
    pub(crate) now: i64,
    units: [i64; UNITS.len()],
    registers: Vec<i64>,
    /// When accesses of each counter are done: vm, lgkm, exp, vs.
    open: [VecDeque<i64>; 4],
}

/// What the clock says of a program.
#[derive(Default)]
pub(super) struct Estimate {
    /// Weighted cycles of all blocks, and where they go.
    pub(super) latency: f64,
    pub(super) stalls: Stalls,
    /// Cycles of the shortest and of the longest path.
    pub(super) paths: (u32, u32),
    /// Weighted cycles of each instruction, what it waits for among them.
    pub(super) spent: Vec<f64>,
}

/// Runs the clock through all blocks.
pub(super) fn estimate(all: &[Inst], shape: &Shape, launch: &Launch, latencies: &Latencies) -> Estimate {
    let twice = launch.wave == 64 && launch.threads > 32;
    let mut done: Vec<Option<Clock>> = vec![None; all.len()];
    let (mut total, mut stalls) = (0.0, Stalls::default());
    let (mut ways, mut paths) = (vec![(0, 0); all.len()], None);
    let mut clock = Clock::new();
    let mut spent = Vec::with_capacity(all.len());
    for (n, inst) in all.iter().enumerate() {
        if shape.begins(n) {
            clock = Clock::new();
            for from in shape.from[n].iter().filter(|from| **from < n) {
                done[*from].iter().for_each(|before| clock.join(before, launch.older));
            }
        }
        let before = clock.now;
        clock.issue(inst, twice, latencies, shape.weight(n), &mut stalls);
        spent.push((clock.now - before) as f64 * shape.weight(n));
        if n + 1 == all.len() || shape.begins(n + 1) {
            total += clock.now as f64 * shape.weight(n);
            done[n] = Some(clock.clone());
            ways[n] = way(shape, &ways, n, clock.now);
            if inst.steer == Steer::End {
                let (short, long) = paths.unwrap_or(ways[n]);
                paths = Some((short.min(ways[n].0), long.max(ways[n].1)));
            }
        }
    }
    let (short, long) = paths.unwrap_or((0, 0));
    Estimate { latency: total, stalls, paths: (short as u32, long as u32), spent }
}

/// Cycles of the shortest and of the longest way to the end of the block that ends here.
fn way(shape: &Shape, ways: &[(i64, i64)], last: usize, own: i64) -> (i64, i64) {
    let first = (0..=last).rev().find(|n| shape.begins(*n)).unwrap_or(0);
    let before = || shape.from[first].iter().filter(|from| **from < first).map(|from| ways[*from]);
    let short = before().map(|way| way.0).min().unwrap_or(0);
    let long = before().map(|way| way.1).max().unwrap_or(0);
    (short + own, long + own)
}

impl Clock {
    pub(crate) fn new() -> Clock {
        Clock { now: 0, units: [0; UNITS.len()], registers: vec![0; REGISTERS], open: Default::default() }
    }

    /// Takes over what a predecessor left open, the latest of each; the older driver's units are
    /// free where a block begins.
    fn join(&mut self, before: &Clock, older: bool) {
        let left = |time: i64| time - before.now;
        let later = |mine: &mut i64, theirs: &i64| *mine = (*mine).max(left(*theirs));
        if !older {
            self.units.iter_mut().zip(&before.units).for_each(|(a, b)| later(a, b));
        }
        self.registers.iter_mut().zip(&before.registers).for_each(|(a, b)| later(a, b));
        for (mine, theirs) in self.open.iter_mut().zip(&before.open) {
            mine.iter_mut().rev().zip(theirs.iter().rev()).for_each(|(a, b)| later(a, b));
            let more = theirs.len().saturating_sub(mine.len());
            theirs.iter().take(more).rev().for_each(|time| mine.push_front(left(*time)));
        }
    }

    /// An instruction: waits for what it needs, takes its units, and is done some time later.
    pub(crate) fn issue(
        &mut self,
        inst: &Inst,
        twice: bool,
        latencies: &Latencies,
        weight: f64,
        stalls: &mut Stalls,
    ) {
        self.depend(inst, weight, stalls);
        let work = work(inst);
        let mut start = self.now;
        for _ in 0..if twice && inst.is_vector() { 2 } else { 1 } {
            let ready = work.iter().flatten().map(|(unit, _)| self.units[*unit as usize]).max();
            start = self.now.max(ready.unwrap_or(0));
            stalls.units += (start - self.now) as f64 * weight;
            for (unit, cycles) in work.iter().flatten() {
                self.units[*unit as usize] = start + i64::from(*cycles);
                stalls.work[*unit as usize] += f64::from(*cycles) * weight;
            }
            self.now = start + 1;
        }
        let limits = limits(inst);
        for (open, most) in self.open.iter_mut().zip(limits) {
            let over = open.len().saturating_sub(most as usize);
            open.drain(..over);
        }
        let times = times(inst, latencies);
        for (open, time) in self.open.iter_mut().zip(times) {
            open.extend(time.map(|time| self.now + i64::from(time)));
        }
        let memory = times[..3].iter().flatten().max().copied().unwrap_or(0);
        let result = start + i64::from(inst.result().max(memory));
        // A quick result behind a slow one does not come before it.
        let later = |time: &mut i64| *time = (*time).max(result);
        inst.writes.iter().for_each(|n| later(&mut self.registers[usize::from(*n)]));
    }

    /// Waits for sources and counters.
    fn depend(&mut self, inst: &Inst, weight: f64, stalls: &mut Stalls) {
        let ready = |n: &u16| self.registers[usize::from(*n)];
        let ends = inst.steer == Steer::End;
        let sources =
            if ends { self.registers.iter().max().copied() } else { inst.reads.iter().map(ready).max() };
        let mut latest = self.now.max(sources.unwrap_or(0));
        stalls.registers += (latest - self.now) as f64 * weight;
        for (counter, (open, most)) in self.open.iter().zip(limits(inst)).enumerate() {
            let Some(oldest) = open.len().checked_sub(most as usize + 1) else { continue };
            let done = open[oldest];
            stalls.counters[counter] += (done - latest).max(0) as f64 * weight;
            latest = latest.max(done);
        }
        self.now = latest;
    }
}

/// What the model says of single instructions, for clocks that are not its own.
#[cfg(feature = "target")]
pub(crate) struct Model<'a> {
    pub(crate) launch: &'a Launch,
    pub(crate) latencies: &'a Latencies,
}

/// What an instruction takes.
#[cfg(feature = "target")]
pub(crate) struct Taken {
    pub(crate) units: Vec<(&'static str, u32)>,
    /// How often it goes through them.
    pub(crate) passes: u32,
    /// Cycles until others can read its results.
    pub(crate) result: u32,
    pub(crate) reads: Vec<u16>,
    pub(crate) writes: Vec<u16>,
    /// Counters that it counts on, with the cycles until it is done.
    pub(crate) enters: Vec<(usize, u32)>,
    /// Counters that it waits for, with the most that may be open.
    pub(crate) waits: Vec<(usize, u32)>,
}

#[cfg(feature = "target")]
impl Model<'_> {
    /// What an instruction takes; `None` of what aligns code.
    pub(crate) fn of(&self, step: &Step, code: &[u8]) -> Option<Taken> {
        let inst = super::inst::inst(step, code, self.launch.wave)?;
        let times = times(&inst, self.latencies);
        let memory = times[..3].iter().flatten().max().copied().unwrap_or(0);
        let waits = limits(&inst).into_iter().enumerate().filter(|(_, most)| *most != NONE);
        let twice = self.launch.wave == 64 && self.launch.threads > 32 && inst.is_vector();
        Some(Taken {
            units: work(&inst)
                .iter()
                .flatten()
                .map(|(unit, n)| (UNITS[*unit as usize], u32::from(*n)))
                .collect(),
            passes: 1 + u32::from(twice),
            result: inst.result().max(memory),
            enters: times.iter().enumerate().filter_map(|(n, time)| Some((n, (*time)?))).collect(),
            waits: waits.collect(),
            reads: inst.reads,
            writes: inst.writes,
        })
    }
}

/// Any number may be open.
const NONE: u32 = u32::MAX - 1;

/// The most that may be open of each counter when an instruction issues.
fn limits(inst: &Inst) -> [u32; 4] {
    if inst.steer == Steer::End {
        return [0; 4];
    }
    if let Some(waited) = inst.waited() {
        return waited.map(|most| if most == ANY { NONE } else { most });
    }
    let full = [62, 62, 6, 62];
    let used = times(inst, &Latencies::default());
    std::array::from_fn(|n| if used[n].is_some() { full[n] } else { NONE })
}

/// Cycles until an access is done, on each counter that it counts on: vm, lgkm, exp, vs.
fn times(inst: &Inst, latencies: &Latencies) -> [Option<u32>; 4] {
    let mut times = [None; 4];
    match inst.kind {
        Kind::Vmem if !inst.has_operands() => {}
        Kind::Vmem if inst.access.is_some() => times[0] = Some(latencies.load),
        Kind::Vmem => times[3] = Some(latencies.store),
        Kind::Flat => {
            let store = inst.access == Some(Access::Message);
            times[if store { 3 } else { 0 }] = Some(if store { latencies.store } else { latencies.load });
            times[1] = Some(latencies.lds);
        }
        Kind::Lds if inst.access == Some(Access::Gds) => times[2] = Some(latencies.export),
        Kind::Lds if inst.access.is_some() => times[1] = Some(latencies.lds),
        Kind::Smem => times[1] = scalar(inst, latencies),
        _ if inst.access == Some(Access::Export) => times[2] = Some(latencies.export),
        _ => {}
    }
    times
}

fn scalar(inst: &Inst, latencies: &Latencies) -> Option<u32> {
    if !inst.has_operands() {
        return inst.access.map(|_| 1);
    }
    let by_address = inst.name.starts_with("s_load");
    // No register adds to the offset.
    let fixed = inst.second >> 25 == 125;
    Some(if by_address || fixed { latencies.scalar } else { latencies.scalar_far })
}

/// The units that an instruction takes, with their cycles (spec 14.1).
fn work(inst: &Inst) -> [Option<(Unit, u8)>; 2] {
    let one = |unit| [Some((unit, 1)), None];
    match inst.class.name {
        "valu32" => one(Unit::Valu),
        "valu64" => [Some((Unit::Valu, 2)), Some((Unit::Complex, 2))],
        "valu_quarter_rate32" => [Some((Unit::Valu, 4)), Some((Unit::Complex, 4))],
        "valu_transcendental32" => [Some((Unit::Valu, 1)), Some((Unit::Complex, 4))],
        "valu_double" | "valu_double_transcendental" => [Some((Unit::Valu, 16)), Some((Unit::Complex, 16))],
        "salu" | "smem" => one(Unit::Scalar),
        "branch" | "sendmsg" => [Some((Unit::Branch, 3)), None],
        "ds" if inst.access == Some(Access::Gds) => one(Unit::Export),
        "ds" => one(Unit::Lds),
        "exp" => one(Unit::Export),
        "vmem" => one(Unit::Vmem),
        _ => [None, None],
    }
}
