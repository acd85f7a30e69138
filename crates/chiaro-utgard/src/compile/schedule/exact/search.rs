//! The search itself: instruction by instruction from the block's end, every way to fill each.

use std::collections::HashMap;

use super::super::block::Scheduled;
use super::follow::Follow;
use super::state::{Key, State};
use super::task::{Set, Tasks};

/// What a search found out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    /// No schedule is that short.
    Impossible,
    /// One may be.
    Possible,
    /// The search was given up.
    Unknown,
}

/// A search for a schedule of one length.
pub(super) struct Search<'a> {
    tasks: &'a Tasks,
    length: u32,
    /// States that lead nowhere, with the fewest moves at which that is known.
    failed: HashMap<Key, u32>,
    /// Decisions, and how many there may be.
    pub(super) nodes: u64,
    most: u64,
    /// Makes words of it.
    follow: Option<Follow<'a>>,
}

/// An instruction that is being filled.
struct Filling<'a> {
    ready: &'a [usize],
    /// The vec4 on port 2.
    vector: Option<usize>,
    /// What is placed in later instructions.
    before: Set,
    state: State,
    /// Ready tasks that were left out though nothing was in the way.
    left_out: Vec<usize>,
}

impl<'a> Search<'a> {
    pub(super) fn new(tasks: &'a Tasks, length: u32, most: u64) -> Search<'a> {
        Search { tasks, length, failed: HashMap::new(), nodes: 0, most, follow: None }
    }

    /// The same, only along ways that an attempt can follow to the end.
    pub(super) fn find(self, follow: Follow<'a>) -> (Option<Scheduled>, u64) {
        let mut search = Search { follow: Some(follow), ..self };
        search.run();
        (search.follow.and_then(|follow| follow.found), search.nodes)
    }

    pub(super) fn run(&mut self) -> Verdict {
        self.from(State::new())
    }

    /// All ways on from a state.
    fn from(&mut self, state: State) -> Verdict {
        if !state.may_end(self.tasks, self.length) {
            return Verdict::Impossible;
        }
        if state.placed.count_ones() as usize == self.tasks.all.len() {
            return self.end(&state);
        }
        let key = state.key(self.tasks);
        if key.is_some_and(|key| self.failed.get(&key).is_some_and(|&moves| moves <= state.moves)) {
            return Verdict::Impossible;
        }
        let verdict = self.instruction(&state);
        if let (Verdict::Impossible, Some(key)) = (verdict, key) {
            self.failed.insert(key, state.moves);
        }
        verdict
    }

    fn end(&mut self, state: &State) -> Verdict {
        let length = self.length;
        let is_there = self.follow.as_mut().is_none_or(|follow| follow.end(state, length));
        if is_there { Verdict::Possible } else { Verdict::Impossible }
    }

    /// All ways to fill the next instruction, port 2 first.
    fn instruction(&mut self, state: &State) -> Verdict {
        let mut ready = state.ready(self.tasks);
        if let Some(follow) = &self.follow {
            ready.sort_by_key(|&i| std::cmp::Reverse(follow.order(self.tasks.all[i].node)));
        }
        let wanted = ready.iter().fold(state.pending, |all, &i| all | self.tasks.all[i].scalars);
        let must = |vector: usize| ready.iter().any(|&i| self.tasks.all[i].must == Some(vector));
        let vectors = self.tasks.vectors.iter().enumerate();
        let mut vectors: Vec<Option<usize>> =
            vectors.filter(|&(i, v)| v & wanted != 0 || must(i)).map(|(i, _)| Some(i)).collect();
        if vectors.is_empty() {
            vectors.push(None);
        }
        for vector in vectors {
            let mut state = state.clone();
            let loaded = vector.map_or(0, |vector| self.tasks.vectors[vector]);
            state.moves += (state.pending & loaded).count_ones();
            state.pending &= !loaded;
            let before = state.placed;
            let mut filling = Filling { ready: &ready, vector, before, state, left_out: Vec::new() };
            let verdict = self.fill(&mut filling, 0);
            if verdict != Verdict::Impossible {
                return verdict;
            }
        }
        Verdict::Impossible
    }

    /// All ways to take or leave the ready tasks from one on.
    fn fill(&mut self, filling: &mut Filling<'_>, next: usize) -> Verdict {
        self.nodes += 1;
        if self.nodes > self.most || self.follow.as_ref().is_some_and(|follow| follow.left == 0) {
            return Verdict::Unknown;
        }
        let Some(&task) = filling.ready.get(next) else {
            return self.filled(filling);
        };
        if let Some(with) = self.with(filling, task) {
            let before = std::mem::replace(&mut filling.state, with);
            let verdict = self.fill(filling, next + 1);
            filling.state = before;
            if verdict != Verdict::Impossible {
                return verdict;
            }
        }
        // It would be too late in any other instruction.
        if self.tasks.all[task].need + filling.state.now >= self.length {
            return Verdict::Impossible;
        }
        let is_free = self.tasks.all[task].is_simple() && self.is_served(filling, task);
        if is_free {
            filling.left_out.push(task);
        }
        let verdict = self.fill(filling, next + 1);
        if is_free {
            filling.left_out.pop();
        }
        verdict
    }

    /// The next instruction, unless this one could hold more: what is free of other conditions
    /// stands as late in the program as it can, which never costs anything.
    fn filled(&mut self, filling: &Filling<'_>) -> Verdict {
        if filling.left_out.iter().any(|&task| self.with(filling, task).is_some()) {
            return Verdict::Impossible;
        }
        let mut state = filling.state.clone();
        state.advance();
        let Some(follow) = &mut self.follow else { return self.from(state) };
        if !follow.go(self.tasks, state.placed & !filling.before, filling.vector) {
            return Verdict::Impossible;
        }
        let verdict = self.from(state);
        if let Some(follow) = &mut self.follow {
            follow.back();
        }
        verdict
    }

    /// Whether port 2 has all that a task reads of it.
    fn is_served(&self, filling: &Filling<'_>, task: usize) -> bool {
        let task = &self.tasks.all[task];
        let loaded = filling.vector.map_or(0, |vector| self.tasks.vectors[vector]);
        task.scalars & !loaded == 0 && task.must.is_none_or(|vector| filling.vector == Some(vector))
    }

    /// The state with a task in this instruction, if there is room.
    fn with(&self, filling: &Filling<'_>, number: usize) -> Option<State> {
        let task = &self.tasks.all[number];
        let mut taken = filling.state.taken;
        let has_room = task.steps.iter().all(|&(back, unit, count)| taken[back as usize].take(unit, count));
        let finds = task.must.is_none_or(|vector| filling.vector == Some(vector));
        if !has_room || !finds || task.need + filling.state.now > self.length {
            return None;
        }
        let loaded = filling.vector.map_or(0, |vector| self.tasks.vectors[vector]);
        let mut state = State { taken, ..filling.state.clone() };
        state.placed |= (1 as Set) << number;
        state.at[number] = state.now as u8;
        state.pending |= task.scalars & !loaded;
        Some(state)
    }
}
