//! Calls through pointers: compiled, their contracts proven, run, compared with the source (spec section 18.11).

use chiaro_diag::{Severity, SourceMap};
use chiaro_ir::Module;
use chiaro_opt::Cx;
use chiaro_rdna::Rdna;
use chiaro_rdna::abi::interface::Abi;
use chiaro_rdna::abi::shipped;
use chiaro_rdna::check::{Config, Found};
use chiaro_rdna::compile::compiled::Function;
use chiaro_rdna::compile::{Callables, Compiled, Options, compile_with};
use chiaro_rdna::listing;
use chiaro_rdna::verify::{Words, verify};
use chiaro_target::{CompileOptions, Interface, Shader, Target};

use crate::common::random::{self, has_no_room, number};
use crate::common::{kernel, pointers};

/// A program: its functions, those whose addresses are taken with arguments that they have, the body of the kernel.
struct Program {
    name: &'static str,
    functions: &'static str,
    pointed: &'static [&'static str],
    body: &'static str,
}

const FOUR: &str = "
    uint f0(uint a, uint b) { return a + b; }
    uint f1(uint a, uint b) { return a * 3u ^ b; }
    uint f2(uint a, uint b) { if ((a & 1u) == 0u) return b; return a - b; }
    uint f3(uint a, uint b) { uint s = a; for (uint n = 0u; n < (b & 7u); n++) s = s * 5u + n; return s; }
    uint through_2(uint64_t p, uint a, uint b) { return a; }";
const FOURS: &[&str] = &["f0(0u, 0u)", "f1(0u, 0u)", "f2(0u, 0u)", "f3(0u, 0u)"];
/// One of four by a number.
const PICK: &str = "uint64_t pick(uint n) { n &= 3u; return n == 0u ? at_f0() : n == 1u ? at_f1() : n == 2u ? at_f2() : at_f3(); }";

