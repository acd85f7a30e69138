//! Products with a value and with its opposite side by side: the signs are a product of their own, which brings a zero
//! along.
//!
//! ```text
//! n0.x = mul v0.x, c4.x                   n9.xyz = mul {-1 1 0}, v0.yyy
//! n1.x = mul -v0.y, c4.y                  n10.xy = mul v0.xx, c4.xy
//! n2.x = mul v0.x, c4.y                   n11.xy = mul n9.xy, c4.yx
//! n3.x = mul v0.y, c4.x                   n4.xy = add n10.xy, n11.xy
//! n4.xy = add {n0.x n2.x}, {n1.x n3.x}    n5.x = dph {n4.x n4.y n9.z}, c0.xyzw
//! n5.x = dph {n4.x n4.y 0}, c0.xyzw
//! ```
//!
//! An operand has one sign for all components, so that one product of the four stands alone. The signs take as many
//! words; but a vector of two is mostly made three long by a zero, which would take a move. Nothing rounds: the factors
//! are 1, -1 and 0. A zero must not hang on what may be NaN.

use super::dce::dce;
use super::numbers::is_number;
use crate::compile::graph::{
    Base, Block, Component, Components, Graph, Id, Item, LANES, components_of, splat,
};
use crate::isa::Op;

/// Makes such products of sums, where a zero is wanted beside what comes of them.
pub(super) fn mirror(graph: &mut Graph) {
    if dots_with_zeros(graph).next().is_none() {
        return;
    }
    let (counts, from) = (graph.consumers(), graph.nodes.len());
    for block in 0..graph.blocks.len() as Block {
        let mut at = 0;
        while at < graph.items(block).len() {
            if let Item::Node(sum) = graph.items(block)[at] {
                at += side_by_side(graph, (block, at), sum, &counts);
                if let Some(found) = Mirrored::of(graph, sum).filter(|_| graph.decisions.take()) {
                    at += found.put(graph, (block, at));
                }
            }
            at += 1;
        }
    }
    if graph.nodes.len() > from {
        dce(graph);
    }
}

/// Makes one sum of those of single components that an instruction reads side by side, if they are such products; how
/// many items are new before it.
fn side_by_side(graph: &mut Graph, (block, at): (Block, usize), reader: Id, counts: &[u32]) -> usize {
    let node = graph.node(reader);
    let (n, span) = (usize::from(node.width), node.span);
    let found = (0..2).find_map(|k| {
        let sums =
            node.args[k][..n].iter().map(|c| c.node().filter(|id| !c.neg && is_own_sum(graph, *id, counts)));
        Some((k, sums.collect::<Option<Vec<Id>>>()?))
    });
    let Some((k, sums)) = found.filter(|_| n >= 2 && node.is_each()) else { return 0 };
    let from = graph.nodes.len();
    for turned in 0..1usize << n {
        let mut args = [[Component::UNDEF; LANES]; 2];
        for (i, sum) in sums.iter().enumerate() {
            let [a, b] = [0, 1].map(|k| graph.node(*sum).args[k][0]);
            (args[0][i], args[1][i]) = if turned >> i & 1 == 1 { (b, a) } else { (a, b) };
        }
        let sum = graph.add(Op::Add, n as u8, &args, span);
        let old = std::mem::replace(&mut graph.node_mut(reader).args[k], components_of(Base::Node(sum)));
        if let Some(found) = Mirrored::of(graph, sum).filter(|_| graph.decisions.take()) {
            graph.items_mut(block).insert(at, Item::Node(sum));
            return 1 + found.put(graph, (block, at));
        }
        graph.node_mut(reader).args[k] = old;
        graph.nodes.truncate(from);
    }
    0
}

/// Whether a node adds two values for one reader.
fn is_own_sum(graph: &Graph, id: Id, counts: &[u32]) -> bool {
    let node = graph.node(id);
    node.op == Some(Op::Add) && node.width == 1 && !node.exact && counts.get(id as usize) == Some(&1)
}

/// Products with one scalar, each with a component of one register.
struct Products {
    scalar: Component,
    /// The components, with the signs of their products.
    others: Components,
}

impl Products {
    /// Whether the scalar is a uniform and the others are not: a number times a uniform takes a copy.
    fn is_by_uniform(&self) -> bool {
        let is_uniform = |c: Component| matches!(c.base, Base::Uniform(..));
        is_uniform(self.scalar) && !is_uniform(self.others[0])
    }

    /// The factor that takes the signs, and once more for the zero.
    fn signed(&self) -> Components {
        let first = self.others[0];
        match self.is_by_uniform() {
            true => self.others.map(|c| if c.base == first.base { c } else { first }.plain()),
            false => splat(self.scalar),
        }
    }
}

/// A sum of two such vectors.
struct Mirrored {
    sum: Id,
    /// By operand.
    products: [Products; 2],
    /// The operand whose products have both signs.
    side: usize,
    /// Operands of dot products that name a zero beside what comes of the sum.
    wanted: Vec<(Id, usize)>,
}

