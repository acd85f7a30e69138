//! Store merging: stores of all components of a vector, one by one, become one store.
//!
//! ```text
//! %2 = access @out, 0; store %2, %0          %4: vec2<f32> = construct %0, %1
//! %3 = access @out, 1; store %3, %1    ->    store @out, %4
//! ```
//!
//! Within a block, as long as nothing between them may read or write the place: loads of what
//! nobody writes and stores to other variables may stand there. Then `vectorize` sees what the
//! vector is made of.

use crate::rewrite::lend;
use crate::{Changed, Cx};
use chiaro_ir::{
    Block, Def, Effect, Function, FunctionRef, GlobalRef, Inst, Module, Op, Space, Ty, Type, Value,
};

/// Vectors that are waited for at a time.
const MOST: usize = 32;

/// Merges stores of components.
pub fn merge_stores(module: &mut Module, f: FunctionRef, _: &mut Cx<'_>) -> Changed {
    lend(module, f, |module, f| {
        let tree = f.tree();
        tree.into_iter().fold(false, |changed, (_, block)| merge(module, f, block) || changed)
    })
    .into()
}

/// A vector of a variable of the module, of which some components are stored.
struct Pending {
    root: GlobalRef,
    /// The variable, and the constant indices of the vector in it, as values and as numbers.
    base: Value,
    path: Vec<Value>,
    numbers: Vec<u32>,
    /// The type of the vector, and where it points.
    vector: Ty,
    space: Space,
    parts: Vec<Option<(Inst, Value)>>,
}

/// A place of one component.
struct Component {
    root: GlobalRef,
    base: Value,
    path: Vec<Value>,
    numbers: Vec<u32>,
    vector: Ty,
    space: Space,
    part: usize,
}

fn merge(module: &mut Module, f: &mut Function, block: Block) -> bool {
    let insts = std::mem::take(&mut f.block_mut(block).insts);
    let (mut kept, mut open): (Vec<Inst>, Vec<Pending>) = (Vec::with_capacity(insts.len()), Vec::new());
    let mut merged = Vec::new();
    for inst in insts {
        kept.push(inst);
        let Some(component) = component(module, f, inst) else {
            forget(module, f, inst, &mut open);
            continue;
        };
        let value = f.args(inst)[1];
        if let Some(done) = note(&mut open, component, inst, value, module) {
            merged.extend(done.parts.iter().flatten().map(|(inst, _)| *inst));
            write(module, f, inst, &done, &mut kept);
        }
    }
    let changed = !merged.is_empty();
    if changed {
        let merged: std::collections::HashSet<Inst> = merged.into_iter().collect();
        kept.retain(|inst| !merged.contains(inst));
    }
    f.block_mut(block).insts = kept;
    changed
}

/// The component that an instruction stores, of a variable of the module.
fn component(module: &Module, f: &Function, inst: Inst) -> Option<Component> {
    if f.op(inst) != Op::Store || f.inst(inst).flags.volatile {
        return None;
    }
    let Def::Result(access, _) = f.def(*f.args(inst).first()?) else { return None };
    let (Op::Access, [base, path @ .., last]) = (f.op(access), f.args(access)) else { return None };
    let root = module.variable_of(f, *base).filter(|_| matches!(f.def(*base), Def::Constant(_)))?;
    let (space, mut vector) = module.types.pointee(f.ty(*base))?;
    let index = |v: &Value| module.value_bits(f, *v).and_then(|bits| u32::try_from(bits).ok());
    let numbers: Vec<u32> = path.iter().map(index).collect::<Option<_>>()?;
    for &step in &numbers {
        vector = module.types.part(vector, step)?;
    }
    let part = index(last)? as usize;
    let inside = part < usize::from(module.types.components(vector)) && module.types.components(vector) > 1;
    let private = matches!(space, Space::Output | Space::Private);
    let path = path.to_vec();
    (inside && private).then_some(Component { root, base: *base, path, numbers, vector, space, part })
}

/// Adds a component; the vector if it is complete.
fn note(open: &mut Vec<Pending>, c: Component, inst: Inst, value: Value, module: &Module) -> Option<Pending> {
    let known = |p: &Pending| p.root == c.root && p.numbers == c.numbers;
    let at = open.iter().position(known).unwrap_or_else(|| {
        if open.len() == MOST {
            open.remove(0);
        }
        let parts = vec![None; usize::from(module.types.components(c.vector))];
        let Component { root, base, path, numbers, vector, space, .. } = c;
        open.push(Pending { root, base, path, numbers, vector, space, parts });
        open.len() - 1
    });
    let slot = open[at].parts.get_mut(c.part)?;
    // Stored twice: the first one is for others to drop.
    if slot.replace((inst, value)).is_some() {
        open.remove(at);
        return None;
    }
    open[at].parts.iter().all(Option::is_some).then(|| open.swap_remove(at))
}

/// What an instruction in between makes uncertain.
fn forget(module: &Module, f: &Function, inst: Inst, open: &mut Vec<Pending>) {
    match (f.op(inst).effect(), f.op(inst)) {
        (Effect::Pure, _) => {}
        (_, Op::Load | Op::Store) if !f.inst(inst).flags.volatile => {
            let other = f.args(inst).first().and_then(|&place| module.variable_of(f, place));
            open.retain(|p| other.is_some_and(|other| other != p.root));
        }
        _ => open.clear(),
    }
}

/// The vector and its store, behind the last of its components.
fn write(module: &mut Module, f: &mut Function, last: Inst, done: &Pending, kept: &mut Vec<Inst>) {
    let span = f.inst(last).span;
    let mut push = |f: &mut Function, op: Op, args: &[Value], results: &[Ty]| {
        let inst = f.make(op, args, results);
        f.inst_mut(inst).span = span;
        kept.push(inst);
        f.result_of(inst)
    };
    let parts: Vec<Value> = done.parts.iter().flatten().map(|(_, value)| *value).collect();
    let mut place = done.base;
    if !done.path.is_empty() {
        let ty = module.types.intern(Type::Pointer(done.space, done.vector));
        let args: Vec<Value> = std::iter::once(done.base).chain(done.path.iter().copied()).collect();
        place = push(f, Op::Access, &args, &[ty]).unwrap_or(place);
    }
    if let Some(vector) = push(f, Op::Construct, &parts, &[done.vector]) {
        push(f, Op::Store, &[place, vector], &[]);
    }
}
