//! Where the words of vertices are that a fragment program reads (spec 27.2), as far as its own bindings
//! tell: slots in ascending order, smooth, then flat, then linear, each as long as it is read.

use super::file::File;
use crate::abi::link::{Binding, GENERIC, POINT};

/// Words of the position.
const POSITION: u16 = 4;

/// A coefficient register, and what it is interpolated from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Varying {
    /// The coefficient register.
    pub register: u16,
    /// The word of the vertex; 2 is depth, 3 is W.
    pub word: u16,
    /// The location of the source and its component, where it has one.
    pub location: Option<(u8, u16)>,
    /// The component of the place within a point, which vertices do not give.
    pub point: Option<u16>,
    /// Whether it is interpolated, and not of one vertex.
    pub smooth: bool,
    /// Whether with perspective.
    pub perspective: bool,
}

impl File {
    /// All coefficient registers.
    #[must_use]
    pub fn varyings(&self) -> Vec<Varying> {
        let bindings = self.linked().bindings;
        let mut slots: Vec<(u8, u8)> =
            bindings.iter().filter(|b| !matches!(b.slot, 0 | POINT)).map(|b| (group(b), b.slot)).collect();
        slots.sort_unstable();
        slots.dedup();
        let mut first = POSITION;
        let mut words = Vec::new();
        for (_, slot) in slots {
            words.push((slot, first));
            let own = bindings.iter().filter(|binding| binding.slot == slot);
            first += own.map(|binding| u16::from(binding.offset + binding.count)).max().unwrap_or(0);
        }
        let place = |slot: u8| words.iter().find(|(known, _)| *known == slot).map_or(0, |(_, first)| *first);
        bindings.iter().flat_map(|binding| spread(binding, place(binding.slot))).collect()
    }
}

/// Smooth slots come first, then flat, then linear ones.
fn group(binding: &Binding) -> u8 {
    match (binding.smooth, binding.perspective) {
        (true, true) => 0,
        (false, _) => 1,
        (true, false) => 2,
    }
}

fn spread(binding: &Binding, first: u16) -> impl Iterator<Item = Varying> + use<> {
    let Binding { slot, offset, count, base, smooth, perspective, .. } = *binding;
    (0..count.into()).map(move |n| Varying {
        register: base + n,
        word: first + u16::from(offset) + n,
        point: (slot == POINT).then_some(u16::from(offset) + n),
        location: slot.checked_sub(GENERIC).map(|location| (location, u16::from(offset) + n)),
        smooth,
        perspective,
    })
}
