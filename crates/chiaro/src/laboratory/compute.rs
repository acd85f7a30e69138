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

/// How a language writes what an expression needs around it.
struct Dialect {
    language: Language,
    /// The type of a scalar, or of a vector of so many.
    ty: fn(Kind, usize) -> String,
    /// The type of a matrix by its columns and rows.
    matrix: fn(usize, usize) -> String,
    /// What makes a float and a signed number of their bits.
    of_bits: [&'static str; 2],
    /// A scalar's bits as an unsigned number.
    bits: fn(Kind, &str) -> String,
    /// A declaration by type, name and value.
    declared: fn(&str, &str, &str) -> String,
    /// A whole shader: what its entry does before, behind the head that declares `chiaro_out`.
    shader: fn(&str) -> String,
}

static GLSL: Dialect = Dialect {
    language: Language::Glsl(GlslStage::Compute),
    ty: glsl_type,
    matrix: |columns, rows| format!("mat{columns}x{rows}"),
    of_bits: ["uintBitsToFloat", "int"],
    bits: |kind, part| match kind {
        Kind::Float(_) => format!("floatBitsToUint({part})"),
        _ => format!("uint({part})"),
    },
    declared: |ty, name, value| format!("{ty} {name} = {value};\n"),
    shader: |body| {
        let head = "#version 460\nlayout(local_size_x = 1) in;\n\
             layout(std430, binding = 0) buffer ChiaroOut { uint chiaro_out[4]; };\n";
        format!("{head}void main() {{\n{body}}}\n")
    },
};

static WGSL: Dialect = Dialect {
    language: Language::Wgsl,
    ty: wgsl_type,
    matrix: |columns, rows| format!("mat{columns}x{rows}<f32>"),
    of_bits: ["bitcast<f32>", "bitcast<i32>"],
    bits: |kind, part| match kind {
        Kind::Float(_) | Kind::Int(_) => format!("bitcast<u32>({part})"),
        _ => format!("u32({part})"),
    },
    declared: |ty, name, value| format!("let {name}: {ty} = {value};\n"),
    shader: |body| {
        let head = "@group(0) @binding(0) var<storage, read_write> chiaro_out: array<u32, 4>;\n";
        format!("{head}@compute @workgroup_size(1)\nfn main() {{\n{body}}}\n")
    },
};

/// The value of an expression of GLSL.
pub(super) fn glsl(names: &[Named], text: &str) -> Result<Computed, String> {
    computed(&GLSL, names, text)
}

/// The value of an expression of WGSL.
pub(super) fn wgsl(names: &[Named], text: &str) -> Result<Computed, String> {
    computed(&WGSL, names, text)
}

impl Dialect {
    /// A shader that leaves the bits of an expression, taken as a vector of so many, in `chiaro_out`.
    fn around(&self, names: &[Named], text: &str, (kind, width): (Kind, usize)) -> String {
        let mut body: String = names.iter().filter_map(|named| self.variable(named)).collect();
        body += &(self.declared)(&(self.ty)(kind, width), "chiaro_value", &format!("(\n{text}\n)"));
        for n in 0..width {
            let part = if width == 1 { "chiaro_value".to_owned() } else { format!("chiaro_value[{n}]") };
            body += &format!("chiaro_out[{n}] = {};\n", (self.bits)(kind, &part));
        }
        (self.shader)(&body)
    }

    /// A variable with its value: of a vector component by component, of a matrix column by column.
    fn variable(&self, named: &Named) -> Option<String> {
        let literal = |bits: &u32| match named.kind {
            Kind::Float(_) => format!("{}({bits}u)", self.of_bits[0]),
            Kind::Int(_) => format!("{}({bits}u)", self.of_bits[1]),
            Kind::Uint(_) => format!("{bits}u"),
            Kind::Bool => (*bits != 0).to_string(),
        };
        let ty = match named.columns {
            1 => (self.ty)(named.kind, named.bits.len()),
            columns => (self.matrix)(columns, named.bits.len() / columns),
        };
        let values: Vec<String> = named.bits.iter().map(literal).collect();
        let value = format!("{ty}({})", values.join(", "));
        (named.bits.len() <= 16).then(|| (self.declared)(&ty, &named.name, &value))
    }
}

/// Tries the types one after another: the first that the expression has gives its value.
fn computed(dialect: &Dialect, names: &[Named], text: &str) -> Result<Computed, String> {
    let document = |ty| Document::new("expression", Some(dialect.language), dialect.around(names, text, ty));
    let types = (1..=4).flat_map(|width| SCALARS.map(|kind| (kind, width)));
    for (kind, width) in types {
        let Some(shader) = loaded(&document((kind, width))) else { continue };
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
    Err(why(&document((Kind::Float(32), 1))))
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
