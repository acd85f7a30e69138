//! What types and expressions are made of, as far as names need it.

use crate::ast::{BlockDef, ExprId, ExprKind, StructDef, TypeName};
use crate::token::{At, Symbol};

/// What the name of a type brings.
pub(super) enum Parts<'a> {
    /// A structure that was declared before.
    Named(Symbol),
    /// One that is declared here.
    Struct(&'a StructDef),
    /// A block that is declared here.
    Block(&'a BlockDef),
    /// A type of the language.
    Other,
}

pub(super) fn parts(name: &TypeName) -> Parts<'_> {
    match name {
        TypeName::Named(symbol) => Parts::Named(*symbol),
        TypeName::Struct(structure) => Parts::Struct(structure),
        TypeName::Block(block) => Parts::Block(block),
        _ => Parts::Other,
    }
}

/// The token that names a structure: it stands behind `struct`.
pub(super) fn name_of(structure: &StructDef) -> At {
    At { first: structure.at.first + 1, last: structure.at.first + 1 }
}

/// Adds what an expression is made of.
pub(super) fn children(kind: &ExprKind, into: &mut Vec<ExprId>) {
    match kind {
        ExprKind::Index(a, b)
        | ExprKind::Binary(_, a, b)
        | ExprKind::Assign(_, a, b)
        | ExprKind::Comma(a, b) => into.extend([*a, *b]),
        ExprKind::Field(a, ..) | ExprKind::Unary(_, a) => into.push(*a),
        ExprKind::Call(_, _, args)
        | ExprKind::Construct(_, args)
        | ExprKind::Cast(_, args)
        | ExprKind::List(args) => into.extend(args),
        ExprKind::Method(base, _, args) => {
            into.push(*base);
            into.extend(args);
        }
        ExprKind::Ternary(a, b, c) => into.extend([*a, *b, *c]),
        ExprKind::Error
        | ExprKind::Text(_)
        | ExprKind::Name(_)
        | ExprKind::Bool(_)
        | ExprKind::Int(..)
        | ExprKind::Float(..) => {}
    }
}
