//! All that is known at a place in the code.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::masks::Masks;
use super::value::{AsksNone, Carried, Functions, KINDS, Known, RUNNING, Scalar, Tag, Vector};
use super::{Contract, Role};
use crate::abi::convention::Counter;
use crate::regs;

/// A part of MODE.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
    /// As at entry.
    Entry,
    /// These bits.
    Number(u32),
    /// Nobody knows.
    Unknown,
}

/// Whether any lane wants another function: a comparison has asked that all lanes which came.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Asked {
    /// Its word.
    pub(super) word: u32,
    /// Whether vcc holds those that do.
    pub(super) in_vcc: bool,
    /// Whether there are any, behind a branch.
    pub(super) any: Option<bool>,
}

/// Scalars by their codes.
const SCALARS: usize = 128;
/// Vector registers that states share as one.
const TOGETHER: usize = 16;
/// So many of these there are.
const VECTORS: usize = regs::VGPRS as usize / TOGETHER;

/// What is known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct State {
    /// By number. States share what they hold until one of them changes it: there is one for each instruction.
    scalars: Rc<[Scalar; SCALARS]>,
    /// Sixteen by sixteen.
    vectors: [Rc<[Vector; TOGETHER]>; VECTORS],
    /// Dwords of the frame, by their bytes from the stack pointer at entry.
    pub(super) slots: Rc<BTreeMap<i32, Vector>>,
    /// Halves of return addresses on the stack in lanes, by how far each is from the first free entry when the function
    /// began, and which half.
    pub(super) returns: BTreeMap<(i32, u8), Scalar>,
    /// Vector registers of which it is known between which numbers they lie in the lanes that run.
    pub(super) bounds: Known,
    pub(super) masks: Masks,
    pub(super) unsure: Unsure,
    /// What has been asked of the lanes of a function that goes over what they want.
    pub(super) asked: Option<Asked>,
    /// The lower half of an address that the last instruction has made.
    pub(super) carried: Option<Carried>,
    /// Whether a pointer is 0, as SCC says.
    pub(super) asks_none: Option<AsksNone>,
    /// By the words of comparisons: functions of which they have found one that lanes want.
    pub(super) compared: BTreeMap<u32, Functions>,
    /// The word at which EXEC changed last, or at which ways met since.
    pub(super) exec_since: u32,
    /// Counters that may be above 0.
    pub(super) on_way: [bool; 4],
    /// Of these: what the caller may have on its way into any register.
    pub(super) of_caller: [bool; 4],
    /// Rounding, denormals, and the rest.
    pub(super) mode: [Part; 3],
}

/// Scalars, a bit for each, of which on some way nothing is known to be there.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Unsure {
    /// A call left anything there.
    pub(super) lost: u128,
    /// Nobody wrote them, or a call left anything there.
    pub(super) blank: u128,
}

impl Unsure {
    /// What is unsure where a function begins that is given something in some registers.
    fn begin(contract: &Contract, role: Role) -> Unsure {
        let Some(passed) = contract.passed.as_ref().filter(|_| role == Role::Function) else {
            return Unsure::default();
        };
        let system = [contract.return_address, contract.return_address + 1].into_iter();
        let system = system.chain(contract.stack_pointer);
        let given = (0..128).filter(|n| passed.given.sgpr[usize::from(*n)]).chain(system);
        let known = given.fold(0u128, |all, n| all | 1 << n);
        Unsure { lost: 0, blank: !known }
    }

    pub(super) fn write(&mut self, register: u16) {
        let bit = 1u128.checked_shl(register.into()).unwrap_or(0);
        *self = Unsure { lost: self.lost & !bit, blank: self.blank & !bit };
    }

    pub(super) fn lose(&mut self, register: u16) {
        let bit = 1u128.checked_shl(register.into()).unwrap_or(0);
        *self = Unsure { lost: self.lost | bit, blank: self.blank | bit };
    }
}

/// The counters of a list, by their number.
pub(super) fn counters(list: &[Counter]) -> [bool; 4] {
    Counter::ALL.map(|counter| list.contains(&counter))
}

impl State {
    /// What is known where a function begins. What it is given on the stack stands there.
    pub(super) fn begin(masks: Masks, contract: &Contract, role: Role) -> State {
        let on_way = match role {
            Role::Function => counters(&contract.convention.in_flight.call),
            Role::Kernel => [false; 4],
        };
        let passed = contract.passed.as_ref().filter(|_| role == Role::Function);
        let given = passed.into_iter().flat_map(|passed| &passed.slots);
        let slots = Rc::new(given.map(|at| (*at, Vector::of([Tag::Slot(*at); KINDS]))).collect());
        let returns = BTreeMap::new();
        let scalars = Rc::new(std::array::from_fn(|n| Scalar::Entry(n as u16, 0)));
        let entry = |n: usize| Vector::entry(n as u16);
        let vectors = std::array::from_fn(|n| Rc::new(std::array::from_fn(|k| entry(n * TOGETHER + k))));
        let bounds = Known::new();
        let unsure = Unsure::begin(contract, role);
        let mode = [Part::Entry; 3];
        let exec_since = u32::MAX;
        let of_caller = on_way;
        State {
            scalars,
            vectors,
            slots,
            returns,
            bounds,
            masks,
            unsure,
            asked: None,
            carried: None,
            asks_none: None,
            compared: BTreeMap::new(),
            exec_since,
            on_way,
            of_caller,
            mode,
        }
    }

