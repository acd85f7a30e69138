//! What the compiler's rules make of small shaders, as text: instructions of the main part, then those of its preamble.
//!
//! A case is GLSL: the body of a fragment shader where it has `o =`, else of a kernel with a thread of the dispatch `i`
//! and the buffers `a` (words), `f` (floats) and `h` (halves of integers).

use std::path::Path;

use chiaro_agx::compile::{Options as Choices, compile};
use chiaro_agx::listing::{Style, code};
use chiaro_cases::Cases;
use chiaro_diag::SourceMap;
use chiaro_glsl::source::{Options, Stage};
use chiaro_opt::Cx;

/// What kernels find.
const KERNEL: &str = "#version 450
#extension GL_EXT_shader_explicit_arithmetic_types: require
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer A { uint a[]; };
layout(std430, binding = 1) buffer F { float f[]; };
layout(std430, binding = 2) buffer H { int16_t h[]; };
layout(std430, binding = 3) buffer G { float16_t g[]; };
layout(std140, binding = 4) uniform U { vec4 u[4]; uvec4 w; };
layout(r32ui, binding = 5) uniform uimage2D image;
void main() { uint i = gl_GlobalInvocationID.x;
";

/// What a case says that begins with `layout_early`.
const EARLY: &str = "layout(early_fragment_tests) in;\n";
/// And with `layout_ordered`.
const ORDERED: &str = "layout(pixel_interlock_ordered) in;\n";

/// What fragments find.
const FRAGMENT: &str = "#version 450
#extension GL_EXT_demote_to_helper_invocation: require
#extension GL_ARB_fragment_shader_interlock: enable
layout(std430, binding = 3) buffer A { uint a[]; };
layout(std140, binding = 0) uniform U { vec4 u[4]; uvec4 w; };
layout(binding = 1) uniform sampler2D s;
layout(binding = 2) uniform sampler2DArray layers;
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main() {
";

fn emitted(body: &str) -> String {
    let is_fragment = body.contains("o =");
    let (head, stage) = if is_fragment { (FRAGMENT, Stage::Fragment) } else { (KERNEL, Stage::Compute) };
    let mut sources = SourceMap::new();
    let early = body.strip_prefix("layout_early;").map(|rest| (EARLY, rest));
    let ordered = body.strip_prefix("layout_ordered;").map(|rest| (ORDERED, rest));
    let (mode, body) = early.or(ordered).unwrap_or(("", body));
    let head = head.replace("void main", &format!("{mode}void main"));
    let file = sources.add("shader", format!("{head}{body}}}\n"));
    let (words, errors) = chiaro_glsl::compile(file, &mut sources, &Options::new(stage), &mut |_, _, _| None);
    let Some(words) = words else { return format!("{}\n", errors[0].message) };
    let read = chiaro_spirv::read_module(&words, &Default::default(), &mut sources).expect("SPIR-V");
    let mut cx = Cx { verify: true, ..Cx::default() };
    match compile(&mut read.module.clone(), "main", Choices::default(), &mut cx) {
        Ok(made) => {
            let main = listing(&made.file.code);
            let before = listing(&made.file.preamble);
            if before.is_empty() { main } else { format!("{main}preamble:\n{before}") }
        }
        Err(errors) => format!("{}\n", errors[0].message),
    }
}

/// Instructions without the traps behind.
fn listing(bytes: &[u8]) -> String {
    let text = code(bytes, Style::default());
    text.lines().filter(|line| line.trim() != "trap").map(|line| format!("{line}\n")).collect()
}

#[test]
fn rules_emit_what_is_written_down() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/emitted");
    let mut cases = Cases::new();
    for name in [
        "bools",
        "convert",
        "discard",
        "early",
        "equal",
        "functions",
        "interlock",
        "interpolate",
        "loads",
        "loops",
        "narrow",
        "preamble",
        "products",
        "stores",
        "sums",
        "textures",
        "waits",
    ] {
        cases.of_file(&folder.join(format!("{name}.txt")), emitted);
    }
    cases.finish();
}
