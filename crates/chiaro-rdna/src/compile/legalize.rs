//! IR to IR: only what this machine has.
//!
//! | what | form |
//! |---|---|
//! | arithmetic | scalars: sums, products, `fma`, bounds, roundings, roots; integers and bits as they are |
//! | natives | `rcp rsq ex2 lg2`, and `sin cos` of any angle |
//! | quotients of integers | products with a reciprocal |
//! | quotients of narrow integers, functions of halves that are made of sums | those of 32 bits |
//! | quotients and roots of doubles | operations of their own ([`doubles`]) |
//! | sums of floats in memory | exchanges of what is still there |
//! | switches | conditions, one in another |
//! | buffers | those that nothing writes are marked so |
//! | resources by indices of lanes | lanes take turns ([`waterfall`]) |
//! | ray queries | the search of a tree, as IR ([`rays`]) |
//! | places in memory by address | sums of 64 bits ([`addresses`]) |
//! | calls through pointers | one for each target, in a loop over the lanes ([`pointers`]) |

mod addresses;
mod doubles;
mod pointers;
pub mod rays;
mod waterfall;

use chiaro_ir::{
    Block, Combine, Function, FunctionRef, GlobalRef, Inst, Module, Op, Space, Type, Value, Walk,
};
use chiaro_opt::lower::{self, Facts};
use chiaro_opt::{Changed, Cx, Pass};

pub use doubles::Double;

/// What is known of memory before the passes that clean up.
pub static EARLY: &[Pass] =
    &[Pass { name: "read_only", run: read_only }, Pass { name: "switches", run: switches }];

/// Functions become operations of the machine, of scalars.
pub static PASSES: &[Pass] = &[
    Pass { name: "addresses", run: addresses::addresses },
    Pass { name: "atomic_loops", run: |module, f, _| lower::atomic_loops(module, f, has_atomic) },
    Pass { name: "widen", run: |module, f, _| lower::widen_but(module, f, has_halves) },
    Pass { name: "doubles", run: doubles::doubles },
    Pass { name: "functions", run: |module, f, _| lower::functions(module, f, &FACTS) },
    Pass { name: "scalarize", run: chiaro_opt::scalarize },
    Pass { name: "longs", run: |module, f, _| lower::longs(module, f) },
    Pass { name: "words", run: |module, f, _| lower::words(module, f, &FACTS) },
    Pass { name: "pointers", run: pointers::pointers },
    Pass { name: "waterfall", run: waterfall::waterfall },
];

/// What this machine has, as far as lowering asks.
pub static FACTS: Facts = Facts {
    has_roundings: true,
    has_root: true,
    has_signed_high: true,
    has_turns: true,
    has_any_turn: true,
    // How exact the special functions are is [unknown] (spec section 21).
    has_exact_powers: false,
    ..Facts::BINARY32
};

/// Whether there is an atomic instruction: memory compares floats and adds none, LDS adds those of 32 bits.
fn has_atomic(atomic: lower::Atomic) -> bool {
    let adds = atomic.combine == Combine::FAdd;
    !adds || atomic.space == Space::Workgroup && atomic.bits == 32
}

/// Whether there is an instruction for halves, or what it is made of has one: what is made of many sums would lose its
/// last digits.
fn has_halves(op: Op) -> bool {
    use Op::{FCos, FDiv, FExp, FFrexpFraction, FLog, FPow, FSign, FSin};
    matches!(op, FDiv | FSign | FExp | FLog | FPow | FSin | FCos | FFrexpFraction)
}

/// Marks storage buffers that nothing writes, neither this function nor those that call it or that it calls: what lies
/// there is the same whenever it is read. Two variables of one binding are the same memory.
fn read_only(module: &mut Module, _: FunctionRef, _: &mut Cx<'_>) -> Changed {
    let written: Vec<GlobalRef> = module.functions.iter().flat_map(|f| written(module, f)).collect();
    let bindings: Vec<_> = written.iter().map(|&g| binding(module, g)).collect();
    let mut changed = false;
    for n in 0..module.globals.len() {
        let own = binding(module, GlobalRef(n as u32));
        let global = &mut module.globals[n];
        let is_fixed =
            global.space == chiaro_ir::Space::Storage && !global.coherent && !bindings.contains(&own);
        changed |= is_fixed && !std::mem::replace(&mut global.read_only, true);
    }
    changed.into()
}

/// Variables that a function writes.
fn written(module: &Module, f: &Function) -> Vec<GlobalRef> {
    let mut found = Vec::new();
    for inst in Walk::insts(f) {
        let writes = matches!(
            f.op(inst),
            Op::Store
                | Op::Copy
                | Op::Atomic(..)
                | Op::AtomicCompare(..)
                | Op::AtomicStore(..)
                | Op::AtomicLoad(..)
        );
        let place = f.args(inst).first().filter(|_| writes);
        found.extend(place.and_then(|&place| module.variable_of(f, place)));
    }
    found
}

