//! An instruction set, one instruction at a time.

use chiaro_isa::{Cx, Inst, Isa, Operand, ParseError, Rng, Row, WORD_BYTES, Word};

/// Words that are no instruction, or too few of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unread(pub String);

/// Words taken apart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explained {
    /// Every field with bits, value, meaning and source.
    pub text: String,
    /// Bytes of the instruction, where some are missing and taken as zero.
    pub missing: Option<usize>,
}

/// An instruction set, be a word one instruction or many units. [`Isa`] is one.
pub trait Instructions: Sync {
    /// What begins a comment on a line of instructions.
    fn comment(&self) -> &'static str {
        ";"
    }

    /// Whether hexadecimal has the bytes of an instruction in the order of memory: where instructions are not made of
    /// words of 32 bits, nobody writes them as numbers.
    fn in_bytes(&self) -> bool {
        false
    }

    /// Reads a line: the word and its number of bytes.
    ///
    /// # Errors
    /// What is wrong with it, and where in the line.
    fn parse(&self, line: &str) -> Result<(Word, usize), ParseError>;

    /// The text of a word, if it is an instruction.
    fn text(&self, word: &Word) -> Option<String>;

    /// Words taken apart field by field; `bytes` is how many are given.
    ///
    /// # Errors
    /// Why the words are no instruction.
    fn explain(&self, words: &[Word], bytes: usize) -> Result<Explained, Unread>;

    /// Bytes of an instruction, where all have the same number and several can be explained at once.
    fn bytes(&self) -> Option<usize> {
        None
    }

    /// The reference as an HTML page.
    fn html(&self) -> String;

    /// Every operation as a dialect has it, with how it is written and what it does; as the first dialect
    /// has it where the rows know no other.
    fn rows(&self, dialect: &str) -> Vec<Row>;

    /// Operands where they stand in a line of instructions; none where it cannot be read alone.
    fn operands(&self, line: &str, dialect: &str) -> Vec<Operand>;

    /// The names of all operations.
    fn operations(&self) -> Vec<&'static str>;

    /// A random legal word with its number of bytes, of an operation if one is named; `None` if
    /// there is no such operation. The same state gives the same word, everywhere and always.
    fn sample(&self, op: Option<&str>, rng: &mut Rng) -> Option<(Word, usize)>;
}

impl Instructions for Isa {
    fn parse(&self, line: &str) -> Result<(Word, usize), ParseError> {
        Isa::parse(self, line, &self.cx()).map(|parsed| (parsed.inst.word, parsed.inst.length.into()))
    }

    fn text(&self, word: &Word) -> Option<String> {
        self.decode_word(word, WORD_BYTES).ok().and_then(|inst| Isa::text(self, &inst, &self.cx()))
    }

    fn explain(&self, words: &[Word], bytes: usize) -> Result<Explained, Unread> {
        let word = words.first().copied().unwrap_or_default();
        let inst = self.decode_word(&word, WORD_BYTES).map_err(|error| Unread(error.to_string()))?;
        let missing = (bytes < usize::from(inst.length)).then_some(inst.length.into());
        Ok(Explained { text: format!("{}\n", Isa::explain(self, &inst, &self.cx())), missing })
    }

    fn html(&self) -> String {
        Isa::html(self)
    }

    fn rows(&self, dialect: &str) -> Vec<Row> {
        Isa::rows(self, number(self, dialect))
    }

    fn operands(&self, line: &str, dialect: &str) -> Vec<Operand> {
        Isa::places(self, line, &Cx { dialect: number(self, dialect), ..self.cx() })
    }

    fn operations(&self) -> Vec<&'static str> {
        self.forms.iter().map(|form| form.operation.name).collect()
    }

    fn sample(&self, op: Option<&str>, rng: &mut Rng) -> Option<(Word, usize)> {
        sample(self, op, rng).map(|inst| (inst.word, inst.length.into()))
    }
}

/// The number of a dialect among those of the rows.
fn number(isa: &Isa, dialect: &str) -> u8 {
    isa.set.dialects.iter().position(|known| *known == dialect).unwrap_or(0) as u8
}

fn sample(isa: &Isa, op: Option<&str>, rng: &mut Rng) -> Option<Inst> {
    let is_wanted = |name: &str| op.is_none_or(|op| name.eq_ignore_ascii_case(op));
    let forms: Vec<u16> = (0..isa.forms.len() as u16)
        .filter(|&form| is_wanted(isa.forms[usize::from(form)].operation.name))
        .collect();
    // Some forms have no legal word among those tried: others are taken.
    (0..64).find_map(|_| forms.get(rng.below(forms.len())).and_then(|&form| isa.sample(form, rng)))
}
