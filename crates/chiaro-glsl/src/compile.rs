//! The whole road, for one source or for the stages of a program.

use chiaro_diag::{Diagnostic, FileId, Severity, SourceMap};
use chiaro_words::Module;

use crate::check::check;
use crate::emit::emit;
use crate::extension::language;
use crate::link::{Unit, link};
use crate::parse::parse;
use crate::preprocess::preprocess;
use crate::source::{Include, Options, Version};
use crate::symbol::Symbols;

/// Compiles a source of the map to words in the flavour of OpenGL.
///
/// `include` is asked for what the source includes. The diagnostics are errors, all that can
/// be found in one run, and warnings; there is a module if there is no error.
pub fn compile(
    file: FileId,
    sources: &mut SourceMap,
    options: &Options,
    include: &mut Include<'_>,
) -> (Option<Module>, Vec<Diagnostic>) {
    let (unit, mut found) = check_only(file, sources, options, include);
    let module = unit.and_then(|unit| words(&unit, &mut found));
    (module, found)
}

/// Checks a source without making words: what an editor asks for.
pub fn check_only(
    file: FileId,
    sources: &mut SourceMap,
    options: &Options,
    include: &mut Include<'_>,
) -> (Option<Unit>, Vec<Diagnostic>) {
    let (mut symbols, mut found) = (Symbols::default(), Vec::new());
    let pre = preprocess(file, sources, options, include, &mut symbols, &mut found);
    let ast = parse(&pre, &symbols, &mut found);
    let program = check(&ast, &pre, options, &mut symbols, &mut found);
    if pre.head.version.is_none() && options.version.is_none() {
        note_version(pre.version, &mut found);
    }
    (program.map(|program| Unit { program, tokens: pre.tokens, symbols }), found)
}

/// Says which version a source without `#version` was read as, where another may be meant.
fn note_version(version: Version, found: &mut [Diagnostic]) {
    let needs = |d: &&mut Diagnostic| d.help.iter().any(|help| help.contains("`#version "));
    if let Some(first) = found.iter_mut().filter(|d| d.severity == Severity::Error).find(needs) {
        first.notes.push(format!("without `#version` a source is {}", language(version)));
    }
}

/// Compiles the stages of one program and links them: a source with its options for each.
///
/// With `strip`, varyings that the next stage does not read are removed. The modules come in
/// the order of the pipeline; there are none if there is any error.
pub fn compile_program(
    stages: &[(FileId, Options)],
    strip: bool,
    sources: &mut SourceMap,
    include: &mut Include<'_>,
) -> (Vec<Module>, Vec<Diagnostic>) {
    let (mut units, mut found) = (Vec::new(), Vec::new());
    for (file, options) in stages {
        let (unit, more) = check_only(*file, sources, options, include);
        units.extend(unit);
        found.extend(more);
    }
    if units.len() < stages.len() {
        return (Vec::new(), found);
    }
    if units.len() > 1 {
        found.extend(link(&mut units, strip));
    }
    if found.iter().any(|d| d.severity == Severity::Error) {
        return (Vec::new(), found);
    }
    let modules: Vec<Module> = units.iter().filter_map(|unit| words(unit, &mut found)).collect();
    if modules.len() < units.len() { (Vec::new(), found) } else { (modules, found) }
}

/// The words of a checked source.
fn words(unit: &Unit, found: &mut Vec<Diagnostic>) -> Option<Module> {
    emit(&unit.program, &unit.tokens, &unit.symbols).map_err(|error| found.push(*error)).ok()
}
