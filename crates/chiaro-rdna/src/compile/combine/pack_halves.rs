//! Pairs of half floats are computed together.
//!
//! ```text
//! v2 = v_mul_f16 v0, v1
//! v3 = v_lshrrev_b32 16, v0
//! v4 = v_lshrrev_b32 16, v1                    v6 = v_pk_mul_f16 v0, v1
//! v5 = v_mul_f16 v3, v4
//! v6 = v_perm_b32 v5, v2, 0x5040100
//! ```
//!
//! Begins where two halves become a word, and goes up to what both are made of, as long as that is the same operation that
//! nothing else reads. What is made of other things is put together there; it is worth while if that is rarer.
//!
//! Before: SSA.

use chiaro_diag::Span;
use chiaro_mach::{Block, Code, Inst, Made, Operand};

use super::facts::{maker, number};
use crate::compile::code::{self, Modifiers, PART, SCALAR, VECTOR, effects, machine};
use crate::isa::Op;
use crate::isa::vop2::Vop2;
use crate::isa::vop3::Vop3;
use crate::isa::vop3p::Vop3p;
use crate::operand::constant::Number;
use crate::regs::mods;

/// The selector of `v_perm_b32` that puts two lower halves side by side.
pub(crate) const SIDE_BY_SIDE: u32 = 0x0504_0100;
/// Operations, one in another, that are looked at.
const DEEPEST: u32 = 16;
/// Different scalar registers and numbers that an instruction may read (spec section 3.3).
const SCALARS: usize = 2;

/// What a pair of halves is made of.
#[derive(Debug)]
enum Pair {
    /// Halves of one register, of which each is the upper one or not.
    Halves(Operand, [bool; 2]),
    /// Numbers.
    Number(u32),
    /// An operation on pairs, some of them negated.
    Made { op: Vop3p, of: Vec<Pair>, negated: u8, span: Option<Span> },
    /// Two registers.
    Apart([Operand; 2]),
}

/// The packed operation for one of single halves, and which of its sources it negates.
fn packed(op: Op) -> Option<(Vop3p, u8)> {
    Some(match op {
        Op::Vop2(Vop2::AddF16) => (Vop3p::PkAddF16, 0),
        Op::Vop2(Vop2::SubF16) => (Vop3p::PkAddF16, 0b10),
        Op::Vop2(Vop2::SubrevF16) => (Vop3p::PkAddF16, 0b01),
        Op::Vop2(Vop2::MulF16) => (Vop3p::PkMulF16, 0),
        Op::Vop2(Vop2::MinF16) => (Vop3p::PkMinF16, 0),
        Op::Vop2(Vop2::MaxF16) => (Vop3p::PkMaxF16, 0),
        Op::Vop3(Vop3::FmaF16) => (Vop3p::PkFmaF16, 0),
        _ => return None,
    })
}

/// Packs what it can in all blocks; whether there was anything.
pub(super) fn pack_halves(code: &mut Code) -> bool {
    let made = Made::of(code);
    let mut changed = false;
    for block in code.blocks() {
        let mut insts = Vec::with_capacity(code.insts(block).len());
        for inst in code.insts(block).to_vec() {
            match tree(code, &made, (block, inst)) {
                Some(pair) => {
                    let def = code.defs(inst)[0];
                    let _ = put(code, &pair, Some(def), &mut insts);
                    changed = true;
                }
                None => insts.push(inst),
            }
        }
        code.block_mut(block).insts = insts;
    }
    changed
}

/// What the pair that an instruction puts together is made of, where it is shorter to make it of pairs.
fn tree(code: &Code, made: &Made, (block, inst): (Block, Inst)) -> Option<Pair> {
    if code::operation(code, inst) != Some(Op::Vop3(Vop3::PermB32)) {
        return None;
    }
    let &[high, low, selector] = code.uses(inst) else { return None };
    if number(&selector) != Some(SIDE_BY_SIDE) {
        return None;
    }
    let look = Look { code, made, block };
    let pair = look.pair([low, high], DEEPEST)?;
    let [made, apart] = pair.counts();
    (made > 0 && apart <= made).then_some(pair)
}

/// Where pairs are looked for.
struct Look<'a> {
    code: &'a Code,
    made: &'a Made,
    block: Block,
}

