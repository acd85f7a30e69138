//! Runs golden vectors: every row of every file of a folder.

mod known_wrong;
mod report;

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

pub use known_wrong::KnownWrong;
pub use report::{FileReport, Report};

pub use crate::suite::Miss;
use crate::suite::{Check, Row, Suite};
use crate::{a3xx, agx, pica200, rdna, stages, utgard};

/// The targets with their files, and what is left out on purpose.
struct Target {
    name: &'static str,
    suites: &'static [Suite],
    /// Files and folders that are not checked here, with the reason.
    elsewhere: &'static [(&'static str, &'static str)],
}

const TARGETS: [Target; 5] = [
    Target { name: "pica200", suites: &pica200::SUITES, elsewhere: &pica200::ELSEWHERE },
    Target { name: "rdna", suites: &rdna::SUITES, elsewhere: &rdna::ELSEWHERE },
    Target { name: "a3xx", suites: &a3xx::SUITES, elsewhere: &stages::A3XX_ELSEWHERE },
    Target { name: "agx", suites: &agx::SUITES, elsewhere: &agx::ELSEWHERE },
    Target { name: "utgard-gp", suites: &utgard::SUITES, elsewhere: &[] },
];

/// Checks all targets in a folder, or the one that is named.
///
/// # Errors
/// A folder or file that cannot be read, or one without anything to check.
pub fn check_folder(folder: &Path, only: Option<&str>) -> io::Result<Report> {
    let mut report = Report::default();
    for name in entries(folder)? {
        let path = folder.join(&name);
        match TARGETS.iter().find(|t| t.name == name) {
            _ if only.is_some_and(|only| only != name) => {}
            Some(target) if path.is_dir() => check_target(target, &path, &mut report)?,
            _ => report.skip(&name, "chiaro has no such target"),
        }
    }
    something(report, folder)
}

/// Checks a folder that holds the files of one target.
///
/// # Errors
/// As [`check_folder`]; also a target that is not there.
pub fn check_target_folder(folder: &Path, target: &str) -> io::Result<Report> {
    let mut report = Report::default();
    match TARGETS.iter().find(|t| t.name == target) {
        Some(target) => check_target(target, folder, &mut report)?,
        None => return Err(io::Error::other(format!("there are no checks for target `{target}`"))),
    }
    something(report, folder)
}

/// A folder of which no row is checked is no folder that passes.
fn something(report: Report, folder: &Path) -> io::Result<Report> {
    if report.rows() > 0 {
        return Ok(report);
    }
    let message = format!("there is nothing to check in `{}`", folder.display());
    Err(io::Error::new(io::ErrorKind::NotFound, message))
}

/// Every file that is checked, with its target.
#[must_use]
pub fn files_with_checks() -> Vec<(&'static str, &'static str)> {
    TARGETS.iter().flat_map(|target| target.suites.iter().map(|suite| (target.name, suite.file))).collect()
}

/// Checks a row as if it stood in a file of a folder.
///
/// # Errors
/// What is wrong with it, or why it is skipped; a file that nobody checks.
pub fn check_text(target: &str, file: &str, folder: &Path, text: &str) -> Result<(), Miss> {
    let target = TARGETS.iter().find(|known| known.name == target);
    let suite = target.and_then(|target| target.suites.iter().find(|suite| suite.file == file));
    let suite = suite.ok_or_else(|| Miss::Failed(format!("nobody checks `{file}`")))?;
    check_row(suite.check, &Row { folder, line: 1, text })
}

fn check_target(target: &Target, folder: &Path, report: &mut Report) -> io::Result<()> {
    let known_wrong = KnownWrong::of_target(target.name);
    let companions: BTreeSet<_> = target.suites.iter().filter_map(|s| s.companion).collect();
    for name in entries(folder)? {
        let path = folder.join(&name);
        let label = format!("{}/{name}", target.name);
        let suites: Vec<&Suite> = target.suites.iter().filter(|s| s.file == name).collect();
        let elsewhere = target.elsewhere.iter().find(|(file, _)| *file == name);
        // Several ways of checking the same rows are numbered.
        for (n, suite) in suites.iter().enumerate() {
            let label = if n == 0 { label.clone() } else { format!("{label} ({})", n + 1) };
            report.files.push(check_file((suite, n + 1), &label, &path, &known_wrong)?);
        }
        match elsewhere {
            _ if !suites.is_empty() => {}
            Some((_, reason)) => report.skip(&label, reason),
            None if companions.contains(name.as_str()) => {}
            None => report.skip(&label, "no check knows this name"),
        }
    }
    borrowed(target, folder, &known_wrong, report)
}

/// Rows of other targets that this one is held to, too: `../rdna/lavapipe_outputs.jsonl`.
fn borrowed(target: &Target, folder: &Path, known: &KnownWrong, report: &mut Report) -> io::Result<()> {
    for suite in target.suites.iter().filter(|suite| suite.file.starts_with("../")) {
        let path = folder.join(suite.file);
        if path.is_file() {
            report.files.push(check_file(
                (suite, 1),
                &format!("{}/{}", target.name, suite.file),
                &path,
                known,
            )?);
        }
    }
    Ok(())
}

fn entries(folder: &Path) -> io::Result<Vec<String>> {
    let entries = fs::read_dir(folder)?.map(|e| Ok(e?.file_name().to_string_lossy().into_owned()));
    let mut names = entries.collect::<io::Result<Vec<String>>>()?;
    names.sort();
    Ok(names)
}

/// Checks every row of a file in one of the ways (from 1) in which that is done.
fn check_file(
    (suite, way): (&Suite, usize),
    label: &str,
    path: &Path,
    known: &KnownWrong,
) -> io::Result<FileReport> {
    let text = fs::read_to_string(path)?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut report = FileReport::new(label);
    for (line, text) in text.lines().enumerate().filter(|(_, t)| !t.is_empty() && !t.starts_with('#')) {
        let row = Row { folder, line: line + 1, text };
        let verdict = match (known.reason(suite.file, way, text), check_row(suite.check, &row)) {
            (Some(_), Ok(())) => {
                Err("it passes, though `known-wrong.tsv` calls it wrong: take it from the list".into())
            }
            (Some(reason), Err(Miss::Failed(_))) => Err(Miss::Skipped(format!("known wrong: {reason}"))),
            (_, verdict) => verdict,
        };
        report.count(row.line, verdict);
    }
    Ok(report)
}

/// A panic is a failure of its row and of no other.
fn check_row(check: Check, row: &Row<'_>) -> Result<(), Miss> {
    catch_unwind(AssertUnwindSafe(|| check(row))).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
        Err(Miss::Failed(format!("panicked: {text}")))
    })
}
