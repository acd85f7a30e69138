//! Rules of scopes and orders that atomic functions and barriers state.
//!
//! [GL_KHR_memory_scope_semantics]

use super::checker::Checker;
use crate::builtin::functions::Row;
use crate::hir::ExprId;
use crate::intrinsic::{Atomic, Intrinsic};

const ACQUIRE: u64 = 0x2;
const RELEASE: u64 = 0x4;
const BOTH: u64 = 0x8;
const ORDERS: u64 = ACQUIRE | RELEASE | BOTH;
const AVAILABLE: u64 = 0x2000;
const VISIBLE: u64 = 0x4000;
const VOLATILE: u64 = 0x8000;
const SEMANTICS: u64 = ORDERS | AVAILABLE | VISIBLE | VOLATILE;
const STORAGES: u64 = 0x40 | 0x100 | 0x800 | 0x1000;

/// Storage and order, as stated.
#[derive(Clone, Copy)]
struct Stated {
    storage: u64,
    order: u64,
}

impl Checker<'_> {
    /// Checks what stands behind a function's own arguments.
    pub(super) fn check_ordering(&mut self, row: &'static Row, args: &[ExprId]) {
        let barrier = matches!(row.what, Intrinsic::ScopedBarrier(_));
        let count = match row.what {
            Intrinsic::ScopedBarrier(_) => args.len(),
            Intrinsic::Atomic(Atomic::CompareSwap) | Intrinsic::ImageAtomic(Atomic::CompareSwap) => 5,
            _ => 3,
        };
        let Some(stated) = args.len().checked_sub(count).and_then(|from| args.get(from..)) else { return };
        let mut bits = Vec::with_capacity(count);
        for &arg in stated {
            match self.bits(arg).and_then(<[u64]>::first) {
                Some(&value) => bits.push(value),
                None => {
                    let at = self.at(arg).at;
                    self.error(at, format!("scopes and semantics of `{}` must be constants", row.name));
                    return;
                }
            }
        }
        let fault = match *bits.as_slice() {
            [_, storage, order] => Stated { storage, order }.fault(row.what),
            [_, _, storage, order] => Stated { storage, order }.fault(row.what),
            [_, storage, order, other_storage, other_order] => {
                let (equal, unequal) =
                    (Stated { storage, order }, Stated { storage: other_storage, order: other_order });
                equal.fault(row.what).or_else(|| unequal.fault(row.what)).or_else(|| unequal.against(equal))
            }
            _ => None,
        };
        let volatile = barrier && bits.last().is_some_and(|order| order & VOLATILE != 0);
        let fault = if volatile { Some("a barrier cannot be volatile") } else { fault };
        if let (Some(fault), Some(&last)) = (fault, stated.last()) {
            let at = self.at(last).at;
            self.error(at, format!("`{}`: {fault}", row.name));
        }
    }
}

impl Stated {
    /// What is wrong with storage and order by themselves.
    fn fault(self, what: Intrinsic) -> Option<&'static str> {
        let order = self.order & ORDERS;
        let atomic = match what {
            Intrinsic::Atomic(atomic) | Intrinsic::ImageAtomic(atomic) => Some(atomic),
            _ => None,
        };
        let memory_barrier = what == Intrinsic::ScopedBarrier(spirv::Op::MemoryBarrier);
        let faults = [
            (self.order & !SEMANTICS != 0, "these bits are no semantics"),
            (self.storage & !STORAGES != 0, "these bits are no storage"),
            (order.count_ones() > 1, "there can be one order only"),
            (self.storage == 0 && order != 0, "an order needs a storage that it is about"),
            (self.storage != 0 && order == 0, "a storage needs an order: acquire, release or both"),
            (memory_barrier && order == 0, "a barrier of memory needs an order: acquire, release or both"),
            (
                self.order & AVAILABLE != 0 && order & (RELEASE | BOTH) == 0,
                "making available needs a release",
            ),
            (self.order & VISIBLE != 0 && order & (ACQUIRE | BOTH) == 0, "making visible needs an acquire"),
            (atomic == Some(Atomic::Store) && order & (ACQUIRE | BOTH) != 0, "a store acquires nothing"),
            (atomic == Some(Atomic::Load) && order & (RELEASE | BOTH) != 0, "a load releases nothing"),
        ];
        faults.iter().find(|fault| fault.0).map(|fault| fault.1)
    }

    /// What is wrong with the order of a comparison that fails, given that of one that holds.
    fn against(self, equal: Stated) -> Option<&'static str> {
        let acquires = equal.order & (ACQUIRE | BOTH) != 0;
        let differs = (self.order ^ equal.order) & VOLATILE != 0;
        let faults = [
            (self.order & (RELEASE | BOTH) != 0, "a comparison that fails releases nothing"),
            (
                self.order & ACQUIRE != 0 && !acquires,
                "a failed comparison acquires no more than one that holds",
            ),
            (self.storage & !equal.storage != 0, "a failed comparison orders no more than one that holds"),
            (
                self.order & VISIBLE & !equal.order != 0,
                "a failed comparison makes visible no more than one that holds",
            ),
            (differs, "a comparison is volatile in both cases or in none"),
        ];
        faults.iter().find(|fault| fault.0).map(|fault| fault.1)
    }
}
