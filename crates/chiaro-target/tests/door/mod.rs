//! What a target answers through the door, held to what it answered before. `tests/door.rs` of each target puts its
//! instructions and its programs through this; the answers are tables beside it. What is long stands there as a number
//! (`chiaro_cases::digest`): whoever changes it on purpose looks at the answer itself with the command, and blesses.

#![allow(dead_code, reason = "each target uses its part")]

pub(crate) mod drawn;
pub(crate) mod source;

use std::fmt::{Debug, Write};
use std::path::{Path, PathBuf};

use chiaro_cases::{damaged, digest};
use chiaro_diag::SourceMap;
use chiaro_isa::Rng;
use chiaro_target::timeline::Timeline;
use chiaro_target::{
    Anatomy, AssembleOptions, Assembled, DisassembleOptions, Inputs, Instructions, Settings, SimulateOptions,
    Target, Value,
};

/// How many random words of an operation are taken apart.
const WORDS: usize = 4;
/// Texts with one thing changed that are made of each.
const CHANGED: u64 = 8;
/// Programs of random instructions.
const PROGRAMS: u64 = 40;
/// Listings that are assembled again.
const LISTINGS: usize = 24;
/// What a run is stopped after.
const STEPS: u64 = 20_000;

/// What is kept of an answer: a number for what it is, behind `!` where it is an error.
pub(crate) fn kept<T: Debug, E: Debug>(answer: &Result<T, E>) -> String {
    match answer {
        Ok(value) => digest(&said(value)),
        Err(error) => format!("!{}", digest(&said(error))),
    }
}

/// All of an answer, but that nobody printed anything.
fn said<T: Debug>(answer: &T) -> String {
    format!("{answer:?}").replace("printed: [], ", "")
}

/// A line for each operation: the text of a random word, and what becomes of some of them.
pub(crate) fn instructions(target: &dyn Target, settings: &Settings) -> String {
    let instructions = target.instructions(settings).expect("the settings exist");
    let mut out = format!("# {}\n", digest(&instructions.html()));
    let mut operations = instructions.operations();
    operations.sort_unstable();
    operations.dedup();
    for (seed, op) in (1..).zip(operations) {
        let mut rng = Rng(seed);
        let words: Vec<_> = (0..WORDS).filter_map(|_| instructions.sample(Some(op), &mut rng)).collect();
        let taken: Vec<_> =
            words.iter().map(|&(word, bytes)| taken_apart(instructions, word, bytes)).collect();
        let text = words.first().and_then(|(word, _)| instructions.text(word)).unwrap_or_default();
        let _ = writeln!(out, "{op}\t{}\t{}", text.replace('\n', " / "), digest(&taken.concat()));
    }
    out
}

fn taken_apart(instructions: &dyn Instructions, word: chiaro_isa::Word, bytes: usize) -> String {
    let text = instructions.text(&word).unwrap_or_default();
    let parsed = instructions.parse(&text);
    format!("{word:?} {bytes} {text} {parsed:?} {:?}", instructions.explain(&[word], bytes))
}

/// What [`answers`] has a number for.
pub(crate) const COLUMNS: &str = "listing code check report info commands anatomy runs";

/// The head of the lines that [`container`] writes.
pub(crate) fn containers() -> String {
    format!("# name: {COLUMNS}\n")
}

/// The assumption of which NaN comes of two.
const NANS: &str = "nan-operand";

/// A line for a container, with a number for each answer.
pub(crate) fn container(target: &dyn Target, name: &str, bytes: &[u8], inputs: &Inputs) -> String {
    format!("{name}: {}\n", answers(target, bytes, inputs))
}

