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
mod shape;
mod state;

use crate::isa;
use crate::listing::decode;
use std::fmt;

/// A broken rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// Which rule.
    pub rule: Rule,
    /// Index of the instruction.
    pub index: usize,
    /// What is wrong and what helps.
    pub message: String,
}

/// The rules, one per fact of the machine.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Rule {
    /// No instruction of the generation has these bits.
    Unknown,
    /// Operands that no hardware runs, as the assembler refuses them.
    Legality,
    /// An ALU result is read before its slots are over.
    Delay,
    /// A result of special functions or local memory is touched without `(ss)`.
    Ss,
    /// A result of textures or memory is touched without `(sy)`.
    Sy,
    /// A register is overwritten while something still reads it.
    WriteAfterRead,
    /// The address register is read without a value or loaded before it is released.
    Address,
    /// Lanes that part have no place to join.
    Join,
    /// The last fetch of a varying does not release their storage, or is not the last.
    LastInput,
    /// Nothing follows a barrier that waits for it.
    Barrier,
    /// Control leaves the program, or nothing ends it.
    End,
    /// Too few empty words behind the program.
    Padding,
}

impl Rule {
    /// All of them.
    pub const ALL: [Rule; 12] = [
        Rule::Unknown,
        Rule::Legality,
        Rule::Delay,
        Rule::Ss,
        Rule::Sy,
        Rule::WriteAfterRead,
        Rule::Address,
        Rule::Join,
        Rule::LastInput,
        Rule::Barrier,
        Rule::End,
        Rule::Padding,
    ];

    /// Its name in messages and tables.
    pub fn name(self) -> &'static str {
        match self {
            Rule::Unknown => "unknown-word",
            Rule::Legality => "legality",
            Rule::Delay => "delay",
            Rule::Ss => "ss",
            Rule::Sy => "sy",
            Rule::WriteAfterRead => "write-after-read",
            Rule::Address => "address",
            Rule::Join => "join",
            Rule::LastInput => "last-input",
            Rule::Barrier => "barrier",
            Rule::End => "end",
            Rule::Padding => "padding",
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} [{}]", self.index, self.message, self.rule.name())
    }
}

/// Checks a program as a driver loads it, padding and all. `outputs` are the full registers
/// that are read after the end, by component, if they are known.
pub fn check(words: &[u64], generation: u8, outputs: Option<&[u16]>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let code = shape::code(words);
    let walk = flow::Walk::new(code, generation);
    each_word(code, generation, &mut findings);
    shape::check(words, code.len(), generation, &walk, &mut findings);
    walk.report(outputs, &mut findings);
    findings.sort_by(|a, b| (a.index, a.rule).cmp(&(b.index, b.rule)));
    findings.dedup();
    findings
}

/// What single words show.
fn each_word(code: &[u64], generation: u8, findings: &mut Vec<Finding>) {
    let isa = isa::isa(generation);
    for (index, &word) in code.iter().enumerate() {
        let Some(inst) = decode(word, generation) else {
            let message = format!("no instruction has the bits {word:016x}");
            findings.push(Finding { rule: Rule::Unknown, index, message });
            continue;
        };
        if isa.values(&inst, &isa.cx()).all().is_none() {
            let message = "an operand has bits that mean nothing".to_owned();
            findings.push(Finding { rule: Rule::Legality, index, message });
        }
        for breach in isa.breaches(&inst, &isa.cx()) {
            findings.push(Finding { rule: Rule::Legality, index, message: breach.message });
        }
    }
}
