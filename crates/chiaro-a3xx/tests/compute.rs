//! Compute shaders: compiled, written and read as containers, run by the simulator group by group.

use chiaro_a3xx::A3xx;
use chiaro_a3xx::check;
use chiaro_a3xx::container::program::Program;
use chiaro_diag::SourceMap;
use chiaro_glsl::source::{Options, Stage};
use chiaro_opt::Cx;
use chiaro_target::{CompileOptions, Inputs, Shader, SimulateOptions, Target, Value, Work};

/// A container, or the first message.
fn compile(body: &str) -> Result<Vec<u8>, String> {
    let mut sources = SourceMap::new();
    let has_version = body.starts_with("#version");
    let text = if has_version { body.to_owned() } else { format!("#version 310 es\n{body}") };
    let file = sources.add("shader", text);
    let options = Options::new(Stage::Compute);
    let (words, errors) = chiaro_glsl::compile(file, &mut sources, &options, &mut |_, _, _| None);
    let words = words.unwrap_or_else(|| panic!("{body}: {}", errors[0].message));
    let read = chiaro_spirv::read_module(&words, &Default::default(), &mut sources).expect("SPIR-V");
    let shader = Shader { module: &read.module, interface: &read.interface };
    let mut cx = Cx { verify: true, ..Cx::default() };
    let made = A3xx.compile(&[shader], &CompileOptions::default(), &sources, &mut cx);
    made.map(|made| made.container).map_err(|errors| errors[0].message.clone())
}

/// A buffer that a program leaves behind, as words.
fn run(body: &str, groups: [u32; 3], given: &[(&str, Vec<u32>)], wanted: &str) -> Vec<u32> {
    let container = compile(body).unwrap_or_else(|why| panic!("{body}: {why}"));
    let program = Program::read(&container).expect("a container");
    assert_eq!(program.write(), container);
    assert_eq!(check::check(&program.words, 0, None), Vec::new(), "{body}");
    let bytes = |words: &[u32]| Value::Bytes(words.iter().flat_map(|word| word.to_le_bytes()).collect());
    let resources = given.iter().map(|(name, words)| ((*name).to_owned(), bytes(words))).collect();
    let inputs = Inputs { resources, work: Work::Dispatch(groups) };
    let mut found = Vec::new();
    for mode in ["functional", "timed"] {
        let options = SimulateOptions { mode: Some(mode.to_owned()), ..SimulateOptions::default() };
        let made =
            A3xx.simulate(&container, &inputs, &options).unwrap_or_else(|e| panic!("{}", e[0].message));
        let listing = chiaro_a3xx::listing::mesa::listing(&program.words, Default::default());
        assert!(made.faults.is_empty(), "{body}: {:?}\n{listing}", made.faults);
        let left = made.resources.iter().find(|(name, _)| name == wanted);
        let Some((_, Value::Bytes(bytes))) = left else { panic!("no `{wanted}`") };
        found.push(
            bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect::<Vec<u32>>(),
        );
    }
    assert_eq!(found[0], found[1], "{body}");
    found.remove(0)
}

#[test]
fn floats_vectors_and_structures_in_buffers() {
    let body = "layout(local_size_x = 8) in; struct S { vec3 p; float w; mat2 m; };
        layout(std430, binding = 0) readonly buffer A { S s[]; } a;
        layout(std140, binding = 1) uniform U { vec4 scale; } u;
        layout(std430, binding = 2) buffer B { vec4 d[8]; float e[8]; } b;
        void main() { uint i = gl_LocalInvocationID.x; S s = a.s[i];
          b.d[i] = vec4(s.p, s.w) * u.scale.x; b.e[7u - i] = s.m[1].x + s.m[0].y; }";
    let numbers: Vec<u32> = (0..64).map(|n| (n as f32).to_bits()).collect();
    let scale: Vec<u32> = [2.0f32, 0.0, 0.0, 0.0].map(f32::to_bits).to_vec();
    let container = compile(body).expect("a program");
    let names: Vec<String> =
        Program::read(&container).unwrap().interface.uniforms.iter().map(|u| u.name.clone()).collect();
    assert_eq!(names, ["scale"]);
    let given = [("a", numbers), ("c0.x", scale), ("b", vec![0; 40])];
    let found: Vec<f32> = run(body, [1, 1, 1], &given, "b").into_iter().map(f32::from_bits).collect();
    for i in 0..8 {
        let first = 8.0 * i as f32;
        let vector = [0.0, 1.0, 2.0, 3.0].map(|n| 2.0 * (first + n));
        assert_eq!(found[4 * i..4 * i + 4], vector);
        assert_eq!(found[32 + 7 - i], 2.0 * first + 11.0);
    }
}

