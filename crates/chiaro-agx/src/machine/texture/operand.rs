//! What a texture or image operation asks for, read from its word once (spec 9.1, 9.2, 8.5).

use chiaro_isa::Reg;

use crate::exec::Operands;
use crate::isa::Op;
use crate::isa::memory::Memory;
use crate::isa::texture::Texture;
use crate::regs::{file, mods, size};

/// What is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::machine) enum Does {
    Sample,
    /// The level that would be sampled.
    Query,
    Load,
    Store,
    BindTexture,
    BindSampler,
}

/// Where a descriptor is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::machine) enum Source {
    State(u16),
    /// The state whose number is in a register.
    Index(Reg),
    /// In memory, so many bytes behind a base.
    Offset(Reg),
}

/// Where the level comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Level {
    /// From the gradients of the quad.
    Automatic,
    /// The same plus a bias, and with a least level in the half behind.
    Biased(Reg, bool),
    /// It is given.
    Given(Reg),
    /// From gradients that are given, and with a least level behind them.
    Gradients(Reg, bool),
}

/// A texture or image operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::machine) struct Lookup {
    pub(super) does: Does,
    /// What is brought or stored; of a state store the offset.
    pub(super) data: Option<Reg>,
    pub(super) mask: u8,
    pub(super) texture: Source,
    pub(super) base: Option<Reg>,
    pub(super) sampler: Option<Source>,
    /// The state that is stored to.
    pub(super) state: u16,
    /// Code of the shape.
    pub(super) shape: u8,
    pub(super) coordinates: Reg,
    pub(super) level: Level,
    /// The register of a reference, then of an offset.
    pub(super) reference: Option<Reg>,
    pub(super) offset: Option<Reg>,
    /// The component that is gathered.
    pub(super) gather: Option<u32>,
    pub(super) slot: u8,
    pub(super) toward_zero: bool,
}

const NOWHERE: Reg = Reg { file: file::NONE, size: 0, index: 0, more: 0, mods: 0, swizzle: 0, indexed: 0 };

impl Lookup {
    /// The operation of a word; `None` for what is unknown of it.
    pub(in crate::machine) fn of(op: Op, i: &Operands<'_>) -> Option<Lookup> {
        let does = match op {
            Op::Texture(Texture::TextureSample) if i.number("mode") == 2 => Does::Query,
            Op::Texture(Texture::TextureSample) if i.number("mode") == 0 => Does::Sample,
            Op::Texture(Texture::TextureLoad) if i.number("mode") == 0 => Does::Load,
            Op::Texture(Texture::ImageWrite) => Does::Store,
            Op::Memory(Memory::TexStateStore) => return Some(state(Does::BindTexture, "TS", i)),
            Op::Memory(Memory::SamplerStateStore) => return Some(state(Does::BindSampler, "SS", i)),
            _ => return None,
        };
        let (reference, offset) = reference_and_offset(i);
        Some(Lookup {
            does,
            data: i.reg("R"),
            mask: i.number("mask") as u8,
            texture: source(i, "T")?,
            base: i.reg("U").filter(|r| r.file == file::UNIFORM && r.mods & mods::UNUSED == 0),
            sampler: source(i, "S"),
            state: 0,
            shape: i.number("n") as u8,
            coordinates: i.reg("C")?,
            level: if does == Does::Store { Level::Automatic } else { level(i)? },
            reference,
            offset,
            gather: gather(i.number("q6"))?,
            slot: i.number("slot") as u8,
            toward_zero: i.flag("round"),
        })
    }

    /// Coordinates, without layer and sample.
    pub(super) fn directions(&self) -> u8 {
        [1, 1, 2, 2, 2, 3, 3, 3, 2].get(usize::from(self.shape)).copied().unwrap_or(2)
    }
}

fn state(does: Does, field: &str, i: &Operands<'_>) -> Lookup {
    Lookup {
        does,
        data: i.reg("O"),
        mask: 0,
        texture: Source::State(0),
        base: i.reg("B"),
        sampler: None,
        state: i.reg(field).map_or(0, |r| r.index),
        shape: 2,
        coordinates: NOWHERE,
        level: Level::Automatic,
        reference: None,
        offset: None,
        gather: None,
        slot: 0,
        toward_zero: false,
    }
}

fn source(i: &Operands<'_>, field: &str) -> Option<Source> {
    let r = i.reg(field)?;
    Some(match (r.file, r.size) {
        (file::GPR, size::HALF) => Source::Index(r),
        (file::GPR, _) => Source::Offset(r),
        _ => Source::State(r.index),
    })
}

fn level(i: &Operands<'_>) -> Option<Level> {
    let register = i.reg("D").filter(|r| r.mods & mods::UNUSED == 0);
    Some(match (i.number("lod"), register) {
        (0, _) => Level::Automatic,
        (1, Some(r)) => Level::Biased(r, false),
        (9, Some(r)) => Level::Biased(r, true),
        (2, Some(r)) => Level::Given(r),
        (4, Some(r)) => Level::Gradients(r, false),
        (12, Some(r)) => Level::Gradients(r, true),
        _ => return None,
    })
}

/// Both stand in one operand, the reference first (spec 9.1).
fn reference_and_offset(i: &Operands<'_>) -> (Option<Reg>, Option<Reg>) {
    let Some(r) = i.reg("O").filter(|r| r.file == file::GPR && r.mods & mods::UNUSED == 0) else {
        return (None, None);
    };
    let half = |index: u16| Reg { file: file::GPR, size: size::HALF, index, ..Reg::default() };
    let plain = Reg { swizzle: 0, ..r };
    match (r.size, r.swizzle) {
        (size::HALF, _) => (None, Some(plain)),
        (_, 0) => (Some(plain), None),
        (_, n) => (Some(plain), Some(half(r.index + 1 + n))),
    }
}

/// By the code of section 9.1; `None` for codes that are unknown.
fn gather(code: i64) -> Option<Option<u32>> {
    Some(match code >> 1 {
        0 => None,
        1 => Some(0),
        3 => Some(1),
        5 => Some(2),
        7 => Some(3),
        _ => return None,
    })
}

impl Lookup {
    /// Whether coordinates have 16 bits: the run has then as many halves as there are coordinates.
    pub(super) fn is_short(&self) -> bool {
        let halves = (self.coordinates.more + 1) * self.coordinates.size;
        let narrow = [1, 2, 2, 3, 3, 3, 3, 4, 4].get(usize::from(self.shape)).copied().unwrap_or(0);
        halves == narrow
    }
}
