//! Output registers: which variables have one, and what each is for.

use super::registers;
use crate::container::outmap::Property;
use chiaro_diag::Diagnostic;
use chiaro_ir::{
    Binding, ConstantKind, Def, EntryPoint, Function, GlobalRef, Module, Op, Space, Step, Ty, Type, Value,
    Walk,
};

/// Names of outputs and the number of the property that they stand for, in lower case and
/// without the prefixes `out_`, `o_`, `v_` and `f_`.
pub const NAMES: [(&str, u16); 32] = [
    ("position", 0),
    ("pos", 0),
    ("normalquat", 1),
    ("nquat", 1),
    ("quaternion", 1),
    ("quat", 1),
    ("q", 1),
    ("color", 2),
    ("colour", 2),
    ("col", 2),
    ("clr", 2),
    ("texcoord0", 3),
    ("tcoord0", 3),
    ("texcoord", 3),
    ("tex0", 3),
    ("uv0", 3),
    ("uv", 3),
    ("texcoord0w", 4),
    ("tcoord0w", 4),
    ("uv0w", 4),
    ("texcoord1", 5),
    ("tcoord1", 5),
    ("tex1", 5),
    ("uv1", 5),
    ("texcoord2", 6),
    ("tcoord2", 6),
    ("tex2", 6),
    ("uv2", 6),
    ("view", 8),
    ("eye", 8),
    ("viewdir", 8),
    ("dummy", 9),
];

/// The property of an output whose name says nothing, by location.
pub const LOCATIONS: [u16; 6] = [1, 2, 3, 5, 6, 8];

/// SPIR-V's number of the built-in position.
const POSITION: u32 = 0;
/// o registers that there are.
const REGISTERS: usize = 16;

/// An output register.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Out {
    /// The variable, and the members and elements that lead to a scalar or vector of it.
    pub(crate) variable: GlobalRef,
    pub(crate) path: Vec<u32>,
    pub(crate) property: &'static Property,
}

/// The registers of the outputs that an entry point writes, position first.
///
/// # Errors
/// More than there are.
pub(super) fn placed(module: &Module, entry: &EntryPoint) -> Result<Vec<Out>, Box<Diagnostic>> {
    let written = written(module, module.function(entry.function));
    let mut outs = Vec::new();
    for (i, global) in module.globals.iter().enumerate() {
        let variable = GlobalRef(i as u32);
        if global.space != Space::Output || !entry.interface.contains(&variable) {
            continue;
        }
        let mut all = Leaves { module, variable, outs: Vec::new() };
        match module.types.get(global.ty) {
            Type::Struct(_, members) => {
                for (i, member) in members.iter().enumerate() {
                    let binding = global.members.get(i).unwrap_or(&global.binding);
                    all.add(&member.name, binding, binding.location, member.ty, &mut vec![i as u32]);
                }
            }
            _ => all.add(&global.name, &global.binding, global.binding.location, global.ty, &mut Vec::new()),
        }
        let is_written = |out: &Out| {
            let meets = |path: &Vec<u32>| path.iter().zip(&out.path).all(|(a, b)| a == b);
            written.iter().any(|(g, path)| *g == variable && meets(path))
        };
        outs.extend(all.outs.into_iter().filter(is_written));
    }
    if outs.len() > REGISTERS {
        let what = format!("the shader writes {} output vectors, {REGISTERS} are there", outs.len());
        let error = Diagnostic::error(None, what);
        return Err(error.help("pack scalars into vectors, or leave outputs out").into());
    }
    // The position has to be in o0 [libctru]: the sort keeps the order of the others.
    outs.sort_by_key(|out| out.property.kind != 0);
    Ok(outs)
}

/// The scalars and vectors of an output variable.
struct Leaves<'m> {
    module: &'m Module,
    variable: GlobalRef,
    outs: Vec<Out>,
}

impl Leaves<'_> {
    /// Adds those of a part; types are as deep as the module's declarations.
    fn add(&mut self, name: &str, binding: &Binding, location: Option<u32>, ty: Ty, path: &mut Vec<u32>) {
        let types = &self.module.types;
        if types.components(ty) > 0 {
            if let Some(property) = property_of(name, binding.builtin, location) {
                self.outs.push(Out { variable: self.variable, path: path.clone(), property });
            }
            return;
        }
        let mut next = location;
        // One more than there are is enough to be too many.
        for i in 0..types.part_count(ty).unwrap_or(0).min(REGISTERS as u32 + 1) {
            let Some(part) = types.part(ty, i) else { continue };
            path.push(i);
            // The name is that of the first part alone.
            self.add(if i == 0 { name } else { "" }, binding, next, part, path);
            path.pop();
            next = next.map(|n| n.saturating_add(registers(self.module, part).into()));
        }
    }
}

/// The outputs that something stores to, each with the constant part of its path.
fn written(module: &Module, f: &Function) -> Vec<(GlobalRef, Vec<u32>)> {
    let mut found = Vec::new();
    for step in Walk::new(f) {
        let Step::Inst(inst) = step else { continue };
        let (Op::Store, Some(&pointer)) = (f.op(inst), f.args(inst).first()) else { continue };
        if let Some(g) = module.variable_of(f, pointer).filter(|g| module.global(*g).space == Space::Output) {
            found.push((g, path(module, f, pointer)));
        }
    }
    found
}

/// The indices of a pointer, up to the first that is computed; those into vectors included.
fn path(module: &Module, f: &Function, pointer: Value) -> Vec<u32> {
    let (mut at, mut indices) = (pointer, Vec::new());
    while let Def::Result(inst, _) = f.def(at)
        && f.op(inst) == Op::Access
    {
        let (base, more) = f.args(inst).split_at(1);
        indices.extend(more.iter().rev());
        at = base[0];
    }
    let number = |v: &Value| match f.def(*v) {
        Def::Constant(c) if !matches!(module.constants.get(c), ConstantKind::Global(_)) => {
            module.constants.bits(c).map(|n| n as u32)
        }
        _ => None,
    };
    indices.iter().rev().map_while(number).collect()
}

/// What an output is for; `None` for what the machine has no place for (point size and the like).
fn property_of(name: &str, builtin: Option<u32>, location: Option<u32>) -> Option<&'static Property> {
    if let Some(builtin) = builtin {
        return if builtin == POSITION { Property::of(0) } else { None };
    }
    let lower = name.to_ascii_lowercase();
    let bare = ["out_", "o_", "v_", "f_"].iter().find_map(|p| lower.strip_prefix(p)).unwrap_or(&lower);
    // Only the built-in is the position: a colour may well be called `pos`.
    let named = NAMES.iter().find(|(known, kind)| *known == bare && *kind != 0).map(|(_, kind)| *kind);
    let located = || location.and_then(|n| LOCATIONS.get(n as usize)).copied();
    Property::of(named.or_else(located).unwrap_or(9))
}