/// A number for each answer that a target gives of a container.
pub(crate) fn answers(target: &dyn Target, bytes: &[u8], inputs: &Inputs) -> String {
    let listing = target.disassemble(bytes, &DisassembleOptions::default());
    let info = (target.info(bytes), target.info_json(bytes, true));
    let checked = (target.check(bytes, &[]), target.hazards(bytes, &[]));
    let cells = [
        kept(&listing),
        kept(&target.code(bytes, &[])),
        format!("{}:{}", checked.0.as_ref().map_or(0, Vec::len), digest(&format!("{checked:?}"))),
        kept(&target.report(bytes, &[])),
        digest(&format!("{info:?}")),
        kept(&target.commands(bytes)),
        kept(&target.anatomy(bytes, &[]).map(|anatomy| counted(&anatomy))),
        runs(target, bytes, inputs),
    ];
    cells.join(" ")
}

/// What is told of a program's instructions, and counted of them.
fn counted(anatomy: &Anatomy) -> String {
    let (blocks, loops, pressure) = (anatomy.blocks(), anatomy.loops(), anatomy.pressure());
    let (causes, timeline) = (anatomy.by_cause(), Timeline::of(anatomy, 3));
    let waves = [1, 4].map(|waves| timeline.with_waves(waves));
    format!("{anatomy:?} {blocks:?} {loops:?} {pressure:?} {causes:?} {timeline:?} {waves:?}")
}

/// A run in each number mode with its steps.
fn runs(target: &dyn Target, bytes: &[u8], inputs: &Inputs) -> String {
    // Which NaN comes of two is else the processor's choice that runs this.
    let nans = target.assumptions().iter().find(|assumption| assumption.name == NANS);
    let assumptions: Vec<_> = nans.map(|_| (NANS.to_owned(), "first".to_owned())).into_iter().collect();
    let run = |mode: Option<String>| {
        let options = SimulateOptions {
            mode,
            assumptions: assumptions.clone(),
            trace: true,
            shared: true,
            max_steps: Some(STEPS),
            ..Default::default()
        };
        kept(&target.simulate(bytes, inputs, &options))
    };
    let modes = target.about().modes.iter().map(|(mode, _)| Some((*mode).to_owned()));
    // A target without modes has one way to run.
    let all: Vec<String> = modes.chain(target.about().modes.is_empty().then_some(None)).map(run).collect();
    all.join(",")
}

/// A line for each program of random instructions: what listings, checks and reports say of it.
pub(crate) fn random(target: &dyn Target, settings: &Settings) -> String {
    let instructions = target.instructions(settings).expect("the settings exist");
    let raw = DisassembleOptions { raw: true, settings: settings.to_vec(), ..Default::default() };
    let mut out = "# program: listing code check report\n".to_owned();
    for seed in 0..PROGRAMS {
        let mut rng = Rng(seed);
        let words = (0..seed * 2 + 1).filter_map(|_| instructions.sample(None, &mut rng));
        let bytes: Vec<u8> = words.flat_map(|(word, bytes)| word.to_bytes()[..bytes].to_vec()).collect();
        let found = target.check(&bytes, settings);
        let cells = [
            kept(&target.disassemble(&bytes, &raw)),
            kept(&target.code(&bytes, settings)),
            format!("{}:{}", found.as_ref().map_or(0, Vec::len), kept(&found)),
            kept(&target.report(&bytes, settings)),
        ];
        let _ = writeln!(out, "{seed}: {}", cells.join(" "));
    }
    out
}

/// A line for a text: what each dialect makes of it, and what is said of it with one thing changed.
pub(crate) fn assembled(target: &dyn Target, name: &str, text: &str) -> String {
    let mut cells = Vec::new();
    for dialect in target.about().dialects {
        for compat in [false, true].into_iter().take(1 + usize::from(dialect.tool.is_some())) {
            let options = AssembleOptions { dialect: Some(dialect.name), compat, ..Default::default() };
            cells.push(digest(&program(target, name, text, &options)));
        }
    }
    let options = AssembleOptions { dialect: dialect_of(target, name), ..Default::default() };
    let others = (0..CHANGED).map(|n| program(target, name, &damaged(text, n), &options));
    format!(
        "{name}: {}; {}\n",
        cells.join(" "),
        others.map(|other| digest(&other)).collect::<Vec<_>>().join(" ")
    )
}

