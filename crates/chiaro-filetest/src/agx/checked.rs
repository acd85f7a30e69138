//! The rule checker and the contracts on what a driver's compiler makes: it accepts all of it.

use chiaro_agx::abi::key::Key;
use chiaro_agx::abi::link::Flags;
use chiaro_agx::check::contract::{self, Contract, Program};
use chiaro_agx::check::flags::{self, Standing};
use chiaro_agx::check::{Config, Piece, Stage, check};
use chiaro_isa::finding::Severity;
use serde_json::Value;

use super::bytes;
use super::linked::{self as parts, Unit, number};
use crate::suite::{Miss, Row};

/// Traps behind a stop, which the rows of parts leave out.
const TRAPS: [u8; 16] = [8, 0, 8, 0, 8, 0, 8, 0, 8, 0, 8, 0, 8, 0, 8, 0];

pub(super) fn accepted(what: &str, code: &[u8], config: &Config) -> Result<(), Miss> {
    let found = check(code, config);
    match found.iter().find(|finding| finding.rule.severity == Severity::Error) {
        Some(finding) => {
            let place = finding.place.as_deref().unwrap_or_default();
            Err(format!("{what}, {place}: {} [{}]", finding.message, finding.rule.id).into())
        }
        None => Ok(()),
    }
}

/// What the checker is told of a unit's main part.
pub(super) fn rules_of_unit(unit: &Unit) -> Config {
    let (stage, piece) = match unit.object["stage"].as_str() {
        Some("vert") => (Stage::Vertex, Piece::Last),
        Some("frag") => (Stage::Fragment, Piece::Middle),
        Some("vert_sw") => (Stage::Compute, Piece::Last),
        _ => (Stage::Compute, Piece::Program),
    };
    let sample_shading = unit.object["epilog_link"]["sample_shading"].as_u64() == Some(1);
    let halves = Some(unit.number("nr_gprs") as u16);
    Config { stage, piece, halves, sample_shading, ..Config::default() }
}

/// The main part and the preamble of a unit.
pub(super) fn unit(row: &Row<'_>) -> Result<(), Miss> {
    let unit = Unit::of(row.json()?)?;
    let config = rules_of_unit(&unit);
    accepted("main", &with_traps(&unit.main), &config)?;
    let standing = Standing { is_fragment: config.stage == Stage::Fragment, is_main: true };
    same_flags(&unit.main, standing, &unit.object)?;
    let used = Contract::of(&unit.main, 0).halves;
    if used > config.halves.unwrap_or(0) {
        return Err(format!("{used} halves are used, {:?} declared", config.halves).into());
    }
    if unit.number("has_preamble") == 0 {
        return Ok(());
    }
    let preamble = unit.binary.get(unit.number("preamble_offset")..).ok_or("the preamble is cut off")?;
    let halves = Some(unit.number("nr_preamble_gprs") as u16);
    accepted("preamble", preamble, &Config { stage: Stage::Preamble, halves, ..Config::default() })
}

/// What words say that a part does, against what its compiler says of it. Base vertex and instance are
/// uniforms like others; a target that is not written whole counts as read.
fn same_flags(code: &[u8], standing: Standing, object: &Value) -> Result<(), Miss> {
    let told = parts::flags(object);
    let own = flags::flags(code, 0, standing);
    let reads_tib = own.reads_tib || !standing.is_main && told.reads_tib;
    let found = Flags { uses_base_param: told.uses_base_param, reads_tib, ..own };
    if found == told {
        Ok(())
    } else {
        Err(format!("{found:?} by its words, {told:?} by its compiler").into())
    }
}

/// What the checker is told of a part that a key makes.
pub(super) fn rules_of_part(object: &Value, stage: Stage, piece: Piece) -> Config {
    let sample_shading = object["key"]["link"]["sample_shading"].as_u64() == Some(1);
    let halves = Some(number(object, "nr_gprs") as u16);
    Config { stage, piece, halves, sample_shading, ..Config::default() }
}

/// The sizes of parts do not always count the traps.
pub(super) fn with_traps(code: &[u8]) -> Vec<u8> {
    let stops = code.ends_with(&[0x88, 0]);
    [code, if stops { &TRAPS } else { &[] }].concat()
}

/// The bytes of a part's lines: `offset: bytes text`.
pub(super) fn part_code(object: &Value) -> Result<Vec<u8>, String> {
    let lines = object["main"].as_array().cloned().unwrap_or_default();
    let hex = lines.iter().filter_map(Value::as_str).filter_map(|line| line.split_whitespace().nth(1));
    bytes(&hex.collect::<String>())
}

