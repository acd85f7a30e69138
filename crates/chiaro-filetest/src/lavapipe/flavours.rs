//! Loose uniforms on the driver: the OpenGL flavour, moved into a block by us, against the
//! Vulkan form of the same source, whose block glslang laid out.

use chiaro_spirv::module::Module;
use chiaro_spirv::{derive, vulkanize};

use super::{Bound, Device, Dispatch, Kind};

/// The OpenGL flavour, from `chiaro-spirv`'s tests.
const LOOSE: &str = include_str!("../../../chiaro-spirv/tests/vulkanize/loose.in.hex");
/// The Vulkan form.
const SPELLED_OUT: &str = include_str!("../../../chiaro-spirv/tests/vulkanize/loose.vulkan.hex");
/// Words of the block, with room to spare.
const BLOCK: u32 = 192;
/// The word of the only integer, which as the bits of a float would drown everything else.
const INTEGER: usize = 640 / 4;
/// Outputs: four workgroups of eight.
const OUTPUTS: usize = 32;

/// Whether both give the same bits, for several fillings of the block.
///
/// # Errors
/// What the driver or the pass refuses.
pub(super) fn agree(device: &Device) -> Result<bool, String> {
    let words = parse(LOOSE);
    let loose = Module { interface: derive(&words), words, spans: Vec::new() };
    let moved = vulkanize(&loose).map_err(|e| e.message)?;
    let spelled_out = parse(SPELLED_OUT);
    for fill in 0..8 {
        let ours = run(device, &moved.words, fill)?;
        if ours != run(device, &spelled_out, fill)? || ours.iter().all(|&word| word == ours[0]) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn parse(text: &str) -> Vec<u32> {
    text.split_whitespace().filter_map(|w| u32::from_str_radix(w, 16).ok()).collect()
}

fn run(device: &Device, words: &[u32], fill: u32) -> Result<Vec<u32>, String> {
    // Small floats; every third word is zero, in another phase with each filling, so that truth
    // values take both values.
    let word = |k: u32| {
        let number = (k.wrapping_mul(2_654_435_761).wrapping_add(fill) >> 20) as f32 / 512.0 - 4.0;
        if (k / 4 + k + fill).is_multiple_of(3) { 0 } else { number.to_bits() }
    };
    let mut block: Vec<u32> = (0..BLOCK).map(word).collect();
    block[INTEGER] = fill;
    let buffers = vec![
        Bound { binding: 0, kind: Kind::Storage, words: vec![0; OUTPUTS] },
        Bound { binding: 1, kind: Kind::Uniform, words: block },
    ];
    let dispatch = Dispatch { words, entry: c"main", groups: [OUTPUTS as u32 / 8, 1, 1], push: &[], buffers };
    Ok(device.run(&dispatch)?.swap_remove(0))
}
