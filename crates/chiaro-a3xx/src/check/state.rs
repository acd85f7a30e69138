//! What is known about every register between two instructions.

use super::effect::{Arrival, Effect, Place};
use std::collections::BTreeMap;

/// Ages above this hide nothing any more: no consumer needs as many slots.
const OLD: u16 = 7;

/// What is under way at a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Pending {
    /// Slots since an ALU result was written; [`OLD`] and more is forgotten.
    pub(super) age: u16,
    /// A result arrives that `(ss)` waits for.
    pub(super) ss: bool,
    /// A result arrives that `(sy)` waits for.
    pub(super) sy: bool,
    /// It is still being read, until `(ss)`.
    pub(super) read: bool,
    /// It is still being read by what `(sy)` waits for.
    pub(super) read_sy: bool,
}

const NOTHING: Pending = Pending { age: OLD, ss: false, sy: false, read: false, read_sy: false };

/// The address register between its loads.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct AddressUse {
    /// It may be without a value.
    pub(super) empty: bool,
    /// It may hold a value that `(ul)` has not released.
    pub(super) held: bool,
}

/// All of it; places that are not listed have nothing under way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct State {
    places: BTreeMap<Place, Pending>,
    pub(super) address: AddressUse,
}

impl State {
    /// At the start of a program.
    pub(super) fn start() -> State {
        State { places: BTreeMap::new(), address: AddressUse { empty: true, held: false } }
    }

    pub(super) fn at(&self, place: Place) -> Pending {
        self.places.get(&place).copied().unwrap_or(NOTHING)
    }

    /// Takes the worse of both; answers whether that is news.
    pub(super) fn merge(&mut self, other: &State) -> bool {
        let before = self.clone();
        for (place, theirs) in &other.places {
            let mine = self.places.entry(*place).or_insert(NOTHING);
            mine.age = mine.age.min(theirs.age);
            mine.ss |= theirs.ss;
            mine.sy |= theirs.sy;
            mine.read |= theirs.read;
            mine.read_sy |= theirs.read_sy;
        }
        self.address.empty |= other.address.empty;
        self.address.held |= other.address.held;
        *self != before
    }

    /// The flags of an instruction, before it reads: each waits for everything of its kind.
    pub(super) fn flags(&mut self, effect: &Effect) {
        for p in self.places.values_mut() {
            if effect.ss {
                (p.ss, p.read, p.read_sy) = (false, false, false);
            }
            if effect.sy {
                (p.sy, p.read_sy) = (false, false);
            }
        }
        self.forget();
    }

    /// Slots pass.
    pub(super) fn pass(&mut self, slots: u16) {
        self.places.values_mut().for_each(|p| p.age = (p.age + slots).min(OLD));
        self.forget();
    }

    /// A result: its age begins, or it is under way.
    pub(super) fn write(&mut self, place: Place, arrival: Arrival) {
        let p = self.places.entry(place).or_insert(NOTHING);
        match arrival {
            Arrival::Slots => p.age = 0,
            // What a flag waits for comes behind older writes of the register [ir3_delay].
            Arrival::Ss => (p.age, p.ss) = (OLD, true),
            Arrival::Sy => (p.age, p.sy) = (OLD, true),
        }
    }

    /// A source that is read late.
    pub(super) fn read_late(&mut self, place: Place, by: Arrival) {
        let p = self.places.entry(place).or_insert(NOTHING);
        match by {
            Arrival::Sy => p.read_sy = true,
            _ => p.read = true,
        }
    }

    fn forget(&mut self) {
        self.places.retain(|_, p| *p != NOTHING);
    }
}
