//! What a dispatch is, and where a SIMD-group is in it.

use crate::regs::LANES;

/// What a dispatch says to every thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Launch {
    /// Threads of a threadgroup.
    pub size: [u32; 3],
    /// Threadgroups.
    pub groups: [u32; 3],
}

impl Default for Launch {
    fn default() -> Launch {
        Launch { size: [LANES, 1, 1], groups: [1; 3] }
    }
}

impl Launch {
    /// Threads of a threadgroup.
    #[must_use]
    pub fn threads(&self) -> u32 {
        self.size.iter().fold(1, |all, n| all.saturating_mul(*n))
    }

    /// SIMD-groups of a threadgroup.
    #[must_use]
    pub fn simdgroups(&self) -> u32 {
        self.threads().div_ceil(LANES)
    }

    /// The threadgroups in order, x first.
    pub fn each(self) -> impl Iterator<Item = [u32; 3]> {
        let [x, y, z] = self.groups;
        (0..z).flat_map(move |z| (0..y).flat_map(move |y| (0..x).map(move |x| [x, y, z])))
    }
}

/// Where a SIMD-group is in its dispatch.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Place {
    pub(super) launch: Launch,
    /// The threadgroup.
    pub(super) group: [u32; 3],
}
