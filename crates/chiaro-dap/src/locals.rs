//! Where variables of the source stand while the code runs.
//!
//! The compiler keeps for each instruction the text that it was made for, and the source, run by itself, says
//! what each statement gives its variables. So a scalar stands where an instruction of the statement has put
//! that value; until something else is put there, or the statement is done again. What no instruction of the
//! statement has put anywhere was optimised away.

use std::collections::{BTreeMap, HashMap, HashSet};

use chiaro_target::Kind;

use crate::homes::{Form, Home, Homes, half};
use crate::lab::{Assigned, Recorded};
use crate::recording::Recording;
use crate::registers::{spread, writes};

/// What is looked at of a line for one value: long loops would take time without bound.
const MOST_LOOKED_AT: usize = 512;

/// Something that a step put into a register.
struct Put<'a> {
    step: usize,
    register: &'a str,
    component: Option<usize>,
    /// One value, or one for each lane.
    bits: Vec<u32>,
}

/// A recording at its beginning, with the places of its variables.
#[must_use]
pub fn located(made: Recorded) -> Recording {
    let mut recording = Recording::new(made);
    recording.homes = (0..recording.places.len()).map(|wave| homes(&recording, wave)).collect();
    recording
}

/// Where the variables of a wave stand.
#[must_use]
pub fn homes(recording: &Recording, wave: usize) -> Homes {
    let mut homes = Homes::new();
    if recording.made.assigned.is_empty() {
        return homes;
    }
    let by_line = puts(recording, wave);
    let ends = overwritten(recording, wave);
    let mut last: HashMap<(usize, usize), usize> = HashMap::new();
    let mut taken = Taken::new();
    for assigned in &recording.made.assigned {
        let values = of_wave(recording, wave, assigned);
        if values.is_empty() {
            continue;
        }
        let key = (assigned.local, assigned.scalar);
        let from = last.get(&key).copied().unwrap_or(0);
        let kind = recording.made.locals[assigned.local].scalars[assigned.scalar].kind;
        let lines = by_line.range(assigned.lines.0..=assigned.lines.1);
        let fitting = lines.flat_map(|(_, puts)| soon(puts, from));
        let fitting = fitting.filter_map(|put| Some((put, fits(put, &values, kind)?)));
        let is_taken =
            |put: &Put<'_>| taken.contains(&(assigned.local, put.step, put.register, put.component));
        let found = chosen(recording, wave, fitting.collect(), is_taken, &ends);
        // Instructions that do several things have the line of most of them: a value that is not everywhere is
        // known wherever it is put.
        let elsewhere = || {
            let all = by_line.values().flat_map(|puts| soon(puts, from)).filter(|_| is_telling(&values));
            let fitting = all.filter_map(|put| Some((put, fits(put, &values, kind)?)));
            chosen(recording, wave, fitting.collect(), is_taken, &ends)
        };
        let found = found.or_else(elsewhere);
        let all = homes.entry(key).or_default();
        // The statement is done again: whatever was there is old.
        let again = by_line.range(assigned.lines.0..=assigned.lines.1);
        let again = again.filter_map(|(_, puts)| soon(puts, from).first()).map(|put| put.step).min();
        let begins = found.as_ref().map(|(put, _)| put.step).or(again);
        if let (Some(old), Some(begins)) = (all.last_mut(), begins) {
            old.until = old.until.min(begins + 1);
        }
        let Some((put, form)) = found else { continue };
        taken.insert((assigned.local, put.step, put.register, put.component));
        last.insert(key, put.step + 1);
        let until = next_write(&ends, put);
        let (register, component) = (put.register.to_owned(), put.component);
        all.push(Home { register, component, from: put.step + 1, until, form });
    }
    homes
}

/// What is put from a step on, as far as it is looked at.
fn soon<'p, 'a>(puts: &'p [Put<'a>], from: usize) -> &'p [Put<'a>] {
    let first = puts.partition_point(|put| put.step < from);
    &puts[first..puts.len().min(first + MOST_LOOKED_AT)]
}

/// Whether values are such as do not come about by chance: neither 0 nor 1 nor the like, or another in each lane.
fn is_telling(values: &[(usize, u64)]) -> bool {
    let different: HashSet<u64> = values.iter().map(|(_, bits)| *bits).collect();
    let is_by_lane = different.len() == values.len() && values.len() >= 8;
    is_by_lane
        || values.iter().any(|(_, bits)| {
            let number = f32::from_bits(*bits as u32);
            *bits > 256 && !matches!(number.abs(), 0.0 | 0.5 | 1.0 | 2.0) && number.is_finite()
        })
}

/// What scalars of a variable stand in already: the variable, the step, the register and its component.
type Taken<'a> = HashSet<(usize, usize, &'a str, Option<usize>)>;

/// Of what fits that which stays longest, among the first times that instructions are done: intermediate values
/// may be the same by chance. What another scalar of the variable stands in comes last.
fn chosen<'p>(
    recording: &Recording,
    wave: usize,
    mut fitting: Vec<(&'p Put<'p>, Form)>,
    is_taken: impl Fn(&Put<'_>) -> bool,
    ends: &Ends<'_>,
) -> Option<(&'p Put<'p>, Form)> {
    fitting.sort_by_key(|(put, _)| put.step);
    let mut seen = HashSet::new();
    let instruction = |put: &Put<'_>| recording.at(wave, put.step);
    fitting.retain(|(put, _)| seen.insert((instruction(put), put.register, put.component)));
    fitting.into_iter().max_by_key(|(put, _)| (!is_taken(put), next_write(ends, put), put.step))
}

