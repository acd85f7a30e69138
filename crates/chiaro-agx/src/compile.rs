//! From a module to a program. Read [`compile`] top to bottom.

pub mod allocate;
pub mod code;
pub mod combine;
mod compiled;
pub mod finish;
pub mod legalize;
mod options;
pub mod parts;
mod pool;
pub mod select;

use chiaro_diag::Diagnostic;
use chiaro_ir::{FunctionRef, Module, Stage};
use chiaro_mach::{Checks, Code, Failure, Made, Operand, dead_code, verify};
use chiaro_opt::{Assumptions, Cx, Legal, OUTPUTS_AT_END, Pass, make_legal, missing_types, square_quads};

use crate::abi::key::{Key, Link};
use crate::container::file::{self, File, Part, Role};
use allocate::{Allocated, Limits};
use code::FILES;
pub use compiled::{Compiled, Interface, Place, Placed};
use finish::{End, Program, Standing};
pub use options::Options;
use select::Selected;

/// What is compiled, as messages say it.
pub const ABOUT: &str = "AGX compiles vertex, fragment and compute shaders";
/// The stages of that, in the order in which they are looked for.
pub const STAGES: &[Stage] = &[Stage::Vertex, Stage::Fragment, Stage::Compute];

/// What rounds of a loop with several exits may cost together to be written out: each round has a test of its own.
const UNROLL_EXITS: u32 = 64;

/// How many sums are made again where registers do not suffice, one number after the other.
const AGAIN: [usize; 7] = [1, 2, 3, 4, 8, 16, usize::MAX];

type Answer<T> = Result<T, Vec<Diagnostic>>;

/// Compiles an entry point, a vertex, fragment or compute shader. The module is used up.
///
/// # Errors
/// What the machine cannot do or hold, with its place in the source.
pub fn compile(module: &mut Module, entry: &str, options: Options, cx: &mut Cx<'_>) -> Answer<Compiled> {
    if let Some(entry) = module.entry(entry) {
        missing_types(module, entry.function, "AGX")?;
    }
    let workgroup = module.entry(entry).map_or([0; 3], |entry| entry.workgroup);
    let early: &[&[Pass]] = match module.entry(entry).map(|entry| entry.stage) {
        // Compute shaders have no outputs, and may return early.
        Some(Stage::Compute) => &[],
        _ => &[OUTPUTS_AT_END],
    };
    cx.options.limits.chains = true;
    let (f, stage) = optimize(module, entry, early, cx)?;
    let selected = select::select(module, module.function(f), stage, options)?;
    let threads = if stage == Stage::Compute { workgroup.iter().product() } else { 0 };
    let end = if stage == Stage::Fragment { End::Open } else { End::Stop };
    let samples = selected.link.sample_shading == 1;
    let stage = match stage {
        Stage::Vertex if options.software => file::Stage::SoftwareVertex,
        Stage::Vertex => file::Stage::Vertex,
        Stage::Fragment => file::Stage::Fragment,
        _ => file::Stage::Compute,
    };
    let standing = Standing { end, samples, generation: options.generation };
    let key = if stage == file::Stage::Fragment { described(&selected.link) } else { String::new() };
    let place = Piece { stage, role: Role::Main, key, threads, standing };
    let mut compiled = generate(selected, place, Checks(cx.verify))?;
    compiled.options = options;
    compiled.file.size = workgroup;
    compiled.module = std::mem::take(module);
    Ok(compiled)
}

/// Compiles the prolog or epilog of a key, as it is.
///
/// # Errors
/// What there cannot be, by the name of the field.
pub fn compile_part(key: &Key, options: Options, cx: &mut Cx<'_>) -> Answer<Compiled> {
    let parts::Draft { mut module, bounds, stage, role, samples, bindings, keeps } = parts::draft(key)?;
    cx.options.limits.chains = false;
    let (f, of) = optimize(&mut module, parts::ENTRY, &[], cx)?;
    let selected = select::select_part(&module, module.function(f), of, bounds)?;
    let end = if role == Role::Epilog && !samples { End::Stop } else { End::Open };
    let standing = Standing { end, samples, generation: options.generation };
    let place = Piece { stage, role, key: String::new(), threads: 0, standing };
    let mut compiled = generate(selected, place, Checks(cx.verify))?;
    for part in &mut compiled.file.parts {
        part.bindings.clone_from(&bindings);
        part.flags.reads_tib |= keeps;
    }
    compiled.module = module;
    Ok(compiled)
}

