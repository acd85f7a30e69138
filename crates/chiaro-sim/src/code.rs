//! A list of micro-ops under construction.

use std::fmt;

use crate::env::FloatEnv;
use crate::op::Op;
use crate::uop::{EnvId, Scope, Slot, Sum, Uop};

/// Micro-ops with the environments that they name.
///
/// The functions of a target's `exec.rs` write into it. [`Code::each`] takes
/// lists of one to four slots and keeps the meaning of a vector instruction
/// (all operands are read before any result is written) by going through
/// spare slots where a result overlaps a later operand.
#[derive(Clone, Debug)]
pub struct Code {
    /// The micro-ops in order.
    pub uops: Vec<Uop>,
    /// The environments.
    pub envs: Vec<FloatEnv>,
    /// The environment of the operations that follow.
    pub env: EnvId,
    /// The scope of the operations that follow.
    pub scope: Scope,
    spare: Slot,
    next: u16,
}

/// Slots that [`Code`] uses for itself, from 0 on. Engines use them as well.
pub(crate) const RESERVED: u16 = 16;
/// The part of them that [`Code::each`] uses.
const PARALLEL: Slot = Slot(8);

impl Code {
    /// Nothing yet; float operations are in `env`.
    #[must_use]
    pub fn new(env: FloatEnv) -> Self {
        Self {
            uops: Vec::new(),
            envs: vec![env],
            env: EnvId(0),
            scope: Scope::Active,
            spare: PARALLEL,
            next: RESERVED,
        }
    }

    /// `n` fresh consecutive slots. Slots are few (65,536); a target allocates
    /// its registers once.
    pub fn slots(&mut self, n: u16) -> Slot {
        let first = Slot(self.next);
        self.next = self.next.saturating_add(n);
        first
    }

    /// How many slots a state for this code needs.
    #[must_use]
    pub fn slot_count(&self) -> usize {
        usize::from(self.next)
    }

    /// Adds an environment (or finds an equal one) and makes it current.
    pub fn set_env(&mut self, env: FloatEnv) -> EnvId {
        let place = self.envs.iter().position(|e| *e == env).unwrap_or_else(|| {
            self.envs.push(env);
            self.envs.len() - 1
        });
        // 255 stands for the run-time mode; nothing has that many.
        self.env = EnvId(place.min(254) as u8);
        self.env
    }

    /// Adds a micro-op as it is.
    pub fn push(&mut self, uop: Uop) {
        self.uops.push(uop);
    }

    /// `op` on corresponding entries of `d` and of the operand lists, at most
    /// four. All operands are read before a result is written.
    pub fn each(&mut self, op: Op, d: &[Slot], operands: &[&[Slot]]) {
        if d.is_empty() {
            return;
        }
        if !self.overlaps(d, operands) {
            self.write(op, d, operands);
        } else if op == Op::Mov {
            self.copy(d, operands[0]);
        } else {
            let spare = self.spare.quad();
            self.write(op, &spare[..d.len()], operands);
            self.write(Op::Mov, d, &[&spare[..d.len()]]);
        }
    }

    /// Copies that happen at once, done one after another: a slot is written when
    /// nobody reads it any more. What is left are cycles, which go around a spare
    /// slot.
    fn copy(&mut self, d: &[Slot], a: &[Slot]) {
        let mut left: Vec<(Slot, Slot)> = d.iter().copied().zip(a.iter().copied()).collect();
        left.retain(|(to, from)| to != from);
        let mut ordered = Vec::new();
        while !left.is_empty() {
            let free = left.iter().position(|(to, _)| left.iter().all(|(_, from)| from != to));
            if let Some(free) = free {
                ordered.push(left.swap_remove(free));
                continue;
            }
            let saved = left[0].0;
            let spare = self.spare.at(ordered.len() as u16 % 8);
            ordered.push((spare, saved));
            for (_, from) in left.iter_mut().filter(|(_, from)| *from == saved) {
                *from = spare;
            }
        }
        let mut rest = ordered.as_slice();
        while !rest.is_empty() {
            // What a micro-op writes it may not read further on.
            let fits = |n: &usize| rest[..*n].iter().all(|(to, _)| *to != rest[*n].1);
            let n = (1..rest.len().min(4)).take_while(fits).count() + 1;
            let (d, a): (Vec<Slot>, Vec<Slot>) = rest[..n].iter().copied().unzip();
            self.write(Op::Mov, &d, &[&a]);
            rest = &rest[n..];
        }
    }

