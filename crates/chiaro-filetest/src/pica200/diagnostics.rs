//! Sources with mistakes: what picasso rejects, and what it accepts in silence.

use chiaro_diag::Diagnostic;
use chiaro_pica200::asm::picasso::Mode;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::assemble::{assemble, compare, first, place, rejected, text};
use crate::suite::{Miss, Row, hex_words};

/// Where the default mode differs from picasso on purpose.
///
/// Columns: a piece of the source or of picasso's message, the verdict, the reason. See the file's head.
const MODES: &str = include_str!("modes.tsv");

/// `asm_diagnostics.jsonl`.
pub(super) fn diagnostics(row: &Row<'_>) -> Result<(), Miss> {
    let json = row.json()?;
    let files = files(&json)?;
    let no_nop = flag(&json, "-n") || flag(&json, "--no-nop");
    let stderr = text(&json, "stderr")?;
    if json["rc"] != 0 {
        rejected(&files, Mode::Picasso, no_nop, &stderr)?;
        return rejected(&files, Mode::Strict, no_nop, &stderr);
    }
    accepted_by_picasso(&json, &files, no_nop, &stderr)?;
    accepted_strictly(&json, &files, no_nop, &stderr)
}

/// `--compat`: the same words, and a warning wherever picasso has one.
fn accepted_by_picasso(
    json: &Value,
    files: &[(String, String)],
    no_nop: bool,
    stderr: &str,
) -> Result<(), Miss> {
    let (map, result) = assemble(files, Mode::Picasso, no_nop);
    let made = result.map_err(|errors| format!("compat mode rejects it: {}", first(&errors, &map)))?;
    same_result(json, &made)?;
    for (file, line) in stderr.lines().filter_map(place) {
        let agrees = |d: &Diagnostic| {
            let at = d.span.map(|span| map.locate(span));
            at.is_some_and(|at| at.file == file && at.start.line as usize == line)
        };
        if !made.warnings.iter().any(agrees) {
            return Err(format!("compat mode says nothing about {file}:{line}").into());
        }
    }
    Ok(())
}

/// The default mode: as the table says. Of a row that the table lacks, what is rejected must
/// say what picasso would have done, and what passes must give picasso's words.
fn accepted_strictly(
    json: &Value,
    files: &[(String, String)],
    no_nop: bool,
    stderr: &str,
) -> Result<(), Miss> {
    let (map, result) = assemble(files, Mode::Strict, no_nop);
    let found = match &result {
        Err(_) => "refused",
        Ok(made) if made.warnings.is_empty() => "passes",
        Ok(_) => "warned",
    };
    match (entry(files, stderr), result) {
        (Some(verdict), _) if verdict != found => {
            Err(format!("{found} in the default mode, not {verdict}").into())
        }
        (None, Err(errors)) if !errors.iter().any(tells_of_picasso) => {
            Err(format!("rejected without a word about picasso: {}", first(&errors, &map)).into())
        }
        (_, Err(_)) => Ok(()),
        (_, Ok(made)) => same_result(json, &made),
    }
}

/// Whether a message says what picasso does.
pub(super) fn tells_of_picasso(error: &Diagnostic) -> bool {
    let texts = error.notes.iter().chain(&error.help).chain(std::iter::once(&error.message));
    texts.chain(std::iter::once(&error.label)).any(|text| text.contains("picasso"))
}

/// The table's word on a source.
fn entry(files: &[(String, String)], stderr: &str) -> Option<&'static str> {
    let rows = MODES.lines().filter(|row| !row.is_empty() && !row.starts_with('#'));
    let mut columns = rows.map(|row| row.split('\t'));
    columns.find_map(|mut row| {
        let piece = row.next()?.replace("\\n", "\n");
        let texts = files.iter().map(|(_, text)| text.as_str()).chain([stderr]);
        texts.into_iter().any(|text| text.contains(&piece)).then(|| row.next()).flatten()
    })
}

fn same_result(json: &Value, made: &chiaro_pica200::asm::picasso::Assembly) -> Result<(), Miss> {
    if let (Some(code), Some(descriptors)) = (json["code"].as_str(), json["opdesc"].as_str()) {
        compare(made, &hex_words(code)?, &hex_words(descriptors)?)?;
    }
    match json["sha256"].as_str() {
        Some(expected) if sha256(&made.shbin.write()) != expected => Err("sha256 differs".into()),
        _ => Ok(()),
    }
}

/// SHA-256 in hexadecimal.
pub(super) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whether the row's command line has an option.
pub(super) fn flag(json: &Value, name: &str) -> bool {
    json["args"].as_array().is_some_and(|args| args.iter().any(|arg| arg == name))
}

fn files(json: &Value) -> Result<Vec<(String, String)>, Miss> {
    let files = json["files"].as_array().ok_or("the row lacks `files`")?;
    let pair = |file: &Value| Some((file[0].as_str()?.to_owned(), file[1].as_str()?.to_owned()));
    files.iter().map(|file| pair(file).ok_or_else(|| "a file is not a pair of texts".into())).collect()
}
