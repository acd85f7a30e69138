//! Output map registers: the values that a loader derives from the output table.
//!
//! Two views of the same table. [`OutputMap::libctru`] is what homebrew's loader derives: slot k
//! of the map describes register ok. [`OutputMap::packed`] is what the hardware wants: slot k
//! describes the k-th *enabled* register. They agree if the used outputs have no gap from o0 on;
//! otherwise everything behind the gap arrives at the wrong place, see [`misplaced`].
//!
//! Facts: spec sections 15, 17 and 19. \[libctru], \[3dbrew], \[azahar]

use crate::container::Output;
use std::fmt;

/// Slots of the output map, GPUREG_SH_OUTMAP_O0 to O6.
pub const SLOTS: usize = 7;

/// The map word of a slot that means nothing: four times the semantic "unused".
pub const UNUSED: u32 = 0x1f1f_1f1f;

/// What an output register is for: the `kind` of an [`Output`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Property {
    /// Number in the output table.
    pub kind: u16,
    /// picasso's name.
    pub name: &'static str,
    /// Components that the property takes; the first set bits of the mask get them in order.
    pub components: u8,
    /// Semantic of the first component; the others follow. 0x1F means none.
    semantic: u8,
    /// Bits of GPUREG_SH_OUTATTR_CLOCK. Position sets its bit with its third component only.
    clock: u32,
    /// Whether it is a texture coordinate (GPUREG_SH_OUTATTR_MODE).
    texture: bool,
}

/// All properties that sources explain (spec section 15).
pub const PROPERTIES: [Property; 9] = [
    property(0, "position", 4, 0x00, 1 << 0),
    property(1, "normalquat", 4, 0x04, 1 << 24),
    property(2, "color", 4, 0x08, 1 << 1),
    texture(3, "texcoord0", 2, 0x0c, 1 << 8),
    texture(4, "texcoord0w", 1, 0x10, 1 << 16),
    texture(5, "texcoord1", 2, 0x0e, 1 << 9),
    texture(6, "texcoord2", 2, 0x16, 1 << 10),
    property(8, "view", 3, 0x12, 1 << 24),
    property(9, "dummy", 0, 0x1f, 0),
];

const fn property(kind: u16, name: &'static str, components: u8, semantic: u8, clock: u32) -> Property {
    Property { kind, name, components, semantic, clock, texture: false }
}

const fn texture(kind: u16, name: &'static str, components: u8, semantic: u8, clock: u32) -> Property {
    Property { texture: true, ..property(kind, name, components, semantic, clock) }
}

impl Property {
    /// The property with this number; `None` for 7 and above 9, which no source explains.
    pub fn of(kind: u16) -> Option<&'static Property> {
        PROPERTIES.iter().find(|property| property.kind == kind)
    }
}

impl Output {
    /// The property, if the number is known.
    pub fn property(&self) -> Option<&'static Property> {
        Property::of(self.kind)
    }
}

impl fmt::Display for Output {
    /// As picasso writes it: `position o0.xyzw`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.property() {
            Some(property) => f.write_str(property.name)?,
            None => write!(f, "property {}", self.kind)?,
        }
        let letters = "xyzw".chars().enumerate().filter(|(bit, _)| self.mask >> bit & 1 != 0);
        write!(f, " o{}.{}", self.register, letters.map(|(_, letter)| letter).collect::<String>())
    }
}

/// The values for the output map registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutputMap {
    /// GPUREG_SH_OUTMAP_MASK: bit k enables ok.
    pub mask: u16,
    /// GPUREG_SH_OUTMAP_TOTAL.
    pub total: u32,
    /// GPUREG_SH_OUTMAP_O0..O6: a semantic for x, y, z, w in bits 0-4, 8-12, 16-20, 24-28.
    pub words: [u32; SLOTS],
    /// GPUREG_SH_OUTATTR_MODE: 1 if texture coordinates are used.
    pub mode: u32,
    /// GPUREG_SH_OUTATTR_CLOCK.
    pub clock: u32,
}

impl OutputMap {
    /// What libctru's `DVLE_GenerateOutmap` derives, its limits included: the mask has eight
    /// bits, an output above o7 is counted at each entry but never enabled, and words above O6,
    /// which libctru writes past its array, are dropped.
    pub fn libctru(outputs: &[Output]) -> OutputMap {
        let mut map = OutputMap::EMPTY;
        for output in outputs {
            let bit = 1u16.checked_shl(u32::from(output.register)).unwrap_or(0) & 0xff;
            if map.mask & bit == 0 {
                map.mask |= bit;
                map.total += 1;
            }
            map.add(output, usize::from(output.register));
        }
        map
    }

    /// What the hardware needs so that every output arrives where the table says: only enabled
    /// registers take a slot. Registers above o15 do not exist and are left out.
    pub fn packed(outputs: &[Output]) -> OutputMap {
        let mut map = OutputMap { mask: enabled(outputs), ..OutputMap::EMPTY };
        map.total = map.mask.count_ones();
        for output in outputs.iter().filter(|output| output.register < 16) {
            map.add(output, slot(map.mask, output.register));
        }
        map
    }

    const EMPTY: OutputMap = OutputMap { mask: 0, total: 0, words: [UNUSED; SLOTS], mode: 0, clock: 0 };

    /// Enters the components of one output into a slot.
    fn add(&mut self, output: &Output, slot: usize) {
        let Some(property) = output.property() else { return };
        if property.name != "position" {
            self.clock |= property.clock;
        }
        self.mode |= u32::from(property.texture);
        let components = (0..4).filter(|bit| output.mask >> bit & 1 != 0).take(property.components.into());
        for (nth, component) in components.enumerate() {
            if let Some(word) = self.words.get_mut(slot) {
                let semantic = u32::from(property.semantic) + nth as u32;
                *word = *word & !(0xff << (8 * component)) | semantic << (8 * component);
            }
            if property.name == "position" && nth == 2 {
                self.clock |= property.clock; // the clock bit is that of position.z
            }
        }
    }
}

/// The registers o0..o15 that the table names, a bit each.
pub fn enabled(outputs: &[Output]) -> u16 {
    let registers = outputs.iter().map(|output| output.register).filter(|&register| register < 16);
    registers.fold(0, |mask, register| mask | 1 << register)
}

/// The first output that libctru's map sends elsewhere than the table says: its register, and the
/// slot that the hardware reads for it. `None` if the outputs have no gap.
pub fn misplaced(outputs: &[Output]) -> Option<(u16, usize)> {
    let mask = enabled(outputs);
    let gap = (!mask).trailing_zeros();
    let first = (gap as u16..16).find(|register| mask >> register & 1 != 0)?;
    Some((first, slot(mask, first)))
}

/// The slot that a register takes: the number of enabled registers before it.
fn slot(mask: u16, register: u16) -> usize {
    (mask & ((1 << register) - 1)).count_ones() as usize
}
