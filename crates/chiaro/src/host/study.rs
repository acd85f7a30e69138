//! All that can be looked at of one program, as data: its instructions with the places that they come from, what each
//! of them takes, blocks, pressure, timeline, report, and the passes that it went through.
//!
//! It is for surfaces that show everything beside one another and are asked again at every key: one compilation, one answer.

mod interface;

use std::path::Path;

use chiaro_diag::{SourceMap, Span};
use chiaro_isa::WORD_BYTES;
use chiaro_opt::{Changed, Cx, Event};
use serde_json::{Value as Json, json};

use super::{Answer, Call, answer, not};
use crate::anatomy::{Anatomy, Instruction};
use crate::cli::TargetName;
use crate::cmd::asm::assemble_read;
use crate::cmd::{Command, compile as compiler, report};
use crate::digits;
use crate::shell::{Failure, Shell};
use crate::terms::terms;
use crate::timeline::Timeline;
use crate::{AssembleOptions, Code, Instructions, Line, Offer, Report, Settings, compile, hazards};

/// Rounds of loops in the timeline.
const ROUNDS: u32 = 2;

/// A program that is looked at.
struct Subject {
    container: Vec<u8>,
    code: Code,
    report: Option<Report>,
    ir: Option<String>,
    passes: Vec<Json>,
    interface: Json,
    local_size: Json,
}

/// Looks at a program: the arguments are those of `compile`, and the files may also be one in a target's assembly, or a
/// container.
#[must_use]
pub fn study(call: Call) -> Answer<Json> {
    answer(call, |command, shell| {
        let Command::Compile(options) = command else { return Err(not("compile", shell)) };
        let Some(target) = options.target else {
            return Err(shell.misused("machine code needs a target", "name it with `--target`"));
        };
        let subject = subject(options, target, shell)?;
        let settings = crate::survey::known_settings(target, &options.machine.options().settings);
        told(target, &subject, &settings, shell)
    })
}

/// What the first file asks for.
fn subject(options: &compiler::Options, target: TargetName, shell: &mut Shell) -> Result<Subject, Failure> {
    let Some(first) = options.files.first() else {
        return Err(shell.misused("there is nothing to look at", "name a file"));
    };
    let bytes = shell.read(first)?;
    let settings = options.machine.options().settings;
    if options.module.language(first, &bytes).is_some() {
        return compiled(options, target, shell);
    }
    if target.has_container(&bytes) {
        return contained(target, bytes.to_vec(), &settings, &[], shell);
    }
    assembled(options, target, first, &settings, shell)
}

fn compiled(options: &compiler::Options, target: TargetName, shell: &mut Shell) -> Result<Subject, Failure> {
    let modules = options.module.load_all(&options.files, options.stage, shell)?;
    let mut passes = Vec::new();
    let mut watch = |event: &Event<'_>| {
        if event.changed == Changed::Yes {
            let size = event.module.function(event.function).inst_count();
            passes.push(json!({ "number": event.number, "name": event.pass, "instructions": size }));
        }
    };
    let mut cx = Cx { watch: Some(&mut watch), ..Cx::default() };
    let made = compile(target, &modules, &options.machine.options(), &shell.sources, &mut cx);
    let made = shell.taken(made)?;
    shell.report_all(made.remarks);
    Ok(Subject {
        container: made.container,
        code: made.code,
        report: Some(made.report),
        ir: Some(made.ir),
        passes,
        interface: interface::interface(&modules),
        local_size: interface::local_size(&modules),
    })
}

/// Assembles, with what the checker has to say of it.
fn assembled(
    options: &compiler::Options,
    target: TargetName,
    file: &Path,
    settings: &Settings,
    shell: &mut Shell,
) -> Result<Subject, Failure> {
    shell.read_text(file)?;
    let wanted =
        AssembleOptions { stage: options.stage, settings: settings.to_vec(), ..AssembleOptions::default() };
    let made = assemble_read(target, &wanted, shell)?;
    let found = hazards(target, &shell.sources, &made, settings);
    shell.report_all(found);
    contained(target, made.bytes, settings, &made.spans, shell)
}

/// Takes a container apart; `spans` are the places of its instructions, where they are known.
fn contained(
    target: TargetName,
    container: Vec<u8>,
    settings: &Settings,
    spans: &[Span],
    shell: &mut Shell,
) -> Result<Subject, Failure> {
    let mut code = target.code(&container, settings).map_err(|error| shell.fail(*error))?;
    for (line, span) in code.lines.iter_mut().zip(spans) {
        line.span = Some(*span);
    }
    let report = target.report(&container, settings).ok();
    let (interface, local_size) = (Json::Null, Json::Null);
    Ok(Subject { container, code, report, ir: None, passes: Vec::new(), interface, local_size })
}

