//! `chiaro gate`: whether shaders have become worse than the baseline that is committed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::PathBuf;

use chiaro_diag::{Diagnostic, did_you_mean};
use clap::Args;

use crate::cmd::report::wanted::project;
use crate::shell::{Failure, Shell};
use crate::survey::Row;
use crate::survey::baseline::{Baseline, Key};
use crate::survey::plan::Plan;
use crate::survey::project::{NAME, Project};

/// Compare shaders with the baseline of their project: tells what got worse, by how much and where its
/// instructions are. Exit code 1 if something is over its budget.
#[derive(Args)]
pub struct Options {
    /// The project file.
    #[arg(long, value_name = "FILE", default_value = NAME)]
    project: PathBuf,
    /// Writes what is true now into the baseline.
    #[arg(long)]
    update: bool,
    /// How many threads; all cores without it. The answer is the same.
    #[arg(long, value_name = "N", value_parser = crate::cli::threads())]
    threads: Option<usize>,
}

/// Compares, or writes the baseline.
pub fn run(options: &Options, shell: &mut Shell) -> Result<(), Failure> {
    let project = project(&options.project, shell)?;
    let plan = Plan::of(project.clone()).map_err(|error| wrong(*error, shell))?;
    plan.note_inputs(shell);
    let rows = plan.rows(options.threads);
    let now = Baseline::of(&rows).map_err(|error| wrong(*error, shell))?;
    known_metrics(&project, &rows).map_err(|error| wrong(*error, shell))?;
    if options.update {
        return update(&project, &now, shell);
    }
    if !project.baseline.exists() {
        let message = format!("there is no baseline `{}`", project.baseline.display());
        return Err(shell.misused(message, "`chiaro gate --update` writes it; commit it with the shaders"));
    }
    let file = shell.read_text(&project.baseline).map_err(|_| Failure::Usage)?;
    let before = Baseline::read(&shell.sources, file).map_err(|error| wrong(*error, shell))?;
    let verdict = Verdict::of(&project, &before, &now);
    let written = shell.write(None, verdict.text(&rows).as_bytes());
    // The verdict stands whoever reads it.
    match written {
        Err(Failure::Input | Failure::Usage) => written,
        _ if verdict.worse.is_empty() => Ok(()),
        _ => Err(Failure::Input),
    }
}

/// Something that is not the shaders' fault.
fn wrong(error: Diagnostic, shell: &mut Shell) -> Failure {
    let _ = shell.fail(error);
    Failure::Usage
}

/// A budget for a metric that no row has would never be looked at.
fn known_metrics(project: &Project, rows: &[Row]) -> Result<(), Box<Diagnostic>> {
    let known: BTreeSet<String> = rows.iter().flat_map(Row::metrics).map(|(name, _)| name).collect();
    let all = project.budgets.iter().flat_map(|budget| budget.most.keys());
    let unknown = all.into_iter().find(|name| !known.is_empty() && !known.contains(*name));
    let Some(name) = unknown else { return Ok(()) };
    let error = Diagnostic::error(None, format!("a budget names `{name}`, which no row counts"));
    Err(match did_you_mean(name, known.iter().map(String::as_str)) {
        Some(near) => error.help(format!("is `{near}` meant?")).into(),
        None => {
            error.help(format!("there are {}", known.iter().cloned().collect::<Vec<_>>().join(", "))).into()
        }
    })
}

/// Writes the baseline if it differs.
fn update(project: &Project, now: &Baseline, shell: &mut Shell) -> Result<(), Failure> {
    let (path, text) = (&project.baseline, now.text());
    if std::fs::read(path).is_ok_and(|before| before == text.as_bytes()) {
        return shell.write(None, format!("{}: nothing has changed\n", path.display()).as_bytes());
    }
    shell.write(Some(path), text.as_bytes())?;
    shell.write(None, format!("{}: {} rows\n", path.display(), now.rows.len()).as_bytes())
}

/// Of a shader that did.
const BROKEN: &str = "compiles no more";

/// Something that changed.
struct Change {
    key: Key,
    what: String,
}

/// What a comparison says.
#[derive(Default)]
struct Verdict {
    /// Over its budget.
    worse: Vec<Change>,
    /// Changed, and allowed.
    other: Vec<Change>,
    same: usize,
}

impl Verdict {
    fn of(project: &Project, before: &Baseline, now: &Baseline) -> Verdict {
        let mut verdict = Verdict::default();
        for (key, metrics) in &now.rows {
            let known = before.rows.get(key);
            verdict.row(project, key, known.map(Vec::as_slice), metrics);
        }
        for (key, metrics) in before.rows.iter().filter(|(key, _)| !now.rows.contains_key(key)) {
            let is_broken = |broken: &Key| key.is_entry_of(broken) && now.rows[broken].is_empty();
            if !metrics.is_empty() && now.rows.keys().any(is_broken) {
                verdict.worse.push(Change { key: key.clone(), what: BROKEN.to_owned() });
            } else {
                verdict.other.push(Change { key: key.clone(), what: "is gone".to_owned() });
            }
        }
        verdict
    }

