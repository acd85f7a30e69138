//! What editors ask of the tool chain: documents checked and compiled as the command does it.

use std::path::Path;

use chiaro_diag::{Diagnostic, FileId, SourceMap};
use chiaro_glsl::source::Options;
use chiaro_lsp::tools::Made;
use chiaro_lsp::{Checked, Document, Language, Tools};

use crate::input::Inputs;
use crate::{
    AssembleOptions, Assembled, CompileOptions, Cx, Dialect, GlslOptions, GlslStage, LoadedModule,
    ModuleOptions, TARGETS, Target, Targets, check_sources, compile, load_glsl, load_wgsl,
};

/// The tool chain with all targets. Files that documents include are read from disk.
pub struct Editor;

impl Tools for Editor {
    fn targets(&self) -> Targets {
        TARGETS
    }

    fn check(&self, document: &Document) -> Checked {
        let (mut sources, file) = sources_of(document);
        let messages = match document.readable() {
            None => Vec::new(),
            Some(Language::Glsl(stage)) => check_glsl(file, *stage, &mut sources),
            Some(Language::Wgsl) => match load_wgsl(file, &ModuleOptions::default(), &mut sources) {
                Ok(loaded) => loaded.warnings,
                Err(errors) => errors,
            },
            Some(Language::Assembly(target, dialect)) => {
                let mut inputs = Inputs::default();
                check_sources(*target, &mut sources, &assembling(dialect), &mut |path| inputs.open(path))
            }
        };
        Checked { messages, sources, file }
    }

    fn make(&self, document: &Document, target: &'static dyn Target) -> Option<Made> {
        let (mut sources, file) = sources_of(document);
        match document.readable()? {
            Language::Assembly(own, dialect) => {
                let mut inputs = Inputs::default();
                let wanted = assembling(dialect);
                let made = own.assemble(&mut sources, &wanted, &mut |path| inputs.open(path)).ok()?;
                Some(assembled(*own, made, file))
            }
            Language::Glsl(stage) => {
                let mut inputs = Inputs::default();
                let mut include =
                    |name: &str, quoted: bool, from: &str| included(name, quoted, from, &mut inputs);
                let options = (GlslOptions::default(), ModuleOptions::default());
                let stages = [(file, *stage)];
                let loaded = load_glsl(&stages, &options.0, &options.1, &mut sources, &mut include).ok()?;
                compiled(target, loaded.into_iter().next()?, &sources, file)
            }
            Language::Wgsl => {
                let loaded = load_wgsl(file, &ModuleOptions::default(), &mut sources).ok()?;
                compiled(target, loaded, &sources, file)
            }
        }
    }
}

fn sources_of(document: &Document) -> (SourceMap, FileId) {
    let mut sources = SourceMap::new();
    let file = sources.add(document.path.as_str(), document.text());
    (sources, file)
}

/// A text without `main` is taken for what others include.
fn check_glsl(file: FileId, stage: GlslStage, sources: &mut SourceMap) -> Vec<Diagnostic> {
    let library = !sources.text(file).contains("main");
    let options = Options { library, ..Options::new(stage) };
    let mut inputs = Inputs::default();
    let mut include = |name: &str, quoted: bool, from: &str| included(name, quoted, from, &mut inputs);
    chiaro_glsl::check_only(file, sources, &options, &mut include).1
}

/// What stands beside a file, if the name is in quotes.
fn included(name: &str, quoted: bool, from: &str, inputs: &mut Inputs) -> Option<(String, String)> {
    let path = Path::new(from).parent().filter(|_| quoted)?.join(name);
    let text = inputs.open_glsl(&path)?;
    Some((path.display().to_string(), text))
}

fn assembling(dialect: &'static Dialect) -> AssembleOptions {
    AssembleOptions { dialect: Some(dialect.name), ..AssembleOptions::default() }
}

/// Code with the places in the source that the assembler knows.
fn assembled(target: &dyn Target, made: Assembled, file: FileId) -> Made {
    let mut code = target.code(&made.bytes, &[]).unwrap_or_default();
    for (line, span) in code.lines.iter_mut().zip(&made.spans) {
        line.span = Some(*span);
    }
    let report = target.report(&made.bytes, &[]).unwrap_or_default();
    Made { container: made.bytes, code, labels: made.labels, report, file }
}

/// The first entry point of a stage that the target runs.
fn compiled(target: &dyn Target, loaded: LoadedModule, sources: &SourceMap, file: FileId) -> Option<Made> {
    let stages = target.about().stages;
    let entry = loaded.module.entries.iter().find(|entry| stages.contains(&entry.stage))?.name.clone();
    let options = CompileOptions { entry: Some(entry), ..CompileOptions::default() };
    let made = compile(target, &[loaded], &options, sources, &mut Cx::default()).ok()?;
    Some(Made { container: made.container, code: made.code, report: made.report, file, ..Made::default() })
}