fn told(
    target: TargetName,
    subject: &Subject,
    settings: &Settings,
    shell: &mut Shell,
) -> Result<Json, Failure> {
    let anatomy = match target.about().has(Offer::Anatomy) {
        true => target.anatomy(&subject.container, settings).map_err(|error| shell.fail(*error))?,
        false => Anatomy::default(),
    };
    let timeline = Timeline::of(&anatomy, ROUNDS);
    let code = &subject.code;
    let mut sources: Vec<String> = Vec::new();
    // Machines with one instruction set have settings for reports alone.
    let of_set: &Settings = if target.instructions(settings).is_ok() { settings } else { &[] };
    let set = shell.instructions(target, of_set)?;
    let lines: Vec<Json> = code
        .lines
        .iter()
        .map(|line| {
            let mut told = instruction(set, code, line, (&shell.sources, &mut sources));
            told["whole"] = json!(whole(set, code, line));
            told
        })
        .collect();
    let terms = terms(target, &anatomy, subject.report.as_ref(), None);
    let terms: Vec<Json> =
        terms.iter().map(|t| json!({ "name": t.name, "value": t.value, "unit": t.unit })).collect();
    Ok(json!({
        "target": target.about().name,
        "sources": sources,
        "bytes": code.bytes.len(),
        "code": lines,
        "anatomy": anatomy_of(&anatomy, code),
        "timeline": timeline_of(&timeline, &anatomy),
        "report": subject.report.as_ref().map(|report| report::json::one(None, report)),
        "terms": terms,
        "error": target.measured_error().unwrap_or("unmeasured"),
        "ir": subject.ir,
        "passes": subject.passes,
        "interface": subject.interface,
        "local_size": subject.local_size,
    }))
}

/// An instruction with its bytes, and its place as file, line, column, last line, column behind it.
fn instruction(
    set: &dyn Instructions,
    code: &Code,
    line: &Line,
    (map, sources): (&SourceMap, &mut Vec<String>),
) -> Json {
    let place = line.span.map(|span| {
        let at = map.locate(span);
        let file = sources.iter().position(|name| name == at.file).unwrap_or_else(|| {
            sources.push(at.file.to_owned());
            sources.len() - 1
        });
        json!([file, at.start.line, at.start.column, at.end.line, at.end.column])
    });
    let words = digits::groups(set, code.bytes_of(line));
    json!({ "offset": line.offset, "length": line.length, "words": words, "text": line.text, "place": place })
}

/// The words that explain an instruction: with what stands elsewhere, as the operand descriptors of PICA200, where its
/// text says it.
fn whole(set: &dyn Instructions, code: &Code, line: &Line) -> Vec<String> {
    let own = code.bytes_of(line);
    let parsed =
        set.parse(&line.text).ok().map(|(word, bytes)| word.to_bytes()[..bytes.min(WORD_BYTES)].to_vec());
    let bytes = parsed.filter(|bytes| bytes.starts_with(own)).unwrap_or_else(|| own.to_vec());
    digits::groups(set, &bytes)
}

fn anatomy_of(anatomy: &Anatomy, code: &Code) -> Json {
    let pressure = anatomy.pressure();
    let register = |r: &crate::anatomy::Register| json!([r.file, r.index, r.part]);
    let one = |(one, live): (&Instruction, &Vec<(u8, u32)>)| {
        json!({
            "line": code.lines.binary_search_by_key(&one.offset, |line| line.offset).ok(),
            "cause": one.cause.name(), "half": one.is_half, "units": one.units, "passes": one.passes,
            "reads": one.reads.iter().map(register).collect::<Vec<_>>(),
            "writes": one.writes.iter().map(register).collect::<Vec<_>>(),
            "next": one.next, "live": live,
        })
    };
    let blocks = anatomy.blocks();
    let blocks = blocks.iter().map(
        |b| json!({ "first": b.instructions.start, "last": b.instructions.end.saturating_sub(1), "next": b.next }),
    );
    let figures = anatomy
        .figures
        .iter()
        .map(|f| json!({ "name": f.name, "cycles": f.cycles, "source": f.source, "grade": f.grade.name() }));
    let files = anatomy
        .files
        .iter()
        .map(|(file, name)| json!({ "file": file, "name": name, "named": anatomy.registers_of(*file) }));
    json!({
        "instructions": anatomy.instructions.iter().zip(&pressure).map(one).collect::<Vec<_>>(),
        "blocks": blocks.collect::<Vec<_>>(),
        "files": files.collect::<Vec<_>>(),
        "waves": anatomy.waves.as_ref().map(|w| json!({ "name": w.name, "used": w.used, "allowed": w.allowed })),
        "figures": figures.collect::<Vec<_>>(),
        "omits": anatomy.omits,
        "causes": anatomy.by_cause().iter().map(|(cause, n)| json!([cause.name(), n])).collect::<Vec<_>>(),
    })
}

fn timeline_of(timeline: &Timeline, anatomy: &Anatomy) -> Json {
    let event = |event: &crate::timeline::Event| {
        let waits = event.waits.iter().map(
            |wait| json!({ "why": wait.why.name(), "cycles": wait.cycles, "what": wait.what, "on": wait.on }),
        );
        json!({
            "instruction": event.instruction, "arrives": event.arrives, "issue": event.issue, "done": event.done,
            "waits": waits.collect::<Vec<_>>(),
        })
    };
    let loops = timeline
        .loops
        .iter()
        .map(|l| json!({ "first": l.span.0, "last": l.span.1, "round": l.round, "unit": l.unit }));
    json!({
        "rounds": ROUNDS,
        "cycles": timeline.cycles,
        "whole": timeline.is_whole,
        "each": anatomy.waves.as_ref().map(|waves| timeline.with_waves(waves.used)),
        "critical": timeline.critical,
        "busy": timeline.busy,
        "waited": timeline.waited().iter().map(|(why, n)| json!([why.name(), n])).collect::<Vec<_>>(),
        "loops": loops.collect::<Vec<_>>(),
        "events": timeline.events.iter().map(event).collect::<Vec<_>>(),
    })
}
