//! Many shaders at once: what is looked at, on which targets, in which variants, and what came of each.
//!
//! A shader that does not compile is a row with its message, never a lost run. Rows come in the order of the
//! programs, whatever thread made them.

pub mod baseline;
pub mod cache;
pub mod files;
pub mod plan;
pub mod project;

use std::path::{Path, PathBuf};

use chiaro::{CompileOptions, LoadedModule, Report, Settings, Stage, TARGETS, compile, stage_of};
use chiaro_diag::{Diagnostic, Severity};
use chiaro_ir::EntryPoint;
use chiaro_opt::Cx;
use rayon::prelude::*;

use crate::choices::{Choices, Variant};
use crate::cli::{TargetName, glsl_stage};
pub use crate::input::name;
use crate::input::{Bytes, Inputs};
use crate::shell::{Failure, Shell, Voice};
use crate::terms::{Term, metrics, terms, varyings};
use files::Program;

/// What is to be looked at.
pub struct Survey<'a> {
    /// Sources that belong together.
    pub programs: &'a [Program],
    /// At least one.
    pub variants: &'a [Variant],
    /// At least one.
    pub targets: &'a [TargetName],
    /// How modules are read.
    pub choices: &'a Choices,
    /// How they are compiled.
    pub options: &'a CompileOptions,
}

/// One shader in one variant for one target.
pub struct Row {
    /// The source, as it was named, with the entry point behind a colon where it has several.
    pub shader: String,
    /// The source alone.
    pub file: String,
    /// [`Variant::name`].
    pub variant: String,
    /// The target's name.
    pub target: &'static str,
    /// What came of it.
    pub outcome: Outcome,
}

/// What came of a shader.
pub enum Outcome {
    /// It compiles.
    Made(Box<Report>, Vec<Term>),
    /// It is not for this target: of a stage that it does not run, or a container of another one.
    NotHere(String),
    /// It does not compile.
    Failed(Vec<Message>),
}

/// An error as a report shows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    /// What is wrong.
    pub text: String,
    /// File, line and column, where it has a place.
    pub place: Option<(String, u32, u32)>,
    /// What to do.
    pub help: Vec<String>,
}

