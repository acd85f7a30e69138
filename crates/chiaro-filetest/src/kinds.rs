//! Kinds of rows that are the same for every target, checked through the door.

use chiaro::{AssembleOptions, DisassembleOptions, Settings, Target, no_files};
use chiaro_diag::SourceMap;
use chiaro_isa::Word;

use crate::suite::Miss;

/// A word and its text: each gives the other. Words are of 32 bits, the lowest first.
///
/// # Errors
/// What differs.
pub fn instruction(target: &dyn Target, settings: &Settings, words: &[u32], text: &str) -> Result<(), Miss> {
    let set = target.instructions(settings).map_err(|errors| format!("{errors:?}"))?;
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let word = Word::load(&bytes);
    match set.text(&word) {
        Some(printed) if printed == text => {}
        Some(printed) => return Err(format!("prints `{printed}`, not `{text}`").into()),
        None => return Err(format!("{words:08x?} is no instruction, not `{text}`").into()),
    }
    match set.parse(text) {
        Ok((parsed, length)) if parsed == word && length == bytes.len() => Ok(()),
        Ok((parsed, length)) => {
            let found = &parsed.to_bytes()[..length];
            Err(format!("`{text}` parses to {found:02x?}, not {bytes:02x?}").into())
        }
        Err(error) => Err(format!("`{text}` does not parse: {error}").into()),
    }
}

/// Words that nothing is: they have no text.
///
/// # Errors
/// The text that they have.
pub fn no_instruction(target: &dyn Target, settings: &Settings, words: &[u32]) -> Result<(), Miss> {
    let set = target.instructions(settings).map_err(|errors| format!("{errors:?}"))?;
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    match set.text(&Word::load(&bytes)) {
        Some(text) => Err(format!("{words:08x?} is `{text}`, and should be nothing").into()),
        None => Ok(()),
    }
}

/// A container: its listing assembles to the identical file.
///
/// # Errors
/// What keeps it from that.
pub fn container(target: &dyn Target, bytes: &[u8]) -> Result<(), Miss> {
    let listing = target.disassemble(bytes, &DisassembleOptions::default());
    let listing = listing.map_err(|error| format!("cannot be listed: {}", error.message))?;
    let mut sources = SourceMap::new();
    sources.add("listing", listing.text);
    match target.assemble(&mut sources, &AssembleOptions::default(), &mut no_files) {
        Ok(made) if made.bytes == bytes => Ok(()),
        Ok(_) => Err("the listing assembles to another file".into()),
        Err(errors) => {
            let first = errors.first().map(|error| error.message.as_str()).unwrap_or_default();
            Err(format!("the listing does not assemble: {first}").into())
        }
    }
}

/// Bytes from hexadecimal digits.
#[must_use]
pub fn bytes(hex: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = hex.as_bytes().as_chunks::<2>();
    let byte = |pair: &[u8; 2]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    if rest.is_empty() { pairs.iter().map(byte).collect() } else { None }
}
