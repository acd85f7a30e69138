//! What section 21 of the specification lists as unknown, row by row, and what here answers for it.

/// A row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unknown {
    /// What is unknown.
    pub topic: &'static str,
    /// Assumptions and settings that choose a meaning.
    pub settings: &'static [&'static str],
    /// What stands for one in the library alone, or why there is nothing to choose.
    pub why: &'static str,
}

const fn row(topic: &'static str, settings: &'static [&'static str], why: &'static str) -> Unknown {
    Unknown { topic, settings, why }
}

/// All rows, in their order.
pub static UNKNOWNS: [Unknown; 17] = [
    row("accuracy of rsqrt, log2, exp2, sin_pt_1/2, rcp", &["estimate-bits"], ""),
    row(
        "convert out of range, NaN to integer; rounding codes 2, 3",
        &["conversion", "nan-integer", "rounding-codes"],
        "",
    ),
    row("condition codes 3, 7 (integer) and 4 (float)", &["conditions"], ""),
    row("kill bits of mov_imm, derivatives, texture operations", &["kill"], ""),
    row("formats 9, 11, 14, 15 of memory operations", &["formats", "packed-rounding"], ""),
    row(
        "memory cache-mode field 46:44",
        &[],
        "memory is in order here: there is no cache that could show it",
    ),
    row("simd_matrix lane layout", &["matrix"], ""),
    row(
        "async_load, async_store; simd_shuf_op; TODO.* encodings",
        &[],
        "no meaning can be named: to run one is a fault, as words they are kept",
    ),
    row("sampling markers 0x101c, 0x62cc", &["sampling-markers"], ""),
    row(
        "indirect calls over divergent targets; depth of ret",
        &["indirect-calls"],
        "a return goes where r1 says, so it has no depth",
    ),
    row("write after read behind stores", &["store-sources"], ""),
    row(
        "register file size and occupancy",
        &["register-file"],
        "threads of a threadgroup are Mesa's in both",
    ),
    row(
        "latency of memory, texture, tilebuffer, varying operations",
        &["arrival", "memory-cycles", "texture-cycles", "pixel-cycles"],
        "",
    ),
    row("USC words: unk1, unk2, unk3, unk4", &[], "`abi::link::Constants`, for drivers"),
    row(
        "USC Texture / Sampler count width",
        &[],
        "16 textures and 17 samplers, the limits of drivers, fit the least width",
    ),
    row("tilebuffer byte limits", &[], "`abi::tilebuffer::Limits`, for drivers"),
    row("G14 differences; G15", &["generation"], "encodings of G15 are unpublished"),
];
