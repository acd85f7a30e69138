//! A source to compile, with everything that belongs to it.

use std::path::PathBuf;

use chiaro_diag::{Diagnostic, Severity, SourceMap};
use chiaro_glsl::compile;
use chiaro_glsl::source::{Options, Profile, Stage, Version};
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
        Source { name, stage, text, version: None, defines: Vec::new(), folder: None }
    }

    /// Compiles it, and gives its errors.
    #[must_use]
    pub fn errors(&self) -> Vec<Diagnostic> {
        let (_, mut found) = self.compile();
        found.retain(|told| told.severity == Severity::Error);
        found
    }

    /// Compiles it to a module in the flavour of OpenGL, if it has no error.
    #[must_use]
    pub fn compile(&self) -> (Option<Module>, Vec<Diagnostic>) {
        let mut sources = SourceMap::new();
        let file = sources.add(self.name.as_str(), self.text.as_str());
        let mut include = |name: &str, _: bool, _: &str| self.include(name);
        compile(file, &mut sources, &self.options(), &mut include)
    }

    /// Its options.
    #[must_use]
    pub fn options(&self) -> Options {
        Options { stage: self.stage, version: self.version, defines: self.defines.clone(), library: true }
    }

    fn include(&self, name: &str) -> Option<(String, String)> {
        let path = self.folder.as_ref()?.join(name);
        let text = std::fs::read_to_string(path).ok()?;
        Some((name.to_owned(), text))
    }
}

/// The stage by the end of a file's name; `None` for stages that the front end does not have.
#[must_use]
pub fn stage_of(name: &str) -> Option<Stage> {
    Stage::of_ending(name.rsplit('.').next()?)
}
