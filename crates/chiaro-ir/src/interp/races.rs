//! What lanes write to one place that have taken different ways: which of them comes last is nobody's promise.
//!
//! Lanes that run together write in their order, and what one lane writes it writes in the order of its program. Lanes of
//! which none has gone the way of the others have no order among them until a barrier.

use std::collections::HashMap;
use std::sync::Arc;

use super::memory::Place;

/// Who wrote what last.
#[derive(Debug, Default)]
pub(super) struct Races {
    writers: HashMap<(u32, u32), Writer>,
    /// The lanes of the store that runs; none where it is to memory of their own.
    together: Option<Arc<[u32]>>,
}

#[derive(Debug)]
struct Writer {
    lane: u32,
    bits: u64,
    together: Arc<[u32]>,
    /// Whether there were other values since the last barrier.
    raced: bool,
}

impl Races {
    /// A store of some lanes, in ascending order, to memory that others see begins.
    pub(super) fn begin(&mut self, lanes: &[u32]) {
        self.together = Some(lanes.into());
    }

    pub(super) fn end(&mut self) {
        self.together = None;
    }

    /// Behind it everything that was written comes before everything that will be.
    pub(super) fn barrier(&mut self) {
        self.writers.clear();
    }

    /// Takes a scalar that a lane writes; whether what stands there afterwards depends on who comes last.
    pub(super) fn is_open(&mut self, place: Place, lane: u32, bits: u64) -> bool {
        let Some(together) = &self.together else { return false };
        let own = Writer { lane, bits, together: Arc::clone(together), raced: false };
        let Some(before) = self.writers.insert((place.region, place.offset), own) else { return false };
        let is_apart = before.lane != lane
            && before.bits != bits
            && together.iter().all(|lane| before.together.binary_search(lane).is_err());
        let raced = before.raced || is_apart;
        if let Some(writer) = self.writers.get_mut(&(place.region, place.offset)) {
            writer.raced = raced;
        }
        raced
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: Place = Place { region: 0, offset: 4 };

    /// Stores of some lanes, one instruction after the other: whether the last one is open.
    fn last(stores: &[&[(u32, u64)]]) -> bool {
        let mut races = Races::default();
        let mut open = false;
        for store in stores {
            let lanes: Vec<u32> = store.iter().map(|(lane, _)| *lane).collect();
            races.begin(&lanes);
            store.iter().for_each(|&(lane, bits)| open = races.is_open(PLACE, lane, bits));
            races.end();
        }
        open
    }

    #[test]
    fn lanes_on_different_ways_race() {
        assert!(last(&[&[(0, 1)], &[(1, 2)]]));
        assert!(last(&[&[(0, 1)], &[(1, 2)], &[(1, 3)]]), "it stays open");
        assert!(!last(&[&[(0, 1)], &[(1, 1)]]), "one number");
        assert!(!last(&[&[(0, 1), (1, 2)]]), "in their order");
        assert!(!last(&[&[(0, 1)], &[(0, 2)]]), "in the order of the program");
        assert!(!last(&[&[(0, 1), (1, 1)], &[(1, 2)]]), "they were together before");
    }

    #[test]
    fn barriers_and_own_memory_end_races() {
        let mut races = Races::default();
        races.begin(&[0]);
        assert!(!races.is_open(PLACE, 0, 1));
        races.barrier();
        races.begin(&[1]);
        assert!(!races.is_open(PLACE, 1, 2));
        races.end();
        assert!(!races.is_open(PLACE, 0, 3), "nobody else sees it");
    }
}
