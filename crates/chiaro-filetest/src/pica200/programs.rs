//! Whole programs: bytes, header text, what a loader derives, and the way back.

use std::fs;

use chiaro_pica200::asm::picasso::Mode;
use chiaro_pica200::container::outmap::OutputMap;
use chiaro_pica200::container::{Dvle, Shbin};
use chiaro_pica200::listing::dis;
use serde_json::{Value, json};

use super::assemble::{assemble, first, text};
use super::diagnostics::{flag, sha256, tells_of_picasso};
use crate::suite::{Miss, Row};

/// `programs.jsonl`, with the sources and the SHBIN files in `programs/`.
pub(super) fn program(row: &Row<'_>) -> Result<(), Miss> {
    let json = row.json()?;
    let folder = row.folder.join("programs");
    let read = |name: &str| {
        fs::read_to_string(folder.join(name)).map_err(|e| Miss::Skipped(format!("cannot read `{name}`: {e}")))
    };
    let names = json["files"].as_array().ok_or("the row lacks `files`")?.iter().filter_map(Value::as_str);
    let files = names.map(|name| Ok((name.to_owned(), read(name)?))).collect::<Result<Vec<_>, Miss>>()?;
    let expected = from_hex(&read(&format!("{}.shbin.hex", text(&json, "name")?))?);

    let (map, result) = assemble(&files, Mode::Picasso, flag(&json, "-n"));
    let made = result.map_err(|errors| format!("does not assemble: {}", first(&errors, &map)))?;
    let bytes = made.shbin.write();
    if bytes != expected {
        return Err(difference(&bytes, &expected).into());
    }
    if json["sha256"].as_str().is_some_and(|sum| sum != sha256(&bytes)) {
        return Err("sha256 differs".into());
    }
    if json["header"].as_str().is_some_and(|header| without_tool(header) != without_tool(&made.header)) {
        return Err(format!("the header is\n{}", made.header).into());
    }
    let shbin = Shbin::read(&bytes).map_err(|e| format!("cannot be read again: {e}"))?;
    same_strictly(&files, flag(&json, "-n"), &bytes)?;
    let derived: Vec<Value> = shbin.executables.iter().enumerate().map(derive).collect();
    if json["dvle"] != Value::Array(derived.clone()) {
        return Err(format!("a loader derives {}", Value::Array(derived)).into());
    }
    round_trip(&shbin, &bytes)
}

/// The default mode gives the same bytes, or says what picasso misreads.
fn same_strictly(files: &[(String, String)], no_nop: bool, bytes: &[u8]) -> Result<(), Miss> {
    let (map, result) = assemble(files, Mode::Strict, no_nop);
    match result {
        Ok(made) if made.shbin.write() != bytes => Err("the default mode gives other bytes".into()),
        Err(errors) if !errors.iter().any(tells_of_picasso) => {
            Err(format!("rejected without a word about picasso: {}", first(&errors, &map)).into())
        }
        _ => Ok(()),
    }
}

/// What libctru derives from an executable.
fn derive((index, dvle): (usize, &Dvle)) -> Value {
    let map = OutputMap::libctru(&dvle.outputs);
    let [mode, first, full, count] = dvle.geometry;
    json!({
        "index": index,
        "type": dvle.stage.byte(),
        "merge": dvle.merge,
        "gsh_mode": mode,
        "gsh_fixed_start": first,
        "gsh_variable_num": full,
        "gsh_fixed_num": count,
        "main": dvle.entry,
        "endmain": dvle.end,
        "outmap_mask": format!("{:02x}", map.mask),
        "outmap_total": map.total,
        "outmap": map.words.map(|word| format!("{word:08x}")),
        "outmap_mode": map.mode,
        "outmap_clock": format!("{:08x}", map.clock),
    })
}

/// The listing, in picasso's language, assembles to the same file.
fn round_trip(shbin: &Shbin, bytes: &[u8]) -> Result<(), Miss> {
    let listing = dis::disassemble(shbin);
    if let Some(why) = listing.exact {
        return Err(format!("the listing had to be spelled out: {why}").into());
    }
    let (map, result) = assemble(&[("listing.pica".into(), listing.text)], Mode::Strict, false);
    let again =
        result.map_err(|errors| format!("the listing does not assemble: {}", first(&errors, &map)))?;
    let again = again.shbin.write();
    if again == bytes {
        Ok(())
    } else {
        Err(format!("listed and assembled: {}", difference(&again, bytes)).into())
    }
}

/// A header names the tool that wrote it in its first line.
fn without_tool(header: &str) -> &str {
    header
        .split_once('\n')
        .map_or(header, |(first, rest)| if first.starts_with("//") { rest } else { header })
}

/// Where two files part.
pub(super) fn difference(found: &[u8], expected: &[u8]) -> String {
    match found.iter().zip(expected).position(|(a, b)| a != b) {
        Some(at) => format!("byte {at:#x} is {:02x}, not {:02x}", found[at], expected[at]),
        None => format!("{} bytes, not {}", found.len(), expected.len()),
    }
}

/// Bytes written in hexadecimal, with line ends anywhere.
pub(super) fn from_hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
    let pair =
        |pair: &[u8]| std::str::from_utf8(pair).ok().and_then(|pair| u8::from_str_radix(pair, 16).ok());
    digits.chunks(2).filter_map(pair).collect()
}
