//! Code alone: whether it breaks a rule, its contract, its statistics.

use chiaro_diag::Diagnostic;
use chiaro_isa::finding::{Finding, Rule, Severity};
use chiaro_target::{Bound, Report, Resource, Settings};

use super::info::runs;
use super::{bindings, own};

use crate::check::contract::Contract;
use crate::check::{self, Config, Piece, Stage};
use crate::container::Program;
use crate::container::file::{self, File, Role};
use crate::isa::isa;
use crate::regs::{GPR_HALVES, LANES, MOST_THREADS, UNIFORM_HALVES};
use crate::report::{Costs, Statistics};

const STAGES: [(&str, Stage); 5] = [
    ("vertex", Stage::Vertex),
    ("software-vertex", Stage::Compute),
    ("fragment", Stage::Fragment),
    ("compute", Stage::Compute),
    ("preamble", Stage::Preamble),
];
const PIECES: [(&str, Piece); 4] =
    [("program", Piece::Program), ("open", Piece::Open), ("last", Piece::Last), ("middle", Piece::Middle)];

/// What the settings say of code.
pub(super) fn config(settings: &Settings, generation: u8) -> Result<Config, Box<Diagnostic>> {
    let mut config = Config { generation, ..Config::default() };
    for (key, value) in settings {
        let wrong =
            |allowed: &str| Box::new(Diagnostic::error(None, format!("`{key}` is {allowed}, not `{value}`")));
        match key.as_str() {
            "stage" => config.stage = named(&STAGES, value).map_err(|all| wrong(&all))?,
            "part" => config.piece = named(&PIECES, value).map_err(|all| wrong(&all))?,
            "store-sources" => {
                let both = [("issue", false), ("done", true)];
                config.holds_sources = named(&both, value).map_err(|all| wrong(&all))?;
            }
            "halves" => {
                let halves = value.parse().ok().filter(|n| (1..=GPR_HALVES).contains(n));
                config.halves = Some(halves.ok_or_else(|| wrong("1 to 256"))?);
            }
            "samples" => {
                let both = [("yes", true), ("no", false)];
                config.sample_shading = named(&both, value).map_err(|all| wrong(&all))?;
            }
            _ => {}
        }
    }
    Ok(config)
}

/// What a report assumes.
#[derive(Clone, Copy, Default)]
pub(super) struct Clock {
    costs: Costs,
    /// Registers of a core are those of Mesa's table, 208 KiB, and not the measured 384 KiB (spec 2.3).
    small_file: bool,
}

/// Reads what a report assumes.
pub(super) fn clock(settings: &Settings) -> Result<Clock, Box<Diagnostic>> {
    let mut clock = Clock::default();
    for (key, value) in settings {
        let wrong =
            |allowed: &str| Box::new(Diagnostic::error(None, format!("`{key}` is {allowed}, not `{value}`")));
        let cycles = || {
            let number = value.parse().ok().filter(|n| (1..=MOST_CYCLES).contains(n));
            number.ok_or_else(|| wrong(&format!("1 to {MOST_CYCLES}")))
        };
        match key.as_str() {
            "memory-cycles" => clock.costs.memory = cycles()?,
            "texture-cycles" => clock.costs.textures = cycles()?,
            "pixel-cycles" => clock.costs.pixels = cycles()?,
            "register-file" => {
                let both = [("measured", false), ("mesa", true)];
                clock.small_file = named(&both, value).map_err(|all| wrong(&all))?;
            }
            _ => {}
        }
    }
    Ok(clock)
}

/// The most cycles that can be assumed of an operation.
const MOST_CYCLES: u32 = 1 << 16;

/// What a name stands for, or all names.
pub(super) fn named<T: Copy>(all: &[(&str, T)], name: &str) -> Result<T, String> {
    let found = all.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
    found.ok_or_else(|| all.iter().map(|(known, _)| *known).collect::<Vec<_>>().join(", "))
}

