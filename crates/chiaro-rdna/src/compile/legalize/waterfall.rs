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
//! Accesses by the same index that stand close together take their turns together, with what is computed between them.
//!
//! Before: pointers and handles come from variables by accesses alone. After: no access of a resource has an index that
//! differs among the lanes that run.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use chiaro_ir::{
    Block, Def, Effect, Function, FunctionRef, GlobalRef, Inst, Module, Op, Path, Root, Space, Type,
    Uniformity, Value, Variance, Walk, uniformity,
};
use chiaro_opt::{Changed, Cx};

/// Other instructions between two accesses that take their turns together, at most.
const BETWEEN: usize = 8;

/// Puts loops around what accesses resources by indices of lanes.
pub(super) fn waterfall(module: &mut Module, f: FunctionRef, _: &mut Cx<'_>) -> Changed {
    if !(0..module.globals.len()).any(|n| is_array(module, GlobalRef(n as u32))) {
        return Changed::No;
    }
    // What loops give differs, and what is computed of it: other indices may do so then.
    let mut changed = false;
    while round(module, f) {
        changed = true;
    }
    changed.into()
}

/// Puts loops around what is known to need them; whether there was anything.
fn round(module: &mut Module, f: FunctionRef) -> bool {
    let mut lanes = Lanes::of(module, f);
    let mut open: Vec<Block> = module.function(f).tree().into_iter().map(|(_, block)| block).collect();
    let mut changed = false;
    while let Some(block) = open.pop() {
        let function = module.function(f);
        if let Some((range, index)) = group(module, function, block, &lanes) {
            // An image and its sampler may have an index each, and more may follow.
            open.extend([block, in_turns(module, f, (block, range), index, &mut lanes)]);
            changed = true;
        }
    }
    changed
}

/// Which values differ from lane to lane.
struct Lanes {
    known: Uniformity,
    /// Values that were there before; of others, those that loops give differ.
    count: usize,
    results: HashSet<Value>,
}

impl Lanes {
    fn of(module: &Module, f: FunctionRef) -> Lanes {
        let known = uniformity(module).swap_remove(f.0 as usize);
        Lanes { known, count: module.function(f).value_count(), results: HashSet::new() }
    }

    fn differs(&self, value: Value) -> bool {
        match (value.0 as usize) < self.count {
            true => self.known.value(value) == Variance::Lane,
            false => self.results.contains(&value),
        }
    }
}

/// The first accesses of a block that take turns by one index: their place, and the index.
fn group(module: &Module, f: &Function, block: Block, lanes: &Lanes) -> Option<(Range<usize>, Value)> {
    let insts = &f.block(block).insts;
    let indices = |inst: Inst| {
        let mut found: Vec<Value> = Vec::new();
        if is_access(module, f, inst) {
            f.args(inst).iter().for_each(|&arg| find_indices(module, f, arg, &mut found));
        }
        found.into_iter().filter(|&index| lanes.differs(index)).collect::<Vec<_>>()
    };
    let (start, index) =
        insts.iter().enumerate().find_map(|(at, &inst)| Some((at, *indices(inst).first()?)))?;
    let (mut end, mut between) = (start + 1, 0);
    for (at, &inst) in insts.iter().enumerate().skip(end) {
        let is_free = matches!(f.op(inst).info().effect, Effect::Pure | Effect::Read | Effect::Write);
        if !is_free || matches!(f.op(inst), Op::Var(_)) || between > BETWEEN {
            break;
        }
        between += usize::from(!makes_place(module, f, inst));
        if indices(inst).contains(&index) {
            (end, between) = (at + 1, 0);
        }
    }
    Some((start..end, index))
}

/// Whether a variable is an array of resources.
fn is_array(module: &Module, g: GlobalRef) -> bool {
    let global = module.global(g);
    matches!(global.space, Space::Storage | Space::Uniform | Space::UniformConstant)
        && matches!(module.types.get(global.ty), Type::Array(..) | Type::RuntimeArray(..))
}

