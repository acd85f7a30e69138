//! Dataflow facts of the paths to a word: which output components were written, which
//! registers were written at all, whether the last word was a MOVA.
//!
//! A procedure is judged once, from a blank start; its effect is then applied wherever it is
//! called. Writes since the start of a procedure ("added") and those since an EMIT within it
//! ("fresh") are kept apart, because only the former go on top of the caller's.

use super::step::Step;
use crate::isa::Op;

/// What paths have made of each output component: the sets of those that some path leaves alone and of those that some
/// path writes. In neither means that there is no path.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Writes {
    pub(super) none: u64,
    pub(super) some: u64,
}

impl Writes {
    /// No path at all.
    const NO_PATH: Writes = Writes { none: 0, some: 0 };
    /// One path that has written nothing.
    pub(super) const START: Writes = Writes { none: u64::MAX, some: 0 };

    /// Whether there is any path.
    pub(super) fn any(self) -> bool {
        self.none | self.some != 0
    }

    /// The paths of both.
    pub(super) fn or(self, other: Writes) -> Writes {
        Writes { none: self.none | other.none, some: self.some | other.some }
    }

    /// One more write of some components on each path.
    pub(super) fn write(self, set: u64) -> Writes {
        Writes { none: self.none & !set, some: self.some | self.none & set }
    }

    /// Each of these paths, followed by each of those.
    pub(super) fn then(self, next: Writes) -> Writes {
        let either = self.none & next.some | self.some & (next.none | next.some);
        Writes { none: self.none & next.none, some: either }
    }
}

/// The paths that lead to a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct State {
    /// Paths from the start of the procedure that met no EMIT.
    pub(super) added: Writes,
    /// Paths since the start of the program or the last EMIT.
    pub(super) fresh: Writes,
    /// Temporary components that some path has written since the start of the procedure.
    pub(super) temps: u64,
    /// Address registers and flags that some path has written.
    pub(super) special: u8,
    /// A MOVA that some path has run just before.
    pub(super) mova: Option<u32>,
}

impl State {
    /// At the entry point: nothing was written before.
    pub(super) const ENTRY: State =
        State { added: Writes::NO_PATH, fresh: Writes::START, temps: 0, special: 0, mova: None };

    /// At the start of a procedure: its writes go on top of the caller's.
    pub(super) const CALLED: State = State { added: Writes::START, fresh: Writes::NO_PATH, ..State::ENTRY };

    /// Whether any path leads here.
    pub(super) fn any(self) -> bool {
        self.added.any() || self.fresh.any()
    }

    /// All writes, wherever they start to count.
    pub(super) fn outputs(self) -> Writes {
        self.added.or(self.fresh)
    }

    /// The paths of both.
    pub(super) fn or(self, other: State) -> State {
        State {
            added: self.added.or(other.added),
            fresh: self.fresh.or(other.fresh),
            temps: self.temps | other.temps,
            special: self.special | other.special,
            mova: self.mova.or(other.mova),
        }
    }

    /// Behind a word that calls nothing; `emits` if EMIT starts a new vertex.
    pub(super) fn after(self, word: u32, step: &Step, emits: bool) -> State {
        let mut state = State {
            added: self.added.write(step.outputs()),
            fresh: self.fresh.write(step.outputs()),
            temps: self.temps | step.writes(),
            special: self.special | step.special_writes,
            mova: (step.op == Some(Op::Mova)).then_some(word),
        };
        if emits && step.op == Some(Op::Emit) {
            state.added = Writes::default();
            state.fresh = Writes::START;
        }
        state
    }

    /// Behind a call of a procedure with this effect; no path if it never returns.
    pub(super) fn after_call(self, effect: &Effect) -> State {
        let exit = effect.exit;
        let reset = if self.any() { exit.fresh } else { Writes::default() };
        State {
            added: self.added.then(exit.added),
            fresh: self.fresh.then(exit.added).or(reset),
            temps: self.temps | exit.temps,
            special: self.special | exit.special,
            mova: exit.mova,
        }
    }
}

/// What a procedure does to whoever calls it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Effect {
    /// Behind its last word; no path if it never returns.
    pub(super) exit: State,
    /// Writes on the way to an END within.
    pub(super) ended: Writes,
    /// Writes on the way to its first EMIT.
    pub(super) emitted: Writes,
    /// Temporary components that it reads before writing them.
    pub(super) needs: u64,
    /// The same for address registers and flags.
    pub(super) special_needs: u8,
    /// Deepest nesting of calls, IFs and LOOPs within: how many, and at which word.
    pub(super) depth: [Depth; 3],
}

/// A number of open calls, IFs or LOOPs, and the word that opens the last.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Depth {
    pub(super) open: u32,
    pub(super) word: u32,
}

impl Depth {
    pub(super) fn deepen(&mut self, open: u32, word: u32) {
        if open > self.open {
            *self = Depth { open, word };
        }
    }
}

impl Effect {
    /// Nothing done: stands for procedures that cannot be followed.
    pub(super) const NONE: Effect = Effect {
        exit: State::CALLED,
        ended: Writes::NO_PATH,
        emitted: Writes::NO_PATH,
        needs: 0,
        special_needs: 0,
        depth: [Depth { open: 0, word: 0 }; 3],
    };

    /// All writes that a call may make until the next END, EMIT or return.
    pub(super) fn writes(&self) -> Writes {
        self.exit.added.or(self.ended).or(self.emitted)
    }
}
