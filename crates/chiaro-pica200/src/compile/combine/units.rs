//! Vectors of length one: what is known of their squares.
//!
//! A vector is as long when it is mirrored. Texture coordinates of a sphere take the length of such a vector with 1
//! added to a component, of which two squares need not be computed:
//!
//! ```text
//! n5.x = add n4.z, 1                      n4.xyz = reflect(normalize(u), normalize(n))
//! n6.x = dp3 {n4.x n4.y n5.x}, {n4.x n4.y n5.x}           n6.x = mul n5.x, 2
//! ```
//!
//! Since `x * x + y * y + z * z` is 1, `x * x + y * y + (z + 1) * (z + 1)` is `2 + 2 * z`. The sum rounds elsewhere
//! then, which GLSL and WGSL leave open for what is not `precise` (GLSL ES 3.20 section 4.7.1, WGSL section
//! 15.7.3): exact nodes stay as they are.

use crate::compile::graph::{Component, Graph, Id, Node, splat};
use crate::isa::Op;

/// Three components of a vector.
type Vector = [Component; 3];

/// Simplifies squares of vectors that are one long but for a component.
pub(super) fn units(graph: &mut Graph) {
    for id in 0..graph.nodes.len() as Id {
        if let Some((sum, factor)) = moved_square(graph, id)
            && graph.decisions.take()
        {
            let node = graph.node_mut(id);
            let args = [splat(sum), splat(Component::constant(factor)), [Component::UNDEF; 4]];
            (node.op, node.args) = (Some(Op::Mul), args);
        }
    }
}

/// The sum of a component with 1 or -1, and what times that the square of such a vector is.
fn moved_square(graph: &Graph, id: Id) -> Option<(Component, f32)> {
    let node = graph.node(id);
    if node.op != Some(Op::Dp3) || node.exact || node.args[0][..3] != node.args[1][..3] {
        return None;
    }
    (0..3).find_map(|at| {
        let sum = node.args[0][at];
        let (of, number) = moved(graph, sum)?;
        let mut vector = first_three(&node.args[0]);
        vector[at] = of;
        let vector = vector.map(Component::plain);
        is_unit(graph, &vector).then_some((sum.plain(), 2.0 * number))
    })
}

/// A component to which 1 or -1 is added, and which of them.
fn moved(graph: &Graph, component: Component) -> Option<(Component, f32)> {
    let node = graph.node(component.node()?);
    let part = usize::from(component.part);
    if node.op != Some(Op::Add) || node.exact {
        return None;
    }
    (0..2).find_map(|k| {
        let number = node.args[k][part].value().filter(|number| number.abs() == 1.0)?;
        let of = node.args[1 - k][part];
        (!of.neg).then_some((of, number))
    })
}

/// Whether three components are a vector of length one, in any order and with any signs.
fn is_unit(graph: &Graph, vector: &Vector) -> bool {
    is_normalized(graph, vector).is_some() || is_mirrored(graph, vector).is_some()
}

/// `v * rsq(dot(v, v))`.
fn is_normalized(graph: &Graph, vector: &Vector) -> Option<()> {
    let (_, lanes) = lanes(graph, vector, Op::Mul)?;
    (0..2).find_map(|k| {
        let root = one(lanes.map(|lane| lane[k]))?;
        let of = lanes.map(|lane| lane[1 - k].plain());
        let root = graph.node(root.node()?);
        let square = graph.node(root.args[0][0].node().filter(|_| root.op == Some(Op::Rsq))?);
        let is_square = square.op == Some(Op::Dp3) && square.args[0][..3] == square.args[1][..3];
        let squared = first_three(&square.args[0]).map(Component::plain);
        (is_square && is_same(&of, &squared)).then_some(())
    })
}

/// `u - 2 * dot(n, u) * n` of two such vectors.
fn is_mirrored(graph: &Graph, vector: &Vector) -> Option<()> {
    let (u, scaled) = difference(graph, vector)?;
    (0..2).find_map(|k| {
        let double = one(scaled.map(|lane| lane[k]))?;
        let n = scaled.map(|lane| lane[1 - k]);
        let double = graph.node(double.node()?);
        let side = (0..2).find(|side| double.args[*side][0].value() == Some(2.0))?;
        let dot = graph.node(double.args[1 - side][0].node().filter(|_| double.op == Some(Op::Mul))?);
        let pairs: [[Component; 2]; 3] = std::array::from_fn(|i| [dot.args[0][i], dot.args[1][i]]);
        let is_pair = |i: usize| pairs.iter().any(|pair| *pair == [n[i], u[i]] || *pair == [u[i], n[i]]);
        let is_dot = dot.op == Some(Op::Dp3) && (0..3).all(is_pair);
        let is_long =
            is_normalized(graph, &u).is_some() && is_normalized(graph, &n.map(Component::plain)).is_some();
        (is_dot && is_long).then_some(())
    })
}

/// A vector from which a product is taken away: that, and the factors for each component.
fn difference(graph: &Graph, vector: &Vector) -> Option<(Vector, [[Component; 2]; 3])> {
    let is_away = |product: &[Component; 2], neg: bool| product[0].neg ^ product[1].neg ^ neg;
    if let Some((_, lanes)) = lanes(graph, vector, Op::Mad) {
        let products = lanes.map(|[a, b, _]| [a, b]);
        let is_away = products.iter().all(|product| is_away(product, false));
        return is_away
            .then(|| (lanes.map(|lane| lane[2]), products.map(|product| product.map(Component::plain))));
    }
    let (_, sums) = lanes(graph, vector, Op::Add)?;
    (0..2).find_map(|k| {
        let scaled = sums.map(|lane| lane[k]);
        let (_, factors) = lanes(graph, &scaled, Op::Mul)?;
        let products = factors.map(|[a, b, _]| [a, b]);
        let is_away = products.iter().zip(scaled).all(|(product, c)| is_away(product, c.neg));
        is_away.then(|| (sums.map(|lane| lane[1 - k]), products.map(|product| product.map(Component::plain))))
    })
}

/// The node of an operation that components are of, and its operands for each of them.
fn lanes<'g>(graph: &'g Graph, vector: &Vector, op: Op) -> Option<(&'g Node, [[Component; 3]; 3])> {
    let id = vector[0].node()?;
    let node = graph.node(id);
    let is_one = vector.iter().all(|c| c.node() == Some(id));
    let lane = |c: Component| std::array::from_fn(|k| node.args[k][usize::from(c.part)]);
    (is_one && node.op == Some(op) && !node.exact).then(|| (node, vector.map(lane)))
}

fn first_three(components: &[Component; 4]) -> Vector {
    [components[0], components[1], components[2]]
}

/// The component that all are, but for their signs.
fn one(components: Vector) -> Option<Component> {
    let first = components[0].plain();
    components.iter().all(|c| c.plain() == first).then_some(first)
}

/// Whether two vectors have the same components, in any order.
fn is_same(a: &Vector, b: &Vector) -> bool {
    let is_in = |a: &Vector, b: &Vector| a.iter().all(|c| b.contains(c));
    is_in(a, b) && is_in(b, a)
}
