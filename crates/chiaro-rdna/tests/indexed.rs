//! Variables of lanes that are indexed at run time: in registers or in scratch, as it costs less.

use chiaro_diag::SourceMap;
use chiaro_ir::Module;
use chiaro_isa::finding::Severity;
use chiaro_opt::Cx;
use chiaro_rdna::abi::interface::Abi;
use chiaro_rdna::asm;
use chiaro_rdna::check::{Config, check};
use chiaro_rdna::compile::{Compiled, Options, compile};
use chiaro_rdna::listing;
use chiaro_rdna::verify::{Words, verify};

use crate::common::kernel;

const CHOICES: [(u8, Abi); 4] = [(32, Abi::Vulkan), (64, Abi::Vulkan), (32, Abi::Hsa), (64, Abi::Hsa)];

/// Bodies of kernels whose variables are to stand in registers: what their code has, and what not.
const IN_REGISTERS: &[(&str, &[&str], &[&str])] = &[
    (
        "uint t[8]; for (uint k = 0u; k < 8u; k++) t[k] = b.d[i ^ k]; \
         for (uint k = 0u; k < n.x; k++) t[(k * 5u) & 7u] += t[(k + 3u) & 7u] ^ k; b.d[i] = t[n.y & 7u] + t[2];",
        &["v_movrels_b32", "v_movreld_b32", "s_min_u32 m0, "],
        &["v_cndmask"],
    ),
    (
        "uint t[4]; for (uint k = 0u; k < 4u; k++) t[k] = k * i; \
         for (uint k = 0u; k < n.x; k++) t[(k * n.y) & 3u] += k; b.d[i] = t[0] + 3u * t[1] + 5u * t[2] + 7u * t[3];",
        &["v_movrels_b32", "v_movreld_b32"],
        &[],
    ),
    // An index of lanes.
    (
        "uint t[4]; for (uint k = 0u; k < 4u; k++) t[k] = k * i; \
         for (uint k = 0u; k < n.x; k++) t[b.d[i ^ k] & 3u] += k; b.d[i] = t[0] + 3u * t[1] + 5u * t[2] + 7u * t[3];",
        &["v_cndmask_b32"],
        &["v_movrel"],
    ),
    // The same of more than bits tell apart, and of rows in rows.
    (
        "uint t[12]; for (uint k = 0u; k < 12u; k++) t[k] = k * i; \
         for (uint k = 0u; k < n.x; k++) t[b.d[i ^ k] % 12u] += t[(b.d[i] + k) % 12u] + k; \
         uint s = 0u; for (uint k = 0u; k < 12u; k++) s = s * 3u + t[k]; b.d[i] = s;",
        &["v_cndmask_b32"],
        &[],
    ),
    (
        "uvec2 t[5][3]; for (uint k = 0u; k < 15u; k++) t[k / 3u][k % 3u] = uvec2(k, i * k); \
         for (uint k = 0u; k < n.x; k++) t[b.d[i] % 5u][(i + k) % 3u] += t[(i + k) % 5u][b.d[i] % 3u].yx + k; \
         uint s = 0u; for (uint k = 0u; k < 15u; k++) s = s * 3u + t[k / 3u][k % 3u].x + t[k / 3u][k % 3u].y; b.d[i] = s;",
        &["v_cndmask_b32"],
        &[],
    ),
    // Under part of the lanes, and in a loop that they leave one by one.
    (
        "uint t[5]; for (uint k = 0u; k < 5u; k++) t[k] = b.d[i] + k; \
         for (uint k = 0u; k < (i & 7u); k++) if ((b.d[i] & 1u) == (k & 1u)) t[k % 5u] = t[n.y % 5u] + k; \
         b.d[i] = t[n.x % 5u];",
        &["v_movrels_b32"],
        &[],
    ),
    // Parts of parts, floats and bools among them.
    (
        "struct S { vec2 a; float b[3]; bool c; } s[3]; \
         for (int k = 0; k < 3; k++) { s[k].a = vec2(a.f[i], k); s[k].c = b.d[i] == uint(k); \
         for (int j = 0; j < 3; j++) s[k].b[j] = a.f[j] + float(k * j); } \
         for (uint k = 0u; k < n.x; k++) { s[n.y % 3u].b[k % 3u] += 1.5; s[k % 3u].a.y *= 2.0; s[k % 3u].c = !s[n.y % 3u].c; } \
         a.f[i] = s[n.y % 3u].b[n.x % 3u] + s[i % 3u].a.y; b.d[i] = s[n.x % 3u].c ? 5u : 2u;",
        &["v_movrels_b32"],
        &[],
    ),
    // Numbers of 64 bits, and a vector by a number that is not known.
    (
        "double t[3]; for (uint k = 0u; k < 3u; k++) t[k] = double(a.f[i]) * double(k); \
         for (uint k = 0u; k < n.x; k++) t[k % 3u] += 0.5lf; a.f[i] = float(t[n.y % 3u]);",
        &["v_movrels_b32"],
        &[],
    ),
    // An index as a byte more than all there is, and a negative one: the other variable stays as it is.
    (
        "uint t[4], u[4]; for (uint k = 0u; k < 4u; k++) { t[k] = k; u[k] = b.d[i] + k; } \
         for (uint k = 0u; k < n.x; k++) { t[min(k, 3u)] = k; u[(k + n.y) & 3u] ^= k; } b.d[i] = u[n.x & 3u] + t[n.y & 3u];",
        &["v_movreld_b32"],
        &[],
    ),
];