    fn row(&mut self, project: &Project, key: &Key, before: Option<&[(String, u64)]>, now: &[(String, u64)]) {
        let (known, worse) = (self.other.len(), self.worse.len());
        let budget = project.budgets.iter().rev().find(|budget| budget.fits(&key.shader, &key.target));
        let most = |metric: &str| budget.and_then(|budget| budget.most.get(metric).copied());
        for (name, value) in now {
            if let Some(most) = most(name).filter(|most| value > most) {
                self.worse
                    .push(Change { key: key.clone(), what: format!("{name} {value}, allowed are {most}") });
            }
        }
        let growth = budget.and_then(|budget| budget.growth).unwrap_or(0.0);
        match before {
            None if now.is_empty() => {
                self.worse.push(Change { key: key.clone(), what: "is new and does not compile".to_owned() });
            }
            None => self.other.push(Change { key: key.clone(), what: "is new".to_owned() }),
            Some([]) if now.is_empty() => {}
            Some(_) if now.is_empty() => {
                self.worse.push(Change { key: key.clone(), what: BROKEN.to_owned() });
            }
            Some([]) => self.other.push(Change { key: key.clone(), what: "compiles now".to_owned() }),
            Some(before) => self.metrics(key, before, now, growth, &most),
        }
        self.same += usize::from((known, worse) == (self.other.len(), self.worse.len()));
    }

    /// What got larger; a metric with a limit of its own may grow up to that.
    fn metrics(
        &mut self,
        key: &Key,
        before: &[(String, u64)],
        now: &[(String, u64)],
        growth: f64,
        most: &dyn Fn(&str) -> Option<u64>,
    ) {
        let before: BTreeMap<&str, u64> =
            before.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        for (name, value) in now {
            let Some(&was) = before.get(name.as_str()) else {
                self.other.push(Change { key: key.clone(), what: format!("{name} is counted now: {value}") });
                continue;
            };
            if was == *value {
                continue;
            }
            let change = i128::from(*value) - i128::from(was);
            let what = format!(
                "{name} {was} -> {value} ({change:+}, {:+.1} %)",
                100.0 * change as f64 / was.max(1) as f64
            );
            let share = growth / 100.0;
            let allowed = match is_better_larger(name) {
                true => *value as f64 >= was as f64 * (1.0 - share),
                false => most(name).is_some() || *value as f64 <= was as f64 * (1.0 + share),
            };
            let list = if allowed { &mut self.other } else { &mut self.worse };
            list.push(Change { key: key.clone(), what });
        }
        for name in before.keys().filter(|name| now.iter().all(|(other, _)| other != *name)) {
            self.other.push(Change { key: key.clone(), what: format!("{name} is counted no more") });
        }
    }

    fn text(&self, rows: &[Row]) -> String {
        let mut out = String::new();
        let by_key: BTreeMap<Key, &Row> = rows.iter().map(|row| (Key::of(row), row)).collect();
        for (head, list) in [("over budget", &self.worse), ("changed", &self.other)] {
            let mut last = None;
            for Change { key, what } in list {
                if last != Some(key) {
                    let _ = writeln!(out, "{head}: {key}");
                    last = Some(key);
                }
                let _ = writeln!(out, "  {what}");
                if let (Some(row), true) = (by_key.get(key), head == "over budget") {
                    out.push_str(&cause(row, what));
                }
            }
        }
        let _ = writeln!(
            out,
            "{} over budget, {} changed and allowed, {} as they were",
            count(&self.worse),
            count(&self.other),
            self.same
        );
        out
    }
}

/// Rows of a list.
fn count(list: &[Change]) -> usize {
    let mut keys: Vec<&Key> = list.iter().map(|change| &change.key).collect();
    keys.dedup();
    keys.len()
}

/// A metric of which more is better.
fn is_better_larger(name: &str) -> bool {
    ["waves", "threads", "occupancy", "subgroups"].iter().any(|good| name.to_lowercase().contains(good))
}

/// Why a shader does not compile, or the lines that most instructions are for.
fn cause(row: &Row, what: &str) -> String {
    use crate::survey::Outcome;
    match &row.outcome {
        Outcome::Failed(messages) if what == BROKEN || what.starts_with("is new and") => {
            messages.iter().take(1).map(|m| format!("    {}\n", crate::cmd::report::place(m))).collect()
        }
        Outcome::Made(report) if what.starts_with("instructions") || what.starts_with("words") => {
            let mut lines = report.by_line.clone();
            lines.sort_by_key(|(_, line, words)| (std::cmp::Reverse(*words), *line));
            lines.iter().take(3).map(|(file, line, n)| format!("    {n} are for {file}:{line}\n")).collect()
        }
        _ => String::new(),
    }
}
