//! What the source of a shader says of a run, for the debugger: its variables, and the matrices of its interface.

use chiaro_dap::lab::{Assigned, Local};
use chiaro_dap::shape::Shape;
use chiaro_ir::Type;
use chiaro_ir::interface::Leaf;
use chiaro_lsp::Document;

use super::locals;
use crate::editor::{entry_of, loaded};
use crate::{Inputs, Kind, LoadedModule, Target, Value};

/// What a source says.
#[derive(Default)]
pub(super) struct Told {
    /// The matrices of its interface.
    pub(super) shapes: Vec<Shape>,
    /// The variables of its functions.
    pub(super) locals: Vec<Local>,
    /// What they are given.
    pub(super) assigned: Vec<Assigned>,
}

/// What a document says of a run; nothing if it is no shader.
pub(super) fn told_by(document: &Document, target: &dyn Target, inputs: &Inputs) -> Told {
    let Some(shader) = loaded(document) else { return Told::default() };
    let entry = entry_of(target, &shader.module).unwrap_or_default();
    let shapes = shapes_of(&shader.module, target);
    let own = as_source(inputs, &shapes, target);
    let (locals, assigned) = locals::watch(&shader.module, &entry, &own, (document, shader.file));
    Told { shapes, locals, assigned }
}

/// The inputs as the source has them: columns of matrices, where the host gives this target rows.
fn as_source(inputs: &Inputs, shapes: &[Shape], target: &dyn Target) -> Inputs {
    let mut own = inputs.clone();
    let given = own.resources.iter_mut().filter(|_| target.holds_rows());
    for (shape, value) in
        given.filter_map(|(name, value)| Some((shapes.iter().find(|s| s.name == *name)?, value)))
    {
        let Value::List(rows) = &*value else { continue };
        let component = |row: &Value, n: usize| match row {
            Value::List(all) => all.get(n).cloned(),
            _ => None,
        };
        let column = |n: usize| rows.iter().map(|row| component(row, n)).collect::<Option<Vec<_>>>();
        if let Some(columns) = (0..shape.columns).map(column).collect::<Option<Vec<_>>>() {
            *value = Value::List(columns.into_iter().map(Value::List).collect());
        }
    }
    own
}

/// The matrices of a shader's interface.
fn shapes_of(shader: &LoadedModule, target: &dyn Target) -> Vec<Shape> {
    let types = &shader.module.types;
    let shape = |leaf: &Leaf| {
        let Type::Array(part, parts, _) = types.get(leaf.ty) else { return None };
        let Type::Vector(scalar, size) = types.get(*part) else { return None };
        let kind = match types.get(*scalar) {
            Type::Float(width) => Kind::Float(*width),
            _ => return None,
        };
        // What lies by rows has rows for parts.
        let (parts, size) = (*parts as usize, usize::from(*size));
        let (columns, rows) = if leaf.columns { (parts, size) } else { (size, parts) };
        let is_by_row = target.holds_rows() || !leaf.columns;
        Some(Shape { name: leaf.name.clone(), kind, columns, rows, is_by_row })
    };
    shader.interface.leaves.iter().filter(|leaf| leaf.matrix).filter_map(shape).collect()
}
