//! A shader's text as a module.

use chiaro_diag::SourceMap;
use chiaro_ir::Module;

/// Reads a vertex shader, or says what is wrong with it.
pub(crate) fn read(name: String, text: String) -> Result<Module, String> {
    let mut sources = SourceMap::new();
    let file = sources.add(name, text);
    let options = chiaro_glsl::source::Options::new(chiaro_glsl::source::Stage::Vertex);
    let (module, errors) = chiaro_glsl::compile(file, &mut sources, &options, &mut |_, _, _| None);
    let module =
        module.ok_or_else(|| errors.iter().map(|e| e.message.clone()).collect::<Vec<_>>().join("; "))?;
    let reading = chiaro_spirv::read_module(&module, &Default::default(), &mut sources);
    Ok(reading.map_err(|e| e.diagnostic(None).message)?.module)
}
