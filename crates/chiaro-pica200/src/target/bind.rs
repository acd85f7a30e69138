//! Names of uniforms and attributes to registers, and values into them.

use crate::container::{ConstantValue, Dvle, Uniform, UniformRegister};
use crate::machine::Machine;
use chiaro_diag::{Diagnostic, did_you_mean};

use chiaro_target::simulate::{Inputs, unset};
use chiaro_target::{Column, Value};

/// What belongs to the program of all that is given to a draw.
pub(super) fn own(dvle: &Dvle, inputs: &Inputs) -> Inputs {
    let is_input = |name: &str, wanted: bool| {
        find(dvle, name, wanted).is_ok_and(|(r, _)| matches!(r, UniformRegister::Input(_)) == wanted)
    };
    inputs.own(|name| is_input(name, false), |name| is_input(name, true))
}

/// Registers of uniforms that can be set.
pub(super) trait Uniforms {
    fn set_float(&mut self, n: u8, value: [f32; 4]);
    fn set_int(&mut self, n: u8, value: [u8; 4]);
    fn set_bool(&mut self, n: u8, value: bool);
}

impl Uniforms for Machine {
    fn set_float(&mut self, n: u8, value: [f32; 4]) {
        Machine::set_float(self, n, value);
    }
    fn set_int(&mut self, n: u8, value: [u8; 4]) {
        Machine::set_int(self, n, value);
    }
    fn set_bool(&mut self, n: u8, value: bool) {
        Machine::set_bool(self, n, value);
    }
}

/// Loads the program's constants, then the given uniforms; remarks on what looks odd.
pub(super) fn uniforms(
    machine: &mut Machine,
    dvle: &Dvle,
    given: &[(String, Value)],
) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    for constant in &dvle.constants {
        let register = constant.register as u8;
        match constant.value() {
            Some(ConstantValue::Bool(on)) => machine.set_bool(register, on),
            Some(ConstantValue::Int(bytes)) => machine.set_int(register, bytes),
            Some(ConstantValue::Float(raw)) => machine.set_float24(register, raw),
            None => {}
        }
    }
    let errors: Vec<_> =
        given.iter().filter_map(|(name, value)| uniform(machine, dvle, name, value).err()).collect();
    if !errors.is_empty() {
        return Err(errors.into_iter().map(|error| *error).collect());
    }
    let missing = missing(dvle, given);
    Ok(unset("uniform", &missing, "0").into_iter().collect())
}

/// Uniforms of which some register got no value, by whatever name: an array of structures has
/// one as a whole and one for each part.
fn missing<'d>(dvle: &'d Dvle, given: &[(String, Value)]) -> Vec<&'d str> {
    let ranges = given.iter().filter_map(|(name, _)| find(dvle, name, false).ok());
    let ranges: Vec<_> = ranges.map(|(first, count)| first.number()..first.number() + count).collect();
    let is_covered =
        |entry: &Uniform| (entry.first..=entry.last).all(|r| ranges.iter().any(|x| x.contains(&r)));
    let is_input = |entry: &Uniform| matches!(entry.registers(), Some((UniformRegister::Input(_), _)));
    let open = dvle.named_uniforms().filter(|(_, entry)| !is_input(entry) && !is_covered(entry));
    open.map(|(name, _)| name).collect()
}

/// Gives the registers of a name a value.
pub(super) fn uniform(
    machine: &mut impl Uniforms,
    dvle: &Dvle,
    name: &str,
    value: &Value,
) -> Result<(), Box<Diagnostic>> {
    let (first, count) = find(dvle, name, false)?;
    let error = |text: String| Box::new(Diagnostic::error(None, text));
    let rows = match (first, value) {
        (UniformRegister::Input(_), _) => {
            return Err(error(format!("`{name}` is an attribute: give it a value for each vertex")));
        }
        (UniformRegister::Bool(b), Value::Bool(on)) => {
            machine.set_bool(b, *on);
            return Ok(());
        }
        (_, Value::Bool(_)) => return Err(error(format!("`{name}` is not a boolean uniform"))),
        // Flags in one row: a register each.
        (UniformRegister::Bool(_), _) => {
            value.rows(name).map_err(error)?.iter().flatten().map(|&flag| vec![flag]).collect()
        }
        _ => value.rows(name).map_err(error)?,
    };
    if rows.len() > usize::from(count) {
        let message = format!("`{name}` has {count} registers, but {} are given", rows.len());
        return Err(error(message));
    }
    for (k, row) in rows.iter().enumerate() {
        let mut full = [0.0f32; 4];
        full[..row.len()].copy_from_slice(row);
        let k = k as u8;
        match first {
            UniformRegister::Float(c) => machine.set_float(c + k, full),
            UniformRegister::Int(i) => machine.set_int(i + k, bytes(name, full).map_err(error)?),
            UniformRegister::Bool(b) => machine.set_bool(b + k, full[0] != 0.0),
            UniformRegister::Input(_) => {}
        }
    }
    Ok(())
}

/// An integer register holds four unsigned bytes.
fn bytes(name: &str, row: [f32; 4]) -> Result<[u8; 4], String> {
    match row.iter().find(|x| x.fract() != 0.0 || !(0.0..=255.0).contains(*x)) {
        Some(x) => Err(format!("`{name}` takes integers from 0 to 255, not {x}")),
        None => Ok(row.map(|x| x as u8)),
    }
}

/// The v register of each attribute, and remarks on inputs that got no value.
pub(super) fn attributes(
    dvle: &Dvle,
    given: &[(String, Column)],
) -> Result<(Vec<u8>, Vec<Diagnostic>), Vec<Diagnostic>> {
    let (mut registers, mut errors) = (Vec::new(), Vec::new());
    for (name, _) in given {
        match find(dvle, name, true) {
            Ok((UniformRegister::Input(v), _)) => registers.push(v),
            Ok(_) => errors.push(Diagnostic::error(None, format!("`{name}` is a uniform, not an attribute"))),
            Err(error) => errors.push(*error),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let inputs = dvle.named_uniforms().filter_map(|(name, entry)| match entry.registers() {
        Some((UniformRegister::Input(v), _)) => Some((name, v)),
        _ => None,
    });
    let missing: Vec<_> = inputs.filter(|(_, v)| !registers.contains(v)).map(|(name, _)| name).collect();
    Ok((registers, unset("attribute", &missing, "the start value").into_iter().collect()))
}

/// First register and number of registers of a name of the program, or of a register itself. A name
/// that both an attribute and a uniform have means what is asked for.
fn find(dvle: &Dvle, name: &str, is_attribute: bool) -> Result<(UniformRegister, u16), Box<Diagnostic>> {
    let all = dvle.named_uniforms().filter(|(known, _)| *known == name);
    let mut all: Vec<_> = all.filter_map(|(_, entry)| entry.registers()).collect();
    all.sort_by_key(|(first, _)| matches!(first, UniformRegister::Input(_)) != is_attribute);
    if let Some(&(first, last)) = all.first() {
        return Ok((first, last.number() - first.number() + 1));
    }
    if let Ok(register) = name.parse::<UniformRegister>() {
        return Ok((register, register.bank_size() - u16::from(register.index())));
    }
    let known = || dvle.named_uniforms().map(|(name, _)| name);
    let error = Diagnostic::error(None, format!("the program has no input or uniform `{name}`"));
    Err(Box::new(match did_you_mean(name, known()) {
        Some(guess) => error.meant(guess),
        None if known().next().is_none() => {
            error.help("it has no names at all; use registers: v0, c0, i0, b0")
        }
        None => error.help(format!("it has {}", known().collect::<Vec<_>>().join(", "))),
    }))
}
