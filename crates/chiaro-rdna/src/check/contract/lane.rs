//! What one lane has in masks: of each bit by itself whether it is known, or one of those that the lane came with.
//!
//! Sets of tuples ([`masks`](super::masks)) know how masks hang together, and there may be too many tuples of many masks. A
//! lane that waits needs no more than this: where it does not run, whatever is computed from comparisons and EXEC is 0.
//!
//! ```text
//! s_and_b32 s4, s20, exec_lo       0 where the lane does not run, else what it came with
//! s_andn2_b32 s5, s20, exec_lo     the opposite
//! s_or_b32 s20, s4, s5             what it came with, either way
//! ```
//!
//! Since the last line is known for each way alone, a lane that runs and one that does not are told apart.

use super::code::{Cell, How, Op, Operand, Origin};

/// A bit of a lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bit {
    Known(bool),
    /// What the lane came with in a mask by its number, or the opposite.
    Came(u16, bool),
    Anything,
}

impl Bit {
    /// What it is if a mask came with a bit.
    fn under(self, mask: u16, came: bool) -> Option<bool> {
        match self {
            Bit::Known(bit) => Some(bit),
            Bit::Came(number, is_same) if number == mask => Some(came == is_same),
            _ => None,
        }
    }

    /// The bit that is one thing if a mask came with 0, and another if it came with 1.
    fn either(mask: u16, if_0: Option<bool>, if_1: Option<bool>) -> Bit {
        match if_0.zip(if_1) {
            Some((a, b)) if a == b => Bit::Known(a),
            Some((_, b)) => Bit::Came(mask, b),
            None => Bit::Anything,
        }
    }

    fn not(self) -> Bit {
        match self {
            Bit::Known(bit) => Bit::Known(!bit),
            Bit::Came(mask, is_same) => Bit::Came(mask, !is_same),
            Bit::Anything => Bit::Anything,
        }
    }

    /// Two bits made one.
    fn of(how: How, a: Bit, b: Bit) -> Bit {
        let mask =
            [a, b].into_iter().find_map(|bit| if let Bit::Came(mask, _) = bit { Some(mask) } else { None });
        let mask = mask.unwrap_or(0);
        let [if_0, if_1] = [false, true].map(|came| how.of(a.under(mask, came), b.under(mask, came)));
        Bit::either(mask, if_0, if_1)
    }

    fn join(self, other: Bit) -> Bit {
        if self == other { self } else { Bit::Anything }
    }
}

/// What a lane may have in some cells: where it does not run, and where it does; `None` where that cannot be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Lane([Option<Vec<Bit>>; 2]);

/// The cells that are followed, in rising order; all others hold anything.
pub(super) struct Followed {
    pub(super) cells: Vec<Cell>,
    /// That of the lanes that run, which is none of them.
    pub(super) exec: Cell,
}

impl Followed {
    fn place(&self, cell: Cell) -> Option<usize> {
        self.cells.binary_search(&cell).ok()
    }
}

impl Lane {
    /// A lane that runs and knows some bits.
    pub(super) fn running(followed: &Followed, known: impl IntoIterator<Item = (Cell, Bit)>) -> Lane {
        let mut bits = vec![Bit::Anything; followed.cells.len()];
        for (cell, bit) in known {
            if let Some(n) = followed.place(cell) {
                bits[n] = bit;
            }
        }
        Lane([None, Some(bits)])
    }

    /// What an instruction does to a cell.
    pub(super) fn apply(&mut self, followed: &Followed, op: &Op) {
        let Op::Set(to, origin) = *op;
        if to == followed.exec {
            return self.run(followed, origin);
        }
        let Some(n) = followed.place(to) else { return };
        for (bits, runs) in self.0.iter_mut().zip([false, true]) {
            if let Some(bits) = bits {
                bits[n] = value(followed, bits, runs, origin);
            }
        }
    }

    /// Whether the lane runs is decided anew.
    fn run(&mut self, followed: &Followed, origin: Origin) {
        let old = std::mem::take(&mut self.0);
        for (bits, ran) in old.into_iter().zip([false, true]) {
            let Some(bits) = bits else { continue };
            let value = value(followed, &bits, ran, origin);
            for runs in [false, true].into_iter().filter(|runs| value != Bit::Known(!runs)) {
                self.meet(runs, &bits);
            }
        }
    }

    /// Takes in another way to have come here.
    fn meet(&mut self, runs: bool, other: &[Bit]) {
        match &mut self.0[usize::from(runs)] {
            Some(bits) => bits.iter_mut().zip(other).for_each(|(bit, other)| *bit = bit.join(*other)),
            none => *none = Some(other.to_vec()),
        }
    }

    pub(super) fn join(&self, other: &Lane) -> Lane {
        let mut joined = self.clone();
        for (bits, runs) in other.0.iter().zip([false, true]) {
            bits.iter().for_each(|bits| joined.meet(runs, bits));
        }
        joined
    }

