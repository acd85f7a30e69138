//! `chiaro check`: what is wrong with a program or a file, as plain data.
//!
//! Nothing here runs the program: control flow is followed through all paths at once, so that a
//! hazard is found wherever it hides. [`check`] looks at a whole file, [`check_words`] at bare
//! words. Both are linear in the size of ordinary programs and bounded on hostile ones.
//!
//! | file | looks at |
//! |---|---|
//! | `rules` | the rules, one declaration |
//! | `step` | one word: what it reads, writes and where it goes |
//! | `graph` | blocks, jumps and calls of one procedure |
//! | `effect` | what paths have written, read and emitted |
//! | `walk` | a whole executable: procedures, depths, outputs |
//! | `words` | single instructions |
//! | `tables` | the container |
//!
//! Facts: spec sections 12, 13, 15, 18.

mod effect;
mod graph;
mod report;
mod rules;
mod step;
mod tables;
mod walk;
mod words;

use crate::container::{Dvle, Shbin, Stage};
use report::Report;
pub use rules::*;
use step::Step;
use walk::{Executable, Outputs};

/// How bad a finding is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// Odd, but harmless as far as known.
    Note,
    /// Probably not what was meant, or wrong on some paths.
    Warning,
    /// Hangs the GPU, gives wrong results or cannot be loaded.
    Error,
}

/// One thing that is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The rule that is broken; its severity, text, advice and source are the finding's.
    pub rule: &'static Rule,
    /// The word of the code that it is about.
    pub word: Option<u32>,
    /// The executable that it is about.
    pub dvle: Option<usize>,
    /// The nearest label at or before the word, with the distance: `loop+3`.
    pub label: Option<String>,
    /// What is wrong, with names, numbers, used and allowed.
    pub message: String,
}

impl Finding {
    /// How bad it is.
    pub fn severity(&self) -> Severity {
        self.rule.severity
    }

    /// What to do about it.
    pub fn advice(&self) -> &'static str {
        self.rule.advice
    }
}

/// Words that a program can address: jump targets have 12 bits.
const ADDRESSABLE: usize = 4096;

/// Everything that is wrong with a file: first the file, then executable by executable in the
/// order of the words.
pub fn check(file: &Shbin) -> Vec<Finding> {
    let mut report = Report::new(file);
    tables::check_file(file, &mut report);
    let steps = Step::decode_all(&file.program.code, &file.program.descriptors);
    let mut reached = vec![false; steps.len()];
    let mut complete = !file.executables.is_empty();
    for (n, dvle) in file.executables.iter().enumerate() {
        report.enter(Some(n));
        tables::check_executable(file, dvle, &mut report);
        complete &= walk::check(&steps, &executable(dvle), &mut reached, &mut report);
    }
    report.enter(None);
    words::check(&steps, &file.program, &reached, &mut report);
    if complete {
        walk::check_unreached(&steps, &reached, &mut report);
    }
    report.finish()
}

/// The same for bare words, which say nothing about their outputs.
pub fn check_words(code: &[u32], descriptors: &[[u32; 2]], entry: u32, stage: Stage) -> Vec<Finding> {
    let program = crate::container::Dvlp {
        code: code.to_vec(),
        descriptors: descriptors.to_vec(),
        ..Default::default()
    };
    let file = Shbin::new(program, Vec::new());
    let mut report = Report::new(&file);
    let steps = Step::decode_all(code, descriptors);
    let mut reached = vec![false; steps.len()];
    let executable = Executable { entry, end: None, stage, outputs: Outputs::Unknown };
    let complete = walk::check(&steps, &executable, &mut reached, &mut report);
    words::check(&steps, &file.program, &reached, &mut report);
    if complete {
        walk::check_unreached(&steps, &reached, &mut report);
    }
    report.finish()
}

fn executable(dvle: &Dvle) -> Executable<'_> {
    Executable {
        entry: dvle.entry,
        end: Some(dvle.end).filter(|&end| end > dvle.entry),
        stage: dvle.stage,
        outputs: match &dvle.outputs[..] {
            [] => Outputs::Unknown,
            table => Outputs::Table(table),
        },
    }
}
