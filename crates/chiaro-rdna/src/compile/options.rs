//! What the user chooses.

use crate::abi::interface::Abi;

/// How to compile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Lanes of a wave: 32 or 64.
    pub wave: u8,
    /// Who launches the kernel.
    pub abi: Abi,
    /// How long to search for shorter code, 0 to 3.
    pub effort: u8,
    /// Whether what shaders print goes to a buffer; otherwise it is left out.
    pub prints: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { wave: 32, abi: Abi::Vulkan, effort: 1, prints: true }
    }
}
