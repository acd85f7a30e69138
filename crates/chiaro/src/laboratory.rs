//! Programs made, run and recorded for the debugger, as the command makes and runs them.

use std::path::Path;

use chiaro_dap::{Lab, Launch, Recorded, Source};
use chiaro_diag::{Diagnostic, Printer, SourceMap};
use chiaro_lsp::tools::Made;
use chiaro_lsp::{Document, Language, Tools};
use serde_json::{Value as Json, json};

use crate::cmd::run::{inputs, outputs};
use crate::editor::Editor;
use crate::input::Inputs as Files;
use crate::{SimulateOptions, Simulated, TARGETS, Target, Work, images, simulate};

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
            ..SimulateOptions::default()
        };
        let ran = simulate(program.target, &program.made.container, &read, &options);
        let ran = ran.map_err(|errors| told(&errors))?;
        Ok(program.recorded(ran, given, &read.work))
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
        let made = Editor.make(&document, target).ok_or_else(|| {
            let checked = Editor.check(&document);
            let found = Printer::plain().print(&checked.messages, &checked.sources);
            format!("`{path}` cannot be made for {}\n{found}", target.about().name)
        })?;
        Ok(Program { target, made, document: Some(document) })
    }

    fn recorded(self, ran: Simulated, given: Json, work: &Work) -> Recorded {
        let Program { target, made, document } = self;
        let anatomy = target.anatomy(&made.container, &[]).unwrap_or_default();
        let line = |line: &crate::Line| {
            let span = line.span.filter(|span| span.file == made.file)?;
            Some(document.as_ref()?.line_of(span.start as usize) as u32 + 1)
        };
        let lines = made.code.lines.iter().map(line).collect();
        let by_wave = ran.traces.len() != ran.invocations;
        let kind = match work {
            Work::Vertices(_) if !by_wave => "vertex",
            Work::Fragments(_) if !by_wave => "fragment",
            _ => "wave",
        };
        let faults =
            ran.faults.iter().map(|fault| (fault.invocation as usize, fault.at, fault.cause.clone()));
        Recorded {
            target: target.about().name,
            source: document.map(|document| Source { path: document.path }),
            lines,
            calls: anatomy.instructions.iter().map(|one| one.calls).collect(),
            labels: made.labels.iter().map(|(name, at)| (*at, name.clone())).collect(),
            kind,
            names: made.report.variables,
            inputs: given,
            faults: faults.collect(),
            remarks: ran.remarks.iter().map(|remark| format!("{}\n", remark.message)).collect(),
            outputs: outputs::to_json(&Simulated { traces: Vec::new(), ..ran.clone() }, work.name()),
            threads: ran.traces,
            code: made.code,
        }
    }
}
