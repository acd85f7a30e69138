//! Roots that cancel.
//!
//! ```text
//! n1.x = rsq n0.x
//! n2.x = mul n0.x, n1.x                   (the root of n0)
//! n3.x = mul n2.x, n2.x                   (n3 is n0)
//! n4.x = rcp n3.x                         n4.x = mul n1.x, n1.x
//! ```
//!
//! A constant factor of what a root is of goes to the constant that the root is multiplied with. What may be
//! negative is left alone. Roots, quotients and products round elsewhere then, which GLSL and WGSL leave open for what
//! is not `precise` (GLSL ES 3.20 section 4.7.1, WGSL section 15.7.3): exact nodes stay as they are.

use super::columns::forward;
use super::dce::dce;
use super::numbers::is_positive;
use super::users::users;
use crate::compile::graph::{Base, Component, Components, Graph, Id, Item, splat};
use crate::isa::Op;

/// Takes away roots of squares and squares of roots.
pub(super) fn roots(graph: &mut Graph) {
    if !graph.nodes.iter().any(|node| node.op == Some(Op::Rsq)) {
        return;
    }
    squares(graph);
    dce(graph);
    for block in 0..graph.blocks.len() {
        reciprocals(graph, block);
    }
    dce(graph);
}

/// Constant factors of what roots are of go to the constants that the roots are multiplied with.
pub(super) fn root_factors(graph: &mut Graph) {
    // What a root is scaled by has one reader for good: no rewrite here adds one.
    let counts = graph.consumers();
    for id in 0..graph.nodes.len() as Id {
        let _ = scaled(graph, id, &counts);
    }
    dce(graph);
}

/// The square of a root is what the root is of.
fn squares(graph: &mut Graph) {
    let mut to: Vec<Option<Components>> = vec![None; graph.nodes.len()];
    for (id, node) in graph.nodes.iter().enumerate() {
        if node.op != Some(Op::Mul) || node.exact || node.args[0] != node.args[1] {
            continue;
        }
        let mut of = [Component::UNDEF; 4];
        let lanes = 0..usize::from(node.width);
        let all = lanes.into_iter().try_for_each(|i| {
            of[i] = root_of(graph, node.args[0][i]).filter(|c| is_positive(graph, *c))?;
            Some(())
        });
        to[id] = all.map(|()| of);
    }
    if to.iter().any(Option::is_some) {
        forward(graph, &to);
    }
}

/// What a component is the root of: a product with one over its root.
fn root_of(graph: &Graph, component: Component) -> Option<Component> {
    let node = graph.node(component.node()?);
    let part = usize::from(component.part);
    let is_root = |k: &usize| {
        let of = rsq_of(graph, node.args[*k][part]);
        of.is_some() && of == Some(node.args[1 - k][part])
    };
    let k = (0..2).find(is_root).filter(|_| node.op == Some(Op::Mul) && !node.exact)?;
    Some(node.args[1 - k][part])
}

/// What a component is one over the root of.
fn rsq_of(graph: &Graph, component: Component) -> Option<Component> {
    let node = graph.node(component.node()?);
    (node.op == Some(Op::Rsq) && !node.exact && !component.neg).then(|| node.args[0][0])
}

/// One over what a root of the block is of is a square: a product, which can be packed.
fn reciprocals(graph: &mut Graph, block: usize) {
    let ids: Vec<Id> = graph.blocks[block].iter().filter_map(Item::node).collect();
    let is = |id: &Id, op: Op| graph.node(*id).op == Some(op) && !graph.node(*id).exact;
    let operand = |id: Id| graph.node(id).args[0][0];
    let found = ids.iter().filter(|id| is(id, Op::Rcp) && is_positive(graph, operand(**id)));
    let root = |of: Component| ids.iter().copied().find(|id| is(id, Op::Rsq) && operand(*id) == of);
    let found: Vec<(Id, Id)> = found.filter_map(|id| Some((*id, root(operand(*id))?))).collect();
    for (id, root) in found {
        if graph.decisions.take() {
            let root = splat(Component::new(Base::Node(root), 0));
            let node = graph.node_mut(id);
            (node.op, node.args) = (Some(Op::Mul), [root, root, [Component::UNDEF; 4]]);
        }
    }
}

/// `rsq(c * x) * d` is `rsq(x) * (d / sqrt(c))` for numbers `c` and `d`.
fn scaled(graph: &mut Graph, root: Id, counts: &[u32]) -> Option<()> {
    let node = graph.node(root);
    let inner = node.args[0][0].node().filter(|_| node.op == Some(Op::Rsq) && !node.exact)?;
    let product = graph.node(inner);
    let (neg, part) = (node.args[0][0].neg, usize::from(node.args[0][0].part));
    let k = (0..2).find(|k| product.args[*k][part].value().is_some())?;
    let factor =
        product.args[k][part].value().filter(|factor| *factor > 0.0 && factor.is_finite() && !neg)?;
    let is_free = product.op == Some(Op::Mul) && !product.exact && product.width == 1;
    if !is_free || counts.get(inner as usize) != Some(&1) {
        return None;
    }
    let of = product.args[1 - k][part];
    let ends = users(graph, root)?;
    let scaled = |id: &Id| {
        let node = graph.node(*id);
        let k = (0..2).find(|k| node.has_numbers(*k)).filter(|_| node.op == Some(Op::Mul) && !node.exact)?;
        let number = |c: Component| c.value().map(|value| Component::constant(value / factor.sqrt()));
        let mut numbers = node.args[k];
        for component in &mut numbers[..usize::from(node.width)] {
            *component = number(*component)?;
        }
        Some((*id, k, numbers))
    };
    let all: Vec<(Id, usize, Components)> = ends.iter().map(scaled).collect::<Option<_>>()?;
    if all.is_empty() || !graph.decisions.take() {
        return None;
    }
    graph.node_mut(root).args[0] = splat(of);
    for (id, k, numbers) in all {
        graph.node_mut(id).args[k] = numbers;
    }
    Some(())
}
