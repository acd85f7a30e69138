//! What the variables of a shader's functions hold while it is run by itself, for the debugger, which looks for
//! those values in the registers of the machine.

use std::collections::HashMap;

use chiaro_dap::lab::{Assigned, Local, Scalar};
use chiaro_diag::FileId;
use chiaro_ir::Module;
use chiaro_ir::interp::Watched;
use chiaro_lsp::Document;

use crate::draw::Interpreted;
use crate::{Inputs, LoadedModule, Work};

/// Scalars that are watched at most.
const MOST_SCALARS: usize = 1 << 16;
/// Steps of the interpreter at most.
const MOST_STEPS: u64 = 1 << 17;

/// Variables and what they are given; none where the source cannot be run by itself.
pub(super) fn watch(
    shader: &LoadedModule,
    entry: &str,
    inputs: &Inputs,
    (document, file): (&Document, FileId),
) -> (Vec<Local>, Vec<Assigned>) {
    let mut module = shader.module.clone();
    module.entries.retain(|known| known.name == entry);
    let start = module.entries.first().map(|entry| module.function(entry.function).name.clone());
    let Ok(mut interpreted) = Interpreted::new(&module, &[]) else { return Default::default() };
    if inputs.resources.iter().any(|(name, value)| interpreted.give(&shader.interface, name, value).is_err())
    {
        return Default::default();
    }
    let mut work = as_run(&module, &inputs.work);
    if let Work::Vertices(given) | Work::Fragments(given) = &mut work {
        given.columns.iter_mut().for_each(|(name, _)| *name = input_name(shader, name));
    }
    let Some(watched) = interpreted.watch(&work, MOST_SCALARS, MOST_STEPS) else { return Default::default() };
    let scalars: Vec<_> = watched.variables.iter().map(|variable| interpreted.scalars(variable.ty)).collect();
    let local = |(variable, scalars): (&chiaro_ir::interp::Variable, &Vec<(String, u32, _)>)| Local {
        name: variable.name.clone(),
        function: if Some(&variable.function) == start.as_ref() {
            String::new()
        } else {
            variable.function.clone()
        },
        scalars: scalars.iter().map(|(path, _, kind)| Scalar { path: path.clone(), kind: *kind }).collect(),
    };
    let locals = watched.variables.iter().zip(&scalars).map(local).collect();
    let places: Vec<HashMap<u32, usize>> = scalars
        .iter()
        .map(|scalars| scalars.iter().enumerate().map(|(n, (_, offset, _))| (*offset, n)).collect())
        .collect();
    (locals, assigned(&watched, &places, (document, file)))
}

/// What the IR calls an input.
fn input_name(shader: &LoadedModule, name: &str) -> String {
    let module = &shader.module;
    let is_input = |global| module.global(global).space == chiaro_ir::Space::Input;
    let found = shader.interface.find(name, is_input).filter(|(_, path)| path.is_empty());
    found.map_or_else(|| name.to_owned(), |(global, _)| module.global(global).name.clone())
}

/// Without any input a dispatch is one group, as the simulators have it.
fn as_run(module: &Module, work: &Work) -> Work {
    let is_compute = module.entries.first().is_some_and(|entry| entry.stage == crate::Stage::Compute);
    match work {
        Work::Vertices(given) if is_compute && given.columns.is_empty() => Work::Dispatch([1; 3]),
        other => other.clone(),
    }
}

/// Stores of lanes that go together are one.
fn assigned(
    watched: &Watched,
    places: &[HashMap<u32, usize>],
    (document, file): (&Document, FileId),
) -> Vec<Assigned> {
    let mut all: Vec<Assigned> = Vec::new();
    let mut open: HashMap<(usize, usize, u32), usize> = HashMap::new();
    for one in &watched.assigned {
        let Some(span) = one.span.filter(|span| span.file == file) else { continue };
        let local = one.variable as usize;
        let Some(&scalar) = places.get(local).and_then(|places| places.get(&one.offset)) else { continue };
        let value = (one.lane as usize, one.bits);
        let known = open.get(&(local, scalar, span.start)).copied();
        let goes_on = known.filter(|&n| all[n].values.last().is_some_and(|(lane, _)| *lane < value.0));
        if let Some(n) = goes_on {
            all[n].values.push(value);
            continue;
        }
        let line = |byte: u32| document.line_of(byte as usize) as u32 + 1;
        open.insert((local, scalar, span.start), all.len());
        let lines = (line(span.start), line(span.end.max(span.start + 1) - 1));
        all.push(Assigned { local, scalar, lines, values: vec![value] });
    }
    all
}