/// The key of a row as a type, and as JSON again.
fn key(object: &Value) -> Result<(), Miss> {
    let read = Key::of_json(&object["key"])?;
    let written = read.to_json();
    if written != object["key"] {
        return Err(format!("the key comes back as {written}").into());
    }
    let normal = read.normalised();
    if normal.normalised() != normal { Err("a normalised key changes again".into()) } else { Ok(()) }
}

/// Checks a part; its row and its code.
fn part(row: &Row<'_>, stage: Stage, piece: Piece) -> Result<(Value, Vec<u8>), Miss> {
    let object = row.json()?;
    let code = part_code(&object)?;
    let standing = Standing { is_fragment: stage == Stage::Fragment, is_main: false };
    same_flags(&code, standing, &object)?;
    key(&object)?;
    accepted("the part", &with_traps(&code), &rules_of_part(&object, stage, piece))?;
    Ok((object, code))
}

/// A prolog of vertices: it needs the IDs alone, and leaves the components of its key.
pub(super) fn vertex_prolog(row: &Row<'_>) -> Result<(), Miss> {
    let (object, code) = part(row, Stage::Vertex, Piece::Open)?;
    leaves_attributes(&object, &code)
}

/// Needs nothing but the IDs that the hardware has ready, and leaves the components of its key.
pub(super) fn leaves_attributes(object: &Value, code: &[u8]) -> Result<(), Miss> {
    let contract = Contract::of(code, 0);
    let is_hardware = object["key"]["hw"].as_u64() == Some(1);
    let outside = |half: u16| !(is_hardware && (10..14).contains(&half));
    if let Some(half) = contract.needs().find(|half| outside(*half)) {
        return Err(format!("half {half} is read before it is written").into());
    }
    for attribute in object["key"]["attribs"].as_array().into_iter().flatten() {
        let first = 16 + 8 * number(attribute, "i") as u16;
        let mask = number(attribute, "mask");
        let wanted = (0..4).filter(|c| mask >> c & 1 == 1).map(|c| first + 2 * c);
        for half in wanted.flat_map(|half| [half, half + 1]) {
            if !contract.leaves(half) {
                return Err(format!("half {half} of an attribute is not written on all ways").into());
            }
        }
    }
    Ok(())
}

/// A prolog of fragments needs nothing.
pub(super) fn fragment_prolog(row: &Row<'_>) -> Result<(), Miss> {
    let (_, code) = part(row, Stage::Fragment, Piece::Open)?;
    needs_nothing(&code)
}

/// Reads no register that it has not written.
pub(super) fn needs_nothing(code: &[u8]) -> Result<(), Miss> {
    match Contract::of(code, 0).needs().next() {
        Some(half) => Err(format!("half {half} is read before it is written").into()),
        None => Ok(()),
    }
}

/// An epilog.
pub(super) fn epilog(row: &Row<'_>) -> Result<(), Miss> {
    part(row, Stage::Fragment, Piece::Last).map(|_| ())
}

/// What the checker is told of a linked program.
pub(super) fn rules_of_linked(object: &Value) -> Config {
    let stage = match object["stage"].as_str() {
        Some("frag") => Stage::Fragment,
        Some("vert") => Stage::Vertex,
        _ => Stage::Compute,
    };
    let halves = object["gprs"].as_array().into_iter().flatten().filter_map(Value::as_u64).max();
    Config { stage, halves: halves.map(|n| n as u16), ..Config::default() }
}

/// A linked program as a whole, and its parts against one another.
pub(super) fn linked(row: &Row<'_>) -> Result<(), Miss> {
    let object = row.json()?;
    let config = rules_of_linked(&object);
    let program = match config.stage {
        Stage::Fragment => Program::Fragment { sample_shading: number(&object, "nr_samples_shaded") > 0 },
        Stage::Vertex => Program::Vertex,
        _ => Program::SoftwareVertex,
    };
    accepted("the program", &bytes(object["linked"].as_str().unwrap_or_default())?, &config)?;
    let contracts =
        parts::parts(&object, row.folder)?.map(|part| part.map(|part| Contract::of(&part.code, 0)));
    let [prolog, Some(main), epilog] = &contracts else { return Err("there is no main part".into()) };
    match contract::link(program, prolog.as_ref(), main, epilog.as_ref()).first() {
        Some(breach) => Err(breach.to_string().into()),
        None => Ok(()),
    }
}
