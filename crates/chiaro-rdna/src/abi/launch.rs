//! What a kernel finds when it begins: registers as its descriptor asks for them, the packet of
//! its dispatch, its arguments (spec section 19.3; HSA's dispatch packet by LLVM's AMDGPU usage).

use chiaro_sim::Lanes;

use crate::container::descriptor::Descriptor;
use crate::machine::Wave;

/// How often a kernel runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dispatch {
    /// Workgroups in three dimensions.
    pub groups: [u32; 3],
    /// Threads of a group in three dimensions.
    pub size: [u32; 3],
}

/// Addresses that a kernel asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Places {
    /// Its arguments.
    pub kernarg: u64,
    /// The packet of its dispatch.
    pub packet: u64,
}

/// Lanes that a wave can have at most.
const LANES: usize = 64;

impl Dispatch {
    /// Threads of a group.
    #[must_use]
    pub fn threads(&self) -> u32 {
        self.size.iter().fold(1, |all, n| all.saturating_mul(*n))
    }

    /// Waves of a group.
    #[must_use]
    pub fn waves(&self, lanes: u8) -> u32 {
        self.threads().div_ceil(lanes.into())
    }

    /// The groups in their order: x runs fastest.
    pub fn each(&self) -> impl Iterator<Item = [u32; 3]> + use<> {
        let [x, y, z] = self.groups;
        (0..z).flat_map(move |z| (0..y).flat_map(move |y| (0..x).map(move |x| [x, y, z])))
    }

    /// Where a thread of a group lies in it.
    #[must_use]
    pub fn thread(&self, n: u32) -> [u32; 3] {
        let [x, y, _] = self.size.map(|n| n.max(1));
        [n % x, n / x % y, n / x / y]
    }

    /// The packet of the dispatch, as queues have it.
    #[must_use]
    pub fn packet(&self, descriptor: &Descriptor, kernarg: u64) -> [u8; 64] {
        let mut packet = [0; 64];
        let mut put = |at: usize, bytes: &[u8]| packet[at..at + bytes.len()].copy_from_slice(bytes);
        let field = |name| descriptor.get(name).unwrap_or(0).to_le_bytes();
        for n in 0..3 {
            put(4 + 2 * n, &(self.size[n] as u16).to_le_bytes());
            put(12 + 4 * n, &self.groups[n].wrapping_mul(self.size[n]).to_le_bytes());
        }
        put(24, &field("private_segment_fixed_size"));
        put(28, &field("group_segment_fixed_size"));
        put(40, &kernarg.to_le_bytes());
        packet
    }
}

/// Sets a wave's registers as a descriptor asks for them.
pub fn enter(
    wave: &mut Wave,
    descriptor: &Descriptor,
    places: &Places,
    dispatch: &Dispatch,
    group: [u32; 3],
) {
    let scalars = scalars(descriptor, places, dispatch, group, wave);
    (0..).zip(scalars).for_each(|(register, value)| wave.set_scalar(register, value));
    let dimensions = descriptor.get("system_vgpr_workitem_id").unwrap_or(0).min(2);
    threads(wave, dispatch, dimensions as u16 + 1);
}

/// The numbers of the threads in v0 and behind, and EXEC: the last wave of a group may be smaller.
pub fn threads(wave: &mut Wave, dispatch: &Dispatch, dimensions: u16) {
    let lanes = u32::from(wave.lanes());
    let first = wave.index() * lanes;
    for dimension in 0..dimensions {
        let of_lane = |lane: usize| dispatch.thread(first + lane as u32)[usize::from(dimension)];
        let halves = [0, 32].map(|half| Lanes(std::array::from_fn(|lane| of_lane(half + lane))));
        wave.set_vector(dimension, &halves);
    }
    let count = dispatch.threads().saturating_sub(first).min(lanes) as usize;
    let exec = if count == LANES { u64::MAX } else { (1 << count) - 1 };
    wave.set_exec(exec);
}

/// Scalar registers from s0 on: user registers in the order of their flags, then those of the group.
fn scalars(
    descriptor: &Descriptor,
    places: &Places,
    dispatch: &Dispatch,
    group: [u32; 3],
    wave: &Wave,
) -> Vec<u32> {
    let has = |name: &str| descriptor.get(name) == Some(1);
    let pair = |address: u64| vec![address as u32, (address >> 32) as u32];
    let private = descriptor.get("private_segment_fixed_size").unwrap_or(0);
    let waves = dispatch.waves(wave.lanes());
    let user = [
        // Scratch is reached by its own instructions; the descriptor of a buffer over it is empty.
        ("user_sgpr_private_segment_buffer", vec![0; 4]),
        ("user_sgpr_dispatch_ptr", pair(places.packet)),
        ("user_sgpr_queue_ptr", pair(0)),
        ("user_sgpr_kernarg_segment_ptr", pair(places.kernarg)),
        ("user_sgpr_dispatch_id", pair(0)),
        ("user_sgpr_flat_scratch_init", pair(0)),
        ("user_sgpr_private_segment_size", vec![private]),
    ];
    let mut all: Vec<u32> = user.into_iter().filter(|(name, _)| has(name)).flat_map(|(_, v)| v).collect();
    all.resize(descriptor.get("user_sgpr_count").unwrap_or(0) as usize, 0);
    let system = [
        ("system_sgpr_workgroup_id_x", group[0]),
        ("system_sgpr_workgroup_id_y", group[1]),
        ("system_sgpr_workgroup_id_z", group[2]),
        ("system_sgpr_workgroup_info", group_info(waves, wave.index())),
        ("system_sgpr_private_segment_wavefront_offset", 0),
    ];
    all.extend(system.into_iter().filter(|(name, _)| has(name)).map(|(_, value)| value));
    all
}

/// Size of the group in waves, and which of them this is, in both places where drivers look for it.
#[must_use]
pub fn group_info(waves: u32, wave: u32) -> u32 {
    waves & 63 | (wave & 63) << 6 | (wave & 31) << 20
}
