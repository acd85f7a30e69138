//! Files and packets that hold programs. spec section 26.
//!
//! | module | is |
//! |---|---|
//! | this one | raw programs, both directions |
//! | [`packet`] | `CP_LOAD_STATE`, both directions |
//! | `program` | compiled shaders with their interface, both directions (feature `target`) |
//! | [`rd`] | captures, for reading |
//! | [`binary`] | the vendor's program binaries, for reading |

pub mod binary;
mod bytes;
mod error;
pub mod packet;
#[cfg(feature = "target")]
pub mod program;
pub mod rd;
#[cfg(feature = "target")]
mod state;

pub use error::Error;

/// How a compiled shader of this project begins: JSON, whose first field says what it is.
pub const PROGRAM: &[u8] = b"{\n  \"a3xx\":";

/// What a file holds, by its first bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A compiled shader as this project writes it.
    Program,
    /// A capture.
    Rd,
    /// A program binary of the first format.
    Binary,
    /// A program binary of the second format.
    Binary2,
    /// Words and nothing else.
    Raw,
}

/// Tells files apart: the second binary format and captures begin with numbers of their
/// own, the first format holds the dword that ends its sections.
pub fn kind(data: &[u8]) -> Kind {
    let first = bytes::u32_at(data, 0);
    let marker = binary::END_OF_SECTION.to_le_bytes();
    match first {
        _ if data.starts_with(PROGRAM) => Kind::Program,
        Some(binary::SECOND_FORMAT) => Kind::Binary2,
        // Empty words look like sections of the kind 0 without data.
        Some(1..) if rd::has_section(data) => Kind::Rd,
        _ if data.windows(4).any(|w| w == marker) => Kind::Binary,
        _ => Kind::Raw,
    }
}

/// A raw program as words, low dword first.
///
/// # Errors
/// If the length is no multiple of eight.
pub fn words(data: &[u8]) -> Result<Vec<u64>, Error> {
    let (whole, rest) = data.as_chunks::<8>();
    if !rest.is_empty() {
        let message = format!("{} bytes are left behind the last word of 8", rest.len());
        return Err(Error::new(data.len() - rest.len(), message));
    }
    Ok(whole.iter().map(|chunk| u64::from_le_bytes(*chunk)).collect())
}

/// Words as a raw program.
pub fn raw(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}
