//! Where calls through pointers go, as far as words show it.
//!
//! An address of a function is made of where the program counter is, in three instructions that stand together. Its halves
//! are followed through scalars, lanes and the frame as any value is, and where one of several is chosen it is known of which:
//!
//! ```text
//! s_getpc_b64 s[4:5]
//! s_add_u32 s4, s4, f - .
//! s_addc_u32 s5, s5, 0
//! s_cselect_b64 s[4:5], s[4:5], s[6:7]      one of two
//! s_cmp_lg_u64 s[4:5], 0                    and none of them 0, behind a branch that asks
//! ```
//!
//! All of these have to keep what the call relies on. A pointer that comes from memory or from a caller may be anything:
//! that it leads to one of the functions that the call is held to is an assumption, which is named for each such call.
//! Taken for granted is that no code lies on both sides of a multiple of 4 GiB, so that all upper halves are the same.

use super::code::{self, Source, bits, salu};
use super::state::State;
use super::value::{Carried, Functions, RUNNING, Scalar, Tag, WAITING};
use super::{Among, Checker, Contract, Sink, Step, assumed, refute, unproved};
use crate::abi::partition::File;

impl Checker<'_> {
    /// A half of an address that an instruction makes, where it adds a distance to where the program counter was.
    pub(super) fn sum(&self, step: &Step, [a, b]: [Scalar; 2], state: &State) -> Option<Scalar> {
        let (Scalar::Here(from, half), Scalar::Number(n)) = (a, b) else { return None };
        let distance = match (step.name, half, state.carried) {
            ("s_add_u32", 0, _) => n,
            // The upper half of the distance is the sign of the lower one, whose carry this takes.
            ("s_addc_u32", 1, Some((word, low))) if word == from && n == (low as i32 >> 31) as u32 => low,
            _ => return None,
        };
        let place = i64::from(from) * 4 + i64::from(distance as i32);
        let begins = |(first, _): &(u32, Contract)| i64::from(*first) * 4 == place;
        let function = self.among.functions.iter().position(begins)?;
        Some(Scalar::Address(Functions::one(function)?, half))
    }

    /// Takes note of a lower half that an instruction makes: the next one may take its carry.
    pub(super) fn carried(&self, step: &Step, state: &State) -> Option<Carried> {
        let [a, b] = salu(step).filter(|_| step.name == "s_add_u32")?.sources;
        match [a, b].map(|source| self.value(source, state, step.word)) {
            [Scalar::Here(from, 0), Scalar::Number(n)] => Some((from, n)),
            _ => None,
        }
    }

    /// One of two sources, by halves: of a choice between addresses.
    pub(super) fn one_of(&self, step: &Step, sources: [Source; 2], state: &State) -> Option<Scalar> {
        let [a, b] = sources.map(|source| self.value(source, state, step.word));
        a.either(b)
    }

    /// What lanes hold behind a choice between halves of addresses, each lane by itself.
    pub(super) fn chosen_address(&self, step: &Step, of: impl Fn(u32) -> Tag) -> Option<Tag> {
        (step.name == "v_cndmask_b32" && code::is_plain(step)).then_some(())?;
        let [a, b] = code::sources(step).map(of);
        a.either(b)
    }

    /// Takes note of a question whether a pointer is 0, and forgets it where something else may have answered since.
    pub(super) fn ask_none(&self, step: &Step, state: &mut State) {
        let asks = match step.name {
            "s_cmp_lg_u64" => Some(true),
            "s_cmp_eq_u64" => Some(false),
            _ => None,
        };
        let sources = [0, 8].map(|low| Source::of(bits(step, low, 8), 0));
        state.asks_none = match (asks, sources) {
            (
                Some(some),
                [Source::Register(pair), Source::Number(0)] | [Source::Number(0), Source::Register(pair)],
            ) => Some((pair, some)),
            _ => state.asks_none.filter(|(pair, _)| {
                // Of all instructions scalar ones with results alone write SCC, but for moves.
                let is_scalar = step.dword >> 30 == 2 && step.dword >> 23 != 0x17f;
                let keeps = !is_scalar || step.name.starts_with("s_mov_b");
                let written = |half: u16| step.writes.contains(&(crate::regs::file::SGPR, pair + half));
                keeps && !written(0) && !written(1)
            }),
        };
    }

    /// On the way from a branch on which a pointer is not 0 it is one of the functions.
    pub(super) fn not_none(&self, n: usize, to: usize, state: &mut State) {
        let step = &self.steps[n];
        let taken = match step.name {
            "s_cbranch_scc0" => false,
            "s_cbranch_scc1" => true,
            _ => return,
        };
        let (Some((pair, some)), Some(jumps)) = (state.asks_none, self.jumps(n, to)) else { return };
        if (jumps == taken) != some {
            return;
        }
        for half in 0..2 {
            match state.scalar(pair + half) {
                Scalar::Address(functions, own) => {
                    state.set_scalar(pair + half, Scalar::Address(functions.without_none(), own));
                }
                Scalar::Wanted(word, _) => {
                    let known = state.compared.get_mut(&word);
                    known.into_iter().for_each(|known| *known = known.without_none());
                }
                _ => {}
            }
        }
    }

    /// Takes note of which functions a comparison may find that lanes want.
    pub(super) fn note_compared(&self, word: u32, vector: u16, state: &mut State) {
        let halves = [0, 1].map(|half| self.in_lanes(vector + u16::from(half), state).functions(half));
        match halves {
            [Some(low), Some(high)] => _ = state.compared.insert(word, low.or(high)),
            _ => _ = state.compared.remove(&word),
        }
    }

    /// The functions that a pair of scalars may lead to, where the words show that.
    fn shown(&self, from: u16, state: &State) -> Option<Functions> {
        let half = |half: u8| match state.scalar(from + u16::from(half)) {
            Scalar::First(register, _) => self.in_lanes(register, state).functions(half),
            Scalar::Wanted(word, _) => state.compared.get(&word).copied(),
            Scalar::Next(_, own) if own == half => self.wanted_next(half, state),
            value => value.functions(half),
        };
        Some(half(0)?.or(half(1)?))
    }

    /// What lanes may want that a function which goes over that goes to: what it has put there itself. What lanes came with
    /// whoever called has shown, and 0 is not gone to.
    fn wanted_next(&self, half: u8, state: &State) -> Option<Functions> {
        let [wanted, _] = self.dispatch()?;
        let register = wanted + u16::from(half);
        let lanes = state.vector(register).lanes;
        let own = lanes[RUNNING].functions(half)?.without_none();
        (lanes[WAITING] == Tag::Entry(register)).then_some(own)
    }

    /// Holds the pointer that a step goes to against what it relies on, or names that nothing is known of it.
    pub(super) fn leads(&self, step: &Step, callee: &Contract, state: &State, sink: &mut Sink<'_>) {
        let Source::Register(from) = Source::of(bits(step, 0, 8), 0) else { return };
        if step.name == "s_call_b64" {
            return;
        }
        let what = format!("{} goes to what is in s[{from}:{}]", step.name, from + 1);
        match self.shown(from, state) {
            None => {
                let message = format!("{what}, and no words show that it is the address of a function");
                assumed(sink, step, message);
            }
            Some(all) if all.may_be_none() => {
                assumed(sink, step, format!("{what}, and no words show that it is not 0"));
            }
            Some(all) => {
                let mut called = all.numbers().filter_map(|n| self.among.functions.get(n));
                if let Some((word, _)) = called.find(|(_, own)| !callee.is_kept_by(own)) {
                    refute(
                        sink,
                        step,
                        format!("{what}: the function at word {word} is called in another way"),
                    );
                }
            }
        }
    }

    /// Whom lanes want, where the callee goes over that: it goes there without looking again.
    pub(super) fn hands_over_wanted(
        &self,
        step: &Step,
        callee: &Contract,
        state: &State,
        sink: &mut Sink<'_>,
    ) {
        let Some([wanted, _]) = callee.dispatch else { return };
        let known =
            (0..2u8).all(|half| self.in_lanes(wanted + u16::from(half), state).functions(half).is_some());
        if !known {
            let message = format!(
                "{} hands over v[{wanted}:{}], and no words show that lanes want functions by it",
                step.name,
                wanted + 1
            );
            assumed(sink, step, message);
        }
    }

    /// Nobody has said whom a call may come to, where it is said of others.
    pub(super) fn unknown_callee(&self, step: &Step, sink: &mut Sink<'_>) {
        let Among { functions, sites, whole } = self.among;
        let says = whole && !(functions.is_empty() && sites.is_empty());
        if says && self.known_callee(step).is_none() {
            unproved(sink, step, format!("{} goes to where nobody says that a function begins", step.name));
        }
    }
}

impl Contract {
    /// Whether a function keeps what a call relies on that is held to this.
    fn is_kept_by(&self, own: &Contract) -> bool {
        let covers = |less: &[bool], more: &[bool]| less.iter().zip(more).all(|(less, more)| !less || *more);
        (own.return_address, own.stack_pointer, own.stack_bytes, own.dispatch)
            == (self.return_address, self.stack_pointer, self.stack_bytes, self.dispatch)
            && own.convention == self.convention
            && own.passed == self.passed
            && File::BOTH.into_iter().all(|file| {
                covers(self.kept.of(file), own.kept.of(file))
                    && covers(own.results.of(file), self.results.of(file))
            })
    }
}
