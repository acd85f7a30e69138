//! Where a name is used.

use std::ops::Range;

use crate::Outline;

/// All places of the name at a byte, with its declarations or without.
#[must_use]
pub fn references(outline: &Outline, byte: usize, with_declarations: bool) -> Vec<Range<usize>> {
    let Some((_, number)) = outline.use_at(byte) else { return Vec::new() };
    let declared = &outline.names[number].declared;
    let wanted = |place: &&Range<usize>| with_declarations || !declared.contains(place);
    outline.uses_of(number).filter(wanted).cloned().collect()
}