const PROGRAMS: &[Program] = &[
    Program {
        name: "all lanes the same",
        functions: FOUR,
        pointed: FOURS,
        body: "uint64_t p = gl_WorkGroupID.x == 0u ? at_f0() : at_f3(); b.d[i] = through_2(p, b.d[i], i) + 1u;",
    },
    Program {
        name: "four in a wave",
        functions: FOUR,
        pointed: FOURS,
        body: "uint k = b.d[i]; b.d[i] = through_2(pick(k), k, i) ^ k * 7u;",
    },
    Program {
        name: "none",
        functions: FOUR,
        pointed: FOURS,
        body: "uint k = b.d[i]; uint64_t p = (k & 4u) == 0u ? uint64_t(0) : pick(k); b.d[i] = through_2(p, k, i) + i;",
    },
    Program {
        name: "none in any lane",
        functions: FOUR,
        pointed: FOURS,
        body: "uint64_t p = gl_WorkGroupID.x == 0u ? uint64_t(0) : at_f1(); b.d[i] = through_2(p, b.d[i], i) + i;",
    },
    Program {
        name: "in a buffer",
        functions: FOUR,
        pointed: FOURS,
        body: "c.p[i] = pick(i); memoryBarrierBuffer(); uint64_t p = c.p[i]; c.p[i] = uint64_t(0); b.d[i] = through_2(p, b.d[i], i);",
    },
    Program {
        name: "in the group's memory",
        functions: FOUR,
        pointed: FOURS,
        body: "t[gl_LocalInvocationID.x] = pick(b.d[i]); barrier(); b.d[i] = through_2(t[gl_LocalInvocationID.x ^ 5u], b.d[i], i);",
    },
    Program {
        name: "in a table",
        functions: FOUR,
        pointed: FOURS,
        body: "uint64_t q[4] = uint64_t[4](at_f0(), at_f1(), at_f2(), at_f3()); uint s = i; for (uint n = 0u; n < 3u; n++) s = through_2(q[(b.d[i] + n) & 3u], s, n); b.d[i] = s;",
    },
    Program {
        name: "in loops that lanes leave",
        functions: FOUR,
        pointed: FOURS,
        body: "uint64_t p = at_f0(); uint s = 0u; for (uint n = 0u; n < (b.d[i] & 7u); n++) { if ((n ^ i) == 5u) continue; s = through_2(p, s, i + n); p = pick(s + n); if (s > 70000u) break; } b.d[i] = s;",
    },
    Program {
        name: "on both sides, in some lanes",
        functions: FOUR,
        pointed: FOURS,
        body: "uint k = b.d[i]; if ((k & 1u) == 0u) { if (i > 40u) k += through_2(pick(i), k, 3u); else k = through_2(at_f2(), i, k); } else k ^= through_2(pick(k >> 1), 9u, k); b.d[i] = k;",
    },
    Program {
        name: "a function through one through another",
        functions: "
            uint f0(uint a, uint b) { return a + b; }
            uint f1(uint a, uint b) { return a * 3u ^ b; }
            uint through_2(uint64_t p, uint a, uint b) { return a; }
            uint through_3(uint64_t p, uint64_t q, uint a, uint b) { return a; }",
        pointed: &["f0(0u, 0u)", "f1(0u, 0u)", "g0(uint64_t(0), 0u, 0u)", "g1(uint64_t(0), 0u, 0u)"],
        body: "uint k = b.d[i]; uint64_t p = (k & 1u) == 0u ? at_f0() : at_f1(); uint64_t q = (k & 2u) == 0u ? at_g0() : at_g1(); b.d[i] = through_3(q, p, k, i);",
    },
    Program {
        name: "itself",
        functions: "
            uint through_2(uint64_t p, uint n, uint k) { return n; }
            uint through_4(uint64_t p, uint64_t q, uint n, uint k) { return n; }
            uint64_t again_h() { return uint64_t(0); }",
        pointed: &["h(uint64_t(0), 0u, 0u)", "l(uint64_t(0), 0u, 0u)"],
        body: "uint k = b.d[i]; uint64_t p = (i & 1u) == 0u ? at_h() : at_l(); b.d[i] = through_4(p, p, 10u, k);",
    },
    Program {
        name: "registers that callers keep",
        functions: "
            uint f0(uint a, uint h) { uint v[40]; for (uint n = 0u; n < 40u; n++) v[n] = b.d[(a + n) & 127u] * n; uint t = 0u; for (uint n = 0u; n < 40u; n++) t = t * 3u + v[n]; return t; }
            uint f1(uint a, uint c) { return a ^ c; }
            uint through_2(uint64_t p, uint a, uint b) { return a; }",
        pointed: &["f0(0u, 0u)", "f1(0u, 0u)"],
        body: "uint w = a.f[i] > 0.5 ? 5u : 9u; uint x = i * 7u; uint y = i ^ 33u; uint64_t p = (i & 3u) == 1u ? at_f0() : at_f1(); uint r = 0u; if (i != 9u) r = through_2(p, i, x); a.f[i] = float((r + w * x - y) & 4095u);",
    },
    Program {
        name: "parameters on the stack",
        functions: "
            struct Much { uint u[52]; };
            uint f0(Much m, uint k) { uint t = k; for (uint n = 0u; n < 52u; n++) t = t * 3u + m.u[n]; return t; }
            uint f1(Much m, uint k) { return m.u[51] + m.u[k & 31u]; }
            uint through_m(uint64_t p, Much m, uint k) { return k; }",
        pointed: &["f0(e, 0u)", "f1(e, 0u)"],
        body: "Much m; for (uint n = 0u; n < 52u; n++) m.u[n] = b.d[(i + n) & 127u]; uint64_t p = (i & 1u) == 0u ? at_f0() : at_f1(); a.f[i] = float(through_m(p, m, i) & 4095u);",
    },
    Program {
        name: "by its name, where another of its type uses a variable of the module",
        functions: "
            uint state;
            uint f0(uint a, uint b) { return a + b; }
            uint f1(uint a, uint b) { state += a; return state ^ b; }
            uint g0(uint a) { return f0(a, 5u) * 3u; }
            uint g1(uint a) { return a ^ 77u; }
            uint through_1(uint64_t p, uint a) { return a; }
            uint through_2(uint64_t p, uint a, uint b) { return a; }",
        pointed: &["f0(0u, 0u)", "f1(0u, 0u)", "g0(0u)", "g1(0u)"],
        body: "state = i; uint k = b.d[i]; uint64_t p = (k & 1u) == 0u ? at_f0() : at_f1(); uint64_t q = (k & 2u) == 0u ? at_g0() : at_g1(); b.d[i] = through_1(q, through_2(p, k, i)) + state;",
    },
    Program {
        name: "in the place of an end",
        functions: FOUR,
        pointed: FOURS,
        body: "b.d[i] = g(b.d[i], i) + 1u;",
    },
    Program {
        name: "in the place of an end, in lanes",
        functions: FOUR,
        pointed: FOURS,
        body: "b.d[i] = (i & 5u) == 1u ? 7u : g(b.d[i], i) + 1u;",
    },
    Program {
        name: "states of a machine",
        functions: "
            uint through_2(uint64_t p, uint n, uint k) { return n; }
            uint64_t again_h() { return uint64_t(0); } uint64_t again_l() { return uint64_t(0); }",
        pointed: &["h(0u, 0u)", "l(0u, 0u)", "e(0u, 0u)"],
        body: "uint k = b.d[i]; uint64_t p = (i & 1u) == 0u ? at_h() : at_l(); b.d[i] = through_2(p, (k & 7u) + 7u, k) ^ through_2(at_h(), 3u, k);",
    },
    Program {
        name: "bools, floats, vectors, nothing",
        functions: "
            bool f0(bool p, vec3 v, bool q) { return p != (v.x > v.y) && q; }
            bool f1(bool p, vec3 v, bool q) { return v.z < 3.0 || p; }
            void g0(uint at, float x) { a.f[at] = x * 2.0 + a.f[at]; b.d[at] += gl_LocalInvocationID.x; }
            void g1(uint at, float x) { a.f[at] = x; }
            bool through_b(uint64_t p, bool x, vec3 v, bool q) { return x; }
            void through_v(uint64_t p, uint at, float x) { }",
        pointed: &[],
        body: "uint k = b.d[i]; uint64_t p = k > 20u ? at_f0() : at_f1(); bool r = through_b(p, k > 5u, vec3(i, k, 2.0), i < 50u); through_v(r ? at_g0() : at_g1(), i, float(k & 63u));",
    },
    Program {
        name: "what the kernel knows",
        functions: "
            uint f0(uint k) { return gl_WorkGroupID.x + k; }
            uint f1(uint k) { return gl_LocalInvocationID.x * 3u + uint(a.f[k & 127u]); }
            uint f2(uint k) { return b.d[k & 127u]; }
            uint through_1(uint64_t p, uint k) { return k; }",
        pointed: &["f0(0u)", "f1(0u)", "f2(0u)"],
        body: "uint k = b.d[i] & 127u; uint64_t p = k < 20u ? at_f0() : k < 40u ? at_f1() : at_f2(); uint r = through_1(p, k); barrier(); a.f[i] = float(r & 4095u);",
    },
];