impl Mirrored {
    fn of(graph: &Graph, sum: Id) -> Option<Mirrored> {
        let node = graph.node(sum);
        let n = usize::from(node.width);
        if node.op != Some(Op::Add) || node.exact || !(2..LANES).contains(&n) {
            return None;
        }
        let products = [products(graph, &node.args[0][..n])?, products(graph, &node.args[1][..n])?];
        let is_mixed = |k: &usize| {
            let others = &products[*k].others[..n];
            others.iter().any(|c| c.neg != others[0].neg)
        };
        let side = match [0, 1].map(|k| is_mixed(&k)) {
            [true, false] => 0,
            [false, true] => 1,
            _ => return None,
        };
        let wanted = wanted(graph, sum);
        let signed = products[side].signed();
        let is_worth = !wanted.is_empty() && is_number(graph, signed[n]);
        is_worth.then_some(Mirrored { sum, products, side, wanted })
    }

    /// How many items are new before the sum.
    fn put(self, graph: &mut Graph, (block, at): (Block, usize)) -> usize {
        let (width, span) = (graph.node(self.sum).width, graph.node(self.sum).span);
        let mut signs = [Component::constant(0.0); LANES];
        let mixed = &self.products[self.side];
        for (sign, other) in signs.iter_mut().zip(&mixed.others[..usize::from(width)]) {
            *sign = Component::constant(if other.neg { -1.0 } else { 1.0 });
        }
        let signed = graph.add(Op::Mul, width + 1, &[signs, mixed.signed()], span);
        let mut new = vec![signed];
        for (k, products) in self.products.iter().enumerate() {
            let (scalars, others) = match (k == self.side, products.is_by_uniform()) {
                (true, false) => (components_of(Base::Node(signed)), products.others.map(Component::plain)),
                (true, true) => (splat(products.scalar), components_of(Base::Node(signed))),
                _ => (splat(products.scalar), products.others),
            };
            new.push(graph.add(Op::Mul, width, &[scalars, others], span));
            let made = new[new.len() - 1];
            graph.node_mut(self.sum).args[k] = components_of(Base::Node(made));
        }
        for (dot, k) in self.wanted {
            let zero = Component::new(Base::Node(signed), width);
            let numbers = graph.node_mut(dot).args[k].iter_mut().filter(|c| c.value() == Some(0.0));
            numbers.for_each(|number| *number = zero);
        }
        let count = new.len();
        graph.items_mut(block).splice(at..at, new.into_iter().map(Item::Node));
        count
    }
}

/// What components are products of, if each is one that nothing else reads, of one scalar.
fn products(graph: &Graph, components: &[Component]) -> Option<Products> {
    let factors = components.iter().map(|c| {
        let node = graph.node(c.node()?);
        let is_own = node.op == Some(Op::Mul) && !node.exact && node.width == 1;
        is_own.then(|| [node.args[0][0], node.args[1][0]].map(|of| (of.plain(), of.neg)))
    });
    let factors: Vec<[(Component, bool); 2]> = factors.collect::<Option<_>>()?;
    [0, 1].into_iter().find_map(|first| {
        let scalar = factors[0][first].0;
        let mut others = [Component::UNDEF; LANES];
        for (i, factors) in factors.iter().enumerate() {
            let k = (0..2).find(|k| factors[*k].0 == scalar)?;
            let neg = factors[0].1 ^ factors[1].1 ^ components[i].neg;
            others[i] = Component { neg, ..factors[1 - k].0 };
        }
        let register = others[0].base;
        let is_one = others[..components.len()].iter().all(|c| c.base == register && c.value().is_none());
        let is_apart = register != scalar.base;
        (is_one && is_apart).then_some(Products { scalar, others })
    })
}

/// Operands of dot products that name zeros beside what is computed.
fn dots_with_zeros(graph: &Graph) -> impl Iterator<Item = (Id, usize)> + '_ {
    let is_dot = |id: &Id| matches!(graph.node(*id).op, Some(Op::Dp3 | Op::Dp4 | Op::Dph));
    let dots = graph.blocks.iter().flatten().filter_map(Item::node).filter(is_dot);
    dots.flat_map(|id| [(id, 0), (id, 1)]).filter(|(id, k)| {
        let named = named(graph, *id, *k);
        named.iter().any(is_zero) && named.iter().all(|c| is_zero(c) || c.node().is_some())
    })
}

/// Of these operands those whose other components come of a sum.
fn wanted(graph: &Graph, sum: Id) -> Vec<(Id, usize)> {
    let is_of_sum = |c: &Component| c.node().is_some_and(|id| id == sum || reads(graph, id, sum));
    let is_wanted = |(id, k): &(Id, usize)| named(graph, *id, *k).iter().all(|c| is_zero(c) || is_of_sum(c));
    dots_with_zeros(graph).filter(is_wanted).collect()
}

fn named(graph: &Graph, id: Id, k: usize) -> &[Component] {
    let node = graph.node(id);
    &node.args[k][..node.reads(k)]
}

fn is_zero(component: &Component) -> bool {
    component.value() == Some(0.0)
}

/// Whether a node is a sum with another node in it.
fn reads(graph: &Graph, id: Id, sum: Id) -> bool {
    let node = graph.node(id);
    matches!(node.op, Some(Op::Add | Op::Mul | Op::Mad)) && node.uses().any(|c| c.node() == Some(sum))
}
