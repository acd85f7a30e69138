//! Vertex shaders of a folder through a target's compiler: compiled and verified, or refused with
//! a reason; how long it takes, and who takes the longest.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use chiaro::{CompileOptions, Failure, GlslOptions, LoadedModule, ModuleOptions, Target, load_glsl};
use chiaro_diag::SourceMap;
use chiaro_glsl::source::Stage;
use chiaro_opt::Cx;

use crate::glsl::corpus::{files, read};
use crate::glsl::piglit::words::{class, first_message};

/// Vertices that each shader runs on.
const VERTICES: usize = 32;
/// Calls of the compiler, of which the fastest counts.
const CALLS: usize = 3;
/// Shaders that are named as the slowest.
const SLOWEST: usize = 5;

/// What became of the shaders of a folder.
#[derive(Debug, Default)]
pub struct Report {
    verified: usize,
    /// Compiled, and no vertex proves anything: name and why.
    unproved: Vec<(String, String)>,
    /// By the message without numbers and names.
    refused: BTreeMap<String, Vec<(String, String)>>,
    /// What no front end of ours takes.
    unread: Vec<(String, String)>,
    wrong: Vec<(String, String)>,
    times: Vec<(Duration, String)>,
}

impl Report {
    /// Whether nothing is compiled wrongly.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.wrong.is_empty()
    }
}

/// Compiles every `.vert` below a folder.
///
/// # Errors
/// A folder or file that cannot be read.
pub fn check(folder: &Path, target: &dyn Target) -> io::Result<Report> {
    let mut report = Report::default();
    let shaders = files(folder)?.into_iter().filter(|path| path.extension().is_some_and(|end| end == "vert"));
    for path in shaders {
        report.add(folder, path, target)?;
    }
    report.times.sort();
    Ok(report)
}

impl Report {
    fn add(&mut self, folder: &Path, path: PathBuf, target: &dyn Target) -> io::Result<()> {
        let name = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().into_owned();
        let loaded = match load(&name, &read(&path)?) {
            Ok(loaded) => loaded,
            Err(message) => {
                self.unread.push((name, message));
                return Ok(());
            }
        };
        let Some(entry) = loaded.module.entries.first() else { return Ok(()) };
        let options = CompileOptions { entry: Some(entry.name.clone()), ..CompileOptions::default() };
        let compile = |cx: &mut Cx<'_>| target.prove(loaded.shader(), &options, cx);
        let mut fastest = Duration::MAX;
        for _ in 0..CALLS {
            let start = Instant::now();
            let _ = compile(&mut Cx::default());
            fastest = fastest.min(start.elapsed());
        }
        self.times.push((fastest, name.clone()));
        match compile(&mut Cx { verify: true, ..Cx::default() }) {
            Ok(words) => match words.verify(VERTICES, 1) {
                Ok(_) => self.verified += 1,
                Err(why @ Failure::Untested { .. }) => self.unproved.push((name, why.to_string())),
                Err(failure) => self.wrong.push((name, failure.to_string())),
            },
            Err(errors) => {
                let message = first_message(&errors);
                self.refused.entry(class(&message)).or_default().push((name, message));
            }
        }
        Ok(())
    }
}

fn load(name: &str, text: &str) -> Result<LoadedModule, String> {
    let mut sources = SourceMap::new();
    let file = sources.add(name, text);
    let (glsl, options) = (GlslOptions::default(), ModuleOptions::default());
    let loaded = load_glsl(&[(file, Stage::Vertex)], &glsl, &options, &mut sources, &mut |_, _, _| None);
    let first = |errors: Vec<chiaro_diag::Diagnostic>| {
        errors.first().map_or_else(String::new, |error| error.message.clone())
    };
    loaded.map_err(first)?.into_iter().next().ok_or_else(|| "nothing was made".to_owned())
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, message) in &self.wrong {
            writeln!(f, "wrong\t{name}\t{message}")?;
        }
        for (name, message) in &self.unproved {
            writeln!(f, "unproved\t{name}\t{message}")?;
        }
        for (name, message) in self.refused.values().flatten() {
            writeln!(f, "refused\t{name}\t{message}")?;
        }
        for (name, message) in &self.unread {
            writeln!(f, "not read\t{name}\t{message}")?;
        }
        for (class, names) in &self.refused {
            writeln!(f, "{:6} refused: {class}", names.len())?;
        }
        let microseconds = |time: &Duration| time.as_secs_f64() * 1e6;
        if let Some((median, _)) = self.times.get(self.times.len() / 2) {
            writeln!(f, "SPIR-V read to words: median {:.0} us", microseconds(median))?;
        }
        for (time, name) in self.times.iter().rev().take(SLOWEST) {
            writeln!(f, "{:10.0} us {name}", microseconds(time))?;
        }
        let refused: usize = self.refused.values().map(Vec::len).sum();
        let (verified, unproved, wrong, unread) =
            (self.verified, self.unproved.len(), self.wrong.len(), self.unread.len());
        writeln!(
            f,
            "{verified} compiled and verified, {unproved} compiled, {wrong} wrong, {refused} refused, {unread} not read"
        )
    }
}
