//! The decision tree that finds the form of a word.
//!
//! A node looks at one run of up to eight bits, the one that tells its rows apart
//! best, and has a child for each value. A row that leaves some of those bits open
//! stands in several children. Leaves list their rows, the most specific first, so
//! that "idle" or "move" wins over the general pattern it specialises.

use crate::word::{Word, low_bits};

/// What an instruction form, or one length of it, demands of a word.
#[derive(Clone, Copy)]
pub(crate) struct Row {
    /// Bits that matter.
    pub mask: Word,
    /// What they must be.
    pub value: Word,
    /// Which form it is.
    pub form: u16,
    /// Its length in bytes; 0 if the word has to be asked.
    pub length: u8,
}

impl Row {
    fn fits(&self, word: &Word) -> bool {
        *word & self.mask == self.value
    }
}

/// Rows few enough to try one after the other.
const FEW: usize = 4;

/// Most bits that one node looks at.
const RUN: u8 = 8;

/// A run of bits of a limb, as a mask of them at its bottom, with a child for each value:
/// `nodes[first + value]`; or, where the mask is 0, a leaf whose entries begin at `first`.
#[derive(Clone, Copy, Default)]
struct Node {
    first: u32,
    limb: u8,
    shift: u8,
    mask: u8,
}

/// A row in a leaf. Most demand bits of the lowest limb only, so that is what lies
/// here; the whole row is looked at for the others.
#[derive(Clone, Copy)]
struct Entry {
    mask: u64,
    value: u64,
    row: u16,
    form: u16,
    length: u8,
    /// Whether the row demands bits of other limbs.
    high: bool,
    /// Whether the leaf ends here.
    last: bool,
}

/// Fits no word: what an empty leaf holds.
const NOTHING: Entry = Entry { mask: 0, value: 1, row: 0, form: 0, length: 0, high: false, last: true };

/// The prepared tree; node 0 is the root.
pub(crate) struct Tree {
    rows: Vec<Row>,
    nodes: Vec<Node>,
    entries: Vec<Entry>,
}

impl Tree {
    /// Linear in the rows for each level; 1,500 rows take a third of a millisecond.
    pub(crate) fn new(rows: Vec<Row>) -> Tree {
        let mut order: Vec<u16> = (0..rows.len() as u16).collect();
        // A stable sort once: children inherit the order.
        order.sort_by_key(|&i| std::cmp::Reverse(rows[i as usize].mask.count_ones()));
        let mut tree = Tree { rows, nodes: vec![Node::default()], entries: vec![NOTHING] };
        tree.fill(0, order, Word::ZERO);
        tree
    }

    fn fill(&mut self, at: usize, rows: Vec<u16>, decided: Word) {
        let run = if rows.len() > FEW { best_run(&rows, decided, &self.rows) } else { None };
        let Some((limb, shift, len)) = run else {
            self.nodes[at].first = self.leaf(&rows);
            return;
        };
        let mut children: Vec<Vec<u16>> = vec![Vec::new(); 1 << len];
        for &row in &rows {
            spread(row, &self.rows[row as usize], limb, shift, len, &mut children);
        }
        let first = self.nodes.len();
        self.nodes.resize(first + children.len(), Node::default());
        self.nodes[at] = Node { limb, shift, mask: low_bits(len) as u8, first: first as u32 };
        let mut decided = decided;
        decided.0[limb as usize] |= low_bits(len) << shift;
        for (value, child) in children.into_iter().enumerate() {
            self.fill(first + value, child, decided);
        }
    }

    /// Where its entries begin.
    fn leaf(&mut self, rows: &[u16]) -> u32 {
        let Some((last, others)) = rows.split_last() else { return 0 };
        let start = self.entries.len() as u32;
        for row in others {
            self.entries.push(self.entry(*row, false));
        }
        self.entries.push(self.entry(*last, true));
        start
    }

    fn entry(&self, row: u16, last: bool) -> Entry {
        let Row { mask, value, form, length } = self.rows[row as usize];
        let high = mask.0[1] | mask.0[2] != 0;
        Entry { mask: mask.0[0], value: value.0[0], row, form, length, high, last }
    }