impl Look<'_> {
    fn pair(&self, both: [Operand; 2], depth: u32) -> Option<Pair> {
        if let [Some(low), Some(high)] = both.map(|half| number(&half)) {
            return Some(Pair::Number(low & 0xffff | high << 16));
        }
        let is_register = |half: &Operand| half.value().is_some() && half.size == 1 && half.bits == 0;
        if !both.iter().all(is_register) {
            return None;
        }
        let [low, high] = both.map(|half| self.half(half));
        if (low.0.what, low.0.offset) == (high.0.what, high.0.offset) {
            return Some(Pair::Halves(low.0, [low.1, high.1]));
        }
        let made = if depth > 0 { self.made(both, depth) } else { None };
        made.or_else(|| both.iter().all(|half| half.file == VECTOR).then_some(Pair::Apart(both)))
    }

    /// The register that a half stands in, and whether it is the upper one.
    fn half(&self, operand: Operand) -> (Operand, bool) {
        let whole = || {
            let (_, inst, op) = maker(self.code, self.made, &operand)?;
            let &[by, whole] = self.code.uses(inst) else { return None };
            let is_upper = op == Op::Vop2(Vop2::LshrrevB32) && number(&by) == Some(16);
            (is_upper && whole.file == VECTOR && whole.value().is_some() && whole.bits == 0).then_some(whole)
        };
        whole().map_or((operand, false), |whole| (whole, true))
    }

    /// The same operation for both halves.
    fn made(&self, both: [Operand; 2], depth: u32) -> Option<Pair> {
        let makers = both.map(|half| {
            let own = maker(self.code, self.made, &half).filter(|(block, ..)| *block == self.block)?;
            self.made.is_read_once(&half).then_some(own)
        });
        let [Some((_, low, op)), Some((_, high, other))] = makers else { return None };
        let (packed, mut negated) = packed(op).filter(|_| op == other)?;
        let mut of = Vec::new();
        for (n, (&low, &high)) in self.code.uses(low).iter().zip(self.code.uses(high)).enumerate() {
            if low.bits != high.bits || low.bits & u32::from(mods::ABS) != 0 {
                return None;
            }
            negated ^= u8::from(low.bits & u32::from(mods::NEG) != 0) << n;
            of.push(self.pair([low.bits(0), high.bits(0)], depth - 1)?);
        }
        fits(&of).then_some(Pair::Made { op: packed, of, negated, span: self.code.inst(low).span })
    }
}

/// Whether one instruction reads so many scalars and numbers.
fn fits(sources: &[Pair]) -> bool {
    let mut registers: Vec<_> = Vec::new();
    let mut numbers: Vec<u32> = Vec::new();
    for source in sources {
        match source {
            Pair::Halves(operand, _) if operand.file == SCALAR => {
                registers.push((operand.what, operand.offset));
            }
            Pair::Number(bits) if small(*bits).is_none() => numbers.push(*bits),
            _ => {}
        }
    }
    registers.dedup();
    numbers.dedup();
    numbers.len() <= 1 && registers.len() + numbers.len() <= SCALARS
}

/// The half of a pair of equal ones that has a code of its own.
fn small(bits: u32) -> Option<u32> {
    let half = bits & 0xffff;
    (bits >> 16 == half && Number::Halves.code(half.into()).is_some()).then_some(half)
}

impl Pair {
    /// Operations that are saved, and those that put registers together.
    fn counts(&self) -> [usize; 2] {
        match self {
            Pair::Halves(..) | Pair::Number(_) => [0, 0],
            Pair::Apart(_) => [0, 1],
            Pair::Made { of, .. } => {
                of.iter().map(Pair::counts).fold([1, 0], |all, own| [all[0] + own[0], all[1] + own[1]])
            }
        }
    }
}

/// Makes a pair: the operand that it is in, and the bits of [`Modifiers::halves`] by which it is read. Those of the upper
/// result, each the opposite of the usual, are the second number there.
fn put(code: &mut Code, pair: &Pair, def: Option<Operand>, insts: &mut Vec<Inst>) -> (Operand, u8) {
    match pair {
        Pair::Halves(operand, [low, high]) => (*operand, u8::from(*low) | u8::from(!*high) << PART),
        Pair::Number(bits) => match small(*bits) {
            Some(half) => (Operand::imm(half.into()), 1 << PART),
            None => (Operand::imm((*bits).into()), 0),
        },
        Pair::Apart([low, high]) => {
            let op = Op::Vop3(Vop3::PermB32);
            let uses = [*high, *low, Operand::imm(SIDE_BY_SIDE.into())];
            (instruction(code, (op, Modifiers::default(), None), (def, &uses), insts), 0)
        }
        Pair::Made { op, of, negated, span } => {
            let (mut uses, mut halves) = (Vec::new(), 0);
            for (n, source) in of.iter().enumerate() {
                let (operand, own) = put(code, source, None, insts);
                uses.push(operand);
                halves |= own << n;
            }
            let modifiers = Modifiers { halves, components: *negated, ..Modifiers::default() };
            (instruction(code, (Op::Vop3p(*op), modifiers, *span), (def, &uses), insts), 0)
        }
    }
}

fn instruction(
    code: &mut Code,
    (op, modifiers, span): (Op, Modifiers, Option<Span>),
    (def, uses): (Option<Operand>, &[Operand]),
    insts: &mut Vec<Inst>,
) -> Operand {
    let def = def.unwrap_or_else(|| {
        let value = code.value(VECTOR, 1, 1);
        code.operand(value)
    });
    let inst = code.make(machine(op), &[def], uses);
    let data = code.inst_mut(inst);
    (data.modifiers, data.effects, data.span) = (modifiers.pack(), effects(op, &[def]), span);
    insts.push(inst);
    def
}
