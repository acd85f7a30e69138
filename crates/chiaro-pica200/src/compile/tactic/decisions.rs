//! Decisions: what a step found to rewrite, to pack or to choose, by numbers in the order in which it came up.
//!
//! Every step takes what it finds, because that mostly saves words; but it looks at one place and one after the
//! other. A search refuses decisions, and sees what the steps behind make of it. What is refused stays as it is, so
//! that programs are right whatever is refused.

/// Decisions of a program that can be refused; those behind them are all taken.
const MOST: u32 = 256;
const BITS: u32 = u64::BITS;

/// Decisions that are refused, a bit each.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Refused([u64; (MOST / BITS) as usize]);

impl Refused {
    /// These, and one that was taken or was refused the other way round.
    pub(crate) fn turned(mut self, number: u32) -> Refused {
        if let Some(word) = self.0.get_mut((number / BITS) as usize) {
            *word ^= 1 << (number % BITS);
        }
        self
    }

    fn has(self, number: u32) -> bool {
        self.0.get((number / BITS) as usize).is_some_and(|word| word >> (number % BITS) & 1 == 1)
    }
}

/// The decisions of one program, as they come up.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Decisions {
    refused: Refused,
    count: u32,
}

impl Decisions {
    pub(crate) fn new(refused: Refused) -> Decisions {
        Decisions { refused, count: 0 }
    }

    /// Whether the next decision is taken.
    pub(crate) fn take(&mut self) -> bool {
        let number = self.count;
        self.count += 1;
        !self.refused.has(number)
    }

    /// Decisions so far that can be refused.
    pub(crate) fn count(self) -> u32 {
        self.count.min(MOST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refused_decisions_are_not_taken() {
        let refused = Refused::default().turned(1).turned(70).turned(3).turned(3).turned(MOST);
        let mut decisions = Decisions::new(refused);
        let taken: Vec<bool> = (0..MOST + 2).map(|_| decisions.take()).collect();
        let not: Vec<usize> = (0..taken.len()).filter(|n| !taken[*n]).collect();
        assert_eq!(not, [1, 70]);
        assert_eq!(decisions.count(), MOST);
    }
}
