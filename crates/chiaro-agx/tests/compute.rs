//! Compute shaders: compiled, written and read as containers, run by the simulator group by group.

use chiaro_agx::Agx;
use chiaro_diag::SourceMap;
use chiaro_glsl::source::{Options, Stage};
use chiaro_opt::Cx;
use chiaro_target::{CompileOptions, Inputs, Shader, SimulateOptions, Target, Value, Work};

/// A container, or the first message.
fn compile(body: &str) -> Result<Vec<u8>, String> {
    compile_as("310 es", body)
}

fn compile_as(version: &str, body: &str) -> Result<Vec<u8>, String> {
    let mut sources = SourceMap::new();
    let file = sources.add("shader", format!("#version {version}\n{body}"));
    let options = Options::new(Stage::Compute);
    let (words, errors) = chiaro_glsl::compile(file, &mut sources, &options, &mut |_, _, _| None);
    let words = words.unwrap_or_else(|| panic!("{body}: {}", errors[0].message));
    let read = chiaro_spirv::read_module(&words, &Default::default(), &mut sources).expect("SPIR-V");
    let shader = Shader { module: &read.module, interface: &read.interface };
    let mut cx = Cx { verify: true, ..Cx::default() };
    let made = Agx.compile(&[shader], &CompileOptions::default(), &sources, &mut cx);
    made.map(|made| made.container).map_err(|errors| errors[0].message.clone())
}

#[test]
fn what_does_not_fit_is_refused_by_name() {
    let body = "layout(local_size_x = 8) in; layout(std430, binding = 0) buffer B { uint d[]; } b;
        shared vec4 t[4096];
        void main() { t[gl_LocalInvocationID.x] = vec4(1.0); b.d[0] = uint(t[b.d[1]].x); }";
    let refused = compile(body).expect_err("it has too much memory");
    assert!(refused.contains("memory"), "{refused}");
    let body = "layout(local_size_x = 8) in; layout(std430, binding = 0) buffer B { uint d[]; } b;
        void main() { b.d[gl_LocalInvocationID.x] = 1u; }";
    let container = compile(body).expect("it compiles");
    let resources = vec![("c".to_owned(), Value::Bytes(vec![0; 32]))];
    let inputs = Inputs { resources, work: Work::Dispatch([1, 1, 1]) };
    let errors = Agx.simulate(&container, &inputs, &SimulateOptions::default()).expect_err("no such buffer");
    assert_eq!(errors[0].message, "the program has no `c`; there are b");
}

/// A buffer as a run of one group leaves it.
fn written(body: &str, resources: &[(&str, Vec<u8>)], name: &str) -> Vec<u32> {
    written_by("310 es", body, resources, name)
}

