//! From a module to a program. Read [`compile`] top to bottom.

pub mod allocate;
pub mod calls;
pub mod code;
pub mod combine;
pub mod compiled;
pub mod finish;
pub mod legalize;
mod options;
pub mod schedule;
pub mod select;
mod tactic;

use std::ops::Range;

use chiaro_diag::Diagnostic;
use chiaro_ir::{FunctionRef, GlobalRef, Linkage, Module, Stage};
use chiaro_mach::{Checks, Code, Failure, verify};
use chiaro_opt::{Assumptions, Cx, Legal, Pass, Prints, make_legal, prints_to_buffer};

use crate::abi::convention::{Convention, SystemParameter};
use crate::abi::interface::Interface;
use crate::regs::SCRATCH;
use allocate::{Allocated, Spills};
pub use calls::Callables;
use calls::callee::Callee;
use calls::frames::{self, Frame, Needs, NoRoom};
use calls::stack::Chain;
use calls::unit::Unit;
use code::{VECTOR, files};
pub use compiled::Compiled;
pub use options::Options;
use select::Selected;
use tactic::Tactic;

/// What is compiled, as messages say it.
pub const ABOUT: &str = "RDNA2 compiles compute shaders";
/// The stages of that.
pub const STAGES: &[Stage] = &[Stage::Compute];
/// How modules become legal.
const LEGAL: Legal<'_> =
    Legal { about: ABOUT, stages: STAGES, early: &[legalize::EARLY], passes: legalize::PASSES };
/// The same where functions may serve lanes that want different ones.
const DISPATCHING: Legal<'_> = Legal { early: &[legalize::EARLY, DISPATCH], ..LEGAL };
const DISPATCH: &[Pass] = &[Pass { name: "dispatch", run: calls::dispatch::dispatch }];

type Answer<T> = Result<T, Vec<Diagnostic>>;

/// Compiles an entry point, a compute shader, with everything in it that it calls. The module is used up.
///
/// # Errors
/// What the machine cannot do or hold, with its place in the source.
pub fn compile(module: &mut Module, entry: &str, options: Options, cx: &mut Cx<'_>) -> Answer<Compiled> {
    compile_with(module, entry, options, &Callables::default(), cx)
}

/// As [`compile`], with some functions that stay functions and are called.
///
/// # Errors
/// What the machine cannot do or hold, with its place in the source.
pub fn compile_with(
    module: &mut Module,
    entry: &str,
    options: Options,
    callables: &Callables,
    cx: &mut Cx<'_>,
) -> Answer<Compiled> {
    cx.options.rounds = tactic::rounds(options, cx.options.rounds);
    let printed = printed(module, entry, options);
    calls::linked::sound(module, entry)?;
    let (types, constants) = (calls::linked::types(module), calls::linked::constants(module));
    let tables = calls::linked::tables(module);
    let kernel = optimize_with(module, entry, callables, cx)?;
    let (checks, prints) = (Checks(cx.verify), printed.as_ref().map(|prints| prints.buffer));
    let made = |tactic| {
        program(module, kernel, callables, Plan { options, tactic, checks, prints, needs: Needs::default() })
    };
    let (first, rows) = placed(Tactic::first(options), &made)?;
    let others = Tactic::others(options).filter_map(|tactic| made(Tactic { rows, ..tactic }).ok());
    let best = others.fold(first, tactic::better);
    let prints = printed.map_or_else(Vec::new, |prints| prints.formats);
    let mut best = Compiled { prints, constants, tables, module: std::mem::take(module), ..best };
    best.name_types(&types);
    Ok(best)
}

/// Compiles the functions that a module without an entry point has for other parts: all that are exported, or those
/// that are named among the callables.
///
/// # Errors
/// What the machine cannot do or hold, with its place in the source.
pub fn compile_library(
    module: &mut Module,
    options: Options,
    callables: &Callables,
    cx: &mut Cx<'_>,
) -> Answer<Compiled> {
    let entry = calls::linked::begin_library(module, &callables.names)?;
    let callables = Callables { is_library: true, ..callables.clone() };
    compile_with(module, &entry, options, &callables, cx)
}

