//! What the words compute, against what the source means: the whole compiler at once.

use std::sync::Arc;

use chiaro_ir::interp::{Exact, Fault, Interpreter};
use chiaro_ir::{EntryPoint, GlobalRef, Module, Ty};

use super::sample::{Sample, parts};
use super::{Compared, judge, outputs, run};
use crate::abi::{Abi, Shape};
use crate::compile::Compiled;
use crate::container::{ConstantValue, UniformRegister};
use crate::machine::{Config, Machine, Mode, Program, Register};
use crate::tolerance::Tolerance;

/// Source against words on the simulator, in the arithmetic of the console.
///
/// # Errors
/// What stops the source: a loop that does not end, mostly.
pub fn source_against_words(
    source: (&Module, &EntryPoint),
    compiled: &Compiled,
    sample: &Sample,
) -> Result<Compared, Box<Fault>> {
    let outputs = outputs(source.0, source.1);
    let expected = run(source.0, source.1, Tolerance::default(), sample, &outputs, 0)?;
    let Some(mut machine) = machine(compiled) else { return Ok(Compared::default()) };
    let layout = Interpreter::with(source.0, source.1, Exact);
    for (&g, bytes) in &sample.uniforms {
        let Some((first, shape)) = compiled.abi.place(g) else { continue };
        let mut fill =
            Fill { module: source.0, layout: &layout, abi: &compiled.abi, bytes, rows: [[0.0; 4]; 96] };
        let from = fill.put(&mut machine, source.0.global(g).ty, shape, first, 0);
        debug_assert!(from.is_some(), "a uniform that cannot be filled");
        for (register, row) in fill.rows.iter().enumerate().skip(first.into()) {
            if fill.covers(first, source.0.global(g).ty, shape, register as u16) {
                machine.set_float(register as u8, *row);
            }
        }
    }
    constants(compiled, &mut machine);
    let found: Vec<super::Outputs> = (0..sample.lanes)
        .map(|vertex| Some(one_vertex(source.0, compiled, &mut machine, sample, vertex, &outputs)))
        .collect();
    Ok(judge(source.0, &outputs, &expected, &found))
}

fn machine(compiled: &Compiled) -> Option<Machine> {
    let config = Config { mode: Mode::Hw24, start_value: 0x4120_0000, ..Config::default() };
    let program = &compiled.shbin.program;
    let entry = compiled.shbin.executables.first()?.entry;
    Some(Arc::new(Program::load(&program.code, &program.descriptors, entry, &config).ok()?).machine())
}

fn constants(compiled: &Compiled, machine: &mut Machine) {
    for constant in compiled.shbin.executables.iter().flat_map(|e| &e.constants) {
        match (constant.target(), constant.value()) {
            (Some(UniformRegister::Float(c)), Some(ConstantValue::Float(raw))) => machine.set_float24(c, raw),
            (Some(UniformRegister::Int(i)), Some(ConstantValue::Int(bytes))) => machine.set_int(i, bytes),
            (Some(UniformRegister::Bool(b)), Some(ConstantValue::Bool(set))) => machine.set_bool(b, set),
            _ => {}
        }
    }
}

/// The outputs of one vertex.
fn one_vertex(
    module: &Module,
    compiled: &Compiled,
    machine: &mut Machine,
    sample: &Sample,
    vertex: usize,
    outputs: &[(GlobalRef, Vec<usize>)],
) -> Vec<(f64, f64)> {
    machine.start(1);
    for (g, all) in &sample.attributes {
        let (Some(&v), Some(bytes)) = (compiled.abi.inputs.get(g), all.get(vertex)) else { continue };
        let whole = module.types.is_int(module.global(*g).ty);
        let mut value = [0.0, 0.0, 0.0, 1.0];
        for (to, from) in value.iter_mut().zip(bytes.chunks_exact(4)) {
            *to = number(from, whole);
        }
        machine.set_input(0, v, value);
    }
    machine.execute();
    let mut found = Vec::new();
    for (g, floats) in outputs {
        let register = compiled.abi.outputs.iter().position(|o| o.variable == (*g, None));
        let values = register.map(|r| machine.register(0, Register::Output(r as u8)));
        for i in 0..floats.len() {
            let value = values.map_or(f32::NAN, |v| f32::from_bits(v[i & 3]));
            found.push((f64::from(value), 0.0));
        }
    }
    found
}

fn number(bytes: &[u8], whole: bool) -> f32 {
    let bits = bytes.iter().rev().fold(0u32, |all, byte| all << 8 | u32::from(*byte));
    if whole { bits as i32 as f32 } else { f32::from_bits(bits) }
}

/// Uniforms from the bytes of a buffer to registers.
struct Fill<'a> {
    module: &'a Module,
    layout: &'a Interpreter<'a, Exact>,
    abi: &'a Abi,
    bytes: &'a [u8],
    rows: [[f32; 4]; 96],
}

