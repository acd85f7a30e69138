//! `shaders_gpu320_1.jsonl`: Mesa's binaries, read, written, checked.

use super::{is_comment, strings, words};
use crate::vectors::{Miss, Row};
use chiaro_a3xx::asm::{self, Options};
use chiaro_a3xx::check;
use chiaro_a3xx::listing::mesa;
use chiaro_a3xx::listing::{self, Style};
use chiaro_diag::{Printer, SourceMap};
use chiaro_isa::Out;

/// A binary: its text is Mesa's, the listing assembles to it, and no rule is broken.
pub(super) fn binary(row: &Row<'_>) -> Result<(), Miss> {
    let row = row.json()?;
    if is_comment(&row) {
        return Ok(());
    }
    let name = row["name"].as_str().unwrap_or_default();
    let words = words(&row["words"])?;
    texts(&words, &strings(&row["text"]))?;
    let text = mesa::listing(&words, Style::default());
    let mut sources = SourceMap::new();
    let file = sources.add(name, text.as_str());
    let (program, _) = asm::assemble(file, &text, Options::default())
        .map_err(|errors| Miss::Failed(Printer::plain().print(&errors, &sources)))?;
    if program.image() != words {
        return Err(Miss::Failed(format!("{name}: the listing assembles to other words")));
    }
    match check::check(&words, 0, None).first() {
        None => Ok(()),
        Some(finding) => Err(Miss::Failed(format!("{name}: {finding}"))),
    }
}

/// Line by line; branches go to labels in the row's text.
fn texts(words: &[u64], want: &[&str]) -> Result<(), Miss> {
    let want = want.iter().filter(|line| !line.ends_with(':'));
    for (word, want) in words.iter().zip(want).filter(|(_, want)| !want.contains("#l")) {
        let mut out = Out::default();
        listing::line(*word, Style { compat: true, ..Style::default() }, &mut out);
        if out.as_str() != *want {
            return Err(Miss::Failed(format!("`{}` instead of `{want}`", out.as_str())));
        }
    }
    Ok(())
}
