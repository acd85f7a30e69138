//! What is stored to a render target: blended or combined, clamped, in the form that its format has in the
//! tilebuffer (spec 18.2, 18.3).

use chiaro_ir::{Op as Ir, Ty, Value};

use super::blend::{self, Colours, Opaque, Range};
use super::draft::Build;
use super::logic;
use super::spill::Spilled;
use crate::abi::channels::{Format, Kind};
use crate::abi::key::{Blend, Target as Given};
use crate::abi::tilebuffer::Physical;
use crate::compile::select::Bound;
use crate::operand::modifier::FORMATS;

/// Formats of elements that have no conversion.
const I8: &str = "i8";
const I16: &str = "i16";
const I32: &str = "i32";
const F16: &str = "f16";

/// Where a render target is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// In the tilebuffer, at a byte of a sample.
    Tile(u16),
    /// In memory.
    Memory(Spilled),
}

/// A render target.
pub(super) struct Target<'k> {
    pub(super) given: &'k Given,
    pub(super) format: Format,
    pub(super) physical: Physical,
    pub(super) place: Place,
    /// The logical operation; 0 for none.
    pub(super) logic: u8,
    /// The alphas of the colour and of the second one are 1.
    pub(super) opaque: [bool; 2],
}

/// What the shader gives.
pub(super) struct Shaded {
    pub(super) source: [Value; 4],
    pub(super) second: Option<[Value; 4]>,
    pub(super) constant: [Value; 4],
}

