//! Whether a function keeps its part of a calling convention, proven over its words alone.
//!
//! The words are followed from the function's first one along every way to its ends. Of each register, and of each dword
//! of the frame, it is known whose value it holds: what stood in a register at entry, a number, or something that was
//! computed. Lanes that sleep at entry are told from those that run, and masks of lanes are followed bit by bit
//! ([`masks`]), so that saves under other lanes and loops over lanes come out as what they are. At every call the
//! caller's part is held against the convention, at every end the callee's.
//!
//! Nothing here knows a compiler. What cannot be followed is named as unproved with its instruction, and is no proof.
//! Taken for granted: memory by global addresses is no scratch; a pointer that a caller hands over leads to no save of
//! its callee's; callees keep the same convention, whoever they are, but for those whose own contract is known by the
//! word that a direct call names.
//!
//! | module | is |
//! |---|---|
//! | `value` | whose value a register holds |
//! | `bounds` | between which numbers an index lies |
//! | `masks`, `narrow` | which lanes run |
//! | `code` | what the bits of instructions do to these |
//! | `lost` | lanes whose registers hold nothing |
//! | `state` | all of it at a place in the code |
//! | `scalar`, `vector`, `memory` | instructions |
//! | `border` | calls and ends |
//! | `pointers` | addresses of functions, and where calls go through them |
//! | `returns` | the stack of return addresses in lanes |
//! | `dispatch` | functions that go over what lanes want |
//! | `waiting`, `lane`, `truths`, `alike` | masks of which lanes that wait have a bit |

mod alike;
mod border;
mod bounds;
mod code;
mod dispatch;
mod lane;
mod lost;
mod masks;
mod memory;
mod narrow;
mod pointers;
mod returns;
mod scalar;
mod state;
mod truths;
mod value;
mod vector;
mod waiting;

use std::collections::{BTreeMap, BTreeSet};

use super::rules::{ASSUMED, CONTRACT, UNPROVED, found};
use super::step::{self, Step, at, next};
use super::tables::Steer;
use super::{Config, Found, flow};
use crate::abi::convention::{Convention, Seat, SystemParameter, Unit};
use crate::abi::partition::{File, Files};
use crate::abi::place::{self, Place, Placed, Placement};
use crate::abi::signature::Signature;
use crate::isa::isa;
use crate::regs::{file, hardware};
use code::Move;
use lost::Known;
use masks::{Beforehand, Cells, Moves, Wanted};
use state::State;
use waiting::Given;

/// What a function and those that it calls have agreed on.
#[derive(Clone, Debug)]
pub struct Contract {
    /// Counters, mode and stack.
    convention: Convention,
    /// Registers of each file that the callee keeps, by number.
    kept: Files<Vec<bool>>,
    /// Registers that a call gives results in.
    results: Files<Vec<bool>>,
    /// The first registers of what lanes want and of who runs, where the function goes over what lanes want.
    dispatch: Option<[u16; 2]>,
    /// What it is given and gives for sure, where that is known.
    passed: Option<Passed>,
    /// The first of the two scalars with the return address.
    return_address: u16,
    stack_pointer: Option<u16>,
    /// Bytes of a lane below the stack pointer that are the function's parameters.
    stack_bytes: i32,
    /// Bytes of a lane from the stack pointer on that are the function's own, with what it hands over; nothing where
    /// nobody says how many.
    room: Option<i32>,
}

/// Where values stand that a function is given and gives back.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Passed {
    /// Registers of each file in which it finds arguments.
    given: Files<Vec<bool>>,
    /// Dwords of arguments on the stack, by their bytes from its stack pointer.
    slots: Vec<i32>,
    /// Those of them that hold what each lane has for itself: scalars, masks among them, stand in all lanes alike.
    lanes: Vec<i32>,
    /// Those of all that are masks of lanes, and results that are.
    masks: Vec<Given>,
    /// Registers of each file in which its caller finds results.
    gives: Files<Vec<bool>>,
}