/// Checks the programs of a file. What settings do not say, files of ours do; where nobody says which
/// piece it is, code without a stop is a part that others follow.
pub(super) fn check(
    bytes: &[u8],
    settings: &Settings,
    config: Config,
    programs: &[Program],
) -> Result<Vec<Finding>, Box<Diagnostic>> {
    let says = |name: &str| settings.iter().any(|(key, _)| key == name);
    let file = own(bytes);
    let mut found = Vec::new();
    for program in programs {
        let code = &bytes[program.bytes.clone()];
        let mut config = config;
        let is_preamble = program.is_preamble();
        if !says("stage") && is_preamble {
            config.stage = Stage::Preamble;
        } else if let Some(said) = program.stage.filter(|_| !says("stage")) {
            config.stage = stage(said);
        }
        config.halves = config.halves.or(program.halves);
        if !says("part") {
            config.piece = piece(code, file.as_deref().filter(|_| !is_preamble), config.generation);
        }
        found.extend(check::check(code, &config));
        found.extend(file.as_deref().filter(|_| !is_preamble).map(stale).unwrap_or_default());
    }
    Ok(found)
}

/// What rules ask for of a program.
pub(super) fn stage(stage: file::Stage) -> Stage {
    match stage {
        file::Stage::Vertex => Stage::Vertex,
        file::Stage::Fragment => Stage::Fragment,
        _ => Stage::Compute,
    }
}

/// Which piece code is.
fn piece(code: &[u8], file: Option<&File>, generation: u8) -> Piece {
    let stops = Contract::of(code, generation).stops;
    let has_before = file.is_some_and(|file| {
        let only = file.parts.first().filter(|_| file.parts.len() == 1);
        only.is_some_and(|part| part.role != file::Role::Prolog && file.stage != file::Stage::Compute)
    });
    match (has_before, stops) {
        (false, true) => Piece::Program,
        (false, false) => Piece::Open,
        (true, true) => Piece::Last,
        (true, false) => Piece::Middle,
    }
}

/// Contracts that a file states, and its words do not keep.
static STALE: Rule = Rule {
    id: "contract-stated",
    severity: Severity::Error,
    text: "the contract that a file states is what its words come to",
    advice: "link or assemble the part again",
    source: "container/file",
};

fn stale(file: &File) -> Vec<Finding> {
    let differs = |part: &&file::Part| Contract::of(file.code_of(part), file.generation) != part.contract;
    let told = |part: &file::Part| Finding {
        rule: &STALE,
        at: Some(0),
        place: Some(part.role.name().to_owned()),
        message: format!("the contract of the {} is not what its words come to", part.role.name()),
    };
    file.parts.iter().filter(differs).map(told).collect()
}

/// A file of a part, if the settings name its role.
pub(super) fn part(
    code: &[u8],
    settings: &Settings,
    generation: u8,
) -> Result<Option<File>, Box<Diagnostic>> {
    let find =
        |name: &str| settings.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    let Some(role) = find("role") else { return Ok(None) };
    let wrong = |key: &str, all: &str, value: &str| {
        Box::new(Diagnostic::error(None, format!("`{key}` is {all}, not `{value}`")))
    };
    let role = named(&file::Role::NAMES, role).map_err(|all| wrong("role", &all, role))?;
    let stage = find("stage").unwrap_or("compute");
    let stage = named(&file::Stage::NAMES, stage).map_err(|all| wrong("stage", &all, stage))?;
    let mut made = File::of_part(stage, role, code, generation);
    let config = config(settings, generation)?;
    if let Some(halves) = config.halves {
        made.parts[0].halves = halves;
    }
    if let Some(text) = find("bindings") {
        let bindings = bindings::parse(text).map_err(|why| Box::new(Diagnostic::error(None, why)))?;
        made.parts[0].bindings = bindings;
    }
    Ok(Some(made))
}

