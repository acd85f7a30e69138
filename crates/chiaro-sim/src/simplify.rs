//! Straight runs of which only some results are asked for afterwards: with fewer micro-ops.
//!
//! What reads a copy reads the original instead, and what nobody reads is not computed.
//!
//! Needs a run that is entered at its start only and with all lanes active. Afterwards each slot that is live at the
//! end has what it had, by the name of the slot whose copy it is; all others may hold anything.
//!
//! ```text
//! mov s20 s21, s16 s17               fmul s30, s16 s16          (live: s30 and s17, in place of s21)
//! fmul s30, s20, s20
//! fadd s31, s20, s21
//! ```

use crate::op::{Group, Op};
use crate::uop::{Scope, Slot, Uop};

/// Makes a run less. `live` are the slots that are read behind it, and afterwards those that have their values.
///
/// A run with anything but plain arithmetic, constants, rows of tables and dot products on active lanes stays as it is.
pub fn simplify(uops: &mut Vec<Uop>, live: &mut [Slot]) {
    if uops.iter().all(is_plain) {
        propagate_copies(uops, live);
        drop_dead(uops, live);
    }
}

/// Whether its operands and results are what [`Uop::reads`] and [`Uop::writes`] say, and nothing else comes of it.
fn is_plain(uop: &Uop) -> bool {
    let shape = uop.op.shape();
    let known = match shape.group {
        Group::Special => matches!(uop.op, Op::Imm | Op::Row | Op::Dot),
        Group::Exact | Group::Float => shape.result == 1 && !shape.operands.contains(&2),
    };
    known && uop.scope == Scope::Active
}

/// Slots that are copies of others for now.
#[derive(Default)]
struct Copies(Vec<(Slot, Slot)>);

impl Copies {
    fn original(&self, slot: Slot) -> Slot {
        self.0.iter().find(|(copy, _)| *copy == slot).map_or(slot, |(_, original)| *original)
    }

    fn note(&mut self, uop: &Uop) {
        let written = uop.writes();
        self.0.retain(|(copy, original)| !written.contains(copy) && !written.contains(original));
        if uop.op == Op::Mov {
            let pairs = written.iter().copied().zip(uop.a);
            self.0.extend(pairs.filter(|(_, original)| !written.contains(original)));
        }
    }
}

fn propagate_copies(uops: &mut [Uop], live: &mut [Slot]) {
    let mut copies = Copies::default();
    for uop in uops {
        let written = uop.d;
        for k in 0..uop.op.shape().operands.len() {
            for slot in uop.operand_mut(k) {
                let original = copies.original(*slot);
                // A result that comes first must not overwrite what is read behind it.
                *slot = if written.contains(&original) { *slot } else { original };
            }
        }
        copies.note(uop);
    }
    live.iter_mut().for_each(|slot| *slot = copies.original(*slot));
}

fn drop_dead(uops: &mut Vec<Uop>, live: &[Slot]) {
    let mut read = Slots::default();
    live.iter().for_each(|slot| read.insert(*slot));
    for uop in uops.iter_mut().rev() {
        keep_read(uop, &read);
        uop.writes().iter().for_each(|slot| read.remove(*slot));
        uop.reads().for_each(|slot| read.insert(slot));
    }
    uops.retain(|uop| uop.count > 0);
}

/// Leaves of a micro-op what somebody reads; no repetition at all, if that is nothing.
fn keep_read(uop: &mut Uop, read: &Slots) {
    if matches!(uop.op, Op::Row | Op::Dot) {
        if !uop.writes().iter().any(|slot| read.contains(*slot)) {
            uop.count = 0;
        }
        return;
    }
    let mut kept = 0;
    for i in 0..usize::from(uop.count) {
        if read.contains(uop.d[i]) {
            for list in [&mut uop.d, &mut uop.a, &mut uop.b, &mut uop.c] {
                list[kept] = list[i];
            }
            kept += 1;
        }
    }
    uop.count = kept as u8;
}

