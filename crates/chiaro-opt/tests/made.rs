//! What every pass makes of random modules, as numbers that are written down: a pass that does something else
//! changes its line, even where what it does is right. `CHIARO_BLESS=1` rewrites `made.txt`.

use std::fmt::Write;
use std::path::Path;

use chiaro_cases::{Cases, digest};
use chiaro_ir::random::{Features, module_with, vertex};
use chiaro_ir::{FunctionRef, Module, print};
use chiaro_opt::lower::{Facts, functions, integers};
use chiaro_opt::{ALGEBRA, Cx, LEGALIZE, PASSES, optimize};

/// Modules of each kind.
const SEEDS: u64 = 60;

/// Machines that have little, and much.
static NARROW: Facts = Facts {
    bits: 17,
    is_scalar: false,
    has_sign: false,
    has_select: false,
    has_clamp: false,
    has_roundings: false,
    has_root: false,
    has_signed_high: false,
    has_long_sum: false,
    has_fused_select: false,
    has_turns: false,
    has_any_turn: false,
    has_sines: false,
    has_zero_product: true,
    has_exact_powers: true,
    has_close_reciprocal: false,
    has_large_unsigned: false,
    has_rounded_index: true,
    mask_runs: 4,
    bit_places: 0,
};
static WIDE: Facts = Facts::BINARY32;
static RICH: Facts = Facts { has_roundings: true, has_root: true, has_turns: true, ..WIDE };

fn modules() -> Vec<Module> {
    let compute = |seed| {
        let features = Features { variables: seed % 4 != 0, lively: seed % 8 != 1, ..Features::default() };
        module_with(seed, 20 + (seed % 40) as u32, features)
    };
    let vertices = |seed| vertex::module(seed, 6 + (seed % 40) as u32);
    (0..SEEDS).map(compute).chain((0..SEEDS).map(vertices)).collect()
}

/// What remains of all modules behind something that is done to each, with what it says of them.
fn kept(modules: &[Module], run: impl Fn(&mut Module) -> String) -> String {
    let after = |module: &Module| {
        let mut module = module.clone();
        run(&mut module) + &print(&module)
    };
    digest(&modules.iter().map(after).collect::<String>())
}

fn each(module: &mut Module, mut run: impl FnMut(&mut Module, FunctionRef) -> String) -> String {
    (0..module.functions.len() as u32).map(|f| run(module, FunctionRef(f))).collect()
}

#[test]
fn passes_make_of_random_modules_what_is_written_down() {
    let fresh = modules();
    let mut values = fresh.clone();
    let mut out = "# pass: what it makes of modules as they come, and of optimised ones\n".to_owned();
    values.iter_mut().for_each(|module| {
        let _ = optimize(module, "main", &mut Cx::default());
    });
    let _ = writeln!(
        out,
        "optimize: {} {}",
        kept(&values, |_| String::new()),
        kept(&values, |module| { format!("{:?}", optimize(module, "main", &mut Cx::default())) })
    );
    for pass in PASSES.iter().chain(ALGEBRA).chain(LEGALIZE) {
        let run = |module: &mut Module| {
            each(module, |module, f| format!("{:?}", Cx::default().run(pass, module, f)))
        };
        let _ = writeln!(out, "{}: {} {}", pass.name, kept(&fresh, run), kept(&values, run));
    }
    for (name, facts) in [("narrow", &NARROW), ("wide", &WIDE), ("rich", &RICH)] {
        let made = kept(&values, |module| {
            let f = FunctionRef(0);
            let whole = integers(module, f, facts, Default::default());
            format!("{whole:?} {:?}", functions(module, f, facts))
        });
        let _ = writeln!(out, "lowered, {name}: {made}");
    }
    let mut cases = Cases::new();
    cases.file(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/made.txt"), Some(&out));
    cases.finish();
}
