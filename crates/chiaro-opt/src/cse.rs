//! Common subexpression elimination, over constructs as over a dominator tree.
//!
//! ```text
//! %2 = fadd %0, %1                      %2 = fadd %0, %1
//! if %c {                               if %c {
//!   %3 = fadd %1, %0             ->       (what took %3 takes %2)
//! ```
//!
//! True before: nothing. True after: no operation without effects, and no load from memory that
//! is only read, stands where the same with the same operands is known already. The one that
//! stays is `exact` if either was, and `relaxed` if both were. Derivatives are merged only where
//! nothing lies between that could change which lanes run: never over a construct.

use crate::forward_stores::is_constant_space;
use crate::rewrite::lend;
use crate::{Changed, Cx};
use chiaro_ir::{
    Constant, ConstantKind, Def, Draft, Effect, Forward, Function, FunctionRef, Inst, Module, Op, Step, Tour,
    Value,
};
use std::hash::{Hash, Hasher};

/// Merges common subexpressions.
pub fn cse(module: &mut Module, f: FunctionRef, _: &mut Cx<'_>) -> Changed {
    lend(module, f, |module, f| {
        let mut merger = Merger {
            module,
            table: Table::new(f.inst_count()),
            since: 0,
            forward: Forward::new(),
            draft: Draft::new(),
            changed: false,
        };
        merger.run(f);
        merger.changed.into()
    })
}

struct Merger<'a> {
    module: &'a Module,
    table: Table,
    /// How many entries the table had when lanes last may have come or gone: derivatives beyond
    /// are computed by the same lanes.
    since: usize,
    forward: Forward,
    draft: Draft,
    changed: bool,
}

impl Merger<'_> {
    fn run(&mut self, f: &mut Function) {
        let (mut tour, mut marks) = (Tour::new(), Vec::new());
        while let Some(step) = tour.step(f) {
            match step {
                Step::Open(_, _, block) => {
                    self.draft.open(f, block);
                    marks.push(self.table.len());
                    self.since = self.table.len();
                }
                Step::Inst(inst) => self.inst(f, inst),
                Step::Close(_, _, block) => {
                    self.draft.close(f, block);
                    self.table.truncate(marks.pop().unwrap_or(0));
                }
                Step::Leave(_) => self.since = self.table.len(),
                _ => {}
            }
        }
    }

    fn inst(&mut self, f: &mut Function, inst: Inst) {
        self.changed |= self.forward.apply_to(f, inst);
        let op = f.op(inst);
        if matches!(op, Op::Demote) || op.effect() == Effect::Barrier {
            self.since = self.table.len();
        }
        let from = match op.effect() {
            Effect::Pure => 0,
            Effect::Read if self.is_constant(f, inst) => 0,
            Effect::Convergent if is_derivative(op) => self.since,
            _ => return self.draft.push(inst),
        };
        let Some(result) = f.result_of(inst) else { return self.draft.push(inst) };
        let hash = hash(f, inst);
        match self.table.find(f, hash, inst, from) {
            Some(known) => {
                merge_flags(f, known, inst);
                let stays = f.result_of(known).unwrap_or(result);
                self.forward.set(result, stays);
                self.changed = true;
            }
            None => {
                self.table.insert(hash, inst);
                self.draft.push(inst);
            }
        }
    }

    /// Whether what is read is the same whenever it is read.
    fn is_constant(&self, f: &Function, inst: Inst) -> bool {
        if f.inst(inst).flags.volatile {
            return false;
        }
        let place = f.args(inst).first().copied();
        match f.op(inst) {
            Op::Load => place.is_some_and(|place| is_read_only(self.module, f, place)),
            Op::ArrayLength(_) => true,
            Op::Fetch | Op::ImageQuery(_) => true,
            _ => false,
        }
    }
}

/// Whether nothing writes to a place while the shader runs.
fn is_read_only(module: &Module, f: &Function, place: Value) -> bool {
    let Some((space, _)) = module.types.pointee(f.ty(place)) else { return false };
    if is_constant_space(space) {
        return true;
    }
    let mut root = place;
    while let Def::Result(inst, _) = f.def(root)
        && f.op(inst) == Op::Access
    {
        root = f.args(inst)[0];
    }
    let Def::Constant(c) = f.def(root) else { return false };
    is_read_only_global(module, c)
}

