//! Code alone: whether it breaks a rule, its contract, its statistics.

use std::fmt::Write as _;

use chiaro_diag::Diagnostic;
use chiaro_isa::finding::Finding;
use chiaro_target::{Report, Resource, Settings};

use crate::check::contract::Contract;
use crate::check::{self, Config, Piece, Stage};
use crate::regs::{GPR_HALVES, UNIFORM_HALVES};
use crate::report::Statistics;

const STAGES: [(&str, Stage); 4] = [
    ("vertex", Stage::Vertex),
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

/// What a name stands for, or all names.
fn named<T: Copy>(all: &[(&str, T)], name: &str) -> Result<T, String> {
    let found = all.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
    found.ok_or_else(|| all.iter().map(|(known, _)| *known).collect::<Vec<_>>().join(", "))
}

/// Checks code. Where nobody says which piece it is, code without a stop is a part that others follow.
pub(super) fn check(bytes: &[u8], settings: &Settings, mut config: Config) -> Vec<Finding> {
    let is_said = settings.iter().any(|(key, _)| key == "part");
    if !is_said && !Contract::of(bytes, config.generation).stops {
        config.piece = Piece::Open;
    }
    check::check(bytes, &config)
}

/// What a part needs, leaves and touches.
pub(super) fn info(bytes: &[u8]) -> String {
    let contract = Contract::of(bytes, 0);
    let mut text = format!("code of {} bytes\n", bytes.len());
    let mut line = |name: &str, what: String| {
        let _ = writeln!(text, "  {name:<14} {}", if what.is_empty() { "none" } else { &what });
    };
    let general = |has: &dyn Fn(u16) -> bool| runs('r', (0..GPR_HALVES).filter(|half| has(*half)));
    let needs: Vec<u16> = contract.needs().collect();
    line("needs", general(&|half| needs.contains(&half)));
    line("leaves", general(&|half| contract.leaves(half)));
    line("changes", general(&|half| contract.changes(half)));
    line("uniforms", runs('u', contract.uniforms.iter().copied()));
    let coefficients = contract.coefficients.iter().map(|n| format!("cf{n}"));
    line("coefficients", coefficients.collect::<Vec<_>>().join(" "));
    line("halves", contract.halves.to_string());
    line("stack", format!("{} words", contract.stack));
    line("ends", if contract.stops { "by a stop" } else { "where the next part begins" }.to_owned());
    let coverage = [
        (contract.kills, "kills samples"),
        (contract.tests, "tests samples"),
        (contract.writes_depth, "writes depth or stencil"),
    ];
    let coverage = coverage.iter().filter(|(does, _)| *does).map(|(_, what)| *what);
    line("coverage", coverage.collect::<Vec<_>>().join(", "));
    text
}

/// Runs of halves as they are spelled: `r2 r4l r8-r11`.
fn runs(letter: char, halves: impl Iterator<Item = u16>) -> String {
    let mut all: Vec<(u16, u16)> = Vec::new();
    for half in halves {
        match all.last_mut() {
            Some((_, end)) if *end == half => *end = half + 1,
            _ => all.push((half, half + 1)),
        }
    }
    let half = |n: u16| format!("{letter}{}{}", n / 2, if n & 1 == 0 { 'l' } else { 'h' });
    let spelled = |(first, end): (u16, u16)| match (first & 1, end & 1, end - first) {
        (0, 0, 2) => format!("{letter}{}", first / 2),
        (0, 0, _) => format!("{letter}{}-{letter}{}", first / 2, end / 2 - 1),
        (_, _, 1) => half(first),
        _ => format!("{}-{}", half(first), half(end - 1)),
    };
    all.into_iter().map(spelled).collect::<Vec<_>>().join(" ")
}

pub(super) fn report(bytes: &[u8], config: &Config) -> Report {
    let made = Statistics::of(bytes, config.generation, config.halves);
    let resource = |name, used, allowed| Resource { name, used, allowed };
    Report {
        target: "agx",
        entry: "code".to_owned(),
        resources: vec![
            resource("halves of general registers", u32::from(made.halves) + 1, GPR_HALVES.into()),
            resource("halves of uniform registers", made.uniforms.into(), UNIFORM_HALVES.into()),
            resource("threads of a threadgroup", made.threads.into(), 1024),
        ],
        counts: made.named(),
        ..Report::default()
    }
}
