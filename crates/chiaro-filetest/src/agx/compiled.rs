//! Our own code: every stage of the corpus compiles and keeps the rules, and what has results gives them on the
//! simulator.

use chiaro_agx::check::{self, Piece};
use chiaro_agx::compile::{Compiled, Options, compile};
use chiaro_agx::container::file::{Held, PUSH, Stage, What};
use chiaro_agx::machine::{Config, Group, Launch, Program};
use chiaro_ir::Module;
use chiaro_isa::finding::Severity;
use chiaro_opt::Cx;
use chiaro_sim::mapped::{Mapped, Range};

use crate::compute::{Job, read};
use crate::stages::Shader;
use crate::suite::{Miss, Row};

/// Where buffers lie.
const BUFFERS: u64 = 0x100_0000_0000;
const APART: u64 = 0x1_0000_0000;

/// Every stage of a row of the corpus.
pub(super) fn corpus(row: &Row<'_>) -> Result<(), Miss> {
    let object = row.json()?;
    let name = object["name"].as_str().unwrap_or_default();
    let mut why = Vec::new();
    for stage in ["vert", "frag", "comp"] {
        let Some(text) = object[stage].as_str() else { continue };
        let shader = Shader::of_text(format!("{name}.{stage}"), text.to_owned());
        let software = [false, true].into_iter().take(if stage == "vert" { 2 } else { 1 });
        for software in software {
            let options = Options { software, ..Options::default() };
            let made =
                shader.as_ref().map_err(String::clone).and_then(|shader| made_with(&shader.module, options));
            why.extend(made.err().map(|why| format!("{name}.{stage}: {why}")));
        }
    }
    if why.is_empty() { Ok(()) } else { Err(why.join("; ").into()) }
}

/// A compute module on the simulator: the buffers that the row expects.
pub(super) fn dispatch(row: &Row<'_>) -> Result<(), Miss> {
    let job = Job::parse(row.text)?;
    let module = read(&row.folder.join("shaders"), &job.shader)?;
    let after = made(&module).and_then(|compiled| run(&compiled, &job));
    let comparison = job.check(&after.map_err(|why| format!("{}: {why}", job.shader))?);
    if comparison.passed() { Ok(()) } else { Err(format!("{}: {comparison}", job.shader).into()) }
}

/// The code of a module's entry point, which keeps the rules.
pub(crate) fn made(module: &Module) -> Result<Compiled, String> {
    made_with(module, Options::default())
}

/// The same with options.
pub(crate) fn made_with(module: &Module, options: Options) -> Result<Compiled, String> {
    let entry = module.entries.first().map_or("", |entry| entry.name.as_str());
    let mut cx = Cx { verify: true, ..Cx::default() };
    let compiled = compile(&mut module.clone(), entry, options, &mut cx);
    let compiled =
        compiled.map_err(|errors| errors.first().map_or_else(String::new, |e| e.message.clone()))?;
    let file = &compiled.file;
    let (stage, piece) = match file.stage {
        Stage::Vertex => (check::Stage::Vertex, Piece::Last),
        Stage::SoftwareVertex => (check::Stage::Compute, Piece::Last),
        Stage::Fragment => (check::Stage::Fragment, Piece::Middle),
        _ => (check::Stage::Compute, Piece::Program),
    };
    let halves = file.parts.first().map(|part| part.halves);
    let config = check::Config { stage, piece, halves, ..check::Config::default() };
    let found = check::check(&file.code, &config);
    match found.iter().find(|finding| finding.rule.severity == Severity::Error) {
        Some(finding) => {
            let place = finding.place.as_deref().unwrap_or_default();
            Err(format!("{place}: {} [{}]", finding.message, finding.rule.id))
        }
        None => Ok(compiled),
    }
}

/// Runs the workgroups of a row; its buffers afterwards.
fn run(compiled: &Compiled, job: &Job) -> Result<Vec<Vec<u32>>, String> {
    let mut memory = Mapped::default();
    for (n, buffer) in (0..).zip(&job.buffers) {
        let bytes = buffer.words.iter().flat_map(|word| word.to_le_bytes()).collect();
        memory.map(Range { name: format!("{}", buffer.binding), base: BUFFERS + n * APART, bytes })?;
    }
    let push = Range { name: "push".to_owned(), base: BUFFERS - APART, bytes: padded(&job.push) };
    memory.map(push)?;
    let file = &compiled.file;
    let launch = Launch { size: file.size, groups: job.groups };
    let config = Config { fuel: 1 << 24, soft_fault: true, ..Config::default() };
    let program = std::sync::Arc::new(Program::new(&file.code, 0, &config));
    let mut group = Group::new(&program, &config, &launch, file.local as usize);
    for held in &file.uniforms {
        fill(&mut group, held, job);
    }
    for (first, bytes) in &file.constants {
        let halves = bytes.chunks(2).map(|two| u16::from_le_bytes([two[0], two[1]]));
        (*first..).zip(halves).for_each(|(half, value)| group.set_uniform(half, value));
    }
    group.prepare_with(&file.preamble, file.generation, &config, &mut memory)?;
    for id in launch.each() {
        group.enter(&launch, id);
        let outcome = group.run(&mut memory);
        if let Some(fault) = outcome.faults.first() {
            return Err(format!("byte {:#x}: {}", fault.offset, fault.kind));
        }
    }
    let words = |bytes: &[u8]| bytes.as_chunks::<4>().0.iter().map(|w| u32::from_le_bytes(*w)).collect();
    let after = |buffer: &crate::compute::Buffer| {
        memory.named(&buffer.binding.to_string()).map_or_else(Vec::new, |range| words(&range.bytes))
    };
    Ok(job.buffers.iter().map(after).collect())
}

fn padded(bytes: &[u8]) -> Vec<u8> {
    let mut all = bytes.to_vec();
    all.resize(all.len().next_multiple_of(16).max(16), 0);
    all
}

/// Sets what uniforms hold: addresses, numbers of workgroups.
fn fill(group: &mut Group, held: &Held, job: &Job) {
    let value = match held.what {
        What::Address => match job.buffers.iter().position(|buffer| buffer.binding == held.binding) {
            _ if held.set == PUSH => BUFFERS - APART,
            Some(n) => BUFFERS + n as u64 * APART,
            None => 0,
        },
        What::Size => job
            .buffers
            .iter()
            .find(|buffer| buffer.binding == held.binding)
            .map_or(0, |buffer| 4 * buffer.words.len() as u64),
        What::Draw => job.groups[held.member as usize / 4 % 3].into(),
        // What the preamble makes, it makes.
        _ => return,
    };
    for n in 0..held.halves {
        group.set_uniform(held.first + n, (value >> (16 * n)) as u16);
    }
}
