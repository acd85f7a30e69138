//! Functions that call themselves, at once or through others: compiled by a bound of their depth, their contracts
//! proven, run, compared with the source.

use chiaro_diag::{Diagnostic, SourceMap};
use chiaro_ir::{FunctionRef, Inst, Module, Op};
use chiaro_opt::Cx;
use chiaro_rdna::abi::interface::Abi;
use chiaro_rdna::abi::shipped;
use chiaro_rdna::check::Config;
use chiaro_rdna::compile::{Callables, Compiled, Options, compile_with};
use chiaro_rdna::listing;
use chiaro_rdna::verify::{Words, verify};

use crate::common::kernel;

/// Name, functions, body of the kernel. GLSL has no recursion: a call of `again_f` becomes one of `f`.
const PROGRAMS: &[(&str, &str, &str)] = &[
    (
        "values on both sides",
        "uint again_f(uint n, uint k) { return n; }
        uint f(uint n, uint k) { if (n == 0u) return k; uint a = n * k ^ 5u; uint r = again_f(n - 1u, k + 3u); return r * 3u + a; }",
        "b.d[i] = f(10u, i) + b.d[i];",
    ),
    (
        "lanes leave at depths of their own",
        "uint again_f(uint n, uint k) { return n; }
        uint f(uint n, uint k) { if (n == 0u) return k; uint a = b.d[n + 64u]; return again_f(n - 1u, k * 5u + a) ^ n; }",
        "uint n = b.d[i] & 15u; uint r = f(n, i); if (i < 64u) b.d[i] = r;",
    ),
    (
        "two branches",
        "uint again_f(uint n) { return n; }
        uint f(uint n) { if (n < 2u) return n; return again_f(n - 1u) + again_f(n - 2u); }",
        "b.d[i] = f(i & 7u);",
    ),
    (
        "each other",
        "uint again_g(uint n, uint s) { return n; }
        uint f(uint n, uint s) { if (n == 0u) return s; return again_g(n - 1u, s + n) + 1u; }
        uint g(uint n, uint s) { if (n == 0u) return s * 2u; uint t = f(n - 1u, s ^ n); return t - s; }",
        "if ((i & 1u) == 0u) b.d[i] = f(i & 15u, 3u); else b.d[i] = g(i & 7u, i);",
    ),
    (
        "a variable that all share",
        "uint count; void again_f(uint n) {}
        void f(uint n) { count += n; if ((n & 1u) == 0u) count ^= 3u; if (n > 0u) again_f(n >> 1u); count++; }",
        "count = i; f(b.d[i] & 1023u); b.d[i] = count;",
    ),
    (
        "in a loop, through a pointer",
        "uint again_f(uint n, inout uint s) { return n; }
        uint f(uint n, inout uint s) { uint t = 0u; for (uint k = 0u; k < n; k++) { s += k; if (s > 900u) break; t += again_f(n - 1u, s); } return t + s; }",
        "uint s = i; uint r = f(i & 3u, s); b.d[i] = r * 7u + s;",
    ),
    (
        "floats and an array",
        "float again_f(uint n, float x) { return x; }
        float f(uint n, float x) { float t[4]; for (uint k = 0u; k < 4u; k++) t[k] = x * float(k); if (n == 0u) return x; return again_f(n - 1u, t[n & 3u]) + t[1]; }",
        "a.f[i] = f(b.d[i] & 7u, 0.5);",
    ),
    (
        "what the wave knows",
        "uint again_f(uint n) { return n; }
        uint f(uint n) { if (n == 0u) return 1u; return again_f(n - 1u) * n + b.d[n]; }",
        "uint r = f(gl_WorkGroupID.x + 6u); if (i >= 64u) b.d[i] = r;",
    ),
];

const CHOICES: [(u8, Abi); 3] = [(32, Abi::Vulkan), (64, Abi::Vulkan), (32, Abi::Hsa)];
const CONVENTIONS: [Option<&str>; 4] = [None, Some("compute_deep"), Some("rt_recursive"), Some("ahit_isec")];

