//! The address of an image instruction: what its registers hold, in their order (spec section 8.5).

use crate::machine::wave::Wave;

/// The fields of an image instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields {
    pub(super) op: u32,
    pub(super) mask: u32,
    pub(super) dim: u32,
    pub(super) returns: bool,
    pub(super) status: bool,
    pub(super) data: u16,
    pub(super) resource: u16,
    pub(super) sampler: u16,
    pub(super) short: bool,
    pub(super) short_address: bool,
    pub(super) small_descriptor: bool,
    first: u16,
    /// Registers behind the first one, where they are listed.
    list: Option<u128>,
}

impl Fields {
    pub(super) fn new(word: [u64; 3]) -> Fields {
        let field = |low: u32, width: u32| (word[0] >> low & ((1 << width) - 1)) as u32;
        let listed = field(1, 2) > 0;
        Fields {
            op: field(18, 7) | field(0, 1) << 7,
            mask: field(8, 4),
            dim: field(3, 3),
            returns: field(13, 1) == 1,
            status: field(16, 1) == 1 || field(17, 1) == 1,
            data: field(40, 8) as u16,
            resource: field(48, 5) as u16 * 4,
            sampler: field(53, 5) as u16 * 4,
            short: field(63, 1) == 1,
            short_address: field(62, 1) == 1,
            small_descriptor: field(15, 1) == 1,
            first: field(32, 8) as u16,
            list: listed.then_some(u128::from(word[1]) | u128::from(word[2]) << 64),
        }
    }

    /// The register of an address dword.
    pub(super) fn register(&self, n: u16) -> u16 {
        match (self.list, n) {
            (_, 0) | (None, _) => self.first + n,
            (Some(list), n) => (list >> (8 * (u32::from(n) - 1)) & 255) as u16,
        }
    }

    /// Coordinates, layer or face and sample among them.
    pub(super) fn coordinates(&self) -> usize {
        [1, 2, 3, 3, 2, 3, 3, 4][self.dim as usize & 7]
    }

    /// Directions in which gradients are given.
    pub(super) fn directions(&self) -> usize {
        [1, 2, 3, 2, 1, 2, 2, 2][self.dim as usize & 7]
    }
}

/// The most components of one kind: gradients of three coordinates, or a direction and its inverse.
const COMPONENTS: usize = 6;

/// Takes the address of a lane apart, one component after the other.
pub(super) struct Reader<'a> {
    pub(super) wave: &'a Wave,
    pub(super) fields: Fields,
    pub(super) lane: usize,
    next: u16,
}

impl<'a> Reader<'a> {
    pub(super) fn new(wave: &'a Wave, fields: Fields, lane: usize) -> Reader<'a> {
        Reader { wave, fields, lane, next: 0 }
    }

    /// A dword.
    pub(super) fn word(&mut self) -> u32 {
        let register = self.fields.register(self.next);
        self.next += 1;
        self.wave.vector(register & 255, self.lane)
    }

    /// So many components, of 16 bits two in a dword; zeros behind them.
    pub(super) fn many(&mut self, count: usize, short: bool) -> [u32; COMPONENTS] {
        let (mut all, mut word) = ([0; COMPONENTS], 0);
        for (n, component) in all.iter_mut().take(count).enumerate() {
            if !short || n % 2 == 0 {
                word = self.word();
            }
            *component = if short { word >> (16 * (n % 2)) & 0xffff } else { word };
        }
        all
    }
}