const CHOICES: [(u8, Abi); 3] = [(32, Abi::Vulkan), (64, Abi::Vulkan), (32, Abi::Hsa)];
const CONVENTIONS: [Option<&str>; 4] = [None, Some("compute"), Some("rt_recursive"), Some("ahit_isec")];

/// What functions call that need addresses before them.
fn behind(name: &str) -> &'static str {
    match name {
        "a function through one through another" => {
            "uint g0(uint64_t p, uint a, uint b) { return through_2(p, a + 1u, b) * 3u + a; }
            uint g1(uint64_t p, uint a, uint b) { return through_2(p, b, a) ^ through_2(at_f0(), a, 5u); }"
        }
        "in the place of an end" => {
            "uint g(uint a, uint b) { uint64_t p = gl_WorkGroupID.x == 0u ? at_f0() : at_f1(); return through_2(p, a * 3u ^ b, a); }"
        }
        "in the place of an end, in lanes" => {
            "uint g(uint a, uint b) { if ((a & 1u) == 0u) return a; uint64_t p = (b & 3u) == 0u ? uint64_t(0) : (b & 1u) == 0u ? at_f0() : at_f3(); return through_2(p, a * 3u ^ b, a); }"
        }
        "states of a machine" => {
            "uint e(uint n, uint k) { return n ^ k; }
            uint h(uint n, uint k) { if (n == 0u) return k; return through_2((k & 1u) == 0u ? again_h() : again_l(), n - 1u, k * 3u + n); }
            uint l(uint n, uint k) { if (n == 0u) return k ^ 9u; uint64_t p = (k & 30u) == 2u ? uint64_t(0) : again_h(); return through_2(p, n - 1u, k + n); }"
        }
        "itself" => {
            "uint h(uint64_t q, uint n, uint k) { if (n == 0u) return k; uint a = n * k ^ 5u; uint r = through_4((k & 1u) == 0u ? q : again_h(), q, n - 1u, k * 3u + a); return r * 3u + a; }
            uint l(uint64_t q, uint n, uint k) { if (n < 2u) return k ^ 9u; return through_4(again_h(), q, n - 2u, k + n) - k; }"
        }
        _ => "",
    }
}

