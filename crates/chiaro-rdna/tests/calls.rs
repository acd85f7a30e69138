//! Functions that stay functions: compiled, their contracts proven, run, compared with the source.

use chiaro_ir::Module;
use chiaro_opt::Cx;
use chiaro_rdna::abi::convention::Convention;
use chiaro_rdna::abi::interface::Abi;
use chiaro_rdna::abi::partition::File;
use chiaro_rdna::abi::place::Place;
use chiaro_rdna::abi::shipped;
use chiaro_rdna::check::Config;
use chiaro_rdna::compile::{Callables, Compiled, Options as Choices, compile_with};
use chiaro_rdna::listing;
use chiaro_rdna::verify::{Words, verify};

use crate::common::kernel::{load, read};
use crate::common::random::{self, has_no_room, number};

/// Name, functions, body of the kernel.
const PROGRAMS: &[(&str, &str, &str)] = &[
    ("values", "uint f(uint a, uint b) { return a * b + (a ^ b); }", "b.d[i] = f(b.d[i], i) + f(i, 3u);"),
    (
        "variables",
        "uint f(uint a, inout uint s, out float x) { s += a * 7u; x = float(a) * 0.5; return s ^ 3u; }",
        "uint s = i; float x; uint r = f(b.d[i], s, x); b.d[i] = r + s; a.f[i] += x;",
    ),
    (
        "sides",
        "uint f(uint a) { if ((a & 1u) == 0u) return a * 3u; if (a > 20u) return 5u; return a + 1u; }",
        "if ((i & 3u) != 0u) b.d[i] = f(b.d[i]) + i; else b.d[i] += f(i) * 2u;",
    ),
    (
        "one calls the other",
        "uint g(uint a) { return a * a + 1u; } uint f(uint a, uint k) { uint t = a ^ k; return g(a) + g(t) * t; }",
        "b.d[i] = f(b.d[i], i) + g(i);",
    ),
    (
        "in loops",
        "uint f(uint a, uint k) { uint s = a; for (uint n = 0u; n < (k & 7u); n++) { s = s * 3u + n; if (s > 9000u) break; } return s; }",
        "uint t = 0u; for (uint n = 0u; n < (b.d[i] & 15u); n++) { if ((n ^ i) == 5u) continue; t += f(n, i); if (t > 70000u) break; } b.d[i] = t;",
    ),
    (
        "memory",
        "void f(uint at, float x) { a.f[at] = x * 2.0 + a.f[at]; b.d[at] += gl_LocalInvocationID.x; }",
        "f(i, float(b.d[i]));",
    ),
    (
        "the group",
        "uint f(uint a) { s[gl_LocalInvocationID.x] = a; barrier(); return s[gl_LocalInvocationID.x ^ 5u] + s[1]; }",
        "b.d[i] = f(b.d[i]) + 1u;",
    ),
    (
        "variables of the module",
        "uint state; uint next() { state = state * 1664525u + 1013904223u; return state >> 16; }",
        "state = b.d[i]; uint r = next(); if ((i & 1u) == 1u) r ^= next(); b.d[i] = r + next();",
    ),
    (
        "an array by number",
        "uint f(uint a, uint k) { uint t[9]; for (uint n = 0u; n < 9u; n++) t[n] = a * n + k; return t[k % 9u]; }",
        "uint t[5]; for (uint n = 0u; n < 5u; n++) t[n] = b.d[i] + n; b.d[i] = f(t[i % 5u], i) + t[(i + 1u) % 5u];",
    ),
    (
        "more than registers",
        "struct Much { uint u[44]; }; Much f(Much m, uint k) { for (uint n = 0u; n < 44u; n++) m.u[n] = m.u[n] * 3u + k; return m; }",
        "Much m; for (uint n = 0u; n < 44u; n++) m.u[n] = b.d[(i + n) & 127u]; m = f(m, i); m = f(m, 2u); uint t = 0u; for (uint n = 0u; n < 44u; n++) t = t * 5u + m.u[n]; a.f[i] = float(t & 1023u);",
    ),
    (
        "bools and the wave",
        "bool f(bool p, uint w, bool q) { return p != (w > 9u) && q; }",
        "bool r = f(b.d[i] > 5u, b.d[gl_WorkGroupID.x], gl_WorkGroupID.x == 0u); b.d[i] = r ? i : 77u;",
    ),
    (
        "a bool where the wave meets",
        "bool f(bool w, uint x, uint v, uint k) { if (w) return false; for (uint n = 0u; n < (k & 3u); n++) {} return v > x; }",
        "bool r = f(gl_WorkGroupID.x == 7u, i + 3u, b.d[i], i); b.d[i] = r ? i : 77u;",
    ),
    (
        "much that is handed over",
        "uint g(uint z, uint k, uvec4 p, uvec4 q, uvec4 r) { if (k == p.x) a.f[gl_GlobalInvocationID.x] = 1.0; return z * q.y + r.z; } uint f(bool w) { return g(63u, w ? 15u : 21u, uvec4(4u, 5u, 6u, 7u), uvec4(8u, 9u, 1u, 2u), uvec4(3u)); }",
        "b.d[i] = f(b.d[i] < i);",
    ),
    (
        "much that lives across",
        "uint f(uint a) { uint s = a; for (uint n = 0u; n < 3u; n++) s = s * 5u ^ n; return s; }",
        "uint v[40]; for (uint n = 0u; n < 40u; n++) v[n] = b.d[(i + n) & 127u] * n; uint t = f(i); for (uint n = 0u; n < 40u; n++) t = t * 3u + v[n]; a.f[i] = float(t & 4095u);",
    ),
    (
        "a frame out of reach",
        "struct Much { uint u[60]; }; Much g(Much m, uint k) { for (uint n = 0u; n < 60u; n++) m.u[n] = m.u[n] * 3u + k; return m; } uint f(uint a, uint k) { uint t[560]; for (uint n = 0u; n < 560u; n += 16u) t[n] = a * n + k; Much m; for (uint n = 0u; n < 60u; n++) m.u[n] = t[(n * k & 31u) * 16u]; m = g(m, t[(k & 31u) * 16u]); uint r = k; for (uint n = 0u; n < 60u; n++) r = r * 5u + m.u[n]; return r + t[(a & 31u) * 16u] * k; }",
        "b.d[i] = f(b.d[i], i) + f(i, 3u);",
    ),
    (
        "a kernel's frame out of reach",
        "struct Much { uint u[60]; }; Much g(Much m, uint k) { for (uint n = 0u; n < 60u; n++) m.u[n] = m.u[n] * 3u + k; return m; }",
        "uint t[560]; for (uint n = 0u; n < 560u; n += 16u) t[n] = b.d[n & 127u] * n; Much m; for (uint n = 0u; n < 60u; n++) m.u[n] = t[(n * i & 31u) * 16u]; m = g(m, t[(i & 31u) * 16u]); uint r = 0u; for (uint n = 0u; n < 60u; n++) r = r * 5u + m.u[n]; b.d[i] = r + t[(i * 9u & 31u) * 16u];",
    ),
    (
        "parts of variables of the module",
        "struct S { uint n; uvec3 v; } st; uint t[6]; void g(uint a) { st.n += a; st.v.y = a * 3u; t[2] ^= a; } uint f(uint a) { g(a + 1u); return st.v[a % 3u] + t[2]; }",
        "st.n = i; st.v = uvec3(i); t[2] = 7u; uint r = f(b.d[i]); g(r); b.d[i] = r + st.n + st.v.y * t[2];",
    ),
    (
        "variables of the module by number",
        "uint t[5] = uint[5](1u, 2u, 3u, 4u, 5u); uvec4 v; void f(uint a, uint k) { t[k % 5u] += a; v[k & 3u] = a; }",
        "v = uvec4(i); f(b.d[i], i); if ((i & 2u) == 0u) f(i, b.d[i]); b.d[i] = t[i % 5u] * 3u + t[2] + v[i & 3u];",
    ),
];

