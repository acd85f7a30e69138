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
#[non_exhaustive]
pub enum EncodeError {
    /// The operand has no encoding in this field.
    Operand(&'static str),
    /// A number is outside of what the field can hold.
    Range {
        /// The field.
        field: &'static str,
        /// The number.
        value: i64,
        /// The least it can hold.
        lowest: i64,
        /// The most it can hold.
        highest: i64,
    },
    /// The operand asks for bits that an earlier one has set otherwise.
    Conflict {
        /// The field.
        field: &'static str,
        /// The earlier field, or `the opcode`.
        other: &'static str,
        /// What the two say about the bits they share, if their kinds have words for it.
        says: Option<(&'static str, &'static str)>,
    },
    /// A rule of the instruction set is broken.
    Rule(Breach),
    /// The opcode contradicts bits that are decided already.
    Opcode,
    /// The format has no field of this name.
    Name,
    /// The generation has no such operation.
    Operation,
}

impl EncodeError {
    /// The field at fault, if it is one.
    pub fn field(&self) -> Option<&'static str> {
        match self {
            EncodeError::Operand(field)
            | EncodeError::Range { field, .. }
            | EncodeError::Conflict { field, .. } => Some(field),
            EncodeError::Rule(breach) => Some(breach.field),
            EncodeError::Opcode | EncodeError::Name | EncodeError::Operation => None,
        }
    }
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
#[non_exhaustive]
pub enum ParseCause {
    /// Nothing that could be a mnemonic.
    Empty,
    /// No operation of this dialect and generation has this name;
    /// [`Isa::elsewhere`](crate::Isa::elsewhere) and
    /// [`Isa::mnemonics`](crate::Isa::mnemonics) help to say more.
    Mnemonic(String),
    /// An operand or separator is wrong.
    Text(&'static str),
    /// This fixed text is missing.
    Missing(&'static str),
    /// Text is left over behind the last operand.
    Excess,
    /// The operands cannot be encoded together.
    Encode(EncodeError),
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EncodeError::Operand(field) => write!(f, "{field} cannot be this operand"),
            EncodeError::Range { field, value, lowest, highest } => {
                write!(f, "{field} is {value}, but can only be {lowest} to {highest}")
            }
            EncodeError::Conflict { field, other, says: Some((mine, theirs)) } => {
                write!(f, "{field} {mine}, {other} {theirs}")
            }
            EncodeError::Conflict { field, other, says: None } => {
                write!(f, "{field} contradicts {other}: they share bits")
            }
            EncodeError::Rule(breach) => write!(f, "{}", breach.message),
            EncodeError::Opcode => write!(f, "this operation contradicts another one in the same word"),
            EncodeError::Name => write!(f, "the instruction has no such operand"),
            EncodeError::Operation => write!(f, "there is no such operation"),
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

impl std::error::Error for DecodeError {}
impl std::error::Error for EncodeError {}
impl std::error::Error for ParseError {}
