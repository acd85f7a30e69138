//! Values for which half precision is enough (mediump) go to half registers.
//!
//! ```text
//! v1:r = bary.f 0, v0               v5:hr = bary.f 0, v0
//! v2:r = mul.f v1, r[0]       ->    v6:hr = mul.f v5, hr[0]
//! v3:r = mad.f32 v2, v1, v2         v7:r = mad.f16 v6, v5, v6
//! v4:r = add.f v3, v0               v4:r = add.f v7, v0
//! ```
//!
//! What is chosen is the width in which an instruction computes. Its result is converted on the way where its
//! readers want the other one (`DST_CONV`, spec section 4.5), varyings, texels and constants are as well; a
//! conversion of its own is needed only where readers want both widths, or a value is made by something that has
//! one. All instructions that may be half are, then those go back whose conversions that saves.
//!
//! Before and after: SSA. Selection marks the instructions ([`Modifiers::relaxed`]).

mod rewrite;

use chiaro_mach::{Code, Inst, Op as Mach, Operand, Value, What};
use chiaro_num::F16;

use crate::compile::code::{FULL, Modifiers, RELATIVE, TABLE, operation, types};
use crate::isa::{Op, category, is_comparison};
use crate::operand::half_bits;

/// Times that all instructions are looked at for conversions to save.
const ROUNDS: usize = 4;

/// Gives values half registers.
pub(super) fn halve(code: &mut Code) {
    let Some(plan) = Plan::new(code) else { return };
    let (stores, converted) = plan.widths(code);
    let halved = plan.halved;
    rewrite::rewrite(code, &rewrite::Widths { halved, stores, converted });
}

/// Which instructions compute in half precision.
struct Plan {
    /// By instruction.
    halved: Vec<bool>,
    /// What makes each value.
    makers: Vec<Option<Inst>>,
    /// What reads each value.
    readers: Vec<Vec<Inst>>,
}

/// How an instruction makes its results.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Maker {
    /// In either width, whatever it computes in.
    Any,
    /// In the width that it computes in.
    Own,
    /// In full.
    Full,
}

impl Plan {
    /// `None` if nothing may be half.
    fn new(code: &Code) -> Option<Plan> {
        let insts: Vec<Inst> = code.blocks().flat_map(|block| code.insts(block).to_vec()).collect();
        let last = insts.iter().map(|inst| inst.0 as usize).max()?;
        let (makers, readers) = (vec![None; code.value_count()], vec![Vec::new(); code.value_count()]);
        let mut plan = Plan { halved: vec![false; last + 1], makers, readers };
        for &inst in &insts {
            for value in code.defs(inst).iter().filter_map(Operand::value) {
                plan.makers[value.0 as usize] = Some(inst);
            }
            for value in code.uses(inst).iter().filter_map(Operand::value) {
                plan.readers[value.0 as usize].push(inst);
            }
        }
        for &inst in &insts {
            plan.halved[inst.0 as usize] = plan.may_be_half(code, inst);
        }
        plan.halved.contains(&true).then(|| plan.settled(code, &insts))
    }

    fn is_half(&self, inst: Inst) -> bool {
        self.halved.get(inst.0 as usize).is_some_and(|&half| half)
    }

    fn maker(&self, value: Value) -> Option<Inst> {
        self.makers[value.0 as usize]
    }

    fn may_be_half(&self, code: &Code, inst: Inst) -> bool {
        let relaxed = Modifiers::unpack(code.inst(inst).modifiers).relaxed;
        let only_ends = |value: Value| {
            self.readers[value.0 as usize].iter().all(|&reader| code.op(reader) == Mach::Return)
        };
        match operation(code, inst) {
            None if code.op(inst) == Mach::Collect => {
                let is_exact = |used: &Operand| used.value().is_none_or(|value| self.is_exact(code, value));
                relaxed
                    && code.defs(inst)[0].value().is_some_and(only_ends)
                    && code.uses(inst).iter().all(is_exact)
            }
            None => false,
            Some(Op::SelB32) => self.may_select(code, inst, relaxed),
            // Nothing is lost where what is compared is half already.
            Some(Op::CmpsF) => {
                let mut values = code.uses(inst).iter().filter_map(Operand::value);
                values.all(|value| self.maker(value).is_some_and(|maker| self.is_half(maker)))
                    && code.uses(inst).iter().any(|used| used.value().is_some())
            }
            Some(op) => relaxed && is_float(op),
        }
    }