/// The same where they are to stand in scalar registers.
const IN_SCALARS: &[&str] = &[
    "const uint k[8] = uint[8](3u, 5u, 77u, 1u << 20, 9u, 1234567u, 0u, 41u); uint s = b.d[i]; \
     for (uint j = 0u; j < n.x; j++) s = s * 3u + k[(j * 5u + n.y) & 7u]; b.d[i] = s;",
    "const float w[3] = float[3](0.25, 0.5, 0.125); float s = 0.0; \
     for (uint j = 0u; j < n.x; j++) s += w[j % 3u] * a.f[(i + j) & 127u]; a.f[i & 127u] = s;",
    // Written at run time, all lanes alike.
    "uint t[5]; for (uint j = 0u; j < 5u; j++) t[j] = n.y * j; \
     for (uint j = 0u; j < n.x; j++) t[(j + n.y) % 5u] = n.x ^ (j * 3u); \
     uint s = 0u; for (uint j = 0u; j < n.x; j++) s = s * i + t[(j * 2u) % 5u]; b.d[i] = s + t[n.x % 5u];",
];

/// Bodies of kernels whose variables are to be in scratch: too many registers, or too many choices.
const IN_SCRATCH: &[&str] = &[
    "uint t[200]; for (uint k = 0u; k < 200u; k++) t[k] = k * i; for (uint k = 0u; k < n.x; k++) t[k * 5u % 200u] += k; \
     b.d[i] = t[n.y % 200u];",
    "uint t[80]; for (uint k = 0u; k < n.x; k++) t[k] = 0u; for (uint k = 0u; k < n.x; k++) t[b.d[i ^ k] % 80u] = k; \
     b.d[i] = t[b.d[i] % 80u];",
];

fn load(body: &str) -> Module {
    kernel::load_with("layout(push_constant) uniform N { uvec2 n; };\n", "", body)
}

fn build(module: &Module, (wave, abi): (u8, Abi)) -> Compiled {
    let mut cx = Cx { verify: true, ..Cx::default() };
    let options = Options { wave, abi, ..Options::default() };
    let made = compile(&mut module.clone(), "main", options, &mut cx);
    made.unwrap_or_else(|errors| panic!("{}", errors[0].message))
}

#[test]
fn small_variables_stand_in_registers() {
    for (body, has, has_not) in IN_REGISTERS {
        let module = load(body);
        for choice in CHOICES {
            let made = build(&module, choice);
            let text = listing::code(&made.code, choice.0, 0);
            assert!(!text.contains("scratch_") && made.rows > 0, "{body}\n{text}");
            has.iter().for_each(|wanted| assert!(text.contains(wanted), "{body}: no `{wanted}` in\n{text}"));
            has_not.iter().for_each(|other| assert!(!text.contains(other), "{body}: `{other}` in\n{text}"));
            let words = Words { source: &module, entry: &module.entries[0], compiled: made };
            let proof = verify(&words, 1);
            proof.unwrap_or_else(|why| panic!("{body}, {choice:?}: {why}\n{text}"));
        }
    }
}

#[test]
fn what_lanes_have_in_common_stands_in_scalar_registers() {
    for body in IN_SCALARS {
        let module = load(body);
        for choice in CHOICES {
            let made = build(&module, choice);
            let text = listing::code(&made.code, choice.0, 0);
            assert!(text.contains("s_movrels_b32") && !text.contains("v_movrel"), "{body}\n{text}");
            assert!(!text.contains("scratch_") && made.rows == 0, "{body}\n{text}");
            let words = Words { source: &module, entry: &module.entries[0], compiled: made };
            let proof = verify(&words, 1);
            proof.unwrap_or_else(|why| panic!("{body}, {choice:?}: {why}\n{text}"));
        }
    }
}

/// Sums of 16 numbers in a loop, by indices that all lanes have in common: moves are counted, in waves of 64 as well.
#[test]
fn what_lanes_index_alike_is_in_registers() {
    let body = "vec4 t[4]; for (int q = 0; q < 4; q++) t[q] = vec4(0.0); \
         for (uint k = 0u; k < n.x; k++) for (int q = 0; q < 4; q++) t[q] += a.f[k + uint(q)] * vec4(a.f[i & 63u], 1, 2, 3); \
         for (int q = 0; q < 4; q++) a.f[i & 63u] += t[q].x + t[q].y * t[q].z + t[q].w;";
    for choice in CHOICES {
        let made = build(&load(body), choice);
        let text = listing::code(&made.code, choice.0, 0);
        assert!(!text.contains("scratch_"), "{choice:?}\n{text}");
    }
}

