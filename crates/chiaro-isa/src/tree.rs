//! The decision tree that finds the form of a word.
//!
//! A node looks at one run of up to eight bits, the one that tells its rows apart
//! best, and has a child for each value. A row that leaves some of those bits open
//! stands in several children. Leaves list their rows, the most specific first, so
//! that "idle" or "move" wins over the general pattern it specialises.

use crate::word::{Word, low_bits};

/// What a row demands of a word.
#[derive(Clone, Copy)]
pub(crate) struct Pattern {
    /// Bits that matter.
    pub mask: Word,
    /// What they must be.
    pub value: Word,
}

/// Rows few enough to try one after the other.
const FEW: usize = 4;

/// Most bits that one node looks at.
const RUN: u8 = 8;

#[derive(Clone, Copy)]
enum Node {
    /// Rows `order[start..end]`.
    Leaf { start: u32, end: u32 },
    /// Children `nodes[first + value]`.
    Split { limb: u8, shift: u8, len: u8, first: u32 },
}

/// The prepared tree; node 0 is the root.
pub(crate) struct Tree {
    nodes: Vec<Node>,
    order: Vec<u16>,
}

impl Tree {
    /// Linear in the rows for each level; tables of 1,500 rows take about a millisecond.
    pub(crate) fn new(patterns: &[Pattern]) -> Tree {
        let mut tree = Tree { nodes: vec![Node::Leaf { start: 0, end: 0 }], order: Vec::new() };
        let mut all: Vec<u16> = (0..patterns.len() as u16).collect();
        // A stable sort once: children inherit the order.
        all.sort_by_key(|&i| std::cmp::Reverse(patterns[i as usize].mask.count_ones()));
        tree.fill(0, all, Word::ZERO, patterns);
        tree
    }

    fn fill(&mut self, at: usize, rows: Vec<u16>, decided: Word, patterns: &[Pattern]) {
        let run = if rows.len() > FEW { best_run(&rows, decided, patterns) } else { None };
        let Some((limb, shift, len)) = run else {
            let start = self.order.len() as u32;
            self.order.extend(rows);
            self.nodes[at] = Node::Leaf { start, end: self.order.len() as u32 };
            return;
        };
        let mut children: Vec<Vec<u16>> = vec![Vec::new(); 1 << len];
        for &row in &rows {
            spread(row, &patterns[row as usize], limb, shift, len, &mut children);
        }
        let first = self.nodes.len();
        self.nodes.resize(first + children.len(), Node::Leaf { start: 0, end: 0 });
        self.nodes[at] = Node::Split { limb, shift, len, first: first as u32 };
        let mut decided = decided;
        decided.0[limb as usize] |= low_bits(len) << shift;
        for (value, child) in children.into_iter().enumerate() {
            self.fill(first + value, child, decided, patterns);
        }
    }

    /// The rows that may match, the most specific first.
    #[inline]
    pub(crate) fn candidates(&self, word: &Word) -> &[u16] {
        let mut node = self.nodes[0];
        loop {
            match node {
                Node::Leaf { start, end } => return &self.order[start as usize..end as usize],
                Node::Split { limb, shift, len, first } => {
                    let value = word.0[limb as usize] >> shift & low_bits(len);
                    node = self.nodes[first as usize + value as usize];
                }
            }
        }
    }
}

/// Puts a row into every child whose value it allows.
fn spread(row: u16, p: &Pattern, limb: u8, shift: u8, len: u8, children: &mut [Vec<u16>]) {
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
fn best_run(rows: &[u16], decided: Word, patterns: &[Pattern]) -> Option<(u8, u8, u8)> {
    let mut best: Option<(u64, (u8, u8, u8))> = None;
    for limb in 0..3u8 {
        let power = power_of_bits(rows, decided, patterns, limb as usize);
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
fn power_of_bits(rows: &[u16], decided: Word, patterns: &[Pattern], limb: usize) -> [(u64, u64); 64] {
    let (mut zeros, mut ones) = ([0u64; 64], [0u64; 64]);
    for &row in rows {
        let p = &patterns[row as usize];
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

    fn pattern(mask: u64, value: u64) -> Pattern {
        Pattern { mask: Word::from(mask), value: Word::from(value) }
    }

    #[test]
    fn finds_what_a_linear_search_finds() {
        let mut patterns: Vec<_> = (0..200).map(|i| pattern(0xff00_0000, i << 24)).collect();
        patterns.extend((0..30).map(|i| pattern(0xf800_003f, 25 << 27 | i)));
        patterns.push(pattern(0xf000_0000, 0xf000_0000));
        let tree = Tree::new(&patterns);
        for n in 0..100_000u64 {
            let word = Word::from(n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20);
            let fits = |i: &u16| word & patterns[*i as usize].mask == patterns[*i as usize].value;
            let found = tree.candidates(&word).iter().copied().find(fits);
            let all = (0..patterns.len() as u16).filter(fits);
            let best = all.max_by_key(|&i| patterns[i as usize].mask.count_ones());
            let bits = |i: Option<u16>| i.map(|i| patterns[i as usize].mask.count_ones());
            assert_eq!(bits(found), bits(best), "{word:?}");
        }
    }
}
