//! What a program does that it must not.

use std::fmt;

use crate::regs::halves::name;

/// A fault with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Number of the SIMD-group in its threadgroup.
    pub simdgroup: u32,
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
    /// Bytes that are no instruction, or one whose meaning nobody knows.
    Unknown(String),
    /// An instruction that this simulator does not do.
    Missing(String),
    /// An access outside of every mapped range.
    Address(u64),
    /// An access outside of threadgroup memory: the byte, and how many there are.
    Shared(u64, usize),
    /// An access outside of the thread's stack: the byte, and how many there are.
    Stack(i64, usize),
    /// A half is touched before what is on its way has been waited for: the half, and the slot.
    TooEarly(u16, u8),
    /// A half is written that a store may still read: the half, and the store's slot.
    Held(u16, u8),
    /// A half is read in a lane that has not written it.
    Undefined(u16),
    /// Samples that a program neither killed nor tested: a mask.
    Undecided(u8),
    /// The mask follows r0l, and nothing was written to it.
    Counter,
    /// A uniform that does not exist is written.
    Uniform(u32),
    /// Control goes to a place where no instruction begins.
    Target(i64),
    /// Lanes jump to different places by a register.
    Divergent,
    /// An instruction on fragments in a program that has none.
    NoPixels(String),
    /// Coefficients that nobody bound.
    Coefficient(usize),
    /// A word of a vertex beyond all.
    Output(usize),
    /// Samples that were killed or tested before: a mask.
    Decided(u8),
    /// A place beyond the bytes of a sample.
    Tile(usize),
    /// Why a texture cannot be read.
    Texture(String),
    /// A trap.
    Trap,
    /// A barrier that the named SIMD-groups wait at, and others do not reach.
    Barrier(Vec<u32>),
    /// The SIMD-group did not end within the instructions that it was given.
    Endless,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "SIMD-group {}, lane {}, offset {:#x}: {}",
            self.simdgroup, self.lane, self.offset, self.kind
        )
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FaultKind::Unknown(what) => write!(f, "nobody knows what `{what}` does"),
            FaultKind::Missing(what) => write!(f, "`{what}` is not simulated"),
            FaultKind::Address(address) => write!(f, "address {address:#x} is not mapped"),
            FaultKind::Shared(byte, size) => {
                write!(f, "byte {byte} of threadgroup memory, which has {size}")
            }
            FaultKind::Stack(byte, size) => write!(f, "byte {byte} of a stack of {size} bytes"),
            FaultKind::TooEarly(half, slot) => {
                write!(f, "{} is used before its result has come; `wait {slot}` must come first", name(*half))
            }
            FaultKind::Held(half, slot) => {
                write!(
                    f,
                    "{} is written, and a store may still read it; `wait {slot}` must come first",
                    name(*half)
                )
            }
            FaultKind::Undefined(half) => {
                write!(f, "{} is read, and no part has written it in this lane", name(*half))
            }
            FaultKind::Undecided(samples) => {
                write!(f, "samples {samples:#x} are neither killed nor tested at the end")
            }
            FaultKind::Counter => f.write_str(
                "the mask follows r0l, which nothing was written to; `mov_imm r0l, 0` must come first",
            ),
            FaultKind::Uniform(half) => write!(f, "uniform half {half} is written, and there are 512"),
            FaultKind::Target(place) => write!(f, "control goes to {place:#x}, where no instruction begins"),
            FaultKind::Divergent => f.write_str("lanes jump to different places by one register"),
            FaultKind::NoPixels(what) => write!(f, "`{what}` works on fragments, and none are shaded"),
            FaultKind::Coefficient(n) => write!(f, "nothing is bound to cf{n}"),
            FaultKind::Output(n) => write!(f, "word {n} of a vertex, which has 256 at most"),
            FaultKind::Decided(samples) => {
                write!(f, "samples {samples:#x} are killed or tested, and they were before")
            }
            FaultKind::Tile(offset) => write!(f, "byte {offset} of a sample, which has fewer"),
            FaultKind::Texture(why) => f.write_str(why),
            FaultKind::Trap => f.write_str("a trap is executed"),
            FaultKind::Barrier(groups) => {
                write!(f, "SIMD-groups {groups:?} wait at a barrier that others never reach")
            }
            FaultKind::Endless => f.write_str("the program did not end"),
        }
    }
}
