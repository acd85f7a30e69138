//! Products of two values, each to some power, are computed side by side.
//!
//! ```text
//! n2.x = mul n0.x, n0.x                   n11.x = mov v0.x
//! n3.x = mul n2.x, n0.x                   n12.xyz = mul {1 3 3 1} ...
//! n4.x = mul n0.x, 3                      n12.xyzw = mul {1 3 3 1}, {n0.x n11.x n0.x n11.x}
//! n5.x = mul n0.x, v0.x                   n13.xy = mul {n0.x n11.x}, {n0.x n11.x}
//! n6.x = mul n5.x, n4.x                   n14.xyzw = mul n13.xxyy, n12.xyzw
//! n7.x = mul v0.x, v0.x
//! n8.x = mul n7.x, n4.x                   n14 is n3, n6, n8, n9: the weights of a curve
//! n9.x = mul n7.x, v0.x
//! ```
//!
//! Of degree three each is a square times one of the values and a number, of degree two one of them times the other:
//! all at once take three instructions. Products round elsewhere then, which GLSL and WGSL leave open for what is not
//! `precise` (GLSL ES 3.20 section 4.7.1, WGSL section 15.7.3): exact nodes stay as they are.

use super::columns::forward;
use super::dce::dce;
use super::order::order;
use super::users::needs;
use crate::compile::graph::{Base, Block, Component, Components, Graph, Id, Item, LANES, splat};
use crate::isa::Op;
use std::collections::HashMap;

/// Degrees of products that are looked at.
const DEGREES: std::ops::RangeInclusive<usize> = 2..=3;
/// Factors that leave what they are multiplied with in float24's range.
const SOUND: std::ops::Range<f32> = 1e-4..1e4;

/// Computes such products together, where more instructions go than come.
pub(super) fn monomials(graph: &mut Graph) {
    for block in 0..graph.blocks.len() as Block {
        let products = Products::of(graph, block);
        let mut done: Vec<Id> = Vec::new();
        let roots = products.roots(graph);
        for seed in &roots {
            let group = products.group(graph, seed, &roots, &done).filter(|_| !done.contains(&seed.of));
            let Some(group) = group else { continue };
            if graph.decisions.take() {
                done.extend(group.iter().map(|monomial| monomial.of));
                put(graph, block, &group);
            }
        }
        if !done.is_empty() {
            dce(graph);
            order(graph, block);
        }
    }
}

/// A product: a number times some values.
#[derive(Clone)]
struct Monomial {
    of: Id,
    factor: f32,
    /// The values, equal ones side by side.
    values: Vec<Component>,
}

/// The products of scalars of a block, and who reads them.
struct Products {
    all: Vec<Id>,
    /// The place of each.
    at: HashMap<Id, usize>,
    /// For each of them its readers among them, and whether there are others.
    readers: Vec<(Vec<Id>, bool)>,
}

impl Products {
    fn of(graph: &Graph, block: Block) -> Products {
        let is_product = |id: &Id| {
            let node = graph.node(*id);
            node.op == Some(Op::Mul) && node.width == 1 && !node.exact
        };
        let all: Vec<Id> = graph.items(block).iter().filter_map(Item::node).filter(is_product).collect();
        let counts = if all.len() < 4 { Vec::new() } else { graph.consumers() };
        let all = if counts.is_empty() { Vec::new() } else { all };
        let at: HashMap<Id, usize> = all.iter().enumerate().map(|(at, id)| (*id, at)).collect();
        let mut readers = vec![(Vec::new(), false); all.len()];
        for &id in &all {
            let mut read: Vec<usize> =
                graph.node(id).uses().filter_map(|c| at.get(&c.node()?).copied()).collect();
            read.dedup();
            read.into_iter().for_each(|at| readers[at].0.push(id));
        }
        for ((inner, is_outer), id) in readers.iter_mut().zip(&all) {
            *is_outer = counts[*id as usize] as usize > inner.len();
        }
        Products { all, at, readers }
    }

