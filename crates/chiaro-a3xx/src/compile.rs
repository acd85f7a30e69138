//! From a module to a program. Read [`compile`] top to bottom.

pub mod allocate;
pub mod code;
pub mod combine;
mod compiled;
pub mod finish;
pub mod legalize;
mod limits;
mod options;
pub mod schedule;
pub mod select;

use chiaro_diag::Diagnostic;
use chiaro_ir::{FunctionRef, Module, Stage};
use chiaro_mach::{What, verify};
use chiaro_opt::{Assumptions, Cx, Settled};

use crate::abi::{self, Interface, Output};
use code::{FILES, HALF};
pub use compiled::Compiled;
pub use options::{Options, Variant};
use select::Selected;

type Answer<T> = Result<T, Vec<Diagnostic>>;

/// Compiles an entry point, a vertex, fragment or compute shader. The module is used up.
///
/// # Errors
/// What the machine cannot do or hold, with its place in the source.
pub fn compile(module: &mut Module, entry: &str, options: Options, cx: &mut Cx<'_>) -> Answer<Compiled> {
    let workgroup = module.entry(entry).map_or([0; 3], |entry| entry.workgroup);
    let (f, stage) = optimize(module, entry, options.variant, cx)?;
    let mut selected = select::select(module, module.function(f), (stage, options.variant))?;
    let inputs = combine::combine(&mut selected, options.half);
    check(cx, "select", || verify(&selected.code, &FILES))?;
    let allocated = allocate::allocate(&selected.code, stage, selected.private_bytes, cx.verify).map_err(
        |why| match why {
            allocate::Failure::Registers(error) => vec![Diagnostic::error(None, error.to_string())],
            allocate::Failure::Mistake(why) => mistake(&why),
        },
    )?;
    let finish::Program { words, spans } = finish::finish(&allocated.code).map_err(|why| mistake(&why))?;
    selected.code = allocated.code;
    let outputs = outputs(&selected);
    let interface = Interface {
        stage: match stage {
            Stage::Vertex => abi::Stage::Vertex,
            Stage::Compute => abi::Stage::Compute,
            _ => abi::Stage::Fragment,
        },
        inputs,
        outputs,
        uniforms: selected.constants.uniforms(module),
        buffers: selected.constants.buffers(module),
        textures: selected.textures,
        immediates: selected.constants.immediates().map_err(|error| vec![*error])?,
        private_bytes: selected.private_bytes + allocated.spilled_bytes,
        storage: selected.storage,
        local_bytes: selected.local_bytes,
        workgroup: if stage == Stage::Compute { workgroup } else { [0; 3] },
        has_group_counts: select::reads_group_counts(module, module.function(f)),
    };
    if let Some(error) = interface.too_many_varyings() {
        return Err(vec![error]);
    }
    limits::check(&interface, words.len())?;
    let (constants, module) = (selected.constants, module.clone());
    Ok(Compiled { options, words, spans, interface, constants, module })
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
pub fn optimize(
    module: &mut Module,
    entry: &str,
    variant: Variant,
    cx: &mut Cx<'_>,
) -> Answer<(FunctionRef, Stage)> {
    let Some(stage) = module.entry(entry).map(|e| e.stage) else {
        return Err(vec![Diagnostic::error(None, format!("there is no entry point `{entry}`"))]);
    };
    if !matches!(stage, Stage::Vertex | Stage::Fragment | Stage::Compute) {
        let message = format!("A3xx has no {} shaders, `{entry}` is one", stage.name());
        return Err(vec![Diagnostic::error(None, message)]);
    }
    cx.options.assumptions = Assumptions::GRAPHICS;
    cx.options.limits.lanes = 1;
    cx.options.limits.chains = false;
    // A branch waits six slots for its predicate, and each side ends in a jump.
    cx.options.limits.select_cost = 40;
    let _ = chiaro_opt::optimize(module, entry, cx);
    let f = module.entry(entry).map_or(FunctionRef(0), |e| e.function);
    let _ = cx.run_all(legalize::OUTPUTS, module, f);
    if variant == Variant::Binning {
        legalize::drop_varyings(module, f);
    }
    let _ = cx.run_all(legalize::PASSES, module, f);
    let settled = &mut Settled::default();
    chiaro_opt::clean_up(module, f, settled, cx);
    let _ = cx.run_all(legalize::LATE, module, f);
    if let Some((pass, found)) = &cx.breach {
        let first = found.first().map_or_else(String::new, |breach| breach.message.clone());
        return Err(mistake(&format!("pass {pass}: {first}")));
    }
    chiaro_opt::endless(module.function(f)).map_err(|error| vec![*error])?;
    Ok((f, stage))
}

/// Outputs with the registers that the end names.
fn outputs(selected: &Selected) -> Vec<Output> {
    let code = &selected.code;
    let end = code.blocks().last().and_then(|block| code.insts(block).last().copied());
    let uses = end.map_or(&[][..], |inst| code.uses(inst));
    let place = |(used, written): (&chiaro_mach::Operand, &select::Written)| {
        debug_assert!(matches!(used.what, What::Value(_)));
        Output {
            name: written.name.clone(),
            part: written.part,
            sink: written.sink,
            register: used.reg.unwrap_or(0),
            components: written.components,
            half: used.file == HALF,
            kind: written.kind,
        }
    };
    uses.iter().zip(&selected.writes).map(place).collect()
}