fn load(program: &Program) -> Module {
    let Program { name, functions, pointed, body } = *program;
    let mut early: Vec<&str> = Vec::new();
    let mut late: Vec<&str> = Vec::new();
    for call in pointed {
        let of = call.split('(').next().unwrap_or_default();
        if functions.contains(&format!(" {of}(")) { early.push(call) } else { late.push(call) }
    }
    let pick = if functions == FOUR { PICK } else { "" };
    let (early, after, late) = (pointers::addresses(&early), behind(name), pointers::addresses(&late));
    let others = match name {
        "bools, floats, vectors, nothing" => {
            "uint64_t at_f0() { return uint64_t(f0(true, vec3(0.0), true)); } uint64_t at_f1() { return uint64_t(f1(true, vec3(0.0), true)); }
            uint64_t at_g0() { g0(0u, 0.0); return uint64_t(0); } uint64_t at_g1() { g1(0u, 0.0); return uint64_t(0); }"
        }
        _ => "",
    };
    let text = format!(
        "#version 450\n{}layout(local_size_x = 64) in;
        layout(std430, binding = 0) buffer A {{ float f[128]; }} a;
        layout(std430, binding = 1) buffer B {{ uint d[128]; }} b;
        layout(std430, binding = 2) buffer C {{ uint64_t p[128]; }} c;
        shared uint64_t t[64];
        {functions}
        {} {early}{others}{after}{late}{pick}
        void main() {{ uint i = gl_GlobalInvocationID.x; {body} }}",
        pointers::HEAD,
        if functions.contains("Much") { "Much e;" } else { "" },
    );
    let mut module = kernel::read(&text);
    pointers::lead(&mut module);
    module
}

fn build(module: &Module, (wave, abi): (u8, Abi), convention: Option<&str>) -> Result<Compiled, String> {
    let mut cx = Cx { verify: true, ..Cx::default() };
    let options = Options { wave, abi, ..Options::default() };
    let convention = convention.map(|name| shipped::convention(name).expect("shipped"));
    let is_own = |name: &String| !["main", "at_", "through_", "again_"].iter().any(|no| name.starts_with(no));
    let names = module.functions.iter().map(|f| f.name.clone()).filter(is_own).collect();
    let callables = Callables { names, convention, recursion: Some(16), ..Callables::default() };
    compile_with(&mut module.clone(), "main", options, &callables, &mut cx)
        .map_err(|errors| format!("{} ({})", errors[0].message, errors[0].help.join(" ")))
}

