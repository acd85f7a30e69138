//! Sets of general registers, by half: what an instruction touches, what is on its way.

use crate::regs::GPR_HALVES;

/// A set of halves; those behind the last register do not count.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Halves([u64; GPR_HALVES as usize / 64]);

impl Halves {
    /// All of them.
    pub(crate) const ALL: Halves = Halves([u64::MAX; GPR_HALVES as usize / 64]);

    /// The set as bits, and back.
    pub(crate) fn words(&self) -> [u64; GPR_HALVES as usize / 64] {
        self.0
    }

    pub(crate) fn of_words(words: [u64; GPR_HALVES as usize / 64]) -> Halves {
        Halves(words)
    }

    pub(crate) fn add(&mut self, first: u16, count: u16) {
        for n in first..first.saturating_add(count).min(GPR_HALVES) {
            self.0[usize::from(n / 64)] |= 1 << (n % 64);
        }
    }

    pub(crate) fn with(mut self, other: &Halves) -> Halves {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a |= b);
        self
    }

    pub(crate) fn without(mut self, other: &Halves) -> Halves {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a &= !b);
        self
    }

    pub(crate) fn count(&self) -> u16 {
        self.0.iter().map(|word| word.count_ones() as u16).sum()
    }

    pub(crate) fn common(mut self, other: &Halves) -> Halves {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a &= b);
        self
    }

    #[inline]
    pub(crate) fn meets(&self, other: &Halves) -> bool {
        self.0.iter().zip(other.0).any(|(a, b)| a & b != 0)
    }

    pub(crate) fn has(&self, half: u16) -> bool {
        half < GPR_HALVES && self.0[usize::from(half / 64)] >> (half % 64) & 1 == 1
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = u16> + use<> {
        let bits = |(mut word, first): (u64, u16)| {
            std::iter::from_fn(move || {
                let bit = (word != 0).then(|| first + word.trailing_zeros() as u16);
                word &= word.wrapping_sub(1);
                bit
            })
        };
        self.0.into_iter().zip((0..).step_by(64)).flat_map(bits)
    }
}

/// How a half is spelled.
pub(crate) fn name(half: u16) -> String {
    format!("r{}{}", half / 2, if half & 1 == 0 { 'l' } else { 'h' })
}
