//! Parts made from keys alone against the words that Mesa has for the same key: from the same states both leave the
//! same registers, memory, samples and targets. Ours pass the checker and the contract of their kind.

pub(crate) mod same;
pub(crate) mod spill;
pub(crate) mod state;

use chiaro_agx::abi::key::Key;
use chiaro_agx::check::{Config, Piece, Stage};
use chiaro_agx::compile::{Compiled, Options, compile_part};
use chiaro_opt::Cx;
use serde_json::Value;

use super::checked::{self, accepted, part_code};
use super::linked::number;
use crate::suite::{Miss, Row};

/// States that both are run from.
const STATES: u64 = 3;

/// A row of `vs_prolog.jsonl`.
pub(super) fn vertex_prolog(row: &Row<'_>) -> Result<(), Miss> {
    checked::vertex_prolog(row)?;
    let object = row.json()?;
    let made = made(&object)?;
    legal(&made, Stage::Vertex, Piece::Open, false)?;
    checked::leaves_attributes(&object, &made.file.code)?;
    matches(&object, &made)
}

/// A row of `fs_prolog.jsonl`.
pub(super) fn fragment_prolog(row: &Row<'_>) -> Result<(), Miss> {
    checked::fragment_prolog(row)?;
    let object = row.json()?;
    let made = made(&object)?;
    legal(&made, Stage::Fragment, Piece::Open, false)?;
    checked::needs_nothing(&made.file.code)?;
    matches(&object, &made)
}

/// A row of `fs_epilog.jsonl`.
pub(super) fn epilog(row: &Row<'_>) -> Result<(), Miss> {
    checked::epilog(row)?;
    let object = row.json()?;
    let made = made(&object)?;
    let shading = object["key"]["link"]["sample_shading"].as_u64() == Some(1);
    legal(&made, Stage::Fragment, Piece::Last, shading)?;
    matches(&object, &made)
}

/// The part of a row's key.
pub(crate) fn made(object: &Value) -> Result<Compiled, Miss> {
    let key = Key::of_json(&object["key"])?;
    let mut cx = Cx { verify: true, ..Cx::default() };
    compile_part(&key, Options::default(), &mut cx).map_err(|found| {
        let message = found.first().map(|found| found.message.clone()).unwrap_or_default();
        Miss::Failed(message)
    })
}

fn legal(made: &Compiled, stage: Stage, piece: Piece, sample_shading: bool) -> Result<(), Miss> {
    let halves = made.file.parts.first().map(|part| part.halves);
    accepted(
        "our part",
        &made.file.code,
        &Config { stage, piece, halves, sample_shading, ..Config::default() },
    )
}

/// Whether both do the same.
fn matches(object: &Value, made: &Compiled) -> Result<(), Miss> {
    let key = Key::of_json(&object["key"])?;
    let theirs = part_code(object)?;
    if number(object, "instructions") == 0 && !made.file.code.is_empty() {
        return Err("there is code where nothing is to be done".into());
    }
    match same::same(&key, &made.file.code, &theirs, STATES) {
        Err(_) if loads_halves_of_words(object) => Err(Miss::Skipped(
            "known wrong: the row loads words of the tilebuffer into halves, which are their low bits"
                .to_owned(),
        )),
        verdict => verdict.map_err(Miss::Failed),
    }
}

/// Mesa loads targets of 32 bits into halves where the location has 16: floats are nonsense then.
fn loads_halves_of_words(object: &Value) -> bool {
    let lines = object["main"].as_array().into_iter().flatten().filter_map(Value::as_str);
    lines.filter_map(|line| line.split_once("ld_tile")).any(|(_, operands)| {
        let mut operands = operands.split(',').map(str::trim);
        let into = operands.next().is_some_and(|register| register.ends_with(['l', 'h']));
        into && operands.next() == Some("i32")
    })
}
