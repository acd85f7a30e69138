//! Instruction sets behind one door, be a word one instruction or many units.

use chiaro_isa::{Inst, Isa, ParseError, Rng, WORD_BYTES, Word};
use chiaro_utgard::isa::UTGARD_GP;
use chiaro_utgard::isa::word::BYTES;
use chiaro_utgard::listing::plain;
use chiaro_utgard::{explain, isa::word};

/// An instruction set.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum Instructions {
    /// A word is an instruction.
    One(&'static Isa),
    /// A word of Utgard GP drives many units, each an instruction set of its own.
    Utgard,
}

/// Words that are no instruction, or too few of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unread(pub String);

impl Instructions {
    /// What begins a comment on a line of instructions.
    #[must_use]
    pub fn comment(self) -> &'static str {
        match self {
            Instructions::One(_) => ";",
            // `;` stands between units.
            Instructions::Utgard => "//",
        }
    }

    /// Reads a line: the word and its number of bytes.
    ///
    /// # Errors
    /// What is wrong with it, and where in the line.
    pub fn parse(self, line: &str) -> Result<(Word, usize), ParseError> {
        match self {
            Instructions::One(isa) => {
                isa.parse(line, &isa.cx()).map(|parsed| (parsed.inst.word, parsed.inst.length.into()))
            }
            Instructions::Utgard => plain::parse(line).map(|word| (narrow(word), BYTES)),
        }
    }

    /// The text of a word, if it is an instruction.
    #[must_use]
    pub fn text(self, word: &Word) -> Option<String> {
        match self {
            Instructions::One(isa) => {
                isa.decode_word(word, WORD_BYTES).ok().and_then(|inst| isa.text(&inst, &isa.cx()))
            }
            Instructions::Utgard => Some(explain::text(wide(word))),
        }
    }

    /// Words taken apart field by field; `bytes` is how many are given. The number is that of the
    /// bytes of the instruction, where some are missing and taken as zero.
    ///
    /// # Errors
    /// Why the words are no instruction.
    pub fn explain(self, words: &[Word], bytes: usize) -> Result<(String, Option<usize>), Unread> {
        match self {
            Instructions::One(isa) => {
                let word = words.first().copied().unwrap_or_default();
                let inst = isa.decode_word(&word, WORD_BYTES).map_err(|error| Unread(error.to_string()))?;
                let missing = (bytes < usize::from(inst.length)).then_some(inst.length.into());
                Ok((format!("{}\n", isa.explain(&inst, &isa.cx())), missing))
            }
            Instructions::Utgard => {
                let program: Vec<_> = words.iter().map(wide).collect();
                let whole = bytes.next_multiple_of(BYTES);
                Ok((explain::explain(&program), (bytes < whole).then_some(whole)))
            }
        }
    }

    /// Bytes of an instruction, where all have the same number and several can be explained at once.
    #[must_use]
    pub fn bytes(self) -> Option<usize> {
        match self {
            Instructions::One(_) => None,
            Instructions::Utgard => Some(BYTES),
        }
    }

    /// The reference as an HTML page.
    #[must_use]
    pub fn html(self) -> String {
        match self {
            Instructions::One(isa) => isa.html(),
            Instructions::Utgard => UTGARD_GP.html(
                "Mali Utgard GP",
                "An instruction is a word of 128 bits. Each unit below is a small instruction set over the \
                 same bits; a unit that is idle has no text.",
            ),
        }
    }

    /// The names of all operations.
    #[must_use]
    pub fn operations(self) -> Vec<&'static str> {
        match self {
            Instructions::One(isa) => isa.forms.iter().map(|form| form.operation.name).collect(),
            Instructions::Utgard => explain::operations().collect(),
        }
    }

    /// A random legal word with its number of bytes, of an operation if one is named; `None` if
    /// there is no such operation. The same state gives the same word, everywhere and always.
    #[must_use]
    pub fn sample(self, op: Option<&str>, rng: &mut Rng) -> Option<(Word, usize)> {
        match self {
            Instructions::One(isa) => sample_one(isa, op, rng).map(|inst| (inst.word, inst.length.into())),
            Instructions::Utgard => explain::sample(op, rng).map(|word| (narrow(word), BYTES)),
        }
    }
}

fn sample_one(isa: &Isa, op: Option<&str>, rng: &mut Rng) -> Option<Inst> {
    let is_wanted = |name: &str| op.is_none_or(|op| name.eq_ignore_ascii_case(op));
    let forms: Vec<u16> = (0..isa.forms.len() as u16)
        .filter(|&form| is_wanted(isa.forms[usize::from(form)].operation.name))
        .collect();
    // Some forms have no legal word among those tried: others are taken.
    (0..64).find_map(|_| forms.get(rng.below(forms.len())).and_then(|&form| isa.sample(form, rng)))
}

fn wide(word: &Word) -> word::Word {
    word::Word(u128::from(word.0[0]) | u128::from(word.0[1]) << 64)
}

fn narrow(word: word::Word) -> Word {
    Word([word.0 as u64, (word.0 >> 64) as u64, 0])
}
