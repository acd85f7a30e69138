//! A program with the places of its variables, be it Mesa's or ours, and how to run it.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use chiaro_ir::Interface;
use chiaro_opt::Cx;
use chiaro_utgard::abi::Placed;
use chiaro_utgard::compile::{Compiled, Options, compile};
use chiaro_utgard::isa::word::Word;
use chiaro_utgard::machine::{Config, Machine, Program};
use serde_json::Value;

use super::decode;
use crate::stages::Shader;

/// Words and places.
pub(crate) struct Placement {
    pub(crate) words: Vec<Word>,
    /// First float of each uniform.
    uniforms: HashMap<String, usize>,
    /// First attribute or output of each variable.
    attributes: HashMap<String, usize>,
    outputs: HashMap<String, usize>,
    /// vec4 of the user's uniforms: the viewport follows, then the constants.
    uniform_vec4: usize,
    constants: Vec<[f32; 4]>,
}

/// Compiles a shader as its users do.
pub(crate) fn ours(path: &Path, effort: u32) -> Result<Compiled, String> {
    let mut shader = Shader::compile(path)?;
    let entry = shader.module.entries.first().map(|e| e.name.clone()).unwrap_or_default();
    let options = Options { effort, ..Options::default() };
    compile(&mut shader.module, &Interface::default(), &entry, &options, &mut Cx::default())
        .map_err(|error| error.message)
}

impl From<&Compiled> for Placement {
    fn from(made: &Compiled) -> Placement {
        let places = |all: &[Placed]| all.iter().map(|p| (p.name.clone(), usize::from(p.index))).collect();
        let float = |p: &Placed| (p.name.clone(), usize::from(p.index * 4 + u16::from(p.component)));
        Placement {
            words: made.words.clone(),
            uniforms: made.abi.uniforms.iter().map(float).collect(),
            attributes: places(&made.abi.attributes),
            outputs: places(&made.abi.outputs),
            uniform_vec4: made.abi.uniform_vec4.into(),
            constants: made.constants.clone(),
        }
    }
}

impl Placement {
    /// A row of `compile.jsonl`; `None` where Mesa has no words.
    pub(crate) fn of_row(row: &Value) -> Option<Placement> {
        let words = decode::words(row).ok().filter(|words| !words.is_empty())?;
        let places = |map: &Value| -> HashMap<String, usize> {
            let place = |(name, n): (&String, &Value)| Some((name.clone(), n.as_u64()? as usize));
            map.as_object().into_iter().flatten().filter_map(place).collect()
        };
        let constants = floats(&row["constants"]);
        Some(Placement {
            words,
            uniforms: places(&row["uniform_base"]).into_iter().map(|(name, row)| (name, row * 4)).collect(),
            attributes: places(&row["attributes"]),
            outputs: places(&row["outputs"]),
            uniform_vec4: row["uniform_vec4"].as_u64()? as usize,
            constants: constants.chunks(4).map(|four| padded(four, 0.0)).collect(),
        })
    }

    /// A machine with constants, and a viewport that changes nothing.
    fn machine(&self) -> Machine {
        let mut machine = Machine::new(Arc::new(Program::new(&self.words, &Config::default())));
        machine.set_uniform(self.uniform_vec4, [1.0, 1.0, 1.0, 0.0]);
        for (i, row) in self.constants.iter().enumerate() {
            machine.set_uniform(self.uniform_vec4 + 2 + i, *row);
        }
        machine
    }

