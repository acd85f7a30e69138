//! Values that are set: which registers hold what is named, and in what form.
//!
//! The program is run again with them from the step on where one is, so that what follows is what the machine
//! would do, and what was before stays.

use chiaro_target::{Change, Given, Kind};

use crate::expression::{self, Names, names};
use crate::homes::Form;
use crate::recording::{Lane, Recording};
use crate::registers::apart;
use crate::value::Value;

/// A register or component that holds a scalar.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Spot {
    /// As steps spell it.
    register: String,
    lane: usize,
    /// What a variable's scalar is, how it is held, and its bits now; a register holds what one puts there.
    held: Option<(Kind, Form, u32)>,
}

/// What has to change for a register, a variable or a name of the host program, or a part of it by number, to hold
/// a value: one for each scalar, or one for all.
///
/// # Errors
/// The name stands for nothing that can be set here, or the text is no value for it.
pub fn changes(
    recording: &Recording,
    lane: Lane,
    (name, part): (&str, Option<usize>),
    text: &str,
) -> Result<Vec<Change>, String> {
    let step = recording.place(lane);
    if step >= recording.steps(lane.wave).len() {
        return Err("the program has ended here: step back to set something".to_owned());
    }
    let known = names(recording, lane, step);
    let spots = spots(&known, recording, lane, (name, part))?;
    let values = values(text, &known)?;
    if values.len() != 1 && values.len() != spots.len() {
        return Err(format!(
            "`{name}` has {} parts here, and {} values are given",
            spots.len(),
            values.len()
        ));
    }
    let value = |n: usize| if values.len() == 1 { values[0] } else { values[n] };
    let change = |(n, spot): (usize, Spot)| {
        let given = given(value(n), spot.held).map_err(|why| format!("`{name}`: {why}"))?;
        Ok(Change { wave: lane.wave, step, register: spot.register, lane: spot.lane, value: given })
    };
    // Of a variable whose parts do not all stand somewhere those are set that do.
    spots.into_iter().enumerate().filter(|(_, spot)| !spot.register.is_empty()).map(change).collect()
}

/// A name as it is typed, with the number of its part: `r0.x`, `v3[7]`, `n.y`.
#[must_use]
pub fn part_of<'a>(known: &Names<'_>, text: &'a str) -> (&'a str, Option<usize>) {
    let text = text.trim();
    if known.values(text).is_some() {
        return (text, None);
    }
    if let Some((name, number)) = text.strip_suffix(']').and_then(|text| text.rsplit_once('[')) {
        return (name, number.parse().ok());
    }
    match text.rsplit_once('.') {
        Some((name, letter)) if letter.len() == 1 => {
            (name, "xyzw".find(letter).or_else(|| "rgba".find(letter)))
        }
        _ => (text, None),
    }
}

fn spots(
    known: &Names<'_>,
    recording: &Recording,
    lane: Lane,
    (name, part): (&str, Option<usize>),
) -> Result<Vec<Spot>, String> {
    let all = if known.registers().contains_key(name) {
        of_register(known, recording, lane, (name, part))
    } else {
        let all = of_variable(known, recording, lane, name)
            .unwrap_or_else(|| of_name(known, recording, lane, name));
        // A part of a matrix is a column.
        let size = known.shape(name).filter(|_| recording.made.lanes <= 1).map_or(1, |shape| shape.rows);
        match part {
            Some(part) => all.into_iter().skip(part * size).take(size).collect(),
            None => all,
        }
    };
    if !all.is_empty() && all.iter().all(|spot| spot.register.is_empty()) {
        return Err(format!("`{name}` stands in no register here that could be set"));
    }
    // Flags are no registers for the recording: the machine knows whether they can be set.
    let flag = || Spot { register: name.to_owned(), lane: lane.number, held: None };
    Ok(if all.is_empty() { vec![flag()] } else { all })
}

/// Components of a register, or the lane of one that each lane has.
fn of_register(
    known: &Names<'_>,
    recording: &Recording,
    lane: Lane,
    (name, part): (&str, Option<usize>),
) -> Vec<Spot> {
    let spot = |register: String, lane: usize| Spot { register, lane, held: None };
    if recording.made.lanes > 1 {
        return vec![spot(name.to_owned(), part.unwrap_or(lane.number))];
    }
    if recording.is_plain(name) {
        return vec![spot(name.to_owned(), 0)];
    }
    let count = known.registers().get(name).map_or(0, Vec::len).min(4);
    let wanted = (0..count).filter(|n| part.is_none_or(|part| part == *n));
    wanted.map(|n| spot(component(name, n), 0)).collect()
}

/// Where the scalars of a variable of the source stand; an empty name for one that stands nowhere.
fn of_variable(known: &Names<'_>, recording: &Recording, lane: Lane, name: &str) -> Option<Vec<Spot>> {
    let number = recording.made.locals.iter().position(|local| local.shown() == name)?;
    let scalars = recording.made.locals[number].scalars.iter().enumerate();
    let spot = |(n, scalar): (usize, &crate::lab::Scalar)| {
        let home = known.home(number, n);
        let register = home.map_or_else(String::new, |home| match home.component {
            Some(of_it) if recording.made.lanes <= 1 => component(&home.register, of_it),
            _ => home.register.clone(),
        });
        let form = home.map_or(Form::Bits, |home| home.form);
        Spot {
            register,
            lane: lane.number,
            held: Some((scalar.kind, form, known.scalar(number, n).unwrap_or(0))),
        }
    };
    Some(scalars.map(spot).collect())
}

