//! What the tools make of random modules, and what every operation computes, as numbers that are written down.
//! `CHIARO_BLESS=1` rewrites `made/`.

use std::fmt::Write;
use std::path::Path;

use chiaro_cases::{Cases, damaged, digest, head, inputs};
use chiaro_diag::FileId;
use chiaro_ir::interp::{
    Domain, Exact, Handle, Interpreter, Interval, NoImages, Note, Options, Precision, Rounding, TextureStore,
    evaluate,
};
use chiaro_ir::sample::{Numbers, Sample};
use chiaro_ir::{
    Exits, FunctionRef, GlobalRef, Module, Op, PrintOptions, Shape, Space, Stage, Ty, Type, Types,
    lower_exits, parse, print, print_with, random, stats, uniformity, verify,
};
use chiaro_sim::texture::Texture;

/// Modules of each kind.
const SEEDS: u64 = 80;

/// Floats at borders and between them.
const FLOATS: [f32; 14] =
    [0.0, -0.0, 1.0, -1.5, 0.3, 2.5, 7.0, -16.25, 1e-40, 3e-6, 65_537.0, 16_777_217.0, -3e9, f32::INFINITY];
/// Integers at borders and between them.
const INTEGERS: [u64; 10] = [0, 1, 2, 7, 31, 0x80, 0x1_ffff, 0x7fff_ffff, 0x8000_0000, 0xffff_fff1];

/// Operations on floats, those that compare and convert them among them.
const FLOAT_OPS: [Op; 49] = [
    Op::FAdd,
    Op::FSub,
    Op::FMul,
    Op::FDiv,
    Op::FRem,
    Op::FMod,
    Op::Fma,
    Op::FNeg,
    Op::FAbs,
    Op::FSign,
    Op::FFloor,
    Op::FCeil,
    Op::FTrunc,
    Op::FRoundEven,
    Op::FFract,
    Op::FMin,
    Op::FMax,
    Op::FClamp,
    Op::FSqrt,
    Op::FRsqrt,
    Op::FExp,
    Op::FExp2,
    Op::FLog,
    Op::FLog2,
    Op::FPow,
    Op::FSin,
    Op::FCos,
    Op::FTan,
    Op::FAsin,
    Op::FAcos,
    Op::FAtan,
    Op::FAtan2,
    Op::FSinh,
    Op::FCosh,
    Op::FTanh,
    Op::FAsinh,
    Op::FAcosh,
    Op::FAtanh,
    Op::FFrexpFraction,
    Op::FQuantize16,
    Op::FEq,
    Op::FNe,
    Op::FLt,
    Op::FLe,
    Op::IsNan,
    Op::IsInf,
    Op::FToS,
    Op::FToU,
    Op::FToF,
];
/// The others without an effect.
const INTEGER_OPS: [Op; 54] = [
    Op::FLdexp,
    Op::FFrexpExponent,
    Op::FDot,
    Op::IAdd,
    Op::ISub,
    Op::IMul,
    Op::UMulHigh,
    Op::SMulHigh,
    Op::UDiv,
    Op::SDiv,
    Op::URem,
    Op::SRem,
    Op::SMod,
    Op::INeg,
    Op::IAbs,
    Op::ISign,
    Op::UMin,
    Op::UMax,
    Op::SMin,
    Op::SMax,
    Op::UAddCarry,
    Op::USubBorrow,
    Op::Shl,
    Op::LShr,
    Op::AShr,
    Op::And,
    Op::Or,
    Op::Xor,
    Op::Not,
    Op::BitCount,
    Op::BitReverse,
    Op::FindLsb,
    Op::FindUMsb,
    Op::FindSMsb,
    Op::BitInsert,
    Op::BitExtractU,
    Op::BitExtractS,
    Op::IEq,
    Op::INe,
    Op::ULt,
    Op::ULe,
    Op::SLt,
    Op::SLe,
    Op::All,
    Op::Any,
    Op::Select,
    Op::SToF,
    Op::UToF,
    Op::SExt,
    Op::ZExt,
    Op::Bitcast,
    Op::Construct,
    Op::ExtractDyn,
    Op::InsertDyn,
];