fn written_by(version: &str, body: &str, resources: &[(&str, Vec<u8>)], name: &str) -> Vec<u32> {
    let container = compile_as(version, body).expect("it compiles");
    let resources = resources.iter().map(|(name, bytes)| ((*name).to_owned(), Value::Bytes(bytes.clone())));
    let inputs = Inputs { resources: resources.collect(), work: Work::Dispatch([1, 1, 1]) };
    let ran = Agx.simulate(&container, &inputs, &SimulateOptions::default()).expect("it runs");
    assert_eq!(ran.faults, []);
    let found = ran.resources.iter().find_map(|(known, value)| match value {
        Value::Bytes(bytes) if known == name => Some(bytes),
        _ => None,
    });
    let words = found.expect("the buffer").as_chunks::<4>().0;
    words.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// The upper half of a word goes over the edges of branches and loops as what it is.
#[test]
fn upper_halves_go_over_edges() {
    let body = "#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
        layout(local_size_x = 1) in;
        layout(std430, binding = 0) buffer A { uint flag; uint w; uint z; } a;
        layout(std430, binding = 1) buffer B { uint d[4]; } b;
        void main() {
            u16vec2 p = unpack16(a.w); uint16_t r = uint16_t(7), s = p.y;
            if (a.flag != 0u) { a.z = 3u; r = p.y; }
            for (uint n = 0u; n < a.flag; n++) { b.d[2] += uint(s); s = p.y; }
            b.d[0] = uint(r); b.d[1] = uint(s); }";
    for (flag, expected) in [(0, [7, 0x1234, 0, 0]), (2, [0x1234, 0x1234, 0x2468, 0])] {
        let words = [flag, 0x1234_5678u32, 0];
        let given = [("a", words.iter().flat_map(|w| w.to_le_bytes()).collect()), ("b", vec![0; 16])];
        assert_eq!(written_by("450", body, &given, "b"), expected, "{flag}");
    }
}

/// Strides that are powers of two and others, behind other members and at the start; lengths at their borders.
#[test]
fn lengths_of_arrays_follow_the_buffers() {
    let body = "layout(local_size_x = 1) in;
        struct S { float x; float y; float z; };
        layout(std430, binding = 0) buffer A { vec4 head; S d[]; } a;
        layout(std430, binding = 1) buffer B { uint d[]; } b;
        layout(std430, binding = 2) buffer C { uint d[2]; } c;
        void main() { c.d[0] = uint(a.d.length()); c.d[1] = uint(b.d.length()); }";
    for (first, second) in [(16, 4), (27, 4), (28, 8), (16 + 12 * 100 - 1, 1 << 12), (16 + 12 * 100, 4 * 77)]
    {
        let given = [("a", vec![0; first]), ("b", vec![0; second]), ("c", vec![0; 8])];
        let expected = [(first - 16) / 12, second / 4].map(|n| n as u32);
        assert_eq!(written(body, &given, "c"), expected, "{first} and {second} bytes");
    }
}

/// Changes across quads: four threads in a row, or two by two, which stand in four lanes in a row all the same. The
/// built-ins of threads agree with one another.
#[test]
fn quads_are_rows_or_squares() {
    let [squares, rows] = ["derivative_group_quadsNV", "derivative_group_linearNV"];
    for (mode, [width, height, depth]) in
        [(squares, [8u32, 8, 1]), (squares, [6, 4, 2]), (squares, [2, 32, 1]), (rows, [64, 1, 1])]
    {
        let body = format!(
            "#extension GL_NV_compute_shader_derivatives : require
            layout({mode}, local_size_x = {width}, local_size_y = {height}, local_size_z = {depth}) in;
            layout(std430, binding = 0) buffer B {{ uint d[]; }} b;
            void main() {{ uvec3 t = gl_LocalInvocationID; uint i = 2u * gl_LocalInvocationIndex;
                float x = float(t.x * t.x) + 100.0 * float(t.y) + 1000.0 * float(t.z);
                b.d[i] = floatBitsToUint(dFdxFine(x) + 3.0 * dFdyFine(x));
                b.d[i + 1u] = t.x + 100u * t.y + 1000u * t.z
                    + 10000u * (gl_GlobalInvocationID.x + gl_GlobalInvocationID.y); }}"
        );
        let count = width * height * depth;
        let words = written_by("450", &body, &[("b", vec![0; 8 * count as usize])], "b");
        for n in 0..count {
            let [x, y, z] = [n % width, n / width % height, n / (width * height)];
            // In a row the second pair of four stands below the first.
            let below = if mode == rows { (x | 2).pow(2) - (x & !2).pow(2) } else { 100 };
            let change = (2 * (x & !1) + 1 + 3 * below) as f32;
            let place = x + 100 * y + 1000 * z + 10000 * (x + y);
            let found = &words[2 * n as usize..][..2];
            assert_eq!(
                found,
                [change.to_bits(), place],
                "{mode}, {width} by {height} by {depth}: {x}, {y}, {z}"
            );
        }
    }
}

/// A thread has as much stack as its file asks for, unless a setting says how much there is.
#[test]
fn programs_have_the_stack_that_they_ask_for() {
    let body = "layout(local_size_x = 1) in; layout(std430, binding = 0) buffer B { uint d[]; } b;
        void main() { uint t[2000]; for (uint n = 0u; n < 2000u; n++) t[n] = n ^ b.d[1];
            t[b.d[0]] += 5u; b.d[2] = t[b.d[0]] + t[1u]; }";
    let container = compile(body).expect("it compiles");
    let words = [1999u32, 1 << 16, 0];
    let given = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let inputs =
        Inputs { resources: vec![("b".to_owned(), Value::Bytes(given))], work: Work::Dispatch([1, 1, 1]) };
    let run = |stack: &[&str]| {
        let assumptions = stack.iter().map(|bytes| ("stack".to_owned(), (*bytes).to_owned())).collect();
        let options = SimulateOptions { assumptions, ..SimulateOptions::default() };
        Agx.simulate(&container, &inputs, &options).expect("it starts")
    };
    let ran = run(&[]);
    assert_eq!(ran.faults, []);
    let Value::Bytes(left) = &ran.resources[0].1 else { panic!("{:?}", ran.resources) };
    let word = (1999u32 ^ 1 << 16) + 5 + (1 ^ 1 << 16);
    assert_eq!(left[8..], word.to_le_bytes());
    assert_eq!(run(&["8192"]).faults, []);
    let faults = run(&["4096"]).faults;
    assert!(
        faults.iter().any(|fault| format!("{fault:?}").contains("of a stack of 4096 bytes")),
        "{faults:?}"
    );
}

/// An operation on two words as source, and what it gives.
type Form = (&'static str, fn(u32, u32) -> u32);

/// Complements go into the operation that takes them, on either side, both, and of the whole.
#[test]
fn complements_are_part_of_bitwise_operations() {
    let forms: [Form; 9] = [
        ("x & ~y", |x, y| x & !y),
        ("~x & y", |x, y| !x & y),
        ("~x & ~y", |x, y| !x & !y),
        ("~(x & y)", |x, y| !(x & y)),
        ("~(x & ~y)", |x, y| !(x & !y)),
        ("x | ~y", |x, y| x | !y),
        ("~(~x | y)", |x, y| !(!x | y)),
        ("x ^ ~y", |x, y| x ^ !y),
        ("~(x ^ y)", |x, y| !(x ^ y)),
    ];
    let (x, y) = (0x1234_5678u32, 0x0ff0_9c3eu32);
    for (form, expected) in forms {
        let body = format!(
            "layout(local_size_x = 1) in; layout(std430, binding = 0) buffer A {{ uint x, y, z; }} a;
            void main() {{ uint x = a.x, y = a.y; a.z = {form}; }}"
        );
        let given = [x, y, 0].iter().flat_map(|word| word.to_le_bytes()).collect();
        assert_eq!(written(&body, &[("a", given)], "a")[2], expected(x, y), "{form}");
    }
}
