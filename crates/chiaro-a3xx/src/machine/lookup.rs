//! Words of category 5: what they ask of the texture unit. spec section 10.

use chiaro_isa::Value;
use chiaro_sim::Slot;

use super::operands::{Decoded, Operands};
use super::places::{Register, place};
use crate::isa::Op;
use crate::regs::{ALU_TO_OTHER, size};

/// An instruction of the texture unit.
#[derive(Clone, Debug)]
pub(super) struct Lookup {
    pub(super) kind: Kind,
    pub(super) coordinates: Vec<Slot>,
    pub(super) extra: Vec<Slot>,
    pub(super) half: bool,
    pub(super) which: Which,
    pub(super) results: [Option<Slot>; 4],
    /// Code of the result's type.
    pub(super) to: u8,
    pub(super) solid: bool,
    pub(super) array: bool,
    pub(super) offsets: bool,
    pub(super) project: bool,
    pub(super) shadow: bool,
}

/// What is looked up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A texel by integers; with the level behind them.
    Fetch {
        level: bool,
    },
    /// A filtered sample.
    Sample(Source),
    /// One channel of the four texels around.
    Gather(u32),
    /// The level that would be sampled.
    Level,
    Size,
    Information,
    /// A derivative.
    Difference {
        vertical: bool,
    },
}

/// Where the level of a sample comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Source {
    Quad,
    Bias,
    Given,
    Gradients,
}

/// Which texture and sampler.
#[derive(Clone, Copy, Debug)]
pub(super) enum Which {
    None,
    Fixed {
        sampler: u32,
        texture: u32,
    },
    /// In two half registers, the texture first.
    Registers([Slot; 2]),
}

impl Kind {
    fn of(op: Op) -> Option<Kind> {
        Some(match op {
            Op::Isam => Kind::Fetch { level: false },
            Op::Isaml => Kind::Fetch { level: true },
            Op::Sam => Kind::Sample(Source::Quad),
            Op::Samb => Kind::Sample(Source::Bias),
            Op::Saml => Kind::Sample(Source::Given),
            Op::Samgq => Kind::Sample(Source::Gradients),
            Op::Gather4r => Kind::Gather(0),
            Op::Gather4g => Kind::Gather(1),
            Op::Gather4b => Kind::Gather(2),
            Op::Gather4a => Kind::Gather(3),
            Op::Getlod => Kind::Level,
            Op::Getsize => Kind::Size,
            Op::Getinfo => Kind::Information,
            Op::Dsx => Kind::Difference { vertical: false },
            Op::Dsy => Kind::Difference { vertical: true },
            _ => return None,
        })
    }
}

impl Lookup {
    /// Of a word; `None` for one that nobody knows.
    pub(super) fn of(op: Op, fields: Decoded<'_>, o: &mut Operands) -> Option<Lookup> {
        let kind = Kind::of(op)?;
        let mut lookup = Lookup {
            kind,
            coordinates: Vec::new(),
            extra: Vec::new(),
            half: false,
            which: which(fields, o),
            results: [None; 4],
            to: fields.number("type") as u8,
            solid: fields.flag("solid"),
            array: fields.flag("array"),
            offsets: fields.flag("offsets") || fields.inst.word.bit(52),
            project: fields.flag("project"),
            shadow: fields.flag("shadow"),
        };
        let mask = fields.number("mask") as u8;
        lookup.sources(fields, mask, o);
        let d = fields.reg("dst")?;
        let first = place(d)?;
        for i in (0..4u8).filter(|i| mask >> i & 1 == 1) {
            lookup.results[usize::from(i)] = Some(o.write(first.after(u16::from(i))));
        }
        Some(lookup)
    }

    fn sources(&mut self, fields: Decoded<'_>, mask: u8, o: &mut Operands) {
        let count = match self.kind {
            Kind::Difference { .. } => 8 - (mask | 1).leading_zeros() as u16,
            Kind::Information => 0,
            Kind::Size => 1,
            // Behind the gradients in x begin those in y, without a gap.
            Kind::Sample(Source::Gradients) => 4 + 2 * self.directions() as u16,
            _ => {
                self.directions() as u16
                    + [self.shadow, self.array, self.project].map(u16::from).iter().sum::<u16>()
            }
        };
        let extra = if self.offsets { self.directions() as u16 } else { 0 };
        let level =
            matches!(self.kind, Kind::Fetch { level: true } | Kind::Sample(Source::Bias | Source::Given));
        for (name, count) in [("src", count), ("src2", extra + u16::from(level))] {
            let Some(r) = fields.reg(name) else { continue };
            self.half |= name == "src" && r.size == size::HALF;
            let slots = (0..count)
                .map(|n| o.read(Register::general(r.size == size::HALF, r.index + n), ALU_TO_OTHER));
            let slots: Vec<Slot> = slots.collect();
            if name == "src" { self.coordinates = slots } else { self.extra = slots }
        }
    }

    /// How many numbers say where, layers apart.
    pub(super) fn directions(&self) -> usize {
        if self.solid { 3 } else { 2 }
    }
}

fn which(fields: Decoded<'_>, o: &mut Operands) -> Which {
    match (fields.value("which"), fields.reg("index")) {
        (Some(Value::Int(n)), _) => {
            // A texture alone stands in the low bits.
            let both = fields.inst.word.0[0] >> 21 & 0x7ff;
            let alone = n >= 0 && n as u64 != both;
            let texture = if alone { n as u32 } else { (both >> 4) as u32 };
            Which::Fixed { sampler: (both & 15) as u32, texture }
        }
        (_, Some(r)) => {
            Which::Registers([0, 1].map(|n| o.read(Register::general(true, r.index + n), ALU_TO_OTHER)))
        }
        _ => Which::None,
    }
}