fn file(cases: &mut Cases, name: &str, text: &str) {
    cases.file(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/made").join(name), Some(text));
}

fn modules() -> impl Iterator<Item = (String, Module)> {
    let compute = (0..SEEDS).map(|n| (format!("compute {n}"), random::module(n, 20 + n as u32 * 2)));
    compute.chain((0..SEEDS).map(|n| (format!("vertex {n}"), random::vertex::module(n, 6 + n as u32))))
}

/// What analyses say of a module.
fn analysed(module: &Module) -> String {
    let columns: Vec<_> = module.functions.iter().map(|f| stats(f).columns()).collect();
    let known = uniformity(module);
    let of = |f: &chiaro_ir::Uniformity| format!("{f:?}");
    format!("{columns:?} {}", known.iter().map(of).collect::<String>())
}

/// What is left when exits over some constructs are lowered.
fn without_exits(module: &Module) -> String {
    (0..6).fold(String::new(), |all, kept| {
        let is = |n| kept != 0 && kept != n;
        let keep =
            Exits { blocks: is(1), breaks: is(2), continues: is(3), returns: is(4), across_loops: is(5) };
        let mut module = module.clone();
        for f in (0..module.functions.len() as u32).map(FunctionRef) {
            lower_exits(&mut module, f, keep);
        }
        all + &print(&module)
    })
}

/// Outputs with their errors, as text.
fn ran<D: Domain>(module: &Module, domain: D) -> String {
    let entry = &module.entries[0];
    let sample = Sample::new(module, entry, 6, Numbers::new(5, |x| x));
    let mut interpreter = Interpreter::with(module, entry, domain);
    interpreter.options.fuel = 50_000;
    sample.uniforms.iter().for_each(|(&global, bytes)| interpreter.set(global, bytes.clone()));
    let run = interpreter.run(sample.lanes, &sample.attributes, &mut NoImages);
    let Ok((report, outputs)) = run else { return format!("{run:?}") };
    let mut outputs: Vec<_> = outputs.into_iter().collect();
    outputs.sort_by_key(|(global, _)| global.0);
    let shadows = (0..module.globals.len() as u32).map(|g| {
        let at = |offset| interpreter.float_at(GlobalRef(g), offset, 32);
        format!("{:?}", (0..8).map(|n| at(n * 4)).collect::<Vec<_>>())
    });
    format!("{} {outputs:?} {}", without_rays(&report), shadows.collect::<String>())
}

/// A report of a module that traces no rays.
fn without_rays(report: &chiaro_ir::interp::Report) -> String {
    format!("{report:?}").replace(&format!("rays: {:?}, ", report.rays), "")
}

/// What two groups of a kernel, or two quads, leave in buffers, images and outputs, as text.
fn left<D: Domain>(module: &Module, domain: D, options: &Options) -> String {
    let entry = &module.entries[0];
    let lanes = if entry.stage == Stage::Compute { 0 } else { 8 };
    let sample = Sample::new(module, entry, lanes, Numbers::bold(7, |x| x));
    let mut interpreter = Interpreter::with(module, entry, domain);
    interpreter.options = options.clone();
    sample.uniforms.iter().for_each(|(&global, bytes)| interpreter.set(global, bytes.clone()));
    let mut images = TextureStore::default();
    for (n, global) in (0..).zip(&module.globals) {
        let mut numbers = random::Rng(u64::from(n));
        if global.space == Space::Storage {
            let bytes = (0..256).flat_map(|_| (numbers.below(60) as i32 - 20).to_le_bytes());
            interpreter.set(GlobalRef(n), bytes.collect());
        }
        let texel = |_| [0; 4].map(|_: u64| u64::from((numbers.below(64) as f32 / 8.0).to_bits()));
        let level = |size: [u32; 3], texels: Vec<_>| Texture { size, texels, smaller: Vec::new() };
        let all: Vec<_> = (0..192).map(texel).collect();
        let texture =
            Texture { smaller: vec![level([4, 4, 6], all[..96].to_vec())], ..level([8, 4, 6], all) };
        images.textures.insert(Handle { global: GlobalRef(n), element: 0 }, texture);
    }
    let ran = match entry.stage {
        Stage::Compute => interpreter.dispatch([2, 1, 1], &mut images).map(|report| (report, Vec::new())),
        _ => interpreter.run(lanes, &sample.attributes, &mut images).map(|(report, outputs)| {
            let mut outputs: Vec<_> = outputs.into_iter().collect();
            outputs.sort_by_key(|(global, _)| global.0);
            (report, outputs)
        }),
    };
    let globals = (0..module.globals.len() as u32).map(GlobalRef);
    let bytes: Vec<_> = globals.clone().map(|global| interpreter.bytes(global).map(<[u8]>::to_vec)).collect();
    let texels: Vec<_> = globals.map(|global| images.textures.get(&Handle { global, element: 0 })).collect();
    let ran = ran.map(|(report, outputs)| format!("{} {outputs:?}", without_rays(&report)));
    format!("{ran:?} {bytes:?} {texels:?}")
}

#[test]
fn tools_make_of_random_modules_what_is_written_down() {
    let mut out = "# module: text analyses exits run intervals\n".to_owned();
    let options = PrintOptions { spans: true, ..PrintOptions::default() };
    for (name, module) in modules() {
        let parts = [
            print_with(&module, options),
            analysed(&module),
            without_exits(&module),
            ran(&module, Exact),
            ran(&module, Interval { precision: Precision::VULKAN }),
        ];
        let _ = writeln!(out, "{name}: {}", parts.map(|part| digest(&part)).join(" "));
    }
    let mut cases = Cases::new();
    file(&mut cases, "modules.txt", &out);
    cases.finish();
}

/// Kernels with what the bits of their seeds say, and fragments.
fn kernels_and_fragments() -> impl Iterator<Item = (String, Module)> {
    let kernel = |seed: u64| {
        let bit = |n: u32| seed >> n & 1 == 1;
        let features = random::Features {
            variables: bit(0),
            lively: !seed.is_multiple_of(8),
            subgroup: bit(1),
            shared: bit(2),
            within: bit(3),
            halves: bit(4),
            images: bit(5),
        };
        (format!("kernel {seed}"), random::module_with(seed, 12 + (seed % 30) as u32, features))
    };
    let pixels = |seed: u64| (format!("fragment {seed}"), random::fragment::module(seed, 6 + seed as u32));
    (0..64).map(kernel).chain((0..SEEDS).map(pixels))
}

/// Modules of the cases of passes and of this package, by file and name, as far as they are sound and have an entry point.
fn written() -> impl Iterator<Item = (String, Module)> {
    let folders = ["tests", "../chiaro-opt/src", "../chiaro-opt/src/lower", "../chiaro-target/tests"];
    let files = folders.into_iter().flat_map(|name| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
        let entries = std::fs::read_dir(folder).expect("the folder is there");
        let mut files: Vec<_> = entries.map(|entry| entry.expect("a file").path()).collect();
        files.retain(|path| path.extension().is_some_and(|e| e == "txt"));
        files.sort();
        files
    });
    files.flat_map(|path| {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        inputs(&path).into_iter().filter_map(move |(name, text)| {
            let module = parse(&text, FileId(0)).ok().filter(|module| verify(module).is_ok())?;
            Some((format!("{stem}: {name}"), module))
        })
    })
}

