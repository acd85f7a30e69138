//! `shaders_gpu320_1.jsonl`: Mesa's binaries, read, written, checked.

use super::{is_comment, strings, words};
use crate::suite::{Miss, Row};
use chiaro_a3xx::asm::{self, Options};
use chiaro_a3xx::check;
use chiaro_a3xx::listing::mesa;
use chiaro_a3xx::listing::{self, Style};
use chiaro_a3xx::report::{Stage, Statistics};
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
    if let Some(finding) = check::check(&words, 0, None).first() {
        return Err(Miss::Failed(format!("{name}, word {:?}: {}", finding.at, finding.message)));
    }
    statistics(&words, &row)
}

/// Numbers that the driver makes larger than the program: constants that only it reads, and
/// inputs that are outputs without an instruction.
const OF_THE_DRIVER: [&str; 3] = ["constlen", "full", "waves"];

/// Our numbers under Mesa's names are Mesa's.
fn statistics(words: &[u64], row: &serde_json::Value) -> Result<(), Miss> {
    let stage = if row["stage"] == "frag" { Stage::Fragment } else { Stage::Vertex };
    for (what, ours) in Statistics::of(words, stage).rows() {
        let mesa = row["stats"][what].as_u64();
        let driver = OF_THE_DRIVER.contains(&what) && (what == "constlen" || words[0] >> 55 == 6);
        if mesa.is_some_and(|mesa| mesa != u64::from(ours)) && !driver {
            return Err(Miss::Failed(format!("{}: {what} is {ours}, Mesa has {mesa:?}", row["name"])));
        }
    }
    Ok(())
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
