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
    AllocateError, Breach, Code, RegFile, Room, Schedules, check_allocation, lower_copies,
    schedule_for_latency, verify,
};

use super::code::{FILES, FULL, MEMORY, SPILL_ADDRESS, SPILLING};
use super::finish;
use super::schedule::Clock;
use crate::regs::MAX_WAVES;
use crate::report;

/// Limits of full registers, tried one after the other. As many waves as there can be run with 24 registers of
/// a fragment, 64 of a vertex (spec section 18); vectors have to find room beside what is alive.
const FRAGMENT: &[u32] = &[44, 34, 30, 28, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 14, 13, 12, 10, 8];
const VERTEX: &[u32] = &[40, 36, 32, 28, 24, 20, 16, 14, 12, 10];
/// Attempts that are made once no waves are missing: another order may be shorter.
const FURTHER: u32 = 3;

/// Code with registers, and what it is worth.
pub(super) struct Attempt {
    /// With registers.
    pub(super) code: Code,
    /// Bytes of private memory that it takes for spills.
    pub(super) spilled_bytes: u32,
    length: u32,
    waves: u32,
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

/// Why there is no order.
pub(super) enum Failure {
    /// Registers do not suffice.
    Registers(AllocateError),
    /// The compiler made a mistake.
    Mistake(String),
}

/// Finds the best order. With `is_checked`, what each pass makes is verified. Spills go behind so many bytes of
/// private memory.
///
/// # Errors
/// Registers do not suffice in any attempt, or a mistake of the compiler.
pub(super) fn allocate(
    code: &Code,
    stage: Stage,
    private: u32,
    is_checked: bool,
) -> Result<Attempt, Failure> {
    let trials = Trials { code, stage, private, is_checked, schedules: Schedules::new(code, &FILES, &Clock) };
    let mut best = Err(Failure::Mistake("no attempt".to_owned()));
    let (mut peak, mut further) = (u32::MAX, FURTHER);
    let limits = if stage == Stage::Fragment { FRAGMENT } else { VERTEX };
    for (n, &limit) in limits.iter().enumerate() {
        if further == 0 {
            break;
        }
        // A limit that the last schedule kept to gives it again.
        if limit >= peak {
            continue;
        }
        further -= u32::from(best.as_ref().is_ok_and(|best: &Attempt| best.waves == MAX_WAVES));
        match (trials.attempt(limit, &mut peak), &best) {
            (Err(Failure::Mistake(why)), _) => return Err(Failure::Mistake(why)),
            (Ok(next), Ok(known)) if !next.is_better(known) => {}
            (Ok(next), _) => best = Ok(next),
            (Err(why), _) if n == 0 => best = Err(why),
            (Err(_), _) => {}
        }
    }
    match best {
        Err(Failure::Registers(_)) => trials.spill(),
        best => best,
    }
}

/// What all attempts start from.
struct Trials<'a> {
    code: &'a Code,
    stage: Stage,
    private: u32,
    is_checked: bool,
    schedules: Schedules<'a>,
}

impl Trials<'_> {
    fn check(&self, step: &str, run: impl FnOnce() -> Result<(), Vec<Breach>>) -> Result<(), Failure> {
        if !self.is_checked {
            return Ok(());
        }
        run().map_err(|found| Failure::Mistake(format!("after {step}: {}", found[0])))
    }

    /// An attempt with so many full registers; how many the schedule took.
    fn attempt(&self, limit: u32, peak: &mut u32) -> Result<Attempt, Failure> {
        let mut code = self.code.clone();
        *peak = self.schedules.within(&mut code, &[limit, 22, 1, 1])[usize::from(FULL.0)];
        let used = self.registers(&mut code, &FILES)?;
        schedule_for_latency(&mut code, &FILES, &Clock);
        self.check("schedule", || check_allocation(&code, &FILES))?;
        Ok(self.weigh(code, &used))
    }

    /// The last attempt, with private memory for what finds no room.
    fn spill(&self) -> Result<Attempt, Failure> {
        let mut code = self.code.clone();
        code.set_room(Room { file: FULL, limit: SPILL_ADDRESS, reserved: Vec::new() });
        let _peaks = self.schedules.within(&mut code, &[u32::from(SPILL_ADDRESS) * 3 / 4, 22, 1, 1]);
        let mut used = self.registers(&mut code, &SPILLING)?;
        used[usize::from(FULL.0)] = SPILL_ADDRESS + 1;
        lower_spills(&mut code, self.private);
        schedule_for_latency(&mut code, &FILES, &Clock);
        let spilled_bytes = 4 * u32::from(used[usize::from(MEMORY.0)]);
        Ok(Attempt { spilled_bytes, ..self.weigh(code, &used) })
    }

    /// Gives values registers; one past the last of each file in use.
    fn registers(&self, code: &mut Code, files: &[RegFile]) -> Result<Vec<u16>, Failure> {
        let used = chiaro_mach::allocate(code, files).map_err(Failure::Registers)?.used;
        self.check("allocate", || verify(code, files).and_then(|()| check_allocation(code, files)))?;
        lower_copies(code, files).map_err(|(_, stuck)| Failure::Mistake(format!("{stuck:?}")))?;
        self.check("lower_copies", || check_allocation(code, files))?;
        Ok(used)
    }

    fn weigh(&self, code: Code, used: &[u16]) -> Attempt {
        let kind =
            if self.stage == Stage::Fragment { report::Stage::Fragment } else { report::Stage::Vertex };
        let waves = report::waves(u32::from(used[usize::from(FULL.0)].div_ceil(4)), 0, kind);
        Attempt { length: finish::length(&code), spilled_bytes: 0, waves, code }
    }
}