#[test]
fn runs_leave_what_is_written_down() {
    let mut out = head("module: text analyses exits run intervals, with other options");
    let narrow = Options {
        fuel: 20_000,
        subgroup: 4,
        undef: 0x40a0_0000,
        largest_integer: Some(1 << 16),
        races: true,
        fine_derivatives: true,
        watched: 64,
        ..Options::default()
    };
    let usual = Options { fuel: 200_000, ..Options::default() };
    let strict = Interval {
        precision: Precision { regrouped: Some(Rounding { bits: 17, ulps: 1.0 }), ..Precision::VULKAN },
    };
    for (name, module) in kernels_and_fragments().chain(written()) {
        let mut parts = vec![print(&module), analysed(&module), without_exits(&module)];
        if !module.entries.is_empty() {
            parts.push(left(&module, Exact, &usual));
            parts.push(left(&module, Interval { precision: Precision::VULKAN }, &usual));
            parts.push(left(&module, Exact, &narrow) + &left(&module, strict, &narrow));
        }
        let _ =
            writeln!(out, "{name}: {}", parts.iter().map(|part| digest(part)).collect::<Vec<_>>().join(" "));
    }
    let mut cases = Cases::new();
    file(&mut cases, "runs.txt", &out);
    cases.finish();
}

#[test]
fn damaged_texts_are_judged_as_written_down() {
    let mut out = "# module: first messages\n".to_owned();
    for (seed, (name, module)) in (0..).zip(modules()) {
        let text = print(&module);
        for n in 0..12 {
            let text = damaged(&text, seed * 100 + n);
            let said = match parse(&text, FileId(0)) {
                Ok(module) => match verify(&module) {
                    Ok(()) => continue,
                    Err(breaches) => format!("{} {}", breaches[0], digest(&format!("{breaches:?}"))),
                },
                Err(found) => format!("{} {}", found[0].message, digest(&format!("{found:?}"))),
            };
            let _ = writeln!(out, "{name} {n}: {}", said.replace('\n', " / "));
        }
    }
    let mut cases = Cases::new();
    file(&mut cases, "damaged.txt", &out);
    cases.finish();
}