/// The same for the listings of some programs.
pub(crate) fn listings(target: &dyn Target, programs: &[(String, Vec<u8>, Inputs)]) -> String {
    let of = |(name, bytes, _): &(String, Vec<u8>, Inputs)| {
        let listed = target.disassemble(bytes, &DisassembleOptions::default()).ok()?;
        Some(assembled(target, name, &listed.text))
    };
    programs.iter().step_by(programs.len().div_ceil(LISTINGS)).filter_map(of).collect()
}

fn dialect_of(target: &dyn Target, name: &str) -> Option<&'static str> {
    target.about().dialect_of(name).map(|dialect| dialect.name)
}

/// A program of a text as text, or what is wrong with it.
fn program(target: &dyn Target, name: &str, text: &str, options: &AssembleOptions) -> String {
    let mut sources = SourceMap::new();
    let _ = sources.add(name, text);
    let made = target.assemble(&mut sources, options, &mut chiaro_target::no_files);
    made.map_or_else(
        |errors| format!("{errors:?}"),
        |Assembled { bytes, header, table, labels, spans, warnings }| {
            format!("{bytes:?} {header:?} {table:?} {labels:?} {spans:?} {warnings:?}")
        },
    )
}

/// A line for each setting: what reports and checks say of all programs with it, by two of its values.
pub(crate) fn settings(target: &dyn Target, programs: &[(String, Vec<u8>, Inputs)]) -> String {
    let mut out = String::new();
    for setting in target.about().settings {
        let with = |value: &str| {
            let settings = [(setting.name.to_owned(), value.to_owned())];
            let of = |(_, bytes, _): &(String, Vec<u8>, Inputs)| {
                format!("{:?} {:?}", target.report(bytes, &settings), target.check(bytes, &settings))
            };
            digest(&programs.iter().map(of).collect::<String>())
        };
        let _ = writeln!(out, "{}: {} {} {}", setting.name, with("64"), with("2"), with("none"));
    }
    out
}

/// A line for each value of each assumption: what runs of all programs give with it, in the last mode, which comes
/// closest to the hardware.
pub(crate) fn assumptions(target: &dyn Target, programs: &[(String, Vec<u8>, Inputs)]) -> String {
    let (mut out, modes) = (String::new(), target.about().modes);
    for assumption in target.assumptions() {
        for value in assumption.values.split(' ').map(|value| value.replace('N', "3")) {
            let chosen = vec![(assumption.name.to_owned(), value.clone())];
            let options = SimulateOptions {
                assumptions: chosen,
                mode: modes.last().map(|(mode, _)| (*mode).to_owned()),
                shared: true,
                max_steps: Some(STEPS),
                ..Default::default()
            };
            let run = |(_, bytes, inputs): &(String, Vec<u8>, Inputs)| {
                said(&target.simulate(bytes, inputs, &options))
            };
            let all: String = programs.iter().map(run).collect();
            let _ = writeln!(out, "{} {value}: {}", assumption.name, digest(&all));
        }
    }
    out
}

/// A number with few digits, so that sums and products of some are exact.
pub(crate) fn number(rng: &mut Rng) -> Value {
    Value::Number((rng.below(65) as f64 - 24.0) / 8.0)
}

pub(crate) fn list(count: usize, rng: &mut Rng) -> Value {
    Value::List((0..count).map(|_| number(rng)).collect())
}

/// The files of a folder of this repository with one of some endings, by name.
pub(crate) fn files(folder: &str, endings: &[&str]) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let is_one = |path: &PathBuf| endings.iter().any(|ending| path.extension().is_some_and(|e| e == *ending));
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.expect("a file").path()).filter(is_one).collect();
    found.sort();
    found
}