/// The module with calls of `again_f` led to `f`.
fn load(functions: &str, body: &str) -> Module {
    let mut module = kernel::load(functions, body);
    let names: Vec<String> = module.functions.iter().map(|f| plain(&f.name)).collect();
    let to = |callee: FunctionRef| {
        let wanted = names[callee.0 as usize].strip_prefix("again_")?;
        names.iter().position(|name| name == wanted).map(|n| FunctionRef(n as u32))
    };
    for f in &mut module.functions {
        for inst in (0..f.inst_count() as u32).map(Inst) {
            if let Op::Call(callee) = f.op(inst)
                && let Some(to) = to(callee)
            {
                f.inst_mut(inst).op = Op::Call(to);
            }
        }
    }
    chiaro_ir::verify(&module).expect("the module is sound");
    module
}

/// The name of a function without the types of its parameters.
fn plain(name: &str) -> String {
    name.split('(').next().unwrap_or_default().to_owned()
}

fn build(
    module: &Module,
    (wave, abi): (u8, Abi),
    convention: Option<&str>,
    recursion: Option<u32>,
) -> Result<Compiled, String> {
    let mut cx = Cx { verify: true, ..Cx::default() };
    let options = Options { wave, abi, ..Options::default() };
    let convention = convention.map(|name| shipped::convention(name).expect("shipped"));
    let callables = Callables { names: Vec::new(), convention, recursion, ..Callables::default() };
    compile_with(&mut module.clone(), "main", options, &callables, &mut cx).map_err(said)
}

fn said(errors: Vec<Diagnostic>) -> String {
    format!("{} ({})", errors[0].message, errors[0].help.join(" "))
}

/// Why words do not do what the source does, or are not proven to.
fn fault(module: &Module, choice: (u8, Abi), convention: Option<&str>) -> Option<String> {
    fault_within(module, choice, convention, 24)
}

fn fault_within(module: &Module, choice: (u8, Abi), convention: Option<&str>, bound: u32) -> Option<String> {
    let compiled = match build(module, choice, convention, Some(bound)) {
        Ok(compiled) => compiled,
        Err(why) => return Some(why),
    };
    let config = Config { wave: choice.0, group: None };
    // Nobody knows where an index leads, nor which lanes run by a mask that comes from memory: everything is clobbered
    // under that convention, so that masks have to go there.
    let is_open = |message: &str| {
        message.contains("address nobody knows")
            || convention == Some("rt_recursive") && message.contains("nobody knows")
    };
    let open = compiled.contracts(config);
    if let Some((of, f)) = open.iter().find(|(_, f)| !is_open(&f.finding.message)) {
        return Some(format!("{of}, word {}: {}", f.word, f.finding.message));
    }
    let words = Words { source: module, entry: &module.entries[0], compiled };
    let why = verify(&words, 1).err()?;
    match std::env::var("LISTING") {
        Ok(_) => Some(format!("{why}\n{}", listing::code(&words.compiled.code, choice.0, 0))),
        Err(_) => Some(why.to_string()),
    }
}

