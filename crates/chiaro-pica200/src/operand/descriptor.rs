//! Operand descriptors: sharing one table among all instructions.
//!
//! An instruction *cares* only for some bits of its descriptor: the selectors of
//! components that it reads, the mask if it writes. Two instructions share an entry
//! when they agree on what both care for; the entry then cares for both. The first
//! entry that fits is taken. MAD has five bits for the index, so its entry may have
//! to change places with a low one, and all words written before are renumbered.
//! Spec sections 7 and 20.9. [picasso]

/// Entries that the hardware has.
pub(crate) const ENTRIES: usize = 128;
/// Entries that MAD and MADI reach.
const MAD_ENTRIES: usize = 32;

const MASK: u32 = 0xf;
const SOURCE1: u32 = 0x1ff << 4;
const SOURCE2: u32 = 0x1ff << 13;
const SOURCE3: u32 = 0x1ff << 22;

/// Why there is no entry for an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Full {
    /// All entries are taken.
    Table,
    /// All entries that MAD reaches are used by other MADs.
    Mad,
    /// The entry that was asked for by number says something else.
    Chosen,
}

/// Where an instruction's descriptor is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Slot {
    pub(crate) index: u8,
    /// Two entries changed places: earlier words that name one mean the other.
    pub(crate) exchanged: Option<(u8, u8)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// Nobody's yet; only below an entry that was fixed by number.
    Free,
    Shared,
    /// Given by number in the source; never changes or moves.
    Fixed,
}

/// A question that was answered before.
#[derive(Clone, Copy)]
struct Known {
    word: u32,
    care: u32,
    index: u8,
}

/// The table while it grows.
pub(crate) struct Descriptors {
    words: [u32; ENTRIES],
    cares: [u32; ENTRIES],
    states: [State; ENTRIES],
    seconds: [u32; ENTRIES],
    len: usize,
    /// Bit k: a MAD uses entry k.
    mads: u32,
    /// Entries only ever begin to care for more, so a first fit stays the first fit
    /// until entries move; this remembers some of them.
    known: [Option<Known>; 64],
}

impl Descriptors {
    pub(crate) fn new() -> Self {
        Descriptors {
            words: [0; ENTRIES],
            cares: [0; ENTRIES],
            states: [State::Free; ENTRIES],
            seconds: [0; ENTRIES],
            len: 0,
            mads: 0,
            known: [None; 64],
        }
    }

    /// Finds or makes the entry for a descriptor; `mad` if five bits must name it.
    pub(crate) fn place(&mut self, word: u32, care: u32, mad: bool) -> Result<Slot, Full> {
        let index = self.find_or_add(word & care, word, care)?;
        if !mad {
            return Ok(Slot { index: index as u8, exchanged: None });
        }
        let low = if index < MAD_ENTRIES { index } else { self.low_entry(index).ok_or(Full::Mad)? };
        self.mads |= 1 << low;
        if low == index {
            return Ok(Slot { index: index as u8, exchanged: None });
        }
        self.exchange(low, index);
        Ok(Slot { index: low as u8, exchanged: Some((low as u8, index as u8)) })
    }

    /// Uses the entry that the source names, if it says the same.
    pub(crate) fn place_at(&mut self, index: u8, word: u32, care: u32, mad: bool) -> Result<Slot, Full> {
        let i = usize::from(index);
        let fits = i < self.len
            && self.states[i] != State::Free
            && (word ^ self.words[i]) & care & self.cares[i] == 0;
        if !fits || mad && i >= MAD_ENTRIES {
            return Err(Full::Chosen);
        }
        self.learn(i, word, care);
        if mad {
            self.mads |= 1 << i;
        }
        Ok(Slot { index, exchanged: None })
    }

    /// Fixes an entry before instructions use it; false if it is in use already.
    pub(crate) fn fix(&mut self, index: u8, word: u32, second: u32) -> bool {
        let i = usize::from(index);
        if i >= ENTRIES || self.states[i] != State::Free {
            return false;
        }
        (self.words[i], self.cares[i], self.seconds[i], self.states[i]) =
            (word, u32::MAX, second, State::Fixed);
        self.len = self.len.max(i + 1);
        self.known = [None; 64];
        true
    }

    /// The finished table, each entry with its second word.
    pub(crate) fn table(&self) -> Vec<[u32; 2]> {
        (0..self.len).map(|i| [self.words[i], self.seconds[i]]).collect()
    }

    fn find_or_add(&mut self, key: u32, word: u32, care: u32) -> Result<usize, Full> {
        let slot = (key ^ key >> 9 ^ key >> 17 ^ care >> 11) as usize % self.known.len();
        if let Some(known) = self.known[slot]
            && known.word == key
            && known.care == care
        {
            return Ok(usize::from(known.index));
        }
        let index = match self.first_fit(word, care) {
            Some(index) => index,
            None => self.add()?,
        };
        self.learn(index, word, care);
        self.known[slot] = Some(Known { word: key, care, index: index as u8 });
        Ok(index)
    }

    fn first_fit(&self, word: u32, care: u32) -> Option<usize> {
        let entries =
            self.words[..self.len].iter().zip(&self.cares[..self.len]).zip(&self.states[..self.len]);
        entries
            .enumerate()
            .find(|(_, ((have, cared), state))| {
                (word ^ **have) & care & **cared == 0 && **state != State::Free
            })
            .map(|(index, _)| index)
    }

