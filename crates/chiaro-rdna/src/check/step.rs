//! Code taken apart for the checker: one step an instruction, with the registers it touches.

use super::tables::{self, Access, Steer};
use crate::regs::{SGPRS, code, file};
use chiaro_isa::{Inst, Isa, Role, Value};
use std::ops::RangeInclusive;

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
    count_on(&mut steps, isa);
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

/// Gives moves from or to a register that M0 counts on to all that it may reach.
fn count_on(steps: &mut [Step], isa: &Isa) {
    if !steps.iter().any(|step| is_counted(step.name)) {
        return;
    }
    let entered: Vec<usize> = (0..steps.len()).filter_map(|i| target(steps, i)).collect();
    let all = steps.iter().flat_map(|step| step.reads.iter().chain(&step.writes));
    let named: Vec<Register> = all.copied().filter(|register| !SPECIAL.contains(register)).collect();
    let last = |of: u8| named.iter().filter(|(in_file, _)| *in_file == of).map(|(_, n)| *n).max();
    let mut bound = None;
    for (i, step) in steps.iter_mut().enumerate() {
        bound = bound.filter(|_| !entered.contains(&i));
        if is_counted(step.name) {
            // Two indices in M0 have no bound that is easy to see.
            let bound = bound.filter(|_| !step.name.contains("_2_") && !step.name.contains("swap"));
            let [from, to] = [!step.name.contains("reld"), !step.name.contains("rels_")];
            for (registers, counts) in [(&mut step.reads, from), (&mut step.writes, to)] {
                let Some(&(of, first)) = registers.iter().find(|_| counts) else { continue };
                let end = bound.map_or(last(of).unwrap_or(first), |bound| first.saturating_add(bound));
                registers.extend((first + 1..=end).map(|n| (of, n)));
            }
        }
        if step.writes.contains(&M0) {
            bound = most(step, isa);
        }
        bound = bound.filter(|_| step.steer == Steer::On);
    }
}

/// Scalars that moves do not count on to.
const SPECIAL: RangeInclusive<Register> = (file::SGPR, SGPRS)..=(file::SGPR, u16::MAX);
const M0: Register = (file::SGPR, code::M0);

/// The code of the number 0, and the largest number behind it that has a code.
const ZERO: u16 = 128;
const MOST_SMALL: u16 = 64;

/// Whether an operation counts on from its registers by M0.
fn is_counted(name: &str) -> bool {
    name.get(2..).is_some_and(|name| name.starts_with("movrel") || name.starts_with("swaprel"))
}

/// The most that a scalar operation makes, where a number in it says so.
fn most(step: &Step, isa: &Isa) -> Option<u16> {
    let inst = step
        .inst
        .as_ref()
        .filter(|_| matches!(step.name, "s_min_u32" | "s_and_b32" | "s_mov_b32" | "s_movk_i32"))?;
    let values = isa.values(inst, &isa.cx());
    let numbers = values.as_slice().iter().filter_map(|value| match (*value)? {
        Value::Int(number) => u16::try_from(number).ok(),
        Value::Reg(r) if r.file == file::CONSTANT => r.index.checked_sub(ZERO).filter(|&n| n <= MOST_SMALL),
        _ => None,
    });
    numbers.min()
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

/// The step that a branch may lead to.
pub(super) fn target(steps: &[Step], i: usize) -> Option<usize> {
    match steps[i].steer {
        Steer::Branch(distance) | Steer::Maybe(distance) => {
            at(steps, i64::from(steps[i].word) + 1 + i64::from(distance))
        }
        _ => None,
    }
}

/// The step that begins at a word.
pub(crate) fn at(steps: &[Step], word: i64) -> Option<usize> {
    let word = u32::try_from(word).ok()?;
    steps.binary_search_by_key(&word, |step| step.word).ok()
}

/// Where execution may go on behind a step.
pub(super) fn next(steps: &[Step], i: usize) -> impl Iterator<Item = usize> + use<> {
    let step = &steps[i];
    let behind = i64::from(step.word) + i64::from(step.length);
    let on = at(steps, behind);
    let (a, b) = match step.steer {
        Steer::On | Steer::Call => (on, None),
        Steer::Branch(_) => (target(steps, i), None),
        Steer::Maybe(_) => (on, target(steps, i)),
        Steer::Leave | Steer::End => (None, None),
    };
    a.into_iter().chain(b)
}