    /// Whether a value loses nothing in a half register that it would have kept.
    fn is_exact(&self, code: &Code, value: Value) -> bool {
        let Some(maker) = self.maker(value) else { return false };
        let number = |bits: u64| f32::from_bits(bits as u32);
        match (operation(code, maker), code.uses(maker)) {
            (Some(Op::Mov), [Operand { what: What::Imm(bits), .. }]) => {
                let half = F16.decode_f32(half_bits(number(*bits).into()));
                half.to_bits() == number(*bits).to_bits()
            }
            (Some(op), _) if category(op) == 5 => Modifiers::unpack(code.inst(maker).modifiers).relaxed,
            (None, [whole]) if code.op(maker) == Mach::Split => {
                whole.value().is_some_and(|whole| self.is_exact(code, whole))
            }
            _ => self.is_half(maker),
        }
    }

    /// A selection reads registers alone, since constants are not converted for it, and its condition has to
    /// be a comparison's.
    fn may_select(&self, code: &Code, inst: Inst, relaxed: bool) -> bool {
        let uses = code.uses(inst);
        let makers: Vec<Option<Inst>> =
            uses.iter().map(|used| used.value().and_then(|value| self.maker(value))).collect();
        let is_half = |n: usize| makers[n].is_some_and(|maker| self.is_half(maker));
        let is_known = makers.iter().all(Option::is_some);
        let is_test = makers[1].and_then(|maker| operation(code, maker)).is_some_and(is_comparison);
        is_known && is_test && (relaxed || is_half(0) && is_half(2))
    }

    /// Lets instructions go back to full registers as long as that saves conversions.
    fn settled(mut self, code: &Code, insts: &[Inst]) -> Plan {
        for _ in 0..ROUNDS {
            let mut changed = self.drop_selections(code, insts);
            for &inst in insts.iter().filter(|inst| code.op(**inst) != Mach::Collect) {
                if !self.is_half(inst) {
                    continue;
                }
                let before = self.cost(code, inst);
                self.halved[inst.0 as usize] = false;
                // Several that read one value go together, so the first of them may save nothing.
                let saves = before > 0 && self.cost(code, inst) <= before;
                self.halved[inst.0 as usize] = !saves;
                changed |= saves;
            }
            if !changed {
                break;
            }
        }
        while self.drop_selections(code, insts) {}
        self
    }

    /// A selection copies bits, which nothing converts on the way: all of its readers have to be half. Whether one
    /// went back.
    fn drop_selections(&mut self, code: &Code, insts: &[Inst]) -> bool {
        let mut changed = false;
        for &inst in insts.iter().rev().filter(|&&inst| operation(code, inst) == Some(Op::SelB32)) {
            let value = code.defs(inst).first().and_then(Operand::value);
            let readers = value.map_or(&[][..], |value| &self.readers[value.0 as usize]);
            if self.is_half(inst) && !readers.iter().all(|&reader| self.is_half(reader)) {
                self.halved[inst.0 as usize] = false;
                changed = true;
            }
        }
        changed
    }

    /// Conversions of what an instruction reads.
    fn cost(&self, code: &Code, inst: Inst) -> usize {
        let values = code.uses(inst).iter().filter_map(Operand::value);
        values.filter(|&value| self.is_converted(code, value)).count()
    }

