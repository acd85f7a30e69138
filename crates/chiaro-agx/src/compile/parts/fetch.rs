//! What is loaded of an attribute, and what it takes to make components of it (spec 17).

use chiaro_ir::{Op as Ir, Ty, Value};

use super::draft::{Build, Element};
use crate::abi::channels::Format;
use crate::compile::code::format;
use crate::operand::modifier::FORMATS;

/// How an attribute lies in memory.
pub(super) struct Fetch {
    /// The memory channel of each component; none for a constant.
    channels: [Option<u8>; 4],
    /// Bits of the memory channels.
    widths: [u8; 4],
    kind: Kind,
    /// What loads read.
    load: Load,
}

/// What the numbers are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Unorm,
    Snorm,
    /// Fractions whose signs differ; Mesa reads all of them with a sign.
    Mixed,
    Uint,
    Sint,
    Float,
    Uscaled,
    Sscaled,
    Fixed,
}

/// The names of kinds, behind the channels of a format.
const KINDS: [(&str, Kind); 9] = [
    ("UNORM", Kind::Unorm),
    ("SNORM", Kind::Snorm),
    ("NORM", Kind::Mixed),
    ("UINT", Kind::Uint),
    ("SINT", Kind::Sint),
    ("FLOAT", Kind::Float),
    ("USCALED", Kind::Uscaled),
    ("SSCALED", Kind::Sscaled),
    ("FIXED", Kind::Fixed),
];

