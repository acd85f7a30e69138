//! What public sources leave open: named options with a default.

use std::ops::RangeInclusive;

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

impl Assumption {
    /// The one of a list that a user names.
    ///
    /// # Errors
    /// A sentence that says which there are.
    pub fn named<'a>(all: &'a [Assumption], name: &str) -> Result<&'a Assumption, String> {
        all.iter().find(|assumption| assumption.name == name).ok_or_else(|| {
            let known: Vec<&str> = all.iter().map(|assumption| assumption.name).collect();
            format!("there is no assumption `{name}`; there are {}", known.join(", "))
        })
    }

    /// The place of a value among those that it takes; 0 is the default.
    ///
    /// # Errors
    /// A sentence that says what it takes.
    pub fn choice(&self, value: &str) -> Result<usize, String> {
        self.values.split(' ').position(|known| known == value).ok_or_else(|| self.refusal(value))
    }

    /// A value that is a number, decimal or hexadecimal.
    ///
    /// # Errors
    /// A sentence that says what it takes.
    pub fn number(&self, value: &str) -> Result<u32, String> {
        number(value).ok_or_else(|| self.refusal(value))
    }

    /// The same, where only some numbers have a meaning.
    ///
    /// # Errors
    /// A sentence that says which ones.
    pub fn number_within(&self, value: &str, range: RangeInclusive<u32>) -> Result<u32, String> {
        number(value).filter(|n| range.contains(n)).ok_or_else(|| {
            format!("`{}` does not take `{value}`; it takes {} to {}", self.name, range.start(), range.end())
        })
    }

    /// The sentence about a value that it does not take.
    fn refusal(&self, value: &str) -> String {
        format!("`{}` does not take `{value}`; it takes {}", self.name, self.values)
    }
}

/// A number of 32 bits, decimal or behind `0x` hexadecimal.
#[must_use]
pub fn number(text: &str) -> Option<u32> {
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}