/// Every operation on floats, with its error where numbers are exact and where they have one.
#[test]
fn float_operations_give_what_is_written_down() {
    let regrouped = Precision { regrouped: Some(Rounding { bits: 17, ulps: 1.0 }), ..Precision::VULKAN };
    let mut out = "# operation: by Vulkan's precision, and where sums may be regrouped\n".to_owned();
    for op in FLOAT_OPS {
        let of = |precision| digest(&pairs(&Interval { precision }, op));
        let _ = writeln!(out, "{op:?}: {} {}", of(Precision::VULKAN), of(regrouped));
    }
    let mut cases = Cases::new();
    file(&mut cases, "floats.txt", &out);
    cases.finish();
}

/// An operation, its tests and conversions on all pairs of numbers, as they are and with an error.
fn pairs(domain: &Interval, op: Op) -> String {
    let number = |x: f32| domain.of_float(x.to_bits().into(), 32);
    let rough =
        |x: f32| domain.float_op(Op::FDiv, 32, [number(x), number(3.0), number(0.0)], &mut Note::default());
    let mut out = String::new();
    for (a, b) in FLOATS.iter().flat_map(|a| FLOATS.map(|b| (*a, b))) {
        for args in [
            [number(a), number(b), number(0.5)],
            [rough(a), number(b), rough(b)],
            [number(a), rough(b), rough(a)],
        ] {
            let mut note = Note::default();
            let _ = match op {
                Op::FEq | Op::FNe | Op::FLt | Op::FLe | Op::IsNan | Op::IsInf => {
                    write!(out, "{} ", domain.float_test(op, 32, args[0], args[1], &mut note))
                }
                Op::FToS | Op::FToU => {
                    let number = domain.to_int(args[0], 32, 32, op == Op::FToS, &mut note);
                    write!(out, "{number} ")
                }
                Op::FToF => {
                    let half = domain.resize(args[0], 32, 16);
                    let scaled = domain.scale(args[1], 32, 3);
                    write!(
                        out,
                        "{half:?} {scaled:?} {:?} ",
                        domain.recall(domain.bits(args[1]), 32, domain.shadow(args[1]))
                    )
                }
                _ => {
                    let made = domain.float_op(op, 32, args, &mut note);
                    write!(out, "{} {} ", domain.value(made, 32), domain.error(made))
                }
            };
            let _ = writeln!(out, "{note:?}");
        }
    }
    out
}

/// Every operation on numbers of every width, and on vectors of them, as constants are folded.
#[test]
fn operations_fold_to_what_is_written_down() {
    let mut out = "# operation: 8, 16, 32, 64 bits; vectors\n".to_owned();
    for op in FLOAT_OPS.into_iter().chain(INTEGER_OPS) {
        let widths = [8, 16, 32, 64].map(|width| digest(&folded(op, width, 1)));
        let _ = writeln!(out, "{op:?}: {} {}", widths.join(" "), digest(&folded(op, 32, 3)));
    }
    let mut cases = Cases::new();
    file(&mut cases, "folded.txt", &out);
    cases.finish();
}

/// What an operation folds to for all types of its width and all pairs of numbers.
fn folded(op: Op, width: u8, count: u8) -> String {
    let mut types = Types::default();
    let mut scalars =
        vec![types.intern(Type::Bool), types.intern(Type::Int(width)), types.intern(Type::Int(32))];
    scalars.extend((width > 8).then(|| types.intern(Type::Float(width))));
    let vectors: Vec<Ty> = scalars.iter().map(|&scalar| types.vector(scalar, count)).collect();
    let floats = FLOATS.map(|x| chiaro_ir::interp::float_bits(x.into(), if width == 8 { 32 } else { width }));
    let numbers: Vec<u64> = floats.into_iter().chain(INTEGERS).collect();
    let mut out = String::new();
    for (&from, &to) in vectors.iter().flat_map(|from| vectors.iter().map(move |to| (from, to))) {
        // These give what they are given; of other types they mean nothing.
        if from != to && matches!(op.info().shape, Shape::Same(_) | Shape::Shift) {
            continue;
        }
        let mask = match *types.get(types.scalar(from)) {
            Type::Bool => 1,
            Type::Int(n) | Type::Float(n) => u64::MAX >> (64 - u32::from(n)),
            _ => 0,
        };
        for (n, &a) in numbers.iter().enumerate() {
            for &b in numbers.iter().skip(n % 3).step_by(3) {
                let (a, b) = ([a, b, a ^ 1, 0].map(|bits| bits & mask), [b, a, 1, 0].map(|bits| bits & mask));
                let args = [(from, a), (from, b), (from, [1, 1, 0, 0])];
                let _ = write!(out, "{:?}", evaluate(&types, op, &args, to));
            }
        }
    }
    out
}
