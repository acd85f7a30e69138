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
//! | `facts` | what a path knows of conditions |
//! | `effect` | what paths have written, read and emitted |
//! | `walk` | a whole executable: procedures, depths, outputs |
//! | `demand` | which outputs have to be written |
//! | `words` | single instructions |
//! | `tables` | the container |
//!
//! Facts: spec sections 12, 13, 15, 18.

mod demand;
mod effect;
mod facts;
mod graph;
mod report;
mod rules;
mod step;
mod tables;
mod walk;
mod words;

use crate::container::{Dvle, Dvlp, Shbin, Stage};
use chiaro_isa::finding::Finding;
use demand::Outputs;
use report::Report;
pub use rules::*;
use walk::{Code, Executable};

/// Words that a program can address: jump targets have 12 bits.
const ADDRESSABLE: usize = 4096;

/// Everything that is wrong with a file: first the file, then executable by executable in the
/// order of the words.
pub fn check(file: &Shbin) -> Vec<Finding> {
    found(file, Severity::Note)
}

/// The errors among them, sooner: what is milder is not even put into words.
pub fn errors(file: &Shbin) -> Vec<Finding> {
    found(file, Severity::Error)
}

fn found(file: &Shbin, least: Severity) -> Vec<Finding> {
    let mut report = Report::new(file, least);
    tables::check_file(file, &mut report);
    let mut code = Code::decode(&file.program.code, &file.program.descriptors, &report);
    let mut complete = !file.executables.is_empty();
    for (n, dvle) in file.executables.iter().enumerate() {
        report.enter(Some(n));
        tables::check_executable(file, dvle, &mut report);
        complete &= walk::check(&mut code, &executable(dvle), &mut report);
    }
    report.enter(None);
    check_code(&code, &file.program, complete, report)
}

/// The same for bare words, which say nothing about their outputs.
pub fn check_words(code: &[u32], descriptors: &[[u32; 2]], entry: u32, stage: Stage) -> Vec<Finding> {
    let program = Dvlp { code: code.to_vec(), descriptors: descriptors.to_vec(), ..Dvlp::default() };
    let mut report = Report::default();
    let mut code = Code::decode(code, descriptors, &report);
    let executable = Executable { entry, end: None, stage, outputs: Outputs::Unknown };
    let complete = walk::check(&mut code, &executable, &mut report);
    check_code(&code, &program, complete, report)
}

/// What concerns the code, whoever runs it. Only if all paths are known can it be said what no
/// path reaches.
fn check_code(code: &Code, program: &Dvlp, complete: bool, mut report: Report) -> Vec<Finding> {
    words::check(&code.steps, program, &code.reached, &mut report);
    if complete {
        walk::check_unreached(code, &mut report);
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