/// Why words do not do what the source does, or are not proven to.
fn fault(module: &Module, choice: (u8, Abi), convention: Option<&str>) -> Option<String> {
    let compiled = match build(module, choice, convention) {
        Ok(compiled) => compiled,
        Err(why) => return Some(why),
    };
    assert!(!compiled.sites.is_empty(), "nothing is called through a pointer");
    // Nobody knows where an index leads.
    let is_open = |f: &Found| f.finding.message.contains("address nobody knows");
    let open = compiled.contracts(Config { wave: choice.0, group: None });
    let listing = || match std::env::var("LISTING") {
        Ok(_) => listing::code(&compiled.code, choice.0, 0),
        Err(_) => String::new(),
    };
    if let Some((of, f)) = open.iter().find(|(_, f)| !is_open(f)) {
        return Some(format!("{of}, word {}: {}\n{}", f.word, f.finding.message, listing()));
    }
    let listing = listing();
    let words = Words { source: module, entry: &module.entries[0], compiled };
    verify(&words, 1).err().map(|why| format!("{why}\n{listing}"))
}

/// All programs, or the one that `PROGRAM` names.
#[test]
fn calls_through_pointers_mean_what_their_source_does() {
    let mut failures = Vec::new();
    let only = std::env::var("PROGRAM").ok();
    for (k, program) in PROGRAMS.iter().enumerate() {
        if only.as_ref().is_some_and(|only| only != program.name) {
            continue;
        }
        let module = load(program);
        for (n, convention) in CONVENTIONS.into_iter().enumerate() {
            // Without a convention every choice, with one of the others in turn one of them.
            let (first, count) = if n == 0 { (0, 3) } else { ((n + k) % 3, 1) };
            for choice in CHOICES.into_iter().skip(first).take(count) {
                if let Some(why) = fault(&module, choice, convention) {
                    failures.push(format!("{}, {convention:?}, {choice:?}: {why}", program.name));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

/// The example, as its head says: by the words of SPIR-V, which has pointers to functions.
#[test]
fn the_example_calls_through_pointers() {
    let mut sources = SourceMap::new();
    let text = include_str!("../../../examples/rdna/calls/pointers.spvasm");
    let file = sources.add("pointers.spvasm", text.to_owned());
    let words = chiaro_spirv::text::parse(sources.text(file), file).expect("SPIR-V");
    let module = chiaro_spirv::read(&words, &Default::default(), &mut sources).expect("a module").module;
    chiaro_ir::verify(&module).expect("it is sound");
    for choice in CHOICES {
        for convention in CONVENTIONS {
            assert_eq!(fault(&module, choice, convention), None, "{choice:?}, {convention:?}");
        }
    }
}

/// Random call graphs in which functions are values, too: as many as `CALLS` says, from seed `SEED` on.
#[test]
fn random_pointers_mean_what_their_source_does() {
    let (first, count) = (number("SEED", 0), number("CALLS", 24));
    let (mut failures, mut untested, mut refused, mut through) = (Vec::new(), 0, 0, 0);
    for seed in first..first + count {
        let module = random::module(
            seed,
            random::Kind { points: true, tails: seed % 2 == 1, ..random::Kind::default() },
        );
        let (choice, convention) = (CHOICES[(seed % 3) as usize], CONVENTIONS[(seed / 3 % 4) as usize]);
        let failed = |why: &str| format!("seed {seed}, {convention:?}, {choice:?}: {why}");
        let compiled = match build(&module, choice, convention) {
            Ok(compiled) => compiled,
            Err(why) if has_no_room(&why) => {
                refused += 1;
                continue;
            }
            Err(why) => {
                failures.push(failed(&why));
                continue;
            }
        };
        through += usize::from(!compiled.sites.is_empty());
        let unproved = compiled.contracts(Config { wave: choice.0, group: None });
        if let Some((of, f)) = unproved.first() {
            failures.push(failed(&format!("{of}, word {}: {}", f.word, f.finding.message)));
            continue;
        }
        match verify(&Words { source: &module, entry: &module.entries[0], compiled }, seed) {
            Ok(_) => {}
            Err(chiaro_target::Failure::Untested { .. }) => untested += 1,
            Err(why) => failures.push(failed(&why.to_string())),
        }
    }
    println!("{count} programs, {through} with pointers, {untested} untested, {refused} refused");
    failures.truncate(20);
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(untested * 4 < count && refused * 20 <= count, "{untested} untested, {refused} refused");
}

/// Instructions without which a call through a pointer is none. Of the halves of addresses the upper ones are all the same.
const CALLS: [&str; 8] = [
    "s_swappc_b64",
    "s_getpc_b64",
    "s_and_saveexec_b32",
    "s_andn2_b32 exec_lo",
    "v_writelane_b32",
    "v_readlane_b32",
    "s_add_u32 s32",
    "s_sub_u32 s32",
];

/// Instructions without which lanes do not go on to what they want.
const ENDS: [&str; 8] = [
    "s_and_saveexec_b32",
    "v_cmp_ne_u64_e32",
    "s_setpc_b64",
    "s_andn2_b32 exec_lo",
    "s_mov_b32 exec_lo",
    "s_cbranch_vccz",
    "s_ff1_i32_b32",
    "v_readlane_b32 s2",
];

/// Words in which something of a call through a pointer is missing are refused by the contracts or do something else:
/// addresses, the call itself, lanes that are done and run again, the stack pointer, what is kept meanwhile.
#[test]
fn faults_in_calls_through_pointers_are_found() {
    survive("a function through one through another", CALLS);
    survive("states of a machine", ENDS);
}

/// That no program is right without one of the instructions of some kinds, each of which is there.
fn survive(name: &str, kinds: [&str; 8]) {
    let program = PROGRAMS.iter().find(|program| program.name == name);
    let module = load(program.expect("it is there"));
    let right = build(&module, (32, Abi::Vulkan), Some("compute")).expect("it compiles");
    let config = Config { wave: 32, group: None };
    assert!(right.contracts(config).is_empty());
    let (mut planted, mut survivors) = ([0; 8], Vec::new());
    for at in (0..right.code.len()).step_by(4) {
        let text = listing::code(&right.code[at..(at + 8).min(right.code.len())], 32, 0);
        let line = text.lines().find(|line| line.starts_with("  ")).unwrap_or_default().trim().to_owned();
        let Some(kind) = kinds.iter().position(|kind| line.starts_with(kind)) else { continue };
        planted[kind] += 1;
        let mut wrong = right.clone();
        let is_long = line.starts_with("v_") && !line.contains("_e32");
        let length = if is_long { 8 } else { 4 };
        let nothing = 0xbf80_0000u32.to_le_bytes();
        (at..at + length).step_by(4).for_each(|at| wrong.code[at..at + 4].copy_from_slice(&nothing));
        let is_refused = !wrong.contracts(config).is_empty();
        let words = Words { source: &module, entry: &module.entries[0], compiled: wrong };
        if !is_refused && verify(&words, 1).is_ok() {
            survivors.push(format!("word {}: {line}", at / 4));
        }
    }
    assert!(planted.iter().all(|count| *count > 0), "{planted:?} of {kinds:?}");
    let text = if survivors.is_empty() { String::new() } else { listing::code(&right.code, 32, 0) };
    assert!(survivors.is_empty(), "{survivors:?} of {planted:?}\n{text}");
}

/// What a pointer may lead to has to be called in one way: contracts that differ are told.
#[test]
fn contracts_of_a_call_through_a_pointer_are_one() {
    let program = PROGRAMS.iter().find(|program| program.name == "a function through one through another");
    let module = load(program.expect("it is there"));
    let right = build(&module, (32, Abi::Vulkan), Some("compute")).expect("it compiles");
    let config = Config { wave: 32, group: None };
    let targets = right.sites.first().expect("a call").1.clone();
    let told = |wrong: &Compiled| -> String {
        wrong.contracts(config).into_iter().map(|(_, f)| f.finding.message + "\n").collect()
    };
    // Another convention of one of the functions.
    let mut wrong = right.clone();
    wrong.functions[targets[0]].callee.convention = shipped::convention("ahit_isec").expect("shipped");
    assert!(told(&wrong).contains("are called in different ways"), "{}", told(&wrong));
    // Nothing to come to.
    let mut wrong = right.clone();
    wrong.sites[0].1.clear();
    assert!(told(&wrong).contains("no function that the call may come to"), "{}", told(&wrong));
}

/// Where a function ends with what a pointer of all lanes gives, it jumps there; that needs to be known to be proven.
#[test]
fn calls_through_pointers_in_the_place_of_ends_are_jumps() {
    let program = PROGRAMS.iter().find(|program| program.name == "in the place of an end");
    let module = load(program.expect("it is there"));
    for wave in [32, 64] {
        let right = build(&module, (wave, Abi::Vulkan), Some("compute")).expect("it compiles");
        let config = Config { wave, group: None };
        assert!(right.contracts(config).is_empty());
        let g = right.functions.iter().position(|f| f.name == "g").expect("it stays");
        let is_own = |at: u32| right.functions[g].bytes.contains(&at);
        let site = right.sites.iter().position(|(at, _)| is_own(*at)).expect("a jump");
        let at = right.sites[site].0 as usize;
        assert_eq!(right.code[at + 1], 0x20, "s_setpc_b64");
        let told = |wrong: &Compiled, piece: &str| {
            wrong.contracts(config).iter().any(|(_, f)| f.finding.message.contains(piece))
        };
        let mut nowhere = right.clone();
        nowhere.sites.clear();
        assert!(told(&nowhere, "nobody says which functions that may be"));
        // A caller of `g` relies on more than those keep that it jumps to.
        let mut keeps_more = right.clone();
        keeps_more.functions[g].callee.convention = shipped::convention("ahit_isec").expect("shipped");
        assert!(told(&keeps_more, "keeps or gives less"));
    }
}

/// Calls of which no words show where they lead: the function and the word of each.
fn rests_on(compiled: &Compiled, wave: u8) -> Vec<(String, u32)> {
    let all = compiled.proof(Config { wave, group: None }).into_iter();
    let mut all: Vec<(String, u32)> =
        all.filter(|(_, f)| f.is_assumed()).map(|(name, f)| (name.to_owned(), f.word)).collect();
    all.dedup();
    all
}

fn built(name: &str, wave: u8) -> Compiled {
    let program = PROGRAMS.iter().find(|program| program.name == name).expect("it is there");
    build(&load(program), (wave, Abi::Vulkan), Some("compute")).expect("it compiles")
}

/// Pointers that are chosen among functions words show; what memory or a caller gives is named, each call by its word.
#[test]
fn where_pointers_lead_is_shown_or_named() {
    for wave in [32, 64] {
        for name in ["all lanes the same", "none in any lane"] {
            let compiled = built(name, wave);
            let text = listing::code(&compiled.code, wave, 0);
            assert_eq!(rests_on(&compiled, wave), [], "{name}, {wave}\n{text}");
        }
        // A function gives the pointer of the first back.
        for name in ["four in a wave", "in a buffer", "in the group's memory"] {
            let compiled = built(name, wave);
            let sites: Vec<u32> = compiled.sites.iter().map(|(at, _)| at / 4).collect();
            let named: Vec<u32> = rests_on(&compiled, wave).into_iter().map(|(_, word)| word).collect();
            assert_eq!(named, sites, "{name}, {wave}");
        }
    }
}

/// Bytes at which instructions of a name stand.
fn places(code: &[u8], name: &str) -> Vec<usize> {
    let at = |at: &usize| {
        let text = listing::code(&code[*at..(*at + 8).min(code.len())], 32, 0);
        text.lines().find(|line| line.starts_with("  ")).is_some_and(|line| line.trim().starts_with(name))
    };
    (0..code.len()).step_by(4).filter(at).collect()
}

/// An address that leads elsewhere is none, or that of a function which is called in another way; the halves of one
/// belong together, and who asks whether a pointer is 0 has to heed the answer.
#[test]
fn faults_in_addresses_are_found() {
    let config = Config { wave: 32, group: None };
    let right = built("all lanes the same", 32);
    let getpc = places(&right.code, "s_getpc_b64");
    assert!(getpc.len() >= 2, "{getpc:?}");
    for at in getpc {
        // s_getpc_b64, s_add_u32 with a number behind it, s_addc_u32.
        let number = i32::from_le_bytes(right.code[at + 8..at + 12].try_into().expect("four"));
        let leads = |number: i32| {
            let mut wrong = right.clone();
            wrong.code[at + 8..at + 12].copy_from_slice(&number.to_le_bytes());
            wrong
        };
        assert_eq!(rests_on(&leads(number + 4), 32).len(), 1, "word {}", at / 4);
        let mut upper = right.clone();
        upper.code[at + 12..at + 16].copy_from_slice(&0xbf80_0000u32.to_le_bytes());
        assert_eq!(rests_on(&upper, 32).len(), 1, "the upper half at word {}", at / 4);
        // What it leads to keeps less than the call relies on.
        let mut less = right.clone();
        let leads_to = |f: &&mut Function| f.bytes.start as i32 == at as i32 + 4 + number;
        let other = less.functions.iter_mut().find(leads_to).expect("it is a function's");
        other.callee.convention = shipped::convention("rt_recursive").expect("shipped");
        let told = |f: &Found| f.finding.message.contains("is called in another way");
        less.sites.iter_mut().for_each(|(_, all)| all.truncate(1));
        let found = less.contracts(config);
        let is_first =
            less.sites[0].1.iter().any(|n| less.functions[*n].bytes.start as i32 == at as i32 + 4 + number);
        assert!(is_first || found.iter().any(|(_, f)| told(f)), "word {}", at / 4);
    }
}

/// Who may hold 0 is asked before the call, and a call without that rests on more.
#[test]
fn pointers_that_are_0_are_not_called() {
    let right = built("none in any lane", 32);
    assert_eq!(rests_on(&right, 32), [], "{}", listing::code(&right.code, 32, 0));
    let branches = [places(&right.code, "s_cbranch_scc0"), places(&right.code, "s_cbranch_scc1")].concat();
    assert!(!branches.is_empty(), "{}", listing::code(&right.code, 32, 0));
    let without = |at: &usize| {
        let mut wrong = right.clone();
        wrong.code[*at..at + 4].copy_from_slice(&0xbf80_0000u32.to_le_bytes());
        !rests_on(&wrong, 32).is_empty()
    };
    assert!(branches.iter().any(without));
}

/// What `-m pointers=` makes of a program whose pointers memory holds.
fn told(name: &str, pointers: &[&str]) -> Vec<(Severity, String)> {
    let module = load(PROGRAMS.iter().find(|program| program.name == name).expect("it is there"));
    let pointers = pointers.iter().map(|value| ("pointers".to_owned(), (*value).to_owned()));
    let own = [("contracts".to_owned(), "on".to_owned()), ("recursion".to_owned(), "16".to_owned())];
    let settings = own.into_iter().chain(pointers).collect();
    let options = CompileOptions { settings, ..CompileOptions::default() };
    let interface = Interface::default();
    let shader = Shader { module: &module, interface: &interface };
    let made = Rdna.compile(&[shader], &options, &SourceMap::new(), &mut Cx::default());
    let remarks = made.map_or_else(|errors| errors, |made| made.remarks);
    remarks.into_iter().map(|remark| (remark.severity, remark.message)).collect()
}

/// What a proof rests on is an assumption with a name, which is told where it is needed, and can be switched off.
#[test]
fn what_proofs_rest_on_is_told() {
    let proven = "4 functions and the kernel are proven to keep contracts";
    let rests = "1 call through a pointer is taken to come to functions of its type, which no words show: `-m pointers=known`";
    for default in [&[][..], &["known"]] {
        let all = [proven, rests].map(|text| (Severity::Note, text.to_owned()));
        assert_eq!(told("in a buffer", default), all);
    }
    let shown = told("in a buffer", &["shown"]);
    let [(Severity::Warning, why)] = &shown[..] else { panic!("{shown:?}") };
    assert!(
        why.starts_with("`main` is not proven") || why.starts_with("`the kernel` is not proven"),
        "{why}"
    );
    assert!(why.contains("s_swappc_b64") && why.contains("no words show that it is the address"), "{why}");
    let proven = "2 functions and the kernel are proven to keep contracts".to_owned();
    assert_eq!(told("all lanes the same", &["shown"]), [(Severity::Note, proven)]);
    assert_eq!(
        told("in a buffer", &["some"]),
        [(Severity::Error, "`pointers` is known or shown".to_owned())]
    );
}