/// The registers of what the host program has a name for.
fn of_name(known: &Names<'_>, recording: &Recording, lane: Lane, name: &str) -> Vec<Spot> {
    let Some(bound) = recording.made.names.iter().find(|bound| bound.name == name) else { return Vec::new() };
    let spot = |register: String| Spot { register, lane: lane.number, held: None };
    if let Some(shape) = known.shape(name).filter(|_| recording.made.lanes <= 1) {
        let registers = known.places(bound);
        let all = registers.iter().flat_map(|register| (0..4).map(|n| spot(component(apart(register).0, n))));
        return shape.by_column(&all.collect::<Vec<_>>());
    }
    let mut all = Vec::new();
    for register in known.places(bound) {
        let (whole, components) = apart(&register);
        match known.registers().contains_key(&register) {
            true if recording.made.lanes > 1 || recording.is_plain(&register) => all.push(spot(register)),
            _ => {
                let count = if register.contains('.') { components.len() } else { 4 };
                all.extend(components.iter().take(count).map(|n| spot(component(whole, *n))));
            }
        }
    }
    all
}

fn component(register: &str, number: usize) -> String {
    format!("{register}.{}", ["x", "y", "z", "w"][number % 4])
}

/// Values that are typed, with a comma between them: expressions of the machine, or else of the source's language.
fn values(text: &str, known: &Names<'_>) -> Result<Vec<Value>, String> {
    if let Some(whole) = whole_number(text) {
        return Ok(vec![whole]);
    }
    if let Ok(value) = expression::evaluate(text, known) {
        return Ok(vec![value]);
    }
    let list: Result<Vec<Value>, String> = text
        .split(',')
        .map(|one| whole_number(one).map_or_else(|| expression::evaluate(one, known), Ok))
        .collect();
    match (list, expression::computed(text, known)) {
        (Ok(list), _) => Ok(list),
        (Err(_), Some(Ok(made))) => Ok(made.bits.iter().map(|bits| Value::of(made.kind, *bits)).collect()),
        (Err(_), Some(Err(why))) | (Err(why), None) => Err(why),
    }
}

/// `7u`, `-3i`: bits of a whole number.
fn whole_number(text: &str) -> Option<Value> {
    let text = text.trim();
    let unsigned = || text.strip_suffix('u')?.parse().ok();
    let signed = || text.strip_suffix('i')?.parse::<i32>().ok().map(|n| n as u32);
    unsigned().or_else(signed).map(Value::Bits)
}

/// What a register is given for a value.
fn given(value: Value, held: Option<(Kind, Form, u32)>) -> Result<Given, String> {
    let number = |n: f64| Given { bits: (n as f32).to_bits(), is_number: true };
    let bits = |bits: u32| Given { bits, is_number: false };
    Ok(match (held, value) {
        (None, Value::Bits(of_it)) => bits(of_it),
        (None, value) => number(value.number()),
        (Some((_, Form::Half, _)), value) => bits(number(value.number()).half()),
        (Some((Kind::Float(_), ..)), value) => bits(number(value.number()).bits),
        (Some((Kind::Bool, _, now)), value) => match (value.holds(), now) {
            (true, 0) => {
                return Err("it is not known how this machine holds `true` here: set the register".to_owned());
            }
            (true, _) => return Err("it is `true` already".to_owned()),
            (false, _) => bits(0),
        },
        (Some((_, Form::Float, _)), Value::Bits(of_it)) => bits((of_it as i32 as f32).to_bits()),
        (Some((_, Form::Float, _)), value) => bits(number(value.number().trunc()).bits),
        (Some(_), Value::Bits(of_it)) => bits(of_it),
        (Some((Kind::Uint(_), ..)), value) => bits(value.number() as u32),
        (Some(_), value) => bits(value.number() as i32 as u32),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_take_the_form_of_what_holds_them() {
        let of = |value, kind, form| given(value, Some((kind, form, 1))).map(|given| given.bits);
        assert_eq!(of(Value::Number(1.0), Kind::Float(32), Form::Bits), Ok(0x3f80_0000));
        assert_eq!(of(Value::Number(1.0), Kind::Float(32), Form::Half), Ok(0x3c00));
        assert_eq!(of(Value::Number(-2.0), Kind::Int(32), Form::Bits), Ok(-2i32 as u32));
        assert_eq!(of(Value::Number(7.0), Kind::Int(32), Form::Float), Ok(7f32.to_bits()));
        assert_eq!(of(Value::Bool(false), Kind::Bool, Form::Bits), Ok(0));
        assert!(given(Value::Bool(true), Some((Kind::Bool, Form::Bits, 0))).is_err());
        assert_eq!(given(Value::Number(3.0), None), Ok(Given { bits: 3f32.to_bits(), is_number: true }));
        assert_eq!(whole_number(" 7u "), Some(Value::Bits(7)));
        assert_eq!(whole_number("-1i"), Some(Value::Bits(u32::MAX)));
        assert_eq!(whole_number("7.5u"), None);
    }
}