    /// True if a result is written before a later repetition reads its slot.
    fn overlaps(&self, d: &[Slot], operands: &[&[Slot]]) -> bool {
        (0..d.len()).any(|i| operands.iter().any(|list| list[i + 1..].contains(&d[i])))
    }

    fn write(&mut self, op: Op, d: &[Slot], operands: &[&[Slot]]) {
        let list = |slots: Option<&&[Slot]>| {
            let slots = slots.copied().unwrap_or_default();
            std::array::from_fn(|n| slots.get(n).copied().unwrap_or(Slot(0)))
        };
        self.uops.push(Uop {
            op,
            env: self.env,
            scope: self.scope,
            count: d.len().clamp(1, 4) as u8,
            d: list(Some(&d)),
            a: list(operands.first()),
            b: list(operands.get(1)),
            c: list(operands.get(2)),
            imm: 0,
        });
    }

    /// `op` once, the result copied to all of `d`.
    pub fn splat(&mut self, op: Op, d: &[Slot], operands: &[Slot]) {
        let Some(first) = d.first() else { return };
        let lists: Vec<&[Slot]> = operands.iter().map(std::slice::from_ref).collect();
        self.each(op, std::slice::from_ref(first), &lists);
        self.copy_on(d);
    }

    /// The sum of products of `a` and `b` (two to four), copied to all of `d`.
    pub fn dot(&mut self, d: &[Slot], a: &[Slot], b: &[Slot], sum: Sum) {
        let Some(first) = d.first() else { return };
        self.write(Op::Dot, std::slice::from_ref(first), &[a, b]);
        if let Some(uop) = self.uops.last_mut() {
            uop.count = a.len().min(b.len()).clamp(1, 4) as u8;
            uop.imm = sum as u32;
        }
        self.copy_on(d);
    }

    /// A constant in all of `d`.
    pub fn imm(&mut self, d: &[Slot], value: u32) {
        if !d.is_empty() {
            self.write(Op::Imm, d, &[]);
            if let Some(uop) = self.uops.last_mut() {
                uop.imm = value;
            }
        }
    }

    /// Row number `index + base` of `table` (of at most 256) into four slots.
    pub fn row(&mut self, d: [Slot; 4], table: u8, index: Slot, base: u16) {
        self.write(Op::Row, &d[..1], &[&[index]]);
        if let Some(uop) = self.uops.last_mut() {
            (uop.d, uop.imm) = (d, u32::from(base) << 8 | u32::from(table));
        }
    }

    /// Copies the first of `d` to the others.
    fn copy_on(&mut self, d: &[Slot]) {
        if let [first, rest @ ..] = d {
            self.each(Op::Mov, rest, &[&[*first; 4][..rest.len()]]);
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.uops.iter().try_for_each(|uop| writeln!(f, "{uop}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permutations_go_through_spare_slots() {
        let mut code = Code::new(FloatEnv::IEEE);
        let [x, y, z, w] = code.slots(4).quad();
        code.each(Op::Mov, &[x, y, z, w], &[&[y, z, w, x]]);
        code.each(Op::Mov, &[x, y], &[&[y, z]]);
        assert_eq!(
            code.to_string(),
            "mov s8 s16 s17 s18, s16 s17 s18 s19\nmov s19, s8\nmov s16 s17, s17 s18\n"
        );
        // Two values change places, one is copied on, one stays.
        code.uops.clear();
        code.each(Op::Mov, &[x, y, z, w], &[&[y, x, x, w]]);
        assert_eq!(code.to_string(), "mov s18 s9 s16, s16 s16 s17\nmov s17, s9\n");
    }
}
