//! Who has which unit of a file, runs of units that nobody has, and sets of units.

use std::ops::Range;

use crate::code::Value;

use super::operands::NOBODY;

/// The units of a file.
#[derive(Clone, Debug)]
pub(super) struct Units {
    /// The value in each unit; [`NOBODY`] for none.
    owner: Vec<u32>,
    /// A bit for each unit: a value may have it, and none has.
    free: Vec<u64>,
}

/// Units whose bits stand together.
const WORD: usize = u64::BITS as usize;

impl Units {
    /// Nobody has any; those that are `allowed` are free.
    pub(super) fn new(allowed: &[bool]) -> Units {
        let bits = |word: &[bool]| word.iter().rev().fold(0, |bits, &free| bits << 1 | u64::from(free));
        Units { owner: vec![NOBODY; allowed.len()], free: allowed.chunks(WORD).map(bits).collect() }
    }

    /// Gives a value these units.
    pub(super) fn give(&mut self, value: Value, at: u16, size: u16) {
        for unit in usize::from(at)..usize::from(at + size) {
            self.owner[unit] = value.0;
            self.free[unit / WORD] &= !(1 << (unit % WORD));
        }
    }

    /// Takes them away, but for those that have a new owner already.
    pub(super) fn take(&mut self, value: Value, at: u16, size: u16) {
        for unit in usize::from(at)..usize::from(at + size) {
            if self.owner[unit] == value.0 {
                self.owner[unit] = NOBODY;
                self.free[unit / WORD] |= 1 << (unit % WORD);
            }
        }
    }

    /// Whether nobody has these units, and a value may have them.
    pub(super) fn are_free(&self, at: u16, size: u16) -> bool {
        let (at, end) = (usize::from(at), usize::from(at) + usize::from(size));
        let (word, bit) = (at / WORD, at % WORD);
        if size > 0 && bit + usize::from(size) <= WORD {
            let mask = u64::MAX >> (WORD - usize::from(size)) << bit;
            return self.free.get(word).is_some_and(|bits| bits & mask == mask);
        }
        (at..end).all(|unit| self.is_free(unit))
    }

    fn is_free(&self, unit: usize) -> bool {
        self.free.get(unit / WORD).is_some_and(|bits| bits >> (unit % WORD) & 1 != 0)
    }

    /// Runs of so many free units, from the lowest, each beginning at a multiple of `align`, a power of two.
    pub(super) fn gaps(&self, size: u16, align: u16) -> impl Iterator<Item = u16> + '_ {
        let mut next = 0;
        std::iter::from_fn(move || {
            let at = self.gap(next, size, align)?;
            next = at + align;
            Some(at)
        })
    }

    /// The first run of free units from a multiple of `align` on, which is not before `from`.
    fn gap(&self, mut from: u16, size: u16, align: u16) -> Option<u16> {
        loop {
            let at = self.first_free(from)?.next_multiple_of(align);
            if self.are_free(at, size) {
                return Some(at);
            }
            // No run begins before what is in the way, which is found from behind.
            let taken = (at..at + size).rev().find(|&unit| !self.is_free(usize::from(unit)));
            from = taken.map_or(at, |taken| taken) + 1;
        }
    }

    fn first_free(&self, from: u16) -> Option<u16> {
        let (word, bit) = (usize::from(from) / WORD, usize::from(from) % WORD);
        let rest = self.free.get(word)? >> bit << bit;
        let words = std::iter::once(rest).chain(self.free[word + 1..].iter().copied());
        let (n, bits) = words.enumerate().find(|&(_, bits)| bits != 0)?;
        Some(((word + n) * WORD) as u16 + bits.trailing_zeros() as u16)
    }

    /// Values with units, in the order of their places, up to unit `end`.
    pub(super) fn values(&self, end: u16) -> impl Iterator<Item = Value> + '_ {
        let mut last = NOBODY;
        self.owner[..usize::from(end).min(self.owner.len())].iter().filter_map(move |&value| {
            let is_next = value != NOBODY && value != last;
            last = if value == NOBODY { last } else { value };
            is_next.then_some(Value(value))
        })
    }

    /// Whether nobody has any.
    pub(super) fn are_empty(&self) -> bool {
        self.owner.iter().all(|&value| value == NOBODY)
    }
}

/// A set of units, as long as its last one.
#[derive(Clone, Debug, Default)]
pub(super) struct UnitSet(Vec<bool>);

impl UnitSet {
    /// Adds a run.
    pub(super) fn add(&mut self, units: Range<usize>) {
        if self.0.len() < units.end {
            self.0.resize(units.end, false);
        }
        self.0[units].fill(true);
    }

    pub(super) fn has(&self, unit: usize) -> bool {
        self.0.get(unit).copied().unwrap_or(false)
    }

    /// One past the last.
    pub(super) fn end(&self) -> usize {
        self.0.len()
    }

    /// From the lowest.
    pub(super) fn units(&self) -> impl Iterator<Item = u16> + '_ {
        self.0.iter().zip(0..).filter(|(has, _)| **has).map(|(_, unit)| unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs of free units as they are found one by one.
    fn gaps(units: &Units, count: u16, size: u16, align: u16) -> Vec<u16> {
        let is_free = |unit: u16| unit < count && units.is_free(usize::from(unit));
        (0..count).step_by(usize::from(align)).filter(|&at| (at..at + size).all(is_free)).collect()
    }

    #[test]
    fn runs_are_found_wherever_they_lie() {
        let count = 150;
        // Units in runs of all lengths, some of them across words of bits.
        let allowed: Vec<bool> = (0..count).map(|unit: u32| unit * unit % 37 > 8).collect();
        let mut units = Units::new(&allowed);
        for (n, at) in (0..count as u16 - 4).step_by(7).enumerate() {
            let size = n as u16 % 4 + 1;
            if units.are_free(at, size) {
                units.give(Value(n as u32), at, size);
            }
        }
        for (size, align) in (1..=70).flat_map(|size| [1, 2, 4, 64].map(|align| (size, align))) {
            let expected = gaps(&units, count as u16, size, align);
            assert_eq!(units.gaps(size, align).collect::<Vec<_>>(), expected, "{size} {align}");
        }
        units.values(count as u16).collect::<Vec<_>>().iter().for_each(|&v| units.take(v, 0, count as u16));
        assert!(units.are_empty());
        assert!((0..count as u16).all(|unit| units.are_free(unit, 1) == allowed[usize::from(unit)]));
    }
}