impl Survey<'_> {
    /// All rows, in the order of programs, variants, stages, targets; on all cores unless a number of threads
    /// is said.
    pub fn rows(&self, threads: Option<usize>) -> Vec<Row> {
        let pool = threads.and_then(|n| rayon::ThreadPoolBuilder::new().num_threads(n).build().ok());
        match pool {
            Some(pool) => pool.install(|| self.all_rows()),
            None => self.all_rows(),
        }
    }

    fn all_rows(&self) -> Vec<Row> {
        let jobs: Vec<(&Program, &Variant)> = self
            .programs
            .iter()
            .flat_map(|program| self.variants.iter().map(move |v| (program, v)))
            .collect();
        let rows: Vec<Vec<Row>> =
            jobs.into_par_iter().map(|(program, v)| self.of_program(program, v).0).collect();
        rows.into_iter().flatten().collect()
    }

    /// The rows of a program, and the files that they hang on.
    pub fn of_program(&self, program: &Program, variant: &Variant) -> (Vec<Row>, Inputs) {
        let mut shell = Shell::new(Voice::plain());
        let rows = self.rows_of(program, variant, &mut shell);
        (rows, shell.inputs)
    }

    fn rows_of(&self, program: &Program, variant: &Variant, shell: &mut Shell) -> Vec<Row> {
        let choices = self.choices.with(variant);
        let row = |shader: String, target: TargetName, outcome| Row {
            file: shader.clone(),
            shader,
            variant: variant.name.clone(),
            target: target.about().name,
            outcome,
        };
        let read: Vec<Option<Bytes>> = program.files.iter().map(|path| shell.read(path).ok()).collect();
        if let Some(outcomes) = self.of_container(&read, shell) {
            let name = name(&program.files[0]);
            return outcomes
                .into_iter()
                .map(|(program, target, outcome)| {
                    let name = program.map_or(name.clone(), |program| format!("{name}:{program}"));
                    row(name, target, outcome)
                })
                .collect();
        }
        let loaded = match read.into_iter().collect::<Option<Vec<_>>>() {
            Some(read) => choices.load_read(program.files.iter().cloned().zip(read), shell),
            None => Err(Failure::Input),
        };
        let Ok(modules) = loaded else {
            let messages = messages(shell);
            if program.files.len() > 1 {
                // What is wrong with one stage is no matter for the others.
                let alone = program.files.iter().map(|path| Program { files: vec![path.clone()] });
                return alone.flat_map(|one| self.rows_of(&one, variant, shell)).collect();
            }
            let all = program.files.iter().flat_map(|path| self.targets.iter().map(move |t| (path, *t)));
            return all.map(|(path, t)| row(name(path), t, failed(path, t, &messages))).collect();
        };
        let mut rows = Vec::new();
        for unit in units(program, modules, self.options.entry.as_deref()) {
            let of = |target: &TargetName| Row {
                file: unit.file.clone(),
                ..row(unit.shader.clone(), *target, self.outcome(&unit.loaded, *target, shell))
            };
            rows.extend(self.targets.iter().map(of));
        }
        rows
    }

    /// Of a program that is compiled already: for the targets whose container it is, and for others what it is.
    /// Each with the name of the program, where there are several.
    fn of_container(&self, read: &[Option<Bytes>], shell: &mut Shell) -> Option<Vec<OfContainer>> {
        let [Some(bytes)] = read else { return None };
        let owner = TARGETS.iter().find(|target| target.has_container(bytes))?;
        let mut all = Vec::new();
        for target in self.targets.iter().copied() {
            if !target.has_container(bytes) {
                let why = format!("a container of {}", owner.about().name);
                all.push((None, target, Outcome::NotHere(why)));
                continue;
            }
            let given = self.options_for(target).settings;
            for (name, settings) in programs_of(target, bytes, &given) {
                all.push((name, target, reported(target, bytes, &settings, shell)));
            }
        }
        Some(all)
    }

    /// Of several targets each gets the settings that it has; those that none has are told by all.
    pub fn options_for(&self, target: TargetName) -> CompileOptions {
        let settings = fitting(&self.options.settings, target, self.targets);
        CompileOptions { settings, ..self.options.clone() }
    }

    fn outcome(&self, loaded: &LoadedModule, target: TargetName, shell: &mut Shell) -> Outcome {
        let stage = loaded.module.entries.first().map(|entry| entry.stage);
        if let Some(stage) = stage.filter(|stage| !target.about().stages.contains(stage)) {
            return Outcome::NotHere(no_stage(stage));
        }
        let modules = std::slice::from_ref(loaded);
        match compile(target, modules, &self.options_for(target), &shell.sources, &mut Cx::default()) {
            Ok(made) => {
                let settings = known_settings(target, &self.options.settings);
                let anatomy = target.anatomy(&made.container, &settings).unwrap_or_default();
                let counted = terms(target, &anatomy, Some(&made.report), varyings(modules));
                Outcome::Made(Box::new(made.report), counted)
            }
            Err(errors) => {
                shell.report_all(errors);
                Outcome::Failed(messages(shell))
            }
        }
    }
}

/// A module as a row has it: with one entry point.
pub struct Unit {
    /// The name of the row: the source, with the entry point behind a colon where it has several.
    pub shader: String,
    /// The source alone.
    pub file: String,
    /// What was read.
    pub loaded: LoadedModule,
}

/// The modules of a program once for each entry point that is wanted, with that alone: targets take the first that they
/// have a stage for. One without any, or without the one that is wanted, stays as it is, for targets to say so.
pub fn units(program: &Program, modules: Vec<LoadedModule>, entry: Option<&str>) -> Vec<Unit> {
    let wanted = |known: &EntryPoint| entry.is_none_or(|name| *name == known.name);
    let of_module = |loaded: LoadedModule| {
        let file = program.name_of(&loaded);
        let entries = loaded.module.entries.clone();
        if entries.len() < 2 || !entries.iter().any(wanted) {
            return vec![Unit { shader: file.clone(), file, loaded }];
        }
        let alone = |entry: EntryPoint| {
            let mut loaded = loaded.clone();
            let shader = format!("{file}:{}", entry.name);
            loaded.module.entries = vec![entry];
            Unit { shader, file: file.clone(), loaded }
        };
        entries.into_iter().filter(wanted).map(alone).collect()
    };
    modules.into_iter().flat_map(of_module).collect()
}

