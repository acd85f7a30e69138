//! Words against the text of Mesa's disassembler, and our own text against the words.

use chiaro_utgard::asm::instruction;
use chiaro_utgard::check::{Options, check};
use chiaro_utgard::explain::text;
use chiaro_utgard::isa::word::Word;
use chiaro_utgard::listing::mesa;
use serde_json::Value;

use crate::suite::{Miss, Row};

/// `decode*.jsonl`: programs with the text of Mesa's disassembler.
pub(super) fn decode(row: &Row<'_>) -> Result<(), Miss> {
    let row = row.json()?;
    listings(&words(&row)?, &row)
}

/// Programs that Mesa compiled: the rules hold as well.
pub(super) fn compiled(row: &Row<'_>) -> Result<(), Miss> {
    let row = row.json()?;
    let words = words(&row)?;
    listings(&words, &row)?;
    rules(&words).map_err(Miss::Failed)
}

/// Both listings.
pub(super) fn listings(words: &[Word], row: &Value) -> Result<(), Miss> {
    let want = row["text"].as_str().ok_or("the row has no `text`")?;
    let found = mesa::print(words);
    if found != want {
        return Err(format!("Mesa's listing is\n{found}not\n{want}").into());
    }
    assembles_back(words).map_err(Miss::Failed)
}

/// Our listing, which loses nothing.
pub(super) fn assembles_back(words: &[Word]) -> Result<(), String> {
    for &word in words {
        let text = text(word);
        match instruction::parse(&text) {
            Ok(again) if again == word => {}
            Ok(again) => {
                return Err(format!(
                    "`{text}` assembles to {:08x?}, not {:08x?}",
                    again.words(),
                    word.words()
                ));
            }
            Err(error) => return Err(format!("`{text}` does not assemble: {error}")),
        }
    }
    Ok(())
}

/// The first rule that a program breaks.
pub(super) fn rules(words: &[Word]) -> Result<(), String> {
    match check(words, &Options::default()).first() {
        Some(f) => {
            let at = f.at.unwrap_or_default();
            Err(format!("instruction {at} breaks `{}`: {}", f.rule.id, f.message))
        }
        None => Ok(()),
    }
}

/// The row's words, four of 32 bits each; none where there are none.
pub(super) fn words(row: &Value) -> Result<Vec<Word>, Miss> {
    let word = |four: &Value| {
        let part = |i: usize| u32::from_str_radix(four[i].as_str()?, 16).ok();
        Some(Word::of([part(0)?, part(1)?, part(2)?, part(3)?]))
    };
    let all: Option<Vec<Word>> = row["words"].as_array().into_iter().flatten().map(word).collect();
    all.ok_or_else(|| "`words` are not four words for each instruction".into())
}
