//! Descriptors that differ from lane to lane: an instruction reads one, so that lanes take turns.
//!
//! ```text
//!                                   loop @1 {
//!                                     %f = broadcast_first %i
//!                                     %s = ieq %i, %f
//! %p = access @buffers, %i, 0  ->     if %s { %p = access @buffers, %f, 0
//! %v = load %p                                %v = load %p; exit @1 %v } else { exit }
//!                                     continue @1
//!                                   } { repeat @1 }
//! ```
//!
//! Before: pointers and handles come from variables by accesses alone. After: no access of a resource has an index that
//! differs among the lanes that run.

use chiaro_ir::{
    Def, Function, FunctionRef, GlobalRef, Inst, Module, Op, Path, Root, Space, Step, Type, Value, Variance,
    Walk, uniformity,
};
use chiaro_opt::{Changed, Cx};

/// Puts loops around what accesses resources by indices of lanes.
pub(super) fn waterfall(module: &mut Module, f: FunctionRef, _: &mut Cx<'_>) -> Changed {
    if !(0..module.globals.len()).any(|n| is_array(module, GlobalRef(n as u32))) {
        return Changed::No;
    }
    let known = uniformity(module).swap_remove(f.0 as usize);
    let count = module.function(f).value_count();
    // What is made here is the same in all lanes that run.
    let differs = |value: Value| (value.0 as usize) < count && known.value(value) == Variance::Lane;
    let mut open = accesses(module, module.function(f));
    let mut changed = false;
    while let Some(inst) = open.pop() {
        let function = module.function(f);
        let mut indices: Vec<Value> = Vec::new();
        function.args(inst).iter().for_each(|&arg| find_indices(module, function, arg, &mut indices));
        if let Some(index) = indices.into_iter().find(|&index| differs(index)) {
            // An image and its sampler may have an index each.
            open.push(in_turns(module, f, inst, index));
            changed = true;
        }
    }
    changed.into()
}

/// Whether a variable is an array of resources.
fn is_array(module: &Module, g: GlobalRef) -> bool {
    let global = module.global(g);
    matches!(global.space, Space::Storage | Space::Uniform | Space::UniformConstant)
        && matches!(module.types.get(global.ty), Type::Array(..) | Type::RuntimeArray(..))
}

/// Instructions that read or write resources.
fn accesses(module: &Module, f: &Function) -> Vec<Inst> {
    let is_access = |op: Op| {
        matches!(
            op,
            Op::Load
                | Op::Store
                | Op::Atomic(..)
                | Op::AtomicCompare(..)
                | Op::AtomicLoad(..)
                | Op::AtomicStore(..)
                | Op::ArrayLength(_)
                | Op::Sample(_)
                | Op::Fetch
                | Op::ImageRead
                | Op::ImageWrite
                | Op::ImageQuery(_)
        )
    };
    let insts = Walk::new(f).filter_map(|step| if let Step::Inst(inst) = step { Some(inst) } else { None });
    insts.filter(|&inst| is_access(f.op(inst)) && !makes_place(module, f, inst)).collect()
}

/// Whether a value is a pointer or a handle that others make: what it takes to make it again.
fn makes_place(module: &Module, f: &Function, inst: Inst) -> bool {
    match f.op(inst) {
        Op::Access | Op::ImageOf | Op::SampledImage | Op::TexelPointer => true,
        Op::Load => f.result_of(inst).is_some_and(|value| {
            matches!(module.types.get(f.ty(value)), Type::Image(_) | Type::Sampler | Type::SampledImage(_))
        }),
        _ => false,
    }
}

/// Indices of resources that a pointer or handle is made with.
fn find_indices(module: &Module, f: &Function, value: Value, found: &mut Vec<Value>) {
    let Def::Result(inst, _) = f.def(value) else { return };
    if !makes_place(module, f, inst) {
        return;
    }
    if let Some(Path { root: Root::Global(g), steps, .. }) = Path::of(module, f, value)
        && is_array(module, g)
    {
        found.extend(steps.first().map(|step| step.1));
    }
    f.args(inst).iter().for_each(|&arg| find_indices(module, f, arg, found));
}

/// Makes a loop of an instruction, which gets its name and results. Each round is that of the lanes that have the index
/// of the lowest one. Returns the instruction within.
fn in_turns(module: &mut Module, f: FunctionRef, inst: Inst, index: Value) -> Inst {
    let bool = module.types.intern(Type::Bool);
    let mut insts = Vec::new();
    let function = module.function_mut(f);
    let ty = function.ty(index);
    let first = function.make(Op::BroadcastFirst, &[index], &[ty]);
    let own_index = function.result_of(first).unwrap_or(index);
    let same = function.make(Op::IEq, &[index, own_index], &[bool]);
    let condition = function.result_of(same).unwrap_or(index);
    let turn = Turn { index, first: own_index };
    let own = turn.again(module, f, inst, &mut insts);
    let function = module.function_mut(f);
    let results: Vec<Value> = function.results(own).collect();
    insts.push(own);
    insts.push(function.make(Op::Exit(inst), &results, &[]));
    let sides = [insts, Vec::new()].map(|insts| {
        let block = function.new_block();
        function.block_mut(block).insts = insts;
        block
    });
    let choice = function.make(Op::If, &[condition], &[]);
    function.set_blocks(choice, &sides);
    let leave = function.make(Op::Exit(choice), &[], &[]);
    function.block_mut(sides[1]).insts = vec![leave];
    let go_on = function.make(Op::Continue(inst), &[], &[]);
    let repeat = function.make(Op::Repeat(inst), &[], &[]);
    let rounds = [vec![first, same, choice, go_on], vec![repeat]].map(|insts| {
        let block = function.new_block();
        function.block_mut(block).insts = insts;
        block
    });
    function.inst_mut(inst).op = Op::Loop;
    function.set_args(inst, &[]);
    function.set_blocks(inst, &rounds);
    own
}

/// The lanes that have one index.
struct Turn {
    index: Value,
    first: Value,
}

impl Turn {
    /// The same instruction with the index of the turn, and in front of it what makes its pointers and handles.
    fn again(&self, module: &mut Module, f: FunctionRef, inst: Inst, insts: &mut Vec<Inst>) -> Inst {
        let args = module.function(f).args(inst).to_vec();
        let is_access = module.function(f).op(inst) == Op::Access;
        let args: Vec<Value> =
            args.into_iter()
                .map(|arg| {
                    if is_access && arg == self.index {
                        self.first
                    } else {
                        self.place(module, f, arg, insts)
                    }
                })
                .collect();
        let function = module.function_mut(f);
        let tys: Vec<_> = function.results(inst).map(|value| function.ty(value)).collect();
        let op = function.op(inst);
        let made = function.make(op, &args, &tys);
        let old = function.inst(inst);
        let (span, flags) = (old.span, old.flags);
        let data = function.inst_mut(made);
        (data.span, data.flags) = (span, flags);
        made
    }

    /// A pointer or handle by the index of the turn; other values are what they are.
    fn place(&self, module: &mut Module, f: FunctionRef, value: Value, insts: &mut Vec<Inst>) -> Value {
        let function = module.function(f);
        let Def::Result(inst, _) = function.def(value) else { return value };
        if !makes_place(module, function, inst) {
            return value;
        }
        let made = self.again(module, f, inst, insts);
        insts.push(made);
        module.function(f).result_of(made).unwrap_or(value)
    }
}
