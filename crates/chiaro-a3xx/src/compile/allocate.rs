//! Orders instructions and gives them registers: attempts with more and fewer registers, of which the best is
//! taken.
//!
//! An attempt schedules within a limit of full registers, allocates, schedules again around the copies that
//! this took. What is best weighs waves (spec section 18) against length. Where no attempt has enough
//! registers, values go to private memory ([`lower_spills`]).

mod lower_spills;

pub use lower_spills::lower_spills;

use chiaro_ir::Stage;
use chiaro_mach::{
    Checks, Code, Failure, Inst, Room, Schedules, check_allocation, registers, schedule_for_latency,
};

use super::code::{FILES, FULL, MEMORY, SPILL_ADDRESS, SPILLING};
use super::finish;
use super::schedule::Clock;
use crate::abi;
use crate::regs::MAX_WAVES;
use crate::report;

/// Limits of full registers, tried one after the other. As many waves as there can be run with 24 registers of
/// a fragment, 64 of a vertex (spec section 18); vectors have to find room beside what is alive.
const FRAGMENT: &[u32] = &[44, 34, 30, 28, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 14, 13, 12, 10, 8];
const VERTEX: &[u32] = &[40, 36, 32, 28, 24, 20, 16, 14, 12, 10];
/// Half registers, which cost no waves (spec section 18): enough room for vectors is left.
const HALVES: u32 = 128;
/// Attempts that are made once no waves are missing: another order may be shorter.
const FURTHER: u32 = 2;
/// Attempts behind one another that are no better: fewer registers will not be, either.
const WORSE: u32 = 3;

/// Code with registers, and what it is worth.
pub(super) struct Attempt {
    /// With registers.
    pub(super) code: Code,
    /// Bytes of private memory that it takes for spills.
    pub(super) spilled_bytes: u32,
    length: u32,
    waves: u32,
    /// Full registers.
    used: u32,
}

impl Attempt {
    /// Twice the waves are worth up to 2.5 times the length: they hide what nobody counts here, the time of
    /// textures and special functions.
    fn is_better(&self, other: &Attempt) -> bool {
        let [mine, theirs] = [self, other].map(|attempt| u128::from(attempt.length));
        let [my_waves, their_waves] = [self, other].map(|attempt| u128::from(attempt.waves));
        match my_waves > their_waves {
            true => mine.pow(3) * their_waves.pow(4) <= theirs.pow(3) * my_waves.pow(4),
            false => my_waves == their_waves && mine < theirs,
        }
    }
}

/// Finds the best order. Spills go behind so many bytes of
/// private memory.
///
/// # Errors
/// Registers do not suffice in any attempt, or a mistake of the compiler.
pub(super) fn allocate(code: &Code, stage: Stage, private: u32, checks: Checks) -> Result<Attempt, Failure> {
    let trials = Trials { code, stage, private, checks, schedules: Schedules::new(code, &FILES, &Clock) };
    let mut best = Err(Failure::Mistake("no attempt".to_owned()));
    let (mut wanted, mut further, mut worse) = (u32::MAX, FURTHER, WORSE);
    let mut before: Option<Outcome> = None;
    let limits = if stage == Stage::Fragment { FRAGMENT } else { VERTEX };
    for &limit in limits {
        if further == 0 || worse == 0 {
            break;
        }
        if limit > wanted {
            continue;
        }
        let (code, peak) = trials.ordered(limit);
        let order = order(&code);
        let next = match before.as_ref().filter(|before| before.order == order) {
            // From the same order nothing else comes.
            Some(_) => None,
            None => match trials.attempt(code) {
                Err(Failure::Mistake(why)) => return Err(Failure::Mistake(why)),
                Err(why) if best.is_err() => {
                    best = Err(why);
                    continue;
                }
                Err(_) => continue,
                Ok(next) => Some(next),
            },
        };
        if let Some(Attempt { waves, used, .. }) = next {
            before = Some(Outcome { order, waves, used });
        }
        let Some(outcome) = &before else { continue };
        further -= u32::from(best.is_ok() && outcome.waves == MAX_WAVES);
        // A limit that the schedule kept to gives it again.
        wanted = trials.wanted(outcome, limit).min(peak.saturating_sub(1));
        worse -= 1;
        if let Some(next) = next
            && best.as_ref().map_or(true, |best| next.is_better(best))
        {
            (best, worse) = (Ok(next), WORSE);
        }
    }
    match best {
        Err(Failure::Registers(_)) => trials.spill(),
        best => best,
    }
}

/// What came of an order.
struct Outcome {
    order: Vec<Inst>,
    waves: u32,
    /// Full registers.
    used: u32,
}

/// The instructions of all blocks in their order.
fn order(code: &Code) -> Vec<Inst> {
    code.blocks().flat_map(|block| code.insts(block)).copied().collect()
}

/// What all attempts start from.
struct Trials<'a> {
    code: &'a Code,
    stage: Stage,
    private: u32,
    checks: Checks,
    schedules: Schedules,
}

impl Trials<'_> {
    /// The code within so many full registers, and how many the schedule took.
    fn ordered(&self, limit: u32) -> (Code, u32) {
        let mut code = self.code.clone();
        let peak = self.schedules.within(&mut code, &[limit, HALVES, 1, 1])[usize::from(FULL.0)];
        (code, peak)
    }

    /// An attempt with code in its order.
    fn attempt(&self, mut code: Code) -> Result<Attempt, Failure> {
        let used = registers(&mut code, &FILES, self.checks)?.used;
        schedule_for_latency(&mut code, &FILES, &Clock);
        self.checks.after("schedule", || check_allocation(&code, &FILES))?;
        Ok(self.weigh(code, &used))
    }

    /// The last attempt, with private memory for what finds no room.
    fn spill(&self) -> Result<Attempt, Failure> {
        let mut code = self.code.clone();
        code.set_room(Room { file: FULL, limit: SPILL_ADDRESS, reserved: Vec::new() });
        let _peaks = self.schedules.within(&mut code, &[u32::from(SPILL_ADDRESS) * 3 / 4, HALVES, 1, 1]);
        let mut used = registers(&mut code, &SPILLING, self.checks)?.used;
        used[usize::from(FULL.0)] = SPILL_ADDRESS + 1;
        lower_spills(&mut code, self.private);
        schedule_for_latency(&mut code, &FILES, &Clock);
        let spilled_bytes = 4 * u32::from(used[usize::from(MEMORY.0)]);
        Ok(Attempt { spilled_bytes, ..self.weigh(code, &used) })
    }

    fn weigh(&self, code: Code, used: &[u16]) -> Attempt {
        let used = u32::from(used[usize::from(FULL.0)]);
        Attempt { length: finish::length(&code), spilled_bytes: 0, waves: self.waves(used), used, code }
    }

    /// Waves that run with so many full registers.
    fn waves(&self, used: u32) -> u32 {
        let kind = if self.stage == Stage::Fragment { abi::Stage::Fragment } else { abi::Stage::Vertex };
        report::waves(used.div_ceil(4), 0, kind)
    }

    /// The greatest limit with which more waves may run: as much less as registers were too many.
    fn wanted(&self, outcome: &Outcome, limit: u32) -> u32 {
        let more = (0..outcome.used).rev().find(|&used| self.waves(used) > outcome.waves);
        let excess = more.map_or(1, |more| outcome.used - more);
        limit.min(outcome.used).saturating_sub(excess)
    }
}
