//! Memory that a program has touched, for who looks at its steps.

/// Up to eight bytes of memory that a lane has read or written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Touched {
    /// The lane.
    pub lane: u32,
    /// Which memory, by the target's name for it.
    pub space: &'static str,
    /// Whether each lane has its own memory there.
    pub is_own: bool,
    /// Where, as the space counts.
    pub address: u64,
    /// So many bytes.
    pub size: u8,
    /// What is there afterwards, the low byte first.
    pub bits: u64,
    /// Whether it was written.
    pub is_write: bool,
}
