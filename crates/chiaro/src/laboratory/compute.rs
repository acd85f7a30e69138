//! Expressions in the language of a shader, computed by its own front end and the interpreter: a shader is
//! written around the expression that declares the names in it with their values.

use chiaro_dap::lab::{Computed, Named};
use chiaro_ir::interp::{Interpreter, NoImages};
use chiaro_lsp::{Document, Language, Tools};

use crate::editor::{Editor, loaded};
use crate::{GlslStage, Kind};

/// Steps that an expression may take.
const MOST_STEPS: u64 = 1 << 20;

/// Types of results, in an order in which what converts by itself comes behind what it converts from.
const SCALARS: [Kind; 4] = [Kind::Bool, Kind::Int(32), Kind::Uint(32), Kind::Float(32)];

/// The value of an expression of GLSL.
pub(super) fn glsl(names: &[Named], text: &str) -> Result<Computed, String> {
    let around = |kind: Kind, width: usize| {
        let declared: String = names.iter().filter_map(glsl_variable).collect();
        let parts: String = (0..width)
            .map(|n| {
                let part = if width == 1 { "chiaro_value".to_owned() } else { format!("chiaro_value[{n}]") };
                format!("chiaro_out[{n}] = {};\n", glsl_bits(kind, &part))
            })
            .collect();
        let head = "#version 460\nlayout(local_size_x = 1) in;\n\
             layout(std430, binding = 0) buffer ChiaroOut { uint chiaro_out[4]; };\n";
        let ty = glsl_type(kind, width);
        format!("{head}void main() {{\n{declared}{ty} chiaro_value = (\n{text}\n);\n{parts}}}\n")
    };
    computed(Language::Glsl(GlslStage::Compute), &around)
}

/// The value of an expression of WGSL.
pub(super) fn wgsl(names: &[Named], text: &str) -> Result<Computed, String> {
    let around = |kind: Kind, width: usize| {
        let declared: String = names.iter().filter_map(wgsl_variable).collect();
        let parts: String = (0..width)
            .map(|n| {
                let part = if width == 1 { "chiaro_value".to_owned() } else { format!("chiaro_value[{n}]") };
                format!("chiaro_out[{n}] = {};\n", wgsl_bits(kind, &part))
            })
            .collect();
        let head = "@group(0) @binding(0) var<storage, read_write> chiaro_out: array<u32, 4>;\n";
        let ty = wgsl_type(kind, width);
        format!(
            "{head}@compute @workgroup_size(1)\nfn main() {{\n{declared}let chiaro_value: {ty} = (\n{text}\n);\n{parts}}}\n"
        )
    };
    computed(Language::Wgsl, &around)
}

/// Tries the types one after another: the first that the expression has gives its value.
fn computed(language: Language, around: &dyn Fn(Kind, usize) -> String) -> Result<Computed, String> {
    let types = (1..=4).flat_map(|width| SCALARS.map(|kind| (kind, width)));
    for (kind, width) in types {
        let document = Document::new("expression", Some(language), around(kind, width));
        let Some(shader) = loaded(&document) else { continue };
        let module = &shader.module.module;
        let entry = module.entries.first().ok_or("nothing can be run")?;
        let mut interpreter = Interpreter::new(module, entry);
        interpreter.options.fuel = MOST_STEPS;
        let out = interpreter.bound(0, 0).ok_or("nothing comes out")?;
        interpreter.set(out, vec![0; 16]);
        interpreter.dispatch([1; 3], &mut NoImages).map_err(|fault| fault.to_string())?;
        let bytes = interpreter.bytes(out).unwrap_or_default();
        let words = bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        return Ok(Computed { kind, bits: words.take(width).collect() });
    }
    Err(why(&Document::new("expression", Some(language), around(Kind::Float(32), 1))))
}

/// What the front end says first of an expression that has no type.
fn why(document: &Document) -> String {
    let messages = Editor.check(document).messages;
    messages
        .first()
        .map_or_else(|| "this has no value that can be shown".to_owned(), |first| first.message.clone())
}