    pub(super) fn scalar(&self, register: u16) -> Scalar {
        self.scalars.get(usize::from(register)).copied().unwrap_or(Scalar::Entry(register, 0))
    }

    pub(super) fn set_scalar(&mut self, register: u16, value: Scalar) {
        if self.scalar(register) != value
            && let Some(own) = Rc::make_mut(&mut self.scalars).get_mut(usize::from(register))
        {
            *own = value;
        }
    }

    /// Gives scalars other values, where there are such.
    pub(super) fn change_scalars(&mut self, change: impl Fn(Scalar) -> Option<Scalar>) {
        for register in 0..SCALARS as u16 {
            if let Some(value) = change(self.scalar(register)) {
                self.set_scalar(register, value);
            }
        }
    }

    /// Where a vector register stands.
    fn place(register: u16) -> (usize, usize) {
        (usize::from(register) / TOGETHER, usize::from(register) % TOGETHER)
    }

    /// A vector register, if there is one of that number.
    fn known(&self, register: u16) -> Option<&Vector> {
        let (n, at) = State::place(register);
        Some(&self.vectors.get(n)?[at])
    }

    pub(super) fn vector(&self, register: u16) -> Vector {
        self.known(register).cloned().unwrap_or_else(|| Vector::entry(register))
    }

    /// What lanes of each kind hold in a vector register.
    pub(super) fn lanes(&self, register: u16) -> [Tag; KINDS] {
        self.known(register).map_or([Tag::Entry(register); KINDS], |vector| vector.lanes)
    }

    pub(super) fn set_vector(&mut self, register: u16, value: Vector) {
        let (n, at) = State::place(register);
        if self.known(register).is_some_and(|known| *known != value) {
            Rc::make_mut(&mut self.vectors[n])[at] = value;
        }
    }

    /// Whether on some way a call left anything in a scalar.
    pub(super) fn is_unsure(&self, register: u16) -> bool {
        self.unsure.lost >> register.min(127) & 1 == 1
    }

    /// Whether a call may have left anything in some of the lanes that run.
    pub(super) fn partly_lost(&self, register: u16) -> Option<u32> {
        match self.lanes(register)[RUNNING] {
            Tag::Partly(word) => Some(word),
            _ => None,
        }
    }

    /// Other lanes may run since a word. What was the lowest one's since then was it another time.
    pub(super) fn lanes_changed(&mut self, word: u32) {
        self.exec_since = word;
        let is_old = |value| matches!(value, Scalar::First(_, since) if since == word);
        self.change_scalars(|value| is_old(value).then_some(Scalar::Written(word)));
    }

    pub(super) fn slot(&self, at: i32) -> Vector {
        self.slots.get(&at).cloned().unwrap_or_else(Vector::nothing)
    }

    /// What holds where two ways meet at a word.
    pub(super) fn join(&self, other: &State, word: u32) -> State {
        let mut joined = self.clone();
        for register in 0..SCALARS as u16 {
            joined.set_scalar(register, self.scalar(register).join(other.scalar(register), word));
        }
        let has = [&self.masks, &other.masks].map(Masks::kinds);
        joined.join_vectors(other, has, word);
        if self.slots != other.slots {
            let slots = Rc::make_mut(&mut joined.slots);
            for at in self.slots.keys().chain(other.slots.keys()) {
                slots.insert(*at, self.slot(*at).join(&other.slot(*at), has, word));
            }
        }
        joined.returns.retain(|entry, value| other.returns.get(entry) == Some(value));
        joined.bounds.retain(|register, bounds| other.bounds.get(register) == Some(bounds));
        joined.masks = self.masks.join(&other.masks);
        joined.asked = self.asked.filter(|asked| other.asked == Some(*asked));
        joined.carried = self.carried.filter(|carried| other.carried == Some(*carried));
        joined.asks_none = self.asks_none.filter(|asks| other.asks_none == Some(*asks));
        joined.compared.retain(|word, _| other.compared.contains_key(word));
        for (word, known) in &mut joined.compared {
            *known = known.or(other.compared[word]);
        }
        if self.exec_since != other.exec_since {
            joined.lanes_changed(word);
        }
        joined.unsure.lost |= other.unsure.lost;
        joined.unsure.blank |= other.unsure.blank;
        joined.on_way = std::array::from_fn(|n| self.on_way[n] || other.on_way[n]);
        joined.of_caller = std::array::from_fn(|n| self.of_caller[n] || other.of_caller[n]);
        let mode = |n: usize| if self.mode[n] == other.mode[n] { self.mode[n] } else { Part::Unknown };
        joined.mode = std::array::from_fn(mode);
        joined
    }

    /// What holds of vector registers.
    fn join_vectors(&mut self, other: &State, has: [[bool; KINDS]; 2], word: u32) {
        for (own, other) in self.vectors.iter_mut().zip(&other.vectors).filter(|(own, other)| own != other) {
            let own = Rc::make_mut(own).iter_mut();
            own.zip(&other[..]).for_each(|(own, other)| *own = own.join(other, has, word));
        }
    }
}
