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
use chiaro_mach::{Checks, Failure, What, verify};
use chiaro_opt::{Assumptions, Cx, Legal, OUTPUTS_AT_END, make_legal, missing_types, square_quads};

use crate::abi::{self, Interface, Output};
use code::{FILES, HALF};
pub use compiled::Compiled;
pub use options::{Options, Variant};
use select::Selected;

/// What is compiled, as messages say it.
pub const ABOUT: &str = "A3xx compiles vertex, fragment and compute shaders";
/// The stages of that, in the order in which they are looked for.
pub const STAGES: &[Stage] = &[Stage::Vertex, Stage::Fragment, Stage::Compute];

type Answer<T> = Result<T, Vec<Diagnostic>>;

/// Compiles an entry point, a vertex, fragment or compute shader. The module is used up.
///
/// # Errors
/// What the machine cannot do or hold, with its place in the source.
pub fn compile(module: &mut Module, entry: &str, options: Options, cx: &mut Cx<'_>) -> Answer<Compiled> {
    if let Some(entry) = module.entry(entry) {
        missing_types(module, entry.function, "A3xx")?;
    }
    let workgroup = module.entry(entry).map_or([0; 3], |entry| entry.workgroup);
    let (f, stage) = optimize(module, entry, options.variant, cx)?;
    let mut selected = select::select(module, module.function(f), (stage, options.variant))?;
    let inputs = combine::combine(&mut selected, options.half);
    let checks = Checks(cx.verify);
    checks.after("select", || verify(&selected.code, &FILES))?;
    let allocated = allocate::allocate(&selected.code, stage, selected.private_bytes, checks)?;
    let finish::Program { words, spans } = finish::finish(&allocated.code).map_err(Failure::Mistake)?;
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
    limits::check(&interface, module, &spans)?;
    let (constants, module) = (selected.constants, std::mem::take(module));
    Ok(Compiled { options, words, spans, interface, constants, module })
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
    cx.options.assumptions = Assumptions::GRAPHICS;
    cx.options.limits.lanes = 1;
    cx.options.limits.chains = false;
    // A branch waits six slots for its predicate, and each side ends in a jump.
    cx.options.limits.select_cost = 40;
    let dropped = if variant == Variant::Binning { legalize::BINNING } else { &[] };
    let early = &[OUTPUTS_AT_END, dropped];
    // Threads stand in lanes by their numbers, and quads are four lanes in a row.
    square_quads(module, entry);
    let legal = Legal { about: ABOUT, stages: STAGES, early, passes: legalize::PASSES };
    make_legal(module, entry, &legal, cx)
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
