//! Columns and rows of matrices: registers hold rows, so that a column has its components in as many
//! registers.

use crate::compile::graph::{Base, Component, Components, Graph, Node};
use crate::isa::Op;

/// Whether components stand in different uniform registers.
pub(super) fn scattered(components: &[Component]) -> bool {
    let mut first = None;
    components.iter().any(|component| match component.base {
        Base::Uniform(r, index) => *first.get_or_insert((r, index)) != (r, index),
        _ => false,
    })
}

/// Whether a node multiplies with a column of a matrix.
pub(super) fn has_column(node: &Node) -> bool {
    let n = usize::from(node.width);
    matches!(node.op, Some(Op::Mul | Op::Mad)) && node.args[..2].iter().any(|a| scattered(&a[..n]))
}

/// The dot product of a row with factors: DPH if the last factor is 1, DP3 if it is 0 or nothing, else DP4.
pub(super) fn dot(factors: [Option<Component>; 4]) -> (Op, Components) {
    let factors = factors.map(|f| f.unwrap_or(Component::constant(0.0)));
    let op = match factors[3].value() {
        Some(1.0) => Op::Dph,
        Some(0.0) => Op::Dp3,
        _ => Op::Dp4,
    };
    (op, factors)
}

/// Replaces components of nodes everywhere.
pub(super) fn forward(graph: &mut Graph, to: &[Option<Components>]) {
    let replace = |component: &mut Component| {
        // Replacements may be replaced in turn, but never in a circle.
        while let Base::Node(id) = component.base
            && let Some(Some(components)) = to.get(id as usize)
        {
            let new = components[usize::from(component.part)];
            *component = Component { neg: new.neg ^ component.neg, ..new };
        }
    };
    graph.each_component(replace);
}
