//! picasso's language: single instructions, descriptor tables, mistakes, whole programs.

use chiaro_diag::{Diagnostic, Severity, SourceMap};
use chiaro_isa::Cx;
use chiaro_pica200::asm::picasso::{self, Assembly, Mode};
use chiaro_pica200::isa::{PICA200, fetch, halves};
use chiaro_pica200::operand::{PICASSO, PLAIN};
use serde_json::Value;

use crate::suite::{Miss, Row, hex_words};

/// Assembles named texts, as picasso does or strictly.
pub(super) fn assemble(
    files: &[(String, String)],
    mode: Mode,
    no_nop: bool,
) -> (SourceMap, Result<Assembly, Vec<Diagnostic>>) {
    let mut map = SourceMap::new();
    for (name, text) in files {
        map.add(name.as_str(), text.as_str());
    }
    let source = |file| picasso::Source { name: map.name(file), text: map.text(file), file };
    let sources: Vec<_> = map.ids().map(source).collect();
    let result = picasso::assemble(&sources, &picasso::Options { mode, no_nop });
    (map, result)
}

/// One text without a file, which must assemble.
fn assemble_text(text: String, mode: Mode) -> Result<Assembly, Miss> {
    let (map, result) = assemble(&[("t.v.pica".into(), text)], mode, false);
    result.map_err(|errors| format!("does not assemble: {}", first(&errors, &map)).into())
}

/// `enc_single.tsv`: class, text, words, descriptors.
///
/// The text gives the words; the words give a text, in each dialect, that gives them again.
pub(super) fn single(row: &Row<'_>) -> Result<(), Miss> {
    let [_, text, code, descriptors] = row.columns()?;
    let (code, descriptors) = (hex_words(code)?, hex_words(descriptors)?);
    let made = assemble_text(format!(".proc main\n{text}\n.end\n"), Mode::Picasso)?;
    compare(&made, &code, &descriptors)?;
    code.iter().try_for_each(|&word| prints_back(word, &made.shbin.program.descriptors))
}

fn prints_back(word: u32, descriptors: &[[u32; 2]]) -> Result<(), Miss> {
    let full = fetch(word, descriptors);
    let inst = PICA200.decode_word(&full, 8).map_err(|e| format!("{word:08x} does not decode: {e}"))?;
    for dialect in [PLAIN, PICASSO] {
        let cx = Cx { dialect, ..PICA200.cx() };
        let text = PICA200.text(&inst, &cx).ok_or_else(|| format!("{word:08x} has no text"))?;
        let again = PICA200.parse(&text, &cx).map_err(|e| format!("`{text}` does not parse: {e}"))?;
        if again.inst.word != full {
            return Err(format!("`{text}` gives {:08x?} again", halves(again.inst.word)).into());
        }
    }
    Ok(())
}

/// `opdesc_alloc.jsonl`: a source with its words and descriptor table, or where it is
/// rejected, in both modes.
pub(super) fn descriptors(row: &Row<'_>) -> Result<(), Miss> {
    let json = row.json()?;
    let source = text(&json, "src")?;
    for mode in [Mode::Picasso, Mode::Strict] {
        if json["rc"] == 0 {
            let made = assemble_text(source.clone(), mode)?;
            compare(&made, &hex_words(&text(&json, "code")?)?, &hex_words(&text(&json, "opdesc")?)?)?;
        } else {
            let files = [("t.v.pica".to_owned(), source.clone())];
            rejected(&files, mode, false, &text(&json, "stderr")?)?;
        }
    }
    Ok(())
}

/// Words and descriptor table.
pub(super) fn compare(made: &Assembly, code: &[u32], descriptors: &[u32]) -> Result<(), Miss> {
    let program = &made.shbin.program;
    if program.code != code {
        return Err(format!("words are {:08x?}, not {code:08x?}", program.code).into());
    }
    let found: Vec<u32> = program.descriptors.iter().map(|d| d[0]).collect();
    if found != descriptors {
        return Err(format!("descriptors are {found:08x?}, not {descriptors:08x?}").into());
    }
    Ok(())
}

/// The sources must be rejected, first of all at the line that picasso names; where it
/// crashed it names none.
pub(super) fn rejected(
    files: &[(String, String)],
    mode: Mode,
    no_nop: bool,
    stderr: &str,
) -> Result<(), Miss> {
    let (map, result) = assemble(files, mode, no_nop);
    let messages = result.err().ok_or_else(|| format!("{mode:?} accepts it, but picasso says {stderr}"))?;
    let Some((file, line)) = place(stderr) else { return Ok(()) };
    let error = messages.iter().find(|d| d.severity == Severity::Error);
    let at = error.and_then(|d| d.span).map(|span| map.locate(span));
    if at.is_none_or(|at| at.file == file && at.start.line as usize == line) {
        return Ok(());
    }
    Err(format!("{mode:?} rejects it elsewhere: {}; picasso says {stderr}", first(&messages, &map)).into())
}

/// File and line of a message `file:line: text`.
pub(super) fn place(message: &str) -> Option<(&str, usize)> {
    let mut parts = message.splitn(3, ':');
    let file = parts.next()?;
    Some((file, parts.next()?.parse().ok()?))
}

/// The first error, as `file:line: text`.
pub(super) fn first(errors: &[Diagnostic], map: &SourceMap) -> String {
    let Some(error) = errors.first() else { return "no reason given".into() };
    match error.span.map(|span| map.locate(span)) {
        Some(at) => format!("{}:{}: {}", at.file, at.start.line, error.message),
        None => error.message.clone(),
    }
}

/// A text of a row.
pub(super) fn text(json: &Value, name: &str) -> Result<String, Miss> {
    let text = json[name].as_str().map(String::from);
    text.ok_or_else(|| format!("the row lacks the text `{name}`").into())
}
