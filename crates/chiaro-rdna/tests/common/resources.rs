//! Kernels with every kind of resource that lanes find by themselves.

use chiaro_ir::Module;
use chiaro_opt::Cx;
use chiaro_rdna::abi::interface::Abi;
use chiaro_rdna::compile::{Compiled, Options, compile};
use chiaro_rdna::listing;
use chiaro_rdna::verify::{Words, verify};

/// What the kernels have: the number of the thread is `i`, `b` is the buffer of results.
pub(crate) const HEAD: &str = "#version 450
    #extension GL_EXT_nonuniform_qualifier : require
    #extension GL_NV_compute_shader_derivatives : enable
    #extension GL_ARB_shader_texture_image_samples : enable
    layout(local_size_x = 128) in;
    layout(std430, binding = 0) buffer B { uint d[128]; } b;
    layout(binding = 1, r32ui) uniform uimageBuffer words;
    layout(binding = 2, rgba32f) uniform imageBuffer floats;
    layout(binding = 3) uniform usamplerBuffer table;
    layout(binding = 4) uniform samplerBuffer colors;
    layout(binding = 5, rgba8) uniform imageBuffer bytes;
    layout(std430, binding = 6) buffer Parts { uint d[32]; } parts[4];
    layout(binding = 7) uniform Facts { uvec4 d[8]; } facts[3];
    layout(binding = 8) uniform usamplerBuffer tables[4];
    layout(binding = 9, r32ui) uniform uimageBuffer lists[4];
    layout(binding = 10) uniform sampler2D pictures[4];
    layout(binding = 11) uniform texture2D planes[4];
    layout(binding = 12) uniform sampler filters[4];
    layout(binding = 13, r32ui) uniform uimage2D grids[4];
    layout(std430, binding = 14) buffer Open { uint d[32]; } open[];
    layout(std430, binding = 15) buffer Outs { uint d[32]; } outs[4];
    layout(std430, binding = 16) buffer Sums { uint d[32]; } sums[4];
    layout(std430, binding = 17) buffer G { double f[128]; } g;
    ";

pub(crate) fn source(body: &str) -> Module {
    super::kernel::read(&format!("{HEAD} void main() {{ uint i = gl_GlobalInvocationID.x; {body} }}"))
}

pub(crate) fn built(module: &Module, wave: u8, abi: Abi) -> Result<Compiled, String> {
    let options = Options { wave, abi, ..Options::default() };
    let mut cx = Cx { verify: true, ..Cx::default() };
    compile(&mut module.clone(), "main", options, &mut cx).map_err(|errors| errors[0].message.clone())
}

/// The words of a kernel mean what its source does, in waves of both sizes.
pub(crate) fn holds(body: &str) {
    let module = source(body);
    for wave in [32, 64] {
        let compiled = built(&module, wave, Abi::Vulkan).unwrap_or_else(|why| panic!("{body}: {why}"));
        let text = listing::code(&compiled.code, wave, 0);
        let words = Words { source: &module, entry: &module.entries[0], compiled };
        verify(&words, 1).unwrap_or_else(|why| panic!("{body}, waves of {wave}: {why}\n{text}"));
    }
}
