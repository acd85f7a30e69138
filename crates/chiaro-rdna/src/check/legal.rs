//! What is wrong with single instructions and clauses, by sections 3.3, 9.2 and 12.1.

use super::Found;
use super::rules::{CLAUSE, CONSTANT_BUS, DLC, found};
use super::step::{Step, name};
use super::tables;
use crate::operand::constant;
use crate::regs::{code, file};
use chiaro_isa::{Inst, Isa, Role, Value};

/// Everything that can be seen without following execution.
pub(super) fn check(steps: &[Step], isa: &Isa) -> Vec<Found> {
    let mut all = Vec::new();
    for (i, step) in steps.iter().enumerate() {
        if tables::has_wrong_dlc(step.dword) {
            all.push(found(&DLC, step.word, format!("{} has dlc set", step.name)));
        }
        all.extend(step.inst.as_ref().and_then(|inst| constant_bus(step, inst, isa)));
        all.extend(clause(&steps[i..]));
    }
    all
}

/// Two different scalar values at most, one for shifts of 64 bits (3.3).
fn constant_bus(step: &Step, inst: &Inst, isa: &Isa) -> Option<Found> {
    let vector = step.name.starts_with("v_")
        && !["v_readlane", "v_writelane"].iter().any(|n| step.name.starts_with(n));
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
    let wide_shift = ["v_lshlrev_b64", "v_lshrrev_b64", "v_ashrrev_i64"].contains(&step.name);
    let most = if wide_shift { 1 } else { 2 };
    (read.len() > most).then(|| {
        let message =
            format!("{} reads {}: {} scalar values, {most} allowed", step.name, read.join(", "), read.len());
        found(&CONSTANT_BUS, step.word, message)
    })
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
