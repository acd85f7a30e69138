//! Every format of texels that our machines read: random texels on lavapipe, and as `chiaro-sim` has them.

use ash::vk;
use chiaro_isa::Rng;
use chiaro_sim::texel::{Channel, TexelFormat};

use super::super::Device;
use super::super::draw::{Resource, Scene, Stage, run};
use super::Report;
use crate::lavapipe::Kind;
use crate::stages::Shader;

/// Texels of an image: each is fetched by an invocation of its own.
const SIZE: [u32; 2] = [16, 16];
/// Fractions are products with a rounded reciprocal there: two units in the last place.
const ROUNDING: f32 = 2.5e-7;

use Channel::{Float, Sint, Snorm, Srgb, Sscaled, Uint, Unorm, Uscaled};
use vk::Format as F;

/// A format with its name.
macro_rules! named {
    ($name:ident, $widths:expr, $channel:expr) => {
        (stringify!($name), F::$name, $widths, $channel)
    };
}

/// Formats of components with bits of their own, from the lowest bit on, beside Vulkan's names of them.
static APART: [(&str, F, [u8; 4], Channel); 50] = [
    named!(R8_UNORM, [8, 0, 0, 0], Unorm),
    named!(R8_SNORM, [8, 0, 0, 0], Snorm),
    named!(R8_USCALED, [8, 0, 0, 0], Uscaled),
    named!(R8_SSCALED, [8, 0, 0, 0], Sscaled),
    named!(R8_UINT, [8, 0, 0, 0], Uint),
    named!(R8_SINT, [8, 0, 0, 0], Sint),
    named!(R8_SRGB, [8, 0, 0, 0], Srgb),
    named!(R8G8_UNORM, [8, 8, 0, 0], Unorm),
    named!(R8G8_SNORM, [8, 8, 0, 0], Snorm),
    named!(R8G8_UINT, [8, 8, 0, 0], Uint),
    named!(R8G8_SINT, [8, 8, 0, 0], Sint),
    named!(R8G8_SRGB, [8, 8, 0, 0], Srgb),
    named!(R8G8B8A8_UNORM, [8; 4], Unorm),
    named!(R8G8B8A8_SNORM, [8; 4], Snorm),
    named!(R8G8B8A8_USCALED, [8; 4], Uscaled),
    named!(R8G8B8A8_SSCALED, [8; 4], Sscaled),
    named!(R8G8B8A8_UINT, [8; 4], Uint),
    named!(R8G8B8A8_SINT, [8; 4], Sint),
    named!(R8G8B8A8_SRGB, [8; 4], Srgb),
    named!(A2B10G10R10_UNORM_PACK32, [10, 10, 10, 2], Unorm),
    named!(A2B10G10R10_SNORM_PACK32, [10, 10, 10, 2], Snorm),
    named!(A2B10G10R10_UINT_PACK32, [10, 10, 10, 2], Uint),
    named!(A2B10G10R10_SINT_PACK32, [10, 10, 10, 2], Sint),
    named!(B10G11R11_UFLOAT_PACK32, [11, 11, 10, 0], Float),
    named!(R16_UNORM, [16, 0, 0, 0], Unorm),
    named!(R16_SNORM, [16, 0, 0, 0], Snorm),
    named!(R16_USCALED, [16, 0, 0, 0], Uscaled),
    named!(R16_SSCALED, [16, 0, 0, 0], Sscaled),
    named!(R16_UINT, [16, 0, 0, 0], Uint),
    named!(R16_SINT, [16, 0, 0, 0], Sint),
    named!(R16_SFLOAT, [16, 0, 0, 0], Float),
    named!(R16G16_UNORM, [16, 16, 0, 0], Unorm),
    named!(R16G16_SNORM, [16, 16, 0, 0], Snorm),
    named!(R16G16_UINT, [16, 16, 0, 0], Uint),
    named!(R16G16_SINT, [16, 16, 0, 0], Sint),
    named!(R16G16_SFLOAT, [16, 16, 0, 0], Float),
    named!(R16G16B16A16_UNORM, [16; 4], Unorm),
    named!(R16G16B16A16_SNORM, [16; 4], Snorm),
    named!(R16G16B16A16_UINT, [16; 4], Uint),
    named!(R16G16B16A16_SINT, [16; 4], Sint),
    named!(R16G16B16A16_SFLOAT, [16; 4], Float),
    named!(R32_UINT, [32, 0, 0, 0], Uint),
    named!(R32_SINT, [32, 0, 0, 0], Sint),
    named!(R32_SFLOAT, [32, 0, 0, 0], Float),
    named!(R32G32_UINT, [32, 32, 0, 0], Uint),
    named!(R32G32_SINT, [32, 32, 0, 0], Sint),
    named!(R32G32_SFLOAT, [32, 32, 0, 0], Float),
    named!(R32G32B32A32_UINT, [32; 4], Uint),
    named!(R32G32B32A32_SINT, [32; 4], Sint),
    named!(R32G32B32A32_SFLOAT, [32; 4], Float),
];

