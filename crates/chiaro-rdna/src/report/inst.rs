//! Instructions as the cost model sees them: class, registers, counters.

use chiaro_isa::{Class, Role, Value, Wait};

use crate::check::step::{Step, steps};
use crate::check::tables::{self, Access, Steer};
use crate::isa::isa;
use crate::regs::{code, file};

/// What an instruction is counted as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Valu,
    Salu,
    Vmem,
    Smem,
    Lds,
    Flat,
    Other,
}

/// Registers as one row of numbers: scalars by their codes, SCC, vectors behind them.
pub(super) const SCC: u16 = 253;
pub(super) const VECTORS: u16 = 256;
/// How many numbers there are.
pub(super) const REGISTERS: usize = 512;

/// Prefixes of formats (spec 4).
const SMEM: u32 = 0b111101;
const DS: u32 = 0b110110;
const FLAT: u32 = 0b110111;

/// What aligns loops (spec 12.2).
const ALIGNS: [&str; 2] = ["s_nop", "s_inst_prefetch"];

/// An instruction.
#[derive(Clone, Debug)]
pub(crate) struct Inst {
    /// Number of its first word.
    pub(super) word: u32,
    pub(super) dword: u32,
    pub(super) second: u32,
    pub(super) name: &'static str,
    pub(super) class: &'static Class,
    pub(super) kind: Kind,
    pub(super) reads: Vec<u16>,
    pub(super) writes: Vec<u16>,
    pub(super) access: Option<Access>,
    pub(super) steer: Steer,
}

/// The instructions of code without what stands behind the last end, and without what aligns
/// loops to lines of the cache: the model looks at code before that is put in. With the bytes of
/// code up to its last end.
pub(super) fn all(bytes: &[u8], wave: u8) -> (Vec<Inst>, u32) {
    let steps = steps(bytes, isa(wave));
    let count = steps.iter().rposition(|step| step.steer == Steer::End).map_or(steps.len(), |n| n + 1);
    let size = steps[..count].last().map_or(0, |step| 4 * (step.word + step.length));
    (steps[..count].iter().filter_map(|step| inst(step, bytes, wave)).collect(), size)
}

/// The same by word, wherever the code ends; `None` where no instruction begins, and for what
/// aligns loops.
#[cfg(feature = "sim")]
pub(crate) fn by_word(bytes: &[u8], wave: u8) -> Vec<Option<Inst>> {
    let mut all = vec![None; bytes.len() / 4];
    for step in steps(bytes, isa(wave)) {
        all[step.word as usize] = inst(&step, bytes, wave);
    }
    all
}

pub(super) fn inst(step: &Step, bytes: &[u8], wave: u8) -> Option<Inst> {
    let isa = isa(wave);
    let decoded = step.inst.as_ref().filter(|_| !ALIGNS.contains(&step.name))?;
    let operation = isa.form(decoded).operation;
    let at = step.word as usize * 4 + 4;
    let second = bytes.get(at..at + 4).and_then(|b| b.try_into().ok()).map_or(0, u32::from_le_bytes);
    let mut inst = Inst {
        word: step.word,
        dword: step.dword,
        second,
        name: step.name,
        class: operation.class,
        kind: kind(step),
        reads: step.reads.iter().map(number).collect(),
        writes: step.writes.iter().map(number).collect(),
        access: step.access,
        steer: step.steer,
    };
    // The model's branches wait for nothing.
    if inst.is_branch() {
        inst.reads.clear();
        return Some(inst);
    }
    let is_scc = |value: &Option<Value>| {
        value.and_then(Value::reg).is_some_and(|r| r.file == file::CONSTANT && r.index == code::SPECIAL_SCC)
    };
    if isa.values(decoded, &isa.cx()).as_slice().iter().any(is_scc) {
        inst.reads.push(SCC);
    }
    let scalar = step.name.starts_with("s_");
    for other in operation.implicit {
        let numbers: &[u16] = match other.name {
            "scc" => &[SCC],
            "m0" => &[code::M0],
            // Vector instructions run under EXEC whatever is in it.
            "exec" if scalar || other.role != Role::Use => &[code::EXEC_LO, code::EXEC_HI],
            "vcc" => &[code::VCC_LO, code::VCC_HI],
            _ => continue,
        };
        let numbers = if wave == 64 { numbers } else { &numbers[..1] };
        if other.role != Role::Def {
            inst.reads.extend(numbers);
        }
        if other.role != Role::Use {
            inst.writes.extend(numbers);
        }
    }
    Some(inst)
}

fn number((in_file, index): &(u8, u16)) -> u16 {
    if *in_file == file::VGPR { VECTORS + index } else { *index }
}

fn kind(step: &Step) -> Kind {
    let prefix = step.dword >> 26;
    match prefix {
        SMEM => Kind::Smem,
        DS => Kind::Lds,
        FLAT if step.dword >> 14 & 3 == 0 => Kind::Flat,
        FLAT | 0b111000 | 0b111010 | 0b111100 => Kind::Vmem,
        _ if step.name.starts_with("v_") => Kind::Valu,
        // Control is not counted, nor are waits.
        _ if step.dword >> 23 == 0x17f || step.name.starts_with("s_waitcnt") => Kind::Other,
        _ if step.name.starts_with("s_") => Kind::Salu,
        _ => Kind::Other,
    }
}

impl Inst {
    pub(super) fn is_branch(&self) -> bool {
        self.dword >> 23 == 0x17f && matches!(self.steer, Steer::Branch(_) | Steer::Maybe(_))
    }

    /// Vector registers up to the highest one that it touches.
    pub(super) fn vectors(&self) -> u32 {
        let all = self.reads.iter().chain(&self.writes).filter(|n| **n >= VECTORS);
        all.map(|n| u32::from(n - VECTORS) + 1).max().unwrap_or(0)
    }

    /// Whether it takes part in clauses and counts: cache instructions have no operands.
    pub(super) fn has_operands(&self) -> bool {
        !self.reads.is_empty()
    }

    /// Cycles until its result is there, by its class alone.
    pub(super) fn result(&self) -> u32 {
        match self.class.result {
            Wait::Slots(slots) => slots.into(),
            _ => 0,
        }
    }

    /// Whether waves of 64 issue it twice.
    pub(super) fn is_vector(&self) -> bool {
        matches!(self.kind, Kind::Valu | Kind::Vmem | Kind::Lds | Kind::Flat)
            || self.access == Some(Access::Export)
    }

    /// Where a branch goes, as a word.
    pub(super) fn target(&self) -> Option<u32> {
        match self.steer {
            Steer::Branch(distance) | Steer::Maybe(distance) if self.is_branch() => {
                u32::try_from(i64::from(self.word) + 1 + i64::from(distance)).ok()
            }
            _ => None,
        }
    }

    /// What it waits for: vm, lgkm, exp, vs.
    pub(super) fn waited(&self) -> Option<[u32; 4]> {
        if self.dword >> 23 == 0x177 && self.dword >> 16 & 127 == 125 {
            return Some([tables::ANY, tables::ANY, tables::ANY, self.dword & 0xffff]);
        }
        tables::waited(self.dword).map(|w| [w.vm, w.lgkm, w.exp, tables::ANY])
    }
}
