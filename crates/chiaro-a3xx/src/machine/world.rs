//! What a program sees from outside: constants, textures, memory.

use std::sync::Arc;

use chiaro_sim::texture::{Sampler, Shape, Texture};

use crate::regs::{CONSTANTS, SAMPLERS};

/// Where uniform blocks that do not fit the constant file lie in memory.
const BLOCK_ADDRESS: u32 = 0x1000_0000;
/// How far apart they are: more than any of them has.
pub(crate) const BLOCK_STRIDE: u32 = 0x10_0000;

/// A texture as it is bound.
#[derive(Clone, Debug)]
pub struct Binding {
    /// The texels.
    pub texture: Arc<Texture>,
    /// What they form.
    pub shape: Shape,
}

/// Everything outside of the processor.
#[derive(Clone, Debug, Default)]
pub struct World {
    /// The constant file, by component; what is missing is zero.
    pub constants: Vec<u32>,
    /// Textures by number.
    pub textures: Vec<Option<Binding>>,
    /// Samplers by number; what is missing is nearest and repeat.
    pub samplers: Vec<Sampler>,
    /// Memory.
    pub memory: Memory,
}

/// Memory outside of the registers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Memory {
    /// Mapped ranges of the 32-bit space with their first addresses.
    pub global: Vec<(u32, Vec<u8>)>,
    /// Buffers by number.
    pub buffers: Vec<Vec<u8>>,
    /// Local memory of the group.
    pub local: Vec<u8>,
    /// Bytes of private memory that each fiber has.
    pub private: u32,
}

impl World {
    /// Sets constants from a component on; what lies outside of the file is dropped.
    pub fn set_constants(&mut self, first: usize, words: &[u32]) {
        self.constants.resize(usize::from(CONSTANTS) * 4, 0);
        for (to, word) in self.constants.iter_mut().skip(first).zip(words) {
            *to = *word;
        }
    }

    /// Maps the bytes of uniform block number `n` into memory; its address.
    pub fn map_block(&mut self, n: u32, bytes: Vec<u8>) -> u32 {
        let address = BLOCK_ADDRESS + n * BLOCK_STRIDE;
        self.memory.global.push((address, bytes));
        address
    }

    /// Binds a texture and the sampler of the same number.
    pub fn bind(&mut self, number: usize, binding: Binding, sampler: Sampler) {
        if self.textures.len() <= number {
            self.textures.resize(number + 1, None);
        }
        self.textures[number] = Some(binding);
        self.samplers
            .resize(self.samplers.len().max((number + 1).min(SAMPLERS as usize)), Sampler::default());
        if let Some(room) = self.samplers.get_mut(number) {
            *room = sampler;
        }
    }
}