fn is_read_only_global(module: &Module, c: Constant) -> bool {
    match *module.constants.get(c) {
        ConstantKind::Global(g) => module.global(g).read_only && !module.global(g).coherent,
        _ => false,
    }
}

fn is_derivative(op: Op) -> bool {
    matches!(op, Op::Ddx | Op::Ddy | Op::DdxFine | Op::DdyFine | Op::DdxCoarse | Op::DdyCoarse)
}

/// Whether two operands may change places.
fn is_commutative(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        FAdd | FMul
            | FDot
            | FEq
            | FNe
            | IAdd
            | IMul
            | UMulHigh
            | SMulHigh
            | UMin
            | UMax
            | SMin
            | SMax
            | And
            | Or
            | Xor
            | IEq
            | INe
            | UAddCarry
    )
}

/// What stays has to serve for both.
fn merge_flags(f: &mut Function, stays: Inst, goes: Inst) {
    let other = f.inst(goes).flags;
    let flags = &mut f.inst_mut(stays).flags;
    flags.exact |= other.exact;
    flags.relaxed &= other.relaxed;
    flags.nonuniform |= other.nonuniform;
}

/// The operands in an order that does not depend on how they were written.
fn operands(f: &Function, inst: Inst) -> ([Value; 2], &[Value]) {
    match *f.args(inst) {
        [a, b] if is_commutative(f.op(inst)) => ([a.min(b), a.max(b)], &[]),
        ref args => ([Value(0); 2], args),
    }
}

fn result_type(f: &Function, inst: Inst) -> Option<chiaro_ir::Ty> {
    f.result_of(inst).map(|value| f.ty(value))
}

fn hash(f: &Function, inst: Inst) -> u32 {
    let mut hasher = Mix(0);
    f.op(inst).hash(&mut hasher);
    operands(f, inst).hash(&mut hasher);
    result_type(f, inst).hash(&mut hasher);
    (hasher.finish() >> 32) as u32
}

fn same(f: &Function, a: Inst, b: Inst) -> bool {
    f.op(a) == f.op(b) && operands(f, a) == operands(f, b) && result_type(f, a) == result_type(f, b)
}

/// A hasher for a few words: multiplies and turns. Nothing depends on its order.
struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(byte.into()));
    }
    fn write_u8(&mut self, n: u8) {
        self.write_u64(n.into());
    }
    fn write_u32(&mut self, n: u32) {
        self.write_u64(n.into());
    }
    fn write_usize(&mut self, n: usize) {
        self.write_u64(n as u64);
    }
    fn write_isize(&mut self, n: isize) {
        self.write_u64(n as u64);
    }
    fn write_u64(&mut self, n: u64) {
        self.0 = (self.0.rotate_left(5) ^ n).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

/// Instructions by hash, in the order in which they came; those of a closed block are taken
/// off the end.
struct Table {
    /// By the lowest bits of the hash: the last entry that has them, plus one.
    heads: Vec<u32>,
    entries: Vec<Entry>,
}

struct Entry {
    inst: Inst,
    hash: u32,
    /// The entry before with the same head, plus one.
    next: u32,
}

impl Table {
    fn new(size: usize) -> Table {
        Table { heads: vec![0; size.next_power_of_two().max(16)], entries: Vec::new() }
    }

    fn len(&self) -> usize {
        self.entries.len()
    }

    fn slot(&self, hash: u32) -> usize {
        hash as usize & (self.heads.len() - 1)
    }

    /// The same instruction among the entries from a number on.
    fn find(&self, f: &Function, hash: u32, inst: Inst, from: usize) -> Option<Inst> {
        let mut at = self.heads[self.slot(hash)];
        while at as usize > from {
            let entry = &self.entries[at as usize - 1];
            if entry.hash == hash && same(f, entry.inst, inst) {
                return Some(entry.inst);
            }
            at = entry.next;
        }
        None
    }

    fn insert(&mut self, hash: u32, inst: Inst) {
        let slot = self.slot(hash);
        let next = std::mem::replace(&mut self.heads[slot], self.entries.len() as u32 + 1);
        self.entries.push(Entry { inst, hash, next });
    }

    fn truncate(&mut self, len: usize) {
        while self.entries.len() > len
            && let Some(entry) = self.entries.pop()
        {
            let slot = self.slot(entry.hash);
            self.heads[slot] = entry.next;
        }
    }
}
