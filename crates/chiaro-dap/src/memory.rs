//! What memory holds at a place of a wave, as far as the wave has seen it.

use std::collections::{BTreeMap, BTreeSet};

use chiaro_target::{Step, Touched};

/// A memory: its name, and whose it is where each lane has its own.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Space {
    /// The target's name for it.
    pub name: &'static str,
    /// The lane that alone sees it.
    pub lane: Option<u32>,
}

/// Bytes by address.
pub type Bytes = BTreeMap<u64, u8>;

/// The memories that a wave touches anywhere.
#[must_use]
pub fn spaces(steps: &[Step]) -> Vec<Space> {
    let all: BTreeSet<Space> = steps.iter().flat_map(|step| &step.memory).map(space).collect();
    all.into_iter().collect()
}

fn space(touched: &Touched) -> Space {
    Space { name: touched.space, lane: touched.is_own.then_some(touched.lane) }
}

/// The bytes of a memory before a step: what was read or written before, and what is read later before anybody
/// writes it.
#[must_use]
pub fn before(steps: &[Step], place: usize, wanted: &Space) -> Bytes {
    let mut bytes = Bytes::new();
    for (n, step) in steps.iter().enumerate() {
        for touched in step.memory.iter().filter(|touched| space(touched) == *wanted) {
            each(touched, |at, byte| {
                if n < place {
                    bytes.insert(at, byte);
                } else if !touched.is_write {
                    bytes.entry(at).or_insert(byte);
                }
            });
        }
    }
    let later = steps.get(place..).unwrap_or_default();
    written_first(later, wanted, &known(steps, place, wanted)).iter().for_each(|at| {
        bytes.remove(at);
    });
    bytes
}

/// Addresses that are known before a step.
fn known(steps: &[Step], place: usize, wanted: &Space) -> BTreeSet<u64> {
    let mut all = BTreeSet::new();
    let before = steps.iter().take(place).flat_map(|step| &step.memory);
    before.filter(|touched| space(touched) == *wanted).for_each(|touched| {
        each(touched, |at, _| {
            all.insert(at);
        });
    });
    all
}

/// Addresses that are not known and written before they are read: nobody can say what they hold.
fn written_first(steps: &[Step], wanted: &Space, known: &BTreeSet<u64>) -> BTreeSet<u64> {
    let (mut read, mut written) = (known.clone(), BTreeSet::new());
    let touched = steps.iter().flat_map(|step| &step.memory).filter(|touched| space(touched) == *wanted);
    for touched in touched {
        each(touched, |at, _| {
            if touched.is_write && !read.contains(&at) {
                written.insert(at);
            } else if !touched.is_write && !written.contains(&at) {
                read.insert(at);
            }
        });
    }
    written
}

fn each(touched: &Touched, mut with: impl FnMut(u64, u8)) {
    let bytes = touched.bits.to_le_bytes();
    for (n, byte) in bytes.iter().take(touched.size.into()).enumerate() {
        with(touched.address.wrapping_add(n as u64), *byte);
    }
}

/// Words of bytes: where each begins, and its bits if all four are known.
#[must_use]
pub fn words(bytes: &Bytes) -> Vec<(u64, Option<u32>)> {
    let starts: BTreeSet<u64> = bytes.keys().map(|at| at & !3).collect();
    let word = |at: u64| {
        let byte = |n: u64| bytes.get(&at.checked_add(n)?).copied();
        Some(u32::from_le_bytes([byte(0)?, byte(1)?, byte(2)?, byte(3)?]))
    };
    starts.into_iter().map(|at| (at, word(at))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(address: u64, bits: u64, is_write: bool) -> Step {
        let touched = Touched { lane: 0, space: "device", is_own: false, address, size: 4, bits, is_write };
        Step { memory: vec![touched], ..Step::default() }
    }

    #[test]
    fn memory_is_what_was_seen_of_it() {
        let steps = [step(0, 7, false), step(0, 8, true), step(4, 9, true), step(4, 9, false)];
        let space = Space { name: "device", lane: None };
        assert_eq!(spaces(&steps), std::slice::from_ref(&space));
        let at = |place| words(&before(&steps, place, &space));
        assert_eq!(at(0), [(0, Some(7))]);
        assert_eq!(at(2), [(0, Some(8))]);
        assert_eq!(at(4), [(0, Some(8)), (4, Some(9))]);
    }
}