impl Target<'_> {
    /// Components that the tilebuffer holds.
    pub(super) fn count(&self) -> usize {
        self.physical.channels() as usize
    }

    /// Components of it that are written.
    pub(super) fn written(&self) -> u8 {
        self.given.colormask as u8 & ((1u16 << self.count()) - 1) as u8
    }

    pub(super) fn is_written_whole(&self) -> bool {
        self.written().count_ones() as usize == self.count()
    }

    /// All components are in one element, or written by one instruction: they are stored together.
    fn is_packed(&self) -> bool {
        self.count() > 1 && (self.physical.components == 1 || self.is_spilled())
    }

    /// Whether it is in memory.
    pub(super) fn is_spilled(&self) -> bool {
        matches!(self.place, Place::Memory(_))
    }

    pub(super) fn is_integer(&self) -> bool {
        matches!(self.format.kind, Kind::Uint | Kind::Sint)
    }

    /// Logical operations leave floats and colours on a curve alone.
    fn combines(&self) -> bool {
        self.logic != 0 && !matches!(self.format.kind, Kind::Float | Kind::Unorm { srgb: true })
    }

    fn opaque(&self) -> Opaque {
        [self.opaque[0], self.opaque[1], self.format.swizzle[3].is_none()]
    }

    /// Bits of a channel in the format.
    fn channel_width(&self, channel: usize) -> u8 {
        self.format.widths[usize::from(self.format.swizzle[channel].unwrap_or(0))]
    }

    fn blend(&self, channel: usize) -> Blend {
        if channel == 3 { self.given.alpha } else { self.given.rgb }
    }

    fn channels(&self) -> impl Iterator<Item = usize> + use<> {
        let written = self.written();
        (0..4).filter(move |n| written >> n & 1 == 1)
    }

    fn blends(&self) -> bool {
        let changes = |n: usize| !blend::known(self.blend(n), n, self.opaque()).replaces;
        !self.combines() && self.logic == 0 && !self.is_integer() && self.channels().any(changes)
    }

    /// Whether what is there counts.
    pub(super) fn reads(&self) -> bool {
        if self.is_idle() {
            return false;
        }
        let merged = self.is_packed() && !self.is_written_whole();
        let of_blend = |n: usize| blend::known(self.blend(n), n, self.opaque()).reads;
        merged
            || self.combines() && logic::names(self.logic)[0]
            || self.blends() && self.channels().any(of_blend)
    }

    /// Whether it keeps what it holds.
    pub(super) fn is_idle(&self) -> bool {
        self.written() == 0 || self.combines() && logic::leaves(self.logic)
    }

    /// Size of the floats or integers that arithmetic is done in: that of the location, 32 bits where the
    /// target has them.
    fn width(&self, given: u8) -> u8 {
        if self.physical.format == I32 { 32 } else { given }
    }

    fn name(&self, what: &str) -> String {
        format!("{what} {}", self.given.i)
    }

    fn load(&self, d: &mut Build<'_>, (offset, format, ty): (u16, &str, Ty), samples: Value) -> Vec<Value> {
        let count = self.count();
        let bound = Bound::Tile { offset, format: FORMATS.number(format), mask: ((1u16 << count) - 1) as u8 };
        let element = d.several(ty, count);
        let place = d.of_samples(&self.name("there"), element, bound, samples);
        let value = d.b.load(place);
        d.scalars(value, count)
    }

    /// What it holds as floats or integers of a width; alpha is 1 where there is none.
    fn there(&self, d: &mut Build<'_>, width: u8, samples: Value) -> [Value; 4] {
        let wanted = if self.is_integer() { d.int(width) } else { d.float(width) };
        let loaded = match self.place {
            Place::Tile(offset) => self.tile(d, (offset, width), samples),
            Place::Memory(spilled) => spilled.load(d, self.is_integer(), samples)[..self.count()].to_vec(),
        };
        let (zero, one) = match self.is_integer() {
            true => (d.b.bits(wanted, 0), d.b.bits(wanted, 1)),
            false => (d.number(wanted, 0.0), d.number(wanted, 1.0)),
        };
        let extends = if self.format.kind == Kind::Sint { Ir::SExt } else { Ir::ZExt };
        std::array::from_fn(|n| match loaded.get(n) {
            Some(_) if n == 3 && self.format.swizzle[3].is_none() => one,
            Some(&value) if self.is_integer() => d.convert(extends, value, wanted),
            Some(&value) => {
                let value = d.convert(Ir::FToF, value, wanted);
                if self.holds_more() { self.range().clamp(d, value) } else { value }
            }
            None if n == 3 => one,
            None => zero,
        })
    }

    /// What the tilebuffer holds, as it loads it.
    fn tile(&self, d: &mut Build<'_>, (offset, width): (u16, u8), samples: Value) -> Vec<Value> {
        let (format, bits) = match self.physical.format {
            F16 => (I16, 16),
            // Halves hold what is smaller than they are.
            name @ (I8 | I16) => (name, 16),
            name => (name, width),
        };
        let ty = if self.is_integer() { d.int(bits) } else { d.float(bits) };
        self.load(d, (offset, format, ty), samples)
    }

    /// Stores what a shader gives, for some samples; `there` are the samples that are looked at.
    pub(super) fn store(&self, d: &mut Build<'_>, shaded: &Shaded, there: Value, samples: Value) {
        if self.is_idle() {
            return;
        }
        if let Place::Tile(offset) = self.place
            && self.combines()
            && !self.is_integer()
            && !self.is_packed()
            && self.holds_bits()
        {
            return self.store_bits(d, shaded, offset, [there, samples]);
        }
        let width = self.width(d.width(shaded.source[0]));
        let reads = self.reads();
        let logical = self.combines() && self.is_integer() && self.physical.format != I32;
        let old = reads.then(|| self.there(d, if logical { 16 } else { width }, there));
        let values: Vec<(usize, Value)> = self
            .channels()
            .map(|n| {
                let value = if self.combines() {
                    self.combined(d, shaded.source[n], old.map(|old| old[n]), n)
                } else if self.blends() {
                    self.blended(d, shaded, old, n)
                } else {
                    shaded.source[n]
                };
                (n, if logical { value } else { self.stored(d, value, n) })
            })
            .collect();
        let mut mask = self.written();
        let mut parts: Vec<Value> = values.iter().map(|(_, value)| *value).collect();
        if let Some(old) = old.filter(|_| self.is_packed() && !self.is_written_whole()) {
            let new = |n: usize| values.iter().find(|(at, _)| *at == n).map(|(_, value)| *value);
            let ty = d.b.ty(parts[0]);
            parts = (0..self.count())
                .map(|n| new(n).unwrap_or_else(|| d.convert(Ir::FToF, old[n], ty)))
                .collect();
            mask = ((1u16 << self.count()) - 1) as u8;
        }
        match self.place {
            Place::Tile(offset) => self.put(d, (offset, self.physical.format, mask), &parts, samples),
            Place::Memory(spilled) => {
                let parts: Vec<Value> = parts.into_iter().map(|part| self.widened(d, part)).collect();
                spilled.store(d, &parts, [there, samples]);
            }
        }
    }

    /// In 32 bits, as images are written.
    fn widened(&self, d: &mut Build<'_>, part: Value) -> Value {
        let extends = if self.format.kind == Kind::Sint { Ir::SExt } else { Ir::ZExt };
        match self.is_integer() {
            true => {
                let word = d.int(32);
                d.convert(extends, part, word)
            }
            false => {
                let float = d.float(32);
                d.convert(Ir::FToF, part, float)
            }
        }
    }

    fn put(
        &self,
        d: &mut Build<'_>,
        (offset, format, mask): (u16, &str, u8),
        parts: &[Value],
        samples: Value,
    ) {
        let bound = Bound::Tile { offset, format: FORMATS.number(format), mask };
        let ty = d.b.ty(parts[0]);
        let element = d.several(ty, parts.len());
        let place = d.of_samples(&self.name("target"), element, bound, samples);
        let value = d.gathered(parts);
        d.b.store(place, value);
    }

    fn range(&self) -> Range {
        match self.format.kind {
            Kind::Unorm { .. } => Range::Unsigned,
            Kind::Snorm => Range::Signed,
            _ => Range::Any,
        }
    }

    /// Fractions that stand in the tilebuffer as halves are not clamped by it.
    fn holds_more(&self) -> bool {
        self.physical.format == F16 && self.range() != Range::Any && !self.is_spilled()
    }

    fn blended(&self, d: &mut Build<'_>, shaded: &Shaded, old: Option<[Value; 4]>, channel: usize) -> Value {
        let blend = self.blend(channel);
        let width = self.width(d.width(shaded.source[0]));
        let float = d.float(width);
        if blend::known(blend, channel, self.opaque()).replaces {
            return d.convert(Ir::FToF, shaded.source[channel], float);
        }
        let resized = |d: &mut Build<'_>, all: [Value; 4]| all.map(|value| d.convert(Ir::FToF, value, float));
        let source = resized(d, shaded.source);
        // Stores clamp: the smaller or larger of both needs no clamped source.
        let clamps = !blend::bounds(blend) || self.holds_more();
        let colours = Colours {
            source: if clamps { source.map(|value| self.range().clamp(d, value)) } else { source },
            second: shaded.second.map(|second| resized(d, second)),
            constant: resized(d, shaded.constant),
            there: old.unwrap_or(source),
            opaque: self.opaque(),
            range: self.range(),
        };
        colours.blended(d, blend, channel)
    }

    /// Whether the tilebuffer holds the very bits that logical operations are about.
    fn holds_bits(&self) -> bool {
        matches!(self.physical.format, "u8norm" | "u16norm")
    }

    /// Bits of fractions are combined as they stand in the tilebuffer.
    fn store_bits(&self, d: &mut Build<'_>, shaded: &Shaded, offset: u16, [there, samples]: [Value; 2]) {
        let width = 8 * self.physical.bytes as u8;
        let format = if width == 8 { I8 } else { I16 };
        let (u16, ones) = (d.int(16), (1u64 << width) - 1);
        let ones = d.b.bits(u16, ones);
        let old = match logic::names(self.logic)[0] {
            true => self.load(d, (offset, format, u16), there),
            false => vec![ones; 4],
        };
        let parts: Vec<Value> = self
            .channels()
            .map(|n| {
                let source = self.range().clamp(d, shaded.source[n]);
                logic::combined(d, self.logic, &logic::Source::Fraction(source, width), old[n], ones)
            })
            .collect();
        self.put(d, (offset, format, self.written()), &parts, samples);
    }

    /// A channel under a logical operation.
    fn combined(&self, d: &mut Build<'_>, value: Value, old: Option<Value>, channel: usize) -> Value {
        let operation = self.logic;
        if self.is_integer() {
            // Integers out of range are undefined there: they are clamped before.
            let value = self.stored(d, value, channel);
            let ty = d.b.ty(value);
            let ones = d.b.bits(ty, u64::MAX >> (64 - u32::from(self.channel_width(channel))));
            return logic::combined(d, operation, &logic::Source::Bits(value), old.unwrap_or(ones), ones);
        }
        let (width, signed) = (self.channel_width(channel), self.format.kind == Kind::Snorm);
        let source = |value: Value| match signed {
            true => logic::Source::Signed(value, width),
            false => logic::Source::Fraction(value, width),
        };
        let u16 = d.int(16);
        let ones = d.b.bits(u16, (1 << width) - 1);
        let there = match old {
            Some(old) => logic::combined(d, 0, &source(old), ones, ones),
            None => ones,
        };
        let value = self.range().clamp(d, value);
        let bits = logic::combined(d, operation, &source(value), there, ones);
        logic::fraction(d, bits, width, signed)
    }

    /// What is stored for a value: integers in the range of the target, in halves unless it has 32 bits.
    fn stored(&self, d: &mut Build<'_>, value: Value, channel: usize) -> Value {
        let given = d.width(value);
        if !self.is_integer() {
            let float = d.float(if self.physical.format == I32 { 32 } else { given });
            return d.convert(Ir::FToF, value, float);
        }
        let signed = self.format.kind == Kind::Sint;
        if self.physical.format == I32 {
            let (op, word) = (if signed { Ir::SExt } else { Ir::ZExt }, d.int(32));
            return d.convert(op, value, word);
        }
        self.limited(d, value, channel, signed)
    }

    /// An integer in the range of the target, in 16 bits.
    fn limited(&self, d: &mut Build<'_>, value: Value, channel: usize, signed: bool) -> Value {
        let width = self.channel_width(channel);
        let (ty, given) = (d.b.ty(value), d.width(value));
        let half = d.int(16);
        let low = |d: &mut Build<'_>, value: Value| d.convert(Ir::ZExt, value, half);
        if width >= given {
            return value;
        }
        if !signed {
            let most = d.b.bits(ty, (1u64 << width) - 1);
            let fits = d.b.ult(value, most);
            let (value, most) = (low(d, value), low(d, most));
            return d.b.select(fits, value, most);
        }
        let most = (1u64 << (width - 1)) - 1;
        let least = !most & (u64::MAX >> (64 - u32::from(given)));
        let (most, least) = (d.b.bits(ty, most), d.b.bits(ty, least));
        let below = d.b.smin(value, most);
        let fits = d.b.slt(least, below);
        let (below, least) = (low(d, below), low(d, least));
        d.b.select(fits, below, least)
    }
}
