//! The instruction set: rows of every family, and the set prepared.
//!
//! A family is a file: its rows, then its layouts. Fields have the names of section 22 of the
//! specification, and a field that joins several there (a number and its type) says so
//! ([`Kind::parts`](chiaro_isa::Kind::parts)). Where two rows fit a word, the one that fixes more bits
//! counts: so applegpu's aliases are rows, more special ones.

pub mod control;
pub mod float;
pub mod graphics;
pub mod integer;
mod layout;
pub mod memory;
pub mod simd;
pub mod texture;

use chiaro_isa::{Isa, Set, families};
use std::sync::LazyLock;

families! {
    /// Every operation, by family.
    #[derive(Debug)]
    pub enum Op => FAMILIES {
        /// Integers, bits and moves.
        Integer(integer::Integer) => integer::ROWS;
        /// Floats.
        Float(float::Float) => float::ROWS;
        /// The execution mask, branches, calls.
        Control(control::Control) => control::ROWS;
        /// Across lanes.
        Simd(simd::Simd) => simd::ROWS;
        /// Memory, barriers, waits.
        Memory(memory::Memory) => memory::ROWS;
        /// Textures and images.
        Texture(texture::Texture) => texture::ROWS;
        /// Varyings, tilebuffer, coverage.
        Graphics(graphics::Graphics) => graphics::ROWS;
    }
}

/// Generations, oldest first: A14 and M1, then M2.
pub const GENERATIONS: &[&str] = &["g13", "g14"];

/// The declaration.
pub static SET: Set = Set {
    name: "agx",
    title: "Apple AGX, G13 and G14",
    about: "Instructions take 2 to 12 bytes, stored little-endian; bytes are written in the order of memory. A bit of the instruction, 15 or 47, says whether its last bytes are there: those that are missing read as zero. Registers are counted in halves of 16 bits. Both generations have the same encodings as far as is known.",
    operations: FAMILIES,
    generations: GENERATIONS,
    dialects: &["agx", "applegpu"],
    rules: &[],
    fold_case: false,
};

static ALL: LazyLock<[Isa; 2]> = LazyLock::new(|| [Isa::new(&SET, 0), Isa::new(&SET, 1)]);

/// The set of a generation, an index of [`GENERATIONS`]; any other is the first.
pub fn isa(generation: u8) -> &'static Isa {
    ALL.get(usize::from(generation)).unwrap_or(&ALL[0])
}
