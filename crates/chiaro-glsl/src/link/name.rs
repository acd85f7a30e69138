//! Names by which stages know the same thing.

use super::unit::Unit;
use crate::ty::{Length, Ty, Type};

/// The output of fixed functions that becomes an input of another name.
pub(super) fn output_of(input: &str) -> &str {
    match input {
        "gl_Color" => "gl_FrontColor",
        "gl_SecondaryColor" => "gl_FrontSecondaryColor",
        other => other,
    }
}

/// A type as text that is equal where types are: structures by their members. With `outer`
/// the outermost array is left out.
pub(super) fn of_type(unit: &Unit, ty: Ty, outer: bool) -> String {
    let mut text = String::new();
    let inner = match *unit.program.types.get(ty) {
        Type::Array(elem, _) if outer => elem,
        _ => ty,
    };
    write(unit, inner, &mut text, 0);
    text
}

/// Depth and length are bounded: what differs behind them is too odd to be reported.
fn write(unit: &Unit, ty: Ty, out: &mut String, depth: u32) {
    if depth > 64 || out.len() > 1 << 12 {
        return;
    }
    match *unit.program.types.get(ty) {
        Type::Array(elem, length) => {
            write(unit, elem, out, depth + 1);
            match length {
                Length::Known(n) => out.push_str(&format!("[{n}]")),
                Length::Unsized => out.push_str("[]"),
                Length::Spec(n, _) => out.push_str(&format!("[constant {n}]")),
            }
        }
        Type::Struct(id) => {
            let structure = unit.program.types.structure(id);
            out.push_str(unit.symbols.text(structure.name));
            out.push_str(" { ");
            for member in &structure.members {
                write(unit, member.ty, out, depth + 1);
                out.push_str(&format!(" {}; ", unit.symbols.text(member.name)));
            }
            out.push('}');
        }
        Type::Scalar(scalar) => out.push_str(&format!("{scalar:?}").to_lowercase()),
        Type::Vector(scalar, n) => out.push_str(&format!("{}vec{n}", prefix(&format!("{scalar:?}")))),
        Type::Matrix { scalar, columns, rows } => {
            let prefix = prefix(&format!("{scalar:?}"));
            out.push_str(&format!("{prefix}mat{columns}x{rows}"));
        }
        Type::Opaque(opaque) => out.push_str(&format!("{opaque:?}")),
        Type::Reference(id) => out.push_str(unit.symbols.text(unit.program.types.reference(id).name)),
        Type::Coop(scalar, id) => {
            out.push_str(&unit.program.types.coop(id).name(scalar, &format!("{scalar:?}")));
        }
        Type::Foreign(id) => out.push_str(&format!("spirv_type {}", id.0)),
        Type::Addressing(_) => out.push_str("tensorLayoutNV"),
        Type::Void => out.push_str("void"),
        Type::Error => {}
    }
}

/// The first letter of a vector's name: none for floats.
fn prefix(scalar: &str) -> String {
    match scalar {
        "Float" => String::new(),
        "Bool" | "Int" | "Uint" | "Double" => scalar[..1].to_lowercase(),
        other => other.to_lowercase(),
    }
}