    /// Runs a row of `exec.jsonl`.
    ///
    /// # Errors
    /// The first fault of the machine or value that is wrong.
    pub(crate) fn run(&self, row: &Value) -> Result<(), String> {
        let mut machine = self.machine();
        for (name, uniform) in row["uniforms"].as_object().into_iter().flatten() {
            let Some(&first) = self.uniforms.get(name) else { continue };
            let width = width(uniform[0].as_str().unwrap_or_default());
            for (i, part) in floats(&uniform[2]).chunks(width).enumerate() {
                machine.set_part(first / 4 + i, first % 4, part);
            }
        }
        let vertices: Vec<&Value> = row["vertices"].as_array().into_iter().flatten().collect();
        for (lane, vertex) in vertices.iter().enumerate() {
            for (name, values) in vertex["attributes"].as_object().into_iter().flatten() {
                let Some(&index) = self.attributes.get(name) else { continue };
                machine.set_attribute(lane, index as u32, padded(&floats(values), 1.0));
            }
        }
        machine.run(vertices.len());
        if let Some(fault) = machine.faults().first() {
            return Err(format!("instruction {}: {}", fault.instruction, fault.kind));
        }
        vertices.iter().enumerate().try_for_each(|(lane, vertex)| self.compare(&machine, lane, vertex))
    }

    fn compare(&self, machine: &Machine, lane: usize, vertex: &Value) -> Result<(), String> {
        for (name, values) in vertex["outputs"].as_object().into_iter().flatten() {
            let first = *self.outputs.get(name).ok_or_else(|| format!("there is no output `{name}`"))?;
            let wanted = Wanted::new(name, floats(values), &vertex["dev"][name]);
            let width = values.as_array().map_or(1, Vec::len).clamp(1, 4);
            for (i, (want, bound)) in wanted.all().enumerate() {
                let found = machine.output(lane, (first + i / width) as u32)[i % width];
                if want.is_finite() && (found.is_nan() || (found - want).abs() > bound) {
                    return Err(format!("vertex {lane}, {name}.{i}: {found}, not {want} +- {bound}"));
                }
            }
        }
        Ok(())
    }
}

/// What an output must be and how far off it may be. spec section 20.1.
struct Wanted {
    values: Vec<f32>,
    /// How far small changes of the inputs move the values.
    dev: Vec<f32>,
}

impl Wanted {
    fn new(name: &str, mut values: Vec<f32>, dev: &Value) -> Wanted {
        let mut dev: Vec<f32> = (0..values.len()).map(|i| dev[i].as_f64().unwrap_or(0.0) as f32).collect();
        match (name, &mut values[..]) {
            ("gl_Position", [x, y, z, w]) => {
                let inverse = (1.0 / *w).clamp(-32768.0, 32768.0);
                for (i, value) in [x, y, z].into_iter().enumerate() {
                    *value *= inverse;
                    // The guide is in clip space: it goes through the division as well.
                    dev[i] = (dev[i] + value.abs() * dev[3]) * inverse.abs();
                }
                *w = inverse;
                dev[3] *= inverse * inverse;
            }
            ("gl_PointSize", [size]) => *size = size.clamp(1.0, 100.0),
            _ => {}
        }
        Wanted { values, dev }
    }

    fn all(&self) -> impl Iterator<Item = (f32, f32)> + '_ {
        let bound = |(&value, &dev): (&f32, &f32)| (value, 2e-5 * value.abs().max(1.0) + 30.0 * dev);
        self.values.iter().zip(&self.dev).map(bound)
    }
}

/// Floats in a vector, or in a column of a matrix.
fn width(ty: &str) -> usize {
    ty.chars().last().and_then(|c| c.to_digit(10)).map_or(1, |n| n.clamp(1, 4) as usize)
}

fn padded(part: &[f32], last: f32) -> [f32; 4] {
    let mut full = [0.0, 0.0, 0.0, last];
    full.iter_mut().zip(part).for_each(|(to, from)| *to = *from);
    full
}

/// Floats by their bits.
fn floats(list: &Value) -> Vec<f32> {
    let float =
        |v: &Value| f32::from_bits(v.as_str().and_then(|hex| u32::from_str_radix(hex, 16).ok()).unwrap_or(0));
    list.as_array().into_iter().flatten().map(float).collect()
}
