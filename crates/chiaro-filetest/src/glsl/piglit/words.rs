//! The vertex shaders of piglit's tests through a target's compiler: the words on the simulator
//! against the interpreter, with the inputs that the tests give.
//!
//! A result is right within the bounds that the compiler states. A shader that is not compiled is
//! counted under the message that its author would read, without numbers and names.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use chiaro::{Compared, CompileOptions, Failure, Proof, Shader, Target};
use chiaro_ir::sample::Sample;
use chiaro_opt::Cx;

use super::draw::{VertexInputs, vertex_inputs};
use super::program::Program;
use super::{Outcome, script};
use crate::glsl::corpus::{files, read};
use crate::glsl::differences::Differences;

/// Vertices of random inputs that each shader runs on besides those of the test.
const VERTICES: usize = 16;
/// Tests that are named for each reason.
const NAMED: usize = 3;

/// What became of a vertex shader.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Verdict {
    /// All that can be compared is right.
    Right,
    /// It runs, and no vertex of the test proves anything; why.
    Unproved(&'static str),
    /// The machine cannot do it; the message.
    Refused(String),
    /// It is compiled to something else.
    Wrong(String),
    /// The test asks for what is not here.
    Skipped(String),
}

/// All tests of a folder.
#[derive(Debug, Default)]
pub struct Report {
    right: usize,
    unproved: BTreeMap<&'static str, Vec<String>>,
    refused: BTreeMap<String, Vec<String>>,
    skipped: BTreeMap<String, usize>,
    wrong: Vec<(String, String)>,
    /// Results that are off for a reason that is known: of `known-differences.tsv`.
    listed: usize,
}

impl Report {
    /// Whether nothing is wrong.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.wrong.is_empty()
    }
}

/// Runs the vertex shaders of the tests of a folder, or of those whose path holds a text.
///
/// # Errors
/// A folder or file that cannot be read.
pub fn check(folder: &Path, target: &dyn Target, only: Option<&str>) -> io::Result<Report> {
    let (known, corpus) = (Differences::known(), corpus(target, "piglit"));
    let mut report = Report::default();
    for path in files(folder)? {
        let name = super::name_of(&path, folder);
        let is_test = path.extension().is_some_and(|end| end == "shader_test");
        if !is_test || only.is_some_and(|only| !name.contains(only)) {
            continue;
        }
        let text = read(&path)?;
        let verdict = catch_unwind(AssertUnwindSafe(|| judge(&text, target)));
        match verdict.unwrap_or_else(|_| Verdict::Wrong("panic".to_owned())) {
            Verdict::Right if known.reason(&corpus, &name).is_some() => {
                let what = "is right, though `known-differences.tsv` has it: take it from the list";
                report.wrong.push((name, what.to_owned()));
            }
            Verdict::Right => report.right += 1,
            Verdict::Unproved(why) => report.unproved.entry(why).or_default().push(name),
            Verdict::Refused(message) => report.refused.entry(message).or_default().push(name),
            Verdict::Wrong(_) if known.reason(&corpus, &name).is_some() => report.listed += 1,
            Verdict::Wrong(what) => report.wrong.push((name, what)),
            Verdict::Skipped(reason) => *report.skipped.entry(reason).or_default() += 1,
        }
    }
    Ok(report)
}

fn judge(text: &str, target: &dyn Target) -> Verdict {
    let inputs = script::parse(text).and_then(|script| vertex_inputs(&script));
    match inputs {
        Ok(None) => Verdict::Skipped("does not link, as it should".to_owned()),
        Ok(Some((program, draws))) => run(&program, &draws, target),
        Err(Outcome::Skip(reason)) => Verdict::Skipped(reason),
        Err(Outcome::Fail(_) | Outcome::Pass) => Verdict::Skipped("fails before it is compiled".to_owned()),
    }
}

fn run(program: &Program, draws: &[VertexInputs], target: &dyn Target) -> Verdict {
    let reading = program.vertex();
    let module = &reading.module;
    let Some(entry) = module.entries.first() else {
        return Verdict::Skipped("there is no vertex shader".to_owned());
    };
    let mut cx = Cx { verify: true, ..Cx::default() };
    let interface = reading.interface.clone();
    let options = CompileOptions { entry: Some(entry.name.clone()), ..CompileOptions::default() };
    let words = match target.prove(Shader { module, interface: &interface }, &options, &mut cx) {
        Ok(words) => words,
        Err(errors) => return Verdict::Refused(class(&first_message(&errors))),
    };
    match words.verify(VERTICES, 1) {
        Ok(_) | Err(Failure::Untested { .. }) => {}
        Err(failure) => return Verdict::Wrong(failure.to_string()),
    }
    let mut total = Compared::default();
    for draw in draws {
        match compare(program, draw, &*words) {
            Ok(compared) => total = total.and(compared),
            Err(reason) => return Verdict::Wrong(reason),
        }
    }
    match total {
        Compared { wrong: Some(wrong), .. } => Verdict::Wrong(format!("on the test's own inputs: {wrong}")),
        found @ Compared { conclusive: 0, .. } => {
            Verdict::Unproved(if found.reasons.is_empty() { "it draws nothing" } else { found.why() })
        }
        _ => Verdict::Right,
    }
}

/// The words on the inputs of one draw.
fn compare(program: &Program, draw: &VertexInputs, words: &dyn Proof) -> Result<Compared, String> {
    let scene = program.vertex_scene(&draw.uniforms, &draw.attributes)?;
    let (attributes, uniforms) = scene.given();
    let sample = Sample {
        lanes: draw.attributes.len(),
        attributes: attributes.clone(),
        uniforms: uniforms.iter().cloned().collect(),
    };
    words.compare_held(sample).map_err(|failure| failure.to_string())
}

/// How rows of `known-differences.tsv` begin that are about a corpus compiled for a target.
fn corpus(target: &dyn Target, corpus: &str) -> String {
    format!("{corpus}-{}", target.about().name)
}

/// What the author of a shader would read first.
pub(crate) fn first_message(errors: &[chiaro_diag::Diagnostic]) -> String {
    errors.first().map(|error| error.message.clone()).unwrap_or_default()
}

/// A message without its numbers and the names of the shader.
pub(crate) fn class(message: &str) -> String {
    let mut out = String::new();
    for (i, piece) in message.split('`').enumerate() {
        out.push_str(if i % 2 == 1 { "`..`" } else { piece });
    }
    let mut class = String::new();
    for c in out.replace("PICA200", "PICA").chars() {
        match c.is_ascii_digit() {
            true if class.ends_with('N') => {}
            true => class.push('N'),
            false => class.push(c),
        }
    }
    class
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, what) in &self.wrong {
            writeln!(f, "wrong\t{name}\t{what}")?;
        }
        for (reason, count) in &self.skipped {
            writeln!(f, "{count:6} left out: {reason}")?;
        }
        for (reason, names) in &self.refused {
            let some: Vec<&str> = names.iter().take(NAMED).map(String::as_str).collect();
            writeln!(f, "{:6} refused: {reason} ({})", names.len(), some.join(", "))?;
        }
        for (why, names) in &self.unproved {
            let some: Vec<&str> = names.iter().take(NAMED).map(String::as_str).collect();
            writeln!(f, "{:6} prove nothing: {why} ({})", names.len(), some.join(", "))?;
        }
        let refused: usize = self.refused.values().map(Vec::len).sum();
        let (right, wrong, listed) = (self.right, self.wrong.len(), self.listed);
        writeln!(
            f,
            "{right} vertex shaders right, {listed} off for listed reasons, {wrong} wrong, {refused} refused"
        )
    }
}
