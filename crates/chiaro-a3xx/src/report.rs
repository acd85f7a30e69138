//! Statistics of a program under the names that Mesa's shader-db prints, so that they can be
//! compared. spec sections 14, 18 and 24.
//!
//! Stalls are Mesa's heuristics, fitted on a later machine; nothing public measures A3xx.

use crate::isa::{self, Op};
use crate::listing::{decode, mesa, pgmdump::repeats};
use crate::regs::{self, A0, file, mods, size};
use chiaro_isa::{Inst, Reg, Role, Value};
use std::collections::BTreeSet;

pub use crate::abi::Stage;

/// The numbers; those that count instructions count repetitions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Instructions.
    pub inst: u32,
    /// Empty issue slots.
    pub nops: u32,
    /// Copies.
    pub mov: u32,
    /// Conversions.
    pub cov: u32,
    /// Dwords with padding.
    pub dwords: u32,
    /// Index of the last varying fetch.
    pub last_baryf: u32,
    /// Half registers, as vec4.
    pub half: u32,
    /// Full registers, as vec4.
    pub full: u32,
    /// Constants up to the highest one that is read directly, as vec4.
    pub constlen: u32,
    /// Instructions of each category.
    pub cat: [u32; 8],
    /// Stores to private memory.
    pub stp: u32,
    /// Loads from private memory.
    pub ldp: u32,
    /// Slots waited for special functions, estimated.
    pub sstall: u32,
    /// Instructions with `(ss)`.
    pub ss: u32,
    /// Slots waited for textures and memory, estimated.
    pub systall: u32,
    /// Instructions with `(sy)`.
    pub sy: u32,
    /// Waves in flight.
    pub waves: u32,
    /// Loops.
    pub loops: u32,
}

impl Statistics {
    /// Of a program as a driver loads it.
    pub fn of(words: &[u64], stage: Stage) -> Statistics {
        let code = mesa::without_padding(words);
        let mut counter = Counter { stage, ..Counter::default() };
        counter.all.dwords = words.len() as u32 * 2;
        let targets: BTreeSet<usize> =
            code.iter().enumerate().filter_map(|(index, word)| mesa::target(*word, index, 0)).collect();
        for (index, word) in code.iter().enumerate() {
            // Guesses of stalls do not cross blocks.
            let leads = index > 0 && mesa::target(code[index - 1], index - 1, 0).is_some();
            if leads || targets.contains(&index) {
                (counter.special, counter.memory) = (0, 0);
            }
            if let Some(inst) = decode(*word, 0) {
                counter.instruction(&inst);
                let back = mesa::target(*word, index, 0).filter(|target| *target <= index);
                counter.headers.extend(back);
            }
        }
        let mut all = counter.all;
        all.loops = counter.headers.len() as u32;
        all.waves = waves(all.full, branch_stack(code), stage);
        all
    }

    /// Names and numbers, in Mesa's order.
    pub fn rows(&self) -> Vec<(&'static str, u32)> {
        let cat = self.cat;
        vec![
            ("inst", self.inst),
            ("nops", self.nops),
            ("non-nops", self.inst - self.nops),
            ("mov", self.mov),
            ("cov", self.cov),
            ("dwords", self.dwords),
            ("last-baryf", self.last_baryf),
            ("half", self.half),
            ("full", self.full),
            ("constlen", self.constlen),
            ("cat0", cat[0]),
            ("cat1", cat[1]),
            ("cat2", cat[2]),
            ("cat3", cat[3]),
            ("cat4", cat[4]),
            ("cat5", cat[5]),
            ("cat6", cat[6]),
            ("cat7", cat[7]),
            ("stp", self.stp),
            ("ldp", self.ldp),
            ("sstall", self.sstall),
            ("(ss)", self.ss),
            ("systall", self.systall),
            ("(sy)", self.sy),
            ("waves", self.waves),
            ("loops", self.loops),
        ]
    }
}

/// The formula that Mesa prints as "max waves" [ir3, spec section 18]. Half registers do not
/// count before A6xx.
pub fn waves(full: u32, branch_stack: u32, stage: Stage) -> u32 {
    let double = stage == Stage::Fragment && full * 2 <= regs::FILE_SLOTS;
    let each = full * if double { 2 } else { 1 };
    let registers =
        regs::FILE_SLOTS.checked_div(each).map_or(regs::MAX_WAVES, |n| n * regs::WAVE_GRANULARITY);
    let branches =
        regs::BRANCH_STACK.checked_div(branch_stack).map_or(regs::MAX_WAVES, |n| n * regs::WAVE_GRANULARITY);
    regs::MAX_WAVES.min(registers).min(branches)
}