    /// Cells that hold anything from here on, as is asked of each with whether the lane runs.
    pub(super) fn forget(&mut self, followed: &Followed, is_lost: impl Fn(Cell, bool) -> bool) {
        for (bits, runs) in self.0.iter_mut().zip([false, true]) {
            let bits = bits.iter_mut().flatten().zip(&followed.cells);
            bits.filter(|(_, cell)| is_lost(**cell, runs)).for_each(|(bit, _)| *bit = Bit::Anything);
        }
    }

    /// The lane comes only on ways on which it has no bit in a cell.
    pub(super) fn keep_zero(&mut self, followed: &Followed, cell: Cell) {
        for (bits, runs) in self.0.iter_mut().zip([false, true]) {
            let has = |own: &Vec<Bit>| read(followed, own, runs, Operand::Cell(cell)) == Bit::Known(true);
            bits.take_if(|own| has(own));
        }
    }

    /// Whether a cell holds what the lane came with in a mask, wherever it runs or does not.
    pub(super) fn is_as_it_came(&self, followed: &Followed, cell: Cell, mask: u16) -> bool {
        self.0.iter().zip([false, true]).all(|(bits, runs)| {
            let now = bits.as_ref().map(|bits| read(followed, bits, runs, Operand::Cell(cell)));
            now.is_none_or(|now| now == Bit::Came(mask, true))
        })
    }
}

fn value(followed: &Followed, bits: &[Bit], runs: bool, origin: Origin) -> Bit {
    let read = |operand| read(followed, bits, runs, operand);
    match origin {
        Origin::Copy(a) => read(a),
        Origin::Not(a) => read(a).not(),
        Origin::Of(how, a, b) => Bit::of(how, read(a), read(b)),
    }
}

fn read(followed: &Followed, bits: &[Bit], runs: bool, operand: Operand) -> Bit {
    match operand {
        Operand::Cell(cell) if cell == followed.exec => Bit::Known(runs),
        Operand::Cell(cell) => followed.place(cell).map_or(Bit::Anything, |n| bits[n]),
        Operand::None => Bit::Known(false),
        Operand::All => Bit::Known(true),
        Operand::Anything => Bit::Anything,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXEC: Cell = 126;

    fn both(how: How, to: Cell, a: Cell, b: Cell) -> Op {
        Op::Set(to, Origin::Of(how, Operand::Cell(a), Operand::Cell(b)))
    }

    /// The lines of the page above, where nobody knows whether the lane runs; and with one of them left out.
    #[test]
    fn a_bit_is_put_together_again() {
        let followed = Followed { cells: vec![4, 5, 20], exec: EXEC };
        let mut lane = Lane::running(&followed, [(20, Bit::Came(3, true))]);
        lane.apply(&followed, &Op::Set(EXEC, Origin::Copy(Operand::Anything)));
        let ops = [both(How::And, 4, 20, EXEC), both(How::AndNot, 5, 20, EXEC), both(How::Or, 20, 4, 5)];
        for left_out in 0..=ops.len() {
            let mut lane = lane.clone();
            ops.iter().zip(0..).filter(|(_, n)| *n != left_out).for_each(|(op, _)| lane.apply(&followed, op));
            assert_eq!(lane.is_as_it_came(&followed, 20, 3), left_out >= 2, "{left_out}: {lane:?}");
            assert!(!lane.is_as_it_came(&followed, 20, 2), "another mask");
        }
    }

    /// Of a way that is taken where a mask is zero, who has a bit in it does not come along; of all others nobody knows.
    #[test]
    fn where_a_mask_is_zero_nobody_has_a_bit() {
        let followed = Followed { cells: vec![4, 5, 6], exec: EXEC };
        let begin = Lane::running(&followed, [(4, Bit::Known(true)), (5, Bit::Known(false))]);
        for (cell, comes) in [(4, false), (5, true), (6, true), (EXEC, false)] {
            let mut lane = begin.clone();
            lane.keep_zero(&followed, cell);
            assert_eq!(lane != Lane([None, None]), comes, "{cell}");
        }
    }

    /// Every operation on what came, its opposite, and numbers is that on each of both bits.
    #[test]
    fn bits_are_made_one_as_numbers_are() {
        let all = [Bit::Known(false), Bit::Known(true), Bit::Came(1, true), Bit::Came(1, false)];
        for how in [How::And, How::Or, How::Xor, How::AndNot, How::OrNot, How::Nand, How::Nor, How::Xnor] {
            for (a, b) in all.iter().flat_map(|a| all.iter().map(move |b| (*a, *b))) {
                for came in [false, true] {
                    let [a, b, both] = [a, b, Bit::of(how, a, b)].map(|bit| bit.under(1, came));
                    assert_eq!(both, how.of(a, b), "{how:?}");
                }
            }
        }
        assert_eq!(Bit::of(How::And, Bit::Came(0, true), Bit::Came(1, true)), Bit::Anything);
        assert_eq!(Bit::of(How::And, Bit::Known(false), Bit::Anything), Bit::Known(false));
    }
}
