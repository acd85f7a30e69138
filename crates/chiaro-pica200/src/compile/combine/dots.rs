//! Sums of three or four products become one dot product.
//!
//! ```text
//! n0.x = mul v0.x, n9.x
//! n1.x = mad v0.y, n9.y, n0.x           n2.x = dp3 v0.xyz, n9.xyz
//! n2.x = mad v0.z, n9.z, n1.x
//! ```
//!
//! The sum rounds in another order then, which GLSL and WGSL leave open for what is not `precise`
//! (GLSL ES 3.20 section 4.7.1, WGSL section 15.7.3): exact nodes stay as they are. The factors should stand in one
//! register for each operand; what has to be moved for that is counted against what is saved.

use super::dce::dce;
use super::sum::{Sum, take_apart};
use crate::compile::graph::{Base, Block, Component, Components, Graph, Id, Item, splat};
use crate::isa::Op;

/// Makes dot products of sums, unless that takes more moves than it saves.
pub(super) fn dots(graph: &mut Graph) {
    let counts = graph.consumers();
    let mut absorbed = vec![false; graph.nodes.len()];
    for block in 0..graph.blocks.len() as Block {
        let mut at = graph.items(block).len();
        while at > 0 {
            at -= 1;
            let Item::Node(id) = graph.items(block)[at] else { continue };
            if absorbed.get(id as usize) != Some(&false) || graph.node(id).width != 1 {
                continue;
            }
            let mut taken = vec![false; graph.nodes.len()];
            let Some(sum) = take_apart(graph, id, 0, &counts, &mut taken) else { continue };
            let Some(found) = Dot::of(graph, &sum).filter(|_| may_move(graph, block, at, &taken)) else {
                continue;
            };
            if !graph.decisions.take() {
                continue;
            }
            for (all, taken) in absorbed.iter_mut().zip(taken) {
                *all |= taken;
            }
            found.put(graph, (block, at), id);
        }
    }
    dce(graph);
}

/// A dot product, and what is added to it.
struct Dot {
    op: Op,
    args: [Components; 2],
    addend: Option<Component>,
}

impl Dot {
    /// The dot product that a sum is, if it saves a word.
    fn of(graph: &Graph, sum: &Sum) -> Option<Dot> {
        let n = sum.products.len();
        if !(3..=4).contains(&n) || sum.addends.len() > 1 {
            return None;
        }
        let turns = (0..1u32 << (n - 1)).map(|turns| {
            let args = operands(&sum.products, turns);
            (args.iter().map(|arg| moves(graph, &arg[..n])).sum::<usize>() + clash(&args), args)
        });
        let (moves, args) = turns.min_by_key(|(moves, _)| *moves)?;
        let saved = n - 1 - sum.addends.len();
        let op = if n == 3 { Op::Dp3 } else { Op::Dp4 };
        (moves < saved).then(|| Dot { op, args, addend: sum.addends.first().copied() })
    }

    /// Puts it in the place of the sum.
    fn put(self, graph: &mut Graph, (block, at): (Block, usize), id: Id) {
        let [a, b] = self.args;
        let none = [Component::UNDEF; 4];
        let Some(addend) = self.addend else {
            let node = graph.node_mut(id);
            (node.op, node.args) = (Some(self.op), [a, b, none]);
            return;
        };
        let span = graph.node(id).span;
        let dot = graph.add(self.op, 1, &[a, b], span);
        graph.items_mut(block).insert(at, Item::Node(dot));
        let node = graph.node_mut(id);
        let sum = [splat(Component::new(Base::Node(dot), 0)), splat(addend), none];
        (node.op, node.args) = (Some(Op::Add), sum);
    }
}

/// The factors of products, the sign of each with its first one; a bit says which products are turned round.
fn operands(products: &[(Component, Component)], turns: u32) -> [Components; 2] {
    let mut args = [[Component::UNDEF; 4]; 2];
    for (i, &(a, b)) in products.iter().enumerate() {
        let (a, b) = if turns >> i & 1 == 1 { (b, a) } else { (a, b) };
        args[0][i] = Component { neg: a.neg ^ b.neg, ..a };
        args[1][i] = b.plain();
    }
    args
}

/// Moves that bring components into one register, as far as can be told before gathering.
fn moves(graph: &Graph, components: &[Component]) -> usize {
    let mut places: Vec<(Option<Base>, bool)> = Vec::with_capacity(4);
    let (mut nodes, mut width) = (Vec::new(), 0);
    for component in components {
        let place = match component.base {
            Base::Const(_) => (Some(Base::Const(0)), false),
            Base::Node(id) if graph.node(id).op.is_some() => {
                if !nodes.contains(&id) {
                    nodes.push(id);
                    width += graph.node(id).width;
                }
                (None, component.neg)
            }
            base => (Some(base), component.neg),
        };
        if !places.contains(&place) {
            places.push(place);
        }
    }
    let apart = if width > 4 { nodes.len() - 1 } else { 0 };
    places.len() - 1 + apart
}

/// A copy if both operands are uniforms, or different inputs.
fn clash(args: &[Components; 2]) -> usize {
    let wide = |c: &Component| matches!(c.base, Base::Uniform(..) | Base::Const(_));
    match [args[0][0], args[1][0]] {
        [a, b] if wide(&a) && wide(&b) => 1,
        [Component { base: Base::Input(a), .. }, Component { base: Base::Input(b), .. }] => {
            usize::from(a != b)
        }
        _ => 0,
    }
}

/// Whether what a sum was taken apart to may be read where its last instruction stands: none of it is exact, all
/// of it stands in the same block, and no variable that it reads is set in between.
fn may_move(graph: &Graph, block: Block, at: usize, taken: &[bool]) -> bool {
    let is_taken = |item: &Item| matches!(item, Item::Node(id) if taken.get(*id as usize) == Some(&true));
    let items = &graph.items(block)[..=at];
    let all = taken.iter().filter(|taken| **taken).count();
    let Some(first) = items.iter().position(is_taken) else { return false };
    let ids = || (0..graph.nodes.len() as Id).filter(|id| taken[*id as usize]);
    let mut uses = ids().flat_map(|id| graph.node(id).uses());
    let is_variable = |c: Component| c.node().is_some_and(|id| graph.node(id).op.is_none());
    let sets = |item: &Item| matches!(item, Item::Assign(..) | Item::If(..) | Item::Loop(..));
    items.iter().filter(|item| is_taken(item)).count() == all
        && ids().all(|id| !graph.node(id).exact)
        && !(uses.any(is_variable) && items[first..].iter().any(sets))
}