impl Passed {
    fn of(signature: &Signature, placement: &Placement, given: &[usize], gives: &[usize]) -> Passed {
        let placed = |n: &usize| placement.get(&signature.parameters.get(*n)?.name);
        let registers = |numbers: &[usize]| {
            let mut all = Files::each(|file| vec![false; whole(file)]);
            for placed in numbers.iter().filter_map(placed) {
                if let Place::Register { first, .. } = placed.place {
                    let range = usize::from(first)..usize::from(first + placed.size);
                    all.of_mut(placed.file)[range].fill(true);
                }
            }
            all
        };
        let dwords = |placed: &Placed| match placed.place {
            Place::Stack(offset) => {
                let first = offset as i32 - placement.stack_bytes as i32;
                (0..i32::from(placed.size)).map(|n| first + 4 * n).collect()
            }
            Place::Register { .. } => Vec::new(),
        };
        let all = || given.iter().filter_map(placed);
        let slots = all().flat_map(dwords).collect();
        let lanes = all().filter(|placed| placed.file == File::Vgpr).flat_map(dwords).collect();
        let given_in = |placed: &Placed| match placed.place {
            Place::Register { first, .. } => Given::Scalar(first),
            Place::Stack(offset) => Given::Slot(offset as i32 - placement.stack_bytes as i32),
        };
        let is_mask = |n: &&usize| signature.parameters.get(**n).is_some_and(|parameter| parameter.bits == 1);
        let masks = given.iter().chain(gives).filter(is_mask).filter_map(placed);
        let masks: BTreeSet<Given> = masks.map(given_in).collect();
        Passed {
            given: registers(given),
            slots,
            lanes,
            masks: masks.into_iter().collect(),
            gives: registers(gives),
        }
    }
}

/// Registers of a file, special ones too.
fn whole(file: File) -> usize {
    if file == File::Sgpr { 128 } else { 256 }
}

impl Contract {
    /// The contract of functions with a signature. `None` where the convention has no return address.
    #[must_use]
    pub fn new(convention: &Convention, signature: &Signature, placement: &Placement) -> Option<Contract> {
        let mut kept = place::kept(convention, signature, placement);
        let mut results = Files::each(|file| {
            let spans = convention.results.of(file);
            (0..whole(file) as u16).map(|n| spans.iter().any(|span| span.has(n))).collect::<Vec<bool>>()
        });
        for placed in &placement.parameters {
            let parameter = signature.parameters.iter().find(|parameter| parameter.name == placed.name);
            let (Place::Register { first, .. }, Some(parameter)) = (placed.place, parameter) else {
                continue;
            };
            for n in usize::from(first)..usize::from(first + placed.size) {
                results.of_mut(placed.file)[n] |= parameter.returned;
            }
        }
        let stack_pointer = placement.system(SystemParameter::StackPointer);
        if let Unit::Wave { descriptor } = convention.stack.unit {
            kept.sgpr[usize::from(descriptor)..usize::from(descriptor) + 4].fill(true);
        }
        let stack_bytes = match convention.system.seat(SystemParameter::StackPointer) {
            // Where registers are named, parameters begin at the stack pointer.
            Seat::Fixed(_) => 0,
            _ => i32::try_from(placement.stack_bytes).ok()?,
        };
        let return_address = placement.system(SystemParameter::ReturnAddress)?;
        Some(Contract {
            convention: convention.clone(),
            kept,
            results,
            return_address,
            stack_pointer,
            stack_bytes,
            room: None,
            dispatch: dispatch::registers(signature, placement),
            passed: None,
        })
    }

    /// The same for functions that are given some parameters of their signature, by number, and give back some.
    #[must_use]
    pub fn passing(
        self,
        (signature, placement): (&Signature, &Placement),
        given: &[usize],
        gives: &[usize],
    ) -> Contract {
        Contract { passed: Some(Passed::of(signature, placement, given, gives)), ..self }
    }

    /// What is sure of the call at a word that may come to any of some functions: what all of them keep.
    ///
    /// # Errors
    /// There are none, or they do not agree on how they are called.
    pub fn of_all(word: u32, all: &[Contract]) -> Result<Contract, Found> {
        let wrong = |message: &str| found(&CONTRACT, word, message.to_owned());
        let (first, others) =
            all.split_first().ok_or_else(|| wrong("there is no function that the call may come to"))?;
        let mut whole = first.clone();
        for other in others {
            let agrees = (other.return_address, other.stack_pointer, other.stack_bytes)
                == (whole.return_address, whole.stack_pointer, whole.stack_bytes)
                && other.convention == whole.convention
                && other.dispatch == whole.dispatch
                && other.passed == whole.passed;
            if !agrees {
                return Err(wrong("functions that the call may come to are called in different ways"));
            }
            for file in File::BOTH {
                let kept = whole.kept.of_mut(file).iter_mut().zip(other.kept.of(file));
                kept.for_each(|(own, other)| *own &= other);
                let results = whole.results.of_mut(file).iter_mut().zip(other.results.of(file));
                results.for_each(|(own, other)| *own |= other);
            }
        }
        Ok(whole)
    }