/// Fetches all texels of an image in each format that the driver samples.
pub(super) fn check(device: &Device, report: &mut Report) {
    let apart =
        APART.iter().map(|&(name, of, widths, channel)| (name, of, TexelFormat::Apart(widths, channel)));
    let shared = ("E5B9G9R9_UFLOAT_PACK32", F::E5B9G9R9_UFLOAT_PACK32, TexelFormat::SharedExponent);
    for (name, of, format) in apart.chain([shared]) {
        if !device.has(of, vk::FormatFeatureFlags::SAMPLED_IMAGE) {
            report.lacking.push(name);
            continue;
        }
        match compare(device, of, format) {
            Ok(()) => report.formats += 1,
            Err(why) => report.wrong.push(format!("{name}: {why}")),
        }
    }
}

fn compare(device: &Device, name: F, format: TexelFormat) -> Result<(), String> {
    let mut rng = Rng(name.as_raw() as u64);
    let count = (SIZE[0] * SIZE[1]) as usize;
    let mut bytes: Vec<u8> = (0..count * format.bytes()).map(|_| rng.next() as u8).collect();
    // The ends of all ranges are among them.
    bytes[..16].fill(0);
    bytes[16..32].fill(0xff);
    let found = on_driver(device, name, format, &bytes)?;
    for (n, (texel, found)) in bytes.chunks(format.bytes()).zip(found.as_chunks::<4>().0).enumerate() {
        let ours = format.read(texel);
        // sRGB's curve is straightened by a polynomial there: it may be as far off as the colour is still the same.
        let is_colour = matches!(format, TexelFormat::Apart(_, Srgb)) && format.write(*found, false) == texel;
        if !is_colour && !ours.iter().zip(found).all(|(&ours, &found)| is_same(format, ours, found)) {
            let shown = |bits: [u32; 4]| match format.is_integer() {
                true => format!("{bits:?}"),
                false => format!("{:?}", bits.map(f32::from_bits)),
            };
            return Err(format!("texel {n}, {texel:02x?}: {} instead of {}", shown(*found), shown(ours)));
        }
    }
    Ok(())
}

/// Whether the driver's component is ours: to the bit, but where it computes.
fn is_same(format: TexelFormat, ours: u32, found: u32) -> bool {
    let off = match format {
        TexelFormat::Apart(_, Unorm | Snorm) => ROUNDING,
        _ => 0.0,
    };
    let [a, b] = [ours, found].map(f32::from_bits);
    ours == found || !format.is_integer() && ((a - b).abs() <= off || a.is_nan() && b.is_nan())
}

/// What the driver fetches: four words for each texel.
fn on_driver(device: &Device, name: F, format: TexelFormat, bytes: &[u8]) -> Result<Vec<u32>, String> {
    let (prefix, bits) = match format {
        TexelFormat::Apart(_, Uint) => ("u", "texel"),
        TexelFormat::Apart(_, Sint) => ("i", "uvec4(texel)"),
        _ => ("", "floatBitsToUint(texel)"),
    };
    let [width, height] = SIZE;
    let source = format!(
        "#version 450
layout(local_size_x = {width}, local_size_y = {height}) in;
layout(binding = 0) uniform {prefix}sampler2D t;
layout(std430, binding = 1) buffer Found {{ uvec4 v[]; }} found;
void main() {{
    {prefix}vec4 texel = texelFetch(t, ivec2(gl_LocalInvocationID.xy), 0);
    found.v[gl_LocalInvocationIndex] = {bits};
}}
"
    );
    let words = Shader::of_text("formats.comp".to_owned(), source)?.vulkan()?;
    let texels = bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    let resources = vec![
        (0, Resource::Texels(name, SIZE, texels)),
        (1, Resource::Buffer(Kind::Storage, vec![0; (4 * width * height) as usize])),
    ];
    let stages = vec![Stage { stage: vk::ShaderStageFlags::COMPUTE, words: &words }];
    let left = run(device, &Scene::of(stages, resources))?;
    left.buffers.last().cloned().ok_or_else(|| "nothing came back".to_owned())
}
