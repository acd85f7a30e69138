//! One micro-op: an operation, its operands, and its text.

use std::fmt;

use crate::op::{Group, Op};

/// The index of a slot: of a vector of lanes, or of a wave's word where the
/// operation says so.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Slot(pub u16);

impl Slot {
    /// The slot `n` further on.
    #[must_use]
    pub const fn at(self, n: u16) -> Self {
        Self(self.0.wrapping_add(n))
    }

    /// Four consecutive slots from this one on.
    #[must_use]
    pub const fn quad(self) -> [Self; 4] {
        [self, self.at(1), self.at(2), self.at(3)]
    }
}

/// A float environment by its place in [`Code::envs`](crate::Code::envs).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct EnvId(pub u8);

impl EnvId {
    /// The environment that [`State::mode`](crate::State::mode) holds at run time.
    pub const MODE: Self = Self(u8::MAX);
}

/// Which lanes an operation writes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Scope {
    /// The active ones.
    #[default]
    Active,
    /// All of the wave, whatever the mask.
    Whole,
    /// None: operands and result are wave slots, computed once. For exact and
    /// float operations.
    Wave,
}

/// How [`Op::Dot`] adds, its `imm`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u32)]
pub enum Sum {
    /// ((0 + p0) + p1) + p2 ...
    LeftFromZero = 0,
    /// (p0 + p1) + (p2 + p3); with three products (p0 + p1) + p2.
    Pairs = 1,
}

/// A micro-op. It is done `count` times, once for each of the first `count`
/// entries of its operand lists. No entry may read what an earlier one writes
/// ([`Code::each`](crate::Code::each) sees to that). ([`Op::Dot`] and [`Op::Row`] read the lists in their own way.)
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Uop {
    /// What it does.
    pub op: Op,
    /// The float environment of float operations.
    pub env: EnvId,
    /// Which lanes are written.
    pub scope: Scope,
    /// Repetitions, 1 to 4.
    pub count: u8,
    /// Result slots.
    pub d: [Slot; 4],
    /// First operands.
    pub a: [Slot; 4],
    /// Second operands.
    pub b: [Slot; 4],
    /// Third operands.
    pub c: [Slot; 4],
    /// A constant: [`Op::Imm`]'s value, a table, a space, an order.
    pub imm: u32,
}

impl Uop {
    /// `op` once on nothing, to be completed with `..`.
    #[must_use]
    pub const fn new(op: Op) -> Self {
        let none = [Slot(0); 4];
        Self { op, env: EnvId(0), scope: Scope::Active, count: 1, d: none, a: none, b: none, c: none, imm: 0 }
    }

    /// The operand list number `k`.
    #[must_use]
    pub fn operand(&self, k: usize) -> &[Slot; 4] {
        match k {
            0 => &self.a,
            1 => &self.b,
            _ => &self.c,
        }
    }

    /// The same, to exchange its slots.
    pub(crate) fn operand_mut(&mut self, k: usize) -> &mut [Slot] {
        let count = usize::from(self.count).min(4);
        let list = match k {
            0 => &mut self.a,
            1 => &mut self.b,
            _ => &mut self.c,
        };
        &mut list[..count]
    }

    /// The slots that it reads, of values of two slots the first.
    pub fn reads(&self) -> impl Iterator<Item = Slot> + '_ {
        let count = usize::from(self.count).min(4);
        (0..self.op.shape().operands.len()).flat_map(move |k| self.operand(k)[..count].iter().copied())
    }

    /// The slots that it writes, of values of two slots the first.
    #[must_use]
    pub fn writes(&self) -> &[Slot] {
        let count = usize::from(self.count).min(4);
        let shape = self.op.shape();
        let results = match self.op {
            Op::Row => 4,
            Op::Dot => count.min(1),
            _ if shape.group == Group::Special => usize::from(shape.result).min(1) * count,
            _ => count,
        };
        &self.d[..results]
    }
}

impl fmt::Display for Uop {
    /// `fadd.e1 s12 s13, s4 s5, s8 s9`: results first, lists without commas.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shape = self.op.shape();
        f.write_str(self.op.name())?;
        if shape.group == Group::Float || self.op == Op::Dot {
            write!(f, ".e{}", self.env.0)?;
        }
        match self.scope {
            Scope::Active => {}
            Scope::Whole => f.write_str(".all")?,
            Scope::Wave => f.write_str(".wave")?,
        }
        let count = usize::from(self.count).min(4);
        let results = match self.op {
            Op::Row => 4,
            Op::Dot => 1,
            _ => count,
        };
        let mut separator = " ";
        if shape.result > 0 {
            list(f, &mut separator, &self.d[..results])?;
        }
        for k in 0..shape.operands.len() {
            list(f, &mut separator, &self.operand(k)[..count])?;
        }
        if shape.group == Group::Special {
            write!(f, "{separator}#{:#x}", self.imm)?;
        }
        Ok(())
    }
}

fn list(f: &mut fmt::Formatter<'_>, separator: &mut &'static str, slots: &[Slot]) -> fmt::Result {
    f.write_str(separator)?;
    *separator = ", ";
    for (k, slot) in slots.iter().enumerate() {
        write!(f, "{}s{}", if k == 0 { "" } else { " " }, slot.0)?;
    }
    Ok(())
}
