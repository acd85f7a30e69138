//! A small vector without heap memory.

use std::ops::{Deref, DerefMut};

/// At most `N` items; what does not fit is dropped.
#[derive(Clone, Copy, Debug)]
pub(super) struct Few<T, const N: usize> {
    items: [T; N],
    count: usize,
}

impl<T: Copy, const N: usize> Few<T, N> {
    /// An empty list; the item only fills the room.
    #[inline]
    pub(super) fn new(filler: T) -> Few<T, N> {
        Few { items: [filler; N], count: 0 }
    }

    #[inline]
    pub(super) fn push(&mut self, item: T) {
        if let Some(place) = self.items.get_mut(self.count) {
            *place = item;
            self.count += 1;
        }
    }

    /// Takes an item out; the last one comes into its place.
    pub(super) fn swap_remove(&mut self, at: usize) -> T {
        self.count -= 1;
        self.items.swap(at, self.count);
        self.items[self.count]
    }
}

impl<T, const N: usize> Deref for Few<T, N> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        &self.items[..self.count]
    }
}

impl<T, const N: usize> DerefMut for Few<T, N> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.items[..self.count]
    }
}
