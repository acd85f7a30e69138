//! What uniforms and coefficient registers are held for, and where variables of parts stand.

use chiaro_ir::{Function, GlobalRef, Module};
use chiaro_mach::Block;
use rustc_hash::FxHashMap as HashMap;

use super::part::Part;
use crate::abi::link::Binding;

/// Where the address of a buffer is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Buffer {
    pub(super) first: u16,
    /// How many, if it is an array of them.
    pub(super) count: Option<u16>,
}

/// Where coefficients are.
#[derive(Clone, Debug, Default)]
pub(super) struct Coefficients {
    pub(super) bindings: Vec<Binding>,
    next: u16,
}

impl Coefficients {
    /// Coefficient registers for some components of a slot.
    pub(super) fn hold(&mut self, binding: Binding) -> u16 {
        let same = |b: &&Binding| (b.slot, b.offset) == (binding.slot, binding.offset);
        if let Some(known) = self.bindings.iter().find(same) {
            return known.base;
        }
        let base = self.next;
        self.next += u16::from(binding.count);
        self.bindings.push(Binding { base, ..binding });
        base
    }
}

/// Where a variable of a part stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// In general registers from a half on, an input or an output: scalars one behind the other.
    Register(u16),
    /// In uniforms from a half on.
    Uniform(u16),
    /// In the tilebuffer, an array over masks of samples: the byte in a sample, the format (spec 8.1) and which
    /// channels of it the components are.
    Tile {
        /// The byte in a sample.
        offset: u16,
        /// The format, by its code.
        format: u8,
        /// Channels, by bit.
        mask: u8,
    },
    /// Which samples live, an array over masks of samples: those of the mask that do not are killed, the others
    /// tested.
    Coverage,
    /// Depth, stencil or both, an array over masks of samples.
    Depth,
    /// The three coefficients of a plane.
    Coefficients(u16),
    /// A special register, as 32 bits.
    Special(u8),
    /// An image of the heap of textures, which is stored to in the order of pixels.
    Heap {
        /// Its descriptor, behind which that for stores stands.
        state: u16,
        /// Bytes of a texel, of one of its samples.
        bytes: u8,
    },
    /// All memory as elements of a format: an array over addresses of arrays. What is loaded are channels one
    /// behind the other; it may have a place where it goes as it is.
    Memory {
        /// The format, by its code.
        format: u8,
        /// Channels, by bit.
        mask: u8,
        /// The half that the first of them goes to.
        to: Option<u16>,
    },
}

/// Where the variables of a part stand.
pub type Bounds = std::collections::HashMap<GlobalRef, Bound>;

/// A part before it is selected.
#[derive(Debug)]
pub struct Piece<'a> {
    /// Its module, which legalisation has run on.
    pub module: &'a Module,
    /// Its function.
    pub function: &'a Function,
    /// Where its variables stand; nothing for the main part.
    pub bounds: Bounds,
}

/// Where a piece stands among those of a program.
#[derive(Debug, Default)]
pub(super) struct Among {
    /// The program is compiled as one.
    pub(super) is_one: bool,
    /// Another piece comes before, or behind.
    pub(super) follows: bool,
    pub(super) is_followed: bool,
    /// Whether the main part is the last that decides on samples; nothing where a driver says it.
    pub(super) tests: Option<bool>,
    /// What registers would hold, by half.
    pub(super) given: HashMap<u16, Part>,
    /// The block where the piece ends.
    pub(super) end: Option<Block>,
}
