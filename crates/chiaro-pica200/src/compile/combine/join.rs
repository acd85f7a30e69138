//! Products join sums of products: a product is a sum with 0.
//!
//! ```text
//! n2.x = mul n1.x, n1.x                n1.xyzw carries 3, -2 and 0 as well
//! n3.x = mad n1.x, -2, n1.y            n3.xy = mad n1.xx, n1.zx, n1.yw
//! ```
//!
//! Instructions that do the same to components are made one when registers are known; here are the ones that do the
//! same only with numbers put in. [`numbers`](super::numbers) says where these come from.

use super::copies::copies;
use super::dce::dce;
use super::numbers::Carrier;
use super::users::needs;
use crate::compile::graph::{Base, Block, Component, Components, Graph, Id, Item, LANES};
use crate::isa::Op;

/// Items between two instructions that may become one.
const WINDOW: usize = 24;

/// Puts products into the sums of products around them.
pub(super) fn join(graph: &mut Graph) {
    for block in 0..graph.blocks.len() as Block {
        let items = graph.items(block).iter().enumerate();
        let node = |(at, item): (usize, &Item)| item.node().map(|id| (at, id, graph.node(id).op));
        let all: Vec<(usize, Id, Option<Op>)> = items.filter_map(node).collect();
        let sums = all.iter().filter(|(.., op)| *op == Some(Op::Mad));
        for (at, sum, _) in sums {
            let near =
                all.iter().filter(|(other, _, op)| other.abs_diff(*at) <= WINDOW && *op == Some(Op::Mul));
            for (_, product, _) in near {
                joined(graph, block, *sum, *product);
            }
        }
    }
    dce(graph);
}

fn joined(graph: &mut Graph, block: Block, sum: Id, product: Id) -> Option<()> {
    let (a, b) = (graph.node(sum), graph.node(product));
    if !graph.stands_in(block, product) || usize::from(a.width + b.width) > LANES {
        return None;
    }
    let (offset, width) = (a.width, usize::from(a.width + b.width));
    // Most pairs have nothing in common: that is seen before anything is searched or tried.
    let is_likely = |order: &[usize; 2]| {
        let lanes = beside(graph, sum, product, *order);
        lanes.iter().all(|lane| first_value(&lane[..width]).is_ok())
    };
    let orders: Vec<[usize; 2]> = [[0, 1], [1, 0]].into_iter().filter(is_likely).collect();
    if orders.is_empty() || needs(graph, sum, product) || needs(graph, product, sum) {
        return None;
    }
    if !graph.decisions.take() {
        return None;
    }
    let mut carrier = Carrier::new(graph);
    let args = orders.into_iter().find_map(|order| {
        carrier.attempt(|carrier| {
            let lanes = beside(carrier.graph, sum, product, order);
            let args = [0, 1, 2].map(|k| named(carrier, &lanes[k][..width]));
            let [Some(a), Some(b), Some(c)] = args else { return None };
            let args = [a, b, c];
            (copies(&args, width) == 0).then_some(args)
        })
    })?;
    let node = graph.node_mut(sum);
    (node.args, node.width) = (args, width as u8);
    let moved = |component: &mut Component| {
        if component.base == Base::Node(product) {
            (component.base, component.part) = (Base::Node(sum), component.part + offset);
        }
    };
    graph.each_component(moved);
    graph.items_mut(block).retain(|item| item.node() != Some(product));
    Some(())
}

/// The operands of both, those of the product behind those of the sum.
fn beside(graph: &Graph, sum: Id, product: Id, order: [usize; 2]) -> [Components; 3] {
    let (a, b) = (graph.node(sum), graph.node(product));
    let mut lanes = a.args;
    for i in 0..usize::from(b.width) {
        let at = usize::from(a.width) + i;
        lanes[0][at] = b.args[order[0]][i];
        lanes[1][at] = b.args[order[1]][i];
        lanes[2][at] = Component::constant(0.0);
    }
    lanes
}

/// The register of the components that are no numbers, if they are of one with one sign.
fn first_value(components: &[Component]) -> Result<Option<Component>, ()> {
    let mut values = components.iter().filter(|c| c.value().is_none());
    let first = values.next().copied();
    let is_one = values.all(|c| first.is_some_and(|first| (first.base, first.neg) == (c.base, c.neg)));
    if is_one { Ok(first) } else { Err(()) }
}

/// Components that one operand can name: of one register, or numbers put into a node that is among them.
fn named(carrier: &mut Carrier<'_>, components: &[Component]) -> Option<Components> {
    let mut all = [Component::UNDEF; 4];
    all[..components.len()].copy_from_slice(components);
    let Some(first) = first_value(components).ok()? else { return Some(all) };
    for component in &mut all[..components.len()] {
        if let Some(number) = component.value() {
            let id = first.node().filter(|id| carrier.graph.node(*id).op.is_some())?;
            let found = carrier.carry(id, if first.neg { 0.0 - number } else { number })?;
            *component = Component { neg: first.neg, ..found };
        }
    }
    Some(all)
}
