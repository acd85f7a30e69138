//! The stack: bytes of scratch memory that every lane has for itself (spec 9.3, 18.7).

/// Waves' blocks of scratch are multiples of so many bytes (spec 9.3).
const BLOCK: u64 = 1024;

/// What a function puts on the stack.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Frame {
    /// Bytes of a lane for its own values.
    pub bytes: u32,
    /// Bytes of a lane for the stack parameters of whom it calls.
    pub parameters: u32,
}

impl Frame {
    /// The stack pointer of whom it calls: behind the parameters.
    #[must_use]
    pub fn callee(self, stack_pointer: u32) -> u32 {
        stack_pointer + self.bytes + self.parameters
    }

    /// Where the caller leaves the stack parameter at an offset.
    #[must_use]
    pub fn argument(self, stack_pointer: u32, offset: u32) -> u32 {
        stack_pointer + self.bytes + offset
    }

    /// Where the callee finds it, from its own stack pointer.
    #[must_use]
    pub fn parameter(self, offset: u32) -> i64 {
        i64::from(offset) - i64::from(self.parameters)
    }
}

/// The byte of a wave's block at which a lane's byte lies: dwords of the lanes stand side by side.
#[must_use]
pub fn swizzled(byte: u32, lane: u32, wave: u8) -> u64 {
    let (dword, rest) = (u64::from(byte / 4), u64::from(byte % 4));
    dword * 4 * u64::from(wave) + u64::from(lane) * 4 + rest
}

/// Bytes of a wave's block in which every lane has so many.
#[must_use]
pub fn block(bytes_of_lane: u32, wave: u8) -> u64 {
    (u64::from(bytes_of_lane) * u64::from(wave)).next_multiple_of(BLOCK)
}
