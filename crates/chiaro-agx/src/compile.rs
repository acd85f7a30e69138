//! From a module to a program. Read [`compile`] top to bottom.

pub mod allocate;
pub mod code;
mod compiled;
pub mod finish;
pub mod legalize;
mod options;
pub mod select;

use chiaro_diag::Diagnostic;
use chiaro_ir::{FunctionRef, Module, Stage};
use chiaro_mach::{Code, Operand, What, dead_code, verify};
use chiaro_opt::{Assumptions, CLEAN_UP, Cx, Settled};

use crate::abi::key::Link;
use crate::container::file::{self, File, Part, Role};
use crate::regs::UNIFORM_HALVES;
use allocate::{Failure, Limits};
use code::{FILES, POOL, UNIFORM};
pub use compiled::{Compiled, Interface, Place, Placed};
use finish::{End, Program, Standing};
pub use options::Options;
use select::{Selected, too_many};

type Answer<T> = Result<T, Vec<Diagnostic>>;

/// Compiles an entry point, a vertex, fragment or compute shader. The module is used up.
///
/// # Errors
/// What the machine cannot do or hold, with its place in the source.
pub fn compile(module: &mut Module, entry: &str, options: Options, cx: &mut Cx<'_>) -> Answer<Compiled> {
    let workgroup = module.entry(entry).map_or([0; 3], |entry| entry.workgroup);
    let (f, stage) = optimize(module, entry, cx)?;
    let mut selected = select::select(module, module.function(f), stage)?;
    dead_code(&mut selected.code);
    drop_unread(&mut selected.code);
    check(cx, "select", || verify(&selected.code, &FILES))?;
    let constants = fill_pool(&mut selected)?;
    let threads = if stage == Stage::Compute { workgroup.iter().product() } else { 0 };
    let samples = selected.link.sample_shading == 1;
    let limits = Limits { threads, stack_bytes: selected.stack_bytes, samples };
    let allocated = allocate::allocate(&selected.code, limits, cx.verify).map_err(|why| match why {
        Failure::Registers(error) => vec![Diagnostic::error(None, error.to_string())],
        Failure::Mistake(why) => mistake(&why),
    })?;
    let end = if stage == Stage::Fragment { End::Open } else { End::Stop };
    let standing = Standing { end, samples, generation: options.generation };
    let finished = finish::finish(allocated.code, standing).map_err(|why| mistake(&why))?;
    let Program { bytes, spans } = finished;
    let stage = match stage {
        Stage::Vertex => file::Stage::Vertex,
        Stage::Fragment => file::Stage::Fragment,
        _ => file::Stage::Compute,
    };
    let mut part = Part::of(stage, Role::Main, &bytes, options.generation);
    part.halves = part.halves.max(allocated.halves);
    part.bindings = selected.bindings;
    part.key = if stage == file::Stage::Fragment { described(&selected.link) } else { String::new() };
    part.scratch = allocate::stack_words(allocated.stack_bytes);
    let file = File {
        generation: options.generation,
        stage,
        code: bytes,
        parts: vec![part],
        constants,
        local: selected.shared_bytes,
        size: workgroup,
        uniforms: selected.uniforms,
        states: selected.states,
        ..File::default()
    };
    Ok(Compiled { options, file, spans, interface: selected.interface, module: module.clone() })
}

/// What a main part says to its epilog, as JSON.
fn described(link: &Link) -> String {
    let numbers = Link::NUMBERS.iter().zip(link.numbers());
    let fields: Vec<String> = numbers.map(|((name, _), value)| format!("\"{name}\":{value}")).collect();
    format!("{{{}}}", fields.join(","))
}

/// Code is verified where passes are.
fn check(cx: &Cx<'_>, step: &str, run: impl FnOnce() -> Result<(), Vec<chiaro_mach::Breach>>) -> Answer<()> {
    if !cx.verify {
        return Ok(());
    }
    run().map_err(|found| mistake(&found.first().map_or_else(String::new, |b| format!("after {step}: {b}"))))
}

fn mistake(what: &str) -> Vec<Diagnostic> {
    vec![
        Diagnostic::error(None, format!("the compiler made a mistake: {what}"))
            .note("please report the shader"),
    ]
}

