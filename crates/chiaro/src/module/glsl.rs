//! GLSL to the IR: one source, or the stages of a program.

use chiaro_diag::{Budget, Diagnostic, FileId, Severity, SourceMap};
use chiaro_glsl::compile_program;
use chiaro_glsl::source::{Include, Options, Stage};

use super::{Hub, LoadedModule, ModuleOptions, Parts, lower};

/// Choices for GLSL.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GlslOptions {
    /// Macros that are defined before each source, with their values.
    pub defines: Vec<(String, String)>,
    /// Removes varyings that the next stage does not read.
    pub strip: bool,
}

/// Reads GLSL sources of the map: the stages of one program, linked if there are several.
/// The modules come in the order of the pipeline.
///
/// # Errors
/// What is wrong with the sources, all that can be found in one run.
pub fn load_glsl(
    stages: &[(FileId, Stage)],
    choices: &GlslOptions,
    options: &ModuleOptions,
    sources: &mut SourceMap,
    include: &mut Include<'_>,
) -> Result<Vec<LoadedModule>, Vec<Diagnostic>> {
    let budget = Budget::default();
    let (modules, found) = hubs(stages, (choices, options.parts), sources, include, &budget)?;
    let wanted = super::read_options(options);
    let mut loaded = Vec::with_capacity(modules.len());
    for module in modules {
        loaded.push(lower(module, &wanted, sources, budget.fork())?);
    }
    // A constant is known if any stage has it.
    let specs = || loaded.iter().flat_map(|loaded: &LoadedModule| &loaded.module.specs);
    let unknown = super::unknown(options, specs);
    if let Some(first) = loaded.first_mut() {
        first.warnings.splice(0..0, found.into_iter().chain(unknown));
    }
    Ok(loaded)
}

/// The words of GLSL sources, which are not read any further: the stages of one program, with what
/// was passed over. The modules come in the order of the pipeline.
///
/// # Errors
/// What is wrong with the sources, all that can be found in one run.
pub fn glsl_words(
    stages: &[(FileId, Stage)],
    choices: &GlslOptions,
    sources: &mut SourceMap,
    include: &mut Include<'_>,
) -> Result<(Vec<Hub>, Vec<Diagnostic>), Vec<Diagnostic>> {
    hubs(stages, (choices, Parts::Whole), sources, include, &Budget::default())
}

fn hubs(
    stages: &[(FileId, Stage)],
    (choices, parts): (&GlslOptions, Parts),
    sources: &mut SourceMap,
    include: &mut Include<'_>,
    budget: &Budget,
) -> Result<(Vec<Hub>, Vec<Diagnostic>), Vec<Diagnostic>> {
    let (library, imports) = (parts == Parts::Library, parts != Parts::Whole);
    let of_stage = |stage| Options { budget: budget.clone(), library, imports, ..of_stage(stage, choices) };
    let stages: Vec<(FileId, Options)> =
        stages.iter().map(|&(file, stage)| (file, of_stage(stage))).collect();
    let (modules, found) = compile_program(&stages, choices.strip, sources, include);
    if modules.is_empty() { Err(found) } else { Ok((modules, found)) }
}

/// Checks GLSL sources without making anything of them; what is found, errors among it.
pub fn check_glsl(
    stages: &[(FileId, Stage)],
    choices: &GlslOptions,
    sources: &mut SourceMap,
    include: &mut Include<'_>,
) -> Vec<Diagnostic> {
    let (mut units, mut found) = (Vec::new(), Vec::new());
    for &(file, stage) in stages {
        let (unit, more) = chiaro_glsl::check_only(file, sources, &of_stage(stage, choices), include);
        units.extend(unit);
        found.extend(more);
    }
    if units.len() > 1 && found.iter().all(|d| d.severity != Severity::Error) {
        found.extend(chiaro_glsl::link::link(&mut units, choices.strip));
    }
    found
}

fn of_stage(stage: Stage, choices: &GlslOptions) -> Options {
    Options { defines: choices.defines.clone(), ..Options::new(stage) }
}

/// The stage of a source by the ending of its name: `.vert`, `.frag`, `.comp`, `.geom`, or
/// one of ray tracing (`.rgen` ...), with or without `.glsl` behind it.
#[must_use]
pub fn stage_of(name: &str) -> Option<Stage> {
    let name = name.strip_suffix(".glsl").unwrap_or(name);
    let (_, ending) = name.rsplit_once('.')?;
    Stage::of_ending(ending)
}
