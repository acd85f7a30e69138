//! Which lanes run: changes of EXEC.

use chiaro_ir as ir;
use chiaro_mach::{Block, Inst, Operand};

use super::Flow;

use crate::abi::partition::File as Pool;
use crate::compile::code;
use crate::compile::select::Select;
use crate::isa::Op;
use crate::isa::sop1::Sop1;
use crate::isa::sop2::Sop2;
use crate::isa::sopp::Sopp;
use crate::regs::SGPRS;
use chiaro_mach::control::OPEN;

impl Select<'_> {
    fn by_wave<T>(&self, word: T, long: T) -> T {
        if self.wave == 64 { long } else { word }
    }

    pub(super) fn new_mask(&mut self) -> Operand {
        self.new_scalar(u16::from(self.wave / 32))
    }

    /// A mask in a register of its own, which lanes are added to one after the other.
    pub(super) fn lasting_mask(&mut self) -> Option<Operand> {
        let size = u16::from(self.wave / 32);
        self.lasting += 1;
        let unit = self.first_lasting(self.lasting);
        (unit >= SGPRS / 2).then(|| Operand::reg(code::SCALAR, unit, size))
    }

    /// The register of the last of so many masks: they stand below what spills and calls need, and where nothing is handed
    /// over.
    pub(super) fn first_lasting(&self, count: u16) -> u16 {
        let [far, kept] = self.far();
        let top = match (self.unit.order.len(), self.ways.spills) {
            (2.., _) => kept,
            (_, true) => far,
            _ => SGPRS,
        };
        let size = u16::from(self.wave / 32);
        (0..count).fold(top, |above, _| {
            let mut below = (0..above / size).rev().map(|n| n * size);
            below.find(|&unit| !self.is_agreed(Pool::Sgpr, unit..unit + size)).unwrap_or(0)
        })
    }

    /// The last scalar registers in which nothing is handed over: one for an address out of reach, and one for SCC while
    /// that is computed.
    pub(in crate::compile::select) fn far(&self) -> [u16; 2] {
        let mut free = (0..SGPRS).rev().filter(|&n| !self.is_agreed(Pool::Sgpr, n..n + 1));
        [0; 2].map(|_| free.next().unwrap_or(0))
    }

    pub(super) fn copy_mask(&mut self, at: Block, to: Operand, from: Operand) {
        let op = self.by_wave(Sop1::MovB32, Sop1::MovB64);
        self.push(at, Op::Sop1(op), &[to], &[from], Default::default());
    }

    /// The lanes that run now, in a new value.
    pub(in crate::compile::select) fn running(&mut self, at: Block) -> Operand {
        let (mask, exec) = (self.new_mask(), code::exec(self.wave));
        self.copy_mask(at, mask, exec);
        mask
    }

    /// These lanes run.
    pub(in crate::compile::select) fn run(&mut self, at: Block, lanes: Operand) {
        self.copy_mask(at, code::exec(self.wave), lanes);
    }

    /// No lane runs.
    pub(super) fn run_none(&mut self, at: Block) {
        self.run(at, Operand::imm(0));
    }

    /// Those of the lanes that run for which a mask has a bit; the ones that ran come back.
    pub(in crate::compile::select) fn run_where(&mut self, at: Block, mask: Operand) -> Operand {
        let saved = self.new_mask();
        let op = self.by_wave(Sop1::AndSaveexecB32, Sop1::AndSaveexecB64);
        self.push(at, Op::Sop1(op), &[saved], &[mask], Default::default());
        saved
    }

    /// Lanes of the first mask that are not in the second run.
    pub(super) fn run_others(&mut self, at: Block, [all, but]: [Operand; 2]) {
        let op = self.by_wave(Sop2::Andn2B32, Sop2::Andn2B64);
        self.push(at, Op::Sop2(op), &[code::exec(self.wave)], &[all, but], Default::default());
    }

    /// These run, too.
    pub(super) fn run_too(&mut self, at: Block, lanes: Operand) {
        let exec = code::exec(self.wave);
        self.add_lanes(at, exec, lanes);
    }

    /// Adds lanes to a mask.
    pub(super) fn add_lanes(&mut self, at: Block, to: Operand, lanes: Operand) {
        let op = self.by_wave(Sop2::OrB32, Sop2::OrB64);
        self.push(at, Op::Sop2(op), &[to], &[to, lanes], Default::default());
    }

    /// Masks that live in registers of their own, as far as a callee destroys them: in values meanwhile.
    pub(super) fn keep_masks(&mut self, flow: &Flow, at: Block, call: ir::Inst) -> Vec<[Operand; 2]> {
        let Some(callee) = self.callee_of(call) else { return Vec::new() };
        let clobbered = callee.clobbered();
        let is_lost = |mask: &Operand| {
            let first = usize::from(mask.reg.unwrap_or(0));
            clobbered.sgpr[first..first + usize::from(mask.size)].contains(&true)
        };
        let masks: Vec<Operand> = flow.masks().filter(is_lost).collect();
        let keep = |mask: Operand| {
            let kept = self.new_mask();
            self.copy_mask(at, kept, mask);
            [mask, kept]
        };
        masks.into_iter().map(keep).collect()
    }

    /// Takes them back behind the call.
    pub(super) fn restore_masks(&mut self, at: Block, masks: Vec<[Operand; 2]>) {
        masks.into_iter().for_each(|[mask, kept]| self.copy_mask(at, mask, kept));
    }

    pub(super) fn jump(&mut self, at: Block) -> Inst {
        self.push(at, Op::Sopp(Sopp::Branch), &[], &[OPEN], Default::default())
    }

    /// Goes elsewhere where no lane runs.
    pub(super) fn branch_if_none(&mut self, at: Block) -> Inst {
        self.push(at, Op::Sopp(Sopp::CbranchExecz), &[], &[OPEN], Default::default())
    }
}
