//! How many waves a SIMD holds, and what limits them (spec section 13).

use std::iter;

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
    /// Waves that the compiler's own estimate counts with: Mesa 22's driver tells `waves`, which do not
    /// know of the limit on groups.
    pub(super) counted: u32,
}

/// Waves of a SIMD at most.
pub const WAVES: u32 = 16;
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
        let slots = if launch.older { WAVES * 64 / u32::from(launch.wave) } else { WAVES };
        let by_registers = (rows / vgprs).min(slots);
        let limit = if by_registers < slots { Limit::Vgprs } else { Limit::Slots };
        let waves_of_group = launch.threads.div_ceil(launch.wave.into()).max(1);
        let mode = 0;
        let by_lds =
            (launch.lds > 0).then(|| (LDS[mode] / launch.lds.next_multiple_of(LDS_STEP), Limit::Lds));
        let by_groups = (waves_of_group > 1).then_some((GROUPS[mode], Limit::Groups));
        // Of limits that allow as many groups, the first is named.
        let least = |groups: u32, by_groups: Option<(u32, Limit)>| {
            let all = iter::once((groups, limit)).chain(by_lds).chain(by_groups);
            let (groups, limit) = all.min_by_key(|(groups, _)| *groups).unwrap_or_default();
            ((groups * waves_of_group).div_ceil(SIMDS[mode]).min(by_registers), limit)
        };
        let groups = by_registers * SIMDS[mode];
        let (counted, named) = least(groups / waves_of_group, by_groups);
        let (waves, limit) =
            if launch.older { least(groups.div_ceil(waves_of_group), None) } else { (counted, named) };
        Occupancy { waves, vgprs, limit, counted }
    }
}
