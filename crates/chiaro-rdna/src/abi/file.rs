//! Conventions as JSON: `docs/abi.schema.json` says what stands in a file, `docs/calls.md` what it means.

use std::ops::Range;

use chiaro_diag::{Diagnostic, FileId};
use jsonc_parser::ast::{Object, Value};

use super::convention::{
    Arguments, Borders, Convention, Counter, Gaps, Keeping, ReturnAddresses, ReturnStack, Seat, Stack,
    System, SystemParameter, Unit,
};
use super::json::{Reader, at, parse};
use super::partition::{Block, File, Files, Span};
use super::place::{Hints, NoPlace, place};
use super::signature::Signature;
pub use super::write::write;
use crate::regs::{SGPRS, VGPRS};

/// A convention with the places of what can be at fault later, when there is a signature.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Read {
    /// The convention.
    pub convention: Convention,
    /// What the file says of registers.
    pub registers: Range<usize>,
}

const NAMES: [&str; 14] = [
    "$schema",
    "abi",
    "about",
    "limit",
    "registers",
    "max_param_demand",
    "system",
    "arguments",
    "stack",
    "in_flight",
    "mode",
    "results",
    "return_addresses",
    "gaps",
];

/// The most bytes that a frame is a multiple of.
const ALIGNMENT: u16 = 4096;

/// Reads a convention.
///
/// # Errors
/// Everything that is wrong with the file: names and numbers that are none, ranges that overlap or leave their file,
/// parameters of the system that have no room.
pub fn read(text: &str, file: FileId) -> Result<Read, Vec<Diagnostic>> {
    let value = parse(text, file).map_err(|error| vec![*error])?;
    let mut reader = Reader::new(file);
    let read = convention(&mut reader, &value);
    match read {
        Some(read) if reader.found.is_empty() => Ok(read),
        _ => Err(reader.found),
    }
}

fn convention(reader: &mut Reader, value: &Value<'_>) -> Option<Read> {
    let object = reader.object(value, "an ABI", &NAMES)?;
    let name = reader.need(object, "the ABI", "abi").and_then(|value| reader.text(value, "`abi`"));
    let limit = limits(reader, object);
    let registers = reader.need(object, "the ABI", "registers");
    // What is wrong with limits would be told again of everything that they bound.
    let limit = limit?;
    let keeping = registers.and_then(|value| keeping(reader, value, limit));
    let get = |name: &str| object.get(name).map(|property| &property.value);
    let most = get("max_param_demand").filter(|value| value.as_null_keyword().is_none());
    let most = match most {
        Some(value) => Some(counts(reader, value, "`max_param_demand`", limit)?),
        None => None,
    };
    let convention = Convention {
        name: name?,
        limit,
        keeping: keeping?,
        most,
        system: get("system").map_or(Some(System::default()), |value| system(reader, value, limit))?,
        arguments: get("arguments")
            .map_or(Some(Arguments::Placed), |value| arguments(reader, value, limit))?,
        stack: get("stack").map_or(Some(STACK), |value| stack(reader, value, limit))?,
        in_flight: get("in_flight").map_or(Some(Borders::default()), |value| in_flight(reader, value))?,
        mode: match get("mode") {
            Some(value) if value.as_string_lit().is_none_or(|text| text.value != "kept") => {
                Some(reader.number(value, "`mode` is \"kept\", or it", 0..=u16::from(u8::MAX))? as u8)
            }
            _ => None,
        },
        results: get("results")
            .map_or(Some(Files::default()), |value| spans(reader, value, "`results`", limit))?,
        return_addresses: get("return_addresses")
            .map_or(Some(ReturnAddresses::Spilled), |value| return_addresses(reader, value, limit))?,
        gaps: get("gaps").map_or(Some(Gaps::Aligned), |value| reader.one_of(value, "`gaps`", &GAPS))?,
    };
    let registers = at(registers?);
    room(reader, &convention, &registers);
    Some(Read { convention, registers })
}

/// Where files say nothing: bytes of a lane, dwords.
const STACK: Stack = Stack { unit: Unit::Lane, alignment: 4 };

const GAPS: [(&str, Gaps); 2] = [("aligned", Gaps::Aligned), ("upstream", Gaps::Upstream)];