    /// The same for a function whose own part of the stack has so many bytes of a lane.
    #[must_use]
    pub fn with_room(self, bytes: u32) -> Contract {
        Contract { room: i32::try_from(bytes).ok(), ..self }
    }

    /// The same for functions that have no part of the stack, nor those that they call.
    #[must_use]
    pub fn without_stack(self) -> Contract {
        Contract { stack_pointer: None, ..self }
    }
}

/// What begins at a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// A function, which keeps the contract towards its callers.
    Function,
    /// A kernel, which has no caller.
    Kernel,
}

/// Everything in which a function that begins at a word breaks a contract or cannot be proven to keep it, in the order
/// of its words; nothing is a proof.
#[must_use]
pub fn contract(bytes: &[u8], entry: u32, role: Role, contract: &Contract, config: Config) -> Vec<Found> {
    contract_among(bytes, entry, role, contract, (Among::default(), config))
}

/// Contracts that are known beside that of the function at hand.
#[derive(Clone, Copy, Debug, Default)]
pub struct Among<'a> {
    /// Of functions, by their first words.
    pub functions: &'a [(u32, Contract)],
    /// Of all that a call through a pointer may come to, by the word of the call.
    pub sites: &'a [(u32, Contract)],
    /// Whether these are all: nothing else goes through a pointer.
    pub whole: bool,
}

