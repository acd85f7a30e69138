//! Buffers of texels: by the number of a texel, in the format that the descriptor says (spec sections 8.3, 9.1).
//!
//! Descriptors check the number: what is read beyond the end is 0, stores and atomics there vanish.

use chiaro_ir as ir;
use chiaro_ir::{Op as Ir, Query};
use chiaro_mach::{Block, Effects};

use super::Select;
use super::memory::Target;
use super::part::{Kind, Part};
use crate::compile::code::flag;
use crate::isa::mubuf::Mubuf;

/// Loads and stores of one to four components.
const LOADS: [Mubuf; 4] =
    [Mubuf::LoadFormatX, Mubuf::LoadFormatXy, Mubuf::LoadFormatXyz, Mubuf::LoadFormatXyzw];
const STORES: [Mubuf; 4] =
    [Mubuf::StoreFormatX, Mubuf::StoreFormatXy, Mubuf::StoreFormatXyz, Mubuf::StoreFormatXyzw];

impl Select<'_> {
    /// An operation on the buffer of texels that a pointer leads to; `is_storage` if it may be written.
    pub(super) fn texels(
        &mut self,
        at: Block,
        inst: ir::Inst,
        op: Ir,
        (pointer, is_storage): (ir::Value, bool),
    ) -> Option<Vec<Part>> {
        let args = self.f.args(inst).to_vec();
        let descriptor = self.handle_words(at, pointer, 4, 0)?;
        if op == Ir::ImageQuery(Query::Size) {
            return Some(vec![Self::part(descriptor.part(2, 1), Kind::Word)]);
        }
        let number = self.words_at(at, *args.get(1)?).into_iter().next()?;
        let is_coherent = self.is_coherent(pointer);
        let target = |flags: u16| Target {
            address: (Some(number), 0),
            descriptor,
            flags: flag::IDXEN | if is_coherent { flags } else { 0 },
            memory: Effects::IMAGE,
        };
        match op {
            Ir::Fetch | Ir::ImageRead => {
                let kinds = self.kinds(self.f.ty(self.f.result_of(inst)?));
                let op = words_of(&kinds, LOADS)?;
                let def = self.new_vector(kinds.len() as u16);
                let made = self.access(at, op, &[def], &[], target(flag::GLC | flag::DLC));
                if is_storage {
                    self.code.inst_mut(made).effects.reads |= Effects::IMAGE;
                }
                Some(self.split(at, def))
            }
            Ir::ImageWrite => {
                let parts = self.value(args[2]);
                let kinds: Vec<Kind> = parts.iter().map(|part| part.kind).collect();
                let op = words_of(&kinds, STORES)?;
                let data = self.collect(at, &parts);
                let made = self.access(at, op, &[], &[data], target(flag::GLC));
                self.code.inst_mut(made).effects.writes |= Effects::IMAGE;
                Some(Vec::new())
            }
            _ => None,
        }
    }

    /// An atomic operation on a texel, which is a word or a pair of them.
    pub(super) fn texel_atomic(
        &mut self,
        at: Block,
        inst: ir::Inst,
        op: Ir,
        (pointer, number): (ir::Value, ir::Value),
    ) -> Option<Vec<Part>> {
        let descriptor = self.handle_words(at, pointer, 4, 0)?;
        let number = self.words_at(at, number).into_iter().next()?;
        let target =
            Target { address: (Some(number), 0), descriptor, flags: flag::IDXEN, memory: Effects::IMAGE };
        self.atomic_at(at, inst, op, target)
    }
}

/// The instruction for so many components of a word each.
fn words_of(kinds: &[Kind], ops: [Mubuf; 4]) -> Option<Mubuf> {
    let is_words = kinds.iter().all(|kind| *kind == Kind::Word);
    ops.get(kinds.len().checked_sub(1)?).copied().filter(|_| is_words)
}
