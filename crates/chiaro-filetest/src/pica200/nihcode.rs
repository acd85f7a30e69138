//! nihstro's language and the container layout that it writes.

use chiaro_diag::{FileId, SourceMap};
use chiaro_pica200::asm::nihcode::{Mode, NoIncludes, Options, Source, assemble};
use chiaro_pica200::container::Shbin;
use chiaro_pica200::listing::dis;
use chiaro_pica200::listing::exact::{self, Exact};
use serde_json::Value;

use super::assemble::{first, place, text};
use super::programs::{difference, from_hex};
use crate::suite::{Miss, Row};

/// The name that the rows' messages use.
const NAME: &str = "t.nih";

/// Operations that nihstro assembles with defects, which the default mode does not have.
const DEFECTS: [&str; 7] = ["mova", "dph", "mad", "rcp", "rsq", "exp", "log"];

/// `nihcode.jsonl`: the tool's bytes, which read, list and write back; or the line that it
/// rejects. Our default mode reads more than the tool does, but what the tool gets right
/// comes out the same.
pub(super) fn nihcode(row: &Row<'_>) -> Result<(), Miss> {
    let json = row.json()?;
    let source = text(&json, "src")?;
    if json["rc"] != 0 {
        return rejected(&source, &json, &text(&json, "stderr")?);
    }
    let expected = from_hex(&text(&json, "shbin")?);
    let sources = [Source { name: NAME, text: &source, file: FileId(0) }];
    let options = options(&json)?;
    let made = assemble(&sources, &options, &mut NoIncludes);
    let made = made.map_err(|errors| format!("rejected: {}", errors.first().map_or("", |e| &e.message)))?;
    if json["name"] == "mad" || DEFECTS.iter().all(|operation| !source.contains(operation)) {
        same_by_default(&sources, options, &made.shbin)?;
    }
    let bytes = made.shbin.write();
    if bytes != expected {
        return Err(difference(&bytes, &expected).into());
    }
    round_trip(&bytes)
}

/// The default mode's result is the tool's but for the entry field.
fn same_by_default(sources: &[Source<'_>], options: Options<'_>, theirs: &Shbin) -> Result<(), Miss> {
    let options = Options { mode: Mode::Strict, ..options };
    let Ok(mut ours) = assemble(sources, &options, &mut NoIncludes) else { return Ok(()) };
    ours.shbin.executables[0].entry = theirs.executables[0].entry;
    match ours.shbin == *theirs {
        true => Ok(()),
        false => Err("the default mode gives another container".into()),
    }
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