/// Compiles an entry point with the prolog and the epilog of keys as one piece: the reference for what is linked.
/// Keys are complete, as [`compile`] and [`compile_part`] have them.
///
/// # Errors
/// Those of the parts.
pub fn compile_whole(
    module: &mut Module,
    entry: &str,
    keys: &[Key],
    options: Options,
    cx: &mut Cx<'_>,
) -> Answer<Compiled> {
    cx.options.limits.chains = true;
    let (f, stage) = optimize(module, entry, &[OUTPUTS_AT_END], cx)?;
    cx.options.limits.chains = false;
    let mut drafts = keys.iter().map(parts::draft).collect::<Answer<Vec<parts::Draft>>>()?;
    for draft in &mut drafts {
        optimize(&mut draft.module, parts::ENTRY, &[], cx)?;
    }
    let of = |role: Role| {
        let own = drafts.iter().filter(move |draft| draft.role == role);
        own.filter_map(|parts::Draft { module, bounds, .. }| {
            let function = module.function(module.entry(parts::ENTRY)?.function);
            Some(select::Piece { module, function, bounds: bounds.clone() })
        })
    };
    let main = select::Piece { module, function: module.function(f), bounds: select::Bounds::new() };
    let pieces = of(Role::Prolog).chain([main]).chain(of(Role::Epilog)).collect();
    let tests = !keys.iter().any(|key| matches!(key, Key::FragmentEpilog(key) if key.alpha_to_coverage == 1));
    let selected = select::select_whole(pieces, stage, tests)?;
    let samples = drafts.iter().any(|draft| draft.samples);
    let stage = if stage == Stage::Vertex { file::Stage::Vertex } else { file::Stage::Fragment };
    let end = if samples { End::Open } else { End::Stop };
    let standing = Standing { end, samples, generation: options.generation };
    let place = Piece { stage, role: Role::Main, key: String::new(), threads: 0, standing };
    let mut compiled = generate(selected, place, Checks(cx.verify))?;
    for part in &mut compiled.file.parts {
        part.bindings.extend(drafts.iter().flat_map(|draft| draft.bindings.iter().copied()));
        part.flags.reads_tib |= drafts.iter().any(|draft| draft.keeps);
    }
    compiled.module = std::mem::take(module);
    Ok(compiled)
}

/// What is known of a part before it has code.
struct Piece {
    stage: file::Stage,
    role: Role,
    key: String,
    /// Threads of a threadgroup; 0 where there are none.
    threads: u32,
    standing: Standing,
}

