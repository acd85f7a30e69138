//! Words of Utgard GP one by one: each drives many units.

use chiaro_isa::{Cx, Operand, ParseError, Rng, Row, Word};
use chiaro_target::{Explained, Instructions, Unread};

use crate::asm::instruction;
use crate::explain;
use crate::isa::UTGARD_GP;
use crate::isa::word;
use crate::isa::word::BYTES;

/// The words of the vertex processor.
pub(super) struct Words;

impl Instructions for Words {
    /// `;` stands between units.
    fn comment(&self) -> &'static str {
        "//"
    }

    fn parse(&self, line: &str) -> Result<(Word, usize), ParseError> {
        instruction::parse(line).map(|word| (narrow(word), BYTES))
    }

    fn text(&self, word: &Word) -> Option<String> {
        Some(explain::text(wide(word)))
    }

    fn explain(&self, words: &[Word], bytes: usize) -> Result<Explained, Unread> {
        let program: Vec<_> = words.iter().map(wide).collect();
        let whole = bytes.next_multiple_of(BYTES);
        Ok(Explained { text: explain::explain(&program), missing: (bytes < whole).then_some(whole) })
    }

    fn bytes(&self) -> Option<usize> {
        Some(BYTES)
    }

    fn html(&self) -> String {
        UTGARD_GP.html(
            "Mali Utgard GP",
            "An instruction is a word of 128 bits. Each unit below is a small instruction set over the \
             same bits; a unit that is idle has no text.",
        )
    }

    fn rows(&self, _: &str) -> Vec<Row> {
        UTGARD_GP.units.iter().flat_map(|unit| unit.rows(0)).collect()
    }

    fn operands(&self, line: &str, _: &str) -> Vec<Operand> {
        UTGARD_GP.places(line, &Cx::default())
    }

    fn operations(&self) -> Vec<&'static str> {
        explain::operations().collect()
    }

    fn sample(&self, op: Option<&str>, rng: &mut Rng) -> Option<(Word, usize)> {
        explain::sample(op, rng).map(|word| (narrow(word), BYTES))
    }
}

fn wide(word: &Word) -> word::Word {
    word::Word(u128::from(word.0[0]) | u128::from(word.0[1]) << 64)
}

fn narrow(word: word::Word) -> Word {
    Word([word.0 as u64, (word.0 >> 64) as u64, 0])
}
