//! A polynomial of second degree is computed from its highest power on.
//!
//! ```text
//! n0.x = mul c0.x, c0.x
//! n1.xyz = mul v1.xyz, c0.xxx             n4.xyz = mul c1.xyz, c0.xxx
//! n2.xyz = add v0.xyz, n1.xyz             n5.xyz = add n4.xyz, v1.xyz
//! n3.xyz = mul c1.xyz, n0.xxx             n6.xyz = mul n5.xyz, c0.xxx
//! n4.xyz = add n2.xyz, n3.xyz             n4.xyz = add n6.xyz, v0.xyz
//! ```
//!
//! It rounds elsewhere then, which GLSL and WGSL leave open for what is not `precise` (GLSL ES 3.20 section 4.7.1,
//! WGSL section 15.7.3): exact nodes stay as they are.

use super::dce::dce;
use super::users::only_user;
use crate::compile::graph::{Base, Block, Component, Components, Graph, Id, Item, Node, components_of};
use crate::isa::Op;

/// Rewrites sums of three terms of which two are products with a scalar and its square.
pub(super) fn horner(graph: &mut Graph) {
    for block in 0..graph.blocks.len() as Block {
        let mut at = 0;
        while at < graph.items(block).len() {
            if let Item::Node(id) = graph.items(block)[at]
                && let Some(found) = Polynomial::of(graph, id)
                && graph.decisions.take()
            {
                at += found.put(graph, (block, at), id);
            }
            at += 1;
        }
    }
    dce(graph);
}

/// `(high * x + middle) * x + low`.
struct Polynomial {
    x: Components,
    high: Components,
    middle: Components,
    low: Components,
}

impl Polynomial {
    fn of(graph: &Graph, sum: Id) -> Option<Polynomial> {
        let terms = terms(graph, sum)?;
        let n = usize::from(graph.node(sum).width);
        (0..3).find_map(|second| {
            let (x, high) = square(graph, &terms[second], n)?;
            let first = (0..3).filter(|first| *first != second).find_map(|first| {
                let product = product(graph, &terms[first], n)?;
                let k = (0..2).find(|k| product.args[*k][..n].iter().all(|c| *c == x))?;
                Some((first, product.args[1 - k]))
            })?;
            let low = terms[3 - second - first.0];
            // All of it is read where the sum stands.
            let mut read = [[x; 4], high, first.1, low].into_iter().flatten();
            if read.any(Component::is_by_loop) {
                return None;
            }
            Some(Polynomial { x: [x; 4], high, middle: first.1, low })
        })
    }

    /// How many items are new before the sum.
    fn put(self, graph: &mut Graph, (block, at): (Block, usize), sum: Id) -> usize {
        let (width, span) = (graph.node(sum).width, graph.node(sum).span);
        let of = |id| components_of(Base::Node(id));
        let inner = graph.add(Op::Mul, width, &[self.high, self.x], span);
        let middle = graph.add(Op::Add, width, &[of(inner), self.middle], span);
        let outer = graph.add(Op::Mul, width, &[of(middle), self.x], span);
        graph.items_mut(block).splice(at..at, [inner, middle, outer].map(Item::Node));
        graph.node_mut(sum).args = [of(outer), self.low, [Component::UNDEF; 4]];
        3
    }
}

/// The three terms of two sums, of which only the second reads the first.
fn terms(graph: &Graph, sum: Id) -> Option<[Components; 3]> {
    let node = graph.node(sum);
    let n = usize::from(node.width);
    let is_sum = |node: &Node| node.op == Some(Op::Add) && !node.exact;
    let side = (0..2).find(|side| {
        whole(graph, &node.args[*side], n)
            .is_some_and(|id| is_sum(graph.node(id)) && only_user(graph, id) == Some(sum))
    })?;
    let inner = graph.node(node.args[side][0].node()?);
    is_sum(node).then_some([inner.args[0], inner.args[1], node.args[1 - side]])
}

/// The node that components are, all of it as it is.
fn whole(graph: &Graph, components: &Components, n: usize) -> Option<Id> {
    let id = components[0].node()?;
    let is_own = |(i, c): (usize, &Component)| *c == Component::new(Base::Node(id), i as u8);
    (usize::from(graph.node(id).width) == n && components[..n].iter().enumerate().all(is_own)).then_some(id)
}

/// A product that a term is.
fn product<'g>(graph: &'g Graph, term: &Components, n: usize) -> Option<&'g Node> {
    let node = graph.node(whole(graph, term, n)?);
    (node.op == Some(Op::Mul) && !node.exact).then_some(node)
}

/// The scalar, and the other factor, of a product with a square.
fn square(graph: &Graph, term: &Components, n: usize) -> Option<(Component, Components)> {
    let outer = product(graph, term, n)?;
    (0..2).find_map(|k| {
        let factor = outer.args[k][0];
        let of = graph.node(factor.node().filter(|_| !factor.neg)?);
        let part = usize::from(factor.part);
        let [a, b] = [of.args[0][part], of.args[1][part]];
        let is_square = of.op == Some(Op::Mul) && !of.exact && a == b && of.width == 1;
        let is_one = outer.args[k][..n].iter().all(|c| *c == factor);
        (is_square && is_one).then_some((a, outer.args[1 - k]))
    })
}
