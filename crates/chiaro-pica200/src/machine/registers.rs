//! Which slots hold which registers.

use std::fmt;

use chiaro_sim::{Code, Slot};

use crate::regs::{bank, selected};

/// A register of a lane that can be asked for after a run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Register {
    /// v0..v15.
    Input(u8),
    /// o0..o15.
    Output(u8),
    /// r0..r15.
    Temporary(u8),
}

impl fmt::Display for Register {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Register::Input(n) => write!(f, "v{n}"),
            Register::Output(n) => write!(f, "o{n}"),
            Register::Temporary(n) => write!(f, "r{n}"),
        }
    }
}

/// A source register, as an instruction names it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Named {
    /// [`bank`].
    pub(crate) file: u8,
    /// Number in the bank.
    pub(crate) index: u16,
    /// IDX: 0 none, 1 a0.x, 2 a0.y, 3 aL. Zero unless a c register is named, as
    /// the others ignore it (section 10).
    pub(crate) indexed: u8,
}

/// A source operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Source {
    pub(crate) register: Named,
    pub(crate) selector: u16,
    pub(crate) negated: bool,
}

impl Source {
    /// The register's component that operand component `i` reads.
    pub(crate) fn component(&self, i: usize) -> usize {
        usize::from(selected(self.selector, i))
    }
}

/// The slots of a program's registers.
#[derive(Clone, Debug)]
pub(crate) struct Registers {
    /// v, r, o: 16 rows of four slots each.
    v: Slot,
    r: Slot,
    o: Slot,
    /// c0..c95, as far as the program names them.
    floats: Vec<Option<Slot>>,
    /// a0.x and a0.y.
    pub(crate) a: [Slot; 2],
    /// What indexing by a0.x, a0.y and aL adds.
    pub(crate) offset: [Slot; 3],
    /// cmp.x and cmp.y, as truth values.
    pub(crate) cmp: [Slot; 2],
    /// 1.0 in every lane.
    pub(crate) one: Slot,
    /// 0 in every lane.
    pub(crate) zero: Slot,
    /// The integers 128 and 256 in every lane.
    pub(crate) limits: [Slot; 2],
    /// Four slots each for sources that are computed, and for intermediates.
    pub(crate) spare: [Slot; 3],
    /// Indexed rows that the current straight run has fetched.
    fetched: Vec<(Named, Slot)>,
    /// Slots for those, used again in every straight run.
    rows: Vec<Slot>,
}

/// The table with c0..c95, and ones up to index 127 (section 10).
pub(crate) const FLOATS: u8 = 0;

/// How many indexed rows a straight run keeps at once.
const MOST_ROWS: usize = 16;

impl Registers {
    pub(crate) fn new(code: &mut Code) -> Self {
        let mut rows = |n: u16| code.slots(4 * n);
        let (v, r, o) = (rows(16), rows(16), rows(16));
        let spare = [rows(1), rows(1), rows(1)];
        let mut one = || code.slots(1);
        Self {
            v,
            r,
            o,
            floats: vec![None; 96],
            a: [one(), one()],
            offset: [one(), one(), one()],
            cmp: [one(), one()],
            one: one(),
            zero: one(),
            limits: [one(), one()],
            spare,
            fetched: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// The four slots of a source register; indexed ones are fetched first,
    /// unless the straight run has them already.
    pub(crate) fn row(&mut self, named: Named, code: &mut Code) -> [Slot; 4] {
        if named.indexed != 0 {
            return self.indexed_row(named, code).quad();
        }
        let n = named.index & 15;
        match named.file {
            bank::INPUT => self.v.at(4 * n).quad(),
            bank::TEMP => self.r.at(4 * n).quad(),
            bank::OUTPUT => self.o.at(4 * n).quad(),
            _ => match self.floats.get_mut(usize::from(named.index)) {
                Some(place) => place.get_or_insert_with(|| code.slots(4)).quad(),
                None => [self.one; 4],
            },
        }
    }

    fn indexed_row(&mut self, named: Named, code: &mut Code) -> Slot {
        if let Some((_, slot)) = self.fetched.iter().find(|(row, _)| *row == named) {
            return *slot;
        }
        if self.fetched.len() == MOST_ROWS {
            self.fetched.clear();
        }
        let place = self.fetched.len();
        if place == self.rows.len() {
            self.rows.push(code.slots(4));
        }
        let slot = self.rows[place];
        code.row(slot.quad(), FLOATS, self.offset[usize::from(named.indexed - 1) % 3], named.index);
        self.fetched.push((named, slot));
        slot
    }

    /// An address register or control flow has changed: fetch rows again.
    pub(crate) fn forget_rows(&mut self) {
        self.fetched.clear();
    }

    /// The slots of a register by its public name.
    pub(crate) fn quad(&self, register: Register) -> [Slot; 4] {
        self.first(register).quad()
    }

    /// The first of a register's four slots, which are next to each other.
    pub(crate) fn first(&self, register: Register) -> Slot {
        let (first, n) = match register {
            Register::Input(n) => (self.v, n),
            Register::Output(n) => (self.o, n),
            Register::Temporary(n) => (self.r, n),
        };
        first.at(4 * u16::from(n & 15))
    }

    /// The first slots of v, r and o, of 64 each.
    pub(crate) fn files(&self) -> [Slot; 3] {
        [self.v, self.r, self.o]
    }

    /// c registers that have slots of their own.
    pub(crate) fn float(&self, index: usize) -> Option<[Slot; 4]> {
        self.floats.get(index).copied().flatten().map(Slot::quad)
    }

    /// Every slot that an invocation starts with anew: v, r, o, a0, cmp.
    pub(crate) fn volatile(&self) -> impl Iterator<Item = Slot> + '_ {
        let vectors =
            [self.v, self.r, self.o].into_iter().flat_map(|first| (0..64).map(move |n| first.at(n)));
        vectors.chain(self.a).chain(self.offset).chain(self.cmp)
    }

    /// True for slots of v.
    pub(crate) fn is_input(&self, slot: Slot) -> bool {
        (self.v.0..self.v.0 + 64).contains(&slot.0)
    }

    /// True for slots of v, r and o, which start with a stated value.
    pub(crate) fn is_vector(&self, slot: Slot) -> bool {
        [self.v, self.r, self.o].iter().any(|first| (first.0..first.0 + 64).contains(&slot.0))
    }
}
