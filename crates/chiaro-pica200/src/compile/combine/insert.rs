//! A vector of which one component is changed: the others come along.
//!
//! ```text
//! n1.x = mad n0.x, c5.x, v0.y             n1.xyz = mad {n0.x n0.y n0.y}, c5.xxx, v0.yxz      n0.y is 0
//! ... {v0.x n1.x v0.z} ...                ... {n1.y n1.x n1.z} ...
//! ```
//!
//! An operand names one register, so that the other components would be moved to where the new one is. A sum with
//! something of the same register takes them with it, if what it adds to them can be 0: see
//! [`numbers`](super::numbers) for where zeros come from. No value rounds elsewhere.

use super::dce::dce;
use super::numbers::{Carrier, DEPTH};
use crate::compile::graph::{Base, Component, Graph, Id, LANES};
use crate::isa::Op;

/// Lets sums carry the components that stand beside them in operands.
pub(super) fn insert(graph: &mut Graph) {
    for id in 0..graph.nodes.len() as Id {
        let node = graph.node(id);
        let bundles: Vec<Vec<Component>> = (0..3).map(|k| node.args[k][..node.reads(k)].to_vec()).collect();
        for bundle in bundles {
            let _ = inserted(graph, &bundle);
        }
    }
    dce(graph);
}

/// Widens the sum that a bundle of components is of, beside components of one input, and hands the new ones to all
/// that read the bundle.
fn inserted(graph: &mut Graph, bundle: &[Component]) -> Option<()> {
    let nodes = || bundle.iter().filter(|c| c.node().is_some());
    let sum = nodes().next()?.node()?;
    let beside = |c: &&Component| matches!(c.base, Base::Input(_)) && !c.neg;
    let (first, is_one) =
        (bundle.iter().find(beside)?.base, nodes().all(|c| c.node() == Some(sum) && !c.neg));
    let others: Vec<Component> = distinct(bundle.iter().filter(beside).copied());
    let rest = bundle.iter().filter(|c| c.node().is_none());
    if !is_one || rest.clone().any(|c| c.base != first || c.neg) {
        return None;
    }
    let addend = addend(graph, sum, first)?;
    let mut carrier = Carrier::new(graph);
    if !carrier.is_inner(sum) || !carrier.graph.decisions.take() {
        return None;
    }
    let lanes =
        carrier.attempt(|s| others.iter().map(|c| lane(s, sum, addend, *c)).collect::<Option<Vec<_>>>())?;
    for node in &mut graph.nodes {
        for arg in &mut node.args {
            // Only where the sum stands beside them: elsewhere the input is as good.
            if arg.iter().any(|c| c.node() == Some(sum)) && arg[..bundle.len()] == *bundle {
                for component in &mut arg[..bundle.len()] {
                    let found = others.iter().position(|other| other == component);
                    *component = found.map_or(*component, |at| lanes[at]);
                }
            }
        }
    }
    Some(())
}

fn distinct(components: impl Iterator<Item = Component>) -> Vec<Component> {
    let mut all = Vec::with_capacity(LANES);
    for component in components {
        if !all.contains(&component) {
            all.push(component);
        }
    }
    all
}

/// The operand of a sum that is an input, as it is.
fn addend(graph: &Graph, sum: Id, input: Base) -> Option<usize> {
    let node = graph.node(sum);
    let n = usize::from(node.width);
    let is_input = |k: &usize| node.args[*k][..n].iter().all(|c| c.base == input && !c.neg);
    match node.op {
        Some(Op::Mad) => Some(2).filter(is_input),
        Some(Op::Add) => (0..2).find(is_input),
        _ => None,
    }
}

/// A component more of a sum: nothing is added to what it carries.
fn lane(carrier: &mut Carrier<'_>, sum: Id, addend: usize, carried: Component) -> Option<Component> {
    let is_mad = carrier.graph.node(sum).op == Some(Op::Mad);
    let mut all = [Component::UNDEF; 3];
    if is_mad {
        all = carrier.product(sum, 0.0, DEPTH)?;
    } else {
        all[1 - addend] = carrier.operand(sum, 1 - addend, 0.0, DEPTH)?;
    }
    all[addend] = carried;
    let at = carrier.graph.node_mut(sum).append(all)?;
    Some(Component::new(Base::Node(sum), at))
}
