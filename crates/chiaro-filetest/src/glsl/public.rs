//! Public GLSL in large numbers: what glslang takes has to be taken, and to become valid words.
//!
//! A folder holds collections, a folder each, in which every file with the ending of a stage is a
//! source. What glslang says of each is asked once and kept in the folder as `taken.tsv`; a text
//! that several files have counts once. Sources that differ for a reason are rows of
//! `known-differences.tsv` under the corpus [`CORPUS`].

mod glslang;

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use chiaro_diag::SourceMap;

use super::corpus::{files, read};
use super::differences::Differences;
use super::source::{Source, stage_of};
use super::validate::{validate_for, vulkan_of};
use glslang::Taken;

/// The name of these collections in the list of differences.
const CORPUS: &str = "public";

/// Threads at work: glslang and the validator are processes of their own.
const WORKERS: usize = 2;

/// What came of a collection.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    sources: usize,
    taken_by_glslang: usize,
    taken: usize,
    valid: usize,
    listed: usize,
}

/// What came of all collections.
#[derive(Debug, Default)]
pub struct Report {
    collections: BTreeMap<String, Tally>,
    /// Source, and why it is refused or invalid, where no row explains it.
    differ: Vec<(String, String)>,
}

impl Report {
    /// Whether every difference is listed.
    #[must_use]
    pub fn explained(&self) -> bool {
        self.differ.is_empty()
    }

    fn total(&self) -> Tally {
        self.collections.values().fold(Tally::default(), |sum, one| Tally {
            sources: sum.sources + one.sources,
            taken_by_glslang: sum.taken_by_glslang + one.taken_by_glslang,
            taken: sum.taken + one.taken,
            valid: sum.valid + one.valid,
            listed: sum.listed + one.listed,
        })
    }
}

/// Compiles what glslang takes of the sources below a folder; of all of them those with `part` in
/// their path.
///
/// # Errors
/// A folder or file that cannot be read; no glslang where it has to be asked.
pub fn check(folder: &Path, part: Option<&str>) -> io::Result<Report> {
    let (mut sources, mut seen) = (Vec::new(), HashSet::new());
    for path in files(folder)? {
        let name = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().into_owned();
        let Some(source) = source(name, &path, folder)? else { continue };
        let own = if source.text.contains("#include") { source.folder.clone() } else { None };
        if seen.insert((source.stage, source.text.clone(), own)) {
            sources.push(source);
        }
    }
    sources.retain(|source| part.is_none_or(|part| source.name.contains(part)));
    let taken = Taken::of(folder, &sources, WORKERS)?;
    let known = Differences::known();
    let mut report = Report::default();
    for (source, outcome) in judge(&sources, &taken) {
        let collection = source.name.split('/').next().unwrap_or_default();
        let tally = report.collections.entry(collection.to_owned()).or_default();
        tally.sources += 1;
        let Some(outcome) = outcome else { continue };
        tally.taken_by_glslang += 1;
        tally.taken += usize::from(!matches!(outcome, Outcome::Refused(_)));
        tally.valid += usize::from(matches!(outcome, Outcome::Valid));
        let (Outcome::Refused(reason) | Outcome::Invalid(reason)) = outcome else { continue };
        if known.reason(CORPUS, &source.name).is_some() {
            tally.listed += 1;
        } else {
            report.differ.push((source.name.clone(), reason));
        }
    }
    Ok(report)
}

/// A source with what surrounds it: includes are looked for beside it and in the folders above.
fn source(name: String, path: &Path, root: &Path) -> io::Result<Option<Source>> {
    let Some(stage) = stage_of(&name) else { return Ok(None) };
    let above: Vec<PathBuf> =
        path.ancestors().skip(1).take_while(|above| *above != root).map(Path::to_owned).collect();
    let folder = above.first().cloned();
    Ok(Some(Source { folder, folders: above, ..Source::new(name, stage, read(path)?) }))
}

/// What came of a source that glslang takes.
enum Outcome {
    Valid,
    Refused(String),
    Invalid(String),
}

/// What comes of all sources; nothing of those that glslang does not take.
fn judge<'a>(sources: &'a [Source], taken: &Taken) -> Vec<(&'a Source, Option<Outcome>)> {
    let share = sources.len().div_ceil(WORKERS).max(1);
    std::thread::scope(|scope| {
        let work = sources.chunks(share).map(|some| {
            scope.spawn(move || some.iter().map(|one| (one, judge_one(one, taken))).collect::<Vec<_>>())
        });
        let workers: Vec<_> = work.collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap_or_default()).collect()
    })
}

fn judge_one(source: &Source, taken: &Taken) -> Option<Outcome> {
    let source = taken.as_taken(source)?;
    let Ok((module, found, sources)) = catch_unwind(AssertUnwindSafe(|| source.compile_whole())) else {
        return Some(Outcome::Refused("panic".to_owned()));
    };
    let Some(module) = module else {
        let first = found.iter().find(|found| found.severity == chiaro_diag::Severity::Error);
        return Some(Outcome::Refused(first.map_or_else(String::new, |first| first.message.clone())));
    };
    // What nobody calls is not in the words; without `main` there is no module to judge.
    if !has_main(&module) {
        return Some(Outcome::Valid);
    }
    // What only OpenGL has is judged by its rules.
    let judged = match chiaro_spirv::vulkanize(&module) {
        Ok(vulkan) => validate_for(vulkan_of(&vulkan.words), layout_options(&sources), &vulkan.words),
        Err(_) => match chiaro_spirv::openglize(&module) {
            Ok(words) => validate_for("opengl4.5", &[], &words.words),
            Err(error) => return Some(Outcome::Invalid(error.message)),
        },
    };
    Some(match judged {
        Some(Err(reason)) => Outcome::Invalid(reason),
        Some(Ok(())) | None => Outcome::Valid,
    })
}

/// Members of blocks may lie closer together where the source asks for it.
fn layout_options(sources: &SourceMap) -> &'static [&'static str] {
    let asks = sources.ids().any(|file| sources.text(file).contains("GL_EXT_scalar_block_layout"));
    if asks { &["--scalar-block-layout"] } else { &[] }
}

/// Whether a module has an entry point.
fn has_main(module: &chiaro_spirv::module::Module) -> bool {
    chiaro_spirv::instructions(&module.words).flatten().any(|inst| inst.op == spirv::Op::EntryPoint)
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (source, reason) in &self.differ {
            writeln!(f, "{source}\t{}", reason.trim_end().replace('\n', " "))?;
        }
        writeln!(
            f,
            "{:<44} {:>8} {:>8} {:>8} {:>8} {:>8}",
            "collection", "sources", "glslang", "taken", "valid", "listed"
        )?;
        let all = ("all".to_owned(), self.total());
        for (name, one) in self.collections.iter().chain([(&all.0, &all.1)]) {
            let Tally { sources, taken_by_glslang, taken, valid, listed } = one;
            writeln!(f, "{name:<44} {sources:>8} {taken_by_glslang:>8} {taken:>8} {valid:>8} {listed:>8}")?;
        }
        let Tally { taken_by_glslang, taken, .. } = all.1;
        writeln!(f, "{:.2} % of what glslang takes", 100.0 * taken as f64 / taken_by_glslang.max(1) as f64)
    }
}
