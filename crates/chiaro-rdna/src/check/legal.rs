//! What is wrong with single instructions and clauses, by sections 3.3, 9.2 and 12.1.

use super::Found;
use super::rules::{CLAUSE, CONSTANT_BUS, DLC, FLAT_OFFSET, HALVES, NO_LANES, OPERAND, found};
use super::step::{Lanes, Step, name};
use super::tables;
use crate::operand::constant;
use crate::regs::{code, file};
use chiaro_isa::{Inst, Isa, Role, Value};

/// Everything that can be seen without following execution.
pub(super) fn check(steps: &[Step], reached: &[bool], isa: &Isa) -> Vec<Found> {
    let mut all = Vec::new();
    // Constants may lie between functions: what is not reached is no code.
    for (i, step) in steps.iter().enumerate().filter(|(i, _)| reached[*i]) {
        all.extend(step.inst.as_ref().and_then(|inst| operand(step, inst, isa)));
        all.extend(step.inst.as_ref().and_then(|inst| two_halves(step, inst, isa)));
        if tables::has_flat_offset(step.dword) {
            let offset = step.dword & 0xfff;
            all.push(found(
                &FLAT_OFFSET,
                step.word,
                format!("{} has the offset {offset:#x}; 0 is allowed", step.name),
            ));
        }
        let sleepy =
            i.checked_sub(1).is_some_and(|before| !matches!(steps[before].lanes, Lanes::Same | Lanes::All));
        if sleepy && tables::needs_lanes(step.dword) {
            all.push(found(&NO_LANES, step.word, format!("{} may be come to without lanes", step.name)));
        }
        if tables::has_wrong_dlc(step.dword) {
            all.push(found(&DLC, step.word, format!("{} has dlc set", step.name)));
        }
        all.extend(step.inst.as_ref().and_then(|inst| constant_bus(step, inst, isa)));
        all.extend(clause(&steps[i..]));
    }
    all
}

/// Every operand is one (3.1): reserved codes, tuples that begin where none may.
fn operand(step: &Step, inst: &Inst, isa: &Isa) -> Option<Found> {
    let values = isa.values(inst, &isa.cx());
    let mut fields = isa.form(inst).format.fields.iter().zip(values.as_slice());
    // What an encoding leaves out is no operand, whatever a driver leaves there.
    let is_there = |f: &chiaro_isa::Field| {
        f.role != Role::Modifier && f.kind.decode(0, &isa.cx()) != Some(Value::Int(0))
    };
    let (field, _) = fields.find(|(field, value)| value.is_none() && is_there(field))?;
    let raw = field.bits.gather(&inst.word);
    Some(found(
        &OPERAND,
        step.word,
        format!("{} of {} has the code {raw:#x}, which is no such operand", field.name, step.name),
    ))
}

/// In waves of 64 the first half of a vector instruction writes the lower scalar of its result
/// before the second half reads its sources: none of them may be that one (3.3). Masks are read
/// half by half and may be the result itself.
fn two_halves(step: &Step, inst: &Inst, isa: &Isa) -> Option<Found> {
    let lanes = ["v_readlane", "v_readfirstlane", "v_writelane"];
    if isa.wave != 64 || !step.name.starts_with("v_") || lanes.iter().any(|n| step.name.starts_with(n)) {
        return None;
    }
    let pair = |role: fn(Role) -> bool| {
        let fields = isa.form(inst).format.fields.iter().filter(move |f| role(f.role));
        let value = |f: &chiaro_isa::Field| isa.value(inst, f.name, &isa.cx()).and_then(Value::reg);
        fields.filter_map(value).filter(|r| r.file == file::SGPR && r.index != code::NULL)
    };
    let result = pair(|role| role == Role::Def).find(|r| r.more == 1)?;
    let source = pair(|role| role == Role::Use).find(|r| {
        (r.index..=r.index + u16::from(r.more)).contains(&result.index)
            && !(r.index == result.index && r.more == 1)
    })?;
    let text = name((file::SGPR, result.index));
    (source.index <= result.index).then(|| {
        found(
            &HALVES,
            step.word,
            format!("{} writes {text} for its first half, and its second half reads it", step.name),
        )
    })
}

/// Two different scalar values at most, one for shifts of 64 bits (3.3).
fn constant_bus(step: &Step, inst: &Inst, isa: &Isa) -> Option<Found> {
    too_many_scalars(inst, isa).map(|message| found(&CONSTANT_BUS, step.word, message))
}

/// What is wrong with the scalar values that an instruction reads, if anything is.
pub(crate) fn too_many_scalars(inst: &Inst, isa: &Isa) -> Option<String> {
    let called = isa.form(inst).operation.name;
    let vector =
        called.starts_with("v_") && !["v_readlane", "v_writelane"].iter().any(|n| called.starts_with(n));
    vector.then_some(())?;
    let mut read: Vec<String> = Vec::new();
    let fields = isa.form(inst).format.fields.iter().filter(|f| matches!(f.role, Role::Use | Role::DefUse));
    for field in fields {
        let scalar = match isa.value(inst, field.name, &isa.cx()) {
            Some(Value::Reg(r)) if r.file == file::SGPR && r.index != code::NULL => name((r.file, r.index)),
            Some(Value::Reg(r)) if r.file == file::CONSTANT && !constant::is_number(r.index) => {
                constant::name(r.index).to_owned()
            }
            Some(Value::Int(n)) => format!("{:#x}", n as u32),
            _ => continue,
        };
        if !read.contains(&scalar) {
            read.push(scalar);
        }
    }
    let wide_shift = ["v_lshlrev_b64", "v_lshrrev_b64", "v_ashrrev_i64"].contains(&called);
    let most = if wide_shift { 1 } else { 2 };
    (read.len() > most)
        .then(|| format!("{called} reads {}: {} scalar values, {most} allowed", read.join(", "), read.len()))
}

/// The instructions of a clause are of one kind.
fn clause(steps: &[Step]) -> Option<Found> {
    let (first, rest) = steps.split_first()?;
    let count = tables::clause(first.dword)? as usize;
    let kind = tables::clause_kind(rest.first()?.dword);
    let wrong =
        rest.iter().take(count).find(|s| tables::clause_kind(s.dword).is_none_or(|k| Some(k) != kind))?;
    let message = format!("the clause of {count} at word {} holds {}", first.word, wrong.name);
    Some(found(&CLAUSE, wrong.word, message))
}