const CHOICES: [(u8, Abi); 3] = [(32, Abi::Vulkan), (64, Abi::Vulkan), (32, Abi::Hsa)];
const CONVENTIONS: [Option<&str>; 4] = [None, Some("compute"), Some("rt_recursive"), Some("ahit_isec")];

/// All functions stay.
fn callables(module: &Module, convention: Option<&str>) -> Callables {
    let names = module.functions.iter().map(|f| f.name.clone()).filter(|name| name != "main");
    let convention = convention.map(|name| shipped::convention(name).expect("shipped"));
    Callables { names: names.collect(), convention, recursion: None, ..Callables::default() }
}

fn build(module: &Module, (wave, abi): (u8, Abi), convention: Option<&str>) -> Result<Compiled, String> {
    let mut cx = Cx { verify: true, ..Cx::default() };
    let options = Choices { wave, abi, ..Choices::default() };
    let callables = callables(module, convention);
    compile_with(&mut module.clone(), "main", options, &callables, &mut cx)
        .map_err(|errors| errors[0].message.clone())
}

#[test]
fn functions_mean_what_their_source_does() {
    let mut failures = Vec::new();
    for (name, functions, body) in PROGRAMS {
        let module = load(functions, body);
        for convention in CONVENTIONS {
            for choice in CHOICES {
                let told = match build(&module, choice, convention) {
                    Err(why) => why,
                    Ok(compiled) => {
                        assert!(!compiled.functions.is_empty(), "{name}: nothing is called");
                        let config = Config { wave: choice.0, group: None };
                        let unproved = compiled.contracts(config);
                        // Nobody knows where an index leads.
                        let is_indexed = |message: &str| message.contains("address nobody knows");
                        let open = unproved.iter().find(|(_, f)| !is_indexed(&f.finding.message));
                        if let Some((of, f)) = open {
                            failures.push(format!(
                                "{name}, {convention:?}, {choice:?}: {of}: {}",
                                f.finding.message
                            ));
                        }
                        let words = Words { source: &module, entry: &module.entries[0], compiled };
                        match verify(&words, 1) {
                            Ok(_) => continue,
                            Err(why) if std::env::var("LISTING").is_ok() => {
                                let code = &words.compiled.code;
                                format!("{why}\n{}", listing::code(code, choice.0, 0))
                            }
                            Err(why) => why.to_string(),
                        }
                    }
                };
                failures.push(format!("{name}, {convention:?}, {choice:?}: {told}"));
            }
        }
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

/// What a call costs in a function that calls, with nothing handed over and nothing alive: instructions of the whole
/// function beside those of its body, as the head of `llvm_call_overhead.tsv` counts them. LLVM 19 takes 26.
#[test]
fn calls_in_a_closed_unit_cost_little() {
    let functions = "void g() { if (b.d[3] == 77u) a.f[0] = 1.0; } void f() { g(); } ";
    let module = load(functions, "f();");
    for wave in [32, 64] {
        let compiled = build(&module, (wave, Abi::Hsa), None).expect("it compiles");
        let f = compiled.functions.iter().find(|f| f.name == "f").expect("it stays");
        let code = &compiled.code[f.bytes.start as usize..f.bytes.end as usize];
        let text = listing::code(code, wave, 0);
        let count = text.lines().filter(|line| line.trim_start().starts_with("s_")).count();
        assert!((1..=4).contains(&count), "{count} instructions:\n{text}");
    }
}

/// The example, as its head says.
#[test]
fn the_example_calls_its_functions() {
    let text = include_str!("../../../examples/rdna/calls/noise.comp");
    let module = read(text);
    for convention in CONVENTIONS {
        for choice in [(32, Abi::Vulkan), (64, Abi::Hsa)] {
            let compiled = build(&module, choice, convention).unwrap_or_else(|why| panic!("{why}"));
            let names: Vec<&str> = compiled.functions.iter().map(|f| f.name.as_str()).collect();
            assert_eq!(names, ["random", "octave"]);
            let words = Words { source: &module, entry: &module.entries[0], compiled };
            verify(&words, 1).unwrap_or_else(|why| panic!("{convention:?}, {choice:?}: {why}"));
        }
    }
}

/// A call that goes elsewhere, a return address that is not kept, a stack pointer that is off: words with such faults
/// are refused by the contracts or do something else.
#[test]
fn faults_in_calls_are_found() {
    let (_, functions, body) = PROGRAMS[3];
    let module = load(functions, body);
    let right = build(&module, (32, Abi::Vulkan), Some("compute")).expect("it compiles");
    let config = Config { wave: 32, group: None };
    assert!(right.contracts(config).is_empty());
    let (mut planted, mut survivors) = (0, Vec::new());
    for f in &right.functions {
        for at in f.bytes.clone().step_by(4) {
            let at = at as usize;
            let word = u32::from_le_bytes(right.code[at..at + 4].try_into().expect("four bytes"));
            let is_call = word >> 23 == 0x176;
            let moves_scalar = word >> 23 == 0x17d && matches!(word >> 8 & 0xff, 3 | 4 | 0x20);
            let through_lanes = matches!(word >> 16, 0xd760 | 0xd761);
            if !(is_call || moves_scalar || through_lanes) {
                continue;
            }
            planted += 1;
            let mut wrong = right.clone();
            wrong.code[at..at + 4].copy_from_slice(&0xbf80_0000u32.to_le_bytes());
            if through_lanes {
                wrong.code[at + 4..at + 8].copy_from_slice(&0xbf80_0000u32.to_le_bytes());
            }
            let is_refused = !wrong.contracts(config).is_empty();
            let words = Words { source: &module, entry: &module.entries[0], compiled: wrong };
            if !is_refused && verify(&words, 1).is_ok() {
                survivors.push(format!("{}: word {}", f.name, at / 4));
            }
        }
    }
    assert!(planted > 3, "{planted} faults");
    assert!(survivors.is_empty(), "{survivors:?} of {planted}");
}

#[test]
fn what_cannot_be_called_is_told() {
    let module = load("uint f(uint a) { return a; }", "b.d[i] = f(i);");
    let build = |name: &str, convention: Option<&str>| {
        let convention = convention.map(|name| match name {
            "flushes" => Convention { mode: Some(0), ..shipped::convention("compute").expect("shipped") },
            name => shipped::convention(name).expect("shipped"),
        });
        let callables =
            Callables { names: vec![name.to_owned()], convention, recursion: None, ..Callables::default() };
        let made =
            compile_with(&mut module.clone(), "main", Choices::default(), &callables, &mut Cx::default());
        made.err().map(|errors| format!("{} ({})", errors[0].message, errors[0].help.clone().join(" ")))
    };
    assert_eq!(build("f", None), None);
    let told = build("g", None).expect("there is no such function");
    assert!(told.contains("no function `g`") && told.contains("there are f"), "{told}");
    let told = build("f", Some("llvm_c")).expect("a convention with loads on their way");
    assert!(told.contains("`llvm_c`"), "{told}");
    let told = build("f", Some("flushes")).expect("a mode that no kernel begins with");
    assert!(told.contains("`mode`"), "{told}");
}

/// Two programs whose function has so many uniform parameters: one whose lanes leave loops, and one whose values are spilled
/// out of reach, both while the last parameters still stand where they came.
fn with_parameters(count: usize) -> [(String, String); 2] {
    let list = |one: &dyn Fn(usize) -> String| (1..=count).map(one).collect::<Vec<_>>();
    let params = list(&|n| format!("uint k{n}")).join(", ");
    let sum = list(&|n| format!("k{n} * {n}u")).join(" + ");
    let given = list(&|n| format!("gl_WorkGroupID.x + {n}u")).join(", ");
    let loops = format!(
        "uint f({params}, uint x) {{ uint t = x;
        for (uint n = 0u; n < (x & 7u); n++) {{
            if ((t & 3u) == 2u) continue;
            for (uint m = n; m < 5u; m++) {{ if (t > k20) break; t = t * 3u + k19; if (t == 5u) return k18; }}
            t += k17; }}
        return t + {sum}; }}"
    );
    let [loads, uses] = [
        |n: usize| format!("uint v{n} = b.d[(x + {n}u) & 127u]; "),
        |n: usize| format!("r = r * 3u + v{n}; "),
    ]
    .map(|one| (0..150).map(one).collect::<String>());
    let spills = format!(
        "uint g(uint x) {{ return x * 3u; }}
        uint f({params}, uint x) {{
        uint t[560]; for (uint n = 0u; n < 560u; n += 16u) t[n] = n * x;
        {loads} uint r = g(t[(x & 31u) * 16u]); {uses}
        return r + t[(x * 7u & 31u) * 16u] + ({sum}); }}"
    );
    [loops, spills].map(|functions| (functions, format!("b.d[i] = f({given}, b.d[i]);")))
}

