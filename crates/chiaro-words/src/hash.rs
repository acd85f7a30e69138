//! Maps by ids and by short lists of words: each type and constant is looked up many times, and
//! the standard hash takes longer than the rest of the look-up.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map with a quick hash.
pub(crate) type Map<K, V> = HashMap<K, V, BuildHasherDefault<Mix>>;

/// The hash of a list of words.
pub(crate) fn mixed<'a>(words: impl Iterator<Item = &'a u32>) -> u64 {
    let mut mix = Mix::default();
    words.for_each(|&word| mix.add(word.into()));
    mix.finish()
}

/// A quick hash of ids and short lists of words.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mix(u64);

impl Mix {
    fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Hasher for Mix {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        words.iter().for_each(|word| self.add(u64::from_le_bytes(*word)));
        let rest = rest.iter().rev().fold(0, |n, &byte| n << 8 | u64::from(byte));
        self.add(rest);
    }

    fn write_u32(&mut self, n: u32) {
        self.add(n.into());
    }

    fn write_u64(&mut self, n: u64) {
        self.add(n);
    }

    fn write_usize(&mut self, n: usize) {
        self.add(n as u64);
    }

    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}
