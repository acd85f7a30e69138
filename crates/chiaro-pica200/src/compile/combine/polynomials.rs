//! Polynomials of one value are computed side by side, from their highest powers on.
//!
//! ```text
//! n0.x = mul v0.x, v0.x                   n10.xyz = mul {2 1 -2}, v0.xxx
//! n1.x = mul n0.x, v0.x                   n11.xyz = add n10.xyz, {-3 -2 3}
//! n2.x = mul n1.x, 2                      n12.xyz = mad n11.xyz, v0.xxx, {0 1 0}
//! n3.x = mul n0.x, 3                      n13.xyz = mad n12.xyz, v0.xxx, {1 0 0}
//! n4.x = add n2.x, -n3.x
//! n5.x = add n4.x, 1 ...                  n13.x is n5
//! ```
//!
//! The weights of a spline take an instruction for each power. Products and sums are regrouped, but no sum is
//! multiplied out; they round elsewhere then, which GLSL and WGSL leave open for what is not `precise` (GLSL ES 3.20
//! section 4.7.1, WGSL section 15.7.3): exact nodes stay as they are.

use super::columns::forward;
use super::dce::dce;
use super::order::order;
use crate::compile::graph::{
    Base, Block, Component, Components, Graph, Id, Item, LANES, Node, components_of, splat,
};
use crate::isa::Op;
use std::collections::HashMap;

/// Coefficients of a polynomial, the lowest first.
type Coefficients = [f32; LANES];

/// Polynomials of one value that are worth it.
const LEAST: usize = 3;

/// Computes polynomials of one value together, where more instructions go than come.
pub(super) fn polynomials(graph: &mut Graph) {
    for block in 0..graph.blocks.len() as Block {
        let Some(family) = Family::of(graph, block) else { continue };
        if family.is_worth(graph) && graph.decisions.take() {
            family.put(graph, block);
            dce(graph);
            order(graph, block);
        }
    }
}

/// The polynomials of a block of the value that the most of them are of.
struct Family {
    of: Component,
    all: Vec<(Id, Coefficients)>,
    /// Those that something else reads.
    roots: Vec<(Id, Coefficients)>,
}

impl Family {
    fn of(graph: &Graph, block: Block) -> Option<Family> {
        let all = squared(graph, block).into_iter().map(|of| (of, polynomials_of(graph, block, of)));
        let (of, all) = all.max_by_key(|(_, all)| all.len())?;
        if all.len() <= LEAST {
            return None;
        }
        let mut family = Family { of, all, roots: Vec::new() };
        let counts = graph.consumers();
        let is_root =
            |(id, _): &&(Id, Coefficients)| counts[*id as usize] as usize > family.readers(graph, *id).len();
        family.roots = family.all.iter().filter(is_root).copied().collect();
        Some(family)
    }

    /// The polynomials that another one is part of.
    fn readers(&self, graph: &Graph, id: Id) -> Vec<Id> {
        let reads = |other: &Id| graph.node(*other).uses().any(|c| c.node() == Some(id));
        self.all.iter().map(|(other, _)| *other).filter(reads).collect()
    }

    fn degree(&self) -> usize {
        let degree = |(_, c): &(Id, Coefficients)| c.iter().rposition(|c| *c != 0.0).unwrap_or(0);
        self.roots.iter().map(degree).max().unwrap_or(0)
    }

    fn is_worth(&self, graph: &Graph) -> bool {
        let mut gone: Vec<Id> = self.roots.iter().map(|(id, _)| *id).collect();
        let mut count = 0;
        while count < gone.len() {
            count = gone.len();
            let more = self.all.iter().map(|(id, _)| *id).filter(|id| {
                !gone.contains(id) && self.readers(graph, *id).iter().all(|reader| gone.contains(reader))
            });
            let more: Vec<Id> = more.collect();
            gone.extend(more);
        }
        (LEAST..=LANES).contains(&self.roots.len()) && self.degree() > 1 && count > 2 * (self.degree() + 1)
    }

