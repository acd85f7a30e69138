//! Programs made, run and recorded for the debugger, as the command makes and runs them.

mod compute;
mod locals;
mod source;

use std::collections::HashMap;
use std::path::Path;

use chiaro_dap::{Lab, Launch, Recorded, Source};
use chiaro_diag::{Diagnostic, Printer, SourceMap};
use chiaro_lsp::tools::Made;
use chiaro_lsp::{Document, Language};
use serde_json::{Value as Json, json};
use source::{Told, told_by};

use crate::cmd::run::{inputs, outputs};
use crate::editor::made;
use crate::input::Inputs as Files;
use crate::{Inputs, SimulateOptions, Simulated, TARGETS, Target, Work, images, simulate};

/// The tool chain with all targets. Programs and inputs are read from disk.
pub struct Laboratory;

impl Lab for Laboratory {
    fn record(&self, launch: &Launch) -> Result<Recorded, String> {
        let mut files = Files::default();
        let bytes = files.read(Path::new(&launch.program)).map_err(|error| told(&[*error]))?.into_vec();
        let wanted = named_target(launch)?;
        let program = match TARGETS.of_container(&bytes).filter(|_| wanted.is_none()) {
            Some(target) => Program::of_container(target, bytes),
            None => Program::of_source(launch, bytes, wanted)?,
        };
        let given = given(launch, &mut files)?;
        let read = inputs::from_json(&given, &mut images::opener(Path::new(&launch.program), &mut files))?;
        let options = SimulateOptions {
            mode: launch.mode.clone(),
            assumptions: launch.settings.clone(),
            entry: launch
                .entry
                .clone()
                .filter(|_| program.made.labels.contains_key(launch.entry.as_deref().unwrap_or(""))),
            labels: program.made.labels.clone(),
            trace: true,
            changes: launch.changes.clone(),
            ..SimulateOptions::default()
        };
        let ran = simulate(program.target, &program.made.container, &read, &options);
        let ran = ran.map_err(|errors| told(&errors))?;
        Ok(program.recorded(ran, given, &read))
    }
}

fn named_target(launch: &Launch) -> Result<Option<&'static dyn Target>, String> {
    let Some(name) = &launch.target else { return Ok(None) };
    let known = || format!("there is no target `{name}`; there are {}", TARGETS.names().join(", "));
    TARGETS.named(name).ok_or_else(known).map(Some)
}

/// Messages for people, without the places: editors show those themselves.
fn told(messages: &[Diagnostic]) -> String {
    Printer::plain().print(messages, &SourceMap::new()).trim_end().to_owned()
}

/// The inputs as JSON: those of the launch, or of the file that it names.
fn given(launch: &Launch, files: &mut Files) -> Result<Json, String> {
    if let Some(inputs) = &launch.inputs {
        return Ok(inputs.clone());
    }
    let Some(path) = &launch.inputs_file else { return Ok(json!({})) };
    let text = files.open(path)?;
    serde_json::from_str(&text).map_err(|error| format!("`{path}` is not JSON: {error}"))
}

/// A program that can be run.
struct Program {
    target: &'static dyn Target,
    made: Made,
    document: Option<Document>,
}

impl Program {
    fn of_container(target: &'static dyn Target, container: Vec<u8>) -> Program {
        let code = target.code(&container, &[]).unwrap_or_default();
        Program { target, made: Made { container, code, ..Made::default() }, document: None }
    }

    fn of_source(
        launch: &Launch,
        bytes: Vec<u8>,
        wanted: Option<&'static dyn Target>,
    ) -> Result<Program, String> {
        let path = &launch.program;
        let text = String::from_utf8(bytes)
            .map_err(|_| format!("`{path}` is no text, and no container that is known"))?;
        let id = wanted.map_or("", |target| target.about().name);
        // A shader's language goes by its name, whatever it is compiled for.
        let by_name = Language::of(TARGETS, "", path, &text);
        let language = match by_name {
            Some(Language::Glsl(_) | Language::Wgsl) => by_name,
            _ => Language::of(TARGETS, id, path, &text),
        };
        let document = Document::new(path.as_str(), language, text);
        let target = match (language, wanted) {
            (Some(Language::Assembly(own, _)), _) => own,
            (Some(_), Some(target)) => target,
            (Some(_), None) => return Err("say for which `target` the shader is compiled".to_owned()),
            (None, _) => return Err(format!("the name of `{path}` does not say its language")),
        };
        let made = made(&document, target)
            .map_err(|why| format!("`{path}` cannot be made for {}\n{why}", target.about().name))?;
        Ok(Program { target, made, document: Some(document) })
    }