    fn has(&self, id: Id) -> bool {
        self.at.contains_key(&id)
    }

    /// Those that something else reads, taken apart.
    fn roots(&self, graph: &Graph) -> Vec<Monomial> {
        let roots = self.all.iter().zip(&self.readers).filter(|(_, (_, is_outer))| *is_outer);
        let all = roots.filter_map(|(&id, _)| self.monomial(graph, id));
        all.filter(|monomial| DEGREES.contains(&monomial.values.len())).collect()
    }

    fn monomial(&self, graph: &Graph, of: Id) -> Option<Monomial> {
        let (mut factor, mut values, mut open) = (1.0, Vec::new(), vec![Component::new(Base::Node(of), 0)]);
        while let Some(component) = open.pop() {
            if component.neg {
                factor = -factor;
            }
            match (component.value(), component.node().filter(|id| self.has(*id))) {
                (Some(_), _) => factor *= component.plain().value()?,
                (None, Some(id)) => open.extend([graph.node(id).args[0][0], graph.node(id).args[1][0]]),
                _ if component.is_by_loop() || component.base == Base::Undef => return None,
                _ => values.push(component.plain()),
            }
            if values.len() + open.len() > *DEGREES.end() {
                return None;
            }
        }
        let order = distinct(&values);
        values.sort_by_key(|value| order.iter().position(|other| other == value));
        SOUND.contains(&factor.abs()).then_some(Monomial { of, factor, values })
    }

    /// The products of the same values and degree as one of them, if it is worth to compute them together.
    fn group(
        &self,
        graph: &Graph,
        seed: &Monomial,
        roots: &[Monomial],
        done: &[Id],
    ) -> Option<Vec<Monomial>> {
        let values = distinct(&seed.values);
        if values.len() != 2 || values.iter().any(|c| c.node().is_some_and(|id| graph.node(id).op.is_none()))
        {
            return None;
        }
        // Products of components of one register are one instruction anyway, with others as well.
        if seed.values.len() == 2 && values[0].base == values[1].base {
            return None;
        }
        let is_alike = |other: &Monomial| {
            other.values.len() == seed.values.len() && other.values.iter().all(|c| values.contains(c))
        };
        let alike = roots.iter().filter(|other| is_alike(other) && !done.contains(&other.of));
        let group: Vec<Monomial> = alike.cloned().collect();
        let is_of = |value: &Component, of: Id| value.node().is_some_and(|id| needs(graph, id, of));
        if group.iter().any(|monomial| values.iter().any(|value| is_of(value, monomial.of))) {
            return None;
        }
        let is_full = (3..=LANES).contains(&group.len());
        (is_full && self.gone(&group) > Plan::of(&group).words()).then_some(group)
    }

    /// How many products nothing reads when a group is computed elsewhere.
    fn gone(&self, group: &[Monomial]) -> usize {
        let mut gone: Vec<Id> = group.iter().map(|monomial| monomial.of).collect();
        let mut count = 0;
        while count < gone.len() {
            count = gone.len();
            for (id, (inner, is_outer)) in self.all.iter().zip(&self.readers) {
                if !is_outer && !gone.contains(id) && inner.iter().all(|reader| gone.contains(reader)) {
                    gone.push(*id);
                }
            }
        }
        count
    }
}

fn distinct<T: PartialEq + Copy>(all: &[T]) -> Vec<T> {
    let mut found = Vec::with_capacity(all.len());
    for &one in all {
        if !found.contains(&one) {
            found.push(one);
        }
    }
    found
}

/// How a group is computed.
struct Plan {
    /// Values that are copied, because the others stand in registers that can be chosen.
    copied: Vec<Component>,
    /// Values whose squares are factors; none of products of degree two.
    squares: Vec<Component>,
    /// Values and what they are multiplied with.
    scaled: Vec<(f32, Component)>,
    /// For each product its first factor and its second one.
    factors: Vec<(Component, (f32, Component))>,
}

