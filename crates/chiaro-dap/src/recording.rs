//! A recording with a place in each of its waves.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use chiaro_target::{Step, Traced};

use crate::homes::Homes;
use crate::lab::Recorded;
use crate::registers::{Registers, States, constants, spread};

/// A recording and where one is in it. Waves move; the threads that a client sees are their lanes.
#[derive(Debug, Default)]
pub struct Recording {
    /// The program and what it did.
    pub made: Recorded,
    /// The number of the instruction that begins at a byte.
    by_offset: HashMap<u32, usize>,
    /// By wave: how many calls are open before each step.
    depths: Vec<Vec<u16>>,
    states: Vec<States>,
    /// By wave: where variables of the source stand, and when.
    pub homes: Vec<Homes>,
    /// Registers as steps call them.
    pub named: HashSet<String>,
    /// Those that have neither components nor lanes.
    plain: HashSet<String>,
    /// First invocations of waves, in order.
    firsts: Vec<usize>,
    /// Whether waves are of several groups.
    has_groups: bool,
    /// By wave: the next step.
    pub places: Vec<usize>,
}

/// The registers that steps read and write, without components.
fn named(made: &Recorded) -> HashSet<String> {
    let mut all: HashSet<String> =
        made.constants.iter().map(|(name, _)| spread(name, 1).0.to_owned()).collect();
    for step in made.waves.iter().flatten() {
        for (name, bits) in step.set.iter().chain(&step.reads).chain(&step.write).chain(&step.also) {
            let register = spread(name, bits.len()).0;
            if !all.contains(register) {
                all.insert(register.to_owned());
            }
        }
        step.results.iter().for_each(|(unit, _)| {
            all.insert((*unit).to_owned());
        });
    }
    all
}

/// The registers that steps write without a component.
fn plain(made: &Recorded) -> HashSet<String> {
    let written = made.waves.iter().flatten().flat_map(|step| step.write.iter().chain(&step.also));
    let plain = written.filter(|(name, bits)| bits.len() == 1 && !name.contains('.'));
    plain.map(|(name, _)| name.clone()).collect()
}

/// A call that is open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Frame {
    /// The instruction that is next, or that called.
    pub instruction: usize,
}

/// A lane of a wave.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Lane {
    /// The wave.
    pub wave: usize,
    /// The lane; 0 where the wave is one invocation.
    pub number: usize,
}

impl Recording {
    /// A recording at its beginning, without the places of variables (`locals::located`).
    #[must_use]
    pub fn new(made: Recorded) -> Recording {
        let lines = made.code.lines.iter().enumerate();
        let by_offset: HashMap<u32, usize> = lines.map(|(n, line)| (line.offset, n)).collect();
        let constants = constants(&made.constants, made.lanes, &made.parts);
        let states = made.waves.iter().map(|steps| States::of(steps, &made.parts, &constants)).collect();
        let places = vec![0; made.waves.len()];
        let (named, plain) = (named(&made), plain(&made));
        let (depths, homes) = (Vec::new(), Vec::new());
        let mut firsts: Vec<usize> = made.traced.iter().map(|one| one.first as usize).collect();
        firsts.sort_unstable();
        let has_groups = made.traced.windows(2).any(|two| two[0].group != two[1].group);
        let mut recording =
            Recording { made, by_offset, depths, states, homes, named, plain, firsts, has_groups, places };
        recording.depths = (0..recording.places.len()).map(|wave| recording.depths_of(wave)).collect();
        recording
    }

    /// How many lanes a wave has, at least one.
    #[must_use]
    pub fn lanes(&self) -> usize {
        self.made.lanes.max(1)
    }