/// Simplifies the entry point and makes it legal.
///
/// # Errors
/// There is no such entry point, or it is of another stage.
pub fn optimize(module: &mut Module, entry: &str, cx: &mut Cx<'_>) -> Answer<(FunctionRef, Stage)> {
    let Some(stage) = module.entry(entry).map(|e| e.stage) else {
        return Err(vec![Diagnostic::error(None, format!("there is no entry point `{entry}`"))]);
    };
    if !matches!(stage, Stage::Vertex | Stage::Fragment | Stage::Compute) {
        let message = format!("AGX has no {} shaders, `{entry}` is one", stage.name());
        return Err(vec![Diagnostic::error(None, message)]);
    }
    cx.options.assumptions = Assumptions::GRAPHICS;
    cx.options.limits.lanes = 1;
    cx.options.limits.chains = false;
    let _ = chiaro_opt::optimize(module, entry, cx);
    let f = module.entry(entry).map_or(FunctionRef(0), |e| e.function);
    if stage != Stage::Compute {
        let _ = cx.run_all(legalize::OUTPUTS, module, f);
    }
    let _ = cx.run_all(legalize::PASSES, module, f);
    let settled = &mut Settled::default();
    for _ in 0..cx.options.rounds {
        if cx.run_unsettled(settled, CLEAN_UP, module, f) == chiaro_opt::Changed::No {
            break;
        }
    }
    let _ = cx.run_all(legalize::LATE, module, f);
    if let Some((pass, found)) = &cx.breach {
        let first = found.first().map_or_else(String::new, |breach| breach.message.clone());
        return Err(mistake(&format!("pass {pass}: {first}")));
    }
    chiaro_opt::endless(module.function(f)).map_err(|error| vec![*error])?;
    Ok((f, stage))
}

/// Gives the numbers of the pool their uniforms, words first; what uniforms hold from a half on.
///
/// # Errors
/// More than there is.
fn fill_pool(selected: &mut Selected) -> Answer<Vec<(u16, Vec<u8>)>> {
    let used = used_numbers(&selected.code, selected.pool.len());
    let mut order: Vec<usize> = (0..selected.pool.len()).filter(|&n| used[n]).collect();
    order.sort_by_key(|&n| std::cmp::Reverse(selected.pool[n].1));
    let first = selected.first_free.next_multiple_of(2);
    let mut places = vec![0u16; selected.pool.len()];
    let (mut next, mut bytes) = (first, Vec::new());
    for n in order {
        let (bits, size) = selected.pool[n];
        places[n] = next;
        next = next.saturating_add(size);
        bytes.extend_from_slice(&bits.to_le_bytes()[..2 * usize::from(size)]);
    }
    if next > UNIFORM_HALVES {
        return Err(vec![too_many(next, UNIFORM_HALVES)]);
    }
    each_slot(
        &mut selected.code,
        |slot| if slot >= POOL { places[(slot - POOL) as usize].into() } else { slot },
    );
    Ok(if bytes.is_empty() { Vec::new() } else { vec![(first, bytes)] })
}

/// What nobody reads is not preloaded.
fn drop_unread(code: &mut Code) {
    let uses = code::uses(code);
    let Some(entry) = code.blocks().next() else { return };
    for inst in code.insts(entry).to_vec() {
        if code.op(inst) == chiaro_mach::Op::Start {
            let is_read = |def: &&Operand| def.value().is_some_and(|value| uses[value.0 as usize] > 0);
            let defs: Vec<Operand> = code.defs(inst).iter().filter(is_read).copied().collect();
            code.set_operands(inst, &defs, &[]);
        }
    }
}

fn used_numbers(code: &Code, count: usize) -> Vec<bool> {
    let mut used = vec![false; count];
    for inst in code.blocks().flat_map(|block| code.insts(block)) {
        for operand in code.uses(*inst) {
            if let (What::Slot(slot @ POOL..), UNIFORM) = (operand.what, operand.file) {
                used[(slot - POOL) as usize] = true;
            }
        }
    }
    used
}

fn each_slot(code: &mut Code, place: impl Fn(u32) -> u32) {
    for block in code.blocks() {
        for inst in code.insts(block).to_vec() {
            for operand in code.uses_mut(inst) {
                if let Operand { what: What::Slot(slot), file: UNIFORM, .. } = operand {
                    *slot = place(*slot);
                }
            }
        }
    }
}
