//! Memory that the lanes of a group share: what one writes others read behind a barrier, and sums in which the order of
//! the lanes shows nowhere. Every lane comes to every barrier.

use super::{Generator, add_global};
use crate::id::{GlobalRef, Value};
use crate::module::Module;
use crate::op::{Combine, Op, Scope, Semantics};
use crate::ty::{Space, Ty, Type};

/// Lanes of a group: two waves of 32.
pub(super) const LANES: u32 = 64;
/// Places of sums.
const COUNTS: i32 = 8;
/// Elements of the output that belong to a lane.
const OWN: i32 = 4;
/// SPIR-V's number of the built-in.
const GROUP: u32 = 26;
/// What is before the barrier for all is so for what follows: memory of the group.
const ORDER: Semantics = Semantics(0x108);

/// Variables that all lanes of a group see.
pub(super) struct Shared {
    /// A word of each lane.
    cells: GlobalRef,
    counts: GlobalRef,
    /// The input that tells groups apart.
    group: GlobalRef,
}

/// Adds the variables.
pub(super) fn add(module: &mut Module, i32: Ty) -> Shared {
    let mut array = |name: &str, count: u32| {
        let ty = module.types.intern(Type::Array(i32, count, 0));
        let g = add_global(module, name, Space::Workgroup, ty, None);
        module.globals[g.0 as usize].init = None;
        g
    };
    let (cells, counts) = (array("cells", LANES), array("counts", COUNTS as u32));
    let vector = module.types.vector(i32, 3);
    let group = add_global(module, "group", Space::Input, vector, None);
    let global = &mut module.globals[group.0 as usize];
    (global.init, global.binding.builtin) = (None, Some(GROUP));
    Shared { cells, counts, group }
}

impl Generator<'_, '_> {
    /// The first element of the output that belongs to the lane.
    pub(super) fn own(&mut self, lane: Value) {
        let Some(shared) = &self.world.shared else { return };
        let group = self.b.global(shared.group);
        let groups = self.b.load(group);
        let group = self.b.extract(groups, 0);
        let (lanes, own) = (self.b.i32(LANES as i32), self.b.i32(OWN));
        let before = self.b.op(Op::IMul, &[group, lanes]);
        let n = self.b.iadd(before, lane);
        self.own = Some(self.b.op(Op::IMul, &[n, own]));
        self.local = Some(lane);
    }

    /// The number of an element of the output that no other lane writes.
    pub(super) fn own_index(&mut self, first: Value, index: Value) -> Value {
        let most = self.b.i32(OWN - 1);
        let index = self.b.and(index, most);
        self.b.iadd(first, index)
    }

    /// Sums that are nothing yet.
    pub(super) fn clear(&mut self) {
        let Some(lane) = self.local else { return };
        let zero = self.b.i32(0);
        let place = self.count(lane);
        self.b.store(place, zero);
        self.barrier();
    }

    /// What other lanes have written, and a sum.
    pub(super) fn meet(&mut self) {
        let Some(lane) = self.local else { return };
        let (own, value) = (self.cell(lane), self.value(self.world.i32));
        self.b.store(own, value);
        self.barrier();
        let away = self.b.i32(1 + self.rng.below(LANES as usize - 1) as i32);
        let other = self.b.iadd(lane, away);
        let other = self.cell(other);
        let number = self.value(self.world.i32);
        let count = self.count(number);
        let read = [other, count].map(|place| self.b.load(place));
        self.barrier();
        self.known.extend(read);
    }

    /// Adds to a sum, from anywhere.
    pub(super) fn add(&mut self) {
        let (number, value) = (self.value(self.world.i32), self.value(self.world.i32));
        let place = self.count(number);
        self.b.atomic(Combine::IAdd, Scope::Workgroup, Semantics(0), place, value);
    }

    fn barrier(&mut self) {
        self.b.op_void(Op::ControlBarrier(Scope::Workgroup, Scope::Workgroup, ORDER), &[]);
    }

    fn cell(&mut self, lane: Value) -> Value {
        let cells = self.world.shared.as_ref().map(|shared| shared.cells);
        self.within(cells, LANES as i32, lane)
    }

    fn count(&mut self, number: Value) -> Value {
        let counts = self.world.shared.as_ref().map(|shared| shared.counts);
        self.within(counts, COUNTS, number)
    }

    /// The place of an element of an array of so many, a power of two.
    fn within(&mut self, array: Option<GlobalRef>, count: i32, index: Value) -> Value {
        let array = self.b.global(array.unwrap_or(self.world.output));
        let most = self.b.i32(count - 1);
        let index = self.b.and(index, most);
        self.b.access(array, &[index])
    }
}