/// Whether an instruction reads or writes a resource.
fn is_access(module: &Module, f: &Function, inst: Inst) -> bool {
    let is_one = matches!(
        f.op(inst),
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
    );
    is_one && !makes_place(module, f, inst)
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

/// Makes a loop of some instructions. Each round is that of the lanes that have the index of the lowest one. Returns the
/// block of a round.
fn in_turns(
    module: &mut Module,
    f: FunctionRef,
    (block, range): (Block, Range<usize>),
    index: Value,
    lanes: &mut Lanes,
) -> Block {
    let bool = module.types.intern(Type::Bool);
    let function = module.function_mut(f);
    let ty = function.ty(index);
    let first = function.make(Op::BroadcastFirst, &[index], &[ty]);
    let own_index = function.result_of(first).unwrap_or(index);
    let same = function.make(Op::IEq, &[index, own_index], &[bool]);
    let condition = function.result_of(same).unwrap_or(index);
    let [before, places, moved] = parts(module, module.function(f), (block, range.clone()), lanes);
    let turn = Turn { index, first: own_index };
    let mut insts = Vec::new();
    for &inst in &moved {
        turn.take(module, f, inst, &mut insts);
        insts.push(inst);
    }
    let function = module.function_mut(f);
    let wanted = wanted(function, &moved, &insts);
    let tys: Vec<_> = wanted.iter().map(|&value| function.ty(value)).collect();
    let all = function.make(Op::Loop, &[], &tys);
    function.inst_mut(all).span = function.inst(moved[0]).span;
    let results: Vec<Value> = function.results(all).collect();
    lanes.results.extend(&results);
    rename(function, &wanted.iter().copied().zip(results).collect(), &insts);
    insts.push(function.make(Op::Exit(all), &wanted, &[]));
    let mut blocks = [0; 4].map(|_| function.new_block()).into_iter();
    let mut put = |function: &mut Function, insts: Vec<Inst>| {
        let block = blocks.next().unwrap_or(block);
        function.block_mut(block).insts = insts;
        block
    };
    let choice = function.make(Op::If, &[condition], &[]);
    let leave = function.make(Op::Exit(choice), &[], &[]);
    let go_on = function.make(Op::Continue(all), &[], &[]);
    let repeat = function.make(Op::Repeat(all), &[], &[]);
    let sides = [put(function, insts), put(function, vec![leave])];
    function.set_blocks(choice, &sides);
    let rounds = [put(function, vec![first, same, choice, go_on]), put(function, vec![repeat])];
    function.set_blocks(all, &rounds);
    function.block_mut(block).insts.splice(range, before.into_iter().chain([all]).chain(places));
    sides[0]
}

/// Instructions of a group: what all lanes have in common and computes nothing of the others comes before it; pointers
/// and handles, which are made again within, behind it, for others may have them, too.
fn parts(
    module: &Module,
    f: &Function,
    (block, range): (Block, Range<usize>),
    lanes: &Lanes,
) -> [Vec<Inst>; 3] {
    let [mut before, mut places, mut moved] = [const { Vec::new() }; 3];
    let mut inner: HashSet<Value> = HashSet::new();
    for &inst in &f.block(block).insts[range] {
        let is_common = f.op(inst).info().effect == Effect::Pure
            && f.results(inst).all(|value| !lanes.differs(value))
            && f.args(inst).iter().all(|arg| !inner.contains(arg));
        if is_common && !makes_place(module, f, inst) && !is_access(module, f, inst) {
            before.push(inst);
            continue;
        }
        inner.extend(f.results(inst));
        if makes_place(module, f, inst) { places.push(inst) } else { moved.push(inst) }
    }
    [before, places, moved]
}

/// Results of instructions that others than `within` read.
fn wanted(f: &Function, moved: &[Inst], within: &[Inst]) -> Vec<Value> {
    let within: HashSet<Inst> = within.iter().copied().collect();
    let readers = Walk::insts(f).filter(|inst| !within.contains(inst));
    let read: HashSet<Value> = readers.flat_map(|inst| f.args(inst).to_vec()).collect();
    let results = moved.iter().flat_map(|&inst| f.results(inst));
    results.filter(|value| read.contains(value)).collect()
}

/// Gives instructions other than `within` other operands.
fn rename(f: &mut Function, names: &HashMap<Value, Value>, within: &[Inst]) {
    let within: HashSet<Inst> = within.iter().copied().collect();
    let others: Vec<Inst> = Walk::insts(f).filter(|inst| !within.contains(inst)).collect();
    for inst in others {
        let args = f.args(inst);
        if args.iter().any(|arg| names.contains_key(arg)) {
            let args: Vec<Value> = args.iter().map(|arg| *names.get(arg).unwrap_or(arg)).collect();
            f.set_args(inst, &args);
        }
    }
}

/// The lanes that have one index.
struct Turn {
    index: Value,
    first: Value,
}

impl Turn {
    /// Makes an instruction's pointers and handles again in front of it, with the index of the turn.
    fn take(&self, module: &mut Module, f: FunctionRef, inst: Inst, insts: &mut Vec<Inst>) {
        let args = module.function(f).args(inst).to_vec();
        let args: Vec<Value> = args.into_iter().map(|arg| self.place(module, f, arg, insts)).collect();
        module.function_mut(f).set_args(inst, &args);
    }

    /// A pointer or handle by the index of the turn; other values are what they are.
    fn place(&self, module: &mut Module, f: FunctionRef, value: Value, insts: &mut Vec<Inst>) -> Value {
        let function = module.function(f);
        let Def::Result(inst, _) = function.def(value) else { return value };
        if !makes_place(module, function, inst) {
            return value;
        }
        let (op, args, ty) = (function.op(inst), function.args(inst).to_vec(), function.ty(value));
        let own = |arg: Value| if op == Op::Access && arg == self.index { self.first } else { arg };
        let args: Vec<Value> = args.into_iter().map(|arg| self.place(module, f, own(arg), insts)).collect();
        let function = module.function_mut(f);
        let made = function.make(op, &args, &[ty]);
        let old = function.inst(inst);
        let (span, flags) = (old.span, old.flags);
        let data = function.inst_mut(made);
        (data.span, data.flags) = (span, flags);
        insts.push(made);
        function.result_of(made).unwrap_or(value)
    }
}
