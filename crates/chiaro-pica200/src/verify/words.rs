//! Running the words: a sample where the compiler has put the variables, the outputs by variable.

use std::sync::Arc;

use chiaro_ir::interp::{Exact, Interpreter};
use chiaro_ir::{GlobalRef, Module, Ty};

use super::Sample;
use crate::abi::{Abi, Count, Input, Shape};
use crate::compile::Compiled;
use crate::container::{Constant, ConstantValue, UniformRegister};
use crate::machine::{Config, Layout, Machine, Mode, Program};

/// What the words give for each vertex: the output registers by variable.
#[derive(Clone, Debug, Default)]
pub struct Ran {
    outputs: Vec<(GlobalRef, Vec<u32>)>,
    vertices: Vec<Vec<[f32; 4]>>,
}

impl Ran {
    /// The register of a scalar or vector of an output variable at a vertex: `path` leads to it
    /// through members and elements. Components that nobody writes are whatever was there.
    #[must_use]
    pub fn output(&self, vertex: usize, variable: GlobalRef, path: &[u32]) -> Option<[f32; 4]> {
        let register = self.outputs.iter().position(|(g, known)| *g == variable && known == path)?;
        self.vertices.get(vertex)?.get(register).copied()
    }
}

/// Runs the words on a sample, in a mode of the simulator; registers start with some bits.
///
/// # Errors
/// What keeps them from running, as a sentence.
pub fn run_words(compiled: &Compiled, sample: &Sample, mode: Mode, start: u32) -> Result<Ran, String> {
    let module = &compiled.module;
    let entry = module.entries.first().ok_or("the module has no entry point")?;
    let abi = &compiled.abi;
    let mut machine = machine(compiled, mode, start)?;
    let layout = Interpreter::with(module, entry, Exact);
    for (&g, bytes) in &sample.uniforms {
        let Some((register, shape)) = abi.place(g) else { continue };
        let registers = Registers { module, layout: &layout, abi, bytes };
        registers.set(&mut machine, register, shape, module.global(g).ty, 0);
    }
    for (register, count) in (0u8..).zip(&abi.counts) {
        let value = count_of(module, &layout, sample, count);
        if count.most().is_some_and(|most| value.first().is_some_and(|&value| value > most)) {
            return Err("a loop is to run more than 256 times, which LOOP cannot count".into());
        }
        // For no round at all the register is not read.
        machine.set_int(register, count.register(&value).unwrap_or_default());
    }
    let mut inputs: Vec<(GlobalRef, Input)> = abi.inputs.iter().map(|(&g, &input)| (g, input)).collect();
    inputs.sort_unstable_by_key(|(_, input)| input.first);
    let mut registers: Vec<u8> =
        inputs.iter().flat_map(|(_, input)| input.first..input.first + input.count).collect();
    let mut rows: Vec<[f32; 4]> = Vec::with_capacity(sample.lanes * registers.len());
    for vertex in 0..sample.lanes {
        for (g, _) in &inputs {
            let bytes = sample.attributes.get(g).and_then(|all| all.get(vertex)).map_or(&[][..], |b| b);
            attribute(module, &layout, module.global(*g).ty, bytes, &mut rows);
        }
    }
    if registers.is_empty() {
        // There is no run without an input; this one nobody reads.
        registers.push(0);
        rows.resize(sample.lanes, [0.0; 4]);
    }
    let count = abi.outputs.len();
    let registers = Layout { inputs: registers, outputs: (0..count as u8).collect() };
    let mut results = vec![[0.0f32; 4]; sample.lanes * count];
    let report = machine.run(&registers, &rows, &mut results).map_err(|e| e.to_string())?;
    if report.faults > 0 {
        let cause = machine.faults().first().map(|f| f.cause.to_string());
        return Err(cause.unwrap_or_else(|| "the program stopped".into()));
    }
    let outputs = abi.outputs.iter().map(|out| (out.variable, out.path.clone())).collect();
    Ok(Ran { outputs, vertices: results.chunks(count.max(1)).map(<[[f32; 4]]>::to_vec).collect() })
}

