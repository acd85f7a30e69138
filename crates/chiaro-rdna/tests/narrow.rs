//! Bytes and halves: words are loaded and stored for them, pairs of half floats are computed together, and who reads a part
//! of a register says so.

use chiaro_cases::{digest, head, written};
use chiaro_diag::FileId;
use chiaro_ir::Module;
use chiaro_isa::Rng;
use chiaro_opt::Cx;
use chiaro_rdna::compile::{Compiled, Options, compile};
use chiaro_rdna::listing;
use chiaro_rdna::verify::{Words, verify};
use chiaro_target::{Compared, Failure};

use crate::common::kernel;

/// A kernel on buffers of narrow numbers.
fn source(body: &str) -> String {
    format!(
        "#version 450
        #extension GL_EXT_shader_explicit_arithmetic_types : require
        #extension GL_EXT_shader_16bit_storage : require
        #extension GL_EXT_shader_8bit_storage : require
        layout(local_size_x = 64) in;
        layout(std430, binding = 0) buffer A {{ f16vec2 h[]; }};
        layout(std430, binding = 1) buffer B {{ f16vec4 q[]; }};
        layout(std430, binding = 2) buffer C {{ float f[]; }};
        layout(std430, binding = 3) buffer D {{ uint w[]; }};
        layout(std430, binding = 4) buffer E {{ u8vec4 b[]; }};
        layout(std430, binding = 5) buffer F {{ float16_t s[]; }};
        layout(std430, binding = 6) buffer G {{ u16vec2 u[]; }};
        void main() {{ uint i = gl_GlobalInvocationID.x; {body} }}"
    )
}

/// The kernel in waves of a size, and whether its words mean what the source does.
fn built(body: &str, wave: u8) -> (String, Result<Compared, Failure>) {
    judged(&kernel::read(&source(body)), wave)
}

fn judged(module: &Module, wave: u8) -> (String, Result<Compared, Failure>) {
    let options = Options { wave, ..Options::default() };
    let mut cx = Cx { verify: true, ..Cx::default() };
    let made = compile(&mut module.clone(), "main", options, &mut cx);
    let compiled: Compiled = made.unwrap_or_else(|errors| panic!("{}", errors[0].message));
    let text = listing::code(&compiled.code, wave, 0);
    let words = Words { source: module, entry: &module.entries[0], compiled };
    let proof = verify(&words, 1);
    (text, proof)
}

fn proved(body: &str, wave: u8) -> String {
    let (text, proof) = built(body, wave);
    proof.unwrap_or_else(|why| panic!("{body}, waves of {wave}: {why}\n{text}"));
    text
}

/// What a kernel has, and what it has not.
fn has(body: &str, all: &[&str], none: &[&str]) {
    for wave in [32, 64] {
        let text = proved(body, wave);
        for wanted in all {
            assert!(text.contains(wanted), "{body}: no `{wanted}` in\n{text}");
        }
        for other in none {
            assert!(!text.contains(other), "{body}: `{other}` in\n{text}");
        }
    }
}

#[test]
fn narrow_numbers_share_words() {
    has("h[i] = h[i + 128];", &["buffer_load_dword ", "buffer_store_dword "], &["short"]);
    has("q[i] = q[i + 128] + q[i + 256];", &["buffer_load_dwordx2 ", "buffer_store_dwordx2 "], &["short"]);
    has(
        "u8vec4 x = b[i]; w[i] = uint(x.x) + uint(x.y) * uint(x.z) + uint(x.w);",
        &["buffer_load_dword "],
        &["ubyte"],
    );
    // These stand where a word does not begin.
    has("s[i] = s[i + 128];", &["buffer_load_ushort ", "buffer_store_short "], &[]);
}

