//! Shaders of the benchmark glmark2, as it runs them on OpenGL ES.

use std::io;
use std::path::Path;

use super::{Case, file_name, files, read};
use crate::glsl::source::{ES100, Source, stage_of};
use chiaro_glsl::source::Stage;

/// What glmark2 puts before fragment shaders on ES.
const HEADER: &str = "#ifdef GL_ES\nprecision mediump float;\n#endif\n";

/// Macros that it puts before all of them.
const MACROS: &str = "#define HIGHP_OR_DEFAULT highp\n#define MEDIUMP_OR_DEFAULT mediump\n";

/// Constants that glmark2 declares before it compiles a shader; their values do not matter.
const CONSTANTS: [(&str, &str); 10] = [
    ("LightSourcePosition", "vec4"),
    ("LightSourceHalfVector", "vec3"),
    ("MaterialDiffuse", "vec4"),
    ("MaterialAmbient", "vec4"),
    ("MaterialSpecular", "vec4"),
    ("TextureStepX", "float"),
    ("TextureStepY", "float"),
    ("TextureSize", "vec2"),
    ("PI", "float"),
    ("RefractiveIndex", "float"),
];

/// Files with a `main` and without `$PLACEHOLDERS$`: the others are parts that the program puts
/// together.
pub(super) fn cases(folder: &Path) -> io::Result<Vec<Case>> {
    let mut cases = Vec::new();
    for path in files(folder)? {
        let name = file_name(&path);
        let (Some(stage), text) = (stage_of(&name), read(&path)?) else { continue };
        if !text.contains("main") || text.contains('$') {
            continue;
        }
        let header = if stage == Stage::Fragment { HEADER } else { "" };
        let text = format!("{MACROS}{header}{}{text}", constants(&text));
        cases.push(Case::good(Source { version: Some(ES100), ..Source::new(name, stage, text) }));
    }
    Ok(cases)
}

fn constants(text: &str) -> String {
    let missing = CONSTANTS.iter().filter(|(name, ty)| {
        let declared = format!("{ty} {name}");
        text.contains(name) && !text.contains(&declared)
    });
    missing.map(|(name, ty)| format!("const {ty} {name} = {ty}(1.0);\n")).collect()
}
