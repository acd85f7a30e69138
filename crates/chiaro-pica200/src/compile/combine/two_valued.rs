//! A step between two numbers of which the upper one is 1 is a limit.
//!
//! ```text
//! n0.x = sge v0.x, c0.x                   n0.x = sge v0.x, c0.x
//! n1.x = mul n0.x, 0.6                    n2.x = max n0.x, 0.4
//! n2.x = add n1.x, 0.4
//! ```
//!
//! The sum of the two numbers is 1 but for rounding, which GLSL and WGSL leave open for what is not `precise` (GLSL ES
//! 3.20 section 4.7.1, WGSL section 15.7.3).

use super::dce::dce;
use crate::compile::graph::{Component, Graph, Id, Node};
use crate::isa::Op;

/// How far from 1 a sum of rounded numbers may be.
const NEAR: f32 = 1e-6;

/// Makes limits of steps.
pub(super) fn two_valued(graph: &mut Graph) {
    for id in 0..graph.nodes.len() as Id {
        if let Some([step, low]) = (0..2).find_map(|side| limits(graph, id, side))
            && graph.decisions.take()
        {
            let node = graph.node_mut(id);
            (node.op, node.args) = (Some(Op::Max), [step, low, [Component::UNDEF; 4]]);
        }
    }
    dce(graph);
}

/// The step and the lower number, if a sum goes from that to 1.
fn limits(graph: &Graph, id: Id, side: usize) -> Option<[[Component; 4]; 2]> {
    let node = graph.node(id);
    let n = usize::from(node.width);
    let product = product_of(graph, node, side)?;
    let low = node.args[1 - side];
    let mut step = [Component::UNDEF; 4];
    for i in 0..n {
        let part = usize::from(node.args[side][i].part);
        let k = (0..2).find(|k| product.args[*k][part].value().is_some())?;
        let (factor, low) = (product.args[k][part].value()?, low[i].value()?);
        step[i] = product.args[1 - k][part];
        let of = graph.node(step[i].node().filter(|_| !step[i].neg)?);
        let is_step = matches!(of.op, Some(Op::Sge | Op::Slt));
        if !is_step || !(0.0..1.0).contains(&low) || (factor + low - 1.0).abs() > NEAR {
            return None;
        }
    }
    Some([step, low])
}

/// The product that a sum adds to something, as it is.
fn product_of<'g>(graph: &'g Graph, sum: &Node, side: usize) -> Option<&'g Node> {
    let components = &sum.args[side][..usize::from(sum.width)];
    let id = components.first()?.node().filter(|_| sum.op == Some(Op::Add) && !sum.exact)?;
    let node = graph.node(id);
    let same = components.iter().all(|c| c.node() == Some(id) && !c.neg);
    (same && node.op == Some(Op::Mul) && !node.exact).then_some(node)
}
