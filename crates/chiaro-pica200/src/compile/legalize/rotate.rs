//! Components of a vector that a loop comes by one after the other stand in x in turn.
//!
//! ```text
//!                                             %4 = load @ids
//! loop @1 (%p = 0) {                          loop @1 (%p = 0, %q = %4) {
//!   ... slt %p, 4 ...                           ... slt %p, 4 ...
//!   %2 = access @ids, %p                        %3 = extract.0 %q
//!   %3 = load %2                        ->      ...
//!   ...                                         continue %p, %q
//!   continue %p                               } continuing (%p1, %q1) {
//! } continuing (%p1) { repeat %p1 + 1 }         %5 = shuffle.1.2.3.0 %q1, %q1; repeat %p1 + 1, %5 }
//! ```
//!
//! A component at an index that is computed is a dot product with a mask, and a mask takes three words; a register is
//! turned by one. True before: what counts is an integer. No value changes: the loop ends before the vector does.

use chiaro_ir::{Def, Function, FunctionRef, Inst, Module, Op, Ty, Value};
use chiaro_opt::{Changed, Cx};

use super::chosen::is_movable;
use super::counters::{Counted, Rounds, continues, counted, extend, loops};
use super::either::insert_before;

/// Vectors that are turned in one loop: a mask serves any number of them.
const MOST: usize = 3;

/// Turns vectors round in loops that go through their components.
pub fn rotate(module: &mut Module, f: FunctionRef, cx: &mut Cx<'_>) -> Changed {
    let mut changed = false;
    for inst in loops(module.function(f)) {
        let function = module.function(f);
        let found = counted(module, function, inst).map(|counted| vectors(module, function, inst, counted));
        for vector in found.into_iter().flatten() {
            changed |= vector.put(module.function_mut(f), inst).is_some();
        }
    }
    if changed {
        // Pointers that nobody loads from would be uses of the counter.
        let _ = chiaro_opt::dce(module, f, cx);
    }
    changed.into()
}

/// A vector that a loop indexes by its counter.
struct Vector {
    /// The vector itself, or a pointer to it.
    source: Value,
    is_pointer: bool,
    ty: Ty,
    components: u8,
    /// The component that the first round asks for.
    start: u8,
    /// What gives components of it.
    reads: Vec<Inst>,
}

/// The vectors that a loop goes through from a component on, in steps of one; none where there are too many.
fn vectors(module: &Module, f: &Function, inst: Inst, counted: Counted) -> Vec<Vector> {
    let (Rounds::Known(rounds), 1, &[body, _]) = (counted.rounds, counted.step, f.blocks_of(inst)) else {
        return Vec::new();
    };
    let (mut blocks, mut insts) = (f.blocks_of(inst).to_vec(), Vec::new());
    let mut at = 0;
    while at < blocks.len() {
        for &inner in &f.block(blocks[at]).insts {
            insts.push(inner);
            blocks.extend(f.blocks_of(inner));
        }
        at += 1;
    }
    let is_outside = |v: Value| match f.def(v) {
        Def::Result(of, _) => !insts.contains(&of),
        Def::BlockParam(block, _) => !blocks.contains(&block),
        Def::Param(_) | Def::Constant(_) => true,
    };
    let counter = f.block(body).params[counted.param];
    let mut all: Vec<Vector> = Vec::new();
    for &read in &insts {
        let Some((source, is_pointer, ty)) = indexed(module, f, read, counter) else { continue };
        let components = module.types.components(ty);
        let is_within = u32::from(counted.start) + u32::from(rounds) <= u32::from(components);
        if !is_outside(source) || !is_within || !module.types.is_float(ty) {
            continue;
        }
        match all.iter_mut().find(|known| known.source == source) {
            Some(known) => known.reads.push(read),
            None => {
                let (start, reads) = (counted.start, vec![read]);
                all.push(Vector { source, is_pointer, ty, components, start, reads });
            }
        }
    }
    if all.len() > MOST { Vec::new() } else { all }
}

/// What an instruction takes the component from whose number is a value: a vector, or a pointer to one that nobody
/// writes; and the vector's type.
fn indexed(module: &Module, f: &Function, read: Inst, counter: Value) -> Option<(Value, bool, Ty)> {
    match (f.op(read), f.args(read)) {
        (Op::ExtractDyn, &[vector, index]) => (index == counter).then(|| (vector, false, f.ty(vector))),
        (Op::Load, &[pointer]) if is_movable(module, f, read) => {
            let Def::Result(access, _) = f.def(pointer) else { return None };
            let &[root, index] = f.args(access) else { return None };
            let (_, ty) = module.types.pointee(f.ty(root))?;
            let is_vector = f.op(access) == Op::Access && module.types.components(ty) > 1;
            (is_vector && index == counter).then_some((root, true, ty))
        }
        _ => None,
    }
}

impl Vector {
    /// Gives the loop a parameter that holds the vector, turned by one component a round.
    fn put(self, f: &mut Function, inst: Inst) -> Option<()> {
        let &[body, continuing] = f.blocks_of(inst) else { return None };
        let repeat = *f.block(continuing).insts.last().filter(|&&last| f.op(last) == Op::Repeat(inst))?;
        let mut before = Vec::new();
        let mut vector = self.source;
        if self.is_pointer {
            vector = self.made(f, &mut before, Op::Load, &[vector])?;
        }
        if self.start > 0 {
            vector = self.made(f, &mut before, self.turn(self.start), &[vector, vector])?;
        }
        insert_before(f, inst, &before);
        let (own, carried) = (f.add_param(body, self.ty), f.add_param(continuing, self.ty));
        let mut turned = Vec::new();
        let next = self.made(f, &mut turned, self.turn(1), &[carried, carried])?;
        f.block_mut(continuing).insts.splice(0..0, turned);
        extend(f, inst, vector);
        continues(f, inst).into_iter().for_each(|at| extend(f, at, own));
        extend(f, repeat, next);
        for read in self.reads {
            f.inst_mut(read).op = Op::Extract(0);
            f.set_args(read, &[own]);
        }
        Some(())
    }

    /// The components from a number on, and round to it.
    fn turn(&self, by: u8) -> Op {
        let from = |i: u8| if i < self.components { (i + by) % self.components } else { 255 };
        Op::Shuffle([0, 1, 2, 3].map(from))
    }

    fn made(&self, f: &mut Function, list: &mut Vec<Inst>, op: Op, args: &[Value]) -> Option<Value> {
        let inst = f.make(op, args, &[self.ty]);
        list.push(inst);
        f.result_of(inst)
    }
}