#[test]
fn functions_that_call_themselves_mean_what_their_source_does() {
    let mut failures = Vec::new();
    for (name, functions, body) in PROGRAMS {
        let module = load(functions, body);
        for convention in CONVENTIONS {
            for choice in CHOICES {
                if let Some(why) = fault(&module, choice, convention) {
                    failures.push(format!("{name}, {convention:?}, {choice:?}: {why}"));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

/// By the words of SPIR-V, which has recursion, as the head of the example says it.
#[test]
fn the_example_calls_itself() {
    let mut sources = SourceMap::new();
    let text = include_str!("../../../examples/rdna/calls/recursion.spvasm");
    let file = sources.add("recursion.spvasm", text.to_owned());
    let words = chiaro_spirv::text::parse(sources.text(file), file).expect("SPIR-V");
    let module = chiaro_spirv::read(&words, &Default::default(), &mut sources).expect("a module").module;
    for choice in CHOICES {
        assert_eq!(fault(&module, choice, None), None, "{choice:?}");
    }
}

/// Room is made for as many frames as the bound says, for each function of a cycle; the stack's chain says so.
#[test]
fn the_stack_has_room_for_the_bound() {
    let (_, functions, body) = PROGRAMS[0];
    let module = load(functions, body);
    let frame = |compiled: &Compiled| compiled.functions[0].frame;
    let sizes: Vec<(u32, u32)> = [11, 12, 24]
        .map(|bound| {
            let compiled = build(&module, CHOICES[0], None, Some(bound)).expect("it compiles");
            let [chain] = &compiled.chains[..] else { panic!("{:?}", compiled.chains) };
            assert!(frame(&compiled) > 0, "it saves at least where to return");
            let [kernel, own] = &chain.0[..] else { panic!("{chain}") };
            assert_eq!((own.times, own.bytes), (bound, frame(&compiled)), "{chain}");
            assert_eq!(u64::from(compiled.interface.scratch), chain.bytes(), "{chain}");
            (compiled.interface.scratch - kernel.bytes, frame(&compiled))
        })
        .into();
    for (bound, (bytes, frame)) in [11, 12, 24].into_iter().zip(sizes) {
        assert_eq!(bytes, bound * frame);
    }
}

/// Functions that end with what others give: they jump there, however often, and take no stack.
#[test]
fn calls_at_the_end_take_no_stack() {
    const CHAINS: [(&str, &str); 5] = [
        (
            "uint again_f(uint n, uint s) { return n; }
            uint f(uint n, uint s) { if (n == 0u) return s; return again_f(n - 1u, s * 3u + n); }",
            "uint s = i; for (uint k = 0u; k < 3u; k++) s = f(400u, s); b.d[i] = s;",
        ),
        (
            "uint again_g(uint n, uint s) { return n; }
            uint f(uint n, uint s) { if (n == 0u) return s ^ 5u; return again_g(n - 1u, s + b.d[n & 63u]); }
            uint g(uint n, uint s) { if ((n & 7u) == 7u) { s = s * 5u; } else if (n == 0u) return s + 9u; return f(n - 1u, s ^ n); }",
            "uint r = f(gl_WorkGroupID.x + 300u, i) + g(9u, i); if (i >= 64u) b.d[i] = r;",
        ),
        // Lanes end at depths of their own: those that are done wait, and the others go on.
        (
            "uint again_f(uint n, uint s) { return n; }
            uint f(uint n, uint s) { if (n == 0u) return s; return again_f(n - 1u, s * 3u + n); }",
            "b.d[i] = f(i & 31u, i);",
        ),
        (
            "uint again_f(uint n, uint s) { return n; }
            uint f(uint n, uint s) { if (n == 0u || (s & 255u) == 77u) return s; return again_f(n - 1u, s * 5u + n); }",
            "b.d[i] = f(1000u, i) ^ f(i * 15u, b.d[i]);",
        ),
        // Some go to one function, some to the other, and each has a result for those that are done.
        (
            "float again_g(uint n, float s) { return s; } float again_f(uint n, float s) { return s; }
            float f(uint n, float s) { if (n == 0u) return s; if ((n & 3u) == 1u) return again_g(n - 1u, s + 3.0); return again_f(n - 1u, s * 0.5 + 1.0); }
            float g(uint n, float s) { if (n == 0u) return -s; float t = s - float(n & 15u); if (t < 0.0) return again_f(n - 1u, t); return again_g(n - 1u, t); }",
            "if ((i & 1u) == 0u) a.f[i] = f(b.d[i] & 63u, 3.0); else a.f[i] = g(i, float(i));",
        ),
    ];
    for (n, (functions, body)) in CHAINS.into_iter().enumerate() {
        let module = load(functions, body);
        for (convention, choice) in CONVENTIONS.into_iter().flat_map(|c| CHOICES.map(|choice| (c, choice))) {
            let bound = 1010;
            let compiled = build(&module, choice, convention, Some(bound)).expect("it compiles");
            let bytes = compiled.functions.iter().map(|f| f.frame).sum::<u32>();
            let calls = compiled.functions.iter().any(|f| {
                let code = &compiled.code[f.bytes.start as usize..f.bytes.end as usize];
                listing::code(code, choice.0, 0).contains("s_call_b64")
            });
            let name = format!("{n}, {convention:?}, {choice:?}");
            // What callers keep is saved, and put back before a jump.
            let saves = convention == Some("ahit_isec");
            if std::env::var("LISTING").is_ok() {
                println!("{name}\n{}", listing::code(&compiled.code, choice.0, 0));
            }
            assert!(!calls && (saves || bytes == 0), "{name}: {bytes} bytes");
            assert_eq!(fault_within(&module, choice, convention, bound), None, "{name}");
        }
    }
}

/// A depth of exactly the bound is run; what goes deeper proves nothing, and is told.
#[test]
fn depths_beyond_the_bound_prove_nothing() {
    let (_, functions, body) = PROGRAMS[0];
    let module = load(functions, body);
    let proven = |bound: u32| {
        let compiled = build(&module, CHOICES[0], None, Some(bound)).expect("it compiles");
        verify(&Words { source: &module, entry: &module.entries[0], compiled }, 1)
    };
    // Depths 10 to 0 are eleven calls.
    assert!(proven(11).is_ok_and(|compared| compared.conclusive > 0));
    let why = proven(10).expect_err("nothing is proven").to_string();
    assert!(why.contains("open more often than `recursion` allows"), "{why}");
}

#[test]
fn what_has_no_bound_or_no_room_is_told() {
    let (_, functions, body) = PROGRAMS[0];
    let module = load(functions, body);
    let told = |bound| build(&module, CHOICES[0], None, bound).err();
    let why = told(None).expect("no bound");
    assert!(why.contains("calls itself") && why.contains("-m recursion=N"), "{why}");
    let why = told(Some(1 << 14)).expect("no room");
    assert!(why.contains("65536 are there") && why.contains("16384 times"), "{why}");
    // An entry point that calls itself has nobody to return to.
    let mut own = module.clone();
    let main = own.entries[0].function;
    for inst in (0..own.function(main).inst_count() as u32).map(Inst) {
        if let Op::Call(_) = own.function(main).op(inst) {
            let data = own.function_mut(main).inst_mut(inst);
            data.op = Op::Call(main);
        }
    }
    let why = build(&own, CHOICES[0], None, Some(3)).expect_err("an entry point");
    assert!(why.contains("is an entry point and calls itself"), "{why}");
}

/// A bound of some functions in all is enough where no other calls itself, and names functions that there are.
#[test]
fn bounds_of_named_functions() {
    let (_, functions, body) = PROGRAMS[3];
    let module = load(functions, body);
    let names: Vec<String> = module.functions.iter().map(|f| f.name.clone()).collect();
    let [f, g] = ["f", "g"].map(|name| names.iter().find(|n| plain(n) == name).expect("it is there").clone());
    let built = |names: &[&str]| {
        let together = vec![(names.iter().map(|name| (*name).to_owned()).collect(), 32)];
        let callables = Callables { together, ..Callables::default() };
        compile_with(&mut module.clone(), "main", Options::default(), &callables, &mut Cx::default())
    };
    let why = said(built(&[&f]).expect_err("the other has no bound"));
    assert!(why.starts_with(&format!("`{g}` calls itself")) && why.contains("names others alone"), "{why}");
    let why = said(built(&[&f, "nosuch"]).expect_err("there is none"));
    assert!(why.starts_with("there is no function `nosuch`") && why.contains(&g), "{why}");
    let compiled = built(&[&f, &g]).expect("both have one");
    verify(&Words { source: &module, entry: &module.entries[0], compiled }, 1).expect("it means the same");
}
