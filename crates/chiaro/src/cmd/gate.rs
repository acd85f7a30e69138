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
use crate::survey::project::{Budget, NAME, Project};

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
    fitting_budgets(&project, &rows).map_err(|error| wrong(*error, shell))?;
    if options.update {
        return update(&project, &now, shell);
    }
    if !project.baseline.exists() {
        let message = format!("there is no baseline `{}`", project.baseline.display());
        return Err(shell.misused(message, "`chiaro gate --update` writes it; commit it with the shaders"));
    }
    if std::fs::metadata(&project.baseline).is_ok_and(|about| about.is_file() && about.len() == 0) {
        let message = format!("the baseline `{}` is empty", project.baseline.display());
        return Err(shell.misused(message, "`chiaro gate --update` writes it anew"));
    }
    let file = shell.read_text(&project.baseline).map_err(|_| Failure::Usage)?;
    let before = Baseline::read(&shell.sources, file).map_err(|error| wrong(*error, shell))?;
    let verdict = Verdict::of(&project, &before, &now, &rows);
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

/// So would one whose pattern and targets fit no row.
fn fitting_budgets(project: &Project, rows: &[Row]) -> Result<(), Box<Diagnostic>> {
    let fits = |budget: &Budget| rows.iter().any(|row| budget.fits(&row.shader, row.target));
    let Some(idle) = project.budgets.iter().find(|budget| !rows.is_empty() && !fits(budget)) else {
        return Ok(());
    };
    let error = Diagnostic::error(idle.span, "this budget fits no shader of the project");
    Err(error.help("patterns begin at the folder of the project file, as the rows of the baseline do").into())
}

/// Writes the baseline if it differs.
fn update(project: &Project, now: &Baseline, shell: &mut Shell) -> Result<(), Failure> {
    let (path, text) = (&project.baseline, now.text());
    if std::fs::read(path).is_ok_and(|before| before == text.as_bytes()) {
        return shell.write(None, format!("{}: nothing has changed\n", path.display()).as_bytes());
    }
    shell.write(Some(path), text.as_bytes())?;
    let broken = now.rows.values().filter(|metrics| metrics.is_empty()).count();
    let broken = if broken == 0 { String::new() } else { format!(", {broken} of them broken") };
    shell.write(None, format!("{}: {} rows{broken}\n", path.display(), now.rows.len()).as_bytes())
}

/// Of a shader that did.
const BROKEN: &str = "compiles no more";

/// Something that changed.
struct Change {
    key: Key,
    what: String,
}

/// What a row may take.
struct Allowed<'a> {
    budget: Option<&'a Budget>,
    /// Metrics of which more is better, as its report says.
    better: &'a [&'a str],
}

impl Allowed<'_> {
    fn most(&self, metric: &str) -> Option<u64> {
        self.budget.and_then(|budget| budget.most.get(metric).copied())
    }

    fn may_become(&self, metric: &str, was: u64, now: u64) -> bool {
        let share = self.budget.and_then(|budget| budget.growth).unwrap_or(0.0) / 100.0;
        match self.better.contains(&metric) {
            true => now as f64 >= was as f64 * (1.0 - share),
            false => self.most(metric).is_some() || now as f64 <= was as f64 * (1.0 + share),
        }
    }
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
    fn of(project: &Project, before: &Baseline, now: &Baseline, rows: &[Row]) -> Verdict {
        let better: BTreeMap<Key, &[&str]> = rows.iter().map(|row| (Key::of(row), row.better())).collect();
        let mut verdict = Verdict::default();
        for (key, metrics) in &now.rows {
            let known = before.rows.get(key);
            let budget = project.budgets.iter().rev().find(|budget| budget.fits(&key.shader, &key.target));
            let allowed = Allowed { budget, better: better.get(key).copied().unwrap_or_default() };
            verdict.row(&allowed, key, known.map(Vec::as_slice), metrics);
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

    fn row(
        &mut self,
        allowed: &Allowed<'_>,
        key: &Key,
        before: Option<&[(String, u64)]>,
        now: &[(String, u64)],
    ) {
        let (known, worse) = (self.other.len(), self.worse.len());
        for (name, value) in now {
            if let Some(most) = allowed.most(name).filter(|most| value > most) {
                self.worse
                    .push(Change { key: key.clone(), what: format!("{name} {value}, allowed are {most}") });
            }
        }
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
            Some(before) => self.metrics(allowed, key, before, now),
        }
        self.same += usize::from((known, worse) == (self.other.len(), self.worse.len()));
    }

    /// What got larger; a metric with a limit of its own may grow up to that.
    fn metrics(&mut self, allowed: &Allowed<'_>, key: &Key, before: &[(String, u64)], now: &[(String, u64)]) {
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
            let list = if allowed.may_become(name, was, *value) { &mut self.other } else { &mut self.worse };
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

/// Why a shader does not compile, or the lines that most instructions are for.
fn cause(row: &Row, what: &str) -> String {
    use crate::survey::Outcome;
    match &row.outcome {
        Outcome::Failed(messages) if what == BROKEN || what.starts_with("is new and") => {
            messages.iter().take(1).map(|m| format!("    {}\n", crate::cmd::report::place(m))).collect()
        }
        Outcome::Made(report, _) if what.starts_with("instructions") || what.starts_with("words") => {
            let mut lines = report.by_line.clone();
            lines.sort_by_key(|(_, line, words)| (std::cmp::Reverse(*words), *line));
            lines.iter().take(3).map(|(file, line, n)| format!("    {n} are for {file}:{line}\n")).collect()
        }
        _ => String::new(),
    }
}
