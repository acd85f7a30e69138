//! What editors ask of the tool chain: documents checked and compiled as the command does it.

use std::path::Path;

use chiaro_diag::{Diagnostic, FileId, Printer, SourceMap};
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
        made(document, target).ok()
    }
}

/// Compiles a shader, or assembles a text of the target.
///
/// # Errors
/// What there is to say about it, for people.
pub(crate) fn made(document: &Document, target: &'static dyn Target) -> Result<Made, String> {
    let told = |errors: &[Diagnostic], sources: &SourceMap| Printer::plain().print(errors, sources);
    if let Some(Language::Assembly(own, dialect)) = document.readable() {
        let (mut sources, file) = sources_of(document);
        let mut inputs = Inputs::default();
        let wanted = assembling(dialect);
        let made = own.assemble(&mut sources, &wanted, &mut |path| inputs.open(path));
        return made.map(|made| assembled(*own, made, file)).map_err(|errors| told(&errors, &sources));
    }
    let Some(Loaded { module, sources, file }) = loaded(document) else {
        let Checked { messages, sources, .. } = Editor.check(document);
        return Err(told(&messages, &sources));
    };
    let none = || format!("it has no entry point of a stage that {} runs", target.about().name);
    let options = CompileOptions {
        entry: Some(entry_of(target, &module).ok_or_else(none)?),
        ..CompileOptions::default()
    };
    let made = compile(target, &[module], &options, &sources, &mut Cx::default());
    let made = made.map_err(|errors| told(&errors, &sources))?;
    Ok(Made { container: made.container, code: made.code, report: made.report, file, ..Made::default() })
}

/// A shader as its front end reads it.
pub(crate) struct Loaded {
    pub(crate) module: LoadedModule,
    pub(crate) sources: SourceMap,
    pub(crate) file: FileId,
}

/// Reads a shader; `None` for what is none, or wrong.
pub(crate) fn loaded(document: &Document) -> Option<Loaded> {
    let (mut sources, file) = sources_of(document);
    let options = ModuleOptions::default();
    let module = match document.readable()? {
        Language::Assembly(..) => return None,
        Language::Wgsl => load_wgsl(file, &options, &mut sources).ok()?,
        Language::Glsl(stage) => {
            let mut inputs = Inputs::default();
            let mut include =
                |name: &str, quoted: bool, from: &str| included(name, quoted, from, &mut inputs);
            let stages = [(file, *stage)];
            let all = load_glsl(&stages, &GlslOptions::default(), &options, &mut sources, &mut include);
            all.ok()?.into_iter().next()?
        }
    };
    Some(Loaded { module, sources, file })
}

fn sources_of(document: &Document) -> (SourceMap, FileId) {
    let mut sources = SourceMap::new();
    let file = sources.add(document.path.as_str(), document.text());
    (sources, file)
}

/// A text without `main` is taken for what others include, and kernels may call functions that other parts have.
fn check_glsl(file: FileId, stage: GlslStage, sources: &mut SourceMap) -> Vec<Diagnostic> {
    let library = !sources.text(file).contains("main");
    let options = Options { library, imports: stage == GlslStage::Compute, ..Options::new(stage) };
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
pub(crate) fn entry_of(target: &dyn Target, module: &LoadedModule) -> Option<String> {
    let stages = target.about().stages;
    Some(module.module.entries.iter().find(|entry| stages.contains(&entry.stage))?.name.clone())
}