/// The parameters of the system have room even where there are no others.
fn room(reader: &mut Reader, convention: &Convention, registers: &Range<usize>) {
    for wave in [32, 64] {
        let Err(why) = place(convention, &Signature::default(), wave, &Hints::default()) else { continue };
        reader.error(registers.clone(), no_place(&why));
        return;
    }
}

/// Why parameters have no places, in words.
#[must_use]
pub fn no_place(why: &NoPlace) -> String {
    match why {
        NoPlace::System { parameter, pool, free, most } => {
            let file = if parameter.is_divergent() { "vector" } else { "scalar" };
            let (name, size) = (parameter.name(), parameter.size());
            match most {
                Some(most) => format!(
                    "no room for `{name}`: it needs {size} {file} registers, and `max_param_demand` has {most} for all \
                     parameters"
                ),
                None => format!(
                    "no room for `{name}`: it needs {size} {} {file} registers in a row, {free} are free",
                    pool.name()
                ),
            }
        }
        NoPlace::Parted { parameter, size, free } => format!(
            "`{parameter}` has {size} dwords and would be parted: {free} registers are left for it in a row or two"
        ),
    }
}

fn limits(reader: &mut Reader, object: &Object<'_>) -> Option<Files<u16>> {
    let machine = Files { sgpr: SGPRS, vgpr: VGPRS };
    match object.get("limit") {
        None => Some(machine),
        Some(property) => {
            let before = reader.found.len();
            let read = counts(reader, &property.value, "`limit`", machine);
            if let Some(error) = reader.found.get_mut(before) {
                error
                    .notes
                    .push("vcc (s106, s107) is no part of the partition: it is always clobbered".to_owned());
            }
            read
        }
    }
}

/// A number for each file, up to a limit.
fn counts(reader: &mut Reader, value: &Value<'_>, what: &str, limit: Files<u16>) -> Option<Files<u16>> {
    let object = reader.object(value, what, &["sgpr", "vgpr"])?;
    let mut of = |file: File| {
        let value = reader.need(object, what, file.name())?;
        reader.number(value, &format!("`{}` of {what}", file.name()), 0..=*limit.of(file))
    };
    let (sgpr, vgpr) = (of(File::Sgpr), of(File::Vgpr));
    Some(Files { sgpr: sgpr?, vgpr: vgpr? })
}

fn keeping(reader: &mut Reader, value: &Value<'_>, limit: Files<u16>) -> Option<Keeping> {
    if value.as_string_lit().is_some() {
        return reader.one_of(value, "`registers` without runs", &[("none", ())]).map(|()| Keeping::Nothing);
    }
    let names = ["clobbered", "preserved", "first", "preserved_ranges"];
    let object = reader.object(value, "`registers`", &names)?;
    if let Some(ranges) = object.get("preserved_ranges") {
        if let Some(other) = object.properties.iter().find(|p| p.name.as_str() != "preserved_ranges") {
            let place = other.range.start..other.range.end;
            reader.error(place, "`registers` has runs or ranges, not both");
        }
        return spans(reader, &ranges.value, "`preserved_ranges`", limit).map(Keeping::Ranges);
    }
    // A run may be longer than the file, which is then of one kind.
    let most = Files { sgpr: u16::from(u8::MAX) + 1, vgpr: u16::from(u8::MAX) + 1 };
    let clobbered = reader.need(object, "`registers`", "clobbered");
    let clobbered = clobbered.and_then(|value| counts(reader, value, "`clobbered`", most));
    let preserved = reader.need(object, "`registers`", "preserved");
    let preserved = preserved.and_then(|value| counts(reader, value, "`preserved`", most));
    let first = reader.need(object, "`registers`", "first");
    let first =
        first.and_then(|value| reader.one_of(value, "`first`", &[("clobbered", true), ("preserved", false)]));
    Some(Keeping::Blocks(Block { clobbered: clobbered?, preserved: preserved?, clobbered_first: first? }))
}

