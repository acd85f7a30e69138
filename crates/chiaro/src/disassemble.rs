//! Containers and words to listings.

use chiaro_diag::Diagnostic;
use chiaro_pica200::container::Shbin;
use chiaro_pica200::listing::{dis, exact};
use chiaro_utgard::container::Mbs;
use chiaro_utgard::listing::exact as listing;

use crate::Target;

/// A listing that assembles to the same bytes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Disassembled {
    /// The listing.
    pub text: String,
    /// What is worth knowing about it.
    pub remarks: Vec<Diagnostic>,
}

/// Lists a container.
///
/// # Errors
/// What keeps the bytes from being a container of this target.
pub fn disassemble(target: Target, bytes: &[u8]) -> Result<Disassembled, Box<Diagnostic>> {
    match target {
        Target::Pica200 => {
            let made = dis::disassemble(&read_shbin(bytes)?);
            let remarks = made.exact.map(|why| {
                let message = "picasso's language cannot say this file; the listing spells it out";
                Diagnostic::remark(None, message).note(why)
            });
            Ok(Disassembled { text: made.text, remarks: remarks.into_iter().collect() })
        }
        Target::UtgardGp => {
            let mbs = read_mbs(bytes)?;
            let text = listing::print(&mbs);
            match chiaro_utgard::asm::parse(&text) {
                Ok(again) if again.bytes == bytes => Ok(Disassembled { text, remarks: Vec::new() }),
                _ => Err(Box::new(Diagnostic::error(None, "the listing does not assemble to the same file"))),
            }
        }
    }
}

/// Lists instruction words without a container.
///
/// For PICA200 the table holds the operand descriptors, one word each.
///
/// # Errors
/// Bytes that are not a whole number of words.
pub fn disassemble_raw(target: Target, code: &[u8], table: &[u8]) -> Result<Disassembled, Box<Diagnostic>> {
    match target {
        Target::Pica200 => {
            let code = words(code, "the code")?;
            let table: Vec<[u32; 2]> =
                words(table, "the descriptor table")?.into_iter().map(|word| [word, 0]).collect();
            Ok(Disassembled { text: exact::print_raw(&code, &table), remarks: Vec::new() })
        }
        Target::UtgardGp if !table.is_empty() => {
            Err(Box::new(Diagnostic::error(None, "this target has no descriptor table")))
        }
        Target::UtgardGp => Ok(Disassembled { text: listing::print_raw(code), remarks: Vec::new() }),
    }
}

/// Takes a container apart.
pub(crate) fn read_shbin(bytes: &[u8]) -> Result<Shbin, Box<Diagnostic>> {
    Shbin::read(bytes)
        .map_err(|error| Box::new(Diagnostic::error(None, format!("cannot read the container: {error}"))))
}

/// Takes an MBS1 file apart.
pub(crate) fn read_mbs(bytes: &[u8]) -> Result<Mbs, Box<Diagnostic>> {
    Mbs::read(bytes)
        .map_err(|error| Box::new(Diagnostic::error(None, format!("cannot read the container: {error}"))))
}

fn words(bytes: &[u8], what: &str) -> Result<Vec<u32>, Box<Diagnostic>> {
    let (words, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        let message = format!("{what} has {} bytes, which is no whole number of words", bytes.len());
        return Err(Box::new(Diagnostic::error(None, message).note("a word has 4 bytes")));
    }
    Ok(words.iter().map(|&word| u32::from_le_bytes(word)).collect())
}