/// Code with variables that are indexed at run time where they cost less, in registers or in scratch, and whether that is
/// in registers. Both are made: only then it is known what registers cost in waves.
fn placed(tactic: Tactic, made: &impl Fn(Tactic) -> Answer<Compiled>) -> Answer<(Compiled, bool)> {
    let in_scratch = || made(Tactic { rows: false, ..tactic });
    match made(tactic) {
        Ok(in_rows) if !tactic::is_dear(&in_rows) => Ok((in_rows, true)),
        Ok(in_rows) => Ok(in_scratch()
            .ok()
            .and_then(|other| tactic::cheaper(&in_rows, other))
            .map_or((in_rows, true), |other| (other, false))),
        Err(_) if tactic.rows => Ok((in_scratch()?, false)),
        Err(why) => Err(why),
    }
}

/// What the entry point prints, which goes to a buffer from here on.
fn printed(module: &mut Module, entry: &str, options: Options) -> Option<Prints> {
    let kernel = module.entry(entry).map(|entry| entry.function)?;
    if options.prints { prints_to_buffer(module, kernel) } else { None }
}

/// How a function is compiled.
#[derive(Clone, Copy)]
struct Plan {
    options: Options,
    tactic: Tactic,
    checks: Checks,
    /// The buffer that prints go to.
    prints: Option<GlobalRef>,
    /// What a function turned out to need.
    needs: Needs,
}

/// A legal kernel as a program, with everything that it calls.
fn program(module: &Module, kernel: FunctionRef, callables: &Callables, plan: Plan) -> Answer<Compiled> {
    let mut unit = unit(module, kernel, plan, callables)?;
    let Bodies { functions, frame, own, vectors, spilled, rows } =
        bodies(module, &mut unit, callables, plan)?;
    shallow(&unit.nested(module, kernel), &unit, plan.options.wave)?;
    let chains = unit.chains(module, kernel, frame);
    let interface = Interface { scratch: room(&chains, frame)?, ..own };
    // The kernel is none of the functions.
    let first = usize::from(!callables.is_library);
    let named: Vec<(FunctionRef, u32)> =
        functions[first..].iter().map(|(_, f, frame)| (*f, *frame)).collect();
    let program = finish::finish(functions, (&unit, kernel), &interface, plan.options.wave)
        .map_err(|why| vec![*why])?;
    let imports = imports(module, &unit, &program);
    let ends = named.iter().zip(program.starts[first..].windows(2));
    let functions = ends.filter_map(|(&named, ends)| described(module, &unit, named, ends[0]..ends[1]));
    Ok(Compiled {
        options: plan.options,
        functions: functions.collect(),
        sites: sites(module, &unit, &program, &named, &imports),
        code: program.code,
        spans: program.spans,
        vectors: vectors.max(interface.dimensions.into()),
        interface,
        spilled,
        rows: rows.0,
        chosen: rows.1,
        has_kernel: !callables.is_library,
        constants: Vec::new(),
        tables: Vec::new(),
        convention: calls::linked::linked(module).next().and_then(|_| callables.agreed(true, false)),
        frame,
        calls: unit.names_called(module, kernel),
        imports,
        chains,
        recursion: callables.together.iter().map(|(_, most)| *most).chain(callables.recursion).max(),
        prints: Vec::new(),
        module: Module::default(),
    })
}

/// The functions of a program before they are joined.
#[derive(Default)]
struct Bodies {
    /// The kernel first; a library has none.
    functions: Vec<finish::Settled>,
    /// Bytes of a lane that the kernel's frame takes, and where it meets those who launch it.
    frame: u32,
    own: Interface,
    /// Vector registers of the program.
    vectors: u16,
    spilled: u32,
    /// Of the kernel, as [`Made`] has it.
    rows: (u16, bool),
}

/// Compiles all functions that are here, callees first, since who calls them needs to know them.
fn bodies(module: &Module, unit: &mut Unit, callables: &Callables, plan: Plan) -> Answer<Bodies> {
    let mut all = Bodies::default();
    let here = |f: &FunctionRef| !module.function(*f).is_import();
    for f in unit.order.clone().into_iter().filter(here) {
        let made = function(module, unit, f, plan)?;
        if callables.is_library && made.interface.lds > 0 {
            return Err(vec![calls::linked::takes_of_groups(module.function(f), made.interface.lds)]);
        }
        all.frame = made.frame.bytes;
        unit.note(module, f, made.frame.written, (all.frame, made.frame.nests));
        all.vectors = all.vectors.max(made.vectors);
        all.spilled += made.spilled;
        all.rows = made.rows;
        all.functions.push((made.code, f, all.frame));
        all.own = made.interface;
    }
    // The kernel comes last and stands first. That of a library does nothing and is left out.
    if callables.is_library {
        all.functions.pop();
    } else {
        all.functions.rotate_right(1);
    }
    Ok(all)
}