    fn recorded(self, ran: Simulated, given: Json, inputs: &Inputs) -> Recorded {
        let work = &inputs.work;
        let Program { target, made, document } = self;
        let anatomy = target.anatomy(&made.container, &[]).unwrap_or_default();
        let line = |line: &crate::Line| {
            let span = line.span.filter(|span| span.file == made.file)?;
            Some(document.as_ref()?.line_of(span.start as usize) as u32 + 1)
        };
        let lines = made.code.lines.iter().map(line).collect();
        let lanes = lanes_of(&ran);
        let kind = match work {
            Work::Vertices(_) if lanes == 1 => "vertex",
            Work::Fragments(_) if lanes == 1 => "fragment",
            _ => "wave",
        };
        let Told { shapes, locals, assigned } =
            document.as_ref().map(|document| told_by(document, target, inputs)).unwrap_or_default();
        let faults =
            ran.faults.iter().map(|fault| (wave_of(&ran, fault, lanes), fault.at, fault.cause.clone()));
        Recorded {
            target: target.about().name,
            is_compiled: document.as_ref().is_some_and(Document::is_shader),
            compute: match document.as_ref().and_then(|document| document.language) {
                Some(Language::Glsl(_)) => Some(compute::glsl),
                Some(Language::Wgsl) => Some(compute::wgsl),
                _ => None,
            },
            source: document.map(|document| Source { path: document.path }),
            lines,
            lanes,
            parts: parts_of(target, &ran),
            locals,
            assigned,
            calls: anatomy.instructions.iter().map(|one| one.calls).collect(),
            labels: made.labels.iter().map(|(name, at)| (*at, name.clone())).collect(),
            kind,
            names: made.report.variables,
            shapes,
            inputs: given,
            traced: ran.traced.clone(),
            constants: ran.constants.clone(),
            faults: faults.collect(),
            remarks: ran.remarks.iter().map(|remark| format!("{}\n", remark.message)).collect(),
            outputs: outputs::to_json(&Simulated { traces: Vec::new(), ..ran.clone() }, work.name()),
            waves: ran.traces,
            code: made.code,
        }
    }
}

/// Lanes that go together: as many as the registers of a step have values, if masks say that some do.
fn lanes_of(ran: &Simulated) -> usize {
    let steps = || ran.traces.iter().flatten().filter(|step| step.lanes != 0);
    let widths = steps().flat_map(|step| step.reads.iter().chain(&step.write).chain(&step.also));
    widths.map(|(_, values)| values.len()).max().unwrap_or(1).max(1)
}

/// The wave whose lane a fault is of: the last one that begins with it or before.
fn wave_of(ran: &Simulated, fault: &crate::Fault, lanes: usize) -> usize {
    let begins = |one: &&(usize, &crate::Traced)| one.1.first <= fault.invocation;
    let last = ran.traced.iter().enumerate().filter(|one| begins(&one)).max_by_key(|(_, one)| one.first);
    last.map_or(fault.invocation as usize / lanes, |(wave, _)| wave)
}

/// The registers of a run that share bits with others.
fn parts_of(target: &dyn Target, ran: &Simulated) -> HashMap<String, Vec<(String, u32)>> {
    let steps = ran.traces.iter().flatten();
    let names =
        steps.flat_map(|step| step.set.iter().chain(&step.reads).chain(&step.write).chain(&step.also));
    let mut all = HashMap::new();
    for name in names.map(|(name, _)| name).chain(ran.constants.iter().map(|(name, _)| name)) {
        if !all.contains_key(name) {
            all.insert(name.clone(), target.parts_of(name));
        }
    }
    all.retain(|_, parts| !parts.is_empty());
    all
}
