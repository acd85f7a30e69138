//! Why a file cannot be read: always with the byte offset of the field at fault.

use super::Part;
use std::fmt;

/// A defect that makes a SHBIN unreadable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReadError {
    /// Byte offset in the file of the field or magic at fault.
    pub offset: usize,
    /// The part that cannot be read.
    pub part: Part,
    /// What is wrong.
    pub problem: Problem,
}

/// What is wrong with a part. Offsets and sizes are in bytes and from the start of the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Problem {
    /// Another word where the magic should be.
    Magic {
        /// The four bytes found.
        found: [u8; 4],
        /// The four bytes that belong there.
        expected: [u8; 4],
    },
    /// The file ends within a header.
    Truncated {
        /// Where the header starts.
        start: u64,
        /// The header's size.
        needed: u64,
        /// The file's size.
        file: usize,
    },
    /// The DVLB claims more executables than the file has room for.
    TooManyExecutables {
        /// The number claimed.
        claimed: u32,
        /// The number of headers that fit.
        room: usize,
    },
    /// A table that reaches past the end of the file.
    PastEnd {
        /// Where the table should start.
        start: u64,
        /// Entries claimed.
        count: u32,
        /// Size of an entry.
        unit: usize,
        /// The file's size.
        file: usize,
    },
    /// Bytes claimed by two parts.
    Overlap {
        /// The claim's first byte.
        start: usize,
        /// One past its last byte.
        end: usize,
        /// The part that has some of the bytes already.
        other: Part,
        /// That part's first byte.
        other_start: usize,
        /// One past that part's last byte.
        other_end: usize,
    },
}

impl std::error::Error for ReadError {}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (part, offset) = (self.part, self.offset);
        match self.problem {
            Problem::Magic { found, expected } => {
                let [found, expected] = [&found, &expected].map(|m| m.escape_ascii());
                write!(f, "{part}: \"{expected}\" belongs at {offset:#x}, found \"{found}\"")?;
                self.write_hint(f)
            }
            Problem::Truncated { start, needed, file } => write!(
                f,
                "{part}: the header at {start:#x} needs {needed} bytes, the file ends at {file:#x} \
                 (claimed at {offset:#x})"
            ),
            Problem::TooManyExecutables { claimed, room } => write!(
                f,
                "{part}: claims {claimed} executables at {offset:#x}, the file has room for at most {room}"
            ),
            Problem::PastEnd { start, count, unit, file } => {
                let item = if unit == 1 { "bytes" } else { part.items() };
                write!(
                    f,
                    "{part}: claims {count} {item} at {start:#x}, the file ends at {file:#x} \
                     (claimed at {offset:#x})"
                )
            }
            Problem::Overlap { start, end, other, other_start, other_end } => write!(
                f,
                "{part}: bytes {start:#x}..{end:#x} overlap {other} at {other_start:#x}..{other_end:#x} \
                 (claimed at {offset:#x})"
            ),
        }
    }
}

impl ReadError {
    /// Names the relatives of SHBIN that people confuse with it.
    fn write_hint(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.problem {
            Problem::Magic { found: [b'D', b'V', b'O', b'J'], .. } => {
                f.write_str(": this is an unlinked object; link it first")
            }
            Problem::Magic { found: [b'D', b'V', b'L', b'P' | b'E'], .. } if self.part == Part::Dvlb => {
                f.write_str(": this is a section of a SHBIN without its DVLB header")
            }
            _ => Ok(()),
        }
    }
}
