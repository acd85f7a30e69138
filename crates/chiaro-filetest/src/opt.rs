//! The optimiser on real shaders: outputs stay what the golden vectors say, pass by pass.
//!
//! The compute corpus (`rdna/lavapipe_outputs.jsonl`) and the vertex corpus
//! (`pica200/compile_ref.jsonl`) are run on the interpreter, as they are and optimised. Where an
//! output differs, runs that stop earlier find the first pass behind which it does.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::time::Instant;

use chiaro_ir::{Module, stats};
use chiaro_opt::{Cx, Event, optimize};

use crate::compute;
use crate::pica200::Case;
use crate::suite::{Miss, Row};

/// What became of a shader.
#[derive(Clone, Debug, Default)]
pub struct Shader {
    /// Instructions of all functions before.
    pub before: u32,
    /// And after.
    pub after: u32,
    /// Passes that ran.
    pub passes: u32,
    /// Microseconds that they took together.
    pub micros: u128,
    /// Rows that it was run on.
    pub rows: u32,
}

/// What was found in a folder.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// By name, with the corpus in front.
    pub shaders: BTreeMap<String, Shader>,
    /// Rows whose outputs differ, each with the pass.
    pub failures: Vec<String>,
    /// Rows that the interpreter does not pass without the optimiser either.
    pub skipped: Vec<String>,
}

impl Report {
    /// Whether something was run and nothing differed.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.failures.is_empty() && !self.shaders.is_empty()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            out,
            "{:32} {:>7} {:>7} {:>7} {:>8} {:>6}",
            "shader", "before", "after", "passes", "micros", "rows"
        )?;
        let mut sum = Shader::default();
        for (name, shader) in &self.shaders {
            let Shader { before, after, passes, micros, rows } = *shader;
            writeln!(out, "{name:32} {before:7} {after:7} {passes:7} {micros:8} {rows:6}")?;
            sum.before += before;
            sum.after += after;
            sum.passes += passes;
            sum.micros += micros;
            sum.rows += rows;
        }
        let Shader { before, after, passes, micros, rows } = sum;
        writeln!(out, "{:32} {before:7} {after:7} {passes:7} {micros:8} {rows:6}", "together")?;
        self.skipped.iter().try_for_each(|row| writeln!(out, "skipped: {row}"))?;
        self.failures.iter().try_for_each(|row| writeln!(out, "failed: {row}"))
    }
}

/// Optimises and runs every row of both corpora.
///
/// # Errors
/// A folder that holds neither, or a file that cannot be read.
pub fn check(folder: &Path) -> Result<Report, String> {
    let mut report = Report::default();
    let (vertex, lanes) = (folder.join("pica200"), folder.join("rdna"));
    for line in rows(&vertex.join("compile_ref.jsonl"))? {
        let case = Case::read(&Row { folder: &vertex, line: 0, text: &line }).map_err(reason)?;
        let name = format!("vertex/{}", case.shader);
        report.row(name, &case.module, &|module| case.check(module).map_err(reason));
    }
    let text = rows(&lanes.join("lavapipe_outputs.jsonl"))?.join("\n");
    for (_, job) in compute::jobs(&text)? {
        let module = compute::read(&lanes.join("shaders"), &job.shader)?;
        let run = |module: &Module| {
            let after = compute::interpret(module, &job)?;
            let comparison = job.check(&after);
            if comparison.passed() { Ok(()) } else { Err(comparison.to_string()) }
        };
        report.row(format!("compute/{}", job.shader), &module, &run);
    }
    if report.shaders.is_empty() {
        return Err(format!("{} holds no shaders with outputs", folder.display()));
    }
    Ok(report)
}

/// The rows of a file, none if it is not there.
fn rows(path: &Path) -> Result<Vec<String>, String> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(text.lines().filter(|row| !row.is_empty() && !row.starts_with('#')).map(str::to_owned).collect())
}

fn reason(miss: Miss) -> String {
    match miss {
        Miss::Failed(reason) | Miss::Skipped(reason) => reason,
    }
}

impl Report {
    fn row(&mut self, name: String, module: &Module, run: &dyn Fn(&Module) -> Result<(), String>) {
        if let Err(reason) = run(module) {
            return self.skipped.push(format!("{name}: {reason}"));
        }
        let mut optimised = module.clone();
        let mut cx = Cx { verify: true, ..Cx::default() };
        let (_, micros) = time(|| optimise(&mut optimised, &mut cx));
        if let Some((pass, breaches)) = &cx.breach {
            self.failures.push(format!("{name}: {pass} breaks the rules: {}", breaches[0]));
        } else if let Err(reason) = run(&optimised) {
            let culprit = bisect(module, cx.number, run);
            self.failures.push(format!("{name}: {reason}; {culprit}"));
        }
        let shader = self.shaders.entry(name).or_insert_with(|| {
            // Measured without the verifier.
            let mut again = module.clone();
            let (passes, quick) = time(|| optimise(&mut again, &mut Cx::default()));
            let (before, after) = (instructions(module), instructions(&again));
            Shader { before, after, passes, micros: quick.min(micros), rows: 0 }
        });
        shader.rows += 1;
    }
}

fn time<T>(run: impl FnOnce() -> T) -> (T, u128) {
    let start = Instant::now();
    let answer = run();
    (answer, start.elapsed().as_micros())
}

/// Optimises the first entry point; how many passes ran.
fn optimise(module: &mut Module, cx: &mut Cx<'_>) -> u32 {
    if let Some(entry) = module.entries.first().map(|entry| entry.name.clone()) {
        let _ = optimize(module, &entry, cx);
    }
    cx.number
}

fn instructions(module: &Module) -> u32 {
    module.functions.iter().map(|f| stats(f).instructions).sum()
}

/// The first pass behind which the outputs differ.
fn bisect(module: &Module, passes: u32, run: &dyn Fn(&Module) -> Result<(), String>) -> String {
    let stopped = |last: u32| {
        let mut name = "the clean-up at the end";
        let mut watch = |event: &Event<'_>| name = event.pass;
        let mut changed = module.clone();
        optimise(&mut changed, &mut Cx { stop_after: Some(last), watch: Some(&mut watch), ..Cx::default() });
        (run(&changed), name)
    };
    let (mut good, mut bad) = (0, passes);
    while good + 1 < bad {
        let middle = good + (bad - good) / 2;
        match stopped(middle).0 {
            Ok(()) => good = middle,
            Err(_) => bad = middle,
        }
    }
    format!("pass {bad}, {}, is the first behind which it is so", stopped(bad).1)
}
