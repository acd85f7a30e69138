//! Where pointers lead.

use chiaro_ir as ir;
use chiaro_ir::{Def, Op as Ir, Path};

use super::Select;
use super::part::{Part, Widened};
use super::place::{Place, part_offset};

impl Select<'_> {
    /// The variable and the indices of a pointer.
    pub(super) fn path(&self, pointer: ir::Value) -> Option<Path> {
        Path::of(self.module, self.f, pointer)
    }

    /// Where a path leads; steps before number `from` are of another kind.
    pub(super) fn locate(&mut self, path: &Path, from: usize) -> Place {
        let mut place = Place::default();
        for &(ty, index) in path.steps.iter().skip(from) {
            match self.module.value_bits(self.f, index) {
                Some(n) => {
                    // An index out of bounds stays within the variable.
                    let count = self.module.types.part_count(ty);
                    let most = count.map_or(u32::MAX, |count| count.saturating_sub(1));
                    place.offset += i64::from(part_offset(self.module, ty, (n as u32).min(most)));
                }
                None => {
                    let stride = part_offset(self.module, ty, 1);
                    let (index, more) = self.without_constant(index);
                    place.offset += more * i64::from(stride);
                    let index = self.scalar(index);
                    place.terms.push((index, stride));
                }
            }
        }
        place
    }

    /// An index without the number that is added to it: sums of addresses are assumed not to wrap (spec 19.2).
    fn without_constant(&self, index: ir::Value) -> (ir::Value, i64) {
        let (mut index, mut more) = (index, 0);
        while let Def::Result(inst, 0) = self.f.def(index) {
            let (sign, args) = match (self.f.op(inst), self.f.args(inst)) {
                (Ir::IAdd, &[a, b]) => (1, [a, b]),
                (Ir::ISub, &[a, b]) => (-1, [a, b]),
                _ => break,
            };
            let number =
                |value| self.module.value_bits(self.f, value).map(|bits| i64::from(bits as u32 as i32));
            if self.sizes(self.f.ty(index)) != [2] {
                break;
            }
            match (number(args[0]), number(args[1])) {
                (_, Some(n)) => (index, more) = (args[0], more + sign * n),
                (Some(n), None) if sign == 1 => (index, more) = (args[1], more + n),
                _ => break,
            }
        }
        (index, more)
    }

    /// An index in a register of 32 bits.
    pub(super) fn wide_index(&mut self, part: Part) -> Part {
        if part.size == 1 { part.wider(Widened::Zero).unwrap_or(part) } else { part }
    }
}
