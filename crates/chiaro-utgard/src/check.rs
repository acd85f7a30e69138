//! The checker: rules over words, independent of any scheduler.
//!
//! Written from spec sections 4 to 9 and 17. What a program does is not looked at beyond
//! what the rules need: which unit's result an operand is, how far back, on which paths.

mod flow;
mod operands;
mod outputs;
mod patterns;
mod ports;
mod rules;
mod temporaries;

pub use rules::{ALL, Rule};

use std::collections::HashMap;

use crate::container::{Mbs, Table};
use crate::isa::word::Word;
use chiaro_isa::finding::Finding;
use flow::Flow;

/// What the documents leave open, as choices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// How many instructions' worth of register latency a taken branch hides. ARM's compiler
    /// relies on 2; 0 is the careful choice. \[ARM]
    pub hidden_by_branch: u32,
    /// Whether results may be read across the boundary of a block. No compiler does. [unknown]
    pub bypass_across_blocks: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { hidden_by_branch: 2, bypass_across_blocks: false }
    }
}

/// All that is wrong, in the order of the program.
#[must_use]
pub fn check(program: &[Word], options: &Options) -> Vec<Finding> {
    run(program, HashMap::new(), options)
}

/// All that is wrong with a file's program. Its constants say which temporaries it stores.
#[must_use]
pub fn check_file(file: &Mbs, options: &Options) -> Vec<Finding> {
    let mut constants = HashMap::new();
    for symbol in file.symbols(Table::Uniforms) {
        let values = symbol.init.iter().flatten().zip(symbol.offset.into()..);
        constants.extend(values.map(|(&bits, at): (_, u32)| (at, bits)));
    }
    run(&file.program(), constants, options)
}

fn run(program: &[Word], constants: HashMap<u32, u32>, options: &Options) -> Vec<Finding> {
    let flow = Flow::new(program);
    let mut cx = Check { program, constants, flow, options, found: Vec::new() };
    cx.limits();
    for at in 0..program.len() {
        cx.operands(at);
        cx.patterns(at);
        cx.stores(at);
        cx.control(at);
    }
    cx.latencies();
    cx.outputs();
    cx.found.sort_by_key(|finding| finding.at);
    cx.found
}

/// A check under way.
struct Check<'a> {
    program: &'a [Word],
    /// Floats of uniform memory that are known, by their number from its start; bits.
    constants: HashMap<u32, u32>,
    flow: Flow,
    options: &'a Options,
    found: Vec<Finding>,
}

impl Check<'_> {
    /// Notes a broken rule. The field or unit, as listings name it, belongs to the message: the
    /// place of a finding is about the file, and here a file has one program and no labels.
    fn fail(&mut self, at: usize, rule: &'static Rule, part: &str, detail: String) {
        let message = format!("`{part}`: {detail}");
        self.found.push(Finding { rule, at: Some(at as u32), place: None, message });
    }
}