    fn is_converted(&self, code: &Code, value: Value) -> bool {
        let readers = &self.readers[value.0 as usize];
        let half = readers.iter().filter(|&&reader| self.is_half(reader)).count();
        half > 0 && (half < readers.len() || self.made(code, value) == Maker::Full)
    }

    /// How a value is made.
    fn made(&self, code: &Code, value: Value) -> Maker {
        let Some(inst) = self.maker(value).filter(|_| code.value_data(value).file == FULL) else {
            return Maker::Full;
        };
        let modifiers = Modifiers::unpack(code.inst(inst).modifiers);
        match (code.op(inst), operation(code, inst)) {
            (Mach::Collect, _) => Maker::Own,
            // The parts of a texel are made by the texture operation.
            (Mach::Split, _) => match code.uses(inst)[0].value() {
                Some(whole) if self.are_texels(code, whole) => Maker::Any,
                _ => Maker::Full,
            },
            (_, Some(Op::SelB32)) if !self.is_half(inst) => Maker::Full,
            (_, Some(op)) if is_float(op) || is_comparison(op) || op == Op::SelB32 => Maker::Any,
            (_, Some(Op::BaryF)) => Maker::Any,
            (_, Some(Op::Mov)) if is_plain(code.uses(inst)) => Maker::Any,
            (_, Some(op)) if category(op) == 5 && modifiers.texture.kind == types::F32 => Maker::Any,
            _ => Maker::Full,
        }
    }

    /// Whether a value is a texel of which every part is wanted in half: parts have one width.
    fn are_texels(&self, code: &Code, whole: Value) -> bool {
        let Some(&[split]) = self.readers.get(whole.0 as usize).map(Vec::as_slice) else { return false };
        let parts = code.defs(split).iter().filter_map(Operand::value);
        let wants_half =
            |part: Value| self.readers[part.0 as usize].iter().all(|&reader| self.is_half(reader));
        self.made(code, whole) == Maker::Any && parts.clone().count() > 0 && parts.into_iter().all(wants_half)
    }

    /// Which values stand in half registers, and of which there is one beside a full one.
    fn widths(&self, code: &Code) -> (Vec<bool>, Vec<bool>) {
        let is_stored = |value: Value| {
            let readers = &self.readers[value.0 as usize];
            let all_half = || !readers.is_empty() && readers.iter().all(|&reader| self.is_half(reader));
            let is_whole = || readers.iter().any(|&reader| code.op(reader) == Mach::Split);
            match self.made(code, value) {
                Maker::Full => false,
                Maker::Own => self.maker(value).is_some_and(|maker| self.is_half(maker)),
                Maker::Any if is_whole() => self.are_texels(code, value),
                // A part that nobody reads goes where the others are.
                Maker::Any => all_half() || readers.is_empty() && self.is_part(code, value),
            }
        };
        let values = || (0..code.value_count() as u32).map(Value);
        let stores: Vec<bool> = values().map(is_stored).collect();
        let is_beside = |value: Value| !stores[value.0 as usize] && self.is_converted(code, value);
        let converted = values().map(is_beside).collect();
        (stores, converted)
    }

    fn is_part(&self, code: &Code, value: Value) -> bool {
        self.maker(value).is_some_and(|maker| code.op(maker) == Mach::Split)
    }
}

/// Float operations that exist in both widths.
fn is_float(op: Op) -> bool {
    let alu = [Op::AddF, Op::MulF, Op::MinF, Op::MaxF, Op::AbsnegF, Op::SignF, Op::FloorF, Op::CeilF];
    let more = [Op::RndneF, Op::RndazF, Op::TruncF, Op::MadF32];
    alu.contains(&op) || more.contains(&op) || category(op) == 4
}

/// A number, or a constant at a known place.
fn is_plain(uses: &[Operand]) -> bool {
    let is_known = |used: &Operand| used.bits & (RELATIVE | TABLE) == 0;
    matches!(uses, [used] if matches!(used.what, What::Imm(_) | What::Slot(_)) && is_known(used))
}
