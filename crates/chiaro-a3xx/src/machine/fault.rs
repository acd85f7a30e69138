//! What a program does that hardware does not define, or not as meant.

use std::fmt;

use super::places::Register;

/// A fault with its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The instruction.
    pub instruction: u32,
    /// The lane; the first of those that do it together.
    pub lane: u32,
    /// What.
    pub kind: FaultKind,
}

/// Kinds of faults.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FaultKind {
    /// A word that no instruction of the machine has, or one whose meaning nobody knows.
    Unknown(&'static str),
    /// A register is read before its result is there, `slots` after the write.
    TooEarly {
        /// Which.
        register: Register,
        /// Slots that lie between.
        slots: u8,
        /// Slots that have to.
        needed: u8,
    },
    /// A register is read or written before a flag has waited for its result.
    BeforeFlag(Register, &'static str),
    /// A register is overwritten that a slower instruction may still read.
    StillRead(Register),
    /// Lanes join at an instruction without `(jp)`.
    NotJoined,
    /// Lanes were still parked when the program ended.
    LeftBehind,
    /// A relative operand leads out of its file.
    OutOfFile(i32),
    /// An address that is mapped nowhere, or outside of its space.
    Address(u32),
    /// A texture or sampler without anything bound to it.
    Unbound(&'static str, u32),
    /// A branch leads out of the program.
    Target(i64),
    /// More places where lanes wait than the branch stack has.
    StackFull,
    /// A return without a call.
    NoCall,
    /// A barrier at which some lanes of the wave are missing.
    PartedAtBarrier,
    /// A varying is fetched after `(ei)` has released their storage.
    InputReleased,
    /// a0.x is read after `(ul)` has released it.
    AddressReleased,
    /// The program did not end within the instructions that it was given.
    Endless,
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            FaultKind::Unknown(what) => write!(f, "{what}"),
            FaultKind::TooEarly { register, slots, needed } => {
                write!(f, "{register} was written {slots} slots before, {needed} must lie between")
            }
            FaultKind::BeforeFlag(register, flag) => write!(f, "{register} is used before {flag}"),
            FaultKind::StillRead(register) => {
                write!(f, "{register} is overwritten while it may still be read; a flag must come first")
            }
            FaultKind::NotJoined => write!(f, "lanes wait here, and the instruction lacks (jp)"),
            FaultKind::LeftBehind => write!(f, "the program ended while lanes were still parked"),
            FaultKind::OutOfFile(n) => write!(f, "component {n} is outside of the file"),
            FaultKind::Address(n) => write!(f, "address {n:#x} is outside of memory"),
            FaultKind::Unbound(what, n) => write!(f, "there is no {what} {n}"),
            FaultKind::Target(n) => write!(f, "control goes to {n}, out of the program"),
            FaultKind::StackFull => write!(f, "lanes wait at more places than the branch stack has"),
            FaultKind::NoCall => write!(f, "a return without a call"),
            FaultKind::PartedAtBarrier => write!(f, "some lanes of the wave do not come to the barrier"),
            FaultKind::InputReleased => write!(f, "a varying is fetched after (ei) has released them"),
            FaultKind::AddressReleased => write!(f, "a0.x is read after (ul) has released it"),
            FaultKind::Endless => write!(f, "the program did not end"),
        }
    }
}
