//! Where a name is declared. Of a register: where the value comes from that is read, as the text goes.

use std::ops::Range;

use crate::Outline;
use crate::outline::Kind;

/// The declarations of the name at a byte.
#[must_use]
pub fn definition(outline: &Outline, byte: usize) -> Vec<Range<usize>> {
    let Some((place, name)) = outline.at(byte) else { return Vec::new() };
    if name.kind != Kind::Register {
        return name.declared.clone();
    }
    let before = name.declared.iter().rev().find(|at| at.start < place.start);
    before.or(name.declared.first()).cloned().into_iter().collect()
}
