//! What lies in memory: local variables that are indexed at run time, in each fiber's own, and
//! uniform blocks that the constant file has no room for.
//!
//! Loads and stores take up to four registers. A fiber sees its own stores in their order.

use chiaro_ir as ir;
use chiaro_ir::{Op as Ir, Path, Root, Ty, Walk};
use chiaro_mach::{Block, Operand, What};

use super::Select;
use super::part::{From, Part};
use super::place::Place;
use crate::abi::constants::{Layout, scalars, size};
use crate::compile::code::{FULL, Modifiers, operation, types};
use crate::isa::Op;

/// Bytes of a component.
pub(super) const BYTES: u32 = 4;
/// Largest offset that an instruction adds to its address; the encoding has a sign.
const MOST_OFFSET: u32 = (1 << 12) - 1;
/// Registers that an instruction moves at most.
const MOST_PARTS: usize = 4;

impl Select<'_> {
    /// Gives variables of the function that are left a place in private memory, in bytes.
    pub(super) fn place_variables(&mut self) {
        for inst in Walk::insts(self.f) {
            let root = Root::Var(inst);
            let (Ir::Var(_), Some(pointer)) = (self.f.op(inst), self.f.result_of(inst)) else { continue };
            let ty = self.module.types.pointee(self.f.ty(pointer)).map(|(_, ty)| ty);
            let room = ty.and_then(|ty| size(self.module, ty, Layout::Rows));
            if let (Some(room), false) = (room, self.tables.contains_key(&root)) {
                self.variables.insert(root, self.private_bytes);
                self.private_bytes = self.private_bytes.saturating_add(room * BYTES);
            }
        }
    }

    /// Stores what a variable holds at the start.
    pub(super) fn start_variable(&mut self, at: Block, inst: ir::Inst) -> Option<()> {
        let (Some(&first), Some(&initial)) =
            (self.variables.get(&Root::Var(inst)), self.f.args(inst).first())
        else {
            return Some(());
        };
        let parts = self.value(initial);
        let places = scalars(self.module, self.f.ty(initial), Layout::Rows);
        self.store_words(at, Op::Stp, first, Place { offset: 0, index: None }, (&places, &parts));
        Some(())
    }

    /// The scalars of a variable, or of a part of it.
    pub(super) fn load_variable(&mut self, at: Block, path: &Path, ty: Ty) -> Option<Vec<Part>> {
        let first = *self.variables.get(&path.root)?;
        let place = self.place(at, path, Layout::Rows)?;
        let places = scalars(self.module, ty, Layout::Rows);
        let (address, base) = self.address_of(at, Part::number(0), first, place, &places);
        Some(self.load_words(at, Op::Ldp, address, base, &places))
    }

    /// Stores to a variable, or to a part of it.
    pub(super) fn store_variable(&mut self, at: Block, path: &Path, ty: Ty, parts: &[Part]) -> Option<()> {
        let first = *self.variables.get(&path.root)?;
        let place = self.place(at, path, Layout::Rows)?;
        let places = scalars(self.module, ty, Layout::Rows);
        self.store_words(at, Op::Stp, first, place, (&places, parts));
        Some(())
    }

    /// The scalars of a uniform block in memory; its address is a constant.
    pub(super) fn load_block(&mut self, at: Block, pointer: u16, place: Place, ty: Ty) -> Vec<Part> {
        let places = scalars(self.module, ty, Layout::Bytes);
        let base = Part::new(From::Constant(pointer));
        let (address, base) = self.address_of(at, base, 0, place, &places);
        self.load_words(at, Op::Ldg, address, base, &places)
    }

    /// An address in a register, and what instructions add to it, in bytes.
    pub(super) fn address_of(
        &mut self,
        at: Block,
        start: Part,
        first: u32,
        place: Place,
        places: &[u32],
    ) -> (Operand, u32) {
        let mut base = first + place.offset * BYTES;
        let mut address = start;
        if let Some(index) = place.index {
            let bytes = self.shifted(at, index, BYTES.trailing_zeros());
            address = self.sum(at, address, bytes);
        }
        if base + places.last().unwrap_or(&0) * BYTES > MOST_OFFSET {
            address = self.sum(at, address, Part::number(base));
            base = 0;
        }
        (self.register(at, address), base)
    }

    /// A scalar shifted up; a shift of a shift is one.
    pub(super) fn shifted(&mut self, at: Block, part: Part, by: u32) -> Part {
        let made = self.maker(at, part).filter(|&inst| operation(&self.code, inst) == Some(Op::ShlB));
        if let Some(&[from, Operand { what: What::Imm(before), .. }]) = made.map(|inst| self.code.uses(inst))
            && let (Some(value), true) = (from.value(), before + u64::from(by) < 32)
        {
            return self.address_step(
                at,
                Op::ShlB,
                Part::new(From::Value(value)),
                Part::number(before as u32 + by),
            );
        }
        self.address_step(at, Op::ShlB, part, Part::number(by))
    }

    pub(super) fn sum(&mut self, at: Block, a: Part, b: Part) -> Part {
        if a.bits() == Some(0) { b } else { self.address_step(at, Op::AddU, a, b) }
    }

    /// Scalars behind an address, in words.
    pub(super) fn load_words(
        &mut self,
        at: Block,
        op: Op,
        address: Operand,
        base: u32,
        places: &[u32],
    ) -> Vec<Part> {
        self.load_runs(at, op, places, |_, first| (vec![address], words_at(base + first * BYTES)))
    }

    /// Stores scalars to a place that begins at so many bytes.
    pub(super) fn store_words(
        &mut self,
        at: Block,
        op: Op,
        first: u32,
        place: Place,
        (places, parts): (&[u32], &[Part]),
    ) {
        let (address, base) = self.address_of(at, Part::number(0), first, place, places);
        let address_of = |_: &mut Self, first: u32| (vec![address], words_at(base + first * BYTES));
        self.store_runs(at, op, (places, parts), address_of);
    }

    /// Runs of scalars, each by one instruction; `address` says where a place is, and how it is reached.
    pub(super) fn load_runs(
        &mut self,
        at: Block,
        op: Op,
        places: &[u32],
        mut address: impl FnMut(&mut Self, u32) -> (Vec<Operand>, Modifiers),
    ) -> Vec<Part> {
        let mut parts = Vec::with_capacity(places.len());
        for run in runs(places) {
            let (uses, modifiers) = address(self, run[0]);
            let value = self.code.value(FULL, run.len() as u16, 1);
            let def = self.code.operand(value);
            self.push(at, op, &[def], &uses, modifiers);
            match run.len() {
                1 => parts.push(Part::new(From::Value(value))),
                _ => parts.extend(self.split(at, def)),
            }
        }
        parts
    }

    /// The same for stores. What nobody has written is not stored.
    pub(super) fn store_runs(
        &mut self,
        at: Block,
        op: Op,
        (places, parts): (&[u32], &[Part]),
        mut address: impl FnMut(&mut Self, u32) -> (Vec<Operand>, Modifiers),
    ) {
        let mut rest = parts;
        for run in runs(places) {
            let (here, others) = rest.split_at(run.len().min(rest.len()));
            rest = others;
            if here.is_empty() || here.iter().all(|part| part.from == From::Undef) {
                continue;
            }
            let (mut uses, modifiers) = address(self, run[0]);
            uses.push(self.collect(at, here));
            // Stores to buffers name the data first, then words and bytes.
            if op == Op::Stgb {
                uses.reverse();
            }
            self.push(at, op, &[], &uses, modifiers);
        }
    }
}

/// Words at an offset.
pub(super) fn words_at(offset: u32) -> Modifiers {
    Modifiers { types: (types::U32, types::U32), offset: offset as u16, ..Modifiers::default() }
}

/// Places one after another, at most as many as an instruction moves.
fn runs(places: &[u32]) -> impl Iterator<Item = &[u32]> {
    places.chunk_by(|a, b| a + 1 == *b).flat_map(|run| run.chunks(MOST_PARTS))
}
