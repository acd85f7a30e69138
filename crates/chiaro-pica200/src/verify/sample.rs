//! Inputs for a shader: numbers that float24 has, small and varied, the same for a seed.

use std::collections::HashMap;

use chiaro_ir::interp::{Attributes, Exact, Interpreter};
use chiaro_ir::{EntryPoint, Global, GlobalRef, Module, Space, Ty, Type};

use crate::float24::Float24;

/// What one run of a shader is given.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    /// How many vertices.
    pub lanes: usize,
    /// Inputs: for each variable the bytes of every vertex.
    pub attributes: Attributes,
    /// Uniforms: for each variable its bytes.
    pub uniforms: HashMap<GlobalRef, Vec<u8>>,
}

/// SplitMix64: numbers that are the same everywhere.
pub(super) struct Numbers {
    pub(super) state: u64,
    pub(super) mild: bool,
}

impl Numbers {
    fn draw(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From -4 to 4: half of them round numbers, where decisions change. Mild ones from 0 to 1.
    pub(super) fn float(&mut self) -> f32 {
        let n = self.draw();
        let whole = ((n >> 8) % 17) as f32 * 0.5 - 4.0;
        match n % 2 {
            _ if self.mild => Float24::NEAREST.rounded(((n >> 40) | 0x1000) as f32 / 16_777_216.0),
            0 => whole,
            _ => Float24::NEAREST.rounded((n >> 40) as f32 / 2_097_152.0 - 4.0),
        }
    }
}

impl Sample {
    /// Inputs for an entry point of a module, from -4 to 4.
    #[must_use]
    pub fn new(module: &Module, entry: &EntryPoint, lanes: usize, seed: u64) -> Sample {
        Sample::of(module, entry, lanes, Numbers { state: seed, mild: false })
    }

    /// Inputs between 0 and 1, where every function of the languages is defined.
    #[must_use]
    pub fn mild(module: &Module, entry: &EntryPoint, lanes: usize, seed: u64) -> Sample {
        Sample::of(module, entry, lanes, Numbers { state: seed, mild: true })
    }

    fn of(module: &Module, entry: &EntryPoint, lanes: usize, mut numbers: Numbers) -> Sample {
        let layout = Interpreter::with(module, entry, Exact);
        let mut sample = Sample { lanes, ..Sample::default() };
        for (i, global) in module.globals.iter().enumerate() {
            let g = GlobalRef(i as u32);
            let mut bytes = || fill(module, &layout, global, &mut numbers);
            match global.space {
                Space::Input => {
                    let all = (0..lanes).map(|_| bytes()).collect();
                    sample.attributes.insert(g, all);
                }
                Space::Uniform | Space::UniformConstant | Space::PushConstant => {
                    let given = bytes();
                    sample.uniforms.insert(g, given);
                }
                _ => {}
            }
        }
        sample
    }
}

/// The bytes of a variable.
fn fill(module: &Module, layout: &Interpreter<'_, Exact>, global: &Global, numbers: &mut Numbers) -> Vec<u8> {
    let mut bytes = vec![0; layout.size_of(global.ty) as usize];
    let mut open = vec![(global.ty, 0usize)];
    while let Some((ty, at)) = open.pop() {
        match module.types.get(ty) {
            Type::Float(32) => put(&mut bytes, at, numbers.float().to_bits()),
            // Indices as well as numbers.
            Type::Int(32) => put(&mut bytes, at, (numbers.draw() % 8) as u32),
            Type::Bool => put(&mut bytes, at, (numbers.draw() % 2) as u32),
            _ => open.extend(parts(module, layout, ty).map(|(part, offset)| (part, at + offset))),
        }
    }
    bytes
}

fn put(bytes: &mut [u8], at: usize, word: u32) {
    if let Some(room) = bytes.get_mut(at..at + 4) {
        room.copy_from_slice(&word.to_le_bytes());
    }
}

pub(super) fn parts<'a>(
    module: &'a Module,
    layout: &'a Interpreter<'_, Exact>,
    ty: Ty,
) -> impl Iterator<Item = (Ty, usize)> + 'a {
    let count = module.types.part_count(ty).unwrap_or(0);
    (0..count).filter_map(move |i| {
        let part = module.types.part(ty, i)?;
        Some((part, layout.offset_of(ty, i) as usize))
    })
}

/// Where the floats of a variable lie: byte offsets, and which of its components they are.
pub(super) fn floats(module: &Module, layout: &Interpreter<'_, Exact>, ty: Ty) -> Vec<usize> {
    let (mut found, mut open) = (Vec::new(), vec![(ty, 0usize)]);
    while let Some((ty, at)) = open.pop() {
        match module.types.get(ty) {
            Type::Float(32) => found.push(at),
            _ => open.extend(parts(module, layout, ty).map(|(part, offset)| (part, at + offset))),
        }
    }
    found.sort_unstable();
    found
}
