//! A main part with the prolog and the epilog of its keys, compiled as one piece: what linked programs are compared
//! with.
//!
//! The pieces are selected one behind the other into the same blocks. What one would leave in registers for the next
//! is handed over as it is; only what the hardware has at the start of a program stands where it always does.

use chiaro_ir::{GlobalRef, Space};
use chiaro_mach::{Block, Operand};
use rustc_hash::FxHashMap as HashMap;

use super::Select;
use super::held::Bound;
use super::part::Part;
use super::place::{Cell, cells};
use crate::compile::code::table::COPY;
use crate::compile::code::{GPR, Modifiers};
use crate::isa::Op;
use crate::isa::integer::Integer;

/// The half with the mask of samples that are shaded (spec 14.3).
const SAMPLES: u16 = 2;

impl<'a> Select<'a> {
    /// Takes over what another piece has made; what it left.
    pub(super) fn continue_from(&mut self, mut before: Select<'_>) -> HashMap<u16, Part> {
        self.code = before.code;
        (self.moved, self.collected, self.in_run) = (before.moved, before.collected, before.in_run);
        (self.products, self.addresses, self.taken) = (before.products, before.addresses, before.taken);
        (self.pool, self.uniforms, self.members) = (before.pool, before.uniforms, before.members);
        (self.next_uniform, self.heap, self.states) = (before.next_uniform, before.heap, before.states);
        (self.stack_bytes, self.shared_bytes) = (before.stack_bytes, before.shared_bytes);
        (self.coefficients, self.held_words) = (before.coefficients, before.held_words);
        (self.link, self.interface) = (before.link, before.interface);
        (self.preloaded, self.start, self.fenced) = (before.preloaded, before.start, before.fenced);
        std::mem::take(&mut before.among.given)
    }

    /// Inputs of a piece are what the one before has left.
    pub(super) fn take_left(&mut self, at: Block, g: GlobalRef, first: u16, cells: &[Cell]) {
        let mut half = first;
        for &(byte, bytes) in cells {
            let size = u16::from(bytes).div_ceil(2);
            let part = self.left(at, half, size);
            self.inputs.insert((g, byte), part);
            half += size;
        }
    }

    /// So many halves from one on.
    fn left(&mut self, at: Block, half: u16, size: u16) -> Part {
        if half == SAMPLES {
            let copy = Modifiers { table: COPY, ..Modifiers::default() };
            let uses = [Operand::reg(GPR, SAMPLES, 1), Operand::imm(0)];
            return self.make(at, Op::Integer(Integer::Bitop), 1, &uses, copy);
        }
        let of_word = |s: &mut Self, first: u16, n: u16| {
            let word = *s.among.given.get(&first)?;
            (word.size > size).then(|| s.in_register(at, word).halves(n, size)).flatten()
        };
        match self.among.given.get(&half) {
            Some(&part) if part.size == size => part,
            Some(_) => of_word(self, half, 0).unwrap_or(Part::undef(size)),
            None => of_word(self, half.wrapping_sub(1), 1).unwrap_or(Part::undef(size)),
        }
    }

    /// Outputs of a piece are handed over. The mask of samples stays where it is.
    pub(super) fn hand_over(&mut self) -> Vec<Operand> {
        let mut uses = Vec::new();
        for g in self.used(Space::Output) {
            let Some(Bound::Register(first)) = self.standing(g) else { continue };
            if first == SAMPLES {
                uses.push(Operand::reg(GPR, SAMPLES, 1));
                continue;
            }
            let mut half = first;
            for (byte, bytes) in cells(self.module, self.module.global(g).ty) {
                if let Some(&part) = self.stored.get(&(g, byte)) {
                    self.among.given.insert(half, part);
                }
                half += u16::from(bytes).div_ceil(2);
            }
        }
        uses
    }
}