/// Calls through pointers, each with the functions that it may come to, by their places among those that are here and,
/// behind them, those of other parts.
fn sites(
    module: &Module,
    unit: &Unit,
    program: &finish::Program,
    here: &[(FunctionRef, u32)],
    imports: &[compiled::Import],
) -> Vec<(u32, Vec<usize>)> {
    let behind = |f: FunctionRef| imports.iter().position(|import| import.name == module.function(f).name);
    let place = |f: FunctionRef| match module.function(f).is_import() {
        true => behind(f).map(|n| here.len() + n),
        false => here.iter().position(|(other, _)| *other == f),
    };
    let targets = |f| unit.together(module, f).into_iter().filter_map(place).collect();
    program.sites.iter().map(|&(at, f)| (at, targets(f))).collect()
}

/// What is known of a function with its frame that stands at some bytes.
fn described(
    module: &Module,
    unit: &Unit,
    (f, frame): (FunctionRef, u32),
    bytes: Range<u32>,
) -> Option<compiled::Function> {
    let function = module.function(f);
    Some(compiled::Function {
        name: function.name.clone(),
        bytes,
        frame,
        callee: unit.callee(f)?.clone(),
        is_export: function.linkage == Linkage::Export,
        calls: unit.names_called(module, f),
        times: unit.times(f),
        types: chiaro_ir::signature(&module.types, function),
    })
}

/// Functions of other parts, each with the places that name it.
fn imports(module: &Module, unit: &Unit, program: &finish::Program) -> Vec<compiled::Import> {
    let there = unit.order.iter().filter(|&&f| module.function(f).is_import());
    let import = |&f: &FunctionRef| {
        let own = program.places.iter().filter(|place| place.function == f);
        let places = own.map(|place| (place.at, place.kind)).collect();
        let (name, callee) = (module.function(f).name.clone(), unit.callee(f)?.clone());
        let types = chiaro_ir::signature(&module.types, module.function(f));
        Some(compiled::Import { name, callee, types, places })
    };
    there.filter_map(import).collect()
}

/// Bytes of scratch that a lane needs for the deepest chain of calls, for a kernel without calls its frame.
///
/// # Errors
/// They are more than there can be.
fn room(chains: &[Chain], frame: u32) -> Answer<u32> {
    let deepest = chains.iter().max_by_key(|chain| chain.bytes());
    match deepest.map_or(frame.into(), Chain::bytes) {
        bytes if bytes <= SCRATCH.into() => Ok(bytes as u32),
        bytes => {
            let path = deepest.map_or_else(String::new, |chain| format!(" of calls: {chain}"));
            let message = format!("the stack takes {bytes} bytes of a lane, {SCRATCH} are there{path}");
            let error = Diagnostic::error(None, message);
            Err(vec![error.help("lower `-m recursion`, or make what lives across calls smaller")])
        }
    }
}

/// That calls nest no deeper than there are lanes for return addresses, where these stand in lanes.
///
/// # Errors
/// They nest deeper.
fn shallow(deepest: &Chain, unit: &Unit, wave: u8) -> Answer<()> {
    let convention = unit.callees.iter().flatten().map(|callee| &callee.convention).next();
    match convention.and_then(|convention| too_deep(deepest, convention, wave)) {
        Some(error) => Err(vec![error]),
        None => Ok(()),
    }
}

/// What is wrong with a chain of calls that takes more return addresses than a convention has lanes for.
pub(crate) fn too_deep(chain: &Chain, convention: &Convention, wave: u8) -> Option<Diagnostic> {
    let lanes = u64::from(wave);
    convention.return_stack().filter(|_| chain.nesting() > lanes)?;
    let message = format!(
        "calls nest {} deep, and the convention `{}` has {lanes} lanes for return addresses: {chain}",
        chain.nesting(),
        convention.name
    );
    Some(Diagnostic::error(None, message).help("name one that spills them: `-m callable=NAME,compute_deep`"))
}