    /// A new entry: the lowest that was left out, else one more.
    fn add(&mut self) -> Result<usize, Full> {
        let hole = self.states[..self.len].iter().position(|s| *s == State::Free);
        let index = hole.unwrap_or(self.len);
        if index == ENTRIES {
            return Err(Full::Table);
        }
        self.len = self.len.max(index + 1);
        self.states[index] = State::Shared;
        if hole.is_some() {
            self.known = [None; 64];
        }
        Ok(index)
    }

    fn learn(&mut self, index: usize, word: u32, care: u32) {
        if self.states[index] == State::Shared {
            self.words[index] =
                if self.cares[index] == 0 { word } else { self.words[index] & !care | word & care };
            self.cares[index] |= care;
        }
    }

    /// The lowest entry that a MAD may have in exchange for `index`.
    fn low_entry(&self, index: usize) -> Option<usize> {
        let movable = |i: usize| self.states[i] == State::Shared;
        (0..MAD_ENTRIES).find(|&i| self.mads >> i & 1 == 0 && movable(i) && movable(index))
    }

    fn exchange(&mut self, a: usize, b: usize) {
        self.words.swap(a, b);
        self.cares.swap(a, b);
        self.known = [None; 64];
    }
}

/// The bits of its descriptor that an instruction cares for. `opcode` is the top six
/// bits of the word; 0 for instructions without a descriptor.
pub(crate) fn care(opcode: u32, descriptor: u32) -> u32 {
    let written = 0b1111 & !swap_order(descriptor & MASK);
    let two = MASK | SOURCE1 | SOURCE2;
    match opcode {
        // Component by component: what is not written is not read.
        0x00 | 0x08..=0x0a | 0x0c | 0x0d | 0x1a | 0x1b => two & !unread(written, written, 0),
        0x0b | 0x13 => MASK | SOURCE1 & !unread(written, 0, 0),
        0x30..=0x3f => two & !unread(written, written, 0) | SOURCE3 & !unread(0, 0, written),
        0x01 => two & !unread(W, W, 0),
        0x03 | 0x18 => two & !unread(W, 0, 0),
        0x02 | 0x04 | 0x19 => two,
        0x05 | 0x06 | 0x0e | 0x0f => MASK | SOURCE1 & !unread(Y | Z | W, 0, 0),
        0x07 => MASK | SOURCE1,
        0x12 => MASK | SOURCE1 & !unread(written | Z | W, 0, 0),
        // CMP reads x and y of both, but picasso keeps all of the second. [measured]
        0x2e | 0x2f => (SOURCE1 | SOURCE2) & !unread(Z | W, 0, 0),
        _ => 0,
    }
}

/// Whether instructions of this opcode have a descriptor index in bits 0-6, as MAD
/// and MADI (in bits 0-4) do not.
pub(crate) fn has_wide_index(opcode: u32) -> bool {
    opcode < 0x20 || matches!(opcode, 0x2e | 0x2f)
}

/// Components as sets, bit 0 is x.
const Y: u32 = 2;
const Z: u32 = 4;
const W: u32 = 8;

/// A mask as descriptors have it (bit 3 is x) to a set (bit 0 is x), and back.
fn swap_order(mask: u32) -> u32 {
    (mask & 1) << 3 | (mask & 2) << 1 | (mask & 4) >> 1 | mask >> 3 & 1
}

/// The selector bits of components that the three sources do not read.
fn unread(source1: u32, source2: u32, source3: u32) -> u32 {
    let selectors = |set: u32| SELECTORS[set as usize & 15];
    selectors(source1) << 5 | selectors(source2) << 14 | selectors(source3) << 23
}

/// By set of components: the bits that select them.
const SELECTORS: [u32; 16] = {
    let mut bits = [0; 16];
    let mut set: usize = 1;
    while set < 16 {
        let first = set.trailing_zeros();
        bits[set] = bits[set & (set - 1)] | 3 << (6 - 2 * first);
        set += 1;
    }
    bits
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agreement_on_what_both_care_for_is_enough() {
        let mut table = Descriptors::new();
        let x_only = 0x0000_0368;
        let first = table.place(x_only, care(0x0e, x_only), false).unwrap();
        let other = 0x0000_03f8 & !0x1000;
        assert_eq!(care(0x0e, x_only), 0xf | 0x1ff << 4 & !(0x3f << 5));
        assert_eq!(table.place(other & !0xf0 | 0x60, care(0x0e, other), false).unwrap(), first);
        assert_eq!(table.table().len(), 1);
    }

    #[test]
    fn fixed_entries_leave_holes_that_are_filled() {
        let mut table = Descriptors::new();
        assert!(table.fix(2, 0x36f, 7));
        assert!(!table.fix(2, 0x36f, 7));
        assert_eq!(table.place(0x36f, care(0x13, 0x36f), false).unwrap().index, 2);
        assert_eq!(table.place(0x0f, care(0x13, 0x0f), false).unwrap().index, 0);
        assert_eq!(table.table(), [[0x0f, 0], [0, 0], [0x36f, 7]]);
    }

    #[test]
    fn a_mad_takes_a_low_entry() {
        let mut table = Descriptors::new();
        for selector in 0..40 {
            table.place(selector << 5 | 0xf, MASK | SOURCE1, false).unwrap();
        }
        let word = 1 << 22 | 39 << 5 | 0xf;
        let slot = table.place(word, care(0x38, word), true).unwrap();
        assert_eq!(slot, Slot { index: 0, exchanged: Some((0, 39)) });
    }
}