/// What steps put into registers, by the line that they were made for.
fn puts(recording: &Recording, wave: usize) -> BTreeMap<u32, Vec<Put<'_>>> {
    let mut all: BTreeMap<u32, Vec<Put<'_>>> = BTreeMap::new();
    for (step, taken) in recording.steps(wave).iter().enumerate() {
        // What was made for no line, as numbers of invocations are, is of line 0.
        let Some(at) = recording.instruction(taken) else { continue };
        let row = all.entry(recording.line(at).unwrap_or(0)).or_default();
        for (name, bits) in writes(taken) {
            let (register, components) = spread(name, bits.len());
            if recording.made.lanes > 1 || bits.len() == 1 && !name.contains('.') {
                row.push(Put { step, register, component: None, bits: bits.to_vec() });
                continue;
            }
            for (component, bits) in components.iter().zip(bits) {
                row.push(Put { step, register, component: Some(*component), bits: vec![*bits] });
            }
        }
        for (unit, bits) in &taken.results {
            row.push(Put { step, register: unit, component: None, bits: vec![*bits] });
        }
    }
    all
}

/// The steps that write each register, by component.
type Ends<'a> = HashMap<(&'a str, Option<usize>), Vec<usize>>;

/// The steps that write each register.
fn overwritten(recording: &Recording, wave: usize) -> Ends<'_> {
    let mut all = Ends::new();
    for (step, taken) in recording.steps(wave).iter().enumerate() {
        for (name, bits) in writes(taken) {
            let (register, components) = spread(name, bits.len());
            all.entry((register, None)).or_default().push(step);
            for (component, _) in components.iter().zip(bits) {
                all.entry((register, Some(*component))).or_default().push(step);
            }
            for (whole, made_of) in &recording.made.parts {
                let mut parts = made_of.iter().map(|(part, _)| part.as_str());
                if whole == register {
                    for part in parts {
                        all.entry((part, None)).or_default().push(step);
                    }
                } else if parts.any(|part| part == register) {
                    all.entry((whole, None)).or_default().push(step);
                }
            }
        }
        for (unit, _) in &taken.results {
            all.entry((unit, None)).or_default().push(step);
        }
    }
    all
}

fn next_write(ends: &Ends<'_>, put: &Put<'_>) -> usize {
    let steps = ends.get(&(put.register, put.component)).map_or(&[][..], Vec::as_slice);
    steps.get(steps.partition_point(|step| *step <= put.step)).map_or(usize::MAX, |step| step + 1)
}

/// The values of a wave's lanes: each lane's number, and its bits.
fn of_wave(recording: &Recording, wave: usize, assigned: &Assigned) -> Vec<(usize, u64)> {
    let lanes = recording.invocations(wave);
    let own = assigned.values.iter().filter(|(invocation, _)| lanes.contains(invocation));
    own.map(|(invocation, bits)| (invocation - lanes.start, *bits)).collect()
}

/// The form in which what was put is the value in every lane.
fn fits(put: &Put<'_>, values: &[(usize, u64)], kind: Kind) -> Option<Form> {
    let of_lane = |lane: usize| put.bits.get(if put.bits.len() == 1 { 0 } else { lane }).copied();
    let all = |form: Form| {
        values.iter().all(|(lane, bits)| of_lane(*lane).is_some_and(|put| is_same(put, *bits, kind, form)))
    };
    [Form::Bits, Form::Half, Form::Float].into_iter().find(|form| all(*form))
}

/// Whether the bits of a register are a value of the source, as far as a machine's arithmetic goes.
fn is_same(put: u32, bits: u64, kind: Kind, form: Form) -> bool {
    let float = if form == Form::Half { half(put as u16) } else { f64::from(f32::from_bits(put)) };
    match (kind, form) {
        (Kind::Float(width), Form::Bits | Form::Half) => {
            let wanted = if width == 16 { half(bits as u16) } else { f64::from(f32::from_bits(bits as u32)) };
            let near = if form == Form::Half { 4e-3 } else { 1e-3 };
            wanted == float || (wanted - float).abs() <= near * wanted.abs().max(float.abs())
        }
        (Kind::Bool, Form::Bits) => {
            u64::from(put != 0) == bits & 1 && matches!(put, 0 | 1 | u32::MAX | 0x3f80_0000)
        }
        (Kind::Int(_) | Kind::Uint(_), Form::Bits) => put == bits as u32,
        // Machines without integers hold them so.
        (Kind::Int(_), Form::Float) => float == f64::from(bits as u32 as i32),
        (Kind::Uint(_), Form::Float) => float == f64::from(bits as u32),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_floats() {
        assert_eq!(
            [half(0x3c00), half(0xc000), half(1), half(0x7c00)],
            [1.0, -2.0, 2f64.powi(-24), f64::INFINITY]
        );
        assert!(half(0x7e00).is_nan());
    }

    #[test]
    fn values_are_known_in_the_forms_of_machines() {
        let one = 1f32.to_bits();
        assert!(is_same(one, one.into(), Kind::Float(32), Form::Bits));
        assert!(is_same(0x3c00, one.into(), Kind::Float(32), Form::Half));
        assert!(
            is_same(3f32.to_bits(), 3, Kind::Int(32), Form::Float)
                && is_same(3, 3, Kind::Int(32), Form::Bits)
        );
        assert!(is_same(u32::MAX, 1, Kind::Bool, Form::Bits) && !is_same(0, 1, Kind::Bool, Form::Bits));
        assert!(!is_same(2f32.to_bits(), one.into(), Kind::Float(32), Form::Bits));
        assert_eq!(Form::Float.of_source(3f32.to_bits(), Kind::Int(32)), 3);
    }
}
