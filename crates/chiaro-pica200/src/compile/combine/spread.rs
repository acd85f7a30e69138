//! Products of components of one register with one scalar are one product.
//!
//! ```text
//! n1.x = mul v1.x, n0.x
//! n2.x = mul v1.z, n0.x                   n1.xy = mul v1.xz, n0.xx
//! ```
//!
//! They would become one instruction anyway when registers are known; steps before that see more of it this way.

use super::columns::forward;
use super::dce::dce;
use crate::compile::graph::{Base, Component, Components, Graph, Id, Item, LANES};
use crate::isa::Op;

/// Puts such products together, block by block.
pub(super) fn spread(graph: &mut Graph) {
    let mut to: Vec<Option<Components>> = vec![None; graph.nodes.len()];
    for block in 0..graph.blocks.len() {
        let mut known: Vec<(Id, Scaled)> = Vec::new();
        let ids: Vec<Id> = graph.blocks[block].iter().filter_map(Item::node).collect();
        for id in ids {
            let Some(scaled) = Scaled::of(graph, id) else { continue };
            let fits = |(first, other): &&(Id, Scaled)| {
                let width = graph.node(*first).width + graph.node(id).width;
                *other == scaled
                    && usize::from(width) <= LANES
                    && graph.node(*first).exact == graph.node(id).exact
            };
            match known.iter().find(fits) {
                Some((first, _)) if graph.decisions.take() => {
                    to[id as usize] = Some(taken_in(graph, *first, id));
                }
                _ => known.push((id, scaled)),
            }
        }
    }
    if to.iter().any(Option::is_some) {
        forward(graph, &to);
        dce(graph);
    }
}

/// A register with its sign, and the scalar that its components are multiplied with.
#[derive(PartialEq)]
struct Scaled {
    register: (Base, bool),
    scalar: Component,
    /// The operand of the scalar.
    operand: usize,
}

impl Scaled {
    fn of(graph: &Graph, id: Id) -> Option<Scaled> {
        let node = graph.node(id);
        let n = usize::from(node.width);
        let is_scalar = |k: &usize| {
            let scalar = node.args[*k][0];
            let is_computed =
                scalar.node().is_some_and(|id| graph.node(id).op.is_some_and(|op| op != Op::Mov));
            is_computed && node.args[*k][..n].iter().all(|c| *c == scalar)
        };
        let operand = (0..2).find(|k| node.op == Some(Op::Mul) && is_scalar(k))?;
        let parts = &node.args[1 - operand][..n];
        let register = (parts[0].base, parts[0].neg);
        let is_value = match register.0 {
            Base::Input(_) => true,
            Base::Node(id) => graph.node(id).op.is_some(),
            _ => false,
        };
        let is_one = is_value && parts.iter().all(|c| (c.base, c.neg) == register);
        is_one.then_some(Scaled { register, scalar: node.args[operand][0], operand })
    }
}

/// Gives a product the components of another one; where these are then.
fn taken_in(graph: &mut Graph, first: Id, other: Id) -> Components {
    let (args, width) = (graph.node(other).args, graph.node(other).width);
    let node = graph.node_mut(first);
    let from = node.width;
    for lane in 0..width {
        for (to, arg) in node.args.iter_mut().zip(args) {
            to[usize::from(from + lane)] = arg[usize::from(lane)];
        }
    }
    node.width += width;
    std::array::from_fn(|lane| Component::new(Base::Node(first), from + (lane as u8).min(width - 1)))
}