#[test]
fn pairs_of_halves_are_computed_together() {
    has("h[i] = h[i] * h[i + 128];", &["v_pk_mul_f16"], &["v_mul_f16", "v_perm_b32"]);
    has("h[i] = fma(h[i], h[i + 128], f16vec2(1));", &["v_pk_fma_f16"], &["v_fma_f16", "v_perm_b32"]);
    has("h[i] = h[i] - h[i + 128];", &["v_pk_add_f16", "neg_lo:[0,1] neg_hi:[0,1]"], &["v_sub_f16"]);
    has("h[i] = -h[i] * h[i + 128];", &["v_pk_mul_f16", "neg_"], &["v_mul_f16", "v_xor"]);
    has(
        "q[i] = max(q[i] * q[i + 128], min(q[i + 256], q[i + 384]));",
        &["v_pk_mul_f16", "v_pk_min_f16", "v_pk_max_f16"],
        &["v_perm"],
    );
    has("h[i] = h[i] * h[i + 128].yx;", &["op_sel:[0,1] op_sel_hi:[1,0]"], &["v_mul_f16", "v_perm_b32"]);
    has("h[i] = h[i] * h[i + 128].yy + f16vec2(2, 2);", &["v_pk_fma_f16", "op_sel:[0,1,0]"], &["v_perm_b32"]);
    has("h[i] = h[i] + f16vec2(1.5, 3.25);", &["v_pk_add_f16", "0x42803e00"], &["v_add_f16"]);
    has("h[i] = (h[i] + f16vec2(0.5)) * f16vec2(s[i]);", &["v_pk_add_f16", "v_pk_mul_f16"], &["v_mul_f16"]);
}

/// One half of a pair is used elsewhere, or is computed otherwise.
#[test]
fn what_is_no_pair_stays_apart() {
    has("f16vec2 x = h[i] * h[i + 128]; h[i] = x; s[i] = x.x;", &["v_mul_f16"], &["v_pk_mul"]);
    has(
        "h[i] = f16vec2(h[i].x + h[i + 128].x, h[i].y * h[i + 128].y);",
        &["v_add_f16", "v_mul_f16"],
        &["v_pk"],
    );
    // Putting three pairs together takes longer than the operation that is saved.
    has(
        "h[i] = f16vec2(fma(s[i], s[i + 128], s[i + 256]), fma(s[i + 384], s[i + 512], s[i + 640]));",
        &["v_fma_f16"],
        &["v_pk_fma"],
    );
}

#[test]
fn halves_are_multiplied_as_floats_without_a_conversion() {
    has(
        "f[i] = fma(float(s[i]), float(s[i + 128]), f[i]);",
        &["v_fma_mix_f32", "op_sel_hi:[1,1,0]"],
        &["v_cvt_f32_f16"],
    );
    has("f[i] = fma(f[i + 128], f[i + 256], float(s[i]));", &["op_sel_hi:[0,0,1]"], &["v_cvt_f32_f16"]);
    has("f[i] = fma(-float(s[i]), f[i + 256], f[i]);", &["v_fma_mix_f32"], &["v_cvt_f32_f16"]);
    // Signs of the half are not lost.
    has("f[i] = fma(float(abs(s[i])), f[i + 256], float(-abs(s[i + 128])));", &["v_fma"], &[]);
    // A number has another code there.
    has("f[i] = fma(float(s[i]), 3.0, f[i]);", &["v_cvt_f32_f16"], &["v_fma_mix"]);
}

#[test]
fn parts_of_registers_are_read_where_they_are() {
    has(
        "f[i] = float((w[i] >> 8) & 0xffu) + float(w[i] >> 24);",
        &["v_cvt_f32_ubyte1", "v_cvt_f32_ubyte3"],
        &["v_bfe"],
    );
    has(
        "f[i] = float(w[i] >> 16);",
        &["v_cvt_f32_u32_sdwa", "src0_sel:WORD_1"],
        &["v_lshrrev_b32_e32 v0, 16"],
    );
    has("w[i] = max(w[i] >> 24, w[i + 128]);", &["v_max_u32_sdwa", "src0_sel:BYTE_3"], &[]);
    has(
        "w[i] = max(w[i] & 0xffffu, (w[i + 128] >> 8) & 0xffu);",
        &["src0_sel:WORD_0", "src1_sel:BYTE_1"],
        &["v_bfe"],
    );
    has(
        "f16vec2 x = h[i + 128]; f[i] = float(x.x); s[i] = x.y * s[i];",
        &["v_mul_f16_sdwa", "WORD_1"],
        &["v_lshrrev_b32_e32 v2, 16"],
    );
    // What is cut out and read twice is cut out once.
    has(
        "uint x = w[i] >> 24; w[i] = max(x, w[i + 128]); w[i + 384] = min(x, w[i + 256]);",
        &["v_lshrrev_b32"],
        &["sdwa"],
    );
}

/// Random statements on narrow numbers. They read behind what they write.
struct Maker(Rng);

impl Maker {
    fn place(&mut self) -> String {
        format!("i + {}", 128 * (1 + self.0.below(3)))
    }

