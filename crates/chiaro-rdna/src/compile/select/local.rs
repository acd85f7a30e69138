//! Variables of a lane that are indexed at run time: in scratch, each lane its own (spec sections 8.4, 9.3).

use chiaro_ir as ir;
use chiaro_ir::{Path, Root, Space};
use chiaro_mach::{Block, Effects, Operand};

use super::Select;
use super::memory::{pieces, runs};
use super::part::Part;
use super::place::Place;
use crate::abi::layout::{self, Leaf};
use crate::compile::code::Modifiers;
use crate::isa::Op;
use crate::isa::scratch::Scratch;
use crate::isa::vop2::Vop2;

/// Bytes that a scratch instruction adds to an address at most.
const MOST_OFFSET: u32 = 0x7ff;

impl Select<'_> {
    /// Gives the variables that the function has or names a row of registers or a place in scratch, in bytes.
    pub(super) fn place_locals(&mut self) {
        self.place_rows();
        self.interface.scratch = self.ways.needs.front.next_multiple_of(16);
        for (root, ty) in self.variables() {
            if !self.rows.has(root) {
                let place = self.interface.scratch;
                self.locals.insert(root, place);
                let end = place.saturating_add(layout::size(self.module, ty, Space::Function));
                self.interface.scratch = end.next_multiple_of(16).max(place);
            }
        }
    }

    /// Stores what a variable holds at the start.
    pub(super) fn start_variable(&mut self, at: Block, inst: ir::Inst) -> Option<()> {
        let Some(&initial) = self.f.args(inst).first() else { return Some(()) };
        let (space, ty) = self.module.types.pointee(self.f.ty(self.f.result_of(inst)?))?;
        let path = Path::whole(Root::Var(inst), space);
        let leaves = layout::leaves(self.module, ty, space);
        let parts = self.value(initial);
        let words = self.words_of(at, &parts);
        self.store_local(at, &path, &leaves, &words)
    }

    /// The scalar and the vector part of an address, and what is added to the offset of each leaf of a piece.
    fn local_address(&mut self, at: Block, path: &Path, piece: &[Leaf]) -> Option<([Operand; 2], u32)> {
        let first = *self.locals.get(&path.root)?;
        let place: Place = self.place(at, path, &path.steps)?.further(first);
        let (address, offset) = self.piece_address(at, place, piece, MOST_OFFSET);
        let address = address.map(|part| self.in_vector(at, part));
        let nothing = Operand::imm(0);
        // A function's frame begins at its stack pointer.
        let both = match (self.stack_pointer(), address) {
            (Some(base), Some(address)) => {
                let def = self.new_vector(1);
                self.push(at, Op::Vop2(Vop2::AddNcU32), &[def], &[base, address], Modifiers::default());
                [nothing, def]
            }
            (base, address) => [base.unwrap_or(nothing), address.unwrap_or(nothing)],
        };
        Some((both, offset))
    }

    /// The words of a variable, or of a part of it.
    pub(super) fn load_local(&mut self, at: Block, path: &Path, leaves: &[Leaf]) -> Option<Vec<Part>> {
        if self.rows.has(path.root) {
            return self.load_row(at, path, leaves);
        }
        let mut words = Vec::new();
        for piece in pieces(leaves, MOST_OFFSET) {
            let (address, offset) = self.local_address(at, path, piece)?;
            for run in runs(piece, 4) {
                let op = Scratch::load(run.bits, run.words);
                let def = self.new_vector(run.words as u16);
                let number = Modifiers::number(offset.wrapping_add(run.first) as i32);
                let inst = self.push(at, Op::Scratch(op), &[def], &address, number);
                self.code.inst_mut(inst).effects.reads |= Effects::SCRATCH;
                words.extend(self.split(at, def));
            }
        }
        Some(words)
    }

    /// Stores words to a variable, or to a part of it.
    pub(super) fn store_local(
        &mut self,
        at: Block,
        path: &Path,
        leaves: &[Leaf],
        words: &[Part],
    ) -> Option<()> {
        if self.rows.has(path.root) {
            return self.store_row(at, path, leaves, words);
        }
        let mut rest = words;
        for piece in pieces(leaves, MOST_OFFSET) {
            let (address, offset) = self.local_address(at, path, piece)?;
            for run in runs(piece, 4) {
                let (here, others) = rest.split_at((run.words as usize).min(rest.len()));
                rest = others;
                let op = Scratch::store(run.bits, run.words);
                let data = self.collect(at, here);
                let uses = [address[0], address[1], data];
                let number = Modifiers::number(offset.wrapping_add(run.first) as i32);
                let inst = self.push(at, Op::Scratch(op), &[], &uses, number);
                self.code.inst_mut(inst).effects.writes |= Effects::SCRATCH;
            }
        }
        Some(())
    }
}