impl Fill<'_> {
    fn parts(&self, ty: Ty) -> Vec<(Ty, usize)> {
        parts(self.module, self.layout, ty).collect()
    }

    fn at(&self, offset: usize, whole: bool) -> f32 {
        self.bytes.get(offset..offset + 4).map_or(0.0, |bytes| number(bytes, whole))
    }

    fn put(&mut self, machine: &mut Machine, ty: Ty, shape: u32, register: u16, offset: usize) -> Option<()> {
        let types = &self.module.types;
        let whole = types.is_int(ty);
        match self.abi.shape(shape).clone() {
            Shape::Bool(b) => machine.set_bool(b, self.at(offset, true) != 0.0),
            Shape::Vector => {
                for i in 0..usize::from(types.components(ty)) {
                    self.rows.get_mut(usize::from(register))?[i & 3] = self.at(offset + 4 * i, whole);
                }
            }
            Shape::Matrix(rows) => {
                for (column, (_, from)) in self.parts(ty).into_iter().enumerate() {
                    for row in 0..usize::from(rows) {
                        let value = self.at(offset + from + 4 * row, false);
                        self.rows.get_mut(usize::from(register) + row)?[column & 3] = value;
                    }
                }
            }
            Shape::Array(elem, size) => {
                for (i, (part, from)) in self.parts(ty).into_iter().enumerate() {
                    self.put(machine, part, elem, register + size * i as u16, offset + from)?;
                }
            }
            Shape::Struct(members) => {
                let all = self.parts(ty);
                for ((first, shape), (part, from)) in members.into_iter().zip(all) {
                    self.put(machine, part, shape, register + first, offset + from)?;
                }
            }
        }
        Some(())
    }

    /// Whether a variable takes a register.
    fn covers(&self, first: u16, ty: Ty, shape: u32, register: u16) -> bool {
        let size = self.size(ty, shape);
        (first..first.saturating_add(size)).contains(&register)
    }

    fn size(&self, ty: Ty, shape: u32) -> u16 {
        match self.abi.shape(shape) {
            Shape::Bool(_) => 0,
            Shape::Vector => 1,
            Shape::Matrix(rows) => (*rows).into(),
            Shape::Array(_, size) => size * self.module.types.part_count(ty).unwrap_or(0) as u16,
            Shape::Struct(members) => {
                let last = members.iter().enumerate().next_back();
                last.map_or(0, |(i, (first, shape))| {
                    let part = self.module.types.part(ty, i as u32).unwrap_or(ty);
                    first + self.size(part, *shape)
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::{Interface, Leaf};
    use crate::compile::{Options, compile};
    use chiaro_ir::{Space, Type};
    use chiaro_opt::Cx;

    /// The matrices of a random shader.
    fn interface(module: &Module) -> Interface {
        let mut leaves = Vec::new();
        for (i, global) in module.globals.iter().enumerate() {
            if let (Space::Uniform, Type::Struct(_, members)) = (global.space, module.types.get(global.ty)) {
                leaves.extend(members.iter().enumerate().map(|(k, member)| Leaf {
                    name: member.name.clone(),
                    global: Some(GlobalRef(i as u32)),
                    path: vec![k as u32],
                    columns: member.name == "m",
                }));
            }
        }
        Interface { leaves }
    }

    #[test]
    fn words_mean_what_the_source_means() {
        let seeds = std::env::var("SEEDS")
            .ok()
            .and_then(|s| s.split_once("..").map(|(a, b)| (a.parse().unwrap(), b.parse().unwrap())));
        let (from, to) = seeds.unwrap_or((0u64, 300u64));
        let (mut total, mut refused) = (Compared::default(), 0);
        for seed in from..to {
            let size = std::env::var("SIZE").ok().map_or(40, |s| s.parse().unwrap());
            let source = crate::random::module(seed, size);
            let mut cx = Cx { verify: true, ..Cx::default() };
            let compiled = match compile(&source, &interface(&source), "main", &Options::default(), &mut cx) {
                Ok(compiled) => compiled,
                Err(e) => {
                    assert!(
                        e.message.contains("are there") || e.message.contains("allowed"),
                        "seed {seed}: {}",
                        e.message
                    );
                    println!("seed {seed}: {}", e.message);
                    refused += 1;
                    continue;
                }
            };
            let text = || {
                let listing = crate::listing::listing(&compiled.shbin, &crate::listing::Options::default());
                let (source, legal) = (chiaro_ir::print(&source), chiaro_ir::print(&compiled.module));
                format!("{source}\n{legal}\n{}", listing.unwrap_or_default())
            };
            let findings = crate::check::check(&compiled.shbin);
            assert!(findings.is_empty(), "seed {seed}: {findings:?}\n{}", text());
            let sample = Sample::new(&source, &source.entries[0], 16, seed);
            let one =
                source_against_words((&source, &source.entries[0]), &compiled, &sample).expect("it runs");
            // Sums are grouped in another way for dot products, which the bounds know nothing of.
            let grouped = |w: &super::super::Counterexample| (w.expected - w.found).abs() <= 3.0 * w.allowed;
            if let Some(wrong) = one.wrong.as_ref().filter(|w| !grouped(w)) {
                panic!("seed {seed}: {wrong}\n{}", text());
            }
            total = total.and(Compared { wrong: None, ..one });
        }
        assert!(total.passed(), "{total:?}");
        assert!(refused * 10 <= to - from, "{refused} refused");
    }
}