/// Masks that last and addresses out of reach have the last scalar registers only where nothing is handed over in them.
#[test]
fn parameters_in_the_last_scalar_registers_stay_there() {
    for (count, most) in [(20, 103), (21, 104), (24, 105)] {
        for (functions, body) in with_parameters(count) {
            let module = load(&functions, &body);
            for choice in CHOICES {
                let compiled =
                    build(&module, choice, Some("ahit_isec")).unwrap_or_else(|why| panic!("{why}"));
                let f = compiled.functions.iter().find(|f| f.name == "f").expect("it stays");
                let scalars = f.callee.placement.parameters.iter().filter(|placed| placed.file == File::Sgpr);
                let lasts = scalars.filter_map(|placed| match placed.place {
                    Place::Register { first, .. } => Some(first + placed.size - 1),
                    Place::Stack(_) => None,
                });
                assert_eq!(lasts.max(), Some(most), "{count} parameters");
                let words = Words { source: &module, entry: &module.entries[0], compiled };
                verify(&words, 1).unwrap_or_else(|why| panic!("{choice:?}, {count}: {why}"));
            }
        }
    }
}

/// Parameters on the stack may take more than an instruction reaches, from the stack pointer of either side.
#[test]
fn parameters_beyond_reach_are_found() {
    let functions = "uint f(inout uint t[560], uint k) {
        uint r = t[(k & 31u) * 16u]; t[(k & 31u) * 16u] += k; return r + t[k & 127u]; }";
    let body = "uint t[560]; for (uint n = 0u; n < 560u; n++) t[n] = b.d[n & 127u] ^ i;
        uint r = f(t, i); b.d[i] = r + t[i] + t[(i & 31u) * 16u];";
    let module = load(functions, body);
    let compiled = build(&module, CHOICES[1], Some("compute")).unwrap_or_else(|why| panic!("{why}"));
    assert!(compiled.functions[0].callee.placement.stack_bytes > 2048);
    let words = Words { source: &module, entry: &module.entries[0], compiled };
    verify(&words, 1).unwrap_or_else(|why| panic!("{why}"));
}

