//! Legal IR against the words that were made of it, bit for bit (c1).
//!
//! The interpreter computes in the machine's arithmetic, the simulator runs the words. Both
//! run twice with different fills of what nobody defined: an output that depends on it is not
//! compared.

use std::collections::HashSet;
use std::sync::Arc;

use chiaro_ir::interp::{Exact, Interpreter, NoImages, Options};
use chiaro_ir::{EntryPoint, GlobalRef, Module, Op, Step, Ty, Walk};

use super::{Compared, Counterexample, FUEL, Outputs, Sample, judge, outputs, run, stray};
use crate::abi::{Abi, Interface, Shape};
use crate::compile::Compiled;
use crate::container::{Constant, ConstantValue, UniformRegister};
use crate::float24::Float24;
use crate::legalize::root;
use crate::machine::{Config, Layout, Machine, Mode, Program};
use crate::tolerance::Tolerance;

/// What undefined values are filled with: for the interpreter and for the machine's registers.
const FILLS: [(u64, u32); 2] = [(0, 0x4049_0000), (0x4010_0000, 0xbfc0_0000)];

/// Legal IR against its words.
///
/// # Errors
/// What keeps one of them from running, as a sentence.
pub fn legal_against_words(
    compiled: &Compiled,
    interface: &Interface,
    sample: &Sample,
) -> Result<Compared, String> {
    let module = &compiled.module;
    let entry = module.entries.first().ok_or("the module has no entry point")?;
    let abi = Abi::new(module, &entry.interface, interface).map_err(|told| told.message)?;
    let mut runs = Vec::new();
    for (undef, start) in FILLS {
        let legal = interpreted(module, entry, sample, undef)?;
        let words = simulated(compiled, &abi, sample, start)?;
        runs.push((legal, words));
    }
    let mut compared = Compared::default();
    let [((expected, stray), found), ((other, _), again)] = &runs[..] else { return Ok(compared) };
    compared.inconclusive = stray.len();
    compared.conclusive = sample.lanes - stray.len();
    let written = written(module, entry);
    // An output that nobody writes has no value.
    for (g, floats) in outputs(module, entry).into_iter().filter(|(g, _)| written.contains(g)) {
        let Some(register) = abi.outputs.iter().position(|out| out.variable == (g, None)) else { continue };
        for vertex in (0..sample.lanes).filter(|vertex| !stray.contains(vertex)) {
            for (component, &at) in floats.iter().enumerate().take(4) {
                let legal = |run: &Lanes| word(run, g, vertex, at);
                let (expected, other) = (legal(expected), legal(other));
                if expected != other {
                    continue;
                }
                let machine = |run: &[Vec<[f32; 4]>]| run[vertex][register][component].to_bits();
                for found in [machine(found), machine(again)] {
                    let same = expected == found || is_nan(expected) && is_nan(found);
                    if !same && compared.wrong.is_none() {
                        compared.wrong = Some(Counterexample {
                            vertex,
                            output: module.global(g).name.clone(),
                            component,
                            expected: f32::from_bits(expected).into(),
                            allowed: 0.0,
                            found: f32::from_bits(found).into(),
                        });
                    }
                }
            }
        }
    }
    Ok(compared)
}

/// Source against words, within what the source allows: for programs whose sums the compiler
/// has put in another order than legal IR has them.
///
/// # Errors
/// What keeps one of them from running, as a sentence.
pub fn source_against_words(
    source: (&Module, &EntryPoint),
    compiled: &Compiled,
    interface: &Interface,
    sample: &Sample,
) -> Result<Compared, String> {
    let outputs = outputs(source.0, source.1);
    let expected = run(source.0, source.1, Tolerance::default(), sample, &outputs, 0);
    let expected = expected.map_err(|fault| fault.to_string())?;
    let abi = Abi::new(source.0, &source.1.interface, interface).map_err(|told| told.message)?;
    let results = simulated(compiled, &abi, sample, 0)?;
    let number = |vertex: &[[f32; 4]], g: GlobalRef, component: usize| {
        let register = abi.outputs.iter().position(|out| out.variable == (g, None));
        let value = register.and_then(|register| vertex.get(register)).and_then(|row| row.get(component));
        (value.map_or(f64::NAN, |&x| f64::from(x)), 0.0)
    };
    let found: Vec<Outputs> = results
        .iter()
        .map(|vertex| {
            let all = outputs.iter().flat_map(|(g, floats)| (0..floats.len()).map(move |i| (*g, i)));
            Some(all.map(|(g, i)| number(vertex, g, i)).collect())
        })
        .collect();
    Ok(judge(source.0, &outputs, &expected, &found))
}

