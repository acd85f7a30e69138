//! Compute shaders: compiled, written and read as containers, run by the simulator group by group.

use chiaro_agx::Agx;
use chiaro_diag::SourceMap;
use chiaro_glsl::source::{Options, Stage};
use chiaro_opt::Cx;
use chiaro_target::{CompileOptions, Inputs, Shader, SimulateOptions, Target, Value, Work};

/// A container, or the first message.
fn compile(body: &str) -> Result<Vec<u8>, String> {
    let mut sources = SourceMap::new();
    let file = sources.add("shader", format!("#version 310 es\n{body}"));
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
