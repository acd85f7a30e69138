//! How many units of each file are in use at a point of a block, while a scheduler goes through
//! it from the top.

use crate::code::{Block, Code, Inst, Value};
use crate::deps::Deps;
use crate::liveness::Liveness;
use crate::operand::Operand;
use crate::pressure::weight;

/// The values that are alive.
pub(crate) struct Alive<'a> {
    code: &'a Code,
    /// Units in use, for each file.
    pub(crate) now: Vec<u32>,
    /// Uses of each value that are still to come in the block.
    left: Vec<u32>,
    /// Whether a value is needed behind the block.
    out: Vec<bool>,
}

impl<'a> Alive<'a> {
    /// Before the first instruction that can be moved.
    pub(crate) fn at_start(
        code: &'a Code,
        deps: &Deps,
        block: Block,
        live: &Liveness,
        files: usize,
    ) -> Alive<'a> {
        let (left, out) = (vec![0; code.value_count()], vec![false; code.value_count()]);
        let mut alive = Alive { code, now: vec![0; files], left, out };
        live.out(block).for_each(|value| alive.out[value.0 as usize] = true);
        for &inst in &code.insts(block)[deps.first..] {
            for value in code.uses(inst).iter().filter_map(Operand::value) {
                alive.left[value.0 as usize] += 1;
            }
        }
        let heads = code.insts(block)[..deps.first].iter().flat_map(|&inst| code.defs(inst));
        let defined: Vec<Value> = heads.filter_map(Operand::value).collect();
        for value in live.into(block).chain(defined) {
            alive.add(value, 1);
        }
        alive
    }

    fn add(&mut self, value: Value, sign: i32) {
        let data = self.code.value_data(value);
        if let Some(now) = self.now.get_mut(usize::from(data.file.0)) {
            *now = now.saturating_add_signed(sign * weight(data) as i32);
        }
    }

    /// What an instruction adds to the files that are asked for, less what it frees there.
    pub(crate) fn growth(&self, inst: Inst, is_asked: impl Fn(usize) -> bool) -> i32 {
        let units = |operand: &Operand| {
            let Some(value) = operand.value() else { return 0 };
            let data = self.code.value_data(value);
            if is_asked(usize::from(data.file.0)) { weight(data) as i32 } else { 0 }
        };
        let uses = self.code.uses(inst);
        let ends = |&(i, used): &(usize, &Operand)| {
            let Some(value) = used.value() else { return false };
            let here = uses.iter().filter(|u| u.value() == Some(value)).count() as u32;
            let again = uses[..i].iter().any(|u| u.value() == Some(value));
            !again && !self.out[value.0 as usize] && self.left[value.0 as usize] == here
        };
        let freed: i32 = uses.iter().enumerate().filter(ends).map(|(_, used)| units(used)).sum();
        self.code.defs(inst).iter().map(units).sum::<i32>() - freed
    }

    /// Goes on behind an instruction.
    pub(crate) fn issue(&mut self, inst: Inst) {
        let code = self.code;
        for value in code.uses(inst).iter().filter_map(Operand::value) {
            let left = &mut self.left[value.0 as usize];
            *left = left.saturating_sub(1);
            if *left == 0 && !self.out[value.0 as usize] {
                self.add(value, -1);
            }
        }
        for value in code.defs(inst).iter().filter_map(Operand::value) {
            if self.left[value.0 as usize] > 0 || self.out[value.0 as usize] {
                self.add(value, 1);
            }
        }
    }
}
