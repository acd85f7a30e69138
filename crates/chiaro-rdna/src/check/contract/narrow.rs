//! Cells that matter somewhere, where there are more than can be followed.
//!
//! A register holds a mask here and a number there, and so does a lane that it is put into. Whoever asks what may ever be
//! moved to a mask finds almost all of them; on the ways that there are few of these moves come before the mask is used:
//!
//! ```text
//! v_readlane_b32 s3, v18, 4        a number: s3 is written again before it is a mask
//! v_mul_lo_u32 v0, s3, v0
//! v_readlane_b32 s3, v18, 17       a mask
//! s_mov_b32 exec_lo, s3
//! ```

use std::collections::{BTreeMap, HashMap};

use super::code::{Cell, Op};

/// Bits of a word of a set.
const BITS: usize = u64::BITS as usize;

/// Where execution goes on behind a step.
pub(super) type Next<'a> = &'a dyn Fn(usize) -> Vec<usize>;

/// A function's steps as far as cells go.
pub(super) struct Steps<'a> {
    /// Their numbers, in the order of the words.
    pub(super) body: &'a [usize],
    /// What each does to cells.
    pub(super) ops: &'a BTreeMap<usize, Vec<Op>>,
    /// What each asks for.
    pub(super) needed: &'a dyn Fn(usize) -> Vec<Cell>,
    /// Where execution goes on behind one.
    pub(super) next: Next<'a>,
}

/// What a step does to a set of cells that matter behind it, by their numbers: those that it asks for, and from the last
/// operation to the first what is written and what it is made from.
#[derive(Default)]
struct Change {
    asked: Vec<usize>,
    made: Vec<(usize, Vec<usize>)>,
    next: Vec<usize>,
}

/// Cells of a list, in its order, that matter in front of some step or within it; the first `lasting` of them always do.
pub(super) fn narrow(all: &[Cell], lasting: usize, steps: &Steps<'_>) -> Vec<Cell> {
    let number: HashMap<Cell, usize> = all.iter().copied().zip(0..).collect();
    let of = |cells: Vec<Cell>| cells.iter().filter_map(|cell| number.get(cell).copied()).collect();
    let place: HashMap<usize, usize> = steps.body.iter().copied().zip(0..).collect();
    let change = |n: &usize| {
        let ops = steps.ops.get(n).into_iter().flatten().rev();
        let made = ops.filter_map(|op| Some((*number.get(&op.written())?, of(op.read())))).collect();
        let next = (steps.next)(*n).iter().filter_map(|to| place.get(to).copied()).collect();
        Change { asked: of((steps.needed)(*n)), made, next }
    };
    let changes: Vec<Change> = steps.body.iter().map(change).collect();
    let matter = matter(&changes, all.len(), lasting);
    all.iter().zip(0..).filter(|(_, n)| has(&matter, *n)).map(|(cell, _)| *cell).collect()
}

/// The set of cells that matter somewhere.
fn matter(changes: &[Change], count: usize, lasting: usize) -> Vec<u64> {
    let words = count.div_ceil(BITS);
    let mut always = vec![0; words];
    (0..lasting).for_each(|n| put(&mut always, n));
    let mut before = vec![always.clone(); changes.len()];
    let mut all = always.clone();
    let mut is_settled = false;
    while !is_settled {
        is_settled = true;
        for (n, change) in changes.iter().enumerate().rev() {
            let mut live = always.clone();
            change.next.iter().for_each(|to| join(&mut live, &before[*to]));
            for (written, read) in &change.made {
                if has(&live, *written) {
                    // Steps keep what they change in cells that nobody else knows.
                    put(&mut all, *written);
                    live[written / BITS] &= !(1 << (written % BITS));
                    read.iter().for_each(|n| put(&mut live, *n));
                }
            }
            change.asked.iter().for_each(|n| put(&mut live, *n));
            join(&mut live, &always);
            is_settled &= live == before[n];
            before[n] = live;
        }
    }
    before.iter().for_each(|live| join(&mut all, live));
    all
}

fn has(set: &[u64], n: usize) -> bool {
    set[n / BITS] >> (n % BITS) & 1 == 1
}

fn put(set: &mut [u64], n: usize) {
    set[n / BITS] |= 1 << (n % BITS);
}

fn join(set: &mut [u64], other: &[u64]) {
    set.iter_mut().zip(other).for_each(|(word, other)| *word |= other);
}

#[cfg(test)]
mod tests {
    use super::super::code::{Operand, Origin};
    use super::*;

    fn copy(to: Cell, from: Cell) -> Op {
        Op::Set(to, Origin::Copy(Operand::Cell(from)))
    }

    /// Cell 0 is EXEC. The first step puts a number into 3, the second one reads a mask into it through 5, which nobody else
    /// knows, and the third one makes EXEC of it; 2 is never a mask by then.
    #[test]
    fn what_is_written_again_before_it_is_a_mask_does_not_matter() {
        let ops = BTreeMap::from([
            (10, vec![copy(3, 2)]),
            (11, vec![copy(5, 4), copy(3, 5)]),
            (12, vec![copy(0, 3)]),
        ]);
        let next = |n: usize| if n < 12 { vec![n + 1] } else { Vec::new() };
        let steps = Steps { body: &[10, 11, 12], ops: &ops, needed: &|_| Vec::new(), next: &next };
        assert_eq!(narrow(&[0, 1, 2, 3, 4, 5], 1, &steps), [0, 3, 4, 5]);
        let asks = |n: usize| if n == 11 { vec![3] } else { Vec::new() };
        assert_eq!(narrow(&[0, 1, 2, 3], 1, &Steps { needed: &asks, ..steps }), [0, 2, 3]);
    }
}
