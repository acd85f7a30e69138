//! What each operation computes, as micro-ops. Spec sections 5, 9, 10 and 11.
//!
//! Operations that only steer control flow write nothing here; the machine
//! does them.

use arrayvec::ArrayVec;
use chiaro_sim::uop::Sum;
use chiaro_sim::{Code, Op as U, Slot};

use crate::isa::Op;
use crate::machine::config::{AddressRange, Config, Mode, ReservedCompare, SumOrder};
use crate::machine::registers::{Registers, Source};

/// Something of each of up to four components.
pub(crate) type Components<T> = ArrayVec<T, 4>;

/// An instruction's operands, ready for execution.
#[derive(Clone, Debug, Default)]
pub(crate) struct Operands {
    /// Result slots of the enabled components.
    pub(crate) d: Components<Slot>,
    /// Which components those are: 0 x, 3 w.
    pub(crate) enabled: Components<usize>,
    /// Sources in the order of their positions.
    pub(crate) sources: [Option<Source>; 3],
    /// Comparisons of CMP for x and y.
    pub(crate) relations: [u8; 2],
}

/// Writes the micro-ops of one instruction.
pub(crate) struct Exec<'e> {
    pub(crate) code: &'e mut Code,
    pub(crate) regs: &'e mut Registers,
    pub(crate) config: &'e Config,
}

const XYZ: &[usize] = &[0, 1, 2];
const XYZW: &[usize] = &[0, 1, 2, 3];

/// Appends the micro-ops of `op`.
pub(crate) fn exec(op: Op, o: &Operands, x: &mut Exec<'_>) {
    match op {
        Op::Add => x.each(U::Fadd, o, [0, 1]),
        Op::Mul => x.each(U::Fmul, o, [0, 1]),
        // The product is rounded before the sum: not fused. [3dbrew]
        Op::Mad => x.each(U::Fmad, o, [0, 1, 2]),
        Op::Max => x.choose(U::Fmax, o),
        Op::Min => x.choose(U::Fmin, o),
        Op::Flr => x.each(U::Ffloor, o, [0]),
        Op::Mov => x.copy(o),
        Op::Sge => x.test(o, [1, 0], U::Fle),
        Op::Slt => x.test(o, [0, 1], U::Flt),
        Op::Dp3 => x.dot(o, XYZ),
        Op::Dp4 => x.dot(o, XYZW),
        Op::Dph => x.dot_homogeneous(o),
        Op::Dst => x.distance(o),
        Op::Rcp => x.scalar(U::Frcp, o),
        Op::Rsq => x.scalar(U::Frsq, o),
        Op::Ex2 => x.scalar(U::Fexp2, o),
        Op::Lg2 => x.scalar(U::Flog2, o),
        Op::Litp => x.light(o),
        Op::Mova => x.address(o),
        Op::Cmp => x.compare(o),
        Op::Nop
        | Op::End
        | Op::Break
        | Op::Breakc
        | Op::Call
        | Op::Callc
        | Op::Callu
        | Op::Ifu
        | Op::Ifc
        | Op::Loop
        | Op::Jmpc
        | Op::Jmpu
        | Op::Emit
        | Op::Setemit => {}
    }
}

