//! What is wrong with an instruction, as plain data: callers make diagnostics of it.

use std::fmt;

/// A place in a line of text and what is wrong there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault {
    /// First byte in the text.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// What is wrong, without a full stop.
    pub why: &'static str,
}

/// Why a word is not an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DecodeError {
    /// The stream ends inside the instruction; it would take this many bytes.
    Truncated(u8),
    /// No form has these bits.
    Unknown,
}

/// Why operands are not an instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EncodeError {
    /// The operand has no encoding in this field.
    Operand(&'static str),
    /// The operand asks for bits that an earlier one has set otherwise.
    Conflict(&'static str),
    /// A rule of the instruction set is broken.
    Rule(Breach),
}

/// A rule that an instruction breaks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Breach {
    /// The rule.
    pub rule: &'static str,
    /// The field at fault.
    pub field: &'static str,
    /// What is wrong, without a full stop.
    pub message: String,
}

/// Why a text is not an instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// First byte at fault.
    pub start: u32,
    /// One past the last byte at fault.
    pub end: u32,
    /// What kind of mistake it is.
    pub cause: ParseCause,
}

/// The kinds of mistake in a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ParseCause {
    /// Nothing that could be a mnemonic.
    Empty,
    /// No operation of this dialect and generation has this name.
    Mnemonic(String),
    /// An operand or separator is wrong.
    Text(&'static str),
    /// This fixed text is missing.
    Missing(String),
    /// Text is left over behind the last operand.
    Excess,
    /// The operands cannot be encoded together.
    Encode(EncodeError),
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EncodeError::Operand(field) => write!(f, "{field} has no encoding here"),
            EncodeError::Conflict(field) => write!(f, "{field} contradicts another operand"),
            EncodeError::Rule(breach) => write!(f, "{}", breach.message),
        }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.cause {
            ParseCause::Empty => write!(f, "there is no instruction"),
            ParseCause::Mnemonic(name) => write!(f, "no instruction is called `{name}`"),
            ParseCause::Text(why) => write!(f, "{why}"),
            ParseCause::Missing(text) => write!(f, "expected `{text}`"),
            ParseCause::Excess => write!(f, "there are too many operands"),
            ParseCause::Encode(e) => write!(f, "{e}"),
        }
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecodeError::Truncated(n) => write!(f, "the code ends inside an instruction of {n} bytes"),
            DecodeError::Unknown => write!(f, "no instruction has these bits"),
        }
    }
}