#[test]
fn what_the_generation_lacks_is_refused_by_name() {
    let head = "layout(local_size_x = 8) in; layout(std430, binding = 0) buffer B { uint d[]; } b;";
    let cases = [
        ("void main() { b.d[0] = uint(b.d.length()); }", "how long a buffer is"),
        (
            "shared vec4 t[4096]; void main() { t[gl_LocalInvocationID.x] = vec4(1.0); b.d[0] = uint(t[b.d[1]].x); }",
            "local memory",
        ),
        (
            "layout(rgba8, binding = 1) writeonly uniform highp image2D i; void main() { imageStore(i, ivec2(0), vec4(1.0)); b.d[0] = 1u; }",
            "A3xx",
        ),
    ];
    for (body, expected) in cases {
        let refused = compile(&format!("{head}{body}")).expect_err(expected);
        assert!(refused.contains(expected), "`{refused}` lacks `{expected}`");
    }
}

/// A buffer is as long as its members say; what has no length of its own adds nothing.
#[test]
fn buffers_are_as_long_as_their_members() {
    let body = "layout(local_size_x = 1) in;
        layout(std430, binding = 0) buffer B { uint n; vec4 v[3]; uint rest[]; } b;
        layout(std430, binding = 1) buffer C { vec4 v; uint n; } c;
        void main() { b.rest[b.n] = uint(b.v[1].x) + c.n; }";
    let program = Program::read(&compile(body).expect("a program")).expect("a container");
    let bytes: Vec<u32> = program.interface.storage.iter().map(|buffer| buffer.bytes).collect();
    assert_eq!(bytes, [64, 20]);
}

/// A dispatch runs all of its groups, or says that they are too many; so does a group with its invocations.
#[test]
fn dispatches_have_borders() {
    let words = chiaro_a3xx::asm::padded(&[0x0300_0000_0000_0000]);
    let end: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let run = |groups, size: &str| {
        let inputs = Inputs { resources: Vec::new(), work: Work::Dispatch(groups) };
        let assumptions = vec![("local-size".to_owned(), size.to_owned())];
        let mode = Some("functional".to_owned());
        A3xx.simulate(&end, &inputs, &SimulateOptions { mode, assumptions, ..SimulateOptions::default() })
    };
    assert_eq!(run([3, 2, 1], "1").expect("six groups").instructions, Some(6));
    assert!(run([1025, 1024, 1], "1").is_err(), "more than a run takes");
    assert!(run([1; 3], "1024").is_ok() && run([1; 3], "32,32,2").is_err() && run([1; 3], "0").is_err());
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
            "#version 450
            #extension GL_NV_compute_shader_derivatives : require
            layout({mode}, local_size_x = {width}, local_size_y = {height}, local_size_z = {depth}) in;
            layout(std430, binding = 0) buffer B {{ uint d[]; }} b;
            void main() {{ uvec3 t = gl_LocalInvocationID; uint i = 2u * gl_LocalInvocationIndex;
                float x = float(t.x) + 100.0 * float(t.y) + 1000.0 * float(t.z);
                b.d[i] = floatBitsToUint(dFdxFine(x) + 3.0 * dFdyFine(x));
                b.d[i + 1u] = t.x + 100u * t.y + 1000u * t.z
                    + 10000u * (gl_GlobalInvocationID.x + gl_GlobalInvocationID.y); }}"
        );
        let count = width * height * depth;
        let given = [("b", vec![0; 2 * count as usize])];
        let words = run(&body, [1, 1, 1], &given, "b");
        for n in 0..count {
            let [x, y, z] = [n % width, n / width % height, n / (width * height)];
            // In a row the second pair of four stands below the first.
            let change = if mode == rows { 1.0 + 3.0 * 2.0 } else { 1.0 + 3.0 * 100.0f32 };
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

/// Who gives inputs of another stage learns what the program is and what it takes.
#[test]
fn inputs_of_another_stage_are_refused() {
    let body = "layout(local_size_x = 1) in; layout(std430, binding = 0) buffer B { int n; } b; void main() { b.n = 1; }";
    let container = compile(body).expect("it compiles");
    let inputs = Inputs { work: Work::Fragments(Default::default()), ..Inputs::default() };
    let refused = A3xx.simulate(&container, &inputs, &SimulateOptions::default()).expect_err("no groups");
    assert_eq!(refused[0].message, "this is a compute program, and the inputs have fragments");
    assert_eq!(refused[0].help, ["give it `groups`"]);
}