/// What an instruction loads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Load {
    /// Channels of a format, as floats of 32 bits.
    Floats(&'static str),
    /// Channels of 8, 16 or 32 bits.
    Bits(u8),
    /// A format whose channels come together.
    Packed(&'static str),
    /// Channels that are fields of a word.
    Word,
}

impl Fetch {
    /// By Mesa's name of the format.
    pub(super) fn named(name: &str) -> Option<Fetch> {
        let (channels, kind) = name.trim_start_matches("PIPE_FORMAT_").rsplit_once('_')?;
        let kind = KINDS.iter().find(|(known, _)| *known == kind)?.1;
        // Signs that differ stand behind the widths.
        let channels =
            if kind == Kind::Mixed { channels.replace(['S', 'U'], "") } else { channels.to_owned() };
        let format = Format::named(&format!("{channels}_UNORM"))?;
        let width = format.widths.iter().copied().find(|width| *width > 0)?;
        let fields = format.widths.contains(&10) && format.bytes == 4;
        let load = match (width, kind) {
            (10 | 11, Kind::Float) if channels == "R11G11B10" => Load::Packed("rg11b10f"),
            (_, Kind::Unorm) if fields => Load::Packed("rgb10a2"),
            _ if fields => Load::Word,
            (8, Kind::Unorm) => Load::Floats("u8norm"),
            (8, Kind::Snorm) => Load::Floats("s8norm"),
            (16, Kind::Unorm) => Load::Floats("u16norm"),
            (16, Kind::Snorm) => Load::Floats("s16norm"),
            (8 | 16 | 32, _) => Load::Bits(width),
            _ => return None,
        };
        Some(Fetch { channels: format.swizzle, widths: format.widths, kind, load })
    }

    /// Bytes of what an index counts.
    pub(super) fn unit(&self) -> u32 {
        match self.load {
            Load::Floats(name) if name.contains('8') => 1,
            Load::Floats(_) => 2,
            Load::Bits(width) => u32::from(width) / 8,
            Load::Packed(_) | Load::Word => 4,
        }
    }

    /// Whether an index can be shifted on its way: not where channels come together.
    pub(super) fn shifts(&self) -> bool {
        !matches!(self.load, Load::Packed(_) | Load::Word)
    }

    fn is_integer(&self) -> bool {
        matches!(self.kind, Kind::Uint | Kind::Sint)
    }

    /// Memory channels that components of a mask need: from the first to the last.
    fn span(&self, mask: u8) -> std::ops::Range<u8> {
        match self.load {
            Load::Packed("rg11b10f") => 0..3,
            Load::Packed(_) => 0..4,
            Load::Word => 0..1,
            _ => {
                let needed = (0..4).filter(|c| mask >> c & 1 == 1).filter_map(|c| self.channels[c]);
                let (first, last) = needed.fold((4, 0), |(first, last), n| (n.min(first), n.max(last)));
                first..last + 1
            }
        }
    }

    /// How many components are loaded for those of a mask; none where they are all constants.
    pub(super) fn loaded(&self, mask: u8) -> usize {
        (0..4).filter(|c| mask >> c & 1 == 1 && self.channels[*c].is_some()).count()
    }

    /// The type of the loaded scalars, and whether they are components as they are.
    fn scalar(&self, d: &mut Build<'_>) -> (Ty, bool) {
        match (self.load, self.kind) {
            (Load::Floats(_) | Load::Packed(_), _) => (d.float(32), true),
            (Load::Bits(32), Kind::Float) => (d.float(32), true),
            (Load::Bits(32), Kind::Uint | Kind::Sint) | (Load::Bits(_), Kind::Uint) => (d.int(32), true),
            (Load::Bits(16), Kind::Float) => (d.float(16), false),
            // Bytes are converted out of halves, and extended in words.
            (Load::Bits(8), Kind::Uscaled | Kind::Sscaled) => (d.int(8), false),
            (Load::Bits(16), _) => (d.int(16), false),
            _ => (d.int(32), false),
        }
    }

    /// The component where the first channel of a span stands if channels are loaded to where they are to be:
    /// no component may stand in their way, and no register behind the last one is touched.
    fn place(&self, mask: u8, span: &std::ops::Range<u8>) -> Option<u16> {
        let is_needed = |c: u8| mask >> c & 1 == 1;
        let behind = 8 - mask.leading_zeros() as u8;
        let count = span.end - span.start;
        let fits = |&first: &u8| {
            let channel = |c: u8| Some(span.start + c - first);
            let inside = (first..first + count).filter(|&c| c < 4 && is_needed(c));
            let mut found = inside.map(|c| self.channels[usize::from(c)] == channel(c)).peekable();
            found.peek().is_some() && found.all(|is_there| is_there)
        };
        (0..(behind + 1).saturating_sub(count)).find(fits).map(u16::from)
    }

    /// The components of a mask, loaded from memory; those that are no constants are 0 where a condition holds.
    /// `first` is the half of the first component.
    pub(super) fn components(
        &self,
        d: &mut Build<'_>,
        mask: u8,
        first: u16,
        at: Element,
        zero: Option<Value>,
    ) -> [Option<Value>; 4] {
        let span = self.span(mask);
        let (ty, as_it_is) = self.scalar(d);
        let loaded = if self.loaded(mask) == 0 {
            Vec::new()
        } else {
            let to = self.place(mask, &span).filter(|_| as_it_is && zero.is_none());
            let to = to.map(|component| first + 2 * component);
            let channels = span.clone().fold(0, |all, n| all | 1 << n);
            let element = d.several(ty, span.len());
            let format = match self.load {
                Load::Floats(name) | Load::Packed(name) => FORMATS.number(name),
                Load::Bits(bits) => format::integer(bits / 8),
                Load::Word => format::I32,
            };
            let place = d.memory((format, channels), element, to, at);
            let value = d.b.load(place);
            d.scalars(value, span.len())
        };
        let word = d.int(32);
        std::array::from_fn(|c| {
            if mask >> c & 1 == 0 {
                return None;
            }
            let Some(channel) = self.channels[c] else {
                return Some(match (c == 3, self.is_integer()) {
                    (false, _) => d.b.u32(0),
                    (true, true) => d.b.u32(1),
                    (true, false) => d.b.u32(1f32.to_bits()),
                });
            };
            let raw = match self.load {
                Load::Word => self.field(d, loaded[0], channel),
                _ => loaded[usize::from(channel - span.start)],
            };
            let value = self.converted(d, raw, channel);
            let value = d.b.bitcast(value, word);
            Some(match zero {
                Some(zero) => {
                    let none = d.b.u32(0);
                    d.b.select(zero, none, value)
                }
                None => value,
            })
        })
    }

    /// Whether numbers have a sign.
    fn is_signed(&self) -> bool {
        matches!(self.kind, Kind::Snorm | Kind::Sint | Kind::Sscaled | Kind::Fixed | Kind::Mixed)
    }

    /// A field of a word.
    fn field(&self, d: &mut Build<'_>, word: Value, channel: u8) -> Value {
        let from: u32 = self.widths[..usize::from(channel)].iter().map(|width| u32::from(*width)).sum();
        let (from, count) = (d.b.u32(from), d.b.u32(self.widths[usize::from(channel)].into()));
        match self.is_signed() {
            true => d.b.bitextracts(word, from, count),
            false => d.b.bitextractu(word, from, count),
        }
    }

    /// What was loaded as a component.
    fn converted(&self, d: &mut Build<'_>, raw: Value, channel: u8) -> Value {
        let (float, word) = (d.float(32), d.int(32));
        let width = self.widths[usize::from(channel)];
        let signed = self.is_signed();
        match (self.load, self.kind) {
            (Load::Floats(_) | Load::Packed(_), _) => raw,
            (_, Kind::Float) => d.convert(Ir::FToF, raw, float),
            (Load::Bits(8), Kind::Sint) => {
                let (from, count) = (d.b.u32(0), d.b.u32(8));
                d.b.bitextracts(raw, from, count)
            }
            (_, Kind::Uint | Kind::Sint) => d.convert(if signed { Ir::SExt } else { Ir::ZExt }, raw, word),
            _ => {
                let value = d.b.convert(if signed { Ir::SToF } else { Ir::UToF }, raw, float);
                self.scaled(d, value, width, signed)
            }
        }
    }

    /// A float in the range of its fraction.
    fn scaled(&self, d: &mut Build<'_>, value: Value, width: u8, signed: bool) -> Value {
        let float = d.float(32);
        let most = match self.kind {
            Kind::Fixed => 65536.0,
            Kind::Unorm | Kind::Snorm | Kind::Mixed => ((1u64 << (width - u8::from(signed))) - 1) as f64,
            _ => return value,
        };
        // Of two bits with a sign, the greatest is 1.
        let value = if most == 1.0 {
            value
        } else {
            let unit = d.number(float, 1.0 / most);
            d.b.fmul(value, unit)
        };
        if !signed || self.kind == Kind::Fixed {
            return value;
        }
        let least = d.number(float, -1.0);
        d.b.fmax(value, least)
    }
}