/// The greatest number of places where lanes may wait at once: each `(jp)` from the branch
/// that may send lanes there [ir3_reconvergence].
pub fn branch_stack(code: &[u64]) -> u32 {
    let joins: Vec<(usize, usize)> = code
        .iter()
        .enumerate()
        .filter_map(|(index, word)| Some((index, mesa::target(*word, index, 0)?)))
        .filter(|(index, target)| target > index && code.get(*target).is_some_and(|w| w >> 59 & 1 == 1))
        .collect();
    let places: BTreeSet<usize> = joins.iter().map(|(_, target)| *target).collect();
    let first = |place: usize| joins.iter().filter(|j| j.1 == place).map(|j| j.0).min().unwrap_or(place);
    let spans: Vec<(usize, usize)> = places.iter().map(|place| (first(*place), *place)).collect();
    let at = |index: usize| spans.iter().filter(|(from, to)| *from < index && index <= *to).count() as u32;
    (0..code.len()).map(at).max().unwrap_or(0)
}

#[derive(Default)]
struct Counter {
    all: Statistics,
    stage: Stage,
    headers: BTreeSet<usize>,
    /// Slots until the last special function and the last load are there.
    special: u32,
    memory: u32,
}

impl Counter {
    fn instruction(&mut self, inst: &Inst) {
        let isa = isa::a3xx();
        let op = Op::of(isa.form(inst).op);
        let category = (inst.word.0[0] >> 61) as usize;
        let times = 1 + u32::from(repeats(inst));
        let flag = |name: &str| isa.value(inst, name, &isa.cx()) == Some(Value::Int(1));
        // Nothing is lost by waiting at the end [ir3].
        let waits = op != Op::End;
        self.all.ss += u32::from(flag("ss"));
        self.all.sy += u32::from(flag("sy"));
        self.stalls(flag("ss") && waits, flag("sy") && waits);
        if op == Op::BaryF || op == Op::Ldlv {
            self.all.last_baryf = self.all.inst;
        }
        let all = &mut self.all;
        all.inst += times;
        all.cat[category] += times;
        match op {
            Op::Nop => all.nops += times,
            Op::Mov | Op::Mova => all.mov += times,
            Op::Cov => all.cov += times,
            Op::Stp => all.stp += times,
            Op::Ldp => all.ldp += times,
            _ => {}
        }
        self.registers(inst, times);
        self.pending(inst, category, times);
    }

    fn stalls(&mut self, ss: bool, sy: bool) {
        if ss {
            self.all.sstall += std::mem::take(&mut self.special);
        }
        if sy {
            self.all.systall += std::mem::take(&mut self.memory);
        }
    }

    /// Mesa's guesses of how long results take [ir3, spec section 14].
    fn pending(&mut self, inst: &Inst, category: usize, times: u32) {
        let isa = isa::a3xx();
        let mask = isa.value(inst, "mask", &isa.cx()).and_then(Value::int).unwrap_or(1) as u32;
        let local = isa.form(inst).operation.class.name == "local";
        self.special = self.special.saturating_sub(times);
        self.memory = self.memory.saturating_sub(times);
        let guesses = Guesses { stage: self.stage };
        match category {
            4 => self.special = Guesses::SPECIAL,
            6 if local => self.special = Guesses::SPECIAL,
            5 => self.memory = guesses.texture(32 - mask.leading_zeros()),
            6 => self.memory = guesses.memory(),
            _ => {}
        }
    }

    fn registers(&mut self, inst: &Inst, times: u32) {
        let isa = isa::a3xx();
        let values = isa.values(inst, &isa.cx());
        let mask = isa.value(inst, "mask", &isa.cx()).and_then(Value::int);
        let written = mask.map_or(times, |mask| 64 - (mask.max(1) as u64).leading_zeros());
        for (field, value) in isa.form(inst).format.fields.iter().zip(values.as_slice()) {
            let Some(Value::Reg(r)) = value.filter(|_| !field.view) else { continue };
            let steps = r.mods & mods::STEP != 0;
            let run = if field.role == Role::Def {
                written
            } else if steps {
                times
            } else {
                1
            };
            self.register(r, run);
        }
    }

    fn register(&mut self, r: Reg, run: u32) {
        let end = (u32::from(r.index) + run - 1) / 4 + 1;
        let all = &mut self.all;
        match r.file {
            file::GPR if r.index >= A0 => {}
            file::GPR if r.size == size::HALF => all.half = all.half.max(end),
            file::GPR => all.full = all.full.max(end),
            file::CONST => all.constlen = all.constlen.max(end),
            _ => {}
        }
    }
}

/// Slots until results that flags wait for are there, as Mesa guesses them [ir3, spec section 14].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Guesses {
    /// What runs.
    pub(crate) stage: Stage,
}

impl Guesses {
    /// Special functions and local memory.
    pub(crate) const SPECIAL: u32 = regs::SPECIAL_CYCLES;

    /// Loads from memory.
    pub(crate) fn memory(self) -> u32 {
        if self.stage == Stage::Fragment { regs::FRAGMENT_MEMORY_CYCLES } else { regs::MEMORY_CYCLES }
    }

    /// A texture result by its last component.
    pub(crate) fn texture(self, components: u32) -> u32 {
        let slots = match self.stage {
            Stage::Fragment => regs::TEXTURE_CYCLES,
            _ => regs::VERTEX_TEXTURE_CYCLES,
        };
        slots[components.min(4) as usize]
    }
}