/// What a function writes that another one only reads changes all the same.
#[test]
fn buffers_that_any_function_writes_are_not_read_only() {
    let module =
        load("uint f(uint k) { return b.d[k] >> 31; }", "b.d[i] = b.d[i + f(i)] * 3u + uint(a.f[i]);");
    let compiled = build(&module, CHOICES[0], None).expect("compiles");
    assert!(!compiled.functions.is_empty(), "nothing is called");
    let is_read_only = |name: &str| {
        let found = compiled.module.globals.iter().find(|global| global.name == name);
        found.expect("it is used").read_only
    };
    assert_eq!(["a", "b"].map(is_read_only), [true, false]);
}

/// Random call graphs: as many as `CALLS` says, from seed `SEED` on.
#[test]
fn random_functions_mean_what_their_source_does() {
    let (first, count) = (number("SEED", 0), number("CALLS", 60));
    let (mut failures, mut called, mut untested, mut refused) = (Vec::new(), 0, 0, 0);
    for seed in first..first + count {
        let module = random::module(seed, random::Kind::default());
        let choice = CHOICES[(seed % 3) as usize];
        let convention = CONVENTIONS[(seed / 3 % 4) as usize];
        let compiled = match build(&module, choice, convention) {
            Ok(compiled) => compiled,
            Err(why) if has_no_room(&why) => {
                refused += 1;
                continue;
            }
            Err(why) => {
                failures.push(format!("seed {seed}, {convention:?}, {choice:?}: {why}"));
                continue;
            }
        };
        called += usize::from(!compiled.functions.is_empty());
        let unproved = compiled.contracts(Config { wave: choice.0, group: None });
        if let Some((of, f)) = unproved.first() {
            let listing = match std::env::var("LISTING") {
                Ok(_) => listing::code(&compiled.code, choice.0, 0),
                Err(_) => String::new(),
            };
            let place = format!("seed {seed}, {convention:?}, {choice:?}: {of}, word {}", f.word);
            failures.push(format!("{place}: {}\n{listing}", f.finding.message));
            continue;
        }
        match verify(&Words { source: &module, entry: &module.entries[0], compiled }, seed) {
            Ok(_) => {}
            Err(chiaro_target::Failure::Untested { .. }) => untested += 1,
            Err(why) => failures.push(format!("seed {seed}, {convention:?}, {choice:?}: {why}")),
        }
    }
    println!("{count} programs, {called} with calls, {untested} untested, {refused} refused");
    failures.truncate(20);
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(untested * 4 < count && refused == 0, "{untested} untested, {refused} refused");
}
