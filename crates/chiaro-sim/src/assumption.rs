//! What public sources leave open: named options with a default.

/// Something that nobody outside of the maker knows, as an option of a target's simulator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Assumption {
    /// The key, for `-m KEY=VALUE`.
    pub name: &'static str,
    /// The values that it takes, the default first; `N` is a number.
    pub values: &'static str,
    /// What it decides, and who says what.
    pub about: &'static str,
}