/// What the programs of a file take of the machine; of a file of ours with its own registers.
pub(super) fn report(bytes: &[u8], config: &Config, clock: Clock, programs: &[Program]) -> Report {
    let file = own(bytes);
    let main = programs.iter().find(|program| !program.is_preamble()).or(programs.first());
    let declared = config.halves.or_else(|| main.and_then(|main| main.halves));
    let code = main.and_then(|program| bytes.get(program.bytes.clone())).unwrap_or_default();
    let mut made = Statistics::of(code, config.generation, declared);
    if clock.small_file {
        made.resident = made.threads / LANES as u16;
    }
    let longest = u64::from(made.cycles.longest_at(clock.costs));
    let resource = |name, used, allowed| Resource { name, used, allowed };
    Report {
        target: "agx",
        better: super::compile::BETTER,
        entry: main.map_or_else(String::new, |program| program.name.clone()),
        resources: vec![
            resource("halves of general registers", u32::from(made.halves) + 1, GPR_HALVES.into()),
            resource("halves of uniform registers", made.uniforms.into(), UNIFORM_HALVES.into()),
            resource("threads of a threadgroup", made.threads.into(), MOST_THREADS),
        ],
        counts: made.named().into_iter().chain(beside(bytes, config, programs, file.as_deref())).collect(),
        cycles: Some((longest, longest)),
        assumptions: vec![
            ("cycles of a simple instruction that nobody measured", crate::report::UNMEASURED),
            ("cycles of a memory operation (memory-cycles)", clock.costs.memory),
            ("cycles of a texture operation (texture-cycles)", clock.costs.textures),
            ("cycles of a pixel operation (pixel-cycles)", clock.costs.pixels),
            ("cycles of a round of a loop count once", 1),
        ],
        by_line: by_line(code, file.as_deref()),
        variables: at_peak(code, config.generation, file.as_deref()),
        ..Report::default()
    }
}

/// What runs once, and what it costs to be made of parts.
fn beside(
    bytes: &[u8],
    config: &Config,
    programs: &[Program],
    file: Option<&File>,
) -> Vec<(&'static str, u32)> {
    let statistics = |code: &[u8]| Statistics::of(code, config.generation, None);
    let mut all = Vec::new();
    for program in programs.iter().filter(|program| program.is_preamble()) {
        let code = bytes.get(program.bytes.clone()).unwrap_or_default();
        all.push(("instructions that the preamble saves each SIMD-group", statistics(code).instructions));
    }
    let Some(file) = file.filter(|file| file.parts.len() > 1) else { return all };
    for part in file.parts.iter().filter(|part| part.role != Role::Main) {
        let name = if part.role == Role::Prolog {
            "instructions of the prolog"
        } else {
            "instructions of the epilog"
        };
        let code = file.code.get(part.offset as usize..).unwrap_or_default();
        all.push((name, statistics(&code[..code.len().min(part.size as usize)]).instructions));
    }
    let main = file.parts.iter().find(|part| part.role == Role::Main).map_or(0, |part| part.halves);
    all.push(("halves that parts add to the main one's", file.linked().halves.saturating_sub(main).into()));
    all
}

/// The registers that hold something where most do, by what wrote them.
fn at_peak(code: &[u8], generation: u8, file: Option<&File>) -> Vec<Bound> {
    let mut places: Vec<(String, Vec<u16>)> = Vec::new();
    for (half, writer) in crate::report::at_peak(code, generation) {
        let place = match writer.map(|offset| (offset, file.and_then(|file| file.line(offset)))) {
            None => "left by what comes before".to_owned(),
            Some((offset, None)) => format!("written at byte {offset:#x}"),
            Some((_, Some((source, line)))) => format!("written by {source}:{line}"),
        };
        match places.iter_mut().find(|(known, _)| *known == place) {
            Some((_, halves)) => halves.push(half),
            None => places.push((place, vec![half])),
        }
    }
    let bound = |(place, halves): (String, Vec<u16>)| Bound {
        kind: "held",
        name: runs('r', halves.into_iter()),
        place,
    };
    places.into_iter().map(bound).collect()
}

/// Instructions by the lines of their source, where the file has them.
fn by_line(code: &[u8], file: Option<&File>) -> Vec<(String, u32, u32)> {
    let Some(file) = file else { return Vec::new() };
    let mut all: Vec<(String, u32, u32)> = Vec::new();
    let isa = isa(file.generation);
    let behind = |at: &usize| at + isa.decode(&code[*at..]).map_or(2, |inst| usize::from(inst.length));
    let inside = |at: &usize| *at < code.len();
    let places = std::iter::successors(Some(0).filter(inside), |at| Some(behind(at)).filter(inside));
    for place in places {
        let Some((source, line)) = file.line(place as u32) else { continue };
        match all.iter_mut().find(|(known, n, _)| known == source && *n == line) {
            Some((.., count)) => *count += 1,
            None => all.push((source.to_owned(), line, 1)),
        }
    }
    all.sort();
    all
}
