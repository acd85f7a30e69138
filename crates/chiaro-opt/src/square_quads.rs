//! Quads of a workgroup that are squares of threads, for machines whose quads are four lanes in a row: threads trade
//! places, so that those of a square stand in such four lanes.
//!
//! ```text
//! %0 = load @gl_LocalInvocationID     ->     %0 = call @thread_of_lane()
//! ```
//!
//! Which thread a lane is follows from the number of the lane, which machines have as the number of the thread
//! ([`EntryPoint::thread_of`](chiaro_ir::EntryPoint::thread_of)); what the source reads of threads follows from that. Each
//! built-in becomes a function, which [`inline`](crate::inline()) writes out.
//!
//! True before: the module is one as it was read. True after: quads are four threads in a row, which the entry point says.

use std::collections::HashMap;

use chiaro_ir::{
    Binding, Builder, Def, Draft, Function, FunctionRef, Global, GlobalRef, Inst, Module, Op, Space, Ty,
    Type, Value,
};

use crate::reached;
use crate::rewrite::{lend, rewrite};

/// SPIR-V's numbers of built-ins.
const GROUP_ID: u32 = 26;
const LOCAL_ID: u32 = 27;
const GLOBAL_ID: u32 = 28;
const LOCAL_INDEX: u32 = 29;

/// Lets threads trade places where the quads of an entry point are squares.
pub fn square_quads(module: &mut Module, entry: &str) {
    let Some(found) = module.entry(entry).filter(|entry| entry.has_square_quads()) else { return };
    let (main, size) = (found.function, found.workgroup);
    let all = reached(module, main);
    let mut made = HashMap::new();
    for builtin in [LOCAL_ID, GLOBAL_ID, LOCAL_INDEX] {
        if let Some(g) = variable(module, builtin) {
            made.insert(g, stand_in(module, builtin, size));
        }
    }
    for f in all {
        lend(module, f, |module, f| {
            rewrite(f, |f, forward, draft, inst| {
                let (Some(old), Some(new)) = (f.result_of(inst), read(module, f, draft, inst, &made)) else {
                    return true;
                };
                forward.set(old, new);
                false
            })
        });
    }
    if let Some(entry) = module.entries.iter_mut().find(|entry| entry.function == main) {
        entry.put_quads_in_rows();
    }
}

/// What a load of a built-in is instead.
fn read(
    module: &mut Module,
    f: &mut Function,
    draft: &mut Draft,
    inst: Inst,
    made: &HashMap<GlobalRef, FunctionRef>,
) -> Option<Value> {
    let place = *f.args(inst).first().filter(|_| f.op(inst) == Op::Load)?;
    let g = module.variable_of(f, place)?;
    let (callee, ty, span) = (*made.get(&g)?, module.global(g).ty, f.inst(inst).span);
    let whole = draft.value(f, (Op::Call(callee), &[]), ty, span);
    let index = match f.def(place) {
        Def::Result(access, _) if f.op(access) == Op::Access => f.args(access).get(1).copied(),
        _ => None,
    };
    let Some(index) = index else { return Some(whole) };
    let scalar = module.types.scalar(ty);
    Some(draft.value(f, (Op::ExtractDyn, &[whole, index]), scalar, span))
}

fn variable(module: &Module, builtin: u32) -> Option<GlobalRef> {
    let is_it = |g: &Global| g.space == Space::Input && g.binding.builtin == Some(builtin);
    module.globals.iter().position(is_it).map(|n| GlobalRef(n as u32))
}

/// The variable of a built-in, which every entry point has then.
fn needed(module: &mut Module, builtin: u32, name: &str, ty: Ty) -> GlobalRef {
    if let Some(known) = variable(module, builtin) {
        return known;
    }
    module.globals.push(Global {
        name: name.to_owned(),
        space: Space::Input,
        ty,
        init: None,
        binding: Binding { builtin: Some(builtin), ..Binding::default() },
        members: Vec::new(),
        coherent: false,
        read_only: true,
        span: None,
    });
    let made = GlobalRef(module.globals.len() as u32 - 1);
    module.entries.iter_mut().for_each(|entry| entry.interface.push(made));
    made
}

/// A function that gives a built-in, by the number of the lane.
fn stand_in(module: &mut Module, builtin: u32, size: [u32; 3]) -> FunctionRef {
    let word = module.types.intern(Type::Int(32));
    let three = module.types.intern(Type::Vector(word, 3));
    let lane = needed(module, LOCAL_INDEX, "lane of the group", word);
    let group = (builtin == GLOBAL_ID).then(|| needed(module, GROUP_ID, "group", three));
    let (name, result) = match builtin {
        LOCAL_ID => ("thread_of_lane", three),
        GLOBAL_ID => ("global_thread_of_lane", three),
        _ => ("number_of_lane", word),
    };
    let made = module.declare(name, &[], result);
    let mut b = Builder::at(module, made);
    let place = b.global(lane);
    let lane = b.load(place);
    let own = thread(&mut b, lane, size);
    let value = match (builtin, group) {
        (LOCAL_ID, _) => b.vector(&own),
        (_, Some(group)) => {
            let place = b.global(group);
            let group = b.load(place);
            let parts = [0, 1, 2].map(|n| {
                let group = b.extract(group, n);
                flat(&mut b, [group, own[n as usize]], size[n as usize])
            });
            b.vector(&parts)
        }
        _ => {
            let row = flat(&mut b, [own[2], own[1]], size[1]);
            flat(&mut b, [row, own[0]], size[0])
        }
    };
    b.return_value(value);
    let finished = b.finish();
    debug_assert!(finished.is_ok(), "{finished:?}");
    made
}

/// A number of rows of some size, and one within the row.
fn flat(b: &mut Builder<'_>, [row, within]: [Value; 2], size: u32) -> Value {
    let size = b.u32(size);
    let before = b.imul(row, size);
    b.iadd(before, within)
}

/// Number of a row of some size, and the number within it.
fn parted(b: &mut Builder<'_>, n: Value, size: u32) -> [Value; 2] {
    let size = b.u32(size);
    [b.udiv(n, size), b.urem(n, size)]
}

/// The thread of a lane.
fn thread(b: &mut Builder<'_>, lane: Value, [width, height, depth]: [u32; 3]) -> [Value; 3] {
    let (zero, one, two) = (b.u32(0), b.u32(1), b.u32(2));
    let [plane, within] = if depth == 1 { [zero, lane] } else { parted(b, lane, width * height) };
    let quad = b.lshr(within, two);
    let [row, column] = parted(b, quad, width / 2);
    let below = b.lshr(within, one);
    let [x, y] = [(column, within), (row, below)].map(|(square, corner)| {
        let (first, corner) = (b.shl(square, one), b.and(corner, one));
        b.or(first, corner)
    });
    [x, y, plane]
}