/// A set of slots.
#[derive(Default)]
struct Slots(Vec<bool>);

impl Slots {
    fn contains(&self, slot: Slot) -> bool {
        self.0.get(usize::from(slot.0)).is_some_and(|is_in| *is_in)
    }

    fn insert(&mut self, slot: Slot) {
        let at = usize::from(slot.0);
        if at >= self.0.len() {
            self.0.resize(at + 1, false);
        }
        self.0[at] = true;
    }

    fn remove(&mut self, slot: Slot) {
        if let Some(is_in) = self.0.get_mut(usize::from(slot.0)) {
            *is_in = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Code, FloatEnv};

    /// What is left of a run, and its live slots.
    fn left(code: &Code, live: &[Slot]) -> (String, Vec<u16>) {
        let (mut code, mut live) = (code.clone(), live.to_vec());
        simplify(&mut code.uops, &mut live);
        (code.to_string(), live.iter().map(|slot| slot.0).collect())
    }

    #[test]
    fn copies_are_read_at_their_origin_and_the_dead_is_dropped() {
        let mut code = Code::new(FloatEnv::IEEE);
        let [a, b, c, d] = code.slots(4).quad();
        code.each(Op::Mov, &[c, d], &[&[a, b]]);
        code.each(Op::Fmul, &[a, d], &[&[c, c], &[c, d]]);
        code.each(Op::Fadd, &[b], &[&[d], &[d]]);
        // s16 is written itself, so its copy is read there.
        assert_eq!(left(&code, &[a]), ("mov s18, s16\nfmul.e0 s16, s18, s18\n".to_owned(), vec![16]));
        assert_eq!(left(&code, &[c, c]).1, [18, 18]);
    }

    #[test]
    fn values_that_go_round_are_not_moved() {
        let mut code = Code::new(FloatEnv::IEEE);
        let [x, y, z, w] = code.slots(4).quad();
        let origin = code.slots(4).quad();
        code.each(Op::Mov, &[x, y, z, w], &[&origin]);
        for _ in 0..3 {
            code.each(Op::Mov, &[x, y, z, w], &[&[y, z, w, x]]);
        }
        assert_eq!(left(&code, &[x, y]), (String::new(), vec![23, 20]));
    }

    #[test]
    fn a_copy_ends_with_its_original() {
        let mut code = Code::new(FloatEnv::IEEE);
        let [a, b, c, _] = code.slots(4).quad();
        code.each(Op::Mov, &[b], &[&[a]]);
        code.imm(&[a], 7);
        code.each(Op::Mov, &[c], &[&[b]]);
        assert_eq!(left(&code, &[a, c]), ("mov s17, s16\nimm s16, #0x7\n".to_owned(), vec![16, 17]));
    }

    #[test]
    fn of_repetitions_those_that_are_read_stay() {
        let mut code = Code::new(FloatEnv::IEEE);
        let [index, a, b, c] = code.slots(4).quad();
        let (row, other) = (code.slots(4).quad(), code.slots(4).quad());
        code.row(row, 0, index, 4);
        code.row(other, 0, index, 5);
        code.each(Op::Fadd, &[a, b, c], &[&row[..3], &row[1..]]);
        let expected = "row s20 s21 s22 s23, s16, #0x400\nfadd.e0 s18, s21, s22\n";
        assert_eq!(left(&code, &[b]), (expected.to_owned(), vec![18]));
    }

    #[test]
    fn what_is_not_plain_stays() {
        let mut code = Code::new(FloatEnv::IEEE);
        let [a, b, ..] = code.slots(4).quad();
        code.push(Uop { d: [a; 4], a: [b; 4], scope: Scope::Whole, ..Uop::new(Op::Mov) });
        assert_eq!(left(&code, &[b]).0.lines().count(), 1);
    }
}
