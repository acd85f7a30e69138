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

/// Puts loops around what is known to need them; whether there was anything. Takes time in proportion to the function: each
/// block is gone through once, and who reads a value is known.
fn round(module: &mut Module, f: FunctionRef) -> bool {
    let mut lanes = Lanes::of(module, f);
    let mut readers = Readers::of(module.function(f));
    let mut open: Vec<Block> = module.function(f).tree().into_iter().map(|(_, block)| block).collect();
    let mut changed = false;
    while let Some(block) = open.pop() {
        let insts = std::mem::take(&mut module.function_mut(f).block_mut(block).insts);
        let (mut left, mut at) = (Vec::with_capacity(insts.len()), 0);
        while let Some((range, index)) = group(module, module.function(f), (&insts, at), &lanes) {
            left.extend(&insts[at..range.start]);
            at = range.end;
            let turns = in_turns(module, f, &insts[range], index, (&mut lanes, &mut readers));
            left.extend(turns.instead);
            // An image and its sampler may have an index each.
            open.push(turns.block);
            changed = true;
        }
        left.extend(&insts[at..]);
        module.function_mut(f).block_mut(block).insts = left;
    }
    changed
}

/// Who may read a value: instructions that once did are among them.
struct Readers(HashMap<Value, Vec<Inst>>);

impl Readers {
    fn of(f: &Function) -> Readers {
        let mut readers = Readers(HashMap::new());
        Walk::insts(f).for_each(|inst| readers.add(f, inst));
        readers
    }

    fn add(&mut self, f: &Function, inst: Inst) {
        f.args(inst).iter().for_each(|&arg| self.0.entry(arg).or_default().push(inst));
    }

    /// Those that read it now, `within` left out.
    fn others<'a>(
        &'a self,
        f: &'a Function,
        value: Value,
        within: &'a HashSet<Inst>,
    ) -> impl Iterator<Item = Inst> + 'a {
        let all = self.0.get(&value).into_iter().flatten().copied();
        all.filter(move |inst| !within.contains(inst) && f.args(*inst).contains(&value))
    }
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

/// The first accesses from a place on that take turns by one index: their place, and the index.
fn group(
    module: &Module,
    f: &Function,
    (insts, from): (&[Inst], usize),
    lanes: &Lanes,
) -> Option<(Range<usize>, Value)> {
    let indices = |inst: Inst| {
        let mut found: Vec<Value> = Vec::new();
        if is_access(module, f, inst) {
            f.args(inst).iter().for_each(|&arg| find_indices(module, f, arg, &mut found));
        }
        found.into_iter().filter(|&index| lanes.differs(index)).collect::<Vec<_>>()
    };
    let mut behind = insts.iter().enumerate().skip(from);
    let (start, index) = behind.find_map(|(at, &inst)| Some((at, *indices(inst).first()?)))?;
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

/// A loop of turns.
struct Turns {
    /// What stands where the instructions stood.
    instead: Vec<Inst>,
    /// The block of a round.
    block: Block,
}

/// Makes a loop of some instructions. Each round is that of the lanes that have the index of the lowest one.
fn in_turns(
    module: &mut Module,
    f: FunctionRef,
    group: &[Inst],
    index: Value,
    (lanes, readers): (&mut Lanes, &mut Readers),
) -> Turns {
    let bool = module.types.intern(Type::Bool);
    let function = module.function_mut(f);
    let ty = function.ty(index);
    let first = function.make(Op::BroadcastFirst, &[index], &[ty]);
    let own_index = function.result_of(first).unwrap_or(index);
    let same = function.make(Op::IEq, &[index, own_index], &[bool]);
    let condition = function.result_of(same).unwrap_or(index);
    let [before, places, moved] = parts(module, module.function(f), group, lanes);
    let turn = Turn { index, first: own_index };
    let mut insts = Vec::new();
    for &inst in &moved {
        turn.take(module, f, inst, &mut insts);
        insts.push(inst);
    }
    let function = module.function_mut(f);
    insts.iter().chain([&first, &same]).for_each(|&inst| readers.add(function, inst));
    let within: HashSet<Inst> = insts.iter().copied().collect();
    let results = moved.iter().flat_map(|&inst| function.results(inst));
    let wanted: Vec<Value> =
        results.filter(|&value| readers.others(function, value, &within).next().is_some()).collect();
    let tys: Vec<_> = wanted.iter().map(|&value| function.ty(value)).collect();
    let all = function.make(Op::Loop, &[], &tys);
    function.inst_mut(all).span = function.inst(moved[0]).span;
    for (value, result) in wanted.iter().copied().zip(function.results(all).collect::<Vec<_>>()) {
        lanes.results.insert(result);
        rename(function, readers, [value, result], &within);
    }
    let exit = function.make(Op::Exit(all), &wanted, &[]);
    readers.add(function, exit);
    insts.push(exit);
    let block = wrapped(function, all, [first, same], condition, insts);
    Turns { instead: before.into_iter().chain([all]).chain(places).collect(), block }
}

/// Fills a loop: its head, and what a turn does. Returns the block of the turn.
fn wrapped(
    f: &mut Function,
    all: Inst,
    [first, same]: [Inst; 2],
    condition: Value,
    turn: Vec<Inst>,
) -> Block {
    let put = |f: &mut Function, insts: Vec<Inst>| {
        let block = f.new_block();
        f.block_mut(block).insts = insts;
        block
    };
    let choice = f.make(Op::If, &[condition], &[]);
    let leave = f.make(Op::Exit(choice), &[], &[]);
    let go_on = f.make(Op::Continue(all), &[], &[]);
    let repeat = f.make(Op::Repeat(all), &[], &[]);
    let sides = [put(f, turn), put(f, vec![leave])];
    f.set_blocks(choice, &sides);
    let rounds = [put(f, vec![first, same, choice, go_on]), put(f, vec![repeat])];
    f.set_blocks(all, &rounds);
    sides[0]
}

/// Instructions of a group: what all lanes have in common and computes nothing of the others comes before it; pointers
/// and handles, which are made again within, behind it, for others may have them, too.
fn parts(module: &Module, f: &Function, group: &[Inst], lanes: &Lanes) -> [Vec<Inst>; 3] {
    let [mut before, mut places, mut moved] = [const { Vec::new() }; 3];
    let mut inner: HashSet<Value> = HashSet::new();
    for &inst in group {
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

/// Gives those that read a value another one, `within` left out.
fn rename(f: &mut Function, readers: &mut Readers, [old, new]: [Value; 2], within: &HashSet<Inst>) {
    let others: Vec<Inst> = readers.others(f, old, within).collect();
    for &inst in &others {
        let args: Vec<Value> = f.args(inst).iter().map(|&arg| if arg == old { new } else { arg }).collect();
        f.set_args(inst, &args);
    }
    readers.0.entry(new).or_default().extend(others);
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
