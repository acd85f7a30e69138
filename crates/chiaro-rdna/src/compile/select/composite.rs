//! Composites are lists of scalars: nothing is computed, but for parts at computed places.

use chiaro_ir as ir;
use chiaro_ir::Op as Ir;
use chiaro_mach::Block;

use super::Select;
use super::part::{Kind, Part};

impl Select<'_> {
    /// The scalars of a composite operation; `None` if it is none.
    pub(super) fn composite(
        &mut self,
        at: Block,
        inst: ir::Inst,
        op: Ir,
        args: &[Vec<Part>],
    ) -> Option<Vec<Part>> {
        let kinds = self.f.result_of(inst).map(|value| self.kinds(self.f.ty(value))).unwrap_or_default();
        let count = kinds.len();
        Some(match op {
            Ir::Construct => {
                let all: Vec<Part> = args.iter().flatten().copied().collect();
                if all.len() == 1 { vec![all[0]; count] } else { all }
            }
            Ir::Extract(n) => {
                let start = self.part_start(self.f.ty(self.f.args(inst)[0]), n);
                args[0].get(start..start + count)?.to_vec()
            }
            Ir::Insert(n) => {
                let start = self.part_start(self.f.ty(self.f.args(inst)[0]), n);
                let mut whole = args[0].clone();
                whole.get_mut(start..start + args[1].len())?.copy_from_slice(&args[1]);
                whole
            }
            Ir::Shuffle(picks) => {
                let both: Vec<Part> = args.iter().flatten().copied().collect();
                let undef = Part::undef(*kinds.first()?);
                picks
                    .iter()
                    .take(count)
                    .map(|&n| both.get(usize::from(n)).copied().unwrap_or(undef))
                    .collect()
            }
            Ir::ExtractDyn => vec![self.picked(at, &args[0], args[1][0])?],
            Ir::InsertDyn => {
                let put = |s: &mut Self, (n, &old): (u32, &Part)| {
                    let here = s.comparison(at, Ir::IEq, [args[2][0], Part::number(n)])?;
                    Some(s.choice(at, here, [args[1][0], old]))
                };
                (0..).zip(&args[0]).map(|each| put(self, each)).collect::<Option<_>>()?
            }
            Ir::Bitcast => {
                let bits = [self.f.ty(self.f.args(inst)[0]), self.f.ty(self.f.result_of(inst)?)]
                    .map(|ty| self.bits(ty));
                self.recast(at, &args[0], &kinds, bits)?
            }
            _ => return None,
        })
    }

    /// The part at an index; 0 beyond the last.
    fn picked(&mut self, at: Block, parts: &[Part], index: Part) -> Option<Part> {
        let first = *parts.first()?;
        let zero = match first.kind {
            Kind::Mask | Kind::Truth => Part::truth(false),
            kind => Part { kind, ..Part::number(0) },
        };
        let mut found = zero;
        for (n, &part) in (0..).zip(parts) {
            let here = self.comparison(at, Ir::IEq, [index, Part::number(n)])?;
            found = self.choice(at, here, [part, found]);
        }
        Some(found)
    }

    /// The first scalar of a part of a composite.
    pub(super) fn part_start(&self, ty: ir::Ty, n: u32) -> usize {
        let types = &self.module.types;
        (0..n).filter_map(|i| types.part(ty, i)).map(|part| self.kinds(part).len()).sum()
    }
}