/// Each store by an index of the lane looks at every element: many of them take longer than scratch.
#[test]
fn what_registers_make_slower_is_in_scratch() {
    let stores: String = (1..12).map(|k| format!("t[b.d[i ^ {k}u] & 63u] = {k}u * i; ")).collect();
    let body =
        format!("uint t[64]; for (uint k = 0u; k < 64u; k++) t[k] = k; {stores} b.d[i] = t[n.x & 63u];");
    for choice in CHOICES {
        let made = build(&load(&body), choice);
        let text = listing::code(&made.code, choice.0, 0);
        assert!(text.contains("scratch_") && made.rows == 0, "{choice:?}\n{text}");
    }
}

/// A shuffle of 64 numbers: what lanes choose by indices of their own needs few registers beside the rows, and the other
/// values find room in the step of registers that rows need at least.
#[test]
fn rows_leave_as_many_waves_as_they_can() {
    let body = "uint t[64]; for (uint k = 0u; k < 64u; k++) t[k] = k; uint s = b.d[i]; \
         for (uint k = 63u; k > 0u; k--) { s = s * 1664525u + 1013904223u; uint j = (s >> 8) % (k + 1u); \
         uint q = t[k]; t[k] = t[j]; t[j] = q; } \
         uint h = 0u; for (uint k = 0u; k < 64u; k++) h = h * 31u + t[k]; b.d[i] = h;";
    for choice in CHOICES {
        let made = build(&load(body), choice);
        assert!(made.rows == 65, "{choice:?}: rows up to {}", made.rows);
        let most = if choice.0 == 64 { 72 } else { 80 };
        assert!(made.vectors <= most, "{choice:?}: {} registers", made.vectors);
    }
}

#[test]
fn large_variables_are_in_scratch() {
    for body in IN_SCRATCH {
        let module = load(body);
        for choice in CHOICES {
            let made = build(&module, choice);
            let text = listing::code(&made.code, choice.0, 0);
            assert!(text.contains("scratch_") && made.rows == 0, "{body}\n{text}");
        }
    }
}

/// Whatever the index is, M0 has a bound, and what it counts on to lies within the rows.
#[test]
fn no_register_outside_is_touched() {
    for (body, ..) in IN_REGISTERS {
        let made = build(&load(body), CHOICES[0]);
        let mut bound = None;
        for line in listing::code(&made.code, 32, 0).lines() {
            let line = line.trim();
            if let Some(rest) = line.strip_prefix("s_min_u32 m0, ") {
                bound = rest.split(", ").nth(1).and_then(|n| n.parse::<u16>().ok());
            }
            let registers =
                line.strip_prefix("v_movrel").and_then(|rest| Some((rest, rest.split_once(' ')?.1)));
            let Some((rest, registers)) = registers else { continue };
            let named: Vec<u16> =
                registers.split(", ").filter_map(|v| v.strip_prefix('v')?.parse().ok()).collect();
            let first = if rest.starts_with('d') { named[0] } else { named[1] };
            let bound = bound.unwrap_or_else(|| panic!("no bound before {line}"));
            assert!(first + bound < made.rows, "{line} with {bound} goes beyond {}", made.rows);
        }
    }
}

/// Words by their text: a load is on its way to a register that a move may count on to.
fn breaches(m0: &str, moved: &str) -> Vec<String> {
    let text = format!(
        "buffer_load_dword v9, v0, s[4:7], 0 offen\n{m0}\n{moved}\ns_waitcnt vmcnt(0)\n\
         buffer_store_dword v9, v0, s[4:7], 0 offen\ns_endpgm\n"
    );
    let mut sources = SourceMap::new();
    let file = sources.add("test.s", &*text);
    let object = asm::assemble(&text, file, Some(32)).expect("an object");
    let found = check(&object.text, Config { wave: 32, group: Some(32) });
    let errors = found.into_iter().filter(|f| f.finding.rule.severity == Severity::Error);
    errors.map(|f| f.finding.message).collect()
}

#[test]
fn waits_cover_all_that_moves_count_on_to() {
    let near = "s_min_u32 m0, s0, 3";
    assert_eq!(breaches(near, "v_movrels_b32 v1, v5"), [""; 0]);
    assert_eq!(breaches(near, "v_movreld_b32 v5, v1"), [""; 0]);
    for (m0, moved) in [
        (near, "v_movrels_b32 v1, v6"),
        (near, "v_movreld_b32 v6, v1"),
        ("s_mov_b32 m0, 4", "v_movrels_b32 v1, v5"),
        // Nobody knows how far.
        ("s_mov_b32 m0, s0", "v_movrels_b32 v1, v5"),
        ("s_mov_b32 m0, s0", "v_movreld_b32 v2, v1"),
    ] {
        let found = breaches(m0, moved);
        assert!(found.iter().any(|message| message.starts_with("v9 is")), "{m0}, {moved}: {found:?}");
    }
}
