//! Sets of registers: what an instruction touches, what is on its way.

use crate::regs::file;

/// Vector registers by number, behind them scalar ones by their codes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Registers([u64; 6]);

/// Where scalar registers begin.
const SCALARS: u16 = 256;

impl Registers {
    pub(super) fn add(&mut self, file: u8, index: u16) {
        let n = number(file, index);
        self.0[usize::from(n / 64)] |= 1 << (n % 64);
    }

    pub(super) fn with(mut self, other: &Registers) -> Registers {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a |= b);
        self
    }

    /// Those that are not among others.
    pub(super) fn without(mut self, other: &Registers) -> Registers {
        self.0.iter_mut().zip(other.0).for_each(|(own, other)| *own &= !other);
        self
    }

    #[inline]
    pub(super) fn meets(&self, other: &Registers) -> bool {
        self.0.iter().zip(other.0).any(|(a, b)| a & b != 0)
    }

    /// All registers, vector ones first.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u8, u16)> {
        let words = self.0;
        let held = (0..384_u16).filter(move |n| words[usize::from(n / 64)] >> (n % 64) & 1 == 1);
        held.map(|n| if n < SCALARS { (file::VGPR, n) } else { (file::SGPR, n - SCALARS) })
    }

    /// The first register that both have.
    pub(super) fn first_of_both(&self, other: &Registers) -> Option<(u8, u16)> {
        let word = (0..6).find(|n| self.0[*n] & other.0[*n] != 0)?;
        let n = word as u16 * 64 + (self.0[word] & other.0[word]).trailing_zeros() as u16;
        Some(if n < SCALARS { (file::VGPR, n) } else { (file::SGPR, n - SCALARS) })
    }
}

fn number(in_file: u8, index: u16) -> u16 {
    (if in_file == file::VGPR { index } else { SCALARS + index }).min(383)
}
