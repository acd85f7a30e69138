//! What a program does that it must not.

use std::fmt;

/// A fault with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Number of the wave in its group.
    pub wave: u32,
    /// The lane; the first of those that do it together.
    pub lane: u32,
    /// Bytes from the start of the code to the instruction.
    pub offset: u32,
    /// What.
    pub kind: FaultKind,
}

/// Kinds of faults.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FaultKind {
    /// Words that are no instruction, or one whose meaning nobody knows.
    Unknown(String),
    /// An instruction whose part of the machine is not here.
    NotRun(String),
    /// An access outside of every mapped range.
    Address(u64),
    /// A dword of scratch that begins at this byte of the lane's, where that is taken for a fault.
    Misaligned(u64),
    /// A register is used before what a load brings is waited for: the register, and the wait.
    TooEarly(String, String),
    /// Control goes to a place where no instruction begins.
    Target(i64),
    /// A call goes to an address where no instruction begins: bytes from the start of the code, and the calls that are
    /// open, the outermost first.
    Call(i64, Vec<u32>),
    /// Control goes back to where another call than the innermost one wants it: the same.
    Return(i64, Vec<u32>),
    /// The program says that something is wrong, by a number; the calls that are open.
    Trap(u8, Vec<u32>),
    /// A barrier that the named waves do not reach.
    Barrier(Vec<u32>),
    /// The group did not end within the instructions that it was given.
    Endless,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "wave {}, lane {}, offset {:#x}: {}", self.wave, self.lane, self.offset, self.kind)
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FaultKind::Unknown(what) => write!(f, "nobody knows what `{what}` does"),
            FaultKind::NotRun(what) => write!(f, "`{what}` is an instruction that is not run here"),
            FaultKind::Address(address) => write!(f, "address {address:#x} is not mapped"),
            FaultKind::Misaligned(at) => {
                write!(f, "a dword of scratch begins at byte {at}, no multiple of four")
            }
            FaultKind::TooEarly(register, wait) => {
                write!(f, "{register} is used before its load has come; `{wait}` must come first")
            }
            FaultKind::Target(place) => write!(f, "control goes to {place:#x}, where no instruction begins"),
            FaultKind::Call(place, open) => {
                write!(f, "a call goes to {place:#x}, where no instruction begins{}", chain(open))
            }
            FaultKind::Return(place, open) => {
                write!(f, "control goes back to {place:#x}, past the innermost call{}", chain(open))
            }
            FaultKind::Trap(number, open) => {
                write!(f, "the program calls the trap handler with the number {number}{}", chain(open))
            }
            FaultKind::Barrier(waves) => {
                write!(f, "waves {waves:?} wait at a barrier that others never reach")
            }
            FaultKind::Endless => write!(f, "the program did not end"),
        }
    }
}

/// Open calls in words, the innermost ones of many.
fn chain(open: &[u32]) -> String {
    if open.is_empty() {
        return String::new();
    }
    let left_out = open.len().saturating_sub(SHOWN);
    let shown: Vec<String> = open[left_out..].iter().map(|offset| format!("{offset:#x}")).collect();
    let before = if left_out > 0 { format!("{left_out} more > ") } else { String::new() };
    format!("; open are the calls at {before}{}", shown.join(" > "))
}

/// Open calls that a message shows.
const SHOWN: usize = 8;