/// The kernel and the functions that it reaches, each with its contract.
fn unit(module: &Module, kernel: FunctionRef, plan: Plan, callables: &Callables) -> Answer<Unit> {
    let options = plan.options;
    let mut unit = Unit::of(module, kernel, callables.recursion.unwrap_or(1));
    unit.prints = plan.prints;
    unit.groups = callables.groups(module);
    let is_part = calls::linked::linked(module).next().is_some();
    let is_open = is_part || !unit.cycles.is_empty() || !unit.pointed.is_empty();
    // Parts agree by the name alone, whatever they hold.
    let agreed = callables.agreed(is_open, !is_part && unit.nesting() > options.wave.into());
    for f in unit.order.clone().into_iter().filter(|&f| f != kernel) {
        let given = select::given(module, &unit, &unit.fed_by(module, f), options)?;
        let function = module.function(f);
        if function.linkage == Linkage::Export && !given.is_empty() {
            return Err(vec![calls::linked::takes_of_kernels(function, &given)]);
        }
        let known = (agreed.as_ref(), given, options.wave);
        let callee = Callee::new(module, function, &unit.known[f.0 as usize], known).map_err(|_| {
            let message = format!("the convention has no place for the parameters of `{}`", function.name);
            vec![
                Diagnostic::error(function.span, message).help("hand over less, or leave out the convention"),
            ]
        })?;
        unit.callees[f.0 as usize] = Some(callee);
    }
    Ok(unit)
}

/// A function with registers and frame.
struct Made {
    code: Code,
    interface: Interface,
    frame: Frame,
    vectors: u16,
    spilled: u32,
    /// One behind the last register of variables that stand in registers, and whether lanes choose among them.
    rows: (u16, bool),
}

/// Selects, orders and allocates a function.
fn function(module: &Module, unit: &Unit, f: FunctionRef, plan: Plan) -> Answer<Made> {
    let no_room = |why: NoRoom| {
        let error = Diagnostic::error(module.function(f).span, why.message(&module.function(f).name));
        vec![error.help("make its variables smaller, or let it be inlined")]
    };
    let mut needs = plan.needs;
    loop {
        // Only with registers it is known which of them are saved, and how large the frame is.
        match framed(module, unit, f, Plan { needs, ..plan })? {
            Ok(made) => return Ok(made),
            Err(why) => needs = needs.with(why).ok_or_else(|| no_room(why))?,
        }
    }
}

/// The same with the room that there is for its frame.
fn framed(module: &Module, unit: &Unit, f: FunctionRef, plan: Plan) -> Answer<Result<Made, NoRoom>> {
    let Plan { options, tactic, checks, .. } = plan;
    let own = unit.callee(f);
    let Selected { code, interface, rows, .. } = selected(module, unit, f, plan, false)?;
    let (interface, allocated) = match allocate::allocate(code, options.wave, tactic, checks) {
        Err(Failure::Registers(_)) => spilled(module, unit, f, plan)?,
        other => (interface, other?),
    };
    let Allocated { mut code, totals, lanes, rescued, .. } = allocated;
    finish::prepare(&mut code, options.wave);
    let agreed = own.into_iter().chain(unit.called(f)).map(|callee| callee.convention.stack.alignment);
    let alignment = agreed.max().unwrap_or(1).max(1).into();
    let (bytes, front) = (interface.scratch, plan.needs.front);
    let places = frames::Places { lanes: &lanes, rescued: &rescued, bytes, front, alignment };
    Ok(frames::settle(&mut code, own, options.wave, places).map(|frame| {
        let saved = frame.saved.unwrap_or(0);
        let vectors = totals.used[usize::from(VECTOR.0)].max(saved).max(rows.0);
        Made { code, interface, frame, vectors, spilled: totals.spills, rows }
    }))
}

/// Instructions on values, the dead ones gone.
fn selected(module: &Module, unit: &Unit, f: FunctionRef, plan: Plan, spills: bool) -> Answer<Selected> {
    let Plan { options, tactic, checks, .. } = plan;
    let ways = select::Ways { spills, rows: tactic.rows, needs: plan.needs };
    let mut selected = select::select(module, unit, f, options, ways)?;
    chiaro_mach::dead_code(&mut selected.code);
    if tactic.merges {
        combine::combine(&mut selected.code);
    }
    selected.interface.scratch = selected.interface.scratch.next_multiple_of(4);
    checks.after("select", || verify(&selected.code, files(options.wave)))?;
    Ok(selected)
}

