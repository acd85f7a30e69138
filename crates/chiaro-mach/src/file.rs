//! Register files: the facts that allocation and pressure are computed from.

use std::ops::Range;

/// A register file of the target: its place in [`BackEnd::files`](crate::BackEnd::files).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct File(pub u8);

/// Whose values a file holds, and so along which edges they live.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Domain {
    /// One value per lane; lives along logical edges. Writes reach running lanes only.
    #[default]
    Lane,
    /// One value for all lanes; lives along linear edges.
    Wave,
    /// Values of the wave kept in the lanes of lane registers; lives along linear edges, and
    /// writes reach lanes that do not run.
    LinearLane,
}

/// A named part of a file that an operand may be limited to.
#[derive(Clone, Debug)]
pub struct Class {
    /// Its name in messages.
    pub name: &'static str,
    /// Its units.
    pub units: Range<u16>,
}

/// That a file has no storage of its own but lies in another.
///
/// Unit `u` lies in unit `u / per` of `file`. Allocation borrows units right behind what the values
/// of `file` need, so that they cost no more occupancy than they must.
#[derive(Clone, Copy, Debug)]
pub struct Alias {
    /// The file that it lies in.
    pub file: File,
    /// How many of its units fit in one unit of the other.
    pub per: u16,
}

impl Alias {
    /// The unit of the other file in which this unit lies.
    pub fn unit(&self, unit: u16) -> u16 {
        unit / self.per.max(1)
    }

    /// The units that lie in this unit of the other file.
    pub fn guests(&self, unit: u16) -> Range<u16> {
        unit.saturating_mul(self.per)..unit.saturating_add(1).saturating_mul(self.per)
    }
}

/// Up to so many units, so many waves or threads run at once.
#[derive(Clone, Copy, Debug)]
pub struct Occupancy {
    /// The largest number of units.
    pub units: u16,
    /// How many run at once.
    pub waves: u16,
}

/// What is to be known of a register file. Memory for spills is one too.
#[derive(Clone, Debug)]
pub struct RegFile {
    /// Its name, and the first letters of its registers in text.
    pub name: &'static str,
    /// Bits of one unit; the unit is the smallest thing that can be written alone.
    pub unit_bits: u8,
    /// How many units there are.
    pub count: u16,
    /// Whose values it holds.
    pub domain: Domain,
    /// Where it lies, if in another file.
    pub alias: Option<Alias>,
    /// Units that are never given to values, in rising order.
    pub reserved: &'static [Range<u16>],
    /// Parts of it with names.
    pub classes: &'static [Class],
    /// Steps of occupancy, rising in units; empty if it does not depend on this file.
    pub occupancy: &'static [Occupancy],
    /// Whether it is memory: its units are only stored to and loaded from, and nothing moves from
    /// one of them to another but through a register.
    pub memory: bool,
    /// Where its values go when it is full; `None`: they cannot. Where that is memory, they are
    /// spilled; the memory's own `spill_to` takes what finds no room in it. Where it is a register
    /// file, they are parked in values of that file ([`park`](crate::park())). A unit of it holds at
    /// least the bits of a unit of this one.
    pub spill_to: Option<File>,
    /// Sizes of moves in units, the largest first; a move is aligned to its size.
    pub moves: &'static [u16],
    /// Sizes of exchanges, likewise. Without, one unit is kept free to turn cycles of copies.
    pub swaps: &'static [u16],
}

impl RegFile {
    /// A lane file without any unit: the base of declarations.
    pub const EMPTY: RegFile = RegFile {
        name: "r",
        unit_bits: 32,
        count: 0,
        domain: Domain::Lane,
        alias: None,
        reserved: &[],
        classes: &[],
        occupancy: &[],
        memory: false,
        spill_to: None,
        moves: &[1],
        swaps: &[],
    };

    /// Whether values of the file live along logical edges.
    pub fn is_logical(&self) -> bool {
        self.domain == Domain::Lane
    }

    /// Whether a value may be put into this unit.
    pub fn is_free(&self, unit: u16) -> bool {
        unit < self.count && !self.reserved.iter().any(|range| range.contains(&unit))
    }

    /// Whether one of so many units is kept aside, so that cycles of copies can be turned through it.
    pub fn keeps_spare(&self, units: usize) -> bool {
        self.swaps.is_empty() && !self.memory && units > 1
    }

    /// The most units that can be used without losing a step of occupancy over using `units`.
    pub fn step(&self, units: u16) -> u16 {
        let step = self.occupancy.iter().find(|step| units <= step.units);
        step.map_or(self.count, |step| step.units.min(self.count))
    }

    /// How many run at once when this many units are used; `None` if the file does not say.
    pub fn waves(&self, units: u16) -> Option<u16> {
        self.occupancy.iter().find(|step| units <= step.units).map(|step| step.waves)
    }
}
