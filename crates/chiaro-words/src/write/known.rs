//! Declarations that stand once, found again by what they say.
//!
//! The words themselves are the keys: the table holds where each declaration is written, under
//! a hash of it, so that neither asking nor adding copies any operand.

use spirv::Op;

use super::{Part, Section};
use crate::hash::{Map, mixed};

/// What a declaration says: its opcode and its operands without the result.
#[derive(Clone, Copy)]
pub(super) struct Said<'a> {
    pub(super) part: Part,
    pub(super) op: Op,
    /// Operands before the result: a value's type.
    pub(super) before: &'a [u32],
    /// Operands behind the result.
    pub(super) after: &'a [u32],
    pub(super) has_result: bool,
}

/// Where declarations are written, by a hash of what they say. Two that share a hash have
/// neighbouring keys.
#[derive(Clone, Debug, Default)]
pub(super) struct Known(Map<u64, (Part, usize)>);

impl Known {
    /// The operands of the declaration that says this, or the key under which to note it.
    pub(super) fn find<'s>(&self, said: Said<'_>, sections: &'s [Section]) -> Result<&'s [u32], u64> {
        let mut key = said.hash();
        while let Some(&(part, at)) = self.0.get(&key) {
            match sections[part as usize].words.get(at..) {
                Some(words) if part == said.part && said.stands_in(words) => return Ok(&words[1..]),
                _ => key = key.wrapping_add(1),
            }
        }
        Err(key)
    }

    /// Notes where a declaration is about to be written.
    pub(super) fn note(&mut self, key: u64, part: Part, sections: &[Section]) {
        self.0.insert(key, (part, sections[part as usize].words.len()));
    }
}

impl Said<'_> {
    fn hash(&self) -> u64 {
        mixed([self.op as u32, self.before.len() as u32].iter().chain(self.before).chain(self.after))
    }

    /// The first word of its instruction; `None` if it has more words than SPIR-V can count.
    fn first_word(&self) -> Option<u32> {
        let length = 1 + self.before.len() + usize::from(self.has_result) + self.after.len();
        Some(u32::from(u16::try_from(length).ok()?) << 16 | self.op as u32)
    }

    fn stands_in(&self, words: &[u32]) -> bool {
        let after = 1 + self.before.len() + usize::from(self.has_result);
        words.first().is_some_and(|&first| Some(first) == self.first_word())
            && words[1..].starts_with(self.before)
            && words.get(after..).is_some_and(|rest| rest.starts_with(self.after))
    }
}
