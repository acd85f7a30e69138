//! Replaces words of a program while everything that counts words follows: jumps, calls,
//! blocks, entry points, labels.
//!
//! A place before the change stays, one behind it moves. A place right at the change stays too,
//! so that what jumps there runs the new words first, and a block that ends there does not take
//! them in. Places within removed words fall to where those were.

use crate::container::{Dvle, Shbin};
use crate::isa::{Op, PICA200};
use chiaro_isa::{Inst, Value, Word};
use std::fmt;
use std::ops::Range;

/// Why words cannot be replaced. The file is unchanged then.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SpliceError {
    /// The words to replace are not all there.
    Range {
        /// One past the last word asked for.
        end: u32,
        /// Words of the code.
        words: usize,
    },
    /// A word's target or count would no longer fit its field.
    Field {
        /// The word, by its old place.
        word: u32,
        /// The value it would need.
        needed: u32,
        /// The most that the field holds.
        allowed: u32,
    },
}

impl std::error::Error for SpliceError {}

impl fmt::Display for SpliceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SpliceError::Range { end, words } => {
                write!(f, "word {end:#x} is past the code, which has {words} words")
            }
            SpliceError::Field { word, needed, allowed } => {
                write!(f, "word {word:#x} would need {needed} in a field that holds {allowed}")
            }
        }
    }
}

/// Largest values of DST and NUM (spec section 6).
const TARGET_MAX: u32 = 0xfff;
const COUNT_MAX: u32 = 0xff;

/// Replaces the words in `range` by others; an empty range inserts. The new words are taken as
/// they are: their targets count in the new code.
///
/// # Errors
/// If the range lies outside of the code, or a target or count of the other words gets too large.
pub fn splice(file: &mut Shbin, range: Range<u32>, words: &[u32]) -> Result<(), SpliceError> {
    let code = &file.program.code;
    if range.start > range.end || range.end as usize > code.len() {
        return Err(SpliceError::Range { end: range.end, words: code.len() });
    }
    let change = Change { range: range.clone(), words: words.len() as u32 };
    let moved: Result<Vec<u32>, SpliceError> = (0..)
        .zip(code)
        .map(|(at, &word)| if range.contains(&at) { Ok(word) } else { change.word(at, word) })
        .collect();
    let mut moved = moved?;
    moved.splice(range.start as usize..range.end as usize, words.iter().copied());
    file.program.code = moved;
    file.executables.iter_mut().for_each(|dvle| change.executable(dvle));
    Ok(())
}

struct Change {
    range: Range<u32>,
    /// Words that take the place of the range.
    words: u32,
}

impl Change {
    fn place(&self, old: u32) -> u32 {
        match old {
            _ if old <= self.range.start => old,
            _ if old < self.range.end => self.range.start,
            _ => (old - self.range.end).saturating_add(self.range.start + self.words),
        }
    }

    /// One past the end of what starts and ends at these places.
    fn length(&self, start: u32, length: u32) -> u32 {
        self.place(start.saturating_add(length)) - self.place(start)
    }

    fn word(&self, at: u32, word: u32) -> Result<u32, SpliceError> {
        let Ok(mut inst) = PICA200.decode_word(&Word::from(u64::from(word)), 8) else { return Ok(word) };
        let Some(target) = field(&inst, "target") else { return Ok(word) };
        // LOOP names its last word, the others the first word behind a part.
        let last = u32::from(Op::of(PICA200.form(&inst).op) == Op::Loop);
        self.put(&mut inst, at, "target", (self.place(target + last).saturating_sub(last), TARGET_MAX))?;
        if let Some(count) = field(&inst, "count") {
            self.put(&mut inst, at, "count", (self.length(target, count), COUNT_MAX))?;
        }
        Ok(crate::isa::halves(inst.word).0)
    }

    fn put(&self, inst: &mut Inst, word: u32, name: &str, value: (u32, u32)) -> Result<(), SpliceError> {
        let (needed, allowed) = value;
        let fits = needed <= allowed;
        let put = PICA200.put(inst, name, Value::Int(needed.into()), &PICA200.cx());
        if fits && put.is_ok() { Ok(()) } else { Err(SpliceError::Field { word, needed, allowed }) }
    }

    fn executable(&self, dvle: &mut Dvle) {
        dvle.entry = self.place(dvle.entry);
        dvle.end = self.place(dvle.end);
        for label in &mut dvle.labels {
            if label.size != u32::MAX {
                label.size = self.length(label.offset, label.size);
            }
            label.offset = self.place(label.offset);
        }
    }
}

fn field(inst: &Inst, name: &str) -> Option<u32> {
    PICA200.value(inst, name, &PICA200.cx())?.int().map(|n| n as u32)
}
