//! What a block needs to know of the program around it.

use crate::compile::graph::Place;
use crate::isa::selector::{OPERANDS, Select};
use crate::isa::word::{self, Word};
use crate::regs::{BANK, BANK_MASK, REGISTER_WAIT, TEMPORARY_WAIT};

/// The surroundings of a block.
#[derive(Clone, Debug)]
pub struct Around {
    /// First vec4 of uniform memory that constants may have.
    pub constants_from: u16,
    /// Constants that are placed, four to a vec4; bits.
    pub constants: Vec<[Option<u32>; 4]>,
    /// Register components (16 masks of four bits) that hold values of other blocks.
    pub reserved: [u8; BANK],
    /// Instructions at the end of the block in which each register may not be stored.
    registers: [[u8; 4]; BANK],
    /// The same for temporaries.
    temporaries: u32,
}

impl Around {
    /// A block behind which nothing comes.
    #[must_use]
    pub fn new(constants_from: u16, reserved: [u8; BANK]) -> Around {
        Around { constants_from, constants: Vec::new(), reserved, registers: [[0; 4]; BANK], temporaries: 0 }
    }

    /// States what is reached by falling out of the block. A way that takes a branch leaves more
    /// time than the latency of a register \[ARM], so only the first instructions count.
    pub(crate) fn let_follow(&mut self, words: impl Iterator<Item = Word>) {
        self.registers = [[0; 4]; BANK];
        self.temporaries = 0;
        let mut before = Word::IDLE;
        for (at, word) in words.take(usize::from(REGISTER_WAIT)).enumerate() {
            // Where anything follows, its branches may lead to a load at once.
            self.temporaries = u32::from(TEMPORARY_WAIT) - 1;
            for (index, component, back) in reads(word, before) {
                let margin = &mut self.registers[usize::from(index & BANK_MASK)][usize::from(component & 3)];
                let loaded = (at as u8).saturating_sub(back);
                *margin = (*margin).max((REGISTER_WAIT as u8 - 1).saturating_sub(loaded));
            }
            before = word;
        }
    }

    /// Instructions at the end of the block in which a place may not be stored.
    pub(super) fn margin(&self, place: Place) -> u32 {
        match place {
            Place::Output(..) => 0,
            Place::Register(i, c) => {
                u32::from(self.registers[usize::from(i & BANK_MASK)][usize::from(c & 3)])
            }
            Place::Temporary(_) => self.temporaries,
        }
    }
}

/// Register components that an instruction reads, and how many instructions before they were
/// loaded.
fn reads(word: Word, before: Word) -> impl Iterator<Item = (u8, u8, u8)> {
    let port0 =
        |word: Word| (word.get(word::PORT0_ATTRIBUTE) == 0).then_some(word.get(word::PORT0_INDEX) as u8);
    OPERANDS.into_iter().filter_map(move |(field, is_b, _)| match Select::of(word.get(field), is_b) {
        Select::Port0 { component, back: 0 } => Some((port0(word)?, component, 0)),
        Select::Port0 { component, back } => Some((port0(before)?, component, back)),
        Select::Port1(component) => Some((word.get(word::PORT1_INDEX) as u8, component, 0)),
        _ => None,
    })
}
