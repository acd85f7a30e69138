//! Shaders to machine code, and what they take of the machine.

use chiaro_diag::Diagnostic;
use chiaro_ir::{EntryPoint, Module, Stage};
pub use chiaro_ir::{Interface, Leaf};
pub use chiaro_words::module::Clip;

use crate::Code;

/// A shader module that is to be compiled.
#[derive(Clone, Copy, Debug)]
pub struct Shader<'a> {
    /// What it means. Verified.
    pub module: &'a Module,
    /// What the IR does not say of its variables.
    pub interface: &'a Interface,
}

/// How to compile.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
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
    /// Checks the result: rules, and on the simulator against the source.
    pub verify: bool,
    /// What the checks cannot prove is an error.
    pub strict: bool,
    /// Nobody reads anything but the container and remarks: texts and figures may be left out.
    pub container_only: bool,
}

/// A compiled shader.
#[derive(Clone, Debug)]
pub struct CompiledShader {
    /// The container's bytes.
    pub container: Vec<u8>,
    /// The code alone.
    pub code: Code,
    /// A header for the host program, where the target has such headers.
    pub header: Option<String>,
    /// The legal, optimised IR that the code computes, as text.
    pub ir: String,
    /// What it takes of the machine.
    pub report: Report,
    /// What is worth knowing.
    pub remarks: Vec<Diagnostic>,
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
    /// `input`, `uniform`, `constant` or `output`; `geometry` for how vertices come in, `held` for registers that hold
    /// something where most do.
    pub kind: &'static str,
    /// Its name, by the rule of [`chiaro_ir::interface`].
    pub name: String,
    /// Its place: registers, and what an output is for; that it was removed, if it has none.
    pub place: String,
}

/// What a compiled shader takes of the machine.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// The target's name.
    pub target: &'static str,
    /// The entry point.
    pub entry: String,
    /// Resources: how much is used, and how much there is.
    pub resources: Vec<Resource>,
    /// Statistics under the names that others' tools give them.
    pub counts: Vec<(&'static str, u32)>,
    /// Names of resources and statistics of which more is better.
    pub better: &'static [&'static str],
    /// Shortest and longest path in cycles; `None` if the code is not built of blocks.
    pub cycles: Option<(u64, u64)>,
    /// What the cycles rest on, as name and value.
    pub assumptions: Vec<(&'static str, u32)>,
    /// Instructions by source line, in the order of the source: file, line from 1, instructions.
    pub by_line: Vec<(String, u32, u32)>,
    /// Cycles of each of these lines, blocks weighed as the target's statistics weigh them; empty where they are not known.
    pub line_cycles: Vec<u32>,
    /// Instructions that come from no source line.
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
    /// Instructions that the operations chosen for it need at least, each done once.
    pub bound: u32,
    /// What sets that bound.
    pub limit: &'static str,
    /// Whether no schedule of these operations is shorter; other operations may be.
    pub optimal: bool,
}

impl<'a> Shader<'a> {
    /// The first entry point of a stage.
    pub fn entry(&self, stage: Stage) -> Option<&'a EntryPoint> {
        self.module.entries.iter().find(|entry| entry.stage == stage)
    }

    /// Whether there is an entry point of a stage.
    pub fn has(&self, stage: Stage) -> bool {
        self.entry(stage).is_some()
    }

    /// The first shader that has one of these stages, the stages in their order; with a message about the last of
    /// them where none has.
    ///
    /// # Errors
    /// There is no shader at all.
    pub fn with_any(shaders: &[Shader<'a>], stages: &[Stage]) -> Result<Shader<'a>, Vec<Diagnostic>> {
        let found = stages.iter().find_map(|&stage| shaders.iter().find(|shader| shader.has(stage)));
        let found = found.or(shaders.first()).copied();
        found.ok_or_else(|| vec![Diagnostic::error(None, "there is no shader")])
    }

    /// The entry point that is meant, of the first of these stages that the module has: the one named, or the only
    /// one. `about` is a note that says which stages the target has.
    ///
    /// # Errors
    /// There is none, or there are several.
    pub fn chosen(
        &self,
        stages: &[Stage],
        options: &CompileOptions,
        about: &str,
    ) -> Result<&'a EntryPoint, Vec<Diagnostic>> {
        let stage = stages.iter().find(|&&stage| self.has(stage));
        let name = match (stage, &options.entry) {
            (None, None) => return Err(vec![missing(self.module, stages).note(about)]),
            (stage, _) => only_entry(self.module, *stage.unwrap_or(&Stage::Vertex), options, about)?,
        };
        let entry = self.module.entry(&name);
        entry.ok_or_else(|| vec![Diagnostic::error(None, format!("there is no `{name}`"))])
    }

    /// The one of several shaders that has a stage; the first of all if none has it.
    ///
    /// # Errors
    /// There is no shader at all, or several have the stage.
    pub fn with_stage(shaders: &[Shader<'a>], stage: Stage) -> Result<Shader<'a>, Vec<Diagnostic>> {
        let count = shaders.iter().filter(|shader| shader.has(stage)).count();
        if count > 1 {
            let message =
                format!("there are {count} {} shaders, and a file of this target holds one", stage.name());
            return Err(vec![Diagnostic::error(None, message).help("compile them one by one")]);
        }
        let found = shaders.iter().find(|shader| shader.has(stage)).or(shaders.first());
        found.copied().ok_or_else(|| vec![Diagnostic::error(None, "there is no shader")])
    }
}

impl CompileOptions {
    /// Refuses conversions of clip coordinates, for targets whose viewport has the depth range.
    ///
    /// # Errors
    /// One is asked for.
    pub fn without_clip(&self) -> Result<(), Vec<Diagnostic>> {
        match self.clip {
            None => Ok(()),
            Some(_) => {
                let error = Diagnostic::error(None, "the depth range is part of this target's viewport");
                Err(vec![error.help("leave out `--clip` and set the scale and offset of z")])
            }
        }
    }
}

/// The entry point of a stage that is meant: the one named, or the only one. `about` is a note that
/// says which stages the target has.
///
/// # Errors
/// There is none, or there are several.
pub fn only_entry(
    module: &Module,
    stage: Stage,
    options: &CompileOptions,
    about: &str,
) -> Result<String, Vec<Diagnostic>> {
    if let Some(name) = &options.entry {
        return Ok(name.clone());
    }
    let of_stage = module.entries.iter().filter(|entry| entry.stage == stage);
    let names: Vec<&str> = of_stage.map(|entry| entry.name.as_str()).collect();
    let kind = stage.name();
    match names[..] {
        [name] => Ok(name.to_owned()),
        [] => Err(vec![missing(module, &[stage]).note(about)]),
        _ => Err(vec![
            Diagnostic::error(None, format!("there are several {kind} shaders"))
                .help(format!("choose one with `--entry`: {}", names.join(", "))),
        ]),
    }
}

/// That a module has no entry point of some stages, and what it has instead.
fn missing(module: &Module, stages: &[Stage]) -> Diagnostic {
    let mut there: Vec<&str> = module.entries.iter().map(|entry| entry.stage.name()).collect();
    there.dedup();
    let wanted: Vec<&str> = stages.iter().map(|stage| stage.name()).collect();
    let wanted = match wanted.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => wanted.concat(),
    };
    let message = format!("there is no {wanted} shader in this module");
    match there.is_empty() {
        true => Diagnostic::error(None, message),
        false => Diagnostic::error(None, message).note(format!("its stage is {}", there.join(", "))),
    }
}