    /// The most specific row that fits: its form, and its length or 0.
    #[inline]
    pub(crate) fn find(&self, word: &Word) -> Option<(u16, u8)> {
        let mut node = self.nodes[0];
        while node.mask != 0 {
            let limb = word.0.get(usize::from(node.limb)).copied().unwrap_or(0);
            let value = limb >> (node.shift & 63) & u64::from(node.mask);
            node = self.nodes[node.first as usize + value as usize];
        }
        for entry in &self.entries[node.first as usize..] {
            let fits = word.0[0] & entry.mask == entry.value;
            if fits && (!entry.high || self.rows[entry.row as usize].fits(word)) {
                return Some((entry.form, entry.length));
            }
            if entry.last {
                return None;
            }
        }
        None
    }
}

/// Puts a row into every child whose value it allows.
fn spread(row: u16, p: &Row, limb: u8, shift: u8, len: u8, children: &mut [Vec<u16>]) {
    let mask = p.mask.0[limb as usize] >> shift & low_bits(len);
    let value = p.value.0[limb as usize] >> shift & low_bits(len);
    let open = !mask & low_bits(len);
    // Every subset of the open bits, counted downwards.
    let mut subset = open;
    loop {
        children[(value | subset) as usize].push(row);
        if subset == 0 {
            return;
        }
        subset = (subset - 1) & open;
    }
}

/// The run of undecided bits that separates the rows best: bits that nearly all rows
/// fix, and fix differently. `None` if no bit tells two rows apart.
fn best_run(rows: &[u16], decided: Word, all: &[Row]) -> Option<(u8, u8, u8)> {
    let mut best: Option<(u64, (u8, u8, u8))> = None;
    for limb in 0..3u8 {
        let power = power_of_bits(rows, decided, all, limb as usize);
        for start in 0..64usize {
            let (mut sum, mut open) = (0, 0);
            for len in 1..=RUN.min(64 - start as u8) {
                let (split, unfixed) = power[start + len as usize - 1];
                sum += split;
                open += unfixed;
                // An open bit doubles a row: it costs what it would have gained.
                let score = (sum.saturating_sub(open) << 4).saturating_sub(u64::from(len));
                if split > 0 && sum > open && best.is_none_or(|(s, _)| score > s) {
                    best = Some((score, (limb, start as u8, len)));
                }
            }
        }
    }
    best.map(|(_, run)| run)
}

/// For each bit of a limb: how many rows the smaller side of it takes, and how many
/// rows leave it open.
fn power_of_bits(rows: &[u16], decided: Word, all: &[Row], limb: usize) -> [(u64, u64); 64] {
    let (mut zeros, mut ones) = ([0u64; 64], [0u64; 64]);
    for &row in rows {
        let p = &all[row as usize];
        let mut left = p.mask.0[limb] & !decided.0[limb];
        while left != 0 {
            let b = left.trailing_zeros() as usize;
            left &= left - 1;
            match p.value.0[limb] >> b & 1 {
                0 => zeros[b] += 1,
                _ => ones[b] += 1,
            }
        }
    }
    std::array::from_fn(|b| (zeros[b].min(ones[b]), rows.len() as u64 - zeros[b] - ones[b]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(mask: u64, value: u64) -> Row {
        Row { mask: Word::from(mask), value: Word::from(value), form: 0, length: 0 }
    }

    #[test]
    fn finds_what_a_linear_search_finds() {
        let mut rows: Vec<_> = (0..200).map(|i| row(0xff00_0000, i << 24)).collect();
        rows.extend((0..30).map(|i| row(0xf800_003f, 25 << 27 | i)));
        rows.push(row(0xf000_0000, 0xf000_0000));
        for (i, row) in rows.iter_mut().enumerate() {
            row.form = i as u16;
        }
        let tree = Tree::new(rows.clone());
        for n in 0..100_000u64 {
            let word = Word::from(n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20);
            let fitting = rows.iter().filter(|row| row.fits(&word));
            let best = fitting.map(|row| row.mask.count_ones()).max();
            let found = tree.find(&word).map(|(form, _)| rows[form as usize].mask.count_ones());
            assert_eq!(found, best, "{word:?}");
        }
    }
}
