//! What the order of the words shows: where the program ends, what joins, which varying
//! fetch is the last. spec sections 15 and 18.

use super::flow::Walk;
use super::rules::{self, finding};
use crate::isa::{self, Op};
use crate::listing::{decode, mesa};
use crate::regs::PADDING;
use chiaro_isa::finding::{Finding, Rule};
use chiaro_isa::{Inst, Value};

/// The program without its padding: up to the last word that is not empty.
pub(super) fn code(words: &[u64]) -> &[u64] {
    mesa::without_padding(words)
}

/// Everything that needs no values.
pub(super) fn check(words: &[u64], used: usize, generation: u8, walk: &Walk, findings: &mut Vec<Finding>) {
    let insts: Vec<Option<(Op, Inst)>> = words[..used].iter().map(|w| operation(*w, generation)).collect();
    padding(words.len(), used, findings);
    if !insts.iter().flatten().any(|(op, _)| *op == Op::End) {
        report(findings, &rules::END, used.saturating_sub(1), "nothing ends the program");
    }
    inputs(&insts, generation, findings);
    joins(words, &insts, generation, walk, findings);
    barriers(&insts, generation, findings);
}

pub(super) fn operation(word: u64, generation: u8) -> Option<(Op, Inst)> {
    let inst = decode(word, generation)?;
    Some((Op::of(isa::isa(generation).form(&inst).op), inst))
}

pub(super) fn flag(inst: &Inst, name: &str, generation: u8) -> bool {
    let isa = isa::isa(generation);
    isa.value(inst, name, &isa.cx()) == Some(Value::Int(1))
}

pub(super) fn report(findings: &mut Vec<Finding>, rule: &'static Rule, index: usize, message: &str) {
    findings.push(finding(rule, index, message.to_owned()));
}

/// The fetch unit reads ahead: four words behind the program, which fill its last granule as well [fd3].
fn padding(all: usize, used: usize, findings: &mut Vec<Finding>) {
    if all < used + PADDING {
        let message = format!("{} empty words follow the program, {PADDING} must", all - used);
        findings.push(finding(&rules::PADDING, used.saturating_sub(1), message));
    }
}

/// `(ei)` stands on the last varying fetch, in the first block, before any kill [ir3].
fn inputs(insts: &[Option<(Op, Inst)>], generation: u8, findings: &mut Vec<Finding>) {
    let fetch = |op: Op| matches!(op, Op::BaryF | Op::Ldlv);
    let Some(last) = insts.iter().rposition(|i| i.is_some_and(|(op, _)| fetch(op))) else { return };
    let marked = |i: usize| insts[i].is_some_and(|(op, inst)| fetch(op) && flag(&inst, "ei", generation));
    for i in (0..last).filter(|i| marked(*i)) {
        report(findings, &rules::LAST_INPUT, i, "(ei) stands on a varying fetch that is not the last");
    }
    if !marked(last) {
        report(findings, &rules::LAST_INPUT, last, "the last varying fetch lacks (ei)");
    }
    let leaves = |op: Op| matches!(op, Op::Br | Op::Jump | Op::Call | Op::Ret | Op::End);
    for (i, inst) in insts[..last].iter().enumerate() {
        match inst {
            Some((Op::Kill, _)) => {
                report(findings, &rules::LAST_INPUT, i, "a kill before the last varying fetch hangs");
            }
            Some((op, _)) if leaves(*op) => {
                report(findings, &rules::LAST_INPUT, last, "varyings are fetched in the first block alone");
                return;
            }
            _ => {}
        }
    }
}

/// After a branch the later of its destinations is where lanes join; a jump over such a
/// place makes its own destination one [ir3_reconvergence].
fn joins(
    words: &[u64],
    insts: &[Option<(Op, Inst)>],
    generation: u8,
    walk: &Walk,
    findings: &mut Vec<Finding>,
) {
    let marked = |i: usize| insts.get(i).copied().flatten().is_none_or(|(_, i)| flag(&i, "jp", generation));
    let parting = walk.parting();
    for (index, inst) in insts.iter().enumerate() {
        let Some((op, _)) = inst else { continue };
        let Some(target) = mesa::target(words[index], index, generation) else { continue };
        if target >= insts.len() {
            report(findings, &rules::END, index, "the branch leaves the program");
            continue;
        }
        let later = target.max(index + 1);
        if *op == Op::Br && !marked(later) && parting[index] {
            let message = format!("lanes that part here join at {later}, which lacks (jp)");
            findings.push(finding(&rules::JOIN, index, message));
        }
        let over = (index + 1..target).find(|i| marked(*i));
        if let (Op::Jump, Some(over)) = (op, over)
            && !marked(target)
        {
            let message = format!("the jump passes {over}, where lanes may wait, and {target} lacks (jp)");
            findings.push(finding(&rules::JOIN, index, message));
        }
    }
}

/// What follows a barrier waits for everything [ir3_legalize].
fn barriers(insts: &[Option<(Op, Inst)>], generation: u8, findings: &mut Vec<Finding>) {
    for (index, inst) in insts.iter().enumerate() {
        let next = insts.get(index + 1).copied().flatten().map(|(_, inst)| inst);
        let has = |name| next.is_some_and(|inst| flag(&inst, name, generation));
        match inst {
            Some((Op::Bar | Op::Fence, _)) if !(has("ss") && has("sy")) => {
                report(findings, &rules::BARRIER, index, "what follows a barrier carries (ss)(sy)");
            }
            Some((Op::Resinfo, _)) if !has("ss") => {
                report(findings, &rules::BARRIER, index, "an (ss)nop follows resinfo");
            }
            _ => {}
        }
    }
}
