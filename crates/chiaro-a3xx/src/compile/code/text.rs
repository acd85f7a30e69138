//! Code of this machine as text, both ways: operations have the names of their rows.

use chiaro_mach::{Code, Names, ParseError, RegFile, Words, parse, print};

use super::SPILLING;
use crate::isa::{OPS, Op};

/// The files, those of spilling included.
const FILES: &[RegFile] = &SPILLING;

/// Code as text.
#[must_use]
pub fn text(code: &Code) -> String {
    let op: &dyn Fn(u32) -> String = &|number| OPS[usize::from(Op::of(number as u16).row())].name.to_owned();
    print(code, Names { files: FILES, op })
}

/// Text as code. The rules of code are not checked here.
///
/// # Errors
/// The first place that cannot be understood.
pub fn read(text: &str) -> Result<Code, ParseError> {
    let op: &dyn Fn(&str) -> Option<u32> =
        &|name| OPS.iter().position(|row| row.name == name).map(|row| row as u32);
    parse(text, Words { files: FILES, op })
}
