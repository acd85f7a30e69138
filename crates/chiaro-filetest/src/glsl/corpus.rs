//! Which files of a corpus are accepted and which rejected, against what is expected.

mod cross;
mod glmark2;
mod glslang;
mod maplibre;
mod transitions;

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use chiaro_glsl::extension;
use chiaro_glsl::source::Stage;

use super::differences::Differences;
use super::source::Source;

/// A source and what its corpus expects of it.
#[derive(Debug)]
pub struct Case {
    /// The source.
    pub source: Source,
    /// Whether a compiler should take it.
    pub accept: bool,
}

impl Case {
    /// One that should be taken.
    fn good(source: Source) -> Case {
        Case { source, accept: true }
    }
}

/// Finds the cases in the folder of a corpus.
type Load = fn(&Path) -> io::Result<Vec<Case>>;

/// A corpus: its name in reports, its folder, its cases, and which stages count.
type Corpus = (&'static str, &'static str, Load, fn(Stage) -> bool);

/// The corpora. Those of many stages are counted twice: the three that every program has, and
/// the others.
const CORPORA: [Corpus; 7] = [
    ("glmark2", "glmark2", glmark2::cases, is_common),
    ("transitions", "transitions", transitions::cases, is_common),
    ("maplibre", "maplibre", maplibre::cases, is_common),
    ("cross", "cross", cross::cases, is_common),
    ("glslang", "glslang", glslang::cases, is_common),
    ("cross2", "cross", cross::cases, is_other),
    ("glslang2", "glslang", glslang::cases, is_other),
];

/// Vertex, fragment and compute shaders.
fn is_common(stage: Stage) -> bool {
    matches!(stage, Stage::Vertex | Stage::Fragment | Stage::Compute)
}

/// Geometry shaders and those of ray tracing.
fn is_other(stage: Stage) -> bool {
    !is_common(stage)
}

/// What came of a corpus.
#[derive(Debug, Default)]
pub struct Tally {
    /// How many files there are.
    pub files: usize,
    /// Files where we do as expected.
    pub agreed: usize,
    /// Files that differ and are listed with a reason.
    pub listed: usize,
    /// Files that differ, are not listed, and ask for an extension that is not in the table.
    pub foreign: Vec<(String, String)>,
    /// Files that differ otherwise: name, and the first message.
    pub differ: Vec<(String, String)>,
}

impl Tally {
    /// The share of files that agree.
    #[must_use]
    pub fn share(&self) -> f64 {
        100.0 * self.agreed as f64 / self.files.max(1) as f64
    }
}

/// All corpora of a folder.
#[derive(Debug, Default)]
pub struct Report {
    /// By name.
    pub corpora: BTreeMap<&'static str, Tally>,
}

impl Report {
    /// Whether every difference is listed.
    #[must_use]
    pub fn explained(&self) -> bool {
        self.corpora.values().all(|tally| tally.differ.is_empty())
    }
}

/// Checks the corpora in a folder.
///
/// # Errors
/// A folder or file that cannot be read, or a folder without a corpus.
pub fn check(folder: &Path) -> io::Result<Report> {
    let known = Differences::known();
    let mut report = Report::default();
    for (name, place, load, counts) in CORPORA {
        let folder = folder.join(place);
        if folder.is_dir() {
            let mut cases = load(&folder)?;
            cases.retain(|case| counts(case.source.stage));
            report.corpora.insert(name, tally(name, &cases, &known));
        }
    }
    if report.corpora.is_empty() {
        return Err(io::Error::other(format!("there is no corpus in `{}`", folder.display())));
    }
    Ok(report)
}

fn tally(corpus: &str, cases: &[Case], known: &Differences) -> Tally {
    let mut tally = Tally { files: cases.len(), ..Tally::default() };
    for case in cases {
        match difference(case) {
            None if known.reason(corpus, &case.source.name).is_some() => {
                let what = "is as expected, though `known-differences.tsv` has it: take it from the list";
                tally.differ.push((case.source.name.clone(), what.to_owned()));
            }
            None => tally.agreed += 1,
            Some(_) if known.reason(corpus, &case.source.name).is_some() => tally.listed += 1,
            Some(_) if let Some(name) = foreign(&case.source.text) => {
                let reason = format!("asks for {name}, which is not in the table of extensions");
                tally.foreign.push((case.source.name.clone(), reason));
            }
            Some(message) => tally.differ.push((case.source.name.clone(), message)),
        }
    }
    tally
}

/// An extension that a text asks for and that is not in the table.
fn foreign(text: &str) -> Option<&str> {
    let asked = text.lines().filter_map(|line| {
        let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("extension")?;
        let (name, behaviour) = rest.split_once(':')?;
        matches!(behaviour.split_whitespace().next()?, "enable" | "require").then(|| name.trim())
    });
    asked.into_iter().find(|name| extension::find(name).is_none())
}

/// How a case differs: its first error, or that it has none.
fn difference(case: &Case) -> Option<String> {
    let Ok(errors) = catch_unwind(AssertUnwindSafe(|| case.source.errors())) else {
        return Some("panic".to_owned());
    };
    match (errors.first(), case.accept) {
        (None, true) | (Some(_), false) => None,
        (Some(error), true) => Some(error.message.clone()),
        (None, false) => Some("accepted".to_owned()),
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, tally) in &self.corpora {
            for (file, message) in tally.foreign.iter().chain(&tally.differ) {
                writeln!(f, "{name}\t{file}\t{message}")?;
            }
        }
        for (name, tally) in &self.corpora {
            writeln!(
                f,
                "{name:12} {:5} files, {:5} agree ({:.1} %; {:.1} % of those whose extensions are known), \
                 {} differ for listed reasons, {} for extensions, {} otherwise",
                tally.files,
                tally.agreed,
                tally.share(),
                100.0 * tally.agreed as f64 / (tally.files - tally.foreign.len()).max(1) as f64,
                tally.listed,
                tally.foreign.len(),
                tally.differ.len()
            )?;
        }
        Ok(())
    }
}

/// All files below a folder, sorted.
pub(crate) fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() { open.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    Ok(found)
}

/// A file's text; bytes that are no UTF-8 are replaced.
pub(crate) fn read(path: &Path) -> io::Result<String> {
    Ok(String::from_utf8_lossy(&std::fs::read(path)?).into_owned())
}

/// The last part of a path.
pub(super) fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
