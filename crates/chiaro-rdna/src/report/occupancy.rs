//! How many waves a SIMD holds, and what limits them (spec section 13).

use super::Launch;

/// What keeps more waves away.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Limit {
    /// Nothing but the number of slots.
    #[default]
    Slots,
    /// Vector registers.
    Vgprs,
    /// LDS.
    Lds,
    /// Workgroups.
    Groups,
}

/// Waves side by side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Occupancy {
    /// Waves of a SIMD.
    pub waves: u32,
    /// Vector registers of a wave, in steps of the allocation.
    pub vgprs: u32,
    /// What limits the waves.
    pub limit: Limit,
}

/// Waves of a SIMD at most.
pub(super) const SLOTS: u32 = 16;
/// SIMDs of a compute unit, and of a pair of them, which runs a group in WGP mode.
const SIMDS: [u32; 2] = [2, 4];
const LDS: [u32; 2] = [64 << 10, 128 << 10];
const LDS_STEP: u32 = 1024;
const GROUPS: [u32; 2] = [16, 32];

impl Occupancy {
    /// With so many vector registers of a wave. Groups run in CU mode, as drivers have it on this
    /// machine.
    pub(super) fn of(launch: &Launch, vgprs: u32) -> Occupancy {
        let (rows, step) = if launch.wave == 64 { (512, 8) } else { (1024, 16) };
        let vgprs = vgprs.max(step).next_multiple_of(step);
        let slots = if launch.older { SLOTS * 64 / u32::from(launch.wave) } else { SLOTS };
        let by_registers = (rows / vgprs).min(slots);
        let limit = if by_registers < slots { Limit::Vgprs } else { Limit::Slots };
        let waves_of_group = launch.threads.div_ceil(launch.wave.into()).max(1);
        let mode = 0;
        let groups = by_registers * SIMDS[mode];
        let groups = if launch.older { groups.div_ceil(waves_of_group) } else { groups / waves_of_group };
        let mut fewest = (groups, limit);
        if launch.lds > 0 {
            let room = LDS[mode] / launch.lds.next_multiple_of(LDS_STEP);
            fewest = fewest.min_by_groups((room, Limit::Lds));
        }
        if waves_of_group > 1 && !launch.older {
            fewest = fewest.min_by_groups((GROUPS[mode], Limit::Groups));
        }
        let waves = (fewest.0 * waves_of_group).div_ceil(SIMDS[mode]).min(by_registers);
        Occupancy { waves, vgprs, limit: fewest.1 }
    }
}

trait Fewer {
    fn min_by_groups(self, other: Self) -> Self;
}

impl Fewer for (u32, Limit) {
    /// The limit that allows fewer groups; the one that was there if both allow as many.
    fn min_by_groups(self, other: Self) -> Self {
        if other.0 < self.0 { other } else { self }
    }
}
