//! Where pointers lead.

use chiaro_ir as ir;
use chiaro_ir::{ConstantKind, Def, Op as Ir};

use super::Select;
use super::part::{Part, Widened};
use super::place::{Path, Place, Root, part_offset};

impl Select<'_> {
    /// The variable and the indices of a pointer.
    pub(super) fn path(&self, mut pointer: ir::Value) -> Option<Path> {
        let mut steps = Vec::new();
        let root = loop {
            match self.f.def(pointer) {
                Def::Constant(c) => match *self.module.constants.get(c) {
                    ConstantKind::Global(g) => break Root::Global(g),
                    _ => return None,
                },
                Def::Result(inst, _) => match self.f.op(inst) {
                    Ir::Access => {
                        let (&base, indices) = self.f.args(inst).split_first()?;
                        let (_, mut ty) = self.module.types.pointee(self.f.ty(base))?;
                        let mut here = Vec::new();
                        for &index in indices {
                            here.push((ty, index));
                            let n = self.module.value_bits(self.f, index).unwrap_or(0);
                            ty = self.module.types.part(ty, n as u32).or(self.module.types.part(ty, 0))?;
                        }
                        here.append(&mut steps);
                        steps = here;
                        pointer = base;
                    }
                    Ir::Var(_) => break Root::Var(inst),
                    _ => return None,
                },
                _ => return None,
            }
        };
        Some(Path { root, steps })
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