impl Program {
    /// The file of a module: of the stages of a program each has its own.
    fn name_of(&self, module: &LoadedModule) -> String {
        let stage = module.module.entries.first().and_then(|entry| glsl_stage(entry.stage));
        let is_its = |path: &&PathBuf| stage.is_some() && stage_of(&path.to_string_lossy()) == stage;
        let file = self.files.iter().find(is_its).or(self.files.first());
        file.map(|path| name(path)).unwrap_or_default()
    }
}

/// A source that cannot be read: of a stage that the target does not run that is no matter.
fn failed(path: &Path, target: TargetName, messages: &[Message]) -> Outcome {
    match absent_stage(path, target) {
        Some(stage) => Outcome::NotHere(no_stage(stage)),
        None => Outcome::Failed(messages.to_vec()),
    }
}

/// The stage of a source by its name, if the target does not run it.
pub fn absent_stage(path: &Path, target: TargetName) -> Option<Stage> {
    let found = stage_of(&path.to_string_lossy())?;
    let stage = Stage::ALL.into_iter().find(|&stage| glsl_stage(stage) == Some(found));
    stage.filter(|stage| !target.about().stages.contains(stage))
}

fn no_stage(stage: Stage) -> String {
    format!("the stage {}", stage.name())
}

/// The programs of a container, each with its name and the settings that choose it; a container of one program, or
/// of which the settings name one already, is that without a name.
pub fn programs_of(target: TargetName, bytes: &[u8], given: &Settings) -> Vec<OfProgram> {
    let mut programs = target.programs(bytes);
    programs.retain(|(key, _)| !given.iter().any(|(known, _)| known == key));
    if programs.is_empty() {
        return vec![(None, given.to_vec())];
    }
    let chosen = |program: (String, String)| {
        let name = program.1.clone();
        (Some(name), given.iter().cloned().chain([program]).collect())
    };
    programs.into_iter().map(chosen).collect()
}

/// A program of a container by its name, where there are several, and the settings that choose it.
type OfProgram = (Option<String>, Vec<(String, String)>);

/// A program of a container by its name, where there are several, and its outcome for a target.
type OfContainer = (Option<String>, TargetName, Outcome);

/// The report of a container's program.
fn reported(target: TargetName, bytes: &[u8], settings: &Settings, shell: &mut Shell) -> Outcome {
    match target.report(bytes, settings) {
        Ok(report) => {
            let anatomy = target.anatomy(bytes, settings).unwrap_or_default();
            let counted = terms(target, &anatomy, Some(&report), None);
            Outcome::Made(Box::new(report), counted)
        }
        Err(error) => Outcome::Failed(vec![message(&error, shell)]),
    }
}

/// Of settings those that a target's containers are read with: what only its compiler looks at is left out.
pub fn known_settings(target: TargetName, settings: &Settings) -> Vec<(String, String)> {
    let is_known = |key: &str| target.about().settings.iter().any(|setting| setting.name == key);
    settings.iter().filter(|(key, _)| is_known(key)).cloned().collect()
}

/// Of settings for several targets those that one has; those that none has are told by all.
pub fn fitting(settings: &Settings, target: TargetName, all: &[TargetName]) -> Vec<(String, String)> {
    let is_its = |key: &str| has_setting(target, key) || !all.iter().any(|other| has_setting(*other, key));
    settings.iter().filter(|(key, _)| is_its(key)).cloned().collect()
}

fn has_setting(target: TargetName, key: &str) -> bool {
    target.about().settings.iter().any(|setting| setting.name == key)
        || target.assumptions().iter().any(|open| open.name == key)
}

/// The errors that a shell has gathered.
pub fn messages(shell: &mut Shell) -> Vec<Message> {
    let found = shell.take_messages();
    let errors = found.iter().filter(|message| message.severity == Severity::Error);
    errors.map(|error| message(error, shell)).collect()
}

fn message(error: &Diagnostic, shell: &Shell) -> Message {
    let place = error.span.map(|span| {
        let at = shell.sources.locate(span);
        (at.file.to_owned(), at.start.line, at.start.column)
    });
    Message { text: error.message.clone(), place, help: error.help.clone() }
}

impl Row {
    /// Metrics of which more is better.
    pub fn better(&self) -> &'static [&'static str] {
        match &self.outcome {
            Outcome::Made(report, _) => report.better,
            _ => &[],
        }
    }

    /// Everything that is counted, by name; nothing of what did not compile.
    pub fn metrics(&self) -> Vec<(String, u64)> {
        match &self.outcome {
            Outcome::Made(report, _) => metrics(report),
            _ => Vec::new(),
        }
    }
}