/// Ranges for each file, none of which overlap.
fn spans(reader: &mut Reader, value: &Value<'_>, what: &str, limit: Files<u16>) -> Option<Files<Vec<Span>>> {
    let object = reader.object(value, what, &["sgpr", "vgpr"])?;
    let mut of = |file: File| {
        let value = reader.need(object, what, file.name())?;
        let Some(list) = value.as_array() else {
            reader.error(
                at(value),
                format!("`{}` of {what} is a list of ranges, such as [[0, 15]]", file.name()),
            );
            return None;
        };
        let mut read: Vec<(Span, Range<usize>)> = Vec::new();
        for value in &list.elements {
            let span = span(reader, value, file, *limit.of(file))?;
            if let Some((other, place)) =
                read.iter().find(|(o, _)| o.first <= span.last && span.first <= o.last)
            {
                let message = format!("{} overlaps {}", shown(file, span), shown(file, *other));
                let other = (reader.span(place.clone()), "the other range".to_owned());
                reader.error(at(value), message).related.push(other);
            }
            read.push((span, at(value)));
        }
        Some(read.into_iter().map(|(span, _)| span).collect())
    };
    let (sgpr, vgpr) = (of(File::Sgpr), of(File::Vgpr));
    Some(Files { sgpr: sgpr?, vgpr: vgpr? })
}

/// Registers as assemblers write them.
#[must_use]
pub fn shown(file: File, span: Span) -> String {
    let letter = file.letter();
    match span.count() {
        1 => format!("{letter}{}", span.first),
        _ => format!("{letter}[{}:{}]", span.first, span.last),
    }
}

fn span(reader: &mut Reader, value: &Value<'_>, file: File, limit: u16) -> Option<Span> {
    let ends = value.as_array().filter(|list| list.elements.len() == 2);
    let Some(ends) = ends else {
        reader.error(at(value), "a range is its first and its last register, such as [0, 15]");
        return None;
    };
    let first = reader.number(&ends.elements[0], "the first register", 0..=u16::from(u8::MAX))?;
    let last = reader.number(&ends.elements[1], "the last register", 0..=u16::from(u8::MAX))?;
    let span = Span { first, last };
    if first > last {
        reader.error(at(value), format!("the range ends at {last}, before its begin at {first}"));
        return None;
    }
    if last >= limit {
        let message = format!(
            "{} leaves the file, whose last register is {}{}",
            shown(file, span),
            file.letter(),
            limit - 1
        );
        reader.error(at(value), message);
        return None;
    }
    Some(span)
}

/// A register by name that begins a run of so many, at a multiple.
fn register(
    reader: &mut Reader,
    value: &Value<'_>,
    what: &str,
    (file, size, multiple): (File, u16, u16),
    limit: u16,
) -> Option<u16> {
    let letter = file.letter();
    let text = value.as_string_lit().map(|text| text.value.as_ref());
    let number: Option<u16> = text.and_then(|text| text.strip_prefix(letter)).and_then(|n| n.parse().ok());
    let number = number.filter(|n| n.is_multiple_of(multiple) && n + size <= limit);
    if number.is_none() {
        let even = match multiple {
            1 => String::new(),
            n => format!(" with a number that is a multiple of {n}"),
        };
        let message = format!(
            "{what} is a register from \"{letter}0\" to \"{letter}{}\"{even}",
            limit.saturating_sub(size)
        );
        reader.error(at(value), message);
    }
    number
}

fn system(reader: &mut Reader, value: &Value<'_>, limit: Files<u16>) -> Option<System> {
    let names = SystemParameter::ALL.map(SystemParameter::name);
    let object = reader.object(value, "`system`", &names)?;
    let mut made = System::default();
    let mut taken: Vec<(SystemParameter, u16, Range<usize>)> = Vec::new();
    for parameter in SystemParameter::ALL {
        let Some(property) = object.get(parameter.name()) else { continue };
        let value = &property.value;
        let seat = seat(reader, value, parameter, limit)?;
        made.0[parameter as usize] = seat;
        let Seat::Fixed(first) = seat else { continue };
        let overlaps = |(other, start, _): &&(SystemParameter, u16, Range<usize>)| {
            other.is_divergent() == parameter.is_divergent()
                && *start < first + parameter.size()
                && first < start + other.size()
        };
        if let Some((other, _, place)) = taken.iter().find(overlaps) {
            let message = format!("`{}` overlaps `{}`", parameter.name(), other.name());
            let other = (reader.span(place.clone()), "the other parameter".to_owned());
            reader.error(at(value), message).related.push(other);
        }
        taken.push((parameter, first, at(value)));
    }
    Some(made)
}