/// Outputs that some path writes.
fn written(module: &Module, entry: &EntryPoint) -> HashSet<GlobalRef> {
    let f = module.function(entry.function);
    let stores = Walk::new(f).filter_map(|step| match step {
        Step::Inst(inst) if f.op(inst) == Op::Store => f.args(inst).first().copied(),
        _ => None,
    });
    stores.filter_map(|pointer| root(module, f, pointer)).collect()
}

fn is_nan(bits: u32) -> bool {
    f32::from_bits(bits).is_nan()
}

/// Bytes of the outputs of all vertices.
type Lanes = chiaro_ir::interp::Attributes;

fn word(run: &Lanes, g: GlobalRef, vertex: usize, at: usize) -> u32 {
    let bytes = run.get(&g).and_then(|all| all.get(vertex)).and_then(|bytes| bytes.get(at..at + 4));
    bytes.map_or(0, |b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
}

/// The outputs, and the vertices that read out of bounds.
fn interpreted(
    module: &Module,
    entry: &EntryPoint,
    sample: &Sample,
    undef: u64,
) -> Result<(Lanes, HashSet<usize>), String> {
    let mut run = Interpreter::with(module, entry, Float24::NEAREST);
    run.options = Options { fuel: FUEL, undef, ..Options::default() };
    for (&g, bytes) in &sample.uniforms {
        run.set(g, bytes.clone());
    }
    let run = run.run(sample.lanes, &sample.attributes, &mut NoImages);
    let (report, outputs) = run.map_err(|f| f.to_string())?;
    Ok((outputs, stray(&report)))
}

/// The output registers of each vertex.
fn simulated(
    compiled: &Compiled,
    abi: &Abi,
    sample: &Sample,
    start: u32,
) -> Result<Vec<Vec<[f32; 4]>>, String> {
    let mut machine = machine(compiled, start)?;
    let module = &compiled.module;
    let entry = module.entries.first().ok_or("the module has no entry point")?;
    let layout = Interpreter::with(module, entry, Exact);
    for (&g, bytes) in &sample.uniforms {
        let Some((register, shape)) = abi.place(g) else { continue };
        let registers = Registers { module, layout: &layout, abi, bytes };
        registers.set(&mut machine, register, shape, module.global(g).ty, 0);
    }
    let mut inputs: Vec<(GlobalRef, u8)> = abi.inputs.iter().map(|(&g, &v)| (g, v)).collect();
    inputs.sort_unstable_by_key(|input| input.1);
    let count = abi.outputs.len();
    let registers =
        Layout { inputs: inputs.iter().map(|i| i.1).collect(), outputs: (0..count as u8).collect() };
    let mut rows = Vec::with_capacity(sample.lanes * inputs.len());
    for vertex in 0..sample.lanes {
        for (g, _) in &inputs {
            let bytes = sample.attributes.get(g).and_then(|all| all.get(vertex));
            let numbers = vector(module, module.global(*g).ty, bytes.map_or(&[], |b| b));
            // What an attribute lacks is 0, and 1 for w. [azahar]
            rows.push(std::array::from_fn(|i| {
                numbers.get(i).copied().unwrap_or(if i == 3 { 1.0 } else { 0.0 })
            }));
        }
    }
    let mut results = vec![[0.0f32; 4]; sample.lanes * count];
    if inputs.is_empty() {
        return Err("a shader without inputs is not run".into());
    }
    let report = machine.run(&registers, &rows, &mut results).map_err(|e| e.to_string())?;
    if report.faults > 0 {
        let cause = machine.faults().first().map(|f| f.cause.to_string());
        return Err(cause.unwrap_or_else(|| "the program stopped".into()));
    }
    Ok(results.chunks(count.max(1)).map(<[[f32; 4]]>::to_vec).collect())
}

/// A machine with the program and its constants.
fn machine(compiled: &Compiled, start: u32) -> Result<Machine, String> {
    let program = &compiled.shbin.program;
    let config = Config { mode: Mode::Hw24, start_value: start, ..Config::default() };
    let entry = compiled.shbin.executables.first().map_or(0, |dvle| dvle.entry);
    let program =
        Program::load(&program.code, &program.descriptors, entry, &config).map_err(|e| e.to_string())?;
    let mut machine = Arc::new(program).machine();
    for dvle in &compiled.shbin.executables {
        constants(&mut machine, &dvle.constants)?;
    }
    Ok(machine)
}

/// Sets what an executable brings along.
pub(super) fn constants(machine: &mut Machine, constants: &[Constant]) -> Result<(), String> {
    for constant in constants {
        match (constant.target(), constant.value()) {
            (Some(UniformRegister::Float(c)), Some(ConstantValue::Float(raw))) => machine.set_float24(c, raw),
            (Some(UniformRegister::Int(i)), Some(ConstantValue::Int(bytes))) => machine.set_int(i, bytes),
            (Some(UniformRegister::Bool(b)), Some(ConstantValue::Bool(set))) => machine.set_bool(b, set),
            _ => return Err("a constant is for no register".into()),
        }
    }
    Ok(())
}

/// The numbers of a scalar or vector: integers as floats of the same value.
pub(super) fn vector(module: &Module, ty: Ty, bytes: &[u8]) -> Vec<f32> {
    let is_int = module.types.is_int(ty);
    let words = bytes.chunks_exact(4).take(usize::from(module.types.components(ty)));
    let words = words.map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    words.map(|word| if is_int { word as i32 as f32 } else { f32::from_bits(word) }).collect()
}

/// A uniform variable on its way into registers.
pub(super) struct Registers<'a> {
    pub(super) module: &'a Module,
    pub(super) layout: &'a Interpreter<'a, Exact>,
    pub(super) abi: &'a Abi,
    pub(super) bytes: &'a [u8],
}

