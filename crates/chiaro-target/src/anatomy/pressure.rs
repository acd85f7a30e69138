//! How many registers hold something that is still read.

use super::{Anatomy, Register};

/// A set of the registers of a program, by their places in its list of them.
type Set = Vec<u64>;

impl Anatomy {
    /// For each instruction the registers of each file that hold something behind it which is still read, as
    /// file and number; files in their order.
    #[must_use]
    pub fn pressure(&self) -> Vec<Vec<(u8, u32)>> {
        let registers = self.registers();
        let count = |live: &Set| {
            let mut counted: Vec<(u8, u32)> = Vec::new();
            let mut last = None;
            for (_, one) in registers.iter().enumerate().filter(|(n, _)| has(live, *n)) {
                // Components of one register are one.
                if last.replace((one.file, one.index)) == Some((one.file, one.index)) {
                    continue;
                }
                match counted.last_mut().filter(|(known, _)| *known == one.file) {
                    Some((_, n)) => *n += 1,
                    None => counted.push((one.file, 1)),
                }
            }
            counted
        };
        self.live_behind(&registers).iter().map(count).collect()
    }

    /// Every register that is named, sorted.
    fn registers(&self) -> Vec<Register> {
        let named = self.instructions.iter().flat_map(|one| one.reads.iter().chain(&one.writes));
        let mut all: Vec<Register> = named.copied().collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// What is live behind each instruction, by going round until nothing changes.
    fn live_behind(&self, registers: &[Register]) -> Vec<Set> {
        let empty: Set = vec![0; registers.len().div_ceil(64)];
        let set = |of: &[Register]| {
            let mut set = empty.clone();
            let places = of.iter().filter_map(|one| registers.binary_search(one).ok());
            places.for_each(|n| set[n / 64] |= 1 << (n % 64));
            set
        };
        let effects: Vec<(Set, Set)> =
            self.instructions.iter().map(|one| (set(&one.reads), set(&one.writes))).collect();
        let mut before: Vec<Set> = vec![empty.clone(); effects.len()];
        let mut behind = before.clone();
        let mut changed = true;
        while changed {
            changed = false;
            for (n, (reads, writes)) in effects.iter().enumerate().rev() {
                let mut live = empty.clone();
                for to in self.instructions[n].next.iter().filter_map(|to| before.get(*to as usize)) {
                    live.iter_mut().zip(to).for_each(|(live, to)| *live |= to);
                }
                let own: Set =
                    live.iter().zip(writes).zip(reads).map(|((live, w), r)| live & !w | r).collect();
                changed |= own != before[n];
                (before[n], behind[n]) = (own, live);
            }
        }
        behind
    }
}

fn has(set: &Set, n: usize) -> bool {
    set[n / 64] >> (n % 64) & 1 == 1
}
