//! Atomic functions and barriers that say their scope and order: `GL_KHR_memory_scope_semantics`.
//!
//! Each atomic function of [`images`](super::images) has one with three parameters more (scope,
//! storage, order), a comparison with five: they are made of those rows.

use super::images;
use super::names::*;
use super::row::{Row, functions};
use crate::builtin::When;
use crate::builtin::pattern::*;
use crate::intrinsic::Atomic;
use crate::intrinsic::Intrinsic::{ImageAtomic, ScopedBarrier};
use spirv::Op;

const SCOPED: When = When::with(&["GL_KHR_memory_scope_semantics"]);

/// Functions that come from no other.
static OWN: &[Row] = functions! {
    SCOPED.only(crate::builtin::Stages::GROUPS) => {
        "controlBarrier" ScopedBarrier(Op::ControlBarrier) => VOID(I1, I1, I1, I1);
    }
    SCOPED => {
        "memoryBarrier" ScopedBarrier(Op::MemoryBarrier) => VOID(I1, I1, I1);
    }
};

/// All rows of the extension. They live as long as the program, as the tables do.
pub(super) fn rows() -> impl Iterator<Item = &'static Row> {
    let plain = images::ROWS.iter().chain(images::OPERATIONS);
    let made = plain.filter_map(|row| match row.what {
        crate::intrinsic::Intrinsic::Atomic(Atomic::Load | Atomic::Store) => None,
        crate::intrinsic::Intrinsic::Atomic(atomic) | ImageAtomic(atomic) => Some(scoped(row, atomic)),
        _ => None,
    });
    OWN.iter().chain(made)
}

fn scoped(row: &Row, atomic: Atomic) -> &'static Row {
    let more = if atomic == Atomic::CompareSwap { 5 } else { 3 };
    let longer = |form: &Form| -> Form {
        let mut form = form.to_vec();
        form.extend(std::iter::repeat_n(I1, more));
        form.leak()
    };
    let forms: Vec<Form> = row.forms.iter().map(longer).collect();
    Box::leak(Box::new(Row { name: row.name, what: row.what, when: SCOPED, forms: forms.leak() }))
}
