//! Operands: what an instruction reads and writes, and where that has to be.

use crate::file::File;
use crate::id::{Block, Value};

/// What an operand is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum What {
    /// Anything: nobody reads what it holds.
    #[default]
    Undef,
    /// A value; after allocation it is in [`Operand::reg`].
    Value(Value),
    /// The register in [`Operand::reg`], whatever it holds. The allocator keeps its hands off
    /// registers of this kind only if their file says that they are reserved.
    Reg,
    /// A number that the instruction holds.
    Imm(u64),
    /// A constant slot: a unit of a constant file, which [`Operand::file`] may name.
    Slot(u32),
    /// The place of a branch.
    Label(Block),
    /// A function of the [`Unit`](crate::Unit).
    Function(u32),
}

/// One operand of an instruction.
///
/// Sizes and offsets count units of the register file. A constraint that a value does not meet
/// where it lives is met by a copy in front of the instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Operand {
    /// What it is.
    pub what: What,
    /// The file of the value or register.
    pub file: File,
    /// How many units are accessed.
    pub size: u16,
    /// The first of them within the value.
    pub offset: u16,
    /// The first accessed unit is a multiple of this; a power of two.
    pub align: u8,
    /// Where it is: the first accessed unit (`offset` is counted in already). Given for
    /// [`What::Reg`]; for values the result of allocation.
    pub reg: Option<u16>,
    /// Where the first accessed unit has to be.
    pub fixed: Option<u16>,
    /// On a use: the number of the definition that has to be in the same place.
    pub tied: Option<u8>,
    /// On a use: read only while results are written, so no definition may share its place.
    pub late_kill: bool,
    /// On a definition: written while uses are still read, so it shares no use's place.
    pub early_clobber: bool,
    /// Which of the accessed units are read or written, in which order.
    pub comps: Comps,
    /// The target's own bits: signs, an index register, a size of access.
    pub bits: u32,
}

impl Default for Operand {
    fn default() -> Operand {
        Operand::UNDEF
    }
}

impl Operand {
    /// A value that nobody defines, of one unit and without any wish.
    pub const UNDEF: Operand = Operand {
        what: What::Undef,
        file: File(0),
        size: 1,
        offset: 0,
        align: 1,
        reg: None,
        fixed: None,
        tied: None,
        late_kill: false,
        early_clobber: false,
        comps: Comps::ALL,
        bits: 0,
    };

    /// A number.
    pub fn imm(number: u64) -> Operand {
        Operand { what: What::Imm(number), ..Operand::default() }
    }

    /// A constant slot of a constant file.
    pub fn slot(file: File, slot: u32) -> Operand {
        Operand { what: What::Slot(slot), file, ..Operand::default() }
    }

    /// The place of a branch.
    pub fn label(block: Block) -> Operand {
        Operand { what: What::Label(block), ..Operand::default() }
    }

    /// A function of the unit.
    pub fn function(number: u32) -> Operand {
        Operand { what: What::Function(number), ..Operand::default() }
    }

    /// A register by its place.
    pub fn reg(file: File, unit: u16, size: u16) -> Operand {
        Operand { what: What::Reg, file, size, reg: Some(unit), ..Operand::default() }
    }

    /// The same in this place, and nowhere else.
    #[must_use]
    pub fn fixed(self, unit: u16) -> Operand {
        Operand { fixed: Some(unit), ..self }
    }

    /// The same use, in the place of definition number `def`.
    #[must_use]
    pub fn tied(self, def: u8) -> Operand {
        Operand { tied: Some(def), ..self }
    }

    /// The same use, kept until results are written.
    #[must_use]
    pub fn late_kill(self) -> Operand {
        Operand { late_kill: true, ..self }
    }

    /// The same definition, written before all uses are read.
    #[must_use]
    pub fn early_clobber(self) -> Operand {
        Operand { early_clobber: true, ..self }
    }

    /// `size` units from `offset` of the same value.
    #[must_use]
    pub fn part(self, offset: u16, size: u16) -> Operand {
        Operand { offset: self.offset + offset, size, ..self }
    }

    /// The same with the first unit at a multiple of `align`.
    #[must_use]
    pub fn aligned(self, align: u8) -> Operand {
        Operand { align, ..self }
    }

    /// These components of the same.
    #[must_use]
    pub fn comps(self, comps: Comps) -> Operand {
        Operand { comps, ..self }
    }

    /// The same with the target's own bits.
    #[must_use]
    pub fn bits(self, bits: u32) -> Operand {
        Operand { bits, ..self }
    }

    /// The value, if it is one.
    #[inline]
    pub fn value(&self) -> Option<Value> {
        match self.what {
            What::Value(value) => Some(value),
            _ => None,
        }
    }

    /// The block, if it is the place of a branch.
    #[inline]
    pub fn target(&self) -> Option<Block> {
        match self.what {
            What::Label(block) => Some(block),
            _ => None,
        }
    }

    /// Whether it occupies registers.
    #[inline]
    pub fn in_file(&self) -> bool {
        matches!(self.what, What::Value(_) | What::Reg)
    }

    /// The numbers, within the accessed units, of those that are read or written.
    pub fn accessed(&self) -> impl Iterator<Item = u16> + use<> {
        let (comps, size) = (self.comps, self.size);
        let all = if comps == Comps::ALL { size } else { 0 };
        (0..all).chain(comps.iter().map(u16::from).filter(move |&c| c < size))
    }
}

/// A list of up to four components, each 0 to 3, in order; or all there are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Comps {
    len: u8,
    /// Two bits each, the first lowest.
    list: u8,
}

impl Comps {
    /// All units, in order.
    pub const ALL: Comps = Comps { len: 0, list: 0 };

    /// The list of these; what is beyond four entries or above 3 is cut off.
    pub fn of(list: &[u8]) -> Comps {
        let mut comps = Comps::ALL;
        for &c in list.iter().take(4) {
            comps.list |= (c & 3) << (2 * comps.len);
            comps.len += 1;
        }
        comps
    }

    /// The components whose bit is set, in rising order. No bit is the same as [`Comps::ALL`].
    pub fn mask(mask: u8) -> Comps {
        let list: Vec<u8> = (0..4).filter(|c| mask >> c & 1 != 0).collect();
        Comps::of(&list)
    }

    /// How many there are; `None` for all.
    pub fn len(self) -> Option<u8> {
        (self.len != 0).then_some(self.len)
    }

    /// Whether it lists none by name, which means all.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// The listed components in order; nothing for [`Comps::ALL`].
    pub fn iter(self) -> impl Iterator<Item = u8> {
        (0..self.len).map(move |i| self.list >> (2 * i) & 3)
    }

    /// The listed components as a set of bits; 0 for [`Comps::ALL`].
    pub fn bits(self) -> u8 {
        self.iter().fold(0, |bits, c| bits | 1 << c)
    }
}