/// From blocks of operations to a file. The module is left to the caller.
fn generate(mut selected: Selected, piece: Piece, checks: Checks) -> Answer<Compiled> {
    let Piece { stage, role, key, threads, standing } = piece;
    let generation = standing.generation;
    dead_code(&mut selected.code);
    drop_unread(&mut selected.code);
    combine::combine(&mut selected.code);
    if let Some(code) = &mut selected.preamble {
        dead_code(code);
        combine::combine(code);
    }
    checks.after("select", || verify(&selected.code, &FILES))?;
    let constants = pool::fill_pool(&mut selected)?;
    let before = selected.preamble.take().map(|code| before(code, generation, checks)).transpose()?;
    // In other parts the mask of samples is a variable.
    let (counter, samples) = (standing.samples, standing.samples && role == Role::Main);
    let limits = Limits { threads, stack_bytes: selected.stack_bytes, counter, samples };
    let allocated = registers(selected.code, limits, checks)?;
    let finished = finish::finish(allocated.code, standing).map_err(Failure::Mistake)?;
    let Program { bytes, spans } = finished;
    let mut part = Part::of(stage, role, &bytes, generation);
    part.halves = part.halves.max(allocated.halves);
    part.bindings = selected.bindings;
    part.key = key;
    part.scratch = allocate::stack_words(allocated.stack_bytes);
    let file = File {
        generation,
        stage,
        code: bytes,
        parts: vec![part],
        preamble_halves: before.as_ref().map_or(0, |(_, halves)| *halves),
        preamble: before.map(|(bytes, _)| bytes).unwrap_or_default(),
        constants,
        local: selected.shared_bytes,
        uniforms: selected.uniforms,
        states: selected.states,
        members: selected.members,
        words: selected.words,
        ..File::default()
    };
    let options = Options { generation, ..Options::default() };
    Ok(Compiled { options, file, spans, interface: selected.interface, module: Module::default() })
}

/// Gives values registers. Where they do not suffice, as few sums as do are made again instead of kept.
fn registers(code: Code, limits: Limits, checks: Checks) -> Answer<Allocated> {
    let allocated = allocate::allocate(&code, limits, checks)?;
    if allocated.stack_bytes == limits.stack_bytes {
        return Ok(allocated);
    }
    for most in AGAIN {
        let mut code = code.clone();
        combine::again(&mut code, most);
        let other = allocate::allocate(&code, limits, checks)?;
        if other.stack_bytes == limits.stack_bytes {
            return Ok(other);
        }
    }
    Ok(allocated)
}

/// The bytes of a preamble, and the halves of general registers that it takes.
fn before(code: Code, generation: u8, checks: Checks) -> Answer<(Vec<u8>, u16)> {
    checks.after("preamble", || verify(&code, &FILES))?;
    let allocated = allocate::allocate(&code, Limits::default(), checks)?;
    let standing = Standing { end: End::Stop, samples: false, generation };
    let finished = finish::finish(allocated.code, standing).map_err(Failure::Mistake)?;
    Ok((finished.bytes, allocated.halves.max(1)))
}

/// What a main part says to its epilog, as JSON.
fn described(link: &Link) -> String {
    let numbers = Link::NUMBERS.iter().zip(link.numbers());
    let fields: Vec<String> = numbers.map(|((name, _), value)| format!("\"{name}\":{value}")).collect();
    format!("{{{}}}", fields.join(","))
}

/// Simplifies the entry point and makes it legal. Sums are chained or balanced as the options say: chains hold fewer
/// registers.
///
/// # Errors
/// There is no such entry point, or it is of another stage.
pub fn optimize(
    module: &mut Module,
    entry: &str,
    early: &[&[Pass]],
    cx: &mut Cx<'_>,
) -> Answer<(FunctionRef, Stage)> {
    cx.options.assumptions = Assumptions::GRAPHICS;
    cx.options.limits.lanes = 1;
    cx.options.limits.unroll_exits = UNROLL_EXITS;
    // Threads stand in lanes by their numbers, and quads are four lanes in a row.
    square_quads(module, entry);
    let legal = Legal { about: ABOUT, stages: STAGES, early, passes: legalize::PASSES };
    let (f, stage) = make_legal(module, entry, &legal, cx)?;
    let _ = cx.run_all(legalize::SUMS, module, f);
    Ok((f, stage))
}

/// What nobody reads is not preloaded.
fn drop_unread(code: &mut Code) {
    let made = Made::of(code);
    let Some(entry) = code.blocks().next() else { return };
    for inst in code.insts(entry).to_vec() {
        if code.op(inst) == chiaro_mach::Op::Start {
            let is_read = |def: &&Operand| def.value().is_some_and(|value| made.reads(value) > 0);
            let defs: Vec<Operand> = code.defs(inst).iter().filter(is_read).copied().collect();
            code.set_operands(inst, &defs, &[]);
        }
    }
}
