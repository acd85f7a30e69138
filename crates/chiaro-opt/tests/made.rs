//! What every pass makes of random modules, as numbers that are written down: a pass that does something else
//! changes its line, even where what it does is right. `CHIARO_BLESS=1` rewrites `made.txt`.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use chiaro_cases::{Cases, digest, head, inputs};
use chiaro_diag::FileId;
use chiaro_ir::random::{Features, fragment, module_with, vertex};
use chiaro_ir::{FunctionRef, Module, parse, print, verify};
use chiaro_opt::lower::{Facts, functions, integers};
use chiaro_opt::{ALGEBRA, Assumptions, Conditions, Cx, LEGALIZE, Limits, Options, PASSES, Pass, optimize};

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
    for pass in all_passes() {
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

/// Files with modules, seen from this crate.
const FILES: [&str; 5] = [
    "../chiaro-ir/tests/interp.txt",
    "../chiaro-ir/tests/parse.txt",
    "../chiaro-ir/tests/print.txt",
    "../chiaro-ir/tests/uniformity.txt",
    "../chiaro-target/tests/wishes.txt",
];

/// What a compiler asks for that takes every liberty on a machine that computes one number at a time, and one that may
/// do hardly anything.
fn choices() -> [Options; 3] {
    let graphics = Assumptions { progress: true, ..Assumptions::GRAPHICS };
    let scalar = Limits { lanes: 1, chains: false, ..Limits::default() };
    let small = Limits {
        unroll_cost: 24,
        unroll_exits: 12,
        unroll_rounds: 3,
        select_cost: 2,
        select_conditions: Conditions::Varying,
        ..Limits::default()
    };
    [
        Options::default(),
        Options { assumptions: graphics, limits: scalar, ..Options::default() },
        Options {
            assumptions: Assumptions::FINITE,
            limits: small,
            calls: true,
            small: 6,
            most: 60,
            rounds: 1,
            ..Options::default()
        },
    ]
}

fn all_passes() -> impl Iterator<Item = &'static Pass> {
    PASSES.iter().chain(ALGEBRA).chain(LEGALIZE)
}

/// Modules of cases by file and name, those of all passes among them, as far as they are sound; and random shaders.
fn written() -> Vec<(String, Module)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let own = all_passes().map(|pass| folder.join(format!("src/{}.txt", pass.name)));
    let lowered =
        ["atomic_loops", "functions", "integers"].map(|name| folder.join(format!("src/lower/{name}.txt")));
    let paths: Vec<PathBuf> = own.chain(lowered).chain(FILES.map(|file| folder.join(file))).collect();
    let of_file = |path: PathBuf| {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        inputs(&path).into_iter().filter_map(move |(name, text)| {
            let module = parse(&text, FileId(0)).ok().filter(|module| verify(module).is_ok())?;
            Some((format!("{stem}: {name}"), module))
        })
    };
    let shaders = (0..SEEDS).flat_map(|seed| {
        let size = 6 + (seed % 50) as u32;
        let [pixels, vertices] = [fragment::module(seed, size), vertex::module(seed + 1000, size)];
        [(format!("fragment {seed}"), pixels), (format!("vertex {seed}"), vertices)]
    });
    paths.into_iter().flat_map(of_file).chain(shaders).collect()
}

/// What each pass alone makes of a module, and all of them behind one another.
fn with(module: &Module, options: &Options) -> String {
    let cx = || Cx { options: options.clone(), ..Cx::default() };
    let mut out = String::new();
    for pass in all_passes() {
        let mut module = module.clone();
        out += &each(&mut module, |module, f| format!("{:?}", cx().run(pass, module, f)));
        out += &print(&module);
    }
    for entry in module.entries.iter().map(|entry| entry.name.clone()) {
        let mut module = module.clone();
        let _ = write!(out, "{:?} {}", optimize(&mut module, &entry, &mut cx()), print(&module));
    }
    digest(&out)
}

/// A module of one function without the integers and the functions that a machine lacks.
fn lowered(module: &Module, facts: &'static Facts) -> String {
    let (mut module, f) = (module.clone(), FunctionRef(0));
    // Shaders get nothing but by their variables.
    if module.functions.len() != 1 || !module.function(f).params.is_empty() {
        return "-".to_owned();
    }
    let whole = integers(&mut module, f, facts, Default::default());
    digest(&format!("{whole:?} {:?} {}", functions(&mut module, f, facts), print(&module)))
}

#[test]
fn passes_make_of_cases_of_others_what_is_written_down() {
    let mut out = head("module: by three choices of options; lowered for three machines");
    for (name, module) in written() {
        let passes = choices().map(|options| with(&module, &options)).join(" ");
        let machines = [&NARROW, &WIDE, &RICH].map(|facts| lowered(&module, facts)).join(" ");
        let _ = writeln!(out, "{name}: {passes}; {machines}");
    }
    let mut cases = Cases::new();
    cases.file(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/made-of-cases.txt"), Some(&out));
    cases.finish();
}
