//! What a part does to pixels and what it needs of the driver, as far as words tell (spec 15, 15.2).
//!
//! Base vertex and instance are uniforms like others, so words do not tell whether they are read.

use super::step::{Event, Step, steps};
use crate::abi::link::Flags;
use crate::isa::isa;

/// Where code stands: what some flags depend on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Standing {
    /// Whether it is of a fragment program.
    pub is_fragment: bool,
    /// Whether it is what the shader itself became: what the driver adds looks at no other pixels.
    pub is_main: bool,
}

/// The flags of code of a generation. That a target is not written whole, so that what was there counts
/// as read, words do not tell.
#[must_use]
pub fn flags(code: &[u8], generation: u8, standing: Standing) -> Flags {
    flags_of(&steps(code, isa(generation)), standing)
}

/// The same of code that was taken apart.
pub(crate) fn flags_of(steps: &[Step], standing: Standing) -> Flags {
    let mut flags = Flags::default();
    let mut writes_tile = false;
    for step in steps {
        match step.event {
            Event::LoadTile => flags.reads_tib = true,
            Event::StoreTile(_) => writes_tile = true,
            Event::Samples { .. } => flags.writes_sample_mask = true,
            _ => {}
        }
        let word = step.inst.map_or(0, |inst| inst.word.0[0]);
        flags.uses_txf |= word & 0xff == 0x71;
        flags.disable_tri_merging |= standing.is_fragment && standing.is_main && is_wide(step.name, word);
    }
    flags.tag_write_disable = standing.is_fragment && !writes_tile && !flags.writes_sample_mask;
    flags
}

/// Whether lanes of other triangles would be seen, or memory is written: operations over SIMD-groups,
/// derivatives, levels that the hardware chooses, stores.
fn is_wide(name: &str, word: u64) -> bool {
    // Modes 2, 4, 6 and 12 give level or gradients (spec 9.1).
    let automatic = word & 0xff == 0x31 && matches!(word >> 52 & 15, 0 | 1 | 5 | 9 | 13);
    let starts = |all: &[&str]| all.iter().any(|start| name.starts_with(start));
    automatic
        || starts(&["dfdx", "dfdy", "simd_", "shuffle", "quad_", "device_store", "atomic", "image_write"])
        || name.contains("ballot")
}
