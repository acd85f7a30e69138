//! Blocks and loops of a program.

use std::collections::BTreeMap;
use std::ops::Range;

use super::Anatomy;

/// Instructions that run one behind the other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// Its instructions, by number.
    pub instructions: Range<usize>,
    /// Blocks that may follow, by number.
    pub next: Vec<usize>,
}

impl Anatomy {
    /// The blocks in the order of the program; those that are never reached are among them.
    #[must_use]
    pub fn blocks(&self) -> Vec<Block> {
        let begins = self.begins();
        let firsts: Vec<usize> = (0..begins.len()).filter(|n| begins[*n]).collect();
        let ends = firsts.iter().skip(1).copied().chain([self.instructions.len()]);
        let of = |n: u32| firsts.binary_search(&(n as usize)).ok();
        let block = |(first, end): (usize, usize)| {
            let last = self.instructions[first..end].last();
            let next = last.map(|one| one.next.iter().copied().filter_map(of).collect());
            Block { instructions: first..end, next: next.unwrap_or_default() }
        };
        firsts.iter().copied().zip(ends).map(block).collect()
    }

    /// For each instruction whether a block begins there.
    fn begins(&self) -> Vec<bool> {
        let mut begins = vec![false; self.instructions.len()];
        if let Some(first) = begins.first_mut() {
            *first = true;
        }
        for (n, one) in self.instructions.iter().enumerate() {
            let is_straight = one.next.len() == 1 && one.next[0] as usize == n + 1;
            if is_straight {
                continue;
            }
            let behind = [n as u32 + 1];
            for to in one.next.iter().chain(&behind) {
                if let Some(begins) = begins.get_mut(*to as usize) {
                    *begins = true;
                }
            }
        }
        begins
    }

    /// Loops as first and last instruction: what a way back leads over.
    #[must_use]
    pub fn loops(&self) -> Vec<(usize, usize)> {
        // Several ways back to one place are one loop, which ends with the last of them.
        let mut ends = BTreeMap::new();
        for (n, one) in self.instructions.iter().enumerate() {
            ends.extend(one.next.iter().map(|to| *to as usize).filter(|to| *to <= n).map(|to| (to, n)));
        }
        ends.into_iter().collect()
    }
}
