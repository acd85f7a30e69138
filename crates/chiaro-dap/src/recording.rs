//! A recording with a place in each of its threads.

use std::collections::HashMap;

use chiaro_target::Step;

use crate::lab::Recorded;
use crate::registers::{Registers, States};

/// A recording and where one is in it.
#[derive(Debug, Default)]
pub struct Recording {
    /// The program and what it did.
    pub made: Recorded,
    /// The number of the instruction that begins at a byte.
    by_offset: HashMap<u32, usize>,
    /// By thread: the open calls before each step, from the outermost, as numbers of the calling steps.
    calls: Vec<Vec<u16>>,
    states: Vec<States>,
    /// By thread: the next step.
    pub places: Vec<usize>,
}

/// A call that is open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Frame {
    /// The instruction that is next, or that called.
    pub instruction: usize,
}

impl Recording {
    /// A recording at its beginning.
    #[must_use]
    pub fn new(made: Recorded) -> Recording {
        let lines = made.code.lines.iter().enumerate();
        let by_offset: HashMap<u32, usize> = lines.map(|(n, line)| (line.offset, n)).collect();
        let states = made.threads.iter().map(|steps| States::of(steps)).collect();
        let places = vec![0; made.threads.len()];
        let mut recording = Recording { made, by_offset, calls: Vec::new(), states, places };
        recording.calls = (0..recording.places.len()).map(|thread| recording.depths(thread)).collect();
        recording
    }

    /// The steps of a thread.
    #[must_use]
    pub fn steps(&self, thread: usize) -> &[Step] {
        self.made.threads.get(thread).map_or(&[], Vec::as_slice)
    }

    /// The number of the instruction of a step.
    #[must_use]
    pub fn instruction(&self, step: &Step) -> Option<usize> {
        self.by_offset.get(&step.offset).copied()
    }

    /// The instruction that a thread takes at a place; behind the end the last one.
    #[must_use]
    pub fn at(&self, thread: usize, place: usize) -> Option<usize> {
        let steps = self.steps(thread);
        self.instruction(steps.get(place).or(steps.last())?)
    }

    /// The source line of an instruction, from 1.
    #[must_use]
    pub fn line(&self, instruction: usize) -> Option<u32> {
        self.made.lines.get(instruction).copied().flatten()
    }

    /// The line at a place of a thread.
    #[must_use]
    pub fn line_at(&self, thread: usize, place: usize) -> Option<u32> {
        self.line(self.at(thread, place)?)
    }

    /// Whether a thread has no more steps.
    #[must_use]
    pub fn is_over(&self, thread: usize) -> bool {
        self.places.get(thread).is_none_or(|&place| place >= self.steps(thread).len())
    }

    /// How many calls are open at a place.
    #[must_use]
    pub fn depth(&self, thread: usize, place: usize) -> u16 {
        let depths = self.calls.get(thread).map_or(&[][..], Vec::as_slice);
        depths.get(place).or(depths.last()).copied().unwrap_or(0)
    }

    /// The registers at a place.
    #[must_use]
    pub fn registers(&self, thread: usize, place: usize) -> Registers {
        let states = self.states.get(thread);
        states.map(|states| states.before(self.steps(thread), place)).unwrap_or_default()
    }

    /// Frames at a place, the innermost first: where each is, the others at their calls.
    #[must_use]
    pub fn frames(&self, thread: usize, place: usize) -> Vec<Frame> {
        let mut frames: Vec<Frame> =
            self.at(thread, place).map(|instruction| Frame { instruction }).into_iter().collect();
        let mut depth = self.depth(thread, place);
        for before in (0..place.min(self.steps(thread).len())).rev() {
            if depth == 0 {
                break;
            }
            if self.depth(thread, before) < depth {
                depth = self.depth(thread, before);
                frames.extend(self.at(thread, before).map(|instruction| Frame { instruction }));
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
    fn depths(&self, thread: usize) -> Vec<u16> {
        let (mut open, mut depths): (Vec<(u32, u32)>, Vec<u16>) = (Vec::new(), Vec::new());
        for step in self.steps(thread) {
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