impl Registers<'_> {
    /// Sets the registers of a part from `first` on, whose bytes begin at `at`. Types are as
    /// deep as the module's declarations.
    pub(super) fn set(&self, machine: &mut Machine, first: u16, shape: u32, ty: Ty, at: usize) {
        let types = &self.module.types;
        let bytes = self.bytes.get(at..).unwrap_or_default();
        let part = |i: u32| types.part(ty, i).map(|part| (part, at + self.layout.offset_of(ty, i) as usize));
        match self.abi.shape(shape) {
            Shape::Vector => {
                let numbers = vector(self.module, ty, bytes);
                let value = std::array::from_fn(|i| numbers.get(i).copied().unwrap_or(0.0));
                machine.set_float(first as u8, value);
            }
            Shape::Bool(b) => machine.set_bool(*b, bytes.first().is_some_and(|&byte| byte & 1 == 1)),
            Shape::Struct(members) => {
                for (i, &(offset, shape)) in members.iter().enumerate() {
                    if let Some((part, at)) = part(i as u32) {
                        self.set(machine, first + offset, shape, part, at);
                    }
                }
            }
            &Shape::Array(elem, size) => {
                for i in 0..types.part_count(ty).unwrap_or(0) {
                    if let Some((part, at)) = part(i) {
                        self.set(machine, first + size * i as u16, elem, part, at);
                    }
                }
            }
            &Shape::Matrix(rows) => {
                let columns: Vec<Vec<f32>> = (0..types.part_count(ty).unwrap_or(0))
                    .filter_map(part)
                    .map(|(part, at)| vector(self.module, part, self.bytes.get(at..).unwrap_or_default()))
                    .collect();
                for row in 0..usize::from(rows) {
                    let number = |column: usize| columns.get(column).and_then(|c| c.get(row)).copied();
                    let value = std::array::from_fn(|column| number(column).unwrap_or(0.0));
                    machine.set_float((first + row as u16) as u8, value);
                }
            }
        }
    }
}
