//! Dataflow facts of the paths to a word: how often each output component was written, which
//! registers were written at all, whether the last word was a MOVA.
//!
//! A procedure is judged once, from a blank start; its effect is then applied wherever it is
//! called. Counts since the start of a procedure ("added") and counts since an EMIT within it
//! ("fresh") are kept apart, because only the former go on top of the caller's.

use super::step::Step;
use crate::isa::Op;

/// For each output component the numbers of writes that some path makes: bits in `zero`, `one`
/// and `many`. No bit at all means that there is no path.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Counts {
    pub(super) zero: u64,
    pub(super) one: u64,
    pub(super) many: u64,
}

impl Counts {
    /// One path that has written nothing.
    pub(super) const START: Counts = Counts { zero: u64::MAX, one: 0, many: 0 };

    /// Whether any path is counted.
    pub(super) fn any(self) -> bool {
        self.zero | self.one | self.many != 0
    }

    /// Components that some path has written.
    pub(super) fn written(self) -> u64 {
        self.one | self.many
    }

    /// The paths of both.
    pub(super) fn or(self, other: Counts) -> Counts {
        Counts { zero: self.zero | other.zero, one: self.one | other.one, many: self.many | other.many }
    }

    /// One more write of some components on each path.
    pub(super) fn write(self, set: u64) -> Counts {
        Counts {
            zero: self.zero & !set,
            one: self.one & !set | self.zero & set,
            many: self.many | self.one & set,
        }
    }

    /// Each of these paths, followed by each of those.
    pub(super) fn then(self, next: Counts) -> Counts {
        Counts {
            zero: self.zero & next.zero,
            one: self.zero & next.one | self.one & next.zero,
            many: self.many & (next.zero | next.written())
                | self.one & next.written()
                | self.zero & next.many,
        }
    }
}

/// The paths that lead to a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct State {
    /// Paths from the start of the procedure that met no EMIT.
    pub(super) added: Counts,
    /// Paths since the start of the program or the last EMIT.
    pub(super) fresh: Counts,
    /// Temporary components that some path has written since the start of the procedure.
    pub(super) temps: u64,
    /// Address registers and flags that some path has written.
    pub(super) special: u8,
    /// A MOVA that some path has run just before.
    pub(super) mova: Option<u32>,
}

impl State {
    /// At the entry point: counts are final.
    pub(super) const ENTRY: State = State {
        added: Counts { zero: 0, one: 0, many: 0 },
        fresh: Counts::START,
        temps: 0,
        special: 0,
        mova: None,
    };

    /// At the start of a procedure: counts go on top of the caller's.
    pub(super) const CALLED: State =
        State { added: Counts::START, fresh: Counts { zero: 0, one: 0, many: 0 }, ..State::ENTRY };

    /// Whether any path leads here.
    pub(super) fn any(self) -> bool {
        self.added.any() || self.fresh.any()
    }

    /// All counts, wherever they start.
    pub(super) fn counts(self) -> Counts {
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
            added: self.added.write(step.outputs),
            fresh: self.fresh.write(step.outputs),
            temps: self.temps | step.writes,
            special: self.special | step.special_writes,
            mova: (step.op == Some(Op::Mova)).then_some(word),
        };
        if emits && step.op == Some(Op::Emit) {
            state.added = Counts::default();
            state.fresh = Counts::START;
        }
        state
    }

    /// Behind a call of a procedure with this effect; no path if it never returns.
    pub(super) fn after_call(self, effect: &Effect) -> State {
        let exit = effect.exit;
        let reset = if self.any() { exit.fresh } else { Counts::default() };
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
    pub(super) ended: Counts,
    /// Writes on the way to its first EMIT.
    pub(super) emitted: Counts,
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
        ended: Counts { zero: 0, one: 0, many: 0 },
        emitted: Counts { zero: 0, one: 0, many: 0 },
        needs: 0,
        special_needs: 0,
        depth: [Depth { open: 0, word: 0 }; 3],
    };

    /// All writes that a call may make until the next END, EMIT or return.
    pub(super) fn writes(&self) -> Counts {
        self.exit.added.or(self.ended).or(self.emitted)
    }
}
