//! Several modules in one: the stages of a pipeline, which call one another.

use std::collections::HashSet;
use std::ops::Range;

use crate::constant::{Constant, ConstantKind};
use crate::id::{FunctionRef, GlobalRef};
use crate::module::{EntryPoint, Global, Module, Spec};
use crate::op::Op;
use crate::ty::{Member, Ty, Type};

/// Where the parts of a module that was added stand now.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Added {
    /// Its variables.
    pub globals: Range<u32>,
    /// Its functions.
    pub functions: Range<u32>,
    /// Its entry points.
    pub entries: Range<usize>,
}

/// Adds all of another module. Nothing is shared but types and constants: variables at one binding stay two. Names that
/// are taken get a number; constants that are chosen late lose theirs if it is taken.
pub fn merge(into: &mut Module, other: &Module) -> Added {
    let (globals, functions) = (into.globals.len() as u32, into.functions.len() as u32);
    let entries = into.entries.len();
    let (specs, texts) = (into.specs.len() as u32, into.texts.len() as u32);
    let types = add_types(into, other);
    let constants = add_constants(into, other, &types, [globals, functions, specs]);
    let ty = |old: Ty| types[old.0 as usize];
    let constant = |old: Constant| constants[old.0 as usize];
    add_specs(into, other, &constant);
    into.texts.extend(other.texts.iter().cloned());
    let mut taken: HashSet<String> = into.globals.iter().map(|g| g.name.clone()).collect();
    for global in &other.globals {
        let name = if global.name.is_empty() { String::new() } else { free(&mut taken, &global.name) };
        let init = global.init.map(constant);
        into.globals.push(Global { name, ty: ty(global.ty), init, ..global.clone() });
    }
    let mut taken: HashSet<String> = into.functions.iter().map(|f| f.name.clone()).collect();
    for function in &other.functions {
        let op = |op: Op| match op {
            Op::Call(f) => Op::Call(FunctionRef(f.0 + functions)),
            Op::Print(text) => Op::Print(text + texts),
            other => other,
        };
        let mut added = function.renumbered(&ty, &constant, &op);
        added.name = free(&mut taken, &function.name);
        into.functions.push(added);
    }
    add_entries(into, other, globals, functions);
    Added {
        globals: globals..into.globals.len() as u32,
        functions: functions..into.functions.len() as u32,
        entries: entries..into.entries.len(),
    }
}

/// A name that nobody has yet.
fn free(taken: &mut HashSet<String>, name: &str) -> String {
    let numbered = (1..).map(|n| format!("{name}.{n}"));
    let found = std::iter::once(name.to_owned()).chain(numbered).find(|name| !taken.contains(name));
    let found = found.unwrap_or_default();
    taken.insert(found.clone());
    found
}

/// Types are made of earlier ones, so that one walk in order finds all parts.
fn add_types(into: &mut Module, other: &Module) -> Vec<Ty> {
    let mut types: Vec<Ty> = Vec::with_capacity(other.types.len());
    for n in 0..other.types.len() as u32 {
        let known = |ty: Ty| types[ty.0 as usize];
        let ty = match other.types.get(Ty(n)).clone() {
            Type::Vector(part, n) => Type::Vector(known(part), n),
            Type::Array(part, n, stride) => Type::Array(known(part), n, stride),
            Type::RuntimeArray(part, stride) => Type::RuntimeArray(known(part), stride),
            Type::Struct(name, members) => {
                let members = members.into_iter().map(|m| Member { ty: known(m.ty), ..m });
                Type::Struct(name, members.collect())
            }
            Type::Image(mut image) => {
                image.component = known(image.component);
                Type::Image(image)
            }
            Type::SampledImage(mut image) => {
                image.component = known(image.component);
                Type::SampledImage(image)
            }
            Type::Pointer(space, to) => Type::Pointer(space, known(to)),
            Type::Function(params, result) => {
                Type::Function(params.into_iter().map(known).collect(), known(result))
            }
            plain => plain,
        };
        types.push(into.types.intern(ty));
    }
    types
}

fn add_constants(
    into: &mut Module,
    other: &Module,
    types: &[Ty],
    [globals, functions, specs]: [u32; 3],
) -> Vec<Constant> {
    let mut constants: Vec<Constant> = Vec::with_capacity(other.constants.len());
    for n in (0..other.constants.len() as u32).map(Constant) {
        let kind = match other.constants.get(n).clone() {
            ConstantKind::Composite(parts) => {
                ConstantKind::Composite(parts.into_iter().map(|part| constants[part.0 as usize]).collect())
            }
            ConstantKind::Global(g) => ConstantKind::Global(GlobalRef(g.0 + globals)),
            ConstantKind::Function(f) => ConstantKind::Function(FunctionRef(f.0 + functions)),
            ConstantKind::Spec(n) => ConstantKind::Spec(n + specs),
            plain => plain,
        };
        let ty = types[other.constants.ty(n).0 as usize];
        constants.push(into.constants.intern(ty, kind));
    }
    constants
}

fn add_specs(into: &mut Module, other: &Module, constant: &impl Fn(Constant) -> Constant) {
    let taken: HashSet<u32> = into.specs.iter().filter_map(|spec| spec.id).collect();
    for spec in &other.specs {
        let id = spec.id.filter(|id| !taken.contains(id));
        into.specs.push(Spec { name: spec.name.clone(), id, default: constant(spec.default) });
    }
}

fn add_entries(into: &mut Module, other: &Module, globals: u32, functions: u32) {
    let mut taken: HashSet<String> = into.entries.iter().map(|e| e.name.clone()).collect();
    for entry in &other.entries {
        into.entries.push(EntryPoint {
            name: free(&mut taken, &entry.name),
            function: FunctionRef(entry.function.0 + functions),
            interface: entry.interface.iter().map(|g| GlobalRef(g.0 + globals)).collect(),
            ..entry.clone()
        });
    }
}