fn binding(module: &Module, g: GlobalRef) -> (Option<u32>, Option<u32>, u32) {
    let binding = &module.global(g).binding;
    let own = if binding.binding.is_some() { u32::MAX } else { g.0 };
    (binding.set, binding.binding, own)
}

/// Makes conditions of switches.
///
/// ```text
/// switch %0 { A; exit @1 } 1 => ..          if %0 == 1 { A; exit @1 } else { if .. { .. } else { .. } }
/// ```
fn switches(module: &mut Module, f: FunctionRef, _: &mut Cx<'_>) -> Changed {
    let function = module.function(f);
    let found: Vec<(Block, Inst)> = function
        .tree()
        .into_iter()
        .flat_map(|(_, block)| function.block(block).insts.iter().map(move |&inst| (block, inst)))
        .filter(|&(_, inst)| function.op(inst) == Op::Switch)
        .collect();
    let changed = !found.is_empty();
    // The innermost first: what a switch has for everything else goes to another block.
    for (block, inst) in found.into_iter().rev() {
        switch(module, f, block, inst);
    }
    changed.into()
}

fn switch(module: &mut Module, f: FunctionRef, mut block: Block, inst: Inst) {
    let function = module.function(f);
    let selector = function.args(inst)[0];
    let blocks = function.blocks_of(inst).to_vec();
    let cases: Vec<(u64, u32)> = function.cases(inst).collect();
    let tys: Vec<_> = function.results(inst).map(|value| function.ty(value)).collect();
    let Some((&last, sides)) = blocks.split_last() else { return };
    let listed: Vec<(Block, Vec<u64>)> = (0..)
        .zip(sides)
        .map(|(n, &side)| (side, cases.iter().filter(|case| case.1 == n).map(|case| case.0).collect()))
        .collect();
    // The first condition takes the place of the switch, and its name.
    let mut own = inst;
    module.function_mut(f).set_cases(inst, &[]);
    for (n, (side, values)) in listed.iter().enumerate() {
        let condition = among(module, f, (block, own), selector, values);
        let other = module.function_mut(f).new_block();
        let function = module.function_mut(f);
        function.inst_mut(own).op = Op::If;
        function.set_args(own, &[condition]);
        function.set_blocks(own, &[*side, other]);
        if own != inst {
            rename(function, *side, inst, own);
        }
        let is_last = n + 1 == listed.len();
        if is_last {
            let insts = std::mem::take(&mut function.block_mut(last).insts);
            function.block_mut(other).insts = insts;
            if own != inst {
                rename(function, other, inst, own);
            }
            return;
        }
        let inner = function.make(Op::If, &[], &tys);
        let span = function.inst(inst).span;
        function.inst_mut(inner).span = span;
        let results: Vec<Value> = function.results(inner).collect();
        let exit = function.make(Op::Exit(own), &results, &[]);
        function.block_mut(other).insts = vec![inner, exit];
        (block, own) = (other, inner);
    }
    alone(module, f, inst, last);
}

/// A switch with one block is that block.
fn alone(module: &mut Module, f: FunctionRef, inst: Inst, block: Block) {
    let function = module.function_mut(f);
    function.inst_mut(inst).op = Op::Block;
    function.set_args(inst, &[]);
    function.set_blocks(inst, &[block]);
}

/// Whether a selector is one of these, in front of an instruction.
fn among(
    module: &mut Module,
    f: FunctionRef,
    (block, before): (Block, Inst),
    selector: Value,
    values: &[u64],
) -> Value {
    let ty = module.function(f).ty(selector);
    let bool = module.types.intern(Type::Bool);
    let mut made: Option<Value> = None;
    let mut insts = Vec::new();
    for &value in values {
        let number = module.scalar(ty, value);
        let function = module.function_mut(f);
        let number = function.constant(number, ty);
        let test = function.make(Op::IEq, &[selector, number], &[bool]);
        insts.push(test);
        let is_it = function.result_of(test).unwrap_or(selector);
        made = Some(match made {
            None => is_it,
            Some(other) => {
                let either = function.make(Op::Or, &[other, is_it], &[bool]);
                insts.push(either);
                function.result_of(either).unwrap_or(is_it)
            }
        });
    }
    let function = module.function_mut(f);
    let list = &mut function.block_mut(block).insts;
    let at = list.iter().position(|&inst| inst == before).unwrap_or(0);
    list.splice(at..at, insts);
    made.unwrap_or_else(|| {
        let never = module.scalar(bool, 0);
        module.function_mut(f).constant(never, bool)
    })
}

/// Exits of one construct within a block become those of another.
fn rename(function: &mut Function, block: Block, from: Inst, to: Inst) {
    let mut open = vec![block];
    while let Some(block) = open.pop() {
        for inst in function.block(block).insts.clone() {
            if function.op(inst) == Op::Exit(from) {
                function.inst_mut(inst).op = Op::Exit(to);
            }
            open.extend(function.blocks_of(inst));
        }
    }
}
