//! What is known of the size of components.

use crate::compile::graph::{Base, Component, Graph, Id, Node};
use crate::isa::Op;

/// Operands that are followed.
const DEPTH: u32 = 4;
/// Nodes that are looked at to see whether one is a number.
const NODES: usize = 64;

/// The least and the most that a component can be, if it is a number.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Bounds {
    low: f32,
    high: f32,
}

/// Whether a component is a number, whatever is given: roots and logarithms of what may be negative are none, and
/// variables may hold such. Sums are taken to stay in the machine's range.
pub(in crate::compile::combine) fn is_number(graph: &Graph, component: Component) -> bool {
    let (mut open, mut seen) = (vec![component], Vec::new());
    while let Some(component) = open.pop() {
        let Some(id) = component.node().filter(|id| !seen.contains(id)) else { continue };
        let node = graph.node(id);
        let is_root = matches!(node.op, Some(Op::Rsq | Op::Lg2));
        let is_defined = |c: Component| is_positive(graph, c);
        if node.op.is_none() || seen.len() >= NODES || is_root && !node.uses().all(is_defined) {
            return false;
        }
        seen.push(id);
        open.extend(node.uses());
    }
    true
}

/// Whether a component is never negative.
pub(in crate::compile::combine) fn is_positive(graph: &Graph, component: Component) -> bool {
    Bounds::of(graph, component).low >= 0.0
}

impl Bounds {
    const ANY: Bounds = Bounds { low: f32::NEG_INFINITY, high: f32::INFINITY };
    const POSITIVE: Bounds = Bounds { low: 0.0, high: f32::INFINITY };

    /// One number.
    pub(super) fn exactly(number: f32) -> Bounds {
        Bounds { low: number, high: number }
    }

    pub(super) fn of(graph: &Graph, component: Component) -> Bounds {
        Bounds::deep(graph, component, DEPTH)
    }

    pub(super) fn of_lane(graph: &Graph, id: Id, lane: u8) -> Bounds {
        Bounds::of(graph, Component::new(Base::Node(id), lane))
    }

    /// Whether MAX with a number (or MIN) is that number.
    pub(super) fn is_within(self, op: Op, number: f32) -> bool {
        match op {
            Op::Max => self.high <= number,
            Op::Min => self.low >= number,
            _ => false,
        }
    }

    fn deep(graph: &Graph, component: Component, depth: u32) -> Bounds {
        if let Some(value) = component.value() {
            return Bounds::exactly(value);
        }
        let Some(id) = component.node().filter(|_| depth > 0) else { return Bounds::ANY };
        let bounds = Bounds::of_node(graph, graph.node(id), usize::from(component.part), depth - 1);
        if component.neg { bounds.negated() } else { bounds }
    }

    fn of_node(graph: &Graph, node: &Node, lane: usize, depth: u32) -> Bounds {
        let arg = |k: usize| Bounds::deep(graph, node.args[k][lane], depth);
        let of_itself = |n: usize| node.args[0][..n] == node.args[1][..n];
        match node.op {
            Some(Op::Mov) => arg(0),
            Some(Op::Max) => arg(0).limited(arg(1), f32::max),
            Some(Op::Min) => arg(0).limited(arg(1), f32::min),
            Some(Op::Mul) if node.args[0][lane] == node.args[1][lane] => Bounds::POSITIVE,
            Some(Op::Mul) => arg(0).times(arg(1)),
            Some(Op::Add) => arg(0).plus(arg(1)),
            Some(Op::Mad) => arg(0).times(arg(1)).plus(arg(2)),
            Some(Op::Sge | Op::Slt) => Bounds { low: 0.0, high: 1.0 },
            Some(Op::Rsq | Op::Ex2) => Bounds::POSITIVE,
            Some(Op::Dp3) if of_itself(3) => Bounds::POSITIVE,
            Some(Op::Dp4) if of_itself(4) => Bounds::POSITIVE,
            _ => Bounds::ANY,
        }
    }

    fn negated(self) -> Bounds {
        // There is no negative zero. [3dbrew]
        Bounds { low: 0.0 - self.high, high: 0.0 - self.low }
    }

    fn limited(self, other: Bounds, limit: impl Fn(f32, f32) -> f32) -> Bounds {
        Bounds { low: limit(self.low, other.low), high: limit(self.high, other.high) }
    }

    /// Only 0 and 1 are said of numbers: others round.
    fn times(self, other: Bounds) -> Bounds {
        let (zero, one) = (Bounds::exactly(0.0), Bounds::exactly(1.0));
        match (self, other) {
            (a, b) if a == zero || b == zero => zero,
            (a, b) if a == one => b,
            (a, b) if b == one => a,
            (a, b) if a.low >= 0.0 && b.low >= 0.0 => Bounds::POSITIVE,
            _ => Bounds::ANY,
        }
    }

    fn plus(self, other: Bounds) -> Bounds {
        let zero = Bounds::exactly(0.0);
        match (self, other) {
            (a, b) if a == zero => b,
            (a, b) if b == zero => a,
            (a, b) if a.low >= 0.0 && b.low >= 0.0 => Bounds::POSITIVE,
            _ => Bounds::ANY,
        }
    }
}