    /// How many threads a client sees.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.places.len() * self.lanes()
    }

    /// The lane that a thread is.
    #[must_use]
    pub fn lane(&self, thread: usize) -> Lane {
        Lane { wave: thread / self.lanes(), number: thread % self.lanes() }
    }

    /// The thread that a lane is.
    #[must_use]
    pub fn thread(&self, lane: Lane) -> usize {
        lane.wave * self.lanes() + lane.number
    }

    /// Where the wave of a lane is.
    #[must_use]
    pub fn place(&self, lane: Lane) -> usize {
        self.places.get(lane.wave).copied().unwrap_or(0)
    }

    /// Whether a lane takes part in what its wave does at a place.
    #[must_use]
    pub fn is_on(&self, lane: Lane, place: usize) -> bool {
        let steps = self.steps(lane.wave);
        let mask = steps.get(place).or(steps.last()).map_or(0, |step| step.lanes);
        self.made.lanes <= 1 || lane.number < 64 && mask >> lane.number & 1 == 1
    }

    /// Whether a register has neither components nor lanes.
    #[must_use]
    pub fn is_plain(&self, register: &str) -> bool {
        self.plain.contains(register)
    }

    /// The invocations that the lanes of a wave are, as the source counts them when it is run by itself.
    #[must_use]
    pub fn invocations(&self, wave: usize) -> Range<usize> {
        let lanes = self.lanes();
        let Some(one) = self.made.traced.get(wave) else { return wave * lanes..(wave + 1) * lanes };
        let start = one.first as usize;
        // The last wave of a group may have fewer.
        let next = self.firsts.partition_point(|first| *first <= start);
        start..self.firsts.get(next).map_or(start + lanes, |behind| (start + lanes).min(*behind))
    }

    /// What a wave is called: of several groups that which it is of.
    #[must_use]
    pub fn wave_name(&self, wave: usize) -> String {
        let kind = self.made.kind;
        match self.made.traced.get(wave) {
            Some(Traced { group: [x, y, z], wave, .. }) if self.has_groups => {
                format!("group {x},{y},{z} {kind} {wave}")
            }
            _ => format!("{kind} {wave}"),
        }
    }

    /// The steps of a wave.
    #[must_use]
    pub fn steps(&self, wave: usize) -> &[Step] {
        self.made.waves.get(wave).map_or(&[], Vec::as_slice)
    }

    /// The number of the instruction of a step.
    #[must_use]
    pub fn instruction(&self, step: &Step) -> Option<usize> {
        self.by_offset.get(&step.offset).copied()
    }

    /// The instruction that a wave takes at a place; behind the end the last one.
    #[must_use]
    pub fn at(&self, wave: usize, place: usize) -> Option<usize> {
        let steps = self.steps(wave);
        self.instruction(steps.get(place).or(steps.last())?)
    }

    /// The source line of an instruction, from 1.
    #[must_use]
    pub fn line(&self, instruction: usize) -> Option<u32> {
        self.made.lines.get(instruction).copied().flatten()
    }

    /// The line at a place of a wave.
    #[must_use]
    pub fn line_at(&self, wave: usize, place: usize) -> Option<u32> {
        self.line(self.at(wave, place)?)
    }

    /// Whether a wave has no more steps.
    #[must_use]
    pub fn is_over(&self, wave: usize) -> bool {
        self.places.get(wave).is_none_or(|&place| place >= self.steps(wave).len())
    }

    /// How many calls are open at a place.
    #[must_use]
    pub fn depth(&self, wave: usize, place: usize) -> u16 {
        let depths = self.depths.get(wave).map_or(&[][..], Vec::as_slice);
        depths.get(place).or(depths.last()).copied().unwrap_or(0)
    }

    /// The registers at a place.
    #[must_use]
    pub fn registers(&self, wave: usize, place: usize) -> Registers {
        let states = self.states.get(wave);
        states.map(|states| states.before(self.steps(wave), place, &self.made.parts)).unwrap_or_default()
    }

    /// Where variables of the source stand in a wave.
    #[must_use]
    pub fn homes(&self, wave: usize) -> Option<&Homes> {
        self.homes.get(wave)
    }

    /// Frames at a place, the innermost first: where each is, the others at their calls.
    #[must_use]
    pub fn frames(&self, wave: usize, place: usize) -> Vec<Frame> {
        let mut frames: Vec<Frame> =
            self.at(wave, place).map(|instruction| Frame { instruction }).into_iter().collect();
        let mut depth = self.depth(wave, place);
        for before in (0..place.min(self.steps(wave).len())).rev() {
            if depth == 0 {
                break;
            }
            if self.depth(wave, before) < depth {
                depth = self.depth(wave, before);
                frames.extend(self.at(wave, before).map(|instruction| Frame { instruction }));
            }
        }
        frames
    }

    /// What a place in the code is called: the last label before it.
    #[must_use]
    pub fn name(&self, instruction: usize) -> String {
        let before = self.made.labels.iter().filter(|(at, _)| *at as usize <= instruction);
        let label = before.max_by_key(|(at, _)| *at);
        label.map_or_else(|| "main".to_owned(), |(_, name)| name.clone())
    }

    /// How many calls are open before each step: a call opens one, and its code's end closes it.
    fn depths_of(&self, wave: usize) -> Vec<u16> {
        let (mut open, mut depths): (Vec<(u32, u32)>, Vec<u16>) = (Vec::new(), Vec::new());
        for step in self.steps(wave) {
            let at = self.instruction(step).unwrap_or(usize::MAX) as u32;
            while open.last().is_some_and(|(first, end)| !(*first..*end).contains(&at)) {
                open.pop();
            }
            depths.push(open.len().min(usize::from(u16::MAX)) as u16);
            let called = self.made.calls.get(at as usize).copied().flatten();
            let next = step.next.unwrap_or(u32::MAX);
            open.extend(called.filter(|(first, end)| (*first..*end).contains(&next)));
        }
        depths
    }
}