/// What a sample gives the uniform of an integer register.
fn count_of(module: &Module, layout: &Interpreter<'_, Exact>, sample: &Sample, count: &Count) -> Vec<i32> {
    let at = offset_of(module, layout, count);
    let bytes = sample.uniforms.get(&count.variable).and_then(|bytes| bytes.get(at..)).unwrap_or_default();
    bytes.chunks_exact(4).take(count.components() as usize).map(integer).collect()
}

/// Where the uniform of an integer register lies in its variable.
fn offset_of(module: &Module, layout: &Interpreter<'_, Exact>, count: &Count) -> usize {
    let (mut ty, mut at) = (module.global(count.variable).ty, 0);
    for &part in &count.path {
        at += layout.offset_of(ty, part) as usize;
        ty = module.types.part(ty, part).unwrap_or(ty);
    }
    at
}

/// Makes of what a sample gives uniforms of integer registers numbers that those hold: bytes, and no more rounds than
/// LOOP counts, as authors are told.
pub(super) fn fit(compiled: &Compiled, sample: &mut Sample) {
    let module = &compiled.module;
    let Some(entry) = module.entries.first() else { return };
    let layout = Interpreter::with(module, entry, Exact);
    for count in &compiled.abi.counts {
        let at = offset_of(module, &layout, count);
        let size = 4 * count.components() as usize;
        let bytes = sample.uniforms.get_mut(&count.variable).and_then(|bytes| bytes.get_mut(at..at + size));
        for word in bytes.unwrap_or_default().chunks_exact_mut(4) {
            match count.most() {
                Some(most) => word.copy_from_slice(&integer(word).min(most).to_le_bytes()),
                None => word[1..].fill(0),
            }
        }
    }
}

fn integer(word: &[u8]) -> i32 {
    word.iter().rev().fold(0, |number, &byte| number << 8 | i32::from(byte))
}

/// The registers of an attribute of one vertex.
fn attribute(
    module: &Module,
    layout: &Interpreter<'_, Exact>,
    ty: Ty,
    bytes: &[u8],
    rows: &mut Vec<[f32; 4]>,
) {
    if module.types.components(ty) > 0 {
        let numbers = vector(module, ty, bytes);
        // What an attribute lacks is 0, and 1 for w. [azahar]
        let row = |i: usize| numbers.get(i).copied().unwrap_or(if i == 3 { 1.0 } else { 0.0 });
        rows.push(std::array::from_fn(row));
        return;
    }
    for i in 0..module.types.part_count(ty).unwrap_or(0) {
        let at = layout.offset_of(ty, i) as usize;
        if let (Some(part), Some(rest)) = (module.types.part(ty, i), bytes.get(at.min(bytes.len())..)) {
            attribute(module, layout, part, rest, rows);
        }
    }
}

/// A machine with the program and its constants.
fn machine(compiled: &Compiled, mode: Mode, start: u32) -> Result<Machine, String> {
    let program = &compiled.shbin.program;
    let config = Config { mode, start_value: start, ..Config::default() };
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

/// The numbers of a scalar or vector: integers as floats of the same value, bools as 0 and 1.
pub(super) fn vector(module: &Module, ty: Ty, bytes: &[u8]) -> Vec<f32> {
    let (is_int, is_bool) = (module.types.is_int(ty), module.types.is_bool(ty));
    let words = bytes.chunks_exact(4).take(usize::from(module.types.components(ty)));
    let words = words.map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    let number = |word| match word {
        _ if is_bool => f32::from(word != 0),
        _ if is_int => word as i32 as f32,
        _ => f32::from_bits(word),
    };
    words.map(number).collect()
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
            Shape::Absent => {}
            // Any number but zero, as a language has it that keeps an integer here.
            Shape::Bool(b) => machine.set_bool(*b, bytes.iter().take(4).any(|&byte| byte != 0)),
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
