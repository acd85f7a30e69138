//! What input may not exceed. Shaders that people write stay far below; programs that are made
//! to exhaust a compiler end with a message.

/// Files within files.
pub(super) const INCLUDE_DEPTH: u32 = 64;
/// Bytes of all included files together.
pub(super) const INCLUDED_BYTES: usize = 64 << 20;
/// Files that are included, each as often as it is: files that include others twice double.
pub(super) const INCLUDES: usize = 1 << 14;
/// Bytes of all tokens that `##` makes: each may be twice as long as the one before.
pub(super) const PASTED_BYTES: usize = 4 << 20;
/// Arguments of macros within arguments of macros.
pub(super) const ARGUMENT_DEPTH: u32 = 100;
/// Parentheses and operators within each other in `#if`.
pub(super) const CONDITION_DEPTH: u32 = 200;
/// Messages of one run; whoever has made as many mistakes reads no further.
pub(super) const MESSAGES: usize = 200;

/// How many tokens macros may handle for a source of so many bytes.
pub(super) fn budget(bytes: usize) -> usize {
    (1 << 20) + bytes.saturating_mul(16)
}
