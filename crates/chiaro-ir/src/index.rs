//! Numbers of things in a list, found again by what the things are.
//!
//! Where the list belongs to whoever asks, nothing is kept twice: an [`Index`] has places in it alone, under hashes. An
//! [`Interned`] list has its own.

use std::hash::{Hash, Hasher};
use std::ops::Deref;

use rustc_hash::FxHasher;

/// A table of numbers, of which a power of two fit.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    /// One more than a number, or 0 where there is none.
    slots: Vec<u32>,
    count: usize,
}

/// Slots at first: most functions and modules of shaders need no more.
const FIRST: usize = 64;

/// The hash under which a thing is found.
pub(crate) fn hash(thing: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    thing.hash(&mut hasher);
    hasher.finish()
}

impl Index {
    /// The number of a thing with this hash.
    pub(crate) fn find(&self, hash: u64, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        let mut at = self.start(hash)?;
        while let Some(number) = self.slots[at].checked_sub(1) {
            if is_it(number) {
                return Some(number);
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
        None
    }

    /// Adds the number of a thing that is not there yet; `hash_of` tells the hashes of those that are.
    pub(crate) fn add(&mut self, hash: u64, number: u32, hash_of: impl Fn(u32) -> u64) {
        // At most two slots of three are taken.
        if 3 * (self.count + 1) > 2 * self.slots.len() {
            let wider = vec![0; (2 * self.slots.len()).max(FIRST)];
            for slot in std::mem::replace(&mut self.slots, wider) {
                if let Some(number) = slot.checked_sub(1) {
                    self.put(hash_of(number), number);
                }
            }
        }
        self.put(hash, number);
        self.count += 1;
    }

    fn put(&mut self, hash: u64, number: u32) {
        let Some(mut at) = self.start(hash) else { return };
        while self.slots[at] != 0 {
            at = (at + 1) & (self.slots.len() - 1);
        }
        self.slots[at] = number + 1;
    }

    /// The slot to look at first; `None` while there is none.
    fn start(&self, hash: u64) -> Option<usize> {
        Some(hash as usize & self.slots.len().checked_sub(1)?)
    }
}

/// Things of which equal ones have one number.
#[derive(Clone, Debug)]
pub(crate) struct Interned<T> {
    list: Vec<T>,
    known: Index,
}

impl<T> Default for Interned<T> {
    fn default() -> Interned<T> {
        Interned { list: Vec::new(), known: Index::default() }
    }
}

impl<T: Hash + Eq> Interned<T> {
    /// The number of a thing.
    pub(crate) fn intern(&mut self, thing: T) -> u32 {
        let (list, key) = (&self.list, hash(&thing));
        if let Some(known) = self.known.find(key, |n| list[n as usize] == thing) {
            return known;
        }
        let number = list.len() as u32;
        self.known.add(key, number, |n| hash(&list[n as usize]));
        if number == 0 {
            self.list.reserve(FIRST / 4);
        }
        self.list.push(thing);
        number
    }

    /// Changes some things; whether it did says `change`. No two may be the same afterwards.
    pub(crate) fn change(&mut self, mut change: impl FnMut(&mut T) -> bool) {
        if self.list.iter_mut().fold(false, |changed, thing| change(thing) | changed) {
            let list = &self.list;
            self.known = Index::default();
            for (n, thing) in (0..).zip(list) {
                self.known.add(hash(thing), n, |n| hash(&list[n as usize]));
            }
        }
    }
}

impl<T> Deref for Interned<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_is_found() {
        let things: Vec<u64> = (0..1000).map(|n| n * n).collect();
        let mut index = Index::default();
        let find = |index: &Index, thing: u64| index.find(hash(&thing), |n| things[n as usize] == thing);
        for (n, thing) in (0..).zip(&things) {
            assert_eq!(find(&index, *thing), None);
            index.add(hash(thing), n, |n| hash(&things[n as usize]));
        }
        for (n, thing) in (0..).zip(&things) {
            assert_eq!(find(&index, *thing), Some(n));
        }
        assert_eq!(find(&index, 2), None);
    }
}