/// The same function with scratch, which has registers at its start, and room in it for what finds none.
fn spilled(module: &Module, unit: &Unit, f: FunctionRef, plan: Plan) -> Answer<(Interface, Allocated)> {
    let Plan { options, checks, .. } = plan;
    let Selected { code, mut interface, rescued, far, .. } = selected(module, unit, f, plan, true)?;
    let stack_pointer = unit.callee(f).map(|own| own.system(SystemParameter::StackPointer));
    let spills = Spills { first: interface.scratch, stack_pointer, far };
    let allocated = allocate::allocate_with_spills(code, options.wave, spills, checks).map_err(|why| {
        let own = unit.callee(f).filter(|own| !own.is_fitted).map(|own| &own.convention);
        match why {
            Failure::Registers(why) => vec![allocate::no_registers(&why, module.function(f), own)],
            Failure::Mistake(_) => why.into(),
        }
    })?;
    interface.scratch += allocated.spilled_bytes;
    Ok((interface, Allocated { rescued, ..allocated }))
}

/// What graphics APIs allow of floats, but numbers may be infinite or none.
const FLOATS: Assumptions = Assumptions { no_nans: false, no_infs: false, ..Assumptions::GRAPHICS };

/// Simplifies the entry point and makes it legal.
///
/// # Errors
/// There is no such entry point, or it is of another stage.
pub fn optimize(module: &mut Module, entry: &str, cx: &mut Cx<'_>) -> Answer<FunctionRef> {
    optimize_with(module, entry, &Callables::default(), cx)
}

/// One return, so that all lanes come back together.
const LAST: &[Pass] = &[Pass { name: "single_return", run: chiaro_opt::single_return }];

/// All calls written out, and private variables those of the entry point.
const WHOLE: [Pass; 2] = [
    Pass { name: "inline", run: chiaro_opt::inline },
    Pass { name: "globals_to_locals", run: chiaro_opt::globals_to_locals },
];

/// Ray queries become searches. They have to be variables of the function that asks them, so that what it calls comes into
/// it first; those that stay functions have their own.
fn queries(module: &mut Module, entry: &str, kept: &[FunctionRef], cx: &mut Cx<'_>) -> Answer<()> {
    let Some(start) = module.entry(entry).map(|entry| entry.function) else { return Ok(()) };
    let all = (0..module.functions.len() as u32).map(FunctionRef);
    if !all.into_iter().any(|f| legalize::rays::has_queries(module, f)) {
        return Ok(());
    }
    let _ = cx.run_all(&WHOLE, module, start);
    let mut asking = vec![start];
    asking.extend(kept.iter().filter(|f| legalize::rays::has_queries(module, **f)));
    legalize::rays::lower_queries(module, &asking)
}

/// The same with functions that are called: they get values for pointers, and one end.
fn optimize_with(
    module: &mut Module,
    entry: &str,
    callables: &Callables,
    cx: &mut Cx<'_>,
) -> Answer<FunctionRef> {
    cx.options.assumptions = FLOATS;
    cx.options.limits.lanes = 1;
    cx.options.limits.select_cost = 64;
    let mut functions = Vec::new();
    if let Some(start) = module.entry(entry).map(|entry| entry.function) {
        let mut kept = callables.found(module, start)?;
        kept.extend(calls::linked::linked(module).filter(|f| !kept.contains(f)).collect::<Vec<_>>());
        cx.options.keep.clone_from(&callables.names);
        // Who names a convention wants to see what it makes of a function as it is.
        let agreed = callables.convention.as_ref().map(|_| callables.names.clone());
        cx.options.agreed = agreed.unwrap_or_default();
        let pointed = chiaro_opt::pointed_at(module, start);
        functions.extend(kept.iter().chain(pointed.iter().filter(|f| !kept.contains(f))));
        for &f in &functions {
            let _ = cx.run(&Pass { name: "inline", run: chiaro_opt::inline }, module, f);
        }
        chiaro_opt::by_value(module, &kept, &pointed);
        calls::travels(module, &pointed)?;
    }
    queries(module, entry, &functions, cx)?;
    let agreed = callables.agreed(true, false);
    let legal =
        if agreed.is_some_and(|all| calls::dispatch::has_places(&all)) { &DISPATCHING } else { &LEGAL };
    let (kernel, _) = make_legal(module, entry, legal, cx)?;
    for f in chiaro_opt::reached(module, kernel) {
        if f == kernel || module.function(f).is_import() {
            continue;
        }
        let _ = cx.run_all(LAST, module, f);
    }
    calls::go_on::go_on(module);
    Ok(kernel)
}
