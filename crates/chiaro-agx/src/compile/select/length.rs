//! How many elements the last member of a buffer has: the host says how large the buffer is.

use chiaro_ir as ir;
use chiaro_ir::Root;
use chiaro_mach::Block;

use super::Select;
use super::part::{From, Part};
use super::place::part_offset;
use crate::container::file::{Held, What};
use crate::isa::integer::Integer;

/// Halves of a size.
const SIZE: u16 = 2;

impl Select<'_> {
    /// Elements of member `member` of the buffer that an instruction points to. Of an array of buffers nobody says
    /// the sizes.
    pub(super) fn array_length(&mut self, at: Block, inst: ir::Inst, member: u32) -> Option<Vec<Part>> {
        let pointer = self.f.args(inst)[0];
        let Root::Global(g) = self.path(pointer)?.root else { return None };
        let buffer = self.buffers.get(&g).filter(|buffer| buffer.count.is_none())?.first;
        let (_, ty) = self.module.types.pointee(self.f.ty(pointer))?;
        let array = self.module.types.part(ty, member)?;
        let offset = part_offset(self.module, ty, member);
        let stride = part_offset(self.module, array, 1).max(1);
        let size = self.size_of(g, buffer)?;
        let rest = match offset {
            0 => size,
            _ => self.integer_two(at, Integer::Isub, SIZE, size, Part::number(offset), 0),
        };
        Some(vec![self.divided(at, rest, stride)])
    }

    /// The bytes of a buffer whose address stands in uniforms.
    fn size_of(&mut self, g: ir::GlobalRef, address: u16) -> Option<Part> {
        let held = self.uniforms.iter().find(|held| held.what == What::Address && held.first == address)?;
        let first = self.hold(Held { what: What::Size, ..held.clone() }, SIZE, SIZE);
        if !self.interface.sizes.contains(&(g, first)) {
            self.interface.sizes.push((g, first));
        }
        Some(Part::new(From::Uniform(first), SIZE))
    }

    /// A quotient by a number, exact below 2^31, which no buffer exceeds.
    fn divided(&mut self, at: Block, word: Part, by: u32) -> Part {
        let shift = by.ilog2();
        if by.is_power_of_two() {
            return self.shift_right(at, SIZE, word, Part::number(shift), false);
        }
        let factor = (1u64 << (32 + shift)).div_ceil(by.into());
        let product = self.wide_product(at, word, Part::number(factor as u32), false);
        let high = product.halves(SIZE, SIZE).unwrap_or(word);
        self.shift_right(at, SIZE, high, Part::number(shift), false)
    }
}
