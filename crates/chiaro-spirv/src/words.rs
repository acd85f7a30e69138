//! The words of a module: header, byte order, instructions.
//!
//! Nothing here allocates per instruction, and nothing trusts the input: an instruction that
//! would reach past the end, or one of no words, is a fault.

use crate::error::{Fault, ReadError, Res};

/// The first word of every module, in the byte order of its producer.
pub const MAGIC: u32 = 0x0723_0203;

/// Words of the header.
const HEADER: usize = 5;

/// The words in a file's bytes, whichever byte order the file has.
///
/// # Errors
/// When the length is no multiple of four or the file does not start as SPIR-V does.
pub fn words_of(bytes: &[u8]) -> Result<Vec<u32>, ReadError> {
    let (words, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        return Err(ReadError::header("the file's length is no multiple of 4 bytes"));
    }
    match words.first().map(|w| u32::from_le_bytes(*w)) {
        Some(MAGIC) => Ok(words.iter().map(|w| u32::from_le_bytes(*w)).collect()),
        Some(first) if first.swap_bytes() == MAGIC => {
            Ok(words.iter().map(|w| u32::from_be_bytes(*w)).collect())
        }
        _ => Err(ReadError::header("the file does not start with SPIR-V's magic number")),
    }
}

/// A module's words in this machine's order, and what its header says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Words<'a> {
    pub(crate) all: &'a [u32],
    /// Ids are below it.
    pub(crate) bound: u32,
}

impl<'a> Words<'a> {
    /// Checks the header.
    pub(crate) fn new(all: &'a [u32]) -> Result<Words<'a>, ReadError> {
        if all.first() != Some(&MAGIC) {
            return Err(ReadError::header("the words do not start with SPIR-V's magic number"));
        }
        if all.len() < HEADER {
            return Err(ReadError::header("the header has fewer than 5 words"));
        }
        let (version, bound) = (all[1], all[3]);
        if version >> 16 != 1 || version >> 8 & 0xff > 6 {
            return Err(ReadError::header(format!(
                "version {}.{} is not 1.0 to 1.6",
                version >> 16,
                version >> 8 & 0xff
            )));
        }
        // Tables are as long as the bound, so it must be in proportion to the input.
        if bound as usize > all.len().saturating_mul(16).saturating_add(1 << 16) {
            return Err(ReadError::header(format!(
                "the bound of ids, {bound}, is out of proportion to {} words",
                all.len()
            )));
        }
        Ok(Words { all, bound })
    }

    /// All instructions from the first one.
    pub(crate) fn instructions(self) -> Instructions<'a> {
        self.from(HEADER)
    }

    /// The instructions from a word on, where one starts.
    pub(crate) fn from(self, at: usize) -> Instructions<'a> {
        Instructions { words: self.all, at }
    }
}

/// Goes from instruction to instruction.
#[derive(Clone, Debug)]
pub(crate) struct Instructions<'a> {
    words: &'a [u32],
    at: usize,
}

impl<'a> Instructions<'a> {
    /// The next one; `None` at the end.
    #[inline]
    pub(crate) fn step(&mut self) -> Res<Option<Inst<'a>>> {
        let Some(&head) = self.words.get(self.at) else { return Ok(None) };
        let len = (head >> 16) as usize;
        if len == 0 {
            return Err(Fault::from("an instruction of no words"));
        }
        let Some(operands) = self.words.get(self.at + 1..self.at + len) else {
            return Err(Fault::from("the instruction reaches past the end of the module"));
        };
        let inst = Inst { at: self.at, op: (head & 0xffff) as u16, operands };
        self.at += len;
        Ok(Some(inst))
    }

    /// The word at which the next one starts.
    pub(crate) fn at(&self) -> usize {
        self.at
    }
}

/// An instruction where it stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inst<'a> {
    /// The word at which it starts.
    pub(crate) at: usize,
    /// Its opcode.
    pub(crate) op: u16,
    /// All words but the first.
    pub(crate) operands: &'a [u32],
}

impl<'a> Inst<'a> {
    /// Operand word `i`.
    #[inline]
    pub(crate) fn word(&self, i: usize) -> Res<u32> {
        self.operands.get(i).copied().ok_or(Fault::from("too few operands"))
    }

    /// The operand words from `i` on.
    pub(crate) fn rest(&self, i: usize) -> &'a [u32] {
        self.operands.get(i..).unwrap_or(&[])
    }

    /// The text that starts at operand word `i`, and how many words it takes.
    pub(crate) fn text(&self, i: usize) -> Res<(String, usize)> {
        text(self.rest(i)).ok_or(Fault::from("a string without an end"))
    }

    /// The opcode's enumerant, if it is known.
    pub(crate) fn opcode(&self) -> Option<spirv::Op> {
        spirv::Op::from_u32(u32::from(self.op))
    }
}

/// A string in words, low byte first, and the words it takes; bytes that are no UTF-8 are
/// replaced.
pub(crate) fn text(words: &[u32]) -> Option<(String, usize)> {
    let mut bytes = Vec::new();
    for (i, word) in words.iter().enumerate() {
        for byte in word.to_le_bytes() {
            if byte == 0 {
                return Some((String::from_utf8_lossy(&bytes).into_owned(), i + 1));
            }
            bytes.push(byte);
        }
    }
    None
}

/// Whether an instruction's number lies in a run of the grammar.
pub(crate) fn between(op: spirv::Op, first: spirv::Op, last: spirv::Op) -> bool {
    (first as u32..=last as u32).contains(&(op as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_byte_orders_are_read() {
        let words = [MAGIC, 0x0001_0300, 0, 1, 0, 0x0001_0000];
        let little: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let big: Vec<u8> = words.iter().flat_map(|w| w.to_be_bytes()).collect();
        assert_eq!(words_of(&little).unwrap(), words);
        assert_eq!(words_of(&big).unwrap(), words);
        assert_eq!(Words::new(&words).unwrap().bound, 1);
    }

    #[test]
    fn headers_out_of_proportion_are_refused() {
        assert!(words_of(&[3, 2, 0x23]).is_err());
        assert!(Words::new(&[MAGIC, 0x0001_0700, 0, 1, 0]).is_err());
        assert!(Words::new(&[MAGIC, 0x0001_0000, 0, u32::MAX, 0]).is_err());
        assert!(Words::new(&[MAGIC, 0x0001_0000]).is_err());
    }

    #[test]
    fn strings_end_with_a_zero_byte() {
        assert_eq!(text(&[0x6e69_616d, 0]), Some(("main".into(), 2)));
        assert_eq!(text(&[0x6e69_616d]), None);
    }
}
