//! Constants that a clamp carries along.
//!
//! `3 - 2 * t` names two numbers, and an instruction names one register of them. Where `t` comes out of a clamp,
//! the clamp has the other number in a component to spare: between 3 and 3, anything is 3.
//!
//! ```text
//! n0.x = max x, 0                 n0.xy = max {x x}, {0 3}
//! n1.x = min n0.x, 1              n1.xy = min n0.xy, {1 3}
//! n2.x = mul n1.x, -2
//! n3.x = add n2.x, 3              n3.x = mad n1.x, -2, n1.y
//! ```
//!
//! Nothing rounds elsewhere, because MAD rounds its product \[3dbrew]. A NaN is one on both sides.

use super::dce::dce;
use super::sum::factors;
use crate::compile::graph::{Base, Component, Components, Graph, Id, LANES, Node, splat};
use crate::isa::Op;

/// Gives sums with a number, of products with another one, the first out of a clamp.
pub(super) fn pinned(graph: &mut Graph) {
    let counts = graph.consumers();
    for sum in 0..graph.nodes.len() as Id {
        if let Some((args, pin)) = [0, 1].into_iter().find_map(|side| found(graph, sum, side, &counts))
            && graph.decisions.take()
        {
            let Some(lane) = pin.lane(graph) else { continue };
            let node = graph.node_mut(sum);
            (node.op, node.args) = (Some(Op::Mad), [args[0], args[1], splat(lane)]);
        }
    }
    dce(graph);
}

/// A clamp, and the number that it is to carry.
struct Pin {
    /// What limits, and what limits that: the instruction, and the operand that has the numbers.
    outer: (Id, usize),
    inner: (Id, usize),
    number: Component,
}

/// The factors of a product that a sum adds a number to, and the clamp that one of them comes out of.
fn found(graph: &Graph, sum: Id, side: usize, counts: &[u32]) -> Option<([Components; 2], Pin)> {
    let node = graph.node(sum);
    let n = usize::from(node.width);
    let number = node.args[1 - side][0];
    let (of, args) = factors(graph, &node.args[side][..n])?;
    let one_number = node.args[1 - side][..n].iter().all(|l| *l == number) && number.value().is_some();
    if !one_number || node.op != Some(Op::Add) || counts.get(of as usize) != Some(&1) {
        return None;
    }
    let numbers = |k: usize| args[k][..n].iter().all(|l| l.value().is_some());
    let clamped = (0..2).find(|k| !numbers(*k) && numbers(1 - *k))?;
    let outer = only(&args[clamped][..n]).and_then(|id| limit(graph, id))?;
    let other = &graph.node(outer.0).args[1 - outer.1][..usize::from(graph.node(outer.0).width)];
    let inner = only(other).and_then(|id| limit(graph, id))?;
    let opposite = graph.node(outer.0).op != graph.node(inner.0).op && other.iter().all(|l| !l.neg);
    opposite.then_some((args, Pin { outer, inner, number }))
}

/// The node that all components are of.
fn only(components: &[Component]) -> Option<Id> {
    let id = components.first()?.node()?;
    components.iter().all(|l| l.node() == Some(id)).then_some(id)
}

/// MIN or MAX with numbers, and which operand they are; with a component to spare.
fn limit(graph: &Graph, id: Id) -> Option<(Id, usize)> {
    let node = graph.node(id);
    let side = (0..2).find(|k| node.has_numbers(*k))?;
    (matches!(node.op, Some(Op::Min | Op::Max)) && usize::from(node.width) < LANES).then_some((id, side))
}

impl Pin {
    /// The component that holds the number.
    fn lane(&self, graph: &mut Graph) -> Option<Component> {
        let inner = widened(graph.node_mut(self.inner.0), self.inner.1, self.number, None)?;
        let carried = Component::new(Base::Node(self.inner.0), inner);
        let outer = widened(graph.node_mut(self.outer.0), self.outer.1, self.number, Some(carried))?;
        Some(Component::new(Base::Node(self.outer.0), outer))
    }
}

/// One component more of MIN or MAX: a number, and what it limits.
fn widened(node: &mut Node, side: usize, number: Component, limited: Option<Component>) -> Option<u8> {
    let mut lane = [Component::UNDEF; 3];
    (lane[side], lane[1 - side]) = (number, limited.unwrap_or(node.args[1 - side][0]));
    node.append(lane)
}
