//! Dynamic indices into registers, lowered to masks.
//!
//! The index register reaches uniforms alone (spec section 10). A component of a vector, and
//! an element of a local array, is the sum of all, each times 1 or 0; a write changes all:
//!
//! ```text
//! %2: f32 = extractd %v, %i              %2: f32 = fdot %v, mask        mask: 1 where i = 0, 1, 2, 3
//! store access(%array, %i), %x           every element e: x * m + e * (1 - m)
//! ```
//!
//! An index out of bounds reads 0 and writes nothing, as the IR has it. A NaN in an element
//! that is not meant is seen all the same; infinity times 0 is 0 on this machine.
//!
//! This pass comes after those that make everything floats. True after: what is indexed by
//! a number that is computed are arrays of uniforms.

use chiaro_ir::{Builder, Def, Function, FunctionRef, Inst, Module, Op, Space, Ty, Value};
use chiaro_opt::{Changed, Cx};

use chiaro_opt::lower::Arith;
use chiaro_opt::lower::mask::{blend, component, mask};
use chiaro_opt::lower::rewrite::{Replaced, Rewrite, Rule, has, rewrite};

/// Elements that one access may touch.
const MOST: usize = 64;

/// Replaces indices that are computed, but those into uniforms.
pub fn dynamic(module: &mut Module, f: FunctionRef, _: &mut Cx<'_>) -> Changed {
    let wanted = |f: &Function, inst: Inst, op: Op| {
        matches!(op, Op::Load | Op::Store)
            && Path::of(module, f, f.args(inst)[0]).is_some_and(|p| p.is_masked())
    };
    if has(module, f, wanted) { rewrite(module, f, Dynamic) } else { Changed::No }
}

/// The way from a variable to a part of it.
struct Path {
    root: Value,
    space: Space,
    /// Each index with the type of what it is an index into.
    steps: Vec<(Value, Ty, bool)>,
    /// Whether the last step picks a component of a vector.
    into_vector: bool,
}

impl Path {
    fn of(module: &Module, f: &Function, pointer: Value) -> Option<Path> {
        let (space, _) = module.types.pointee(f.ty(pointer))?;
        let (mut root, mut indices) = (pointer, Vec::new());
        while let Def::Result(inst, _) = f.def(root)
            && f.op(inst) == Op::Access
        {
            indices.extend(f.args(inst)[1..].iter().rev());
            root = *f.args(inst).first()?;
        }
        let (_, mut ty) = module.types.pointee(f.ty(root))?;
        let (mut steps, mut into_vector) = (Vec::new(), false);
        for &index in indices.iter().rev() {
            let dynamic = !matches!(f.def(index), Def::Constant(_));
            into_vector = module.types.components(ty) > 1;
            steps.push((index, ty, dynamic));
            let n = match f.def(index) {
                Def::Constant(c) => module.constants.bits(c)? as u32,
                _ => 0,
            };
            ty = module.types.part(ty, n)?;
        }
        Some(Path { root, space, steps, into_vector })
    }

    fn is_uniform(&self) -> bool {
        matches!(self.space, Space::Uniform | Space::UniformConstant | Space::PushConstant)
    }

    /// Whether an index has to be replaced by masks.
    fn is_masked(&self) -> bool {
        match self.is_uniform() {
            true => self.into_vector && self.steps.last().is_some_and(|step| step.2),
            false => self.steps.iter().any(|step| step.2),
        }
    }
}

struct Dynamic;

impl Rule for Dynamic {
    fn replace(r: &mut Rewrite<'_, Self>, inst: Inst, op: Op) -> Replaced {
        if !matches!(op, Op::Load | Op::Store) {
            return Replaced::Copy;
        }
        let path = Path::of(r.b.module(), r.old, r.old.args(inst)[0]).filter(Path::is_masked);
        let Some(path) = path else { return Replaced::Copy };
        let value = r.arg(inst, 1).or(r.old.result_of(inst));
        let plain = value.is_some_and(|v| {
            let ty = r.old.ty(v);
            r.b.types().is_float(ty)
        });
        if !plain {
            return Replaced::Copy;
        }
        if path.is_uniform() {
            return component_of_uniform(r, &path).map_or(Replaced::Copy, Replaced::By);
        }
        let Some(elements) = elements(r, &path) else { return Replaced::Copy };
        match op {
            Op::Load => Replaced::By(sum(&mut r.b, &elements)),
            _ => {
                let value = r.args(inst)[1];
                store(&mut r.b, &elements, value);
                Replaced::Gone
            }
        }
    }
}

