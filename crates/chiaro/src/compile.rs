//! Shader modules to machine code.

mod pica200;
mod utgard;

use chiaro_diag::{Diagnostic, SourceMap, Span};
use chiaro_opt::Cx;

use crate::{LoadedModule, Target};
pub use pica200::interface as pica200_interface;

/// How to compile.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct CompileOptions {
    /// The entry point, where there are several.
    pub entry: Option<String>,
    /// Choices of the target and named assumptions, as key and value.
    pub settings: Vec<(String, String)>,
    /// What the source's clip coordinates mean, to be converted to the target's; they pass through
    /// without it.
    pub clip: Option<Clip>,
    /// How hard to search for a shorter program, 0 to 3, where the target can; its default without it.
    pub effort: Option<u32>,
    /// Checks the result: rules, and bit for bit on the simulator against the source.
    pub verify: bool,
}

/// What the source's clip coordinates mean.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Clip {
    /// OpenGL's: z from -w to w.
    Gl,
    /// Vulkan's and WebGPU's: z from 0 to w.
    Vulkan,
}

/// A compiled shader.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CompiledShader {
    /// The container's bytes.
    pub container: Vec<u8>,
    /// The code alone, in the machine's words.
    pub words: Vec<u32>,
    /// One line for each word.
    pub lines: Vec<Line>,
    /// A header for the host program, where the target has such headers.
    pub header: Option<String>,
    /// The legal, optimised IR that the words compute, as text.
    pub ir: String,
    /// What it takes of the machine.
    pub report: Report,
    /// What is worth knowing.
    pub remarks: Vec<Diagnostic>,
}

/// A word of code as people read it.
#[derive(Clone, Debug)]
pub struct Line {
    /// The instruction's words of 32 bits, the lowest first.
    pub words: Vec<u32>,
    /// Its text.
    pub text: String,
    /// The source text that it comes from.
    pub span: Option<Span>,
}

/// A resource of the machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Resource {
    /// Its name.
    pub name: &'static str,
    /// How much is used.
    pub used: u32,
    /// How much there is.
    pub allowed: u32,
}

/// A variable that the host program sees.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bound {
    /// `input`, `uniform`, `constant` or `output`; `geometry` for how vertices come in.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// Its place: registers, and what an output is for.
    pub place: String,
}

/// What a compiled shader takes of the machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// The target's name.
    pub target: &'static str,
    /// The entry point.
    pub entry: String,
    /// Resources: how much is used, and how much there is.
    pub resources: Vec<Resource>,
    /// Shortest and longest path in cycles; `None` if the code is not built of blocks.
    pub cycles: Option<(u64, u64)>,
    /// What the cycles rest on, as name and value.
    pub assumptions: Vec<(&'static str, u32)>,
    /// Words by source line, in the order of the source: file, line from 1, words.
    pub by_line: Vec<(String, u32, u32)>,
    /// Words that no source line tells of.
    pub elsewhere: u32,
    /// Units and ports: how often they work, and how often they could. Empty for machines whose
    /// instructions use one.
    pub ports: Vec<Resource>,
    /// Blocks in the order of the program, where the compiler knows how short they could be.
    pub blocks: Vec<BlockReport>,
    /// Variables and their places.
    pub variables: Vec<Bound>,
}

/// A block of straight code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockReport {
    /// Instructions.
    pub length: u32,
    /// Instructions that it needs at least.
    pub bound: u32,
    /// What sets that bound.
    pub limit: &'static str,
    /// Whether no schedule is shorter.
    pub optimal: bool,
}

/// Compiles an entry point of a module for a target. The driver `cx` times, watches and stops
/// passes.
///
/// # Errors
/// What the machine cannot do or hold, with its place in the source.
pub fn compile(
    target: Target,
    module: &LoadedModule,
    options: &CompileOptions,
    sources: &SourceMap,
    cx: &mut Cx<'_>,
) -> Result<CompiledShader, Vec<Diagnostic>> {
    match target {
        Target::Pica200 => pica200::compile(module, options, sources, cx),
        Target::UtgardGp => utgard::compile(module, options, sources, cx),
    }
}

/// The entry point that is meant: the one named, or the only vertex shader.
fn only_vertex_shader(
    loaded: &LoadedModule,
    options: &CompileOptions,
    about: &str,
) -> Result<String, Vec<Diagnostic>> {
    if let Some(name) = &options.entry {
        return Ok(name.clone());
    }
    let vertex = |e: &&chiaro_ir::EntryPoint| e.stage == chiaro_ir::Stage::Vertex;
    let names: Vec<&str> = loaded.module.entries.iter().filter(vertex).map(|e| e.name.as_str()).collect();
    match names[..] {
        [name] => Ok(name.to_owned()),
        [] => Err(vec![Diagnostic::error(None, "there is no vertex shader in this module").note(about)]),
        _ => Err(vec![
            Diagnostic::error(None, "there are several vertex shaders")
                .help(format!("choose one with `--entry`: {}", names.join(", "))),
        ]),
    }
}

/// Compiles what a target has stages for of a program: for PICA200 the vertex shader, and a geometry
/// shader into the same file.
///
/// # Errors
/// As [`compile`].
pub fn compile_stages(
    target: Target,
    modules: &[LoadedModule],
    options: &CompileOptions,
    sources: &SourceMap,
    cx: &mut Cx<'_>,
) -> Result<CompiledShader, Vec<Diagnostic>> {
    match target {
        Target::Pica200 => pica200::compile_stages(modules, options, sources, cx),
        _ => {
            let is_vertex = |e: &chiaro_ir::EntryPoint| e.stage == chiaro_ir::Stage::Vertex;
            let found = modules.iter().find(|loaded| loaded.module.entries.iter().any(is_vertex));
            let loaded = found.or(modules.first());
            let none = || vec![Diagnostic::error(None, "there is no shader")];
            compile(target, loaded.ok_or_else(none)?, options, sources, cx)
        }
    }
}

/// Words by source line, and words without one.
fn by_line(lines: &[Line], sources: &SourceMap) -> (Vec<(String, u32, u32)>, u32) {
    let mut counted: Vec<(String, u32, u32)> = Vec::new();
    let mut elsewhere = 0;
    for line in lines {
        let Some(span) = line.span else {
            elsewhere += 1;
            continue;
        };
        let place = sources.locate(span);
        let known = counted.iter_mut().find(|(file, n, _)| *n == place.start.line && file == place.file);
        match known {
            Some((_, _, words)) => *words += 1,
            None => counted.push((place.file.to_owned(), place.start.line, 1)),
        }
    }
    counted.sort();
    (counted, elsewhere)
}
