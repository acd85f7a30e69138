//! What each effort tries.
//!
//! | effort | tries |
//! |---|---|
//! | 0 | the order of the source; one round of the optimiser's passes that clean up |
//! | 1 | limits of vector registers, until the most waves fit |
//! | 2 | besides these, each limit alone, other room for scalars, no merged accesses; takes the code that waits least |
//! | 3 | besides all these, latencies that are off by chance |
//!
//! Efforts 2 and 3 never give less than those below them: as many waves at least, no more latency [by the model of spec
//! section 14].

use super::Options;
use super::compiled::Compiled;
use super::schedule::Clock;

/// How code is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Tactic {
    /// Limits of vector registers that schedules try, in sixteenths of those with which the most waves run; the first
    /// with which they do is taken.
    pub(super) limits: &'static [u16],
    /// Scalar registers that schedules may have in use: the rest is for copies.
    pub(super) scalars: u32,
    /// Whether instructions are ordered before they have registers.
    pub(super) orders: bool,
    /// Whether accesses of neighbours in memory become one.
    pub(super) merges: bool,
    /// Whether variables that are indexed at run time may stand in registers.
    pub(super) rows: bool,
    /// Whether instructions are ordered again once they have registers.
    pub(super) reorders: bool,
    /// What the clock of schedules is off by.
    pub(super) clock: Clock,
}

/// Registers between those that are alive at once are lost to runs: less is tried where waves are missing.
const LIMITS: &[u16] = &[14, 12, 8, 32];
/// Scalar registers that schedules may have in use.
const SCALARS: u32 = 80;

/// What nobody asks for more than.
const USUAL: Tactic = Tactic {
    limits: LIMITS,
    scalars: SCALARS,
    orders: true,
    merges: true,
    rows: true,
    reorders: true,
    clock: Clock { seed: 0 },
};

/// The fastest way.
const FAST: Tactic = Tactic { limits: &[14], orders: false, reorders: false, ..USUAL };

/// What may turn out better than the usual way.
const OTHERS: [Tactic; 9] = [
    Tactic { limits: &[32], ..USUAL },
    Tactic { limits: &[16], ..USUAL },
    Tactic { limits: &[12], ..USUAL },
    Tactic { limits: &[8], ..USUAL },
    Tactic { limits: &[4], ..USUAL },
    Tactic { scalars: 48, ..USUAL },
    Tactic { scalars: 100, ..USUAL },
    Tactic { merges: false, ..USUAL },
    Tactic { reorders: false, ..USUAL },
];

/// Clocks that are off, each in its own way.
const SEEDS: u32 = 24;

impl Tactic {
    /// The first one to try.
    pub(super) fn first(options: Options) -> Tactic {
        if options.effort == 0 { FAST } else { USUAL }
    }

    /// Those to try besides.
    pub(super) fn others(options: Options) -> impl Iterator<Item = Tactic> {
        let seeds = (1..=SEEDS).map(|seed| Tactic { clock: Clock { seed }, ..USUAL });
        let count = match options.effort {
            0 | 1 => 0,
            2 => OTHERS.len(),
            _ => usize::MAX,
        };
        OTHERS.into_iter().chain(seeds).take(count)
    }

    /// The limits in registers, of which so many let the most waves run.
    pub(super) fn registers(self, most: u32) -> impl Iterator<Item = u32> {
        self.limits.iter().map(move |&share| match u32::from(share) {
            14 => most - most / 16 - 2,
            share => most * share / 16,
        })
    }
}

/// Rounds of the optimiser's passes that clean up, at most.
pub(super) fn rounds(options: Options, usual: u32) -> u32 {
    if options.effort == 0 { usual.min(1) } else { usual }
}

/// The better of two programs: as many waves as the first, less latency, then fewer bytes.
pub(super) fn better(first: Compiled, other: Compiled) -> Compiled {
    let [old, new] = [&first, &other].map(Compiled::statistics);
    let is_better = new.occupancy.waves >= old.occupancy.waves
        && first.spilled >= other.spilled
        && (new.latency, new.code_size) < (old.latency, old.code_size);
    if is_better { other } else { first }
}

/// Waves of 32 lanes side by side that hide each other's waiting; more of them do not count for variables in registers.
const ENOUGH: u64 = 8;

/// Whether variables in registers may cost more than in scratch: lanes choose among them by indices of their own, or few
/// waves stand side by side. A counted move is one instruction, and takes nothing of the caches that all waves share.
pub(super) fn is_dear(in_rows: &Compiled) -> bool {
    in_rows.rows > 0 && (in_rows.chosen || u64::from(in_rows.statistics().subgroups) < ENOUGH)
}

/// The other of two programs, if it costs less: fewer values are spilled, or a wave takes fewer cycles, of which those count
/// more where few waves stand side by side.
pub(super) fn cheaper(first: &Compiled, other: Compiled) -> Option<Compiled> {
    let cost = |compiled: &Compiled| {
        let own = compiled.statistics();
        let waves = u64::from(own.subgroups).clamp(1, ENOUGH);
        (compiled.spilled, u64::from(own.latency) * ENOUGH / waves)
    };
    (cost(&other) < cost(first)).then_some(other)
}
