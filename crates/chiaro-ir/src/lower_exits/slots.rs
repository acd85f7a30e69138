//! Exit values: which of a construct's further results carry what its exits
//! carry. Only one exit is under way at a time, so that values of one type share places.

use crate::id::Value;
use crate::ty::Ty;

/// So many places of each type, in the order in which the types came.
#[derive(Clone, Debug, Default)]
pub(super) struct Slots(Vec<(Ty, u32)>);

impl Slots {
    /// Makes room for a list of values.
    pub(super) fn need(&mut self, types: impl Iterator<Item = Ty>) {
        let mut list = Slots::default();
        types.for_each(|ty| *list.count(ty) += 1);
        self.merge(&list);
    }

    /// Makes room for whatever has room in the other.
    pub(super) fn merge(&mut self, other: &Slots) {
        for &(ty, n) in &other.0 {
            let count = self.count(ty);
            *count = n.max(*count);
        }
    }

    fn count(&mut self, ty: Ty) -> &mut u32 {
        let at = self.0.iter().position(|slot| slot.0 == ty).unwrap_or_else(|| {
            self.0.push((ty, 0));
            self.0.len() - 1
        });
        &mut self.0[at].1
    }

    /// The type of each place.
    pub(super) fn types(&self) -> impl Iterator<Item = Ty> + '_ {
        self.0.iter().flat_map(|&(ty, n)| std::iter::repeat_n(ty, n as usize))
    }

    /// The number of the place for occurrence `n` of a type.
    fn place(&self, ty: Ty, n: u32) -> Option<usize> {
        let mut before = 0;
        for &(slot, count) in &self.0 {
            if slot == ty {
                return (n < count).then_some(before + n as usize);
            }
            before += count as usize;
        }
        None
    }

    /// For each of a list of types, the number of its place.
    pub(super) fn places(&self, types: impl Iterator<Item = Ty>) -> Vec<Option<usize>> {
        let mut seen = Slots::default();
        types
            .map(|ty| {
                let count = seen.count(ty);
                *count += 1;
                self.place(ty, *count - 1)
            })
            .collect()
    }
}

/// Values in their places.
#[derive(Clone, Debug)]
pub(super) struct Filled {
    pub(super) slots: Slots,
    pub(super) values: Vec<Value>,
}
