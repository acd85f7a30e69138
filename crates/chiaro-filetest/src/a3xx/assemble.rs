//! Texts to words: spellings, lines of the old assembler, programs with labels.

use super::{is_comment, strings, word, words};
use crate::suite::{Miss, Row};
use chiaro_a3xx::asm::{self, Facts, Options};
use chiaro_a3xx::operand::PGMDUMP_2013;
use chiaro_diag::{Printer, SourceMap};

/// What Mesa accepts in silence and we refuse, by a piece of the message.
const REFUSED: [(&str, &str); 9] = [
    ("this does not belong here", "Mesa drops (ss) and (rptN) of category 5"),
    ("is full precision", "Mesa makes one size of mixed sources"),
    ("is half,", "Mesa makes one size of mixed sources"),
    ("constants go from c0 to c511", "Mesa wraps constant numbers"),
    ("registers go from", "Mesa wraps register numbers"),
    ("an integer immediate is", "Mesa wraps immediates"),
    ("have no (abs)", "Mesa drops (abs) in category 3"),
    ("an offset from a0.x is", "Mesa wraps offsets"),
    ("is a half register", "Mesa drops the size of a texture result"),
];

/// A spelling: Mesa's word, or an error of ours where Mesa corrupts.
pub(super) fn syntax(row: &Row<'_>) -> Result<(), Miss> {
    let [text, want, _] = row.columns()?;
    let ours = asm::instruction(text, Options { compat: true, ..Options::default() });
    match (ours, want) {
        (Err(_), "ERR" | "CRASH") => Ok(()),
        (Ok(ours), "ERR" | "CRASH") => Err(Miss::Failed(format!("`{text}` becomes {ours:016x}"))),
        (Ok(ours), want) if ours == word(want)? => Ok(()),
        (Ok(ours), _) => Err(Miss::Failed(format!("`{text}` becomes {ours:016x}"))),
        (Err(e), want) => refused(text, &e.to_string(), want),
    }
}

fn refused(text: &str, message: &str, want: &str) -> Result<(), Miss> {
    if let Some((_, reason)) = REFUSED.iter().find(|(piece, _)| message.contains(piece)) {
        return Err(Miss::Skipped(format!("{reason}; ours says: {message}")));
    }
    let later = asm::instruction(text, Options { compat: true, generation: 3, ..Options::default() });
    match later {
        Ok(later) if want == "00000000_00000000" || later == word(want)? => {
            Err(Miss::Skipped("Mesa assembles instructions of A6xx for generation 300".to_owned()))
        }
        _ => Err(Miss::Failed(format!("`{text}` is not read: {message}"))),
    }
}

/// A line of pgmdump's: the old assembler's word, or the one it was printed from.
pub(super) fn old(row: &Row<'_>) -> Result<(), Miss> {
    let [class, text, made, from] = row.columns()?;
    let ours = asm::instruction(text, Options { compat: true, dialect: PGMDUMP_2013, ..Options::default() });
    let made = if made == "ERR" { None } else { Some(word(made)?) };
    let from = if from == "=" { made } else { Some(word(from)?) };
    match ours {
        Ok(ours) if Some(ours) == made || Some(ours) == from => Ok(()),
        Ok(_) if text.contains("sad.s32") => skip("the old tools read sad.s32 as half"),
        Ok(_) if class.starts_with("cat1.rel") => skip("the text lacks the (r) of the word"),
        Ok(_) if class.starts_with("cat2") => {
            skip("the text shows neither bit 46 of predicates nor which immediates are of the table")
        }
        Err(_) if text.contains("unknown(") => skip("the text is none"),
        Err(_) if text.contains("rgetpos") => skip("the text lacks the source of rgetpos"),
        Ok(ours) => Err(Miss::Failed(format!("`{text}` becomes {ours:016x}"))),
        Err(e) => Err(Miss::Failed(format!("`{text}` is not read: {e}"))),
    }
}

fn skip(reason: &str) -> Result<(), Miss> {
    Err(Miss::Skipped(reason.to_owned()))
}

/// A program with labels: its image, and what Mesa derives from it.
pub(super) fn program(row: &Row<'_>) -> Result<(), Miss> {
    let row = row.json()?;
    if is_comment(&row) {
        return Ok(());
    }
    let text = strings(&row["asm"]).join("\n");
    let mut sources = SourceMap::new();
    let file = sources.add("program.asm", text.as_str());
    let (program, _) = asm::assemble(file, &text, Options::default())
        .map_err(|errors| Miss::Failed(Printer::plain().print(&errors, &sources)))?;
    if program.image() != words(&row["words"])? {
        return Err("the words differ".into());
    }
    let facts = in_words(program.facts(0));
    match row["info"].as_str() {
        Some(info) if info == facts => Ok(()),
        info => Err(Miss::Failed(format!("{facts}, Mesa has {info:?}"))),
    }
}

fn in_words(facts: Facts) -> String {
    let Facts { granules, constants, full, half, read, instructions, nops } = facts;
    format!(
        "instrlen {granules} constlen {constants} max_reg {full} max_half_reg {half} max_const {read} instrs {instructions} nops {nops}"
    )
}
