//! nihstro's language and the container layout that it writes.

use chiaro_diag::{FileId, SourceMap};
use chiaro_pica200::container::Shbin;
use chiaro_pica200::dis;
use chiaro_pica200::exact::{self, Exact};
use chiaro_pica200::nihcode::{Mode, NoIncludes, Options, Source, assemble};
use serde_json::Value;

use super::assemble::{first, place, text};
use super::programs::{difference, from_hex};
use crate::vectors::{Miss, Row};

/// The name that the rows' messages use.
const NAME: &str = "t.nih";

/// `nihcode.jsonl`: the tool's bytes, which read, list and write back; or the line that it
/// rejects. Our default mode reads more than the tool does, so it is not asked here.
pub(super) fn nihcode(row: &Row<'_>) -> Result<(), Miss> {
    let json = row.json()?;
    let source = text(&json, "src")?;
    if json["rc"] != 0 {
        return rejected(&source, &json, &text(&json, "stderr")?);
    }
    let expected = from_hex(&text(&json, "shbin")?);
    let sources = [Source { name: NAME, text: &source, file: FileId(0) }];
    let made = assemble(&sources, &options(&json)?, &mut NoIncludes);
    let made = made.map_err(|errors| format!("rejected: {}", errors.first().map_or("", |e| &e.message)))?;
    let bytes = made.shbin.write();
    if bytes != expected {
        return Err(difference(&bytes, &expected).into());
    }
    round_trip(&bytes)
}

fn rejected(source: &str, json: &Value, stderr: &str) -> Result<(), Miss> {
    let mut map = SourceMap::new();
    let file = map.add(NAME, source);
    let sources = [Source { name: NAME, text: source, file }];
    let made = assemble(&sources, &options(json)?, &mut NoIncludes);
    let errors = made.err().ok_or_else(|| format!("accepted, but nihstro says {stderr}"))?;
    let Some((_, line)) = place(stderr) else { return Ok(()) };
    let lines = errors.iter().filter_map(|error| Some(map.locate(error.span?).start.line as usize));
    if lines.into_iter().any(|found| found == line) {
        return Ok(());
    }
    Err(format!("rejected elsewhere: {}; nihstro says {stderr}", first(&errors, &map)).into())
}

/// The tool's arguments: `-g` for geometry programs, `-e LABEL` for the entry.
fn options(json: &Value) -> Result<Options<'_>, Miss> {
    let mut options = Options { mode: Mode::Nihstro, ..Options::default() };
    let mut args = json["args"].as_array().into_iter().flatten().filter_map(Value::as_str);
    while let Some(arg) = args.next() {
        match arg {
            "-g" | "--geo_shader" => options.geometry = true,
            "-e" | "--entrypoint" => options.entry = args.next().unwrap_or("main"),
            _ => match arg.strip_prefix("--entrypoint=") {
                Some(entry) => options.entry = entry,
                None => return Err(Miss::Skipped(format!("no option of ours answers to `{arg}`"))),
            },
        }
    }
    Ok(options)
}

/// Read, listed, assembled: the same bytes.
fn round_trip(bytes: &[u8]) -> Result<(), Miss> {
    let shbin = Shbin::read(bytes).map_err(|e| format!("cannot be read again: {e}"))?;
    let listing = dis::disassemble(&shbin);
    let again = match exact::read(&listing.text, FileId(0)) {
        Ok(Exact::Shbin(shbin)) => shbin.write(),
        _ => return Err("the listing does not read as a container".into()),
    };
    if again == bytes {
        Ok(())
    } else {
        Err(format!("listed and assembled: {}", difference(&again, bytes)).into())
    }
}
