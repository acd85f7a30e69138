//! Store-to-load forwarding: uses the value that a place is known to hold instead of loading it,
//! and drops dead stores.
//!
//! ```text
//! store %p, %0        ->    store %p, %1      the first is overwritten
//! store %p, %1
//! %2 = load %p              (what took %2 takes %1)
//! ```
//!
//! True before: nothing; after `cse` equal places are equal values. True after: no load
//! follows a load or a store of the same place within the same block or one around it, if nothing
//! between may write there; no store is followed in its block by another one of the same place
//! before anything may read it; none stores what the place holds. A store is taken by a load only
//! where its place is certainly within bounds.
//!
//! Two storage buffers may be one memory; variables of the function and of the invocation are
//! their own. Barriers and atomics order memory that others see, calls may do anything but to
//! variables whose address stays in the function. Volatile accesses and coherent variables are
//! left alone.

mod overwritten;
mod place;

use crate::rewrite::lend;
use crate::{Changed, Cx};
use chiaro_ir::{Draft, Effect, Forward, Function, FunctionRef, Inst, Module, Op, Step, Tour, Value, Walk};
pub(crate) use place::is_constant_space;
use place::{Class, Place, Places};

/// Forwards stores and loads to loads, and removes stores that are not seen.
pub fn forward_stores(module: &mut Module, f: FunctionRef, _: &mut Cx<'_>) -> Changed {
    lend(module, f, |module, f| {
        if !touches_memory(f) {
            return Changed::No;
        }
        let places = Places::find(module, f);
        let writes = writes(module, f, &places);
        let mut pass = Memory {
            module,
            heads: vec![0; f.value_count() + 1],
            places,
            writes,
            facts: Vec::new(),
            killed: Vec::new(),
            floors: [0; Class::COUNT],
            scopes: Vec::new(),
            forward: Forward::new(),
            draft: Draft::new(),
            changed: false,
        };
        pass.run(f);
        pass.changed.into()
    })
}

fn touches_memory(f: &Function) -> bool {
    Walk::new(f).any(|step| matches!(step, Step::Inst(inst) if matches!(f.op(inst), Op::Load | Op::Store)))
}

/// What a construct may write.
#[derive(Clone, Debug, Default)]
struct Writes {
    /// Memories, by the number of their list of facts.
    keys: Vec<u32>,
    /// All memories of a class.
    all: [bool; Class::COUNT],
}

impl Writes {
    fn add(&mut self, other: &Writes) {
        self.keys.extend_from_slice(&other.keys);
        self.keys.sort_unstable();
        self.keys.dedup();
        for (all, other) in self.all.iter_mut().zip(other.all) {
            *all |= other;
        }
    }

    /// What one instruction writes.
    fn note(&mut self, module: &Module, f: &Function, places: &Places, inst: Inst) {
        if let Some(pointer) = written(f, inst) {
            match places.key(module, f, pointer) {
                Some(key) => self.keys.push(key),
                None => self.all = [true; Class::COUNT],
            }
        }
        for class in ordered(f, inst) {
            self.all[*class as usize] = true;
        }
    }
}

/// The pointer through which an instruction writes, and nothing else.
fn written(f: &Function, inst: Inst) -> Option<Value> {
    match f.op(inst) {
        Op::Store | Op::Copy => f.args(inst).first().copied(),
        Op::Var(_) => f.result_of(inst),
        _ => None,
    }
}

/// Memories of which nothing is known any more behind an instruction.
fn ordered(f: &Function, inst: Inst) -> &'static [Class] {
    let op = f.op(inst);
    match op {
        Op::Store | Op::Copy | Op::Var(_) => &[],
        Op::ControlBarrier(..) | Op::MemoryBarrier(..) => &[Class::Shared],
        Op::Atomic(..)
        | Op::AtomicCompare(..)
        | Op::AtomicLoad(..)
        | Op::AtomicStore(..)
        | Op::ImageWrite => &[Class::Shared],
        _ => match op.effect() {
            Effect::Write | Effect::Barrier => &[Class::Known, Class::Shared],
            _ => &[],
        },
    }
}

/// By construct: what is written within.
fn writes(module: &Module, f: &Function, places: &Places) -> Vec<Option<Box<Writes>>> {
    if f.is_straight() {
        return Vec::new();
    }
    let mut all: Vec<Option<Box<Writes>>> = vec![None; f.inst_count()];
    let mut open = vec![Writes::default()];
    for step in Walk::new(f) {
        match step {
            Step::Open(Some(_), 0, _) => open.push(Writes::default()),
            Step::Inst(inst) => {
                if let Some(writes) = open.last_mut() {
                    writes.note(module, f, places, inst);
                }
            }
            Step::Leave(inst) => {
                let Some(mut done) = open.pop() else { continue };
                done.keys.sort_unstable();
                done.keys.dedup();
                open.last_mut().into_iter().for_each(|around| around.add(&done));
                all[inst.0 as usize] = Some(Box::new(done));
            }
            _ => {}
        }
    }
    all
}

/// A place holds a value.
struct Fact {
    place: Place,
    value: Value,
    key: u32,
    /// The fact before of the same key, plus one.
    next: u32,
    dead: bool,
}

/// What an open block has to restore at its end.
struct Scope {
    facts: usize,
    killed: usize,
    floors: [usize; Class::COUNT],
}

/// More facts of one memory than this are not looked at.
const WINDOW: usize = 64;