/// The same where functions that begin at some words have contracts of their own, or calls at some.
#[must_use]
pub fn contract_among(
    bytes: &[u8],
    entry: u32,
    role: Role,
    contract: &Contract,
    known: (Among<'_>, Config),
) -> Vec<Found> {
    let mut all = proof(bytes, entry, role, contract, known);
    all.retain(|f| !f.is_assumed());
    all
}

/// The same with what it rests on: findings of the rule `assumed` name what no words show and what is taken to be so.
#[must_use]
pub fn proof(
    bytes: &[u8],
    entry: u32,
    role: Role,
    contract: &Contract,
    (among, config): (Among<'_>, Config),
) -> Vec<Found> {
    Words::of(bytes, config.wave).proof((entry, role), contract, among)
}

/// Words taken apart, of which several functions are proven.
pub struct Words {
    steps: Vec<Step>,
    wave: u8,
}

impl Words {
    /// Takes words apart.
    #[must_use]
    pub fn of(bytes: &[u8], wave: u8) -> Words {
        Words { steps: step::steps(bytes, isa(wave)), wave }
    }

    /// As [`proof`] of what begins at a word.
    #[must_use]
    pub fn proof(&self, (entry, role): (u32, Role), contract: &Contract, among: Among<'_>) -> Vec<Found> {
        let Words { steps, wave } = self;
        let Some(start) = at(steps, entry.into()) else {
            return vec![found(&UNPROVED, entry, "no instruction begins here".to_owned())];
        };
        let reached = flow::reached(steps, &[start]);
        let body: Vec<usize> = (0..steps.len()).filter(|n| reached[*n]).collect();
        let follow = |n: usize| next(steps, n).collect::<Vec<usize>>();
        let cells = |known: Beforehand| Cells::of(steps, &body, &follow, (*wave, known));
        let first = cells(Beforehand::default());
        let mut checker = Checker { steps, cells: first, entry, contract, among, role, wave: *wave };
        let mut before = checker.follow(start);
        let (moves, wanted) = (checker.moves(&body, &before), checker.comparisons(&before));
        let served = checker.served(&before);
        let beforehand = Beforehand { moves, wanted, served, ..Beforehand::default() };
        if !beforehand.moves.is_empty() || !beforehand.wanted.is_empty() || !beforehand.served.is_empty() {
            checker.cells = cells(beforehand.clone());
            before = checker.follow(start);
        }
        let mut found = checker.told(&body, &before);
        let given = checker.given_slots(&before);
        let known = Known { start, body: &body, before: &before, beforehand: &beforehand, given };
        found.extend(checker.losses(&known, &cells));
        found.extend(checker.masks_that_wait(&known, &cells));
        found.sort_by_key(|f| f.word);
        found
    }
}

/// A function while it is followed.
struct Checker<'a> {
    steps: &'a [Step],
    cells: Cells,
    /// The first word of the function.
    entry: u32,
    contract: &'a Contract,
    among: Among<'a>,
    role: Role,
    wave: u8,
}

/// Hardware registers with the begin of scratch.
const SCRATCH: [u32; 2] = [hardware::FLAT_SCR_LO, hardware::FLAT_SCR_HI];

/// Where breaches go: nowhere until everything has settled.
type Sink<'a> = Option<&'a mut Vec<Found>>;

/// A breach that is one for sure.
fn refute(sink: &mut Sink<'_>, step: &Step, message: String) {
    if let Some(all) = sink {
        all.push(found(&CONTRACT, step.word, message));
    }
}

/// Something that no words show and that is taken to be so, unless who reads this wants it shown.
fn assumed(sink: &mut Sink<'_>, step: &Step, message: String) {
    if let Some(all) = sink {
        all.push(found(&ASSUMED, step.word, message));
    }
}

/// Something that nobody has proven.
fn unproved(sink: &mut Sink<'_>, step: &Step, message: String) {
    if let Some(all) = sink {
        all.push(found(&UNPROVED, step.word, message));
    }
}

/// What is known in front of each step that is reached, from what is known at the first one.
fn settled<T: Clone + PartialEq>(
    (start, first): (usize, T),
    ways: impl Fn(usize, T) -> Vec<(usize, T)>,
    join: impl Fn(&T, &T, usize) -> T,
) -> BTreeMap<usize, T> {
    let mut before = BTreeMap::from([(start, first)]);
    let mut open = BTreeSet::from([start]);
    while let Some(n) = open.pop_first() {
        let Some(known) = before.get(&n) else { continue };
        for (to, after) in ways(n, known.clone()) {
            let joined = match before.get(&to) {
                None => after,
                Some(known) => join(known, &after, to),
            };
            if before.get(&to) != Some(&joined) {
                before.insert(to, joined);
                open.insert(to);
            }
        }
    }
    before
}

impl Checker<'_> {
    /// What is known in front of each step.
    fn follow(&self, start: usize) -> BTreeMap<usize, State> {
        let first = State::begin(self.begin(start), self.contract, self.role);
        let ways = |n: usize, mut state: State| {
            self.step(n, &mut state, &mut None);
            let step = &self.steps[n];
            let mut ways = self.ways(n, state, |state| state.masks.keep_zero(&self.cells, step));
            ways.iter_mut().for_each(|(to, state)| {
                self.answer(n, *to, state);
                self.not_none(n, *to, state);
            });
            ways
        };
        settled((start, first), ways, |state, other, n| state.join(other, self.steps[n].word))
    }

    /// The masks where the function begins.
    fn begin(&self, start: usize) -> masks::Masks {
        self.cells.begin(&self.steps[start], start, self.dispatch().is_some())
    }

    /// Calls through pointers of lanes, and the comparisons that have found which lanes hold them.
    fn comparisons(&self, before: &BTreeMap<usize, State>) -> Wanted {
        let calls = before.iter().map(|(n, state)| (&self.steps[*n], state));
        calls.filter_map(|(step, state)| Some((step.word, self.comparison(step, state)?))).collect()
    }

    /// Registers with masks in their lanes that go to the frame and come back.
    fn moves(&self, body: &[usize], before: &BTreeMap<usize, State>) -> Moves {
        let lanes = |n: &usize| {
            let step = &self.steps[*n];
            code::put(step)
                .map(|(register, ..)| register)
                .or(code::got(step).map(|(_, register, _)| register))
        };
        let registers: BTreeSet<u16> = body.iter().filter_map(lanes).collect();
        let holds = |one: &Move| one.register.is_some_and(|register| registers.contains(&register));
        self.moves_of(body, before, &|moves| moves.iter().any(holds))
    }

    /// Moves between registers and the frame, of those that are asked for; who stores anything else in a slot of theirs
    /// takes it away.
    fn moves_of(
        &self,
        body: &[usize],
        before: &BTreeMap<usize, State>,
        is_asked: &dyn Fn(&[Move]) -> bool,
    ) -> Moves {
        let steps = || body.iter().filter_map(|n| Some((&self.steps[*n], before.get(n)?)));
        let moves = steps().map(|(step, state)| (step.word, self.moved_lanes(step, state)));
        let mut all: Moves = moves.filter(|(_, moves)| is_asked(moves)).collect();
        let slots: BTreeSet<i32> = all.values().flatten().map(|one| one.slot).collect();
        for (step, state) in steps() {
            all.entry(step.word).or_insert_with(|| self.overwritten(step, state, &slots));
        }
        all.retain(|_, moves| !moves.is_empty());
        all
    }

    /// Everything that is wrong or not proven.
    fn told(&self, body: &[usize], before: &BTreeMap<usize, State>) -> Vec<Found> {
        let mut all = Vec::new();
        for n in body {
            if let Some(state) = before.get(n) {
                self.step(*n, &mut state.clone(), &mut Some(&mut all));
            }
        }
        all
    }

    /// Where execution goes on, and what is known there of what is known behind a step; on some ways masks are zero.
    fn ways<T: Clone>(&self, n: usize, known: T, keep_zero: impl Fn(&mut T)) -> Vec<(usize, T)> {
        let step = &self.steps[n];
        let is_zero = step.name.ends_with("execz") || step.name.ends_with("vccz");
        let tests = matches!(step.steer, Steer::Maybe(_)) && code::tested(step).is_some();
        let way = |to: usize| {
            let mut known = known.clone();
            if tests && self.jumps(n, to) == Some(is_zero) {
                keep_zero(&mut known);
            }
            (to, known)
        };
        next(self.steps, n).map(way).collect()
    }

    /// Whether a branch has been taken on the way to a step; a branch to what stands behind it anyway tells nothing.
    fn jumps(&self, n: usize, to: usize) -> Option<bool> {
        let step = &self.steps[n];
        let behind = at(self.steps, i64::from(step.word) + i64::from(step.length));
        let jumps = Some(to) != behind;
        (jumps || step::target(self.steps, n) != behind).then_some(jumps)
    }

    /// What an instruction does of which nothing is known here.
    fn unknown(&self, step: &Step) -> Option<&'static str> {
        let sets = step.name.starts_with("s_setreg").then_some(step.dword & 0x3f);
        let moves_scratch = sets.is_some_and(|register| SCRATCH.contains(&register));
        match step.name {
            _ if code::lane(step).is_some_and(|lane| lane >= u32::from(self.wave)) => {
                Some("names a lane that the wave does not have")
            }
            _ if moves_scratch && self.role == Role::Function => Some("moves the begin of scratch"),
            name if name.starts_with("s_subvector") => Some("runs halves of the wave by turns"),
            _ => None,
        }
    }

    /// What an instruction does.
    fn step(&self, n: usize, state: &mut State, sink: &mut Sink<'_>) {
        let step = &self.steps[n];
        if step.inst.is_none() {
            return unproved(sink, step, format!("word {:#010x} is no instruction", step.dword));
        }
        if let Some(what) = self.unknown(step) {
            return unproved(sink, step, format!("{} {what}", step.name));
        }
        self.reads(step, state, sink);
        match step.steer {
            Steer::Call => return self.call(n, state, sink),
            Steer::Leave => return self.leave(step, state, sink),
            _ => {}
        }
        if let Some(callee) = self.entered(step) {
            self.arguments(step, callee, state, sink);
        }
        self.counters(step, state);
        let reach = state.masks.reach(&self.cells);
        self.lose_returns(step, state);
        if let Some(access) = code::access(step).filter(|access| self.is_scratch(access)) {
            self.scratch(step, &access, reach, state, sink);
        } else if code::writes_memory(step) {
            self.shared(step, reach, sink);
        }
        self.bound(step, state);
        let carried = self.carried(step, state);
        self.scalars(step, state);
        state.carried = carried;
        let written = step.writes.iter().filter(|(in_file, _)| *in_file == file::SGPR);
        written.for_each(|(_, register)| state.unsure.write(*register));
        self.wanted(step, state);
        self.ask(step, state);
        self.ask_none(step, state);
        self.vectors(step, reach, state, sink);
        self.mode(step, state);
        state.masks.step(&self.cells, n);
    }
}
