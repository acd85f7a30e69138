//! What glslang says of sources, asked once for each and kept in a file beside them.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use chiaro_glsl::source::Stage;

use crate::glsl::source::{ES100, GLSL110, Source};

/// The file with the answers: source and dialect, a line each. Delete it to ask anew.
pub(super) const TAKEN: &str = "taken.tsv";

/// Sources that one process is asked about: what it prepares for a version serves all of them.
const BATCH: usize = 200;

/// As what sources are taken.
pub(super) struct Taken {
    dialects: HashMap<String, String>,
}

impl Taken {
    /// Reads the answers in a folder, asks for those that are missing, and keeps them.
    pub(super) fn of(folder: &Path, sources: &[Source], workers: usize) -> io::Result<Taken> {
        let place = folder.join(TAKEN);
        let text = if place.exists() { fs::read_to_string(&place)? } else { String::new() };
        let rows = text.lines().filter_map(|line| line.split_once('\t'));
        let mut dialects: HashMap<String, String> =
            rows.map(|(name, dialect)| (name.to_owned(), dialect.to_owned())).collect();
        let missing: Vec<&Source> = sources.iter().filter(|s| !dialects.contains_key(&s.name)).collect();
        let left = batches(folder, missing.clone(), &mut dialects)?;
        for (name, dialect) in singles(folder, &left, workers)? {
            dialects.insert(name, dialect.to_owned());
        }
        if !missing.is_empty() {
            fs::write(&place, table(&dialects))?;
        }
        Ok(Taken { dialects })
    }

    /// A source as glslang takes it; `None` if it does not.
    pub(super) fn as_taken(&self, source: &Source) -> Option<Source> {
        let mut source = source.clone();
        match self.dialects.get(&source.name)?.as_str() {
            // glslang reads what has no version as the first of ES.
            "opengl" if source.text.contains("#version") => {}
            "opengl" => source.version = Some(ES100),
            "vulkan" => source.defines.push(("VULKAN".to_owned(), "100".to_owned())),
            "desktop" => source.version = Some(GLSL110),
            _ => return None,
        }
        Some(source)
    }
}

/// The answers as text, in order.
fn table(dialects: &HashMap<String, String>) -> String {
    let mut rows: Vec<_> = dialects.iter().collect();
    rows.sort();
    rows.iter().fold(String::new(), |mut text, (name, dialect)| {
        let _ = writeln!(text, "{name}\t{dialect}");
        text
    })
}

/// Asks about sources that include nothing, many at once, as OpenGL's and then as those of the
/// first desktop version. Gives the sources that are left.
fn batches<'a>(
    folder: &Path,
    sources: Vec<&'a Source>,
    dialects: &mut HashMap<String, String>,
) -> io::Result<Vec<&'a Source>> {
    let (mut left, mut alone): (Vec<&Source>, Vec<&Source>) =
        sources.into_iter().partition(|source| !source.text.contains("#include"));
    for (name, options) in [("opengl", &[][..]), ("desktop", &["-d"][..])] {
        let mut refused = Vec::new();
        for some in left.chunks(BATCH) {
            let told = refused_of(folder, some, options)?;
            let (no, yes): (Vec<&Source>, Vec<&Source>) = match told {
                Some(told) => some.iter().partition(|source| told.contains(&source.name)),
                // A source that brings the process down is asked about alone.
                None => {
                    alone.extend(some);
                    continue;
                }
            };
            dialects.extend(yes.iter().map(|source| (source.name.clone(), name.to_owned())));
            refused.extend(no);
        }
        left = refused;
    }
    left.extend(alone);
    Ok(left)
}

/// Names of sources for which one process prints an error; `None` if it does not come to its end.
fn refused_of(folder: &Path, some: &[&Source], options: &[&str]) -> io::Result<Option<HashSet<String>>> {
    let mut command = Command::new("glslangValidator");
    command.current_dir(folder).args(options).args(some.iter().map(|source| &source.name));
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output()?;
    if output.status.code().is_none() {
        return Ok(None);
    }
    let names: HashSet<&str> = some.iter().map(|source| source.name.as_str()).collect();
    let text = String::from_utf8_lossy(&output.stdout);
    let (mut refused, mut current, mut seen) = (HashSet::new(), "", 0);
    for line in text.lines() {
        if let Some(name) = names.get(line) {
            (current, seen) = (name, seen + 1);
        } else if line.starts_with("ERROR:") {
            refused.insert(current.to_owned());
        }
    }
    Ok((seen == names.len()).then_some(refused))
}

/// Asks about sources one by one, as OpenGL's and as Vulkan's.
fn singles(folder: &Path, sources: &[&Source], workers: usize) -> io::Result<Vec<(String, &'static str)>> {
    let share = sources.len().div_ceil(workers).max(1);
    std::thread::scope(|scope| {
        let work = sources.chunks(share).map(|some| {
            scope.spawn(move || {
                some.iter()
                    .map(|one| Ok((one.name.clone(), ask(folder, one)?)))
                    .collect::<io::Result<Vec<_>>>()
            })
        });
        let workers: Vec<_> = work.collect();
        let mut all = Vec::new();
        for worker in workers {
            all.extend(worker.join().map_err(|_| io::Error::other("a worker panicked"))??);
        }
        Ok(all)
    })
}

/// The dialect in which glslang takes a source, or `no`.
fn ask(folder: &Path, source: &Source) -> io::Result<&'static str> {
    const VULKAN: &[&str] = &["-V", "--target-env", "vulkan1.3", "-o", "/dev/null"];
    let includes = source.text.contains("#include");
    if includes && takes(folder, source, &[])? {
        return Ok("opengl");
    }
    // Vulkan's dialect begins with these versions.
    let newer = ["#version 31", "#version 32", "#version 4"].iter().any(|v| source.text.contains(v));
    Ok(if newer && takes(folder, source, VULKAN)? { "vulkan" } else { "no" })
}

fn takes(folder: &Path, source: &Source, options: &[&str]) -> io::Result<bool> {
    let mut command = Command::new("glslangValidator");
    command.args(options).args(["-S", ending(source.stage)]);
    command.args(source.folders.iter().map(|above| format!("-I{}", above.display())));
    command.arg(folder.join(&source.name));
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    Ok(status.success())
}

/// glslang's name of a stage is the ending of its files.
fn ending(stage: Stage) -> &'static str {
    Stage::ENDINGS.iter().find(|(_, of)| *of == stage).map_or("vert", |(ending, _)| ending)
}
