//! Shaders of the map MapLibre GL, as its program puts them together: version, macros, common
//! parts, then the shader, whose pragmas name values that are uniforms or come from buffers.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use super::{Case, files, read};
use crate::glsl::source::Source;
use chiaro_glsl::source::Stage;

/// Projections: the file with its part, and the macro.
const PROJECTIONS: [(&str, &str); 2] =
    [("_projection_mercator", "#define PROJECTION_MERCATOR\n"), ("_projection_globe", "#define GLOBE\n")];

/// The hillshade's number of lights, which the program chooses.
const SOURCES: &str = "#define NUM_ILLUMINATION_SOURCES 4\n";

pub(super) fn cases(folder: &Path) -> io::Result<Vec<Case>> {
    let mut cases = Vec::new();
    for path in files(folder)? {
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        let Some((shader, stage)) = part(name).filter(|(shader, _)| !shader.starts_with('_')) else {
            continue;
        };
        let Some(folder) = path.parent() else { continue };
        // The shader `depth` shares the fragments of another one.
        let partner = if shader == "depth" { "clipping_mask" } else { shader };
        let fragment = read(&folder.join(format!("{partner}.fragment.glsl")))?;
        let names: BTreeSet<&str> = pragmas(&fragment).map(|pragma| pragma.name).collect();
        let text = expand(&read(&path)?, stage, &names);
        for (projection, macros) in PROJECTIONS {
            for uniforms in [false, true] {
                let defines = if uniforms { has_uniforms(&text) } else { String::new() };
                let end = if stage == Stage::Vertex { "vertex" } else { "fragment" };
                let common = read(&folder.join(format!("_prelude.{end}.glsl")))?;
                let projection_text = read(&folder.join(format!("{projection}.{end}.glsl")))?;
                let whole =
                    format!("#version 300 es\n{defines}{macros}{SOURCES}{common}\n{projection_text}\n{text}");
                let variant = if uniforms { "uniforms" } else { "attributes" };
                let label = format!("{name} {} {variant}", projection.trim_start_matches("_projection_"));
                cases.push(Case::good(Source::new(label, stage, whole)));
            }
        }
    }
    Ok(cases)
}

/// The shader that a file is a part of, and its stage.
fn part(name: &str) -> Option<(&str, Stage)> {
    let stem = name.strip_suffix(".glsl")?;
    match stem.rsplit_once('.')? {
        (shader, "vertex") => Some((shader, Stage::Vertex)),
        (shader, "fragment") => Some((shader, Stage::Fragment)),
        _ => None,
    }
}

/// `#pragma maplibre: define highp vec4 color`
struct Pragma<'a> {
    define: bool,
    precision: &'a str,
    ty: &'a str,
    name: &'a str,
}

fn pragma(line: &str) -> Option<Pragma<'_>> {
    let rest = line.trim().strip_prefix("#pragma maplibre:")?;
    match rest.split_whitespace().collect::<Vec<_>>().as_slice() {
        [operation, precision, ty, name] => {
            Some(Pragma { define: *operation == "define", precision, ty, name })
        }
        _ => None,
    }
}

fn pragmas(text: &str) -> impl Iterator<Item = Pragma<'_>> {
    text.lines().filter_map(pragma)
}

/// A shader with its pragmas replaced. `shared` are names that the fragment shader asks for too.
fn expand(text: &str, stage: Stage, shared: &BTreeSet<&str>) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut location = words.iter().filter(|&&word| word == "in").count();
    let mut expanded = String::new();
    for line in text.lines() {
        match pragma(line) {
            None => expanded.push_str(line),
            Some(pragma) if stage == Stage::Fragment => expanded.push_str(&in_fragment(&pragma)),
            Some(pragma) => {
                expanded.push_str(&in_vertex(&pragma, shared.contains(pragma.name), location));
                location += usize::from(pragma.define);
            }
        }
        expanded.push('\n');
    }
    expanded
}

fn in_fragment(&Pragma { define, precision, ty, name }: &Pragma) -> String {
    if define {
        format!(
            "#ifndef HAS_UNIFORM_u_{name}\nin {precision} {ty} {name};\n#else\nuniform {precision} {ty} u_{name};\n#endif"
        )
    } else {
        format!("#ifdef HAS_UNIFORM_u_{name}\n{precision} {ty} {name} = u_{name};\n#endif")
    }
}

fn in_vertex(&Pragma { define, precision, ty, name }: &Pragma, shared: bool, location: usize) -> String {
    let attribute = if ty == "float" { "vec2" } else { "vec4" };
    if define {
        let out = if shared { format!("out {precision} {ty} {name};\n") } else { String::new() };
        return format!(
            "#ifndef HAS_UNIFORM_u_{name}\nuniform lowp float u_{name}_t;\n\
             layout(location = {location}) in {precision} {attribute} a_{name};\n{out}#else\n\
             uniform {precision} {ty} u_{name};\n#endif"
        );
    }
    let unpack = if name.contains("color") { "color" } else { attribute };
    let value = match unpack {
        "vec4" => format!("a_{name}"),
        unpack => format!("unpack_mix_{unpack}(a_{name}, u_{name}_t)"),
    };
    let target = if shared { name.to_owned() } else { format!("{precision} {ty} {name}") };
    format!(
        "#ifndef HAS_UNIFORM_u_{name}\n{target} = {value};\n#else\n\
         {precision} {ty} {name} = u_{name};\n#endif"
    )
}

/// Macros that make a uniform of every value.
fn has_uniforms(text: &str) -> String {
    let asked = text.lines().filter_map(|line| {
        let name = line.strip_prefix("#ifndef ").or_else(|| line.strip_prefix("#ifdef "))?;
        name.trim().starts_with("HAS_UNIFORM_").then(|| name.trim())
    });
    let names: BTreeSet<&str> = asked.collect();
    names.iter().map(|name| format!("#define {name}\n")).collect()
}
