//! A threadgroup: SIMD-groups that take turns, its memory, barriers.

use std::sync::Arc;

use chiaro_sim::mapped::{Mapped, Near};

use super::config::Config;
use super::fault::{Fault, FaultKind};
use super::launch::Launch;
use super::program::Program;
use super::simdgroup::{SimdGroup, Status};
use super::texture::image::Textures;
use super::texture::states::States;
use crate::regs::UNIFORM_HALVES;

/// What the SIMD-groups of a threadgroup share.
pub(super) struct Shared<'a> {
    pub(super) memory: &'a mut Mapped,
    pub(super) near: Near,
    pub(super) local: &'a mut [u8],
    /// SIMD-groups that have not ended.
    pub(super) groups: usize,
    pub(super) states: &'a mut States,
    pub(super) textures: &'a mut Textures,
}

/// A threadgroup.
#[derive(Clone, Debug)]
pub struct Group {
    /// Its SIMD-groups; their registers are to be set before a run.
    pub simdgroups: Vec<SimdGroup>,
    /// Threadgroup memory.
    pub local: Vec<u8>,
    /// Texture and sampler states.
    pub states: States,
    textures: Textures,
    poison: u32,
}

/// What came of a run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outcome {
    /// What went wrong, one SIMD-group after another.
    pub faults: Vec<Fault>,
    /// Instructions of all SIMD-groups.
    pub issued: u64,
}

impl Group {
    /// The SIMD-groups of a launch at the start of a program, with so many bytes of threadgroup memory.
    #[must_use]
    pub fn new(program: &Arc<Program>, config: &Config, launch: &Launch, local: usize) -> Group {
        let first = SimdGroup::new(program, config, 0);
        let one = |number: u32| {
            let mut group = first.clone();
            group.number = number;
            group.enter(launch, [0; 3]);
            group
        };
        let simdgroups = (0..launch.simdgroups()).map(one).collect();
        Group {
            simdgroups,
            local: vec![0; local],
            states: States::default(),
            textures: Textures::default(),
            poison: config.poison,
        }
    }

    /// Back to the start, as one threadgroup of a dispatch.
    pub fn enter(&mut self, launch: &Launch, group: [u32; 3]) {
        for simdgroup in &mut self.simdgroups {
            simdgroup.reset();
            simdgroup.enter(launch, group);
        }
        for word in self.local.chunks_mut(4) {
            let size = word.len();
            word.copy_from_slice(&self.poison.to_le_bytes()[..size]);
        }
    }

    /// Where the program begins, in bytes from the start of the code.
    pub fn set_entry(&mut self, entry: u32) {
        for simdgroup in &mut self.simdgroups {
            (simdgroup.entry, simdgroup.pc) = (entry, entry);
        }
    }

    /// Sets a half of a uniform for all.
    pub fn set_uniform(&mut self, half: u16, value: u16) {
        self.simdgroups.iter_mut().for_each(|simdgroup| simdgroup.set_uniform(half, value));
    }

    /// Runs what comes once before a program, in one lane: its uniforms and states are taken over.
    pub fn prepare(&mut self, preamble: &Arc<Program>, config: &Config, memory: &mut Mapped) -> Outcome {
        let mut before = Group::new(preamble, config, &Launch { size: [1; 3], groups: [1; 3] }, 0);
        before.states = self.states.clone();
        for half in 0..UNIFORM_HALVES {
            before.set_uniform(half, self.simdgroups.first().map_or(0, |group| group.uniform(half)));
        }
        let outcome = before.run(memory);
        for half in 0..UNIFORM_HALVES {
            let value = before.simdgroups[0].uniform(half);
            self.set_uniform(half, value);
        }
        self.states = before.states;
        outcome
    }

    /// Prepares with the code of a preamble; without code nothing is done.
    ///
    /// # Errors
    /// The first fault.
    pub fn prepare_with(
        &mut self,
        code: &[u8],
        generation: u8,
        config: &Config,
        memory: &mut Mapped,
    ) -> Result<(), String> {
        if code.is_empty() {
            return Ok(());
        }
        let preamble = Arc::new(Program::new(code, generation, config));
        match self.prepare(&preamble, config, memory).faults.first() {
            Some(fault) => Err(format!("preamble, byte {:#x}: {}", fault.offset, fault.kind)),
            None => Ok(()),
        }
    }

    /// Runs until all SIMD-groups have ended.
    pub fn run(&mut self, memory: &mut Mapped) -> Outcome {
        let groups = self.simdgroups.len();
        let (states, textures) = (&mut self.states, &mut self.textures);
        let mut shared =
            Shared { memory, near: Near::default(), local: &mut self.local, groups, states, textures };
        loop {
            self.simdgroups.iter_mut().for_each(|group| group.turn(&mut shared));
            let with = |status: Status| self.simdgroups.iter().filter(move |g| g.status == status);
            shared.groups = groups - with(Status::Ended).count();
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
            self.simdgroups.iter_mut().for_each(|group| group.status = Status::Running);
        }
        Outcome {
            faults: self.simdgroups.iter().flat_map(|group| group.faults().iter().cloned()).collect(),
            issued: self.simdgroups.iter().map(SimdGroup::issued).sum(),
        }
    }

    /// Some wait for others that have ended.
    fn miss_barrier(&mut self) {
        let waits = |group: &SimdGroup| group.status == Status::Barrier;
        let numbers: Vec<u32> = self.simdgroups.iter().filter(|g| waits(g)).map(|g| g.number).collect();
        for group in self.simdgroups.iter_mut().filter(|g| waits(g)) {
            group.stop(FaultKind::Barrier(numbers.clone()));
        }
    }
}
