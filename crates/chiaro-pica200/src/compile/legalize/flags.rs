//! Integers of uniform blocks that are bools: SPIR-V and WGSL have none in memory.
//!
//! What a shader does with a bool of a block is to compare an integer with zero. Where it does nothing else
//! with one, that is a bool, which the machine has registers for (b0 to b15, spec section 3):
//!
//! ```text
//! %1: u32 = load (access @block, 3)           %1: bool = load (access @block, 3)
//! %2: bool = ine %1, 0                  ->    ... %1
//! ```
//!
//! True after: such a member is declared as a bool. Loose uniforms stay what they are declared as, since
//! languages that have them have bools among them.

use chiaro_ir::{Def, Function, FunctionRef, GlobalRef, Inst, Member, Module, Op, Space, Type, Value, Walk};
use chiaro_opt::lower::number;
use chiaro_opt::lower::rewrite::{Replaced, Rewrite, Rule, rewrite};
use chiaro_opt::{Changed, Cx};

use super::counters::place;
use crate::abi::Place;
use crate::abi::touched::touched;

/// Declares integers that are only compared with zero as bools.
pub fn flags(module: &mut Module, f: FunctionRef, _: &mut Cx<'_>) -> Changed {
    let flags = found(module, module.function(f));
    if flags.is_empty() {
        return Changed::No;
    }
    for (g, path) in &flags {
        declare(module, *g, path);
    }
    rewrite(module, f, Flags { flags })
}

/// Integers of blocks that are bools: every access is one to them alone, and a test.
fn found(module: &Module, f: &Function) -> Vec<Place> {
    let touched = touched(module, f);
    let mut found: Vec<Place> = Vec::new();
    for inst in Walk::insts(f) {
        let Some(place) = flag(module, f, inst).filter(|place| !found.contains(place)) else { continue };
        if touched.iter().filter(|touch| touch.meets(place.0, &place.1)).all(|touch| touch.path == place.1) {
            found.push(place);
        }
    }
    // One that is also read as a number is none.
    for inst in Walk::insts(f).filter(|&inst| flag(module, f, inst).is_none()) {
        let read = f.args(inst).iter().filter_map(|&v| loaded(module, f, v));
        let read: Vec<Place> = read.collect();
        found.retain(|place| !read.contains(place));
    }
    found
}

/// The integer that an instruction compares with zero.
fn flag(module: &Module, f: &Function, inst: Inst) -> Option<Place> {
    let &[a, b] = f.args(inst) else { return None };
    let is_zero = |v: Value| matches!(f.def(v), Def::Constant(c) if number(module, c) == Some(0.0));
    match f.op(inst) {
        Op::INe | Op::IEq if is_zero(b) => loaded(module, f, a),
        Op::INe | Op::IEq | Op::ULt if is_zero(a) => loaded(module, f, b),
        _ => None,
    }
}

/// The member of a block that a value was loaded from, if it is an integer.
fn loaded(module: &Module, f: &Function, value: Value) -> Option<Place> {
    let Def::Result(inst, _) = f.def(value) else { return None };
    let &[pointer] = f.args(inst) else { return None };
    if f.op(inst) != Op::Load || *module.types.get(f.ty(value)) != Type::Int(32) {
        return None;
    }
    let (space, _) = module.types.pointee(f.ty(pointer))?;
    let can_be = |(g, path): &Place| {
        let global = module.global(*g);
        let is_member = path.len() == 1 && matches!(module.types.get(global.ty), Type::Struct(..));
        global.init.is_none() && (path.is_empty() || is_member)
    };
    place(module, f, pointer).filter(|found| space == Space::Uniform && can_be(found))
}

/// Makes a bool of an integer, which stands where it stood.
fn declare(module: &mut Module, g: GlobalRef, path: &[u32]) {
    let bool = module.types.intern(Type::Bool);
    let global = &module.globals[g.0 as usize];
    let ty = match (path, module.types.get(global.ty).clone()) {
        (&[i], Type::Struct(name, members)) => {
            let each = members.into_iter().zip(0..);
            let members = each.map(|(m, n)| if n == i { Member { ty: bool, ..m } } else { m }).collect();
            module.types.intern(Type::Struct(name, members))
        }
        _ => bool,
    };
    module.globals[g.0 as usize].ty = ty;
    let place = module.types.intern(Type::Pointer(Space::Uniform, ty));
    module.constants.retype(g, place);
}

struct Flags {
    flags: Vec<Place>,
}

impl Flags {
    /// Whether a pointer leads to one of them.
    fn holds(r: &mut Rewrite<'_, Self>, pointer: Value) -> bool {
        place(r.b.module(), r.old, pointer).is_some_and(|place| r.rule.flags.contains(&place))
    }
}

impl Rule for Flags {
    fn replace(r: &mut Rewrite<'_, Self>, inst: Inst, op: Op) -> Replaced {
        match op {
            Op::Access if r.old.result_of(inst).is_some_and(|pointer| Flags::holds(r, pointer)) => {
                let args = r.args(inst);
                Replaced::By(r.b.access(args[0], &args[1..]))
            }
            Op::Load if Flags::holds(r, r.old.args(inst)[0]) => {
                let pointer = r.args(inst)[0];
                Replaced::By(r.b.load(pointer))
            }
            Op::INe | Op::IEq | Op::ULt => tested(r, inst, op),
            _ => Replaced::Copy,
        }
    }
}

/// A comparison of a flag with zero: the flag itself, or its opposite.
fn tested(r: &mut Rewrite<'_, Flags>, inst: Inst, op: Op) -> Replaced {
    let is_flag = |r: &mut Rewrite<'_, Flags>, v: Value| {
        r.old_inst(v).is_some_and(|(load, op)| op == Op::Load && Flags::holds(r, r.old.args(load)[0]))
    };
    let Some(&flag) = r.old.args(inst).iter().find(|&&v| is_flag(r, v)) else { return Replaced::Copy };
    let flag = r.value(flag);
    Replaced::By(if op == Op::IEq { r.b.not(flag) } else { flag })
}
