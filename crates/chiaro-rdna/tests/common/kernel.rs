//! Compute kernels out of GLSL.

use chiaro_diag::SourceMap;
use chiaro_glsl::source::{Options, Stage};
use chiaro_ir::Module;

/// A kernel on two buffers by functions and the body of its `main`, in which `i` is the number of the thread.
pub(crate) fn load(functions: &str, body: &str) -> Module {
    load_with("", functions, body)
}

/// The same behind a head of its own.
pub(crate) fn load_with(head: &str, functions: &str, body: &str) -> Module {
    let text = format!(
        "#version 450\n{head}layout(local_size_x = 64) in;
        layout(std430, binding = 0) buffer A {{ float f[128]; }} a;
        layout(std430, binding = 1) buffer B {{ uint d[128]; }} b;
        shared uint s[64];
        {functions}
        void main() {{ uint i = gl_GlobalInvocationID.x; {body} }}"
    );
    read(&text)
}

/// The IR of a source.
pub(crate) fn read(text: &str) -> Module {
    let mut sources = SourceMap::new();
    let file = sources.add("kernel", text.to_owned());
    let options = Options::new(Stage::Compute);
    let (words, errors) = chiaro_glsl::compile(file, &mut sources, &options, &mut |_, _, _| None);
    let words = words.unwrap_or_else(|| panic!("{text}: {}", errors[0].message));
    chiaro_spirv::read_module(&words, &Default::default(), &mut sources).expect("SPIR-V").module
}
