//! Components at computed places, and halves in words.
//!
//! A scalar of 16 bits is a full register with zeros above: halves are for conversion alone, until
//! words are made of them.

use chiaro_ir as ir;
use chiaro_ir::{Op as Ir, Type};
use chiaro_mach::{Block, Operand};

use super::Select;
use super::part::Part;
use crate::compile::code::{Modifiers, relation, types};
use crate::isa::Op;

/// Conversions round to the nearest, ties to even.
const NEAREST: u8 = 1;

impl Select<'_> {
    /// One component of a vector, or a vector with another component, by number.
    pub(super) fn dynamic(&mut self, at: Block, op: Ir, args: &[Vec<Part>]) -> Option<Vec<Part>> {
        match (op, args) {
            (Ir::ExtractDyn, [vector, index]) => {
                let numbered = vector.iter().zip(0..).skip(1);
                Some(vec![numbered.fold(vector[0], |found, (&part, n)| {
                    let here = self.is_number(at, index[0], n);
                    self.three(at, Op::SelB32, [part, here, found])
                })])
            }
            (Ir::InsertDyn, [vector, value, index]) => {
                let parts = vector.iter().zip(0..);
                let part = |(&old, n): (&Part, u32)| {
                    let here = self.is_number(at, index[0], n);
                    self.three(at, Op::SelB32, [value[0], here, old])
                };
                Some(parts.map(part).collect())
            }
            _ => None,
        }
    }

    /// Whether an index is a number.
    pub(super) fn is_number(&mut self, at: Block, index: Part, n: u32) -> Part {
        self.int_compare(at, Op::CmpsS, relation::EQ, index, Part::number(n))
    }

    /// Conversions from and to 16 bits, and words of two of them.
    pub(super) fn packed(
        &mut self,
        at: Block,
        inst: ir::Inst,
        op: Ir,
        args: &[Vec<Part>],
    ) -> Option<Vec<Part>> {
        let result = self.f.result_of(inst)?;
        let [from, to] = [self.f.ty(*self.f.args(inst).first()?), self.f.ty(result)].map(|ty| self.width(ty));
        let source = args.first()?;
        Some(match (op, from, to) {
            (Ir::FToF, 32, 16) => source.iter().map(|&a| self.narrowed(at, a)).collect(),
            (Ir::FToF, 16, 32) => source.iter().map(|&a| self.widened(at, a)).collect(),
            (Ir::Bitcast, 16, 32) => {
                source.chunks_exact(2).map(|pair| self.word_of(at, pair[0], pair[1])).collect()
            }
            (Ir::Bitcast, 32, 16) => source.iter().flat_map(|&word| self.halves_of(at, word)).collect(),
            _ => return None,
        })
    }

    /// A float in a half register.
    pub(super) fn halved(&mut self, at: Block, a: Part) -> Operand {
        let a = self.copied(at, a);
        let narrow = Modifiers { types: (types::F32, types::F16), round: NEAREST, ..Modifiers::default() };
        self.make_half(at, Op::Cov, &[a], narrow)
    }

    /// The bits of a float as a half.
    fn narrowed(&mut self, at: Block, a: Part) -> Part {
        let half = self.halved(at, a);
        let as_word = Modifiers { types: (types::U16, types::U32), ..Modifiers::default() };
        self.make(at, Op::Cov, &[half], as_word)
    }

    /// The float of the bits of a half.
    fn widened(&mut self, at: Block, a: Part) -> Part {
        let a = self.copied(at, a);
        let cut = Modifiers { types: (types::U32, types::U16), ..Modifiers::default() };
        let half = self.make_half(at, Op::Cov, &[a], cut);
        let wide = Modifiers { types: (types::F16, types::F32), ..Modifiers::default() };
        self.make(at, Op::Cov, &[half], wide)
    }

    fn word_of(&mut self, at: Block, low: Part, high: Part) -> Part {
        let high = self.int2(at, Op::ShlB, high, Part::number(16));
        self.int2(at, Op::OrB, low, high)
    }

    fn halves_of(&mut self, at: Block, word: Part) -> [Part; 2] {
        let low = self.int2(at, Op::AndB, word, Part::number(0xffff));
        [low, self.int2(at, Op::ShrB, word, Part::number(16))]
    }

    /// An integer as a float, to the nearest: the rounding without a flag is an assumption.
    pub(super) fn float_of(&mut self, at: Block, a: Part, from: u8) -> Part {
        let a = self.copied(at, a);
        let modifiers = Modifiers { types: (from, types::F32), round: NEAREST, ..Modifiers::default() };
        self.make(at, Op::Cov, &[a], modifiers)
    }

    /// Bits of a scalar or of a vector's components; 32 for bools.
    fn width(&self, ty: ir::Ty) -> u8 {
        match self.module.types.get(self.module.types.scalar(ty)) {
            Type::Float(width) | Type::Int(width) => *width,
            _ => 32,
        }
    }

    /// Whether an operation is one on scalars of 32 bits.
    pub(super) fn is_word_sized(&self, inst: ir::Inst) -> bool {
        let values = self.f.args(inst).iter().copied().chain(self.f.result_of(inst));
        values.into_iter().all(|value| self.width(self.f.ty(value)) == 32)
    }
}
