//! Code taken apart for the checker: one step an instruction, with the registers it touches.

use super::tables::{self, Access, Steer};
use crate::regs::{code, file};
use chiaro_isa::{Inst, Isa, Role};

/// A register: file and number.
pub(crate) type Register = (u8, u16);

/// What an instruction does to the set of lanes that run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Lanes {
    /// Nothing.
    Same,
    /// Some of them go on.
    Fewer,
    /// Only lanes that did not run go on.
    Others,
    /// All lanes run.
    All,
    /// Nobody knows.
    Unknown,
}

/// An instruction.
pub(crate) struct Step {
    /// Number of its first word in the code.
    pub(crate) word: u32,
    /// Its first word.
    pub(crate) dword: u32,
    /// Words of it.
    pub(crate) length: u32,
    /// The instruction; `None` where the word is none.
    pub(crate) inst: Option<Inst>,
    /// Its text, for messages.
    pub(crate) name: &'static str,
    pub(crate) reads: Vec<Register>,
    pub(crate) writes: Vec<Register>,
    pub(crate) access: Option<Access>,
    pub(crate) steer: Steer,
    pub(crate) lanes: Lanes,
    /// Whether it reads or writes lanes that do not run.
    pub(crate) crosses: bool,
}

/// Takes code apart from its start to its end.
pub(crate) fn steps(bytes: &[u8], isa: &Isa) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut at = 0;
    while let Some(first) = bytes.get(at..).and_then(|rest| rest.first_chunk::<4>()) {
        let dword = u32::from_le_bytes(*first);
        let inst = isa.decode(&bytes[at..]).ok();
        let length = inst.map_or(4, |inst| usize::from(inst.length));
        steps.push(step((at / 4) as u32, dword, (length / 4) as u32, inst, isa));
        at += length;
    }
    steps
}

fn step(word: u32, dword: u32, length: u32, inst: Option<Inst>, isa: &Isa) -> Step {
    let mut step = Step {
        word,
        dword,
        length,
        inst,
        name: "?",
        reads: Vec::new(),
        writes: Vec::new(),
        access: None,
        steer: tables::steer(dword),
        lanes: Lanes::Same,
        crosses: false,
    };
    let Some(inst) = inst else { return step };
    let form = isa.form(&inst);
    step.name = form.operation.name;
    step.access = tables::access(dword);
    step.crosses = form.format.name.contains("DPP")
        || ["v_readlane", "v_writelane", "v_readfirstlane", "v_permlane"]
            .iter()
            .any(|n| step.name.starts_with(n));
    operands(&inst, isa, &mut step);
    step.lanes = lanes(&step);
    step
}

fn operands(inst: &Inst, isa: &Isa, step: &mut Step) {
    let values = isa.values(inst, &isa.cx());
    let form = isa.form(inst);
    for (field, value) in form.format.fields.iter().zip(values.as_slice()) {
        let Some(run) = value.and_then(|value| field.kind.covers(value)) else { continue };
        let registers = (run.first..run.first + run.count).map(|n| (run.file, n));
        if matches!(field.role, Role::Use | Role::DefUse) {
            step.reads.extend(registers.clone());
        }
        if matches!(field.role, Role::Def | Role::DefUse) {
            step.writes.extend(registers);
        }
    }
    if form.operation.implicit.iter().any(|i| i.name == "vcc" && i.role != Role::Def) {
        step.reads.extend([(file::SGPR, code::VCC_LO), (file::SGPR, code::VCC_HI)]);
    }
    // An atomic that returns nothing writes no register.
    let memory = matches!(step.dword >> 26, 0b111000 | 0b111100);
    if memory && step.access.is_none() {
        step.writes.clear();
    }
}

const EXEC: Register = (file::SGPR, code::EXEC_LO);

/// The change of EXEC, by opcode (spec 5.1, 5.3, 6.5).
fn lanes(step: &Step) -> Lanes {
    let dword = step.dword;
    let source = |n: u32| dword >> (8 * n) & 0xff;
    let exec = u32::from(code::EXEC_LO);
    let compares = match dword >> 25 {
        0x3e => Some(dword >> 17 & 0xff),
        _ if dword >> 26 == 0x35 => Some(dword >> 16 & 0x3ff).filter(|op| *op < 0x100),
        _ => None,
    };
    if compares.is_some_and(|op| op & 0x10 != 0) {
        return Lanes::Fewer;
    }
    if dword >> 23 == 0x17d {
        return match dword >> 8 & 0xff {
            0x24 | 0x3c | 0x37 | 0x44 | 0x39 | 0x46 => Lanes::Fewer,
            0x27 | 0x3f | 0x3a | 0x47 => Lanes::Others,
            0x25..=0x2b | 0x38 | 0x3d..=0x43 | 0x45 => Lanes::Unknown,
            0x03 | 0x04 if step.writes.contains(&EXEC) && source(0) == 193 => Lanes::All,
            _ if step.writes.contains(&EXEC) => Lanes::Unknown,
            _ => Lanes::Same,
        };
    }
    if !step.writes.contains(&EXEC) {
        return Lanes::Same;
    }
    match dword >> 23 & 0x7f {
        0x0e | 0x0f if dword >> 30 == 2 && (source(0) == exec || source(1) == exec) => Lanes::Fewer,
        0x14 | 0x15 if dword >> 30 == 2 && source(0) == exec => Lanes::Fewer,
        0x14 | 0x15 if dword >> 30 == 2 && source(1) == exec => Lanes::Others,
        _ => Lanes::Unknown,
    }
}

/// The name of a register in messages.
pub(super) fn name((in_file, index): Register) -> String {
    let mut out = chiaro_isa::Out::default();
    crate::regs::print(crate::regs::run(in_file, index, 1), &mut out);
    out.as_str().to_owned()
}

/// The step that begins at a word.
pub(super) fn at(steps: &[Step], word: i64) -> Option<usize> {
    let word = u32::try_from(word).ok()?;
    steps.binary_search_by_key(&word, |step| step.word).ok()
}

/// Where execution may go on behind a step.
pub(super) fn next(steps: &[Step], i: usize) -> impl Iterator<Item = usize> + use<> {
    let step = &steps[i];
    let behind = i64::from(step.word) + i64::from(step.length);
    let jump = |distance: i32| at(steps, i64::from(step.word) + 1 + i64::from(distance));
    let on = at(steps, behind);
    let (a, b) = match step.steer {
        Steer::On | Steer::Call => (on, None),
        Steer::Branch(distance) => (jump(distance), None),
        Steer::Maybe(distance) => (on, jump(distance)),
        Steer::Leave | Steer::End => (None, None),
    };
    a.into_iter().chain(b)
}
