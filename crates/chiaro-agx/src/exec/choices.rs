//! What operations mean where public sources leave it open (spec 13, 21).

/// The meaning of operations; the default is what sources say or, where none does, the plainest one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Choices {
    /// A product that is a negative zero becomes +0, as in applegpu's emulator.
    pub positive_zero: bool,
    /// Derivatives are those of the first row or column of a quad, for all of it.
    pub coarse: bool,
    /// Low mantissa bits, 0 to 22, that functions of one source do not get right: they are zero.
    pub lost_bits: u8,
    /// A float beyond an integer gives the low bits of its whole part, not the nearest integer.
    pub wraps: bool,
    /// The integer that no number becomes.
    pub nan_integer: u32,
    /// The roundings 2 and 3 of conversions are down and up, and not unknown.
    pub directed: bool,
    /// Whether conditions that nobody knows hold; `None` where they are faults.
    pub condition: Option<bool>,
    /// Elements of the formats 9 and 11 are words as they are, and not unknown.
    pub word_formats: bool,
    /// Stores in the formats 14 and 15 round to the nearest, as 12 and 13 do, and not toward zero.
    pub nearest_packed: bool,
    /// The markers behind texture operations do nothing, and are not unknown.
    pub idle_markers: bool,
    /// Helper lanes end behind an instruction that says so.
    pub ends_helpers: bool,
}
