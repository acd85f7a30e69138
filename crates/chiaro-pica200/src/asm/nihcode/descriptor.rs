//! The descriptor table: equal words share an entry.

use std::collections::HashMap;

/// Entries that a MAD's five bits can name.
pub(super) const MAD_ENTRIES: usize = 32;

/// The table so far.
#[derive(Default)]
pub(super) struct Descriptors {
    words: Vec<u32>,
    places: HashMap<u32, usize>,
}

impl Descriptors {
    /// The entry with this word.
    pub(super) fn place(&mut self, word: u32) -> usize {
        *self.places.entry(word).or_insert_with(|| {
            self.words.push(word);
            self.words.len() - 1
        })
    }

    /// How many entries there are.
    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    /// Puts these entries first and keeps the order otherwise; the new place of each.
    pub(super) fn put_first(&mut self, first: &[usize]) -> Vec<usize> {
        let mut chosen = vec![false; self.words.len()];
        first.iter().for_each(|&entry| chosen[entry] = true);
        let mut order: Vec<usize> = (0..self.words.len()).collect();
        order.sort_by_key(|&entry| !chosen[entry]);
        let mut places = vec![0; order.len()];
        for (new, &old) in order.iter().enumerate() {
            places[old] = new;
        }
        self.words = order.iter().map(|&old| self.words[old]).collect();
        self.places = self.words.iter().enumerate().map(|(place, &word)| (word, place)).collect();
        places
    }

    /// The table as the container has it.
    pub(super) fn table(&self) -> Vec<[u32; 2]> {
        self.words.iter().map(|&word| [word, 0]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chosen_entries_come_first_and_the_others_keep_their_order() {
        let mut table = Descriptors::default();
        for word in [10, 11, 10, 12, 13] {
            table.place(word);
        }
        assert_eq!(table.put_first(&[3, 2]), [2, 3, 0, 1]);
        assert_eq!(table.table(), [[12, 0], [13, 0], [10, 0], [11, 0]]);
        assert_eq!(table.place(13), 1);
    }
}
