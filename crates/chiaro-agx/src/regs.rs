//! Every number of the machine, once: register files, sizes, limits, special registers (spec 2).

pub(crate) mod halves;

/// Register files, as [`Reg::file`](chiaro_isa::Reg) counts them.
pub mod file {
    /// General registers, counted in halves.
    pub const GPR: u8 = 0;
    /// Uniform registers, counted in halves.
    pub const UNIFORM: u8 = 1;
    /// No register: the number itself, or the code of a float, with what may stand behind a source.
    pub const IMMEDIATE: u8 = 2;
    /// Coefficient registers.
    pub const COEFFICIENT: u8 = 3;
    /// Texture state registers.
    pub const TEXTURE: u8 = 4;
    /// Sampler state registers.
    pub const SAMPLER: u8 = 5;
    /// No operand at all.
    pub const NONE: u8 = 6;
}

/// The register of the samples that a lane shades, where the program runs once for each (spec 14.3).
pub const SAMPLES: u16 = 1;
/// The half with the mask of samples that are written, where they were tested before the shader (spec 14.3).
pub const WRITTEN: u16 = 7;

/// Special registers that tell of lanes that run and of samples that live: they change (spec 2.5).
pub const COVERAGE: [u8; 6] = [56, 57, 58, 59, 60, 63];

/// Sizes of operands, in halves.
pub mod size {
    /// 16 bits.
    pub const HALF: u8 = 1;
    /// 32 bits.
    pub const WORD: u8 = 2;
    /// 64 bits.
    pub const LONG: u8 = 4;
}

/// What may stand behind a register, as bits of [`Reg::mods`](chiaro_isa::Reg).
pub mod mods {
    /// Will be read again: keep it in the register cache.
    pub const CACHE: u16 = 1;
    /// Is not read again.
    pub const DISCARD: u16 = 2;
    /// Sign-extended.
    pub const EXTEND: u16 = 4;
    /// Without its sign.
    pub const ABS: u16 = 8;
    /// With its sign turned, after that.
    pub const NEG: u16 = 16;
    /// The lowest bit of the half number is set where the size wants it clear: without a meaning.
    pub const ODD: u16 = 32;
    /// The bits are there, but the instruction does not look at them.
    pub const UNUSED: u16 = 64;
}

/// Halves of the general registers.
pub const GPR_HALVES: u16 = 256;
/// Halves of the uniform registers.
pub const UNIFORM_HALVES: u16 = 512;
/// Lanes of a SIMD-group.
pub const LANES: u32 = 32;
/// Threads of a threadgroup (spec 2.2).
pub const MOST_THREADS: u32 = 1024;
/// Bytes of memory that a threadgroup can have, of about 60 KB that a core has (spec 2.2).
pub const MOST_LOCAL: u32 = 32 << 10;

/// Special registers that are known: number, applegpu's name if it has one, what they hold (spec 2.5).
pub const SPECIAL: &[(u8, &str, &str)] = &[
    (0, "threadgroup_position_in_grid.x", "position of the threadgroup"),
    (1, "threadgroup_position_in_grid.y", "position of the threadgroup"),
    (2, "threadgroup_position_in_grid.z", "position of the threadgroup, or the layer of the framebuffer"),
    (4, "threads_per_threadgroup.x", "size of the threadgroup"),
    (5, "threads_per_threadgroup.y", "size of the threadgroup"),
    (6, "threads_per_threadgroup.z", "size of the threadgroup"),
    (8, "dispatch_threads_per_threadgroup.x", "size that the dispatch asked for"),
    (9, "dispatch_threads_per_threadgroup.y", "size that the dispatch asked for"),
    (10, "dispatch_threads_per_threadgroup.z", "size that the dispatch asked for"),
    (14, "", "base 2 logarithm of the number of samples [Mesa]"),
    (20, "core_index", "number of the core"),
    (21, "vm_slot", "address space"),
    (48, "thread_position_in_threadgroup.x", "position of the thread in its threadgroup"),
    (49, "thread_position_in_threadgroup.y", "position of the thread in its threadgroup"),
    (50, "thread_position_in_threadgroup.z", "position of the thread in its threadgroup"),
    (51, "thread_index_in_threadgroup", "number of the thread in its threadgroup"),
    (52, "thread_index_in_simdgroup", "number of the lane"),
    (53, "simdgroup_index_in_threadgroup", "number of the SIMD-group in its threadgroup"),
    (56, "active_thread_index_in_quadgroup", "number among the active lanes of the quad"),
    (57, "", "number of active lanes of the quad [Mesa]"),
    (58, "active_thread_index_in_simdgroup", "number among the active lanes"),
    (59, "", "number of active lanes [Mesa]"),
    (60, "internal_coverage_mask", "samples that are still covered"),
    (62, "backfacing", "1 if the primitive is seen from behind"),
    (63, "is_active_thread", "0 in a helper lane"),
    (80, "thread_position_in_grid.x", "position of the thread, or of the pixel"),
    (81, "thread_position_in_grid.y", "position of the thread, or of the pixel"),
    (82, "thread_position_in_grid.z", "position of the thread"),
    (124, "input_sample_mask", "samples that the primitive covers"),
    (144, "opfifo_cmd", "operation asked of the helper program"),
    (146, "opfifo_data_l", "its argument, low"),
    (147, "opfifo_data_h", "its argument, high"),
];

/// Halves that a thread may have, and how many threads a threadgroup then may have (spec 2.3).
pub const OCCUPANCY: [(u16, u16); 10] = [
    (104, 1024),
    (112, 896),
    (128, 832),
    (136, 768),
    (144, 704),
    (160, 640),
    (184, 576),
    (208, 512),
    (232, 448),
    (256, 384),
];

/// The most halves that cost no more threads than so many do, and how many threads that leaves.
/// `None` for more halves than there are.
pub fn occupancy(halves: u16) -> Option<(u16, u16)> {
    OCCUPANCY.into_iter().find(|(most, _)| halves <= *most)
}

/// SIMD-groups that a core holds at once: as measured, four for each time that the registers of a thread, of
/// 32 bits each, go into 768, and 96 at most (spec 2.3).
pub fn resident(halves: u16) -> u16 {
    (4 * (768 / halves.div_ceil(2).max(1))).min(96)
}

/// The most halves that a thread may have in threadgroups of so many threads. `None` for more threads
/// than a threadgroup can have.
pub fn halves_for(threads: u16) -> Option<u16> {
    OCCUPANCY.into_iter().rev().find(|(_, most)| threads <= *most).map(|(halves, _)| halves)
}

/// Bytes of a word of the stack.
pub const STACK_WORD: u32 = 4;

/// The code of a stack of so many words in a [`Registers`](crate::abi::usc::Usc::Registers) word: powers
/// of two, up to 8 words for code 1 (spec 16.1).
pub fn scratch_bucket(words: u32) -> u8 {
    match words {
        0 => 0,
        n => (32 - (n - 1).leading_zeros()).saturating_sub(2).clamp(1, 15) as u8,
    }
}
