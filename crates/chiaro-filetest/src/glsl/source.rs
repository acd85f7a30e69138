//! A source to compile, with everything that belongs to it.

use std::path::{Path, PathBuf};

use chiaro_diag::{Diagnostic, Severity, SourceMap};
use chiaro_glsl::compile;
use chiaro_glsl::source::{Client, Options, Profile, Stage, Version};
use chiaro_spirv::module::Module;

/// A source.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its name in reports.
    pub name: String,
    /// Its stage.
    pub stage: Stage,
    /// Its text.
    pub text: String,
    /// Taken where it has no `#version`.
    pub version: Option<Version>,
    /// Macros of the options.
    pub defines: Vec<(String, String)>,
    /// Where its includes are looked for.
    pub folder: Option<PathBuf>,
    /// Where those in angle brackets are looked for, and others behind their own folder.
    pub folders: Vec<PathBuf>,
    /// Whose rules it has to keep.
    pub client: Client,
    /// Whether all that it calls must be in it.
    pub whole: bool,
}

/// GLSL ES 1.00.
pub const ES100: Version = Version { number: 100, profile: Profile::Es };
/// Desktop GLSL 1.10.
pub const GLSL110: Version = Version { number: 110, profile: Profile::Core };

impl Source {
    /// A source without anything beside its text.
    #[must_use]
    pub fn new(name: impl Into<String>, stage: Stage, text: impl Into<String>) -> Source {
        let (name, text) = (name.into(), text.into());
        Source {
            name,
            stage,
            text,
            version: None,
            defines: Vec::new(),
            folder: None,
            folders: Vec::new(),
            client: Client::Any,
            whole: false,
        }
    }

    /// Compiles it, and gives its errors.
    #[must_use]
    pub fn errors(&self) -> Vec<Diagnostic> {
        let (_, mut found) = self.compile();
        found.retain(|found| found.severity == Severity::Error);
        found
    }

    /// Compiles it to a module in the flavour of OpenGL, if it has no error.
    #[must_use]
    pub fn compile(&self) -> (Option<Module>, Vec<Diagnostic>) {
        let (module, found, _) = self.compile_whole();
        (module, found)
    }

    /// The same with all texts that took part.
    #[must_use]
    pub fn compile_whole(&self) -> (Option<Module>, Vec<Diagnostic>, SourceMap) {
        let mut sources = SourceMap::new();
        let file = sources.add(self.name.as_str(), self.text.as_str());
        let mut include = |name: &str, quoted: bool, from: &str| self.include(name, quoted, from);
        let (module, found) = compile(file, &mut sources, &self.options(), &mut include);
        (module, found, sources)
    }

    /// Its options.
    #[must_use]
    pub fn options(&self) -> Options {
        Options {
            version: self.version,
            defines: self.defines.clone(),
            library: !self.whole,
            client: self.client,
            ..Options::new(self.stage)
        }
    }

    /// An include in quotes is looked for beside the file that asks for it first. Folders may be
    /// parted as on Windows.
    fn include(&self, name: &str, quoted: bool, from: &str) -> Option<(String, String)> {
        let name = name.replace('\\', "/");
        let folder = self.folder.as_ref()?;
        let beside = Path::new(from).parent().filter(|_| quoted).map(|place| folder.join(place));
        let all = beside.iter().chain(quoted.then_some(folder)).chain(&self.folders);
        let (path, text) = all.map(|place| place.join(&name)).find_map(|path| {
            let text = std::fs::read_to_string(&path).ok()?;
            Some((path, text))
        })?;
        Some((path.to_string_lossy().into_owned(), text))
    }
}

/// The stage by the end of a file's name; `None` for stages that the front end does not have.
#[must_use]
pub fn stage_of(name: &str) -> Option<Stage> {
    Stage::of_ending(name.rsplit('.').next()?)
}
