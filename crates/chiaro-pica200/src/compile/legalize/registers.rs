//! Integer registers that an application fills by the name of a uniform.
//!
//! LOOP takes rounds less one, the start of aL and its step from an integer register (spec sections 3 and
//! 12). A uniform of four integers that says just that of loops is one, with no c register beside it:
//!
//! ```text
//! for (k = 0, at = n.y; k <= n.x; k++, at += n.z) ... u[at] ...
//! ```
//!
//! [`counted()`] says which loops are such, [`integer_registers`] of which uniforms nothing else is read.
//! Components are bytes, which nobody checks: so a loop runs at least once.

use chiaro_ir::{Def, Function, Inst, Module, Op, Step, Value, Walk};

use super::counters::{Counted, Rounds, added, counted, loops};
use super::parts::{is_four_integers, members, part};
use crate::abi::Place;
use crate::abi::touched::path;

/// Uniforms of which nothing but the counts of loops is read, in the order of those.
pub(crate) fn integer_registers(module: &Module, f: &Function) -> Vec<Place> {
    let mut found: Vec<Place> = Vec::new();
    let mut uses: Vec<(Inst, Value)> = Vec::new();
    for inst in loops(f) {
        let Some(counted) = counted(module, f, inst) else { continue };
        let Rounds::Register(bound) = counted.rounds else { continue };
        let Some((place, _)) = part(module, f, bound) else { continue };
        uses.extend(reads(f, inst, &counted));
        if !found.contains(&place) {
            found.push(place);
        }
    }
    if found.is_empty() {
        return found;
    }
    let others = others(module, f, &uses);
    found.retain(|place| !others.contains(place) && !is_hidden(module, f, place));
    found
}

/// Whether a uniform is read by a number that is computed, or with what is around it.
fn is_hidden(module: &Module, f: &Function, (g, place): &Place) -> bool {
    Walk::new(f).any(|step| {
        let Step::Inst(inst) = step else { return false };
        let &[pointer] = f.args(inst) else { return false };
        if f.op(inst) != Op::Load || module.variable_of(f, pointer) != Some(*g) {
            return false;
        }
        let components = f.result_of(inst).map_or(0, |v| module.types.components(f.ty(v)));
        let path = path(module, f, pointer);
        path == *place && components != 4 || path.len() < place.len() && place.starts_with(&path)
    })
}

/// What a loop reads of its register: instructions and the operands that are parts of it.
fn reads(f: &Function, inst: Inst, counted: &Counted) -> Vec<(Inst, Value)> {
    let Rounds::Register(bound) = counted.rounds else { return Vec::new() };
    let mut reads = Vec::new();
    if let Some(Def::Result(test, _)) = f.args(counted.test).first().map(|&v| f.def(v)) {
        reads.push((test, bound));
    }
    if let Some((index, (_, by))) =
        counted.index.and_then(|index| Some((index, added(f, inst, index, Op::IAdd)?)))
    {
        reads.extend(f.args(inst).get(index).map(|&start| (inst, start)));
        let next = f.blocks_of(inst).get(1).and_then(|&block| f.block(block).insts.last());
        if let Some(Def::Result(add, _)) =
            next.and_then(|&repeat| f.args(repeat).get(index)).map(|&v| f.def(v))
        {
            reads.push((add, by));
        }
    }
    reads
}

/// Uniforms of which an instruction that is not among `uses` reads a part, or the whole.
fn others(module: &Module, f: &Function, uses: &[(Inst, Value)]) -> Vec<Place> {
    let mut found = Vec::new();
    for inst in Walk::insts(f) {
        if matches!(f.op(inst), Op::FToS | Op::FToU | Op::SToF | Op::UToF | Op::Extract(_)) {
            continue;
        }
        for &v in f.args(inst).iter().filter(|&&v| !uses.contains(&(inst, v))) {
            found.extend(read(module, f, v));
        }
    }
    found
}

/// The uniform that a value is read from, a part or all of it.
fn read(module: &Module, f: &Function, value: Value) -> Option<Place> {
    if let Some((place, _)) = part(module, f, value) {
        return Some(place);
    }
    let mut value = value;
    loop {
        let Def::Result(inst, _) = f.def(value) else { return None };
        match (f.op(inst), f.args(inst)) {
            (Op::FToS | Op::FToU | Op::SToF | Op::UToF, &[inner]) => value = inner,
            (Op::Load, &[pointer]) => {
                return members(module, f, pointer).filter(|place| is_four_integers(module, place));
            }
            _ => return None,
        }
    }
}