fn glsl_type(kind: Kind, width: usize) -> String {
    let (scalar, prefix) = match kind {
        Kind::Bool => ("bool", "b"),
        Kind::Int(_) => ("int", "i"),
        Kind::Uint(_) => ("uint", "u"),
        Kind::Float(_) => ("float", ""),
    };
    if width == 1 { scalar.to_owned() } else { format!("{prefix}vec{width}") }
}

fn wgsl_type(kind: Kind, width: usize) -> String {
    let scalar = match kind {
        Kind::Bool => "bool",
        Kind::Int(_) => "i32",
        Kind::Uint(_) => "u32",
        Kind::Float(_) => "f32",
    };
    if width == 1 { scalar.to_owned() } else { format!("vec{width}<{scalar}>") }
}

fn glsl_bits(kind: Kind, part: &str) -> String {
    match kind {
        Kind::Float(_) => format!("floatBitsToUint({part})"),
        _ => format!("uint({part})"),
    }
}

fn wgsl_bits(kind: Kind, part: &str) -> String {
    match kind {
        Kind::Float(_) | Kind::Int(_) => format!("bitcast<u32>({part})"),
        _ => format!("u32({part})"),
    }
}

/// A variable with its value: of a vector component by component, of a matrix column by column.
fn glsl_variable(named: &Named) -> Option<String> {
    let literal = |bits: &u32| match named.kind {
        Kind::Float(_) => format!("uintBitsToFloat({bits}u)"),
        Kind::Int(_) => format!("int({bits}u)"),
        Kind::Uint(_) => format!("{bits}u"),
        Kind::Bool => (*bits != 0).to_string(),
    };
    let ty = match named.columns {
        1 => glsl_type(named.kind, named.bits.len()),
        columns => format!("mat{columns}x{}", named.bits.len() / columns),
    };
    let values: Vec<String> = named.bits.iter().map(literal).collect();
    (named.bits.len() <= 16).then(|| format!("{ty} {} = {ty}({});\n", named.name, values.join(", ")))
}

fn wgsl_variable(named: &Named) -> Option<String> {
    let literal = |bits: &u32| match named.kind {
        Kind::Float(_) => format!("bitcast<f32>({bits}u)"),
        Kind::Int(_) => format!("bitcast<i32>({bits}u)"),
        Kind::Uint(_) => format!("{bits}u"),
        Kind::Bool => (*bits != 0).to_string(),
    };
    let ty = match named.columns {
        1 => wgsl_type(named.kind, named.bits.len()),
        columns => format!("mat{columns}x{}<f32>", named.bits.len() / columns),
    };
    let values: Vec<String> = named.bits.iter().map(literal).collect();
    (named.bits.len() <= 16).then(|| format!("let {}: {ty} = {ty}({});\n", named.name, values.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str, values: &[f32]) -> Named {
        let bits = values.iter().map(|value| value.to_bits()).collect();
        Named { name: name.to_owned(), kind: Kind::Float(32), columns: 1, bits }
    }

    #[test]
    fn expressions_are_of_the_language() {
        let names = [named("n", &[1.0, 2.0, 2.0]), named("k", &[0.5])];
        let floats = |made: Computed| made.bits.iter().map(|bits| f32::from_bits(*bits)).collect::<Vec<_>>();
        assert_eq!(glsl(&names, "length(n) * k").map(floats), Ok(vec![1.5]));
        assert_eq!(glsl(&names, "n.zx + k").map(floats), Ok(vec![2.5, 1.5]));
        assert_eq!(
            glsl(&names, "int(n.y) << 2").map(|made| (made.kind, made.bits)),
            Ok((Kind::Int(32), vec![8]))
        );
        assert_eq!(glsl(&names, "k < 1.0").map(|made| (made.kind, made.bits)), Ok((Kind::Bool, vec![1])));
        assert_eq!(wgsl(&names, "dot(n, n.yzx)").map(floats), Ok(vec![8.0]));
        assert_eq!(wgsl(&names, "vec2<u32>(n.xy)").map(|made| made.bits), Ok(vec![1, 2]));
        assert!(glsl(&names, "nothing").is_err_and(|why| why.contains("nothing")));
        assert!(wgsl(&names, "1 +").is_err() && glsl(&names, "").is_err());
    }
}