    /// Puts the polynomials in front of the first of them, and hands them to what reads these.
    fn put(&self, graph: &mut Graph, block: Block) {
        let (width, span) = (self.roots.len() as u8, graph.node(self.roots[0].0).span);
        let of_power = |power: usize| {
            let mut numbers = [Component::UNDEF; LANES];
            let lanes = numbers.iter_mut().zip(&self.roots);
            lanes.for_each(|(number, (_, all))| *number = Component::constant(all[power]));
            numbers
        };
        let from = graph.nodes.len();
        let degree = self.degree();
        let mut last = graph.add(Op::Mul, width, &[of_power(degree), splat(self.of)], span);
        for power in (0..degree).rev() {
            let sum = [components_of(Base::Node(last)), splat(self.of), of_power(power)];
            last = match power + 1 == degree {
                true => graph.add(Op::Add, width, &[sum[0], sum[2]], span),
                false => graph.add(Op::Mad, width, &sum, span),
            };
        }
        let mut to: Vec<Option<Components>> = vec![None; graph.nodes.len()];
        for (i, (id, _)) in self.roots.iter().enumerate() {
            to[*id as usize] = Some(splat(Component::new(Base::Node(last), i as u8)));
        }
        let made: Vec<Item> = (from..graph.nodes.len()).map(|id| Item::Node(id as Id)).collect();
        let is_root = |item: &Item| item.node().is_some_and(|id| to[id as usize].is_some());
        let at = graph.items(block).iter().position(is_root).unwrap_or(0);
        graph.items_mut(block).splice(at..at, made);
        forward(graph, &to);
    }
}

/// The values whose squares a block has: a polynomial of more than the first degree begins with that.
fn squared(graph: &Graph, block: Block) -> Vec<Component> {
    let mut found = Vec::new();
    for id in graph.items(block).iter().filter_map(Item::node) {
        let node = graph.node(id);
        let [a, b] = [node.args[0][0].plain(), node.args[1][0].plain()];
        let is_fixed = !a.is_by_loop() && a.node().is_none_or(|id| graph.node(id).op.is_some());
        if node.op == Some(Op::Mul) && node.width == 1 && a == b && is_fixed && !found.contains(&a) {
            found.push(a);
        }
    }
    found
}

/// The instructions of a block that are polynomials of a value.
fn polynomials_of(graph: &Graph, block: Block, of: Component) -> Vec<(Id, Coefficients)> {
    let mut known: HashMap<Id, Coefficients> = HashMap::new();
    let mut all = Vec::new();
    for id in graph.items(block).iter().filter_map(Item::node) {
        let node = graph.node(id);
        if node.width == 1
            && !node.exact
            && of.node() != Some(id)
            && let Some(found) = polynomial(&known, of, node)
        {
            known.insert(id, found);
            all.push((id, found));
        }
    }
    all
}

/// The coefficients of an instruction, if it is a polynomial of a value; products are with one power at most.
fn polynomial(known: &HashMap<Id, Coefficients>, of: Component, node: &Node) -> Option<Coefficients> {
    let one = |component: Component| {
        let all = match (component.value(), component.plain() == of) {
            (Some(_), _) => [component.plain().value()?, 0.0, 0.0, 0.0],
            (None, true) => [0.0, 1.0, 0.0, 0.0],
            _ => *known.get(&component.node()?)?,
        };
        Some(if component.neg { all.map(|c| 0.0 - c) } else { all })
    };
    let arg = |k: usize| one(node.args[k][0]);
    match node.op? {
        Op::Add => Some(plus(arg(0)?, arg(1)?)),
        Op::Mul => times(arg(0)?, arg(1)?),
        Op::Mad => Some(plus(times(arg(0)?, arg(1)?)?, arg(2)?)),
        _ => None,
    }
}

fn plus(a: Coefficients, b: Coefficients) -> Coefficients {
    std::array::from_fn(|i| a[i] + b[i])
}

fn times(a: Coefficients, b: Coefficients) -> Option<Coefficients> {
    let power = |all: &Coefficients| {
        let mut powers = (0..LANES).filter(|i| all[*i] != 0.0);
        let first = powers.next();
        if powers.next().is_some() { None } else { first }
    };
    let (factor, power, other) = match (power(&a), power(&b)) {
        (Some(power), _) => (a[power], power, b),
        (None, Some(power)) => (b[power], power, a),
        _ => return None,
    };
    let is_small = (LANES - power..LANES).all(|i| other[i] == 0.0);
    is_small.then(|| std::array::from_fn(|i| if i < power { 0.0 } else { factor * other[i - power] }))
}