impl Plan {
    fn of(group: &[Monomial]) -> Plan {
        let factors = group.iter().map(|monomial| match monomial.values[..] {
            [a, b, c] if a == b => (a, (monomial.factor, c)),
            [a, b, _] => (b, (monomial.factor, a)),
            [a, b] => (a, (monomial.factor, b)),
            _ => (Component::UNDEF, (monomial.factor, Component::UNDEF)),
        });
        let factors: Vec<(Component, (f32, Component))> = factors.collect();
        let values: Vec<Component> =
            distinct(&group.iter().flat_map(|m| m.values.iter().copied()).collect::<Vec<_>>());
        let is_one = values.iter().all(|c| c.base == values[0].base);
        let copied = values.iter().copied().filter(|c| !is_one && c.node().is_none()).collect();
        let is_cubic = group.iter().any(|monomial| monomial.values.len() == 3);
        let squares = if is_cubic {
            distinct(&factors.iter().map(|(a, _)| *a).collect::<Vec<_>>())
        } else {
            Vec::new()
        };
        let scaled = distinct(&factors.iter().map(|(_, b)| *b).collect::<Vec<_>>());
        Plan { copied, squares, scaled, factors }
    }

    fn is_scaled(&self) -> bool {
        self.scaled.iter().any(|(factor, _)| *factor != 1.0)
    }

    fn words(&self) -> usize {
        self.copied.len() + usize::from(!self.squares.is_empty()) + usize::from(self.is_scaled()) + 1
    }
}

/// Puts the products of a group in front of the first of them, and hands them to what reads these.
fn put(graph: &mut Graph, block: Block, group: &[Monomial]) {
    let plan = Plan::of(group);
    let span = graph.node(group[0].of).span;
    let from = graph.nodes.len();
    let lane = |id: Id, i: usize| Component::new(Base::Node(id), i as u8);
    let copies: Vec<Component> =
        plan.copied.iter().map(|c| lane(graph.add(Op::Mov, 1, &[splat(*c)], span), 0)).collect();
    let stands = |c: Component| plan.copied.iter().position(|copied| *copied == c).map_or(c, |i| copies[i]);
    let mut squares = [Component::UNDEF; LANES];
    squares.iter_mut().zip(&plan.squares).for_each(|(to, c)| *to = stands(*c));
    let square = (!plan.squares.is_empty())
        .then(|| graph.add(Op::Mul, plan.squares.len() as u8, &[squares, squares], span));
    let (mut numbers, mut values) = ([Component::UNDEF; LANES], [Component::UNDEF; LANES]);
    for (i, (factor, value)) in plan.scaled.iter().enumerate() {
        (numbers[i], values[i]) = (Component::constant(*factor), stands(*value));
    }
    let scaled =
        plan.is_scaled().then(|| graph.add(Op::Mul, plan.scaled.len() as u8, &[numbers, values], span));
    let mut args = [[Component::UNDEF; LANES]; 2];
    for (i, (first, second)) in plan.factors.iter().enumerate() {
        let at = plan.squares.iter().position(|c| c == first).unwrap_or(0);
        args[0][i] = square.map_or(stands(*first), |id| lane(id, at));
        let at = plan.scaled.iter().position(|c| c == second).unwrap_or(0);
        args[1][i] = scaled.map_or(stands(second.1), |id| lane(id, at));
    }
    let products = graph.add(Op::Mul, group.len() as u8, &args, span);
    let mut to: Vec<Option<Components>> = vec![None; graph.nodes.len()];
    for (i, monomial) in group.iter().enumerate() {
        to[monomial.of as usize] = Some(splat(lane(products, i)));
    }
    let made: Vec<Item> = (from..graph.nodes.len()).map(|id| Item::Node(id as Id)).collect();
    let at =
        graph.items(block).iter().position(|item| item.node().is_some_and(|id| to[id as usize].is_some()));
    let at = at.unwrap_or(0);
    graph.items_mut(block).splice(at..at, made);
    forward(graph, &to);
}
