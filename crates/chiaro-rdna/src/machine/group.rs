//! A workgroup: waves that take turns, LDS, barriers.

use std::sync::Arc;

use chiaro_sim::mapped::{Mapped, Near};

use super::config::{Config, Schedule};
use super::fault::{Fault, FaultKind};
use super::image::Textures;
use super::program::Program;
use super::timed::Time;
use super::wave::{Status, Wave};

/// Bytes of GDS. [AMD's manual of GCN3; assumed]
const GDS: usize = 1 << 16;

/// Room in a buffer that lanes take by counting up a word of memory: whose it is.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Taken {
    /// The word that is counted up.
    pub counter: Option<u64>,
    /// Wave, lane, and what was counted before it.
    pub by: Vec<(u32, u32, u32)>,
    /// Lanes beyond those that are kept.
    pub more: u64,
}

/// Lanes that are kept of those that take room.
const MOST_TAKEN: usize = 1 << 12;

impl Taken {
    /// Notes that a word has changed.
    pub(super) fn note(&mut self, address: u64, [old, new]: [u64; 2], wave: u32, lane: usize) {
        if self.counter != Some(address) || old == new {
            return;
        }
        match self.by.len() {
            0..MOST_TAKEN => self.by.push((wave, lane as u32, old as u32)),
            _ => self.more += 1,
        }
    }
}

/// What the waves of a group share.
pub(super) struct Shared<'a> {
    pub(super) memory: &'a mut Mapped,
    pub(super) near: Near,
    pub(super) lds: &'a mut [u8],
    pub(super) gds: &'a mut [u8],
    pub(super) textures: &'a mut Textures,
    pub(super) taken: &'a mut Taken,
    /// Waves that have not ended.
    pub(super) waves: usize,
}

/// A workgroup of waves.
#[derive(Clone, Debug)]
pub struct Group {
    /// The waves; their registers are to be set before a run.
    pub waves: Vec<Wave>,
    /// Local memory.
    pub lds: Vec<u8>,
    /// Memory of all groups of a dispatch: what one leaves there the next one finds.
    pub gds: Vec<u8>,
    /// Who took room for what it prints.
    pub taken: Taken,
    config: Config,
    textures: Textures,
}

/// What came of a run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outcome {
    /// What went wrong, wave by wave.
    pub faults: Vec<Fault>,
    /// Instructions of all waves.
    pub issued: u64,
    /// Cycles, if the waves have clocks.
    pub time: Option<Time>,
}

impl Group {
    /// So many waves at the start of a program, with so many bytes of LDS, each wave with so
    /// many bytes of scratch for a lane.
    #[must_use]
    pub fn new(program: &Arc<Program>, config: &Config, waves: u32, lds: usize, scratch: usize) -> Group {
        let first = Wave::new(program, config, 0);
        let wave = |number: u32| {
            let block = scratch.next_multiple_of(4) * usize::from(program.wave());
            let mut wave = first.clone();
            (wave.number, wave.scratch) = (number, vec![0; block]);
            wave
        };
        Group {
            waves: (0..waves).map(wave).collect(),
            lds: vec![0; lds],
            gds: vec![0; GDS],
            taken: Taken::default(),
            config: *config,
            textures: Textures::default(),
        }
    }

    /// Back to the start, for the next group of a dispatch.
    pub fn reset(&mut self) {
        self.waves.iter_mut().for_each(Wave::reset);
        for (n, byte) in self.lds.iter_mut().enumerate() {
            *byte = self.config.poison.to_le_bytes()[n % 4];
        }
    }

    /// Where the first instruction lies, for programs that ask.
    pub fn set_code_base(&mut self, base: u64) {
        self.waves.iter_mut().for_each(|wave| wave.code_base = base);
    }

    /// Where the waves begin, in bytes from the start of the code.
    pub fn set_entry(&mut self, entry: u32) {
        for wave in &mut self.waves {
            (wave.entry, wave.pc) = (entry, entry);
        }
    }

    /// Whether waves have clocks.
    #[must_use]
    pub fn is_timed(&self) -> bool {
        self.config.timed
    }

    /// Runs until all waves have ended, in the order of the configuration ([`Schedule`]).
    pub fn run(&mut self, memory: &mut Mapped) -> Outcome {
        let several = self.waves.len() > 1;
        for wave in &mut self.waves {
            // A group of half a wave is issued once (spec 14.2).
            let twice = wave.lanes() == 64 && (several || wave.exec()[1] != 0);
            if let Some(timed) = &mut wave.timed {
                timed.twice = twice;
            }
        }
        let mut shared = Shared {
            memory,
            near: Near::default(),
            lds: &mut self.lds,
            gds: &mut self.gds,
            textures: &mut self.textures,
            taken: &mut self.taken,
            waves: self.waves.len(),
        };
        loop {
            if self.config.schedule == Schedule::Backwards {
                self.waves.iter_mut().rev().for_each(|wave| wave.turn(&mut shared));
            } else {
                self.waves.iter_mut().for_each(|wave| wave.turn(&mut shared));
            }
            let with = |status: Status| self.waves.iter().filter(move |wave| wave.status == status);
            shared.waves = self.waves.len() - with(Status::Ended).count();
            if with(Status::Running).next().is_some() {
                continue;
            }
            if with(Status::Barrier).next().is_none() {
                break;
            }
            if with(Status::Ended).next().is_some() {
                self.miss_barrier();
                break;
            }
            release(&mut self.waves);
        }
        Outcome {
            faults: self.waves.iter().flat_map(|wave| wave.faults().iter().cloned()).collect(),
            issued: self.waves.iter().map(Wave::issued).sum(),
            time: time(&self.waves),
        }
    }

    /// Waves wait for some that have ended: hardware lets them go on, but no language does.
    fn miss_barrier(&mut self) {
        let waiting = |wave: &&mut Wave| wave.status == Status::Barrier;
        let numbers: Vec<u32> =
            self.waves.iter().filter(|w| w.status == Status::Barrier).map(|w| w.number).collect();
        for wave in self.waves.iter_mut().filter(waiting) {
            wave.stop(FaultKind::Barrier(numbers.clone()));
        }
    }
}

/// Lets go the waves that wait at a barrier: all have come.
fn release(waves: &mut [Wave]) {
    let last = waves.iter().map(Wave::now).max().unwrap_or(0);
    for wave in waves.iter_mut().filter(|wave| wave.status == Status::Barrier) {
        wave.status = Status::Running;
        if let Some(timed) = &mut wave.timed {
            timed.meet(last);
        }
    }
}

/// The cycles of all waves.
fn time(waves: &[Wave]) -> Option<Time> {
    waves.iter().filter_map(Wave::time).reduce(|mut sum, wave| {
        sum.add(&wave);
        sum
    })
}

#[cfg(test)]
mod tests {
    use super::{MOST_TAKEN, Taken};

    /// A kernel that prints without end does not fill the host's memory.
    #[test]
    fn so_many_lanes_are_kept_and_no_more() {
        let mut taken = Taken { counter: Some(8), ..Taken::default() };
        (0..MOST_TAKEN as u64 + 9).for_each(|n| taken.note(8, [n, n + 1], 0, 3));
        assert_eq!((taken.by.len(), taken.by[5], taken.more), (1 << 12, (0, 3, 5), 9));
    }
}