impl Exec<'_> {
    /// Components `read` of source `k`; all at once, because slots of indexed
    /// and negated sources are computed here.
    fn source(&mut self, o: &Operands, k: usize, read: &[usize]) -> Components<Slot> {
        let Some(source) = o.sources[k] else { return read.iter().map(|_| self.regs.zero).collect() };
        let row = self.regs.row(source.register, self.code);
        let selected: Components<Slot> = read.iter().map(|i| row[source.component(*i)]).collect();
        if !source.negated {
            return selected;
        }
        let negated = &self.regs.spare[k].quad()[..read.len()];
        self.code.each(U::Fneg, negated, &[&selected]);
        negated.iter().copied().collect()
    }

    /// `op` on every enabled component.
    fn each<const N: usize>(&mut self, op: U, o: &Operands, sources: [usize; N]) {
        let lists = sources.map(|k| self.source(o, k, &o.enabled));
        self.code.each(op, &o.d, &lists.each_ref().map(ArrayVec::as_slice));
    }

    /// MAX and MIN: a choice, not arithmetic.
    fn choose(&mut self, op: U, o: &Operands) {
        let [a, b] = [0, 1].map(|k| self.chosen(o, k));
        self.code.each(op, &o.d, &[&a, &b]);
    }

    fn copy(&mut self, o: &Operands) {
        let a = self.chosen(o, 0);
        self.code.each(U::Mov, &o.d, &[&a]);
    }

    /// 1 where the comparison of two sources holds, else 0.
    fn test(&mut self, o: &Operands, order: [usize; 2], relation: U) {
        let [a, b] = order.map(|k| self.chosen(o, k));
        let truth = &self.regs.spare[2].quad()[..o.d.len()];
        self.code.each(relation, truth, &[&a, &b]);
        self.code.each(U::And, &o.d, &[truth, &[self.regs.one; 4][..o.d.len()]]);
    }

    /// The enabled components of source `k` for an operation of which only MAX
    /// is known not to flush subnormals.
    fn chosen(&mut self, o: &Operands, k: usize) -> Components<Slot> {
        let plain = self.source(o, k, &o.enabled);
        if !(self.config.choices_flush && self.config.mode == Mode::Hw24) {
            return plain;
        }
        let flushed = &self.regs.spare[k].quad()[..plain.len()];
        self.code.each(U::Fmul, flushed, &[&plain, &[self.regs.one; 4][..plain.len()]]);
        flushed.iter().copied().collect()
    }

    fn sum(&self) -> Sum {
        match self.config.sum_order {
            SumOrder::Left => Sum::LeftFromZero,
            SumOrder::Pairs => Sum::Pairs,
        }
    }

    fn dot(&mut self, o: &Operands, read: &[usize]) {
        let [a, b] = [0, 1].map(|k| self.source(o, k, read));
        self.code.dot(&o.d, &a, &b, self.sum());
    }

    /// The first source's w is +1 after selection and negation: a negated
    /// source does not negate that 1. [3dbrew]
    fn dot_homogeneous(&mut self, o: &Operands) {
        let mut a = self.source(o, 0, XYZ);
        a.push(self.regs.one);
        let b = self.source(o, 1, XYZW);
        self.code.dot(&o.d, &a, &b, self.sum());
    }

    /// (1, a.y * b.y, a.z, b.w). [3dbrew]
    fn distance(&mut self, o: &Operands) {
        let [a, b] = [self.source(o, 0, &[1, 2]), self.source(o, 1, &[1, 3])];
        let product = self.regs.spare[2];
        self.code.each(U::Fmul, &[product], &[&a[..1], &b[..1]]);
        self.write(o, [self.regs.one, product, a[1], b[1]]);
    }

    /// Copies the enabled ones of four components to the result.
    fn write(&mut self, o: &Operands, all: [Slot; 4]) {
        let enabled: Components<Slot> = o.enabled.iter().map(|i| all[*i]).collect();
        self.code.each(U::Mov, &o.d, &[&enabled]);
    }

    /// A function of x, to all enabled components.
    fn scalar(&mut self, op: U, o: &Operands) {
        let a = self.source(o, 0, &[0]);
        let kept = self.config.estimate_bits;
        if kept >= 23 {
            return self.code.splat(op, &o.d, &a);
        }
        let [value, mask, ..] = self.regs.spare[2].quad();
        self.code.splat(op, &[value], &a);
        self.code.imm(&[mask], u32::MAX << (23 - kept));
        self.code.splat(U::And, &o.d, &[value, mask]);
    }

    /// (max(x, 0), clamp(y), 0, max(w, 0)), and the flags x >= 0, w >= 0 whatever
    /// the mask. [3dbrew] [Panda3DS]
    fn light(&mut self, o: &Operands) {
        let s = self.source(o, 0, &[0, 1, 3]);
        let [x, y, w, limit] = self.regs.spare[2].quad();
        let (zero, [cmp_x, cmp_y]) = (self.regs.zero, self.regs.cmp);
        let relation = if self.config.litp_zero { U::Fle } else { U::Flt };
        self.code.each(U::Fmax, &[x, w], &[&[s[0], s[2]], &[zero, zero]]);
        // 127.9961; float24 has 0x1.FFFCp6 for it.
        let limit_bits = if self.config.mode == Mode::Emu32 { 0x42FF_FE01 } else { 0x42FF_FE00 };
        self.code.imm(&[limit], limit_bits);
        self.code.each(U::Fmin, &[y], &[&[s[1]], &[limit]]);
        self.code.imm(&[limit], limit_bits | 1 << 31);
        self.code.each(U::Fmax, &[y], &[&[y], &[limit]]);
        self.code.each(relation, &[cmp_x, cmp_y], &[&[zero, zero], &[s[0], s[2]]]);
        self.write(o, [x, y, zero, w]);
    }

    /// a0, and beside it the offset that indexing adds: 0 outside of -128..=127
    /// (section 10).
    fn address(&mut self, o: &Operands) {
        let s = self.source(o, 0, &o.enabled);
        let to_integer = match self.config.address_range {
            AddressRange::X86 => U::FtoX86,
            AddressRange::Saturate => U::FtoS,
        };
        let written = |all: [Slot; 2]| o.enabled.iter().map(|i| all[*i]).collect::<Components<_>>();
        let (a, offset) = (written(self.regs.a), written([self.regs.offset[0], self.regs.offset[1]]));
        let n = a.len();
        let spare = &self.regs.spare[2].quad()[..n];
        self.code.each(to_integer, &a, &[&s]);
        let [half, whole] = self.regs.limits.map(|slot| [slot; 2]);
        self.code.each(U::Add, spare, &[&a, &half[..n]]);
        self.code.each(U::LtU, spare, &[spare, &whole[..n]]);
        self.code.each(U::And, &offset, &[spare, &a]);
        self.regs.forget_rows();
    }

    fn compare(&mut self, o: &Operands) {
        let [a, b] = [0, 1].map(|k| self.source(o, k, &[0, 1]));
        for i in 0..2 {
            let (flag, a, b) = (&[self.regs.cmp[i]], &a[i..=i], &b[i..=i]);
            match o.relations[i] {
                0 => self.code.each(U::Feq, flag, &[a, b]),
                1 => {
                    self.code.each(U::Feq, flag, &[a, b]);
                    self.code.each(U::Not, flag, &[flag]);
                }
                2 => self.code.each(U::Flt, flag, &[a, b]),
                3 => self.code.each(U::Fle, flag, &[a, b]),
                4 => self.code.each(U::Flt, flag, &[b, a]),
                5 => self.code.each(U::Fle, flag, &[b, a]),
                _ => match self.config.reserved_compare {
                    ReservedCompare::True => self.code.imm(flag, u32::MAX),
                    ReservedCompare::False => self.code.imm(flag, 0),
                    ReservedCompare::Unchanged => {}
                },
            }
        }
    }
}
