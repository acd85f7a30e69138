//! Puts the chosen widths into code.

use chiaro_mach::{Code, Inst, Op as Mach, Operand, Value, What};

use crate::compile::code::{HALF, Modifiers, TABLE, operation, types};
use crate::isa::{Op, category, is_comparison};
use crate::operand::half_bits;

/// Rounds to the nearest.
const EVEN: u8 = 1;

/// What was chosen, by instruction and by value.
pub(super) struct Widths {
    /// Instructions that compute in half precision.
    pub(super) halved: Vec<bool>,
    /// Values that stand in half registers.
    pub(super) stores: Vec<bool>,
    /// Values of which there is one in a half register beside the full one.
    pub(super) converted: Vec<bool>,
}

/// Rewrites all blocks.
pub(super) fn rewrite(code: &mut Code, widths: &Widths) {
    let halves: Vec<Option<Value>> = (0..widths.stores.len())
        .map(|n| {
            let data = code.value_data(Value(n as u32));
            (widths.stores[n] || widths.converted[n]).then(|| code.value(HALF, data.size, data.align))
        })
        .collect();
    for block in code.blocks() {
        let old = std::mem::take(&mut code.block_mut(block).insts);
        let (mut new, mut behind_heads) = (Vec::with_capacity(old.len()), Vec::new());
        for inst in old {
            let is_head = matches!(code.op(inst), Mach::Phi | Mach::Start);
            if !is_head {
                new.append(&mut behind_heads);
            }
            let conversions = conversions(code, inst, widths, &halves);
            narrow(code, inst, widths, &halves);
            new.push(inst);
            if is_head { behind_heads.extend(conversions) } else { new.extend(conversions) }
        }
        new.append(&mut behind_heads);
        code.block_mut(block).insts = new;
    }
}

/// Makes half registers of results that some want there.
fn conversions(code: &mut Code, inst: Inst, widths: &Widths, halves: &[Option<Value>]) -> Vec<Inst> {
    let is_test = operation(code, inst).is_some_and(is_comparison);
    let types = if is_test { (types::U32, types::U16) } else { (types::F32, types::F16) };
    let round = if is_test { 0 } else { EVEN };
    let values: Vec<Value> = code.defs(inst).iter().filter_map(Operand::value).collect();
    let wanted = values.into_iter().filter(|value| widths.converted.get(value.0 as usize) == Some(&true));
    let pairs: Vec<(Value, Value)> =
        wanted.filter_map(|value| Some((value, halves[value.0 as usize]?))).collect();
    let one = |(full, half): (Value, Value)| {
        let [full, half] = [full, half].map(|value| code.operand(value));
        let made = code.make(Mach::Machine(Op::Cov as u32), &[half], &[full]);
        let span = code.inst(inst).span;
        let data = code.inst_mut(made);
        (data.modifiers, data.span) = (Modifiers { types, round, ..Modifiers::default() }.pack(), span);
        made
    };
    pairs.into_iter().map(one).collect()
}

/// Gives an instruction half operands where that was chosen.
fn narrow(code: &mut Code, inst: Inst, widths: &Widths, halves: &[Option<Value>]) {
    let stored = |operand: &Operand| {
        let value = operand.value().filter(|value| widths.stores.get(value.0 as usize) == Some(&true))?;
        halves[value.0 as usize]
    };
    let result = code.defs(inst).first().and_then(stored);
    if result.is_some() {
        narrow_result(code, inst);
    }
    for def in 0..code.defs(inst).len() {
        if let Some(half) = stored(&code.defs(inst)[def]) {
            place(&mut code.defs_mut(inst)[def], half);
        }
    }
    let is_halved = widths.halved.get(inst.0 as usize) == Some(&true);
    for number in 0..code.uses(inst).len() {
        let used = code.uses(inst)[number];
        let half = match used.value() {
            Some(value) if is_halved => halves.get(value.0 as usize).copied().flatten(),
            _ => stored(&used),
        };
        let used = &mut code.uses_mut(inst)[number];
        match half {
            Some(half) => place(used, half),
            None if is_halved => used.file = HALF,
            None => {}
        }
    }
    let op = match operation(code, inst) {
        Some(Op::MadF32) if is_halved => Op::MadF16,
        Some(Op::SelB32) if is_halved => Op::SelB16,
        _ => return,
    };
    code.inst_mut(inst).op = Mach::Machine(op as u32);
}

fn place(operand: &mut Operand, half: Value) {
    (operand.what, operand.file) = (What::Value(half), HALF);
}

/// Copies convert on the way, texture operations say what they give.
fn narrow_result(code: &mut Code, inst: Inst) {
    let mut modifiers = Modifiers::unpack(code.inst(inst).modifiers);
    match (operation(code, inst), code.uses(inst).first().map(|used| (used.what, used.bits))) {
        (Some(Op::Mov), Some((What::Imm(bits), flags))) if flags & TABLE == 0 => {
            let half = half_bits(f32::from_bits(bits as u32).into());
            code.uses_mut(inst)[0].what = What::Imm(half.into());
            modifiers.types = (types::F16, types::F16);
        }
        (Some(Op::Mov), _) => {
            code.inst_mut(inst).op = Mach::Machine(Op::Cov as u32);
            (modifiers.types, modifiers.round) = ((types::F32, types::F16), EVEN);
        }
        (Some(op), _) if category(op) == 5 => modifiers.texture.kind = types::F16,
        _ => {}
    }
    code.inst_mut(inst).modifiers = modifiers.pack();
}
