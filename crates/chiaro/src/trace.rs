//! Stages of rays together: what a launch runs, and what can be said of it before.
//!
//! Each stage comes as a module of its own. [`join`] makes one of them, in which variables at one binding are one;
//! [`check`] says what would go wrong whatever is traced.

pub mod fields;
pub mod kernel;
pub mod scene;

use std::collections::HashMap;

use chiaro_diag::Diagnostic;
use chiaro_ir::interp::Interpreter;
use chiaro_ir::{Added, Binding, GlobalRef, Module, Op, Space, Stage, Walk, merge};
use chiaro_trace::{Kind, Pipeline, flags};

/// Stages in one module.
#[derive(Clone, Debug, Default)]
pub struct Joined {
    /// The module; an entry point for each stage, in their order.
    pub module: Module,
    /// What each stage brought.
    pub parts: Vec<Added>,
    /// Variables that are an earlier one, since they have its binding.
    pub aliases: HashMap<GlobalRef, GlobalRef>,
}

/// The kind of a stage; `None` for one that no ray calls.
#[must_use]
pub fn kind_of(stage: Stage) -> Option<Kind> {
    Some(match stage {
        Stage::RayGeneration => Kind::RayGeneration,
        Stage::Intersection => Kind::Intersection,
        Stage::AnyHit => Kind::AnyHit,
        Stage::ClosestHit => Kind::ClosestHit,
        Stage::Miss => Kind::Miss,
        Stage::Callable => Kind::Callable,
        _ => return None,
    })
}

/// Makes one module of all stages, each by its name.
#[must_use]
pub fn join(stages: &[(&str, &Module)]) -> Joined {
    let mut joined = Joined::default();
    for (name, module) in stages {
        let added = merge(&mut joined.module, module);
        if let Some(entry) = joined.module.entries.get_mut(added.entries.start) {
            entry.name = (*name).to_owned();
        }
        joined.parts.push(added);
    }
    let mut known: HashMap<(u32, u32), GlobalRef> = HashMap::new();
    let mut pushed = None;
    for (g, global) in (0..).map(GlobalRef).zip(&joined.module.globals) {
        let first = match place_of(&global.binding, global.space) {
            Some(place) => *known.entry(place).or_insert(g),
            None if global.space == Space::PushConstant => *pushed.get_or_insert(g),
            None => continue,
        };
        if first != g {
            joined.aliases.insert(g, first);
        }
    }
    joined
}

fn place_of(binding: &Binding, space: Space) -> Option<(u32, u32)> {
    let bound = matches!(space, Space::Uniform | Space::Storage | Space::UniformConstant);
    Some((binding.set.unwrap_or(0), binding.binding.filter(|_| bound)?))
}

/// What is wrong with stages whatever is traced: what callers and callees disagree about, and numbers that the table
/// does not reach.
#[must_use]
pub fn check(joined: &Joined, pipeline: &Pipeline) -> Vec<Diagnostic> {
    let mut all = Vec::new();
    if let Some(entry) = joined.module.entries.first() {
        let sizes = Interpreter::new(&joined.module, entry);
        let size = |g: u32| sizes.size_of(joined.module.globals[g as usize].ty);
        check_handed(joined, Space::Payload, Space::IncomingPayload, &size, &mut all);
        check_handed(joined, Space::CallableData, Space::IncomingCallableData, &size, &mut all);
        check_attributes(joined, &size, &mut all);
    }
    for (n, part) in joined.parts.iter().enumerate() {
        for f in part.functions.clone() {
            check_numbers(joined, pipeline, (n, f as usize), &mut all);
        }
    }
    all
}

/// Bytes of attributes that an implementation has to take.
const MOST_ATTRIBUTES: u32 = 32;

fn check_attributes(joined: &Joined, size: &dyn Fn(u32) -> u32, all: &mut Vec<Diagnostic>) {
    for (n, global) in (0..).zip(&joined.module.globals) {
        if global.space == Space::HitAttribute && size(n) > MOST_ATTRIBUTES {
            let message = format!("hit attributes of {} bytes are too large", size(n));
            let help = format!("there is room for {MOST_ATTRIBUTES}; hand over what they are computed from");
            all.push(Diagnostic::error(global.span, message).help(help));
        }
    }
}

/// What a stage takes has to be as large as what some stage hands over.
fn check_handed(
    joined: &Joined,
    given: Space,
    taken: Space,
    size: &dyn Fn(u32) -> u32,
    all: &mut Vec<Diagnostic>,
) {
    let of = |space: Space| {
        let globals = (0..).zip(&joined.module.globals);
        globals.filter(move |(_, global)| global.space == space)
    };
    let given: Vec<u32> = of(given).map(|(n, _)| size(n)).collect();
    for (n, global) in of(taken) {
        if given.is_empty() || given.contains(&size(n)) {
            continue;
        }
        let what = if taken == Space::IncomingPayload { "payload" } else { "callable data" };
        let sizes: Vec<String> = given.iter().map(u32::to_string).collect();
        let stage = joined.parts.iter().position(|part| part.globals.contains(&n)).unwrap_or(0);
        let message = format!(
            "`{}` takes {} bytes of {what}, and every stage hands over others: {}",
            stage_name(joined, stage),
            size(n),
            sizes.join(", ")
        );
        all.push(Diagnostic::error(global.span, message).help("both sides have to declare the same"));
    }
}

fn stage_name(joined: &Joined, stage: usize) -> &str {
    let part = joined.parts.get(stage);
    part.and_then(|part| joined.module.entries.get(part.entries.start)).map_or("?", |entry| &entry.name)
}

/// Numbers of records that are constant.
fn check_numbers(
    joined: &Joined,
    pipeline: &Pipeline,
    (stage, f): (usize, usize),
    all: &mut Vec<Diagnostic>,
) {
    let function = &joined.module.functions[f];
    let table = &pipeline.table;
    for inst in Walk::insts(function) {
        let number = |n: usize| joined.module.value_bits(function, function.args(inst)[n]);
        let wanted = match function.op(inst) {
            Op::TraceRay => {
                let asks_nobody = number(1).is_some_and(asks_nobody);
                let hit = number(3).filter(|_| !asks_nobody).map(|n| n & 15);
                [("miss", number(5).map(|n| n & 0xffff), &table.miss), ("hit", hit, &table.hit)].to_vec()
            }
            Op::ExecuteCallable => [("callable", number(0), &table.callable)].to_vec(),
            _ => continue,
        };
        for (name, number, records) in wanted {
            let Some(number) = number.filter(|n| *n >= records.len() as u64) else { continue };
            let message = format!(
                "`{}` wants record {number} of the {name} table, which has {}",
                stage_name(joined, stage),
                records.len()
            );
            let span = function.inst(inst).span;
            all.push(Diagnostic::error(span, message).help(format!("add records to `table.{name}`")));
        }
    }
}

/// Whether a ray with these flags calls nothing of the hit table.
fn asks_nobody(ray: u64) -> bool {
    let all = u64::from(flags::OPAQUE | flags::SKIP_CLOSEST_HIT);
    ray & all == all
}
