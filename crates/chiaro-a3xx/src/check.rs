//! Rules over words, independent of who wrote them.
//!
//! The machine does not interlock: a value read too early is the old one. The checker walks
//! the control flow until nothing changes ([`flow`]) with, for every register, how many slots
//! ago it was written and what is still on its way ([`state`]), and asks of each instruction
//! what it touches ([`effect`]). spec sections 13 to 18.
//!
//! What it cannot see: how far an array reaches that is addressed through a0.x. Relative
//! operands are compared with one another only.

mod effect;
mod flow;
pub mod rules;
mod shape;
mod state;
mod uniform;

use crate::isa;
use crate::listing::decode;
use chiaro_isa::finding::Finding;
use rules::finding;

/// Checks a program as a driver loads it, padding and all. `outputs` are the full registers
/// that are read after the end, by component, if they are known.
pub fn check(words: &[u64], generation: u8, outputs: Option<&[u16]>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let code = shape::code(words);
    let walk = flow::Walk::new(code, generation);
    each_word(code, generation, &mut findings);
    shape::check(words, code.len(), generation, &walk, &mut findings);
    walk.report(outputs, &mut findings);
    findings.sort_by(|a, b| (a.at, a.rule.id).cmp(&(b.at, b.rule.id)));
    findings.dedup();
    findings
}

/// What single words show.
fn each_word(code: &[u64], generation: u8, findings: &mut Vec<Finding>) {
    let isa = isa::isa(generation);
    for (index, &word) in code.iter().enumerate() {
        let Some(inst) = decode(word, generation) else {
            let message = format!("no instruction has the bits {word:016x}");
            findings.push(finding(&rules::UNKNOWN, index, message));
            continue;
        };
        if isa.values(&inst, &isa.cx()).all().is_none() {
            let message = "an operand has bits that mean nothing".to_owned();
            findings.push(finding(&rules::LEGALITY, index, message));
        }
        for breach in isa.breaches(&inst, &isa.cx()) {
            findings.push(finding(&rules::LEGALITY, index, breach.message));
        }
    }
}
