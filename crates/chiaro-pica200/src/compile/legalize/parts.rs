//! Components of uniforms of four integers, which integer registers may be.

use chiaro_ir::{Def, Function, Module, Op, Space, Type, Value};
use chiaro_opt::lower::number;

use crate::abi::{Place, VERTICES};

/// A component of a uniform of four integers.
pub(crate) fn part(module: &Module, f: &Function, mut value: Value) -> Option<(Place, u32)> {
    let mut component = None;
    loop {
        let Def::Result(inst, _) = f.def(value) else { return None };
        value = match (f.op(inst), f.args(inst)) {
            (Op::FToS | Op::FToU | Op::SToF | Op::UToF, &[inner]) => inner,
            (Op::Extract(n), &[whole]) if component.is_none() => {
                component = Some(n);
                whole
            }
            (Op::Load, &[pointer]) => {
                let (g, mut path) = members(module, f, pointer)?;
                let component = component.or_else(|| path.pop())?;
                return is_four_integers(module, &(g, path.clone())).then_some(((g, path), component));
            }
            _ => return None,
        };
    }
}

/// The variable that a pointer leads into, and the constant indices on the way.
pub(super) fn members(module: &Module, f: &Function, pointer: Value) -> Option<Place> {
    let (mut at, mut path) = (pointer, Vec::new());
    while let Def::Result(inst, _) = f.def(at) {
        let (&base, indices) = f.args(inst).split_first()?;
        for &index in indices.iter().rev() {
            path.push(u32::try_from(constant(module, f, index)?).ok()?);
        }
        at = base;
    }
    path.reverse();
    Some((module.variable_of(f, pointer)?, path))
}

/// Whether a place is a uniform of four integers that is no element of an array.
pub(super) fn is_four_integers(module: &Module, (g, path): &Place) -> bool {
    let global = module.global(*g);
    let is_uniform = matches!(global.space, Space::Uniform | Space::UniformConstant | Space::PushConstant);
    let ty = path.iter().try_fold(global.ty, |ty, &i| {
        matches!(module.types.get(ty), Type::Struct(..)).then(|| module.types.part(ty, i))?
    });
    let is_four = |ty| module.types.is_int(ty) && module.types.components(ty) == 4;
    is_uniform && global.binding.set != Some(VERTICES) && ty.is_some_and(is_four)
}

/// The number that a value is.
pub(super) fn constant(module: &Module, f: &Function, v: Value) -> Option<i64> {
    let Def::Constant(c) = f.def(v) else { return None };
    module.types.is_int(f.ty(v)).then(|| number(module, c).map(|x| x as i64))?
}
