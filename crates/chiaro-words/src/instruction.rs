//! Words taken apart into instructions.
//!
//! Nothing here knows what an instruction means; [`crate::grammar`] knows which of its words
//! are ids. Words of the other byte order are turned by [`header`]'s caller: [`swapped`] tells.
//! [SPIR-V 1.6, 2.3]

use std::fmt;

use spirv::Op;

/// Words before the first instruction.
pub const HEADER: usize = 5;

/// One instruction in a stream of words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Instruction<'a> {
    /// Where its first word stands, counted from the start of the module.
    pub at: usize,
    /// What it does.
    pub op: Op,
    /// Its words without the first.
    pub operands: &'a [u32],
}

impl<'a> Instruction<'a> {
    /// An operand's word; zero past the end, so that short instructions are harmless.
    #[must_use]
    pub fn word(&self, n: usize) -> u32 {
        self.operands.get(n).copied().unwrap_or(0)
    }

    /// The operands from one on; empty past the end.
    #[must_use]
    pub fn rest(&self, n: usize) -> &'a [u32] {
        self.operands.get(n..).unwrap_or(&[])
    }

    /// The text that starts at an operand; bytes that are not UTF-8 are replaced.
    #[must_use]
    pub fn text(&self, n: usize) -> String {
        text(self.rest(n)).0
    }
}

/// A literal text and the words it takes.
pub(crate) fn text(words: &[u32]) -> (String, usize) {
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).take_while(|&b| b != 0).collect();
    let used = (bytes.len() / 4 + 1).min(words.len());
    let text = String::from_utf8(bytes);
    (text.unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()), used)
}

/// Words that are no module, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Malformed {
    /// The word, counted from the start of the module.
    pub word: usize,
    /// What is wrong there.
    pub reason: Reason,
}

/// What is wrong with words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// Fewer words than a header has, or another first word than SPIR-V's.
    NotSpirv,
    /// An instruction of no words, or of more than there are.
    Length,
    /// An instruction that is not known, by number.
    UnknownOpcode(u16),
    /// An instruction that is known, but not which of its words are ids.
    UnknownOperands(Op),
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.reason {
            Reason::NotSpirv => write!(f, "this is not SPIR-V")?,
            Reason::Length => write!(f, "the instruction does not fit the module")?,
            Reason::UnknownOpcode(number) => write!(f, "unknown opcode {number}")?,
            Reason::UnknownOperands(op) => write!(f, "the operands of `Op{op:?}` are not known")?,
        }
        write!(f, " (word {})", self.word)
    }
}

impl std::error::Error for Malformed {}

/// Whether these are words of the other byte order, which `u32::swap_bytes` mends.
#[must_use]
pub fn swapped(words: &[u32]) -> bool {
    words.first() == Some(&spirv::MAGIC_NUMBER.swap_bytes())
}

/// The version word and the bound of ids of a module.
///
/// # Errors
/// Words that do not start with a header.
pub fn header(words: &[u32]) -> Result<(u32, u32), Malformed> {
    match *words {
        [spirv::MAGIC_NUMBER, version, _, bound, _, ..] => Ok((version, bound)),
        _ => Err(Malformed { word: 0, reason: Reason::NotSpirv }),
    }
}

/// The instructions of a module; nothing follows an error.
///
/// # Errors
/// Each item may be one; see [`Reason`].
pub fn instructions(words: &[u32]) -> Instructions<'_> {
    let broken = header(words).err();
    Instructions { words, at: HEADER, broken }
}

/// What [`instructions`] answers.
#[derive(Clone, Debug)]
pub struct Instructions<'a> {
    words: &'a [u32],
    at: usize,
    broken: Option<Malformed>,
}

impl<'a> Iterator for Instructions<'a> {
    type Item = Result<Instruction<'a>, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(error) = self.broken.take() {
            self.at = self.words.len();
            return Some(Err(error));
        }
        let first = *self.words.get(self.at)?;
        let at = self.at;
        let item = take(self.words, at, first);
        self.at = item.as_ref().map_or(self.words.len(), |i| at + 1 + i.operands.len());
        Some(item)
    }
}

fn take(words: &[u32], at: usize, first: u32) -> Result<Instruction<'_>, Malformed> {
    let (length, number) = ((first >> 16) as usize, first as u16);
    let broken = |reason| Malformed { word: at, reason };
    let operands = words.get(at + 1..at + length).ok_or(broken(Reason::Length))?;
    let op = crate::newer::of_number(number).ok_or(broken(Reason::UnknownOpcode(number)))?;
    Ok(Instruction { at, op, operands })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_streams_end_with_one_error() {
        let reasons = |tail: &[u32]| {
            let mut words = vec![spirv::MAGIC_NUMBER, 0x1_0300, 0, 9, 0];
            words.extend(tail);
            instructions(&words).map(|i| i.map(|i| i.op).map_err(|e| e.reason)).collect::<Vec<_>>()
        };
        assert_eq!(reasons(&[0x1_0000, 0x2_0011]), [Ok(Op::Nop), Err(Reason::Length)]);
        assert_eq!(reasons(&[0]), [Err(Reason::Length)]);
        assert_eq!(reasons(&[0x1_ffff, 0x1_0000]), [Err(Reason::UnknownOpcode(0xffff))]);
        assert_eq!(instructions(&[1, 2]).count(), 1);
        assert!(swapped(&[0x0302_2307]));
    }

    #[test]
    fn texts_end_at_their_zero() {
        assert_eq!(text(&[u32::from_le_bytes(*b"main"), 0, 7]), ("main".into(), 2));
        assert_eq!(text(&[u32::from_le_bytes(*b"ab\0\0")]), ("ab".into(), 1));
        assert_eq!(text(&[]), (String::new(), 0));
    }
}