    fn pair(&mut self, depth: u32) -> String {
        let place = self.place();
        if depth == 0 {
            return match self.0.below(6) {
                0 => format!("q[{place}].{}", ["xy", "zw", "yx", "xx", "wz"][self.0.below(5)]),
                1 => format!("f16vec2(s[{place}])"),
                2 => ["f16vec2(1)", "f16vec2(0.5, 3.25)", "f16vec2(0)"][self.0.below(3)].to_owned(),
                3 => format!("h[{place}].yx"),
                _ => format!("h[{place}]"),
            };
        }
        let (a, b) = (self.pair(depth - 1), self.pair(depth - 1));
        match self.0.below(12) {
            0 => format!("min({a}, {b})"),
            1 => format!("max({a}, -{b})"),
            2 => format!("({a} * {b}.yy)"),
            3 => format!("f16vec2({a}.x, {b}.y)"),
            4 | 5 => format!("({a} + {b})"),
            6 => format!("({a} - {b}.yx)"),
            7 => format!("fma({a}, {b}, {a})"),
            8 => format!("({a} / (abs({b}) + f16vec2(1)))"),
            9 => ["floor(X)", "sqrt(abs(X))", "fract(X)", "exp2(X)", "sin(X)", "log2(abs(X) + f16vec2(1))"]
                [self.0.below(6)]
            .replace('X', &a),
            _ => format!("({a} * {b})"),
        }
    }

    fn word(&mut self, depth: u32) -> String {
        let place = self.place();
        if depth == 0 {
            return match self.0.below(4) {
                0 => format!("uint(b[{place}].{})", ["x", "y", "z", "w"][self.0.below(4)]),
                1 => format!("uint(u[{place}].{})", ["x", "y"][self.0.below(2)]),
                _ => format!("w[{place}]"),
            };
        }
        let (a, b) = (self.word(depth - 1), self.word(depth - 1));
        match self.0.below(9) {
            0 => format!("({a} >> {})", [8, 16, 24][self.0.below(3)]),
            1 => format!("(({a} >> {}) & 0xffu)", [8, 16][self.0.below(2)]),
            2 => format!("({a} & {})", ["0xffu", "0xffffu"][self.0.below(2)]),
            3 => format!("max({a}, {b})"),
            4 => format!("({a} ^ {b})"),
            5 => format!("({a} - {b})"),
            6 => format!("({a} << ({b} & 7u))"),
            _ => format!("({a} + {b})"),
        }
    }

    fn float(&mut self, depth: u32) -> String {
        let place = self.place();
        match self.0.below(if depth == 0 { 3 } else { 5 }) {
            0 => format!("float(s[{place}])"),
            1 => format!("float({})", self.word(1)),
            2 => format!("f[{place}]"),
            3 => format!("({} + {})", self.float(depth - 1), self.float(depth - 1)),
            _ => format!("fma({}, {}, {})", self.float(depth - 1), self.float(0), self.float(0)),
        }
    }

    fn statement(&mut self) -> String {
        match self.0.below(6) {
            0 | 1 => format!("h[i] = {};", self.pair(3)),
            2 => format!("q[i] = f16vec4({}, {});", self.pair(2), self.pair(1)),
            3 => format!("f[i] = {};", self.float(2)),
            4 => format!("u[i] = u16vec2({}, {});", self.word(2), self.word(1)),
            _ => format!("w[i] = {};", self.word(3)),
        }
    }
}

/// As many as `CHIARO_SHADERS` says, from the seed `CHIARO_SEED` on.
#[test]
fn random_narrow_numbers_mean_what_their_source_does() {
    let given = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let (count, first) = (given("CHIARO_SHADERS").unwrap_or(60), given("CHIARO_SEED").unwrap_or(0));
    let (mut untested, mut made) = (0, head("seed: code proof"));
    for seed in first..first + count {
        let mut maker = Maker(Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1));
        let body = (0..1 + seed % 4).map(|_| maker.statement()).collect::<Vec<_>>().join("\n  ");
        let (text, proof) = built(&body, if seed % 2 == 0 { 32 } else { 64 });
        made += &format!("{seed}: {} {}\n", digest(&text), digest(&format!("{proof:?}")));
        match proof {
            Ok(_) => {}
            Err(Failure::Untested { .. }) => untested += 1,
            Err(why) => panic!("{seed}: {why}\n  {body}\n{text}"),
        }
    }
    assert!(untested * 5 <= count, "{untested} of {count} prove nothing");
    if (count, first) == (60, 0) {
        written(env!("CARGO_MANIFEST_DIR"), "tests/made/narrow.txt", &made);
    }
}

