//! Samplers by descriptor (spec 23.6).

use chiaro_sim::texture::{Addressing, Compare, Filter, Mip, Sampler, Texel};

use crate::abi::descriptor::SAMPLER;

/// Steps of a level of detail.
const STEPS: f32 = 64.0;

/// A sampler, and whether its coordinates are in texels.
pub(super) fn sampler(bytes: &[u8; 8], integer: bool) -> (Sampler, bool) {
    let get = |name: &str| SAMPLER.raw(bytes, name).ok().flatten().unwrap_or(0);
    let filter = |name: &str| if get(name) == 0 { Filter::Nearest } else { Filter::Linear };
    let wrap = |name: &str| match get(name) {
        1 => Addressing::Repeat,
        2 => Addressing::Mirror,
        3 => Addressing::Border,
        5 => Addressing::MirrorOnce,
        _ => Addressing::Clamp,
    };
    let made = Sampler {
        magnify: filter("magnify"),
        minify: filter("minify"),
        mip: [Mip::None, Mip::Nearest, Mip::Linear, Mip::Linear][get("mip_filter") as usize & 3],
        addressing: ["wrap_s", "wrap_t", "wrap_r"].map(wrap),
        border: border(get("border_colour"), integer),
        compare: COMPARISONS[get("compare_func") as usize & 7],
        levels: ["minimum_lod", "maximum_lod"].map(|name| get(name) as f32 / STEPS),
        anisotropy: (1u32 << get("maximum_anisotropy").min(4)) as f32,
        faces_apart: get("seamful_cube_maps") == 1,
        ..Sampler::default()
    };
    (made, get("pixel_coordinates") == 1)
}

/// In the order of the descriptor: reference first.
const COMPARISONS: [Compare; 8] = [
    Compare::LessEqual,
    Compare::GreaterEqual,
    Compare::Less,
    Compare::Greater,
    Compare::Equal,
    Compare::NotEqual,
    Compare::Always,
    Compare::Never,
];

/// The colours that there are without an extended sampler.
fn border(code: u64, integer: bool) -> Texel {
    let one = if integer { 1 } else { 1f32.to_bits().into() };
    match code {
        1 => [0, 0, 0, one],
        2 => [one; 4],
        _ => [0; 4],
    }
}