/// A pointer to an element, and the factor that is 1 if it is meant.
type Element = (Value, Value);

/// All elements that a path may lead to.
fn elements(r: &mut Rewrite<'_, Dynamic>, path: &Path) -> Option<Vec<Element>> {
    let mut prefixes: Vec<(Vec<Value>, Option<Value>)> = vec![(Vec::new(), None)];
    for &(index, ty, dynamic) in &path.steps {
        if !dynamic {
            let index = r.value(index);
            prefixes.iter_mut().for_each(|(way, _)| way.push(index));
            continue;
        }
        let n = r.b.types().part_count(ty)? as usize;
        if n * prefixes.len() > MOST {
            return None;
        }
        let number = float_of(r, index)?;
        let factors = factors(&mut r.b, number, n);
        let mut next = Vec::with_capacity(n * prefixes.len());
        for (way, factor) in prefixes {
            for (i, &f) in factors.iter().enumerate() {
                let index = r.b.u32(i as u32);
                let factor = match factor {
                    None => f,
                    Some(outer) => r.b.fmul(outer, f),
                };
                next.push((way.iter().copied().chain([index]).collect(), Some(factor)));
            }
        }
        prefixes = next;
    }
    let root = r.value(path.root);
    let elements = prefixes.into_iter().map(|(way, factor)| Some((r.b.access(root, &way), factor?)));
    elements.collect()
}

/// For each number below `n` 1 if it is the index, else 0; four at a time.
fn factors(b: &mut Builder<'_>, index: Value, n: usize) -> Vec<Value> {
    let mut factors = Vec::with_capacity(n);
    for first in (0..n).step_by(4) {
        let mask = mask(b, index, first, (n - first).min(4) as u8);
        factors.extend(b.parts(mask));
    }
    factors
}

/// The float that an index was made of.
fn float_of(r: &mut Rewrite<'_, Dynamic>, index: Value) -> Option<Value> {
    let (inst, op) = r.old_inst(index)?;
    let args = r.old.args(inst);
    match (op, args) {
        (Op::FToS, &[float]) => Some(r.value(float)),
        (Op::IAdd, &[a, b]) => {
            let (from, by) = if r.old_constant(a).is_some() { (b, a) } else { (a, b) };
            let (inner, Op::FToS) = r.old_inst(from)? else { return None };
            let c = r.old_constant(by)?;
            let by = chiaro_opt::lower::number(r.b.module(), c)?;
            let float = r.arg(inner, 0)?;
            let float = r.value(float);
            Some(r.b.plus(float, by))
        }
        _ => None,
    }
}

/// The sum of all elements, each times its factor.
fn sum(b: &mut Builder<'_>, elements: &[Element]) -> Value {
    let mut sum = None;
    for &(pointer, factor) in elements {
        let element = b.load(pointer);
        let ty = b.ty(element);
        let factor = b.splat(ty, factor);
        sum = Some(match sum {
            None => b.fmul(element, factor),
            Some(sum) => b.fma(element, factor, sum),
        });
    }
    sum.unwrap_or_else(|| b.f32(0.0))
}

fn store(b: &mut Builder<'_>, elements: &[Element], value: Value) {
    for &(pointer, factor) in elements {
        let element = b.load(pointer);
        let ty = b.ty(element);
        let factor = b.splat(ty, factor);
        let new = blend(b, factor, value, element);
        b.store(pointer, new);
    }
}

/// A component of a vector that is a uniform: all of it is read.
fn component_of_uniform(r: &mut Rewrite<'_, Dynamic>, path: &Path) -> Option<Value> {
    let (last, rest) = path.steps.split_last()?;
    let number = float_of(r, last.0)?;
    let root = r.value(path.root);
    let way: Vec<Value> = rest.iter().map(|&(index, ..)| r.value(index)).collect();
    let pointer = r.b.access(root, &way);
    let vector = r.b.load(pointer);
    Some(component(&mut r.b, vector, number))
}

/// The space and the indices of an access that are into arrays: what the index register can do.
pub(super) fn is_indexable(module: &Module, f: &Function, access: Inst, n: usize) -> bool {
    let Some(path) = f.result_of(access).and_then(|v| Path::of(module, f, v)) else { return false };
    let own = f.args(access).len() - 1;
    let at = (path.steps.len() + n).checked_sub(own + 1);
    let step = at.and_then(|at| path.steps.get(at));
    path.is_uniform() && step.is_some_and(|&(_, ty, _)| module.types.components(ty) == 0)
}