struct Memory<'a> {
    module: &'a Module,
    places: Places,
    writes: Vec<Option<Box<Writes>>>,
    /// All facts; those of a closed block are taken off the end.
    facts: Vec<Fact>,
    /// By key: the last fact, plus one.
    heads: Vec<u32>,
    /// Facts that died, in the order in which they did.
    killed: Vec<u32>,
    /// By class: facts below this number are dead.
    floors: [usize; Class::COUNT],
    scopes: Vec<Scope>,
    forward: Forward,
    draft: Draft,
    changed: bool,
}

impl Memory<'_> {
    fn run(&mut self, f: &mut Function) {
        let mut tour = Tour::new();
        while let Some(step) = tour.step(f) {
            match step {
                Step::Open(_, _, block) => {
                    self.draft.open(f, block);
                    let (facts, killed) = (self.facts.len(), self.killed.len());
                    self.scopes.push(Scope { facts, killed, floors: self.floors });
                }
                Step::Inst(inst) => {
                    self.changed |= self.forward.apply_to(f, inst);
                    if f.op(inst) == Op::Loop {
                        self.kill_written(inst);
                    }
                    if self.stays(f, inst) {
                        self.draft.push(inst);
                    } else {
                        self.changed = true;
                    }
                }
                Step::Close(_, _, block) => {
                    self.close();
                    if let Some(list) = self.draft.list() {
                        self.changed |= overwritten::remove(self.module, f, &self.places, list);
                    }
                    self.draft.close(f, block);
                }
                Step::Leave(inst) => self.kill_written(inst),
                _ => {}
            }
        }
    }

    /// Back to what was known where the block began.
    fn close(&mut self) {
        let Some(scope) = self.scopes.pop() else { return };
        for &fact in &self.killed[scope.killed..] {
            self.facts[fact as usize].dead = false;
        }
        self.killed.truncate(scope.killed);
        while self.facts.len() > scope.facts
            && let Some(fact) = self.facts.pop()
        {
            self.heads[fact.key as usize] = fact.next;
        }
        self.floors = scope.floors;
    }

    fn kill_written(&mut self, construct: Inst) {
        let Some(writes) = self.writes.get_mut(construct.0 as usize).and_then(Option::take) else { return };
        for &key in &writes.keys {
            self.kill(key, |_| true);
        }
        self.kill_classes(&writes.all);
        self.writes[construct.0 as usize] = Some(writes);
    }

    fn kill_classes(&mut self, all: &[bool; Class::COUNT]) {
        for (floor, _) in self.floors.iter_mut().zip(all).filter(|(_, all)| **all) {
            *floor = self.facts.len();
        }
    }

    /// Ends facts of one memory.
    fn kill(&mut self, key: u32, mut touches: impl FnMut(&Place) -> bool) {
        let mut at = self.heads[key as usize];
        for _ in 0..WINDOW {
            let Some(fact) = at.checked_sub(1).map(|i| &mut self.facts[i as usize]) else { return };
            if !fact.dead && touches(&fact.place) {
                fact.dead = true;
                self.killed.push(at - 1);
            }
            at = fact.next;
        }
    }

    fn learn(&mut self, place: Place, value: Value) {
        let key = place.key;
        let next = std::mem::replace(&mut self.heads[key as usize], self.facts.len() as u32 + 1);
        self.facts.push(Fact { place, value, key, next, dead: false });
    }

    /// What a place is known to hold.
    fn known(&self, place: &Place) -> Option<Value> {
        let mut at = self.heads[place.key as usize];
        for _ in 0..WINDOW {
            let fact = &self.facts[at.checked_sub(1)? as usize];
            if (at as usize) <= self.floors[place.class as usize] {
                return None;
            }
            if !fact.dead && fact.place.is_same(place) {
                return Some(fact.value);
            }
            at = fact.next;
        }
        None
    }

    /// Whether an instruction stays in its block.
    fn stays(&mut self, f: &mut Function, inst: Inst) -> bool {
        let op = f.op(inst);
        if f.inst(inst).flags.volatile {
            if let Some(pointer) = written(f, inst) {
                self.write(f, pointer);
            }
            return true;
        }
        match op {
            Op::Load => return self.load(f, inst),
            Op::Store => return self.store(f, inst),
            Op::Copy | Op::Var(_) => {
                if let Some(pointer) = written(f, inst) {
                    self.write(f, pointer);
                }
            }
            _ => {
                for &class in ordered(f, inst) {
                    self.floors[class as usize] = self.facts.len();
                }
            }
        }
        true
    }

    /// Something unknown is written.
    fn write(&mut self, f: &Function, pointer: Value) {
        match self.places.of(self.module, f, pointer) {
            Some(place) => self.kill(place.key, |other| other.touches(&place)),
            None => self.kill_classes(&[true; Class::COUNT]),
        }
    }

    fn load(&mut self, f: &Function, inst: Inst) -> bool {
        let (pointer, Some(result)) = (f.args(inst)[0], f.result_of(inst)) else { return true };
        let Some(place) = self.places.of(self.module, f, pointer).filter(|place| place.may_be_kept) else {
            return true;
        };
        match self.known(&place) {
            Some(value) if f.ty(value) == f.ty(result) => {
                self.forward.set(result, value);
                false
            }
            _ => {
                self.learn(place, result);
                true
            }
        }
    }

    fn store(&mut self, f: &Function, inst: Inst) -> bool {
        let (pointer, value) = (f.args(inst)[0], f.args(inst)[1]);
        let Some(place) = self.places.of(self.module, f, pointer) else {
            self.kill_classes(&[true; Class::COUNT]);
            return true;
        };
        if place.may_be_kept && self.known(&place) == Some(value) {
            return false;
        }
        self.kill(place.key, |other| other.touches(&place));
        if place.may_be_kept && place.is_inside {
            self.learn(place, value);
        }
        true
    }
}