/// Quotients of narrow integers are those of words; functions that are made of many sums are computed in 32 bits.
#[test]
fn narrow_quotients_and_functions_are_computed_in_words() {
    for body in [
        "u[i] = u[i] / max(u[i + 128], u16vec2(1us)) + u[i] % max(u[i + 256], u16vec2(3us));",
        "b[i] = b[i] / max(b[i + 128], u8vec4(1)) + b[i] % max(b[i + 256], u8vec4(7));",
        "i16vec2 x = i16vec2(u[i]), y = i16vec2(u[i + 128]) | 1s; u[i] = u16vec2(x / y - x % y);",
        "i8vec4 x = i8vec4(b[i]), y = i8vec4(b[i + 128]) | int8_t(1); b[i] = u8vec4(x / y - x % y);",
        "h[i] = mod(h[i], f16vec2(1.5hf, 0.75hf));",
        "s[i] = acos(clamp(s[i], -1.0hf, 1.0hf)) + asin(clamp(s[i], -1.0hf, 1.0hf));",
        "s[i] = atan(s[i], s[i + 128]) + atan(s[i]);",
        "s[i] = tanh(s[i]) + sinh(s[i]) - cosh(s[i]);",
        "s[i] = asinh(s[i]) + acosh(abs(s[i]) + 1.0hf) + atanh(s[i] * 0.25hf);",
    ] {
        for wave in [32, 64] {
            proved(body, wave);
        }
    }
}

/// Words that compute something else with narrow floats are refused: another operation, another operand, a constant that is
/// eight units off, a sum that is rounded once too often to a few bits.
#[test]
fn wrong_arithmetic_of_halves_is_refused() {
    for (right, wrong) in [
        ("h[i] = h[i] + h[i + 128];", "h[i] = h[i] - h[i + 128];"),
        ("h[i] = h[i] * h[i + 128] + h[i + 256];", "h[i] = h[i] * h[i + 128].yx + h[i + 256];"),
        ("s[i] = s[i] * float16_t(1.5);", "s[i] = s[i] * float16_t(1.508);"),
        ("s[i] = sqrt(abs(s[i]));", "s[i] = sqrt(abs(s[i])) + float16_t(0.02);"),
        ("f[i] = float(s[i] + s[i + 128]);", "f[i] = float(s[i] + s[i + 128]) + 0.005;"),
        ("s[i] = exp2(s[i]);", "s[i] = exp2(s[i] + float16_t(0.05));"),
        ("s[i] = max(s[i], s[i + 128]);", "s[i] = min(s[i], s[i + 128]);"),
        ("h[i] = fma(h[i], h[i + 128], h[i + 256]);", "h[i] = fma(h[i], h[i + 128], -h[i + 256]);"),
        (
            "s[i] = s[i] / (abs(s[i + 128]) + float16_t(1));",
            "s[i] = s[i] / (abs(s[i + 128]) + float16_t(1.03));",
        ),
    ] {
        let source = kernel::read(&source(right));
        for wave in [32, 64] {
            let options = Options { wave, ..Options::default() };
            let other = kernel::read(&self::source(wrong));
            let compiled =
                compile(&mut other.clone(), "main", options, &mut Cx::default()).expect("it compiles");
            let words = Words { source: &source, entry: &source.entries[0], compiled };
            let told = verify(&words, 1).expect_err(wrong);
            assert!(matches!(told, Failure::Meaning(_)), "{wrong}: {told}");
        }
        proved(right, 32);
    }
}

/// Floats that are rounded to halves and stay words, which no source language but SPIR-V has a name for.
#[test]
fn words_are_rounded_to_halves() {
    let text = "struct Numbers { all: array<f32, 2, stride 4> at 0 }
global @a: storage Numbers set(0) binding(0)
entry compute \"main\" = @main workgroup(1, 1, 1) interface(@a)
fn @main() {
  %0: ptr<storage, f32> = access @a, 0, 0
  %1: f32 = load %0
  %2: f32 = fquantize16 %1
  %3: ptr<storage, f32> = access @a, 0, 1
  store %3, %2
  return
}
";
    let module = chiaro_ir::parse(text, FileId(0)).unwrap_or_else(|errors| panic!("{errors:?}"));
    for wave in [32, 64] {
        let (text, proof) = judged(&module, wave);
        proof.unwrap_or_else(|why| panic!("waves of {wave}: {why}\n{text}"));
        assert!(text.contains("v_cvt_f16_f32") && text.contains("v_cvt_f32_f16"), "{text}");
    }
}
