//! A product that only a sum uses becomes a MAD with it.
//!
//! MAD names one uniform or number and one input, so that three operands can need copies that product and sum do not.
//! One copy of numbers serves all instructions of a block: several sums that each lack it are worth one.
//!
//! ```text
//! n1.x = mul n0.x, 2                      n9.xy = mov {2 3}
//! n2.x = add n1.x, c4.x                   n2.x = mad n0.x, n9.x, c4.x
//! n3.x = mul n2.x, 3                      n4.x = mad n2.x, n9.y, 0.5
//! n4.x = add n3.x, 0.5
//! ```
//!
//! The product is rounded first in MAD \[3dbrew], so nothing changes but the words.

use super::copies::copies;
use super::dce::dce;
use super::sum::factors;
use super::users::users;
use crate::compile::graph::{Block, Component, Components, Graph, Id, Item, LANES};
use crate::isa::Op;

/// Makes sums with products one instruction where that takes no more words.
pub(super) fn fuse(graph: &mut Graph) {
    let counts = graph.readers();
    let mut gone = false;
    for id in 0..graph.nodes.len() as Id {
        let free = Group::of_sum(graph, id, &counts).into_iter().find(|group| group.lacks == 0);
        if let Some(group) = free.filter(|_| graph.decisions.take()) {
            group.put(graph);
            gone = true;
        }
    }
    for block in 0..graph.blocks.len() as Block {
        gone |= share(graph, block, &counts);
    }
    if gone {
        dce(graph);
    }
}

/// Fuses the sums of a block that lack one copy of numbers each, if one serves them all.
fn share(graph: &mut Graph, block: Block, counts: &[[u32; 4]]) -> bool {
    let (mut found, mut numbers, mut is_copied) = (Vec::<Group>::new(), Vec::new(), false);
    for item in graph.items(block) {
        let Item::Node(id) = item else { continue };
        let node = graph.node(*id);
        if node.op == Some(Op::Mad) && copies(&node.args, usize::from(node.width)) > 0 {
            is_copied |= note(&mut numbers, &node.args, usize::from(node.width));
        }
        let known = |id: Id| found.iter().flat_map(|group| &group.sums).any(|(sum, _)| *sum == id);
        let group = Group::of_sum(graph, *id, counts).into_iter().find(|group| group.lacks == 1);
        if let Some(group) = group.filter(|group| !group.sums.iter().any(|(id, _)| known(*id))) {
            let lacking = group.sums.iter().filter(|(_, fused)| fused.lacks > 0);
            let n = usize::from(node.width);
            if lacking.fold(true, |all, (_, fused)| note(&mut numbers, &fused.args, n) && all) {
                found.push(group);
            }
        }
    }
    let is_worth = found.len() + usize::from(is_copied) > 1 && numbers.len() <= LANES;
    let is_worth = is_worth && graph.decisions.take();
    if is_worth {
        found.into_iter().for_each(|group| group.put(graph));
    }
    is_worth
}

/// A product and all sums that read it.
struct Group {
    sums: Vec<(Id, Fused)>,
    /// Copies that the MADs need and the others do not.
    lacks: usize,
}

impl Group {
    /// The groups of the products that a sum has, or the sum alone with components that nothing else reads.
    fn of_sum(graph: &Graph, sum: Id, counts: &[[u32; 4]]) -> Vec<Group> {
        if graph.node(sum).op != Some(Op::Add) {
            return Vec::new();
        }
        (0..2).filter_map(|side| Group::of(graph, sum, side, counts)).collect()
    }

    fn of(graph: &Graph, sum: Id, side: usize, counts: &[[u32; 4]]) -> Option<Group> {
        let fused = Fused::of(graph, sum, side)?;
        let product = graph.node(sum).args[side][0].node()?;
        let is_free = !graph.node(product).uses().any(Component::is_by_loop);
        if is_free && fused.is_part(graph, sum, side, counts.get(product as usize)?) {
            let lacks = fused.lacks;
            return Some(Group { sums: vec![(sum, fused)], lacks });
        }
        let users = users(graph, product)?;
        let is_by_loop = graph.node(product).uses().any(Component::is_by_loop);
        if is_by_loop && !(users.iter().all(|user| are_together(graph, product, *user))) {
            return None;
        }
        let one = |user: &Id| {
            let node = graph.node(*user);
            let side = (0..2).find(|side| node.args[*side][0].node() == Some(product))?;
            Some((*user, Fused::of(graph, *user, side)?))
        };
        let sums: Vec<(Id, Fused)> = users.iter().map(one).collect::<Option<_>>()?;
        let lacks = sums.iter().map(|(_, fused)| fused.lacks).sum();
        Some(Group { sums, lacks })
    }

    fn put(self, graph: &mut Graph) {
        for (sum, fused) in self.sums {
            let node = graph.node_mut(sum);
            (node.op, node.args) = (Some(Op::Mad), fused.args);
        }
    }
}

/// Whether two nodes stand in one block.
fn are_together(graph: &Graph, a: Id, b: Id) -> bool {
    (0..graph.blocks.len() as Block).any(|block| graph.stands_in(block, a) && graph.stands_in(block, b))
}

/// Adds the numbers of the first operand that has some; whether one has.
fn note(numbers: &mut Vec<Component>, args: &[Components; 3], n: usize) -> bool {
    let Some(arg) = args.iter().find(|arg| arg[..n].iter().all(|c| c.value().is_some())) else {
        return false;
    };
    for component in &arg[..n] {
        if !numbers.contains(component) {
            numbers.push(*component);
        }
    }
    true
}

/// The operands of a MAD that is a sum and a product.
struct Fused {
    args: [Components; 3],
    /// Copies that it needs and the two do not.
    lacks: usize,
}

impl Fused {
    fn of(graph: &Graph, sum: Id, side: usize) -> Option<Fused> {
        let node = graph.node(sum);
        let n = usize::from(node.width);
        let (of, [a, b]) = factors(graph, &node.args[side][..n]).filter(|_| node.op == Some(Op::Add))?;
        let (product, addend) = (graph.node(of), node.args[1 - side]);
        if addend[..n].iter().any(|c| c.node() == Some(of)) {
            return None;
        }
        let mut args = [a, b, addend];
        args[2][n..].fill(Component::UNDEF);
        let apart = copies(&product.args[..2], usize::from(product.width)) + copies(&node.args[..2], n);
        Some(Fused { args, lacks: copies(&args, n).saturating_sub(apart) })
    }

    /// Whether a number is added to components that nothing else reads: they are one with it, for what joins them
    /// there.
    fn is_part(&self, graph: &Graph, sum: Id, side: usize, own: &[u32; 4]) -> bool {
        let node = graph.node(sum);
        let n = usize::from(node.width);
        let once = |c: &Component| own[usize::from(c.part)] == 1;
        node.args[side][..n].iter().all(once) && node.has_numbers(1 - side)
    }
}