fn seat(
    reader: &mut Reader,
    value: &Value<'_>,
    parameter: SystemParameter,
    limit: Files<u16>,
) -> Option<Seat> {
    if value.as_null_keyword().is_some() {
        return Some(Seat::Absent);
    }
    if value.as_string_lit().is_some_and(|text| text.value == "placed") {
        return Some(Seat::Placed);
    }
    let file = if parameter.is_divergent() { File::Vgpr } else { File::Sgpr };
    // Pairs of scalars are even.
    let multiple = if file == File::Sgpr { parameter.size() } else { 1 };
    let what = format!("`{}` is \"placed\", null for none, or its place: it", parameter.name());
    register(reader, value, &what, (file, parameter.size(), multiple), *limit.of(file)).map(Seat::Fixed)
}

fn arguments(reader: &mut Reader, value: &Value<'_>, limit: Files<u16>) -> Option<Arguments> {
    match value.as_string_lit() {
        Some(_) => {
            let placed = reader.one_of(value, "`arguments` without ranges", &[("placed", ())]);
            placed.map(|()| Arguments::Placed)
        }
        None => spans(reader, value, "`arguments`", limit).map(Arguments::InOrder),
    }
}

fn stack(reader: &mut Reader, value: &Value<'_>, limit: Files<u16>) -> Option<Stack> {
    let object = reader.object(value, "`stack`", &["unit", "align", "descriptor"])?;
    let unit = reader.need(object, "`stack`", "unit")?;
    let in_waves = reader.one_of(unit, "`unit`", &[("lane", false), ("wave", true)])?;
    let unit = match (in_waves, object.get("descriptor")) {
        (false, None) => Unit::Lane,
        (true, Some(property)) => {
            let kind = (File::Sgpr, 4, 4);
            let descriptor = register(reader, &property.value, "`descriptor`", kind, limit.sgpr)?;
            Unit::Wave { descriptor }
        }
        (false, Some(property)) => {
            let place = property.range.start..property.range.end;
            reader.error(place, "a stack in bytes of a lane has no descriptor");
            return None;
        }
        (true, None) => {
            reader.error(at(unit), "a stack in bytes of a wave needs the `descriptor` that it is reached by");
            return None;
        }
    };
    let alignment = match object.get("align") {
        None => STACK.alignment,
        Some(property) => reader.number(&property.value, "`align`", 4..=ALIGNMENT)?,
    };
    if !alignment.is_multiple_of(4) {
        let place = object.get("align").map_or(at(value), |property| at(&property.value));
        reader.error(place, "`align` is a multiple of 4: scratch is made of dwords");
    }
    Some(Stack { unit, alignment })
}

fn in_flight(reader: &mut Reader, value: &Value<'_>) -> Option<Borders> {
    let object = reader.object(value, "`in_flight`", &["call", "return"])?;
    let mut of = |name: &str| -> Option<Vec<Counter>> {
        let value = reader.need(object, "`in_flight`", name)?;
        let Some(list) = value.as_array() else {
            reader.error(at(value), format!("`{name}` of `in_flight` is a list of counters"));
            return None;
        };
        let all = Counter::ALL.map(|counter| (counter.name(), counter));
        list.elements.iter().map(|value| reader.one_of(value, "a counter", &all)).collect()
    };
    let (call, returns) = (of("call"), of("return"));
    Some(Borders { call: call?, returns: returns? })
}

fn return_addresses(reader: &mut Reader, value: &Value<'_>, limit: Files<u16>) -> Option<ReturnAddresses> {
    if value.as_string_lit().is_some() {
        let spilled = reader.one_of(value, "`return_addresses` without registers", &[("spilled", ())]);
        return spilled.map(|()| ReturnAddresses::Spilled);
    }
    let object = reader.object(value, "`return_addresses`", &["lanes_of", "counter"])?;
    let lanes = reader.need(object, "`return_addresses`", "lanes_of")?;
    let first = register(reader, lanes, "`lanes_of`", (File::Vgpr, 2, 1), limit.vgpr);
    let counter = reader.need(object, "`return_addresses`", "counter")?;
    let counter = register(reader, counter, "`counter`", (File::Sgpr, 1, 1), limit.sgpr);
    Some(ReturnAddresses::InLanes(ReturnStack { register: first?, counter: counter? }))
}
