//! Algebraic combining: sums of products become DP3, DP4, DPH and MAD.
//!
//! - A column of a matrix has its components in four registers, because registers hold rows. A
//!   sum of such columns times numbers is, component by component, a dot product with a row: DP4, DP3, or
//!   DPH where the last factor is 1.
//! - A dot product *with* a column, on the other hand, is a component of a sum of rows.
//! - A product that only a sum uses becomes MAD. The product is rounded first there
//!   \[3dbrew], so nothing changes but the words.

pub(super) mod breaks;
mod carried;
mod columns;
mod copies;
pub(super) mod dce;
mod dots;
mod floors;
mod fuse;
mod horner;
mod insert;
mod join;
mod masks;
mod mirror;
mod monomials;
mod numbers;
mod order;
pub(super) mod outputs;
mod pinned;
mod polynomials;
mod roots;
mod scales;
pub(super) mod sink;
mod spread;
mod sum;
mod two_valued;
mod units;
mod users;
mod variables;
mod weighted;
mod whole;

use crate::compile::combine::columns::{dot, forward, has_column, scattered};
use crate::compile::combine::sum::{Sum, TERMS, take_apart};
use crate::compile::graph::{Base, Block, Component, Components, Graph, Id, Item, components_of, splat};
use crate::compile::tactic::{Step, Tactic};
use crate::isa::Op;
use chiaro_opt::Assumptions;

/// Runs all of it but the steps that a tactic leaves out; what rounds elsewhere only where that is free, what takes
/// that nothing is NaN or infinite only where that may be assumed.
pub(crate) fn combine(graph: &mut Graph, tactic: Tactic, free: Assumptions) {
    variables::variables(graph);
    breaks::breaks(graph);
    signs(graph);
    expand_dots(graph);
    unit_dots(graph);
    floors::floors(graph);
    carried::carried(graph);
    if free.reassociate {
        weighted::weighted(graph);
    }
    find_dots(graph);
    if free.reassociate && tactic.takes(Step::Regroup) {
        dots::dots(graph);
        if free.approximate {
            units::units(graph);
            roots::roots(graph);
        }
        polynomials::polynomials(graph);
        horner::horner(graph);
        monomials::monomials(graph);
        spread::spread(graph);
        scales::scales(graph);
        two_valued::two_valued(graph);
        if free.approximate {
            roots::root_factors(graph);
        }
    }
    if tactic.takes(Step::Pin) {
        pinned::pinned(graph);
    }
    if tactic.takes(Step::Carry) && free.finite() {
        mirror::mirror(graph);
    }
    if tactic.takes(Step::Fuse) {
        fuse::fuse(graph);
    }
    if tactic.takes(Step::Carry) && free.finite() {
        insert::insert(graph);
        masks::masks(graph);
        join::join(graph);
        whole::whole(graph, free.reassociate);
    }
}

/// Products and sums instead of MAD, which rounds its product, too: for programs with more operand
/// descriptors than MAD can name.
pub(crate) fn split_mads(graph: &mut Graph) {
    for block in 0..graph.blocks.len() as Block {
        let items = std::mem::take(graph.items_mut(block));
        let mut split = Vec::with_capacity(items.len());
        for item in items {
            if let Item::Node(id) = item
                && graph.node(id).op == Some(Op::Mad)
            {
                let node = graph.node(id);
                let ([a, b, c], width, span) = (node.args, node.width, node.span);
                let product = graph.add(Op::Mul, width, &[a, b], span);
                let node = graph.node_mut(id);
                (node.op, node.args) =
                    (Some(Op::Add), [components_of(Base::Node(product)), c, [Component::UNDEF; 4]]);
                split.push(Item::Node(product));
            }
            split.push(item);
        }
        *graph.items_mut(block) = split;
    }
}

/// The sign of a factor goes to a constant that it is multiplied with: constants are signed for
/// nothing, and components of different signs cannot share an operand.
fn signs(graph: &mut Graph) {
    for node in &mut graph.nodes {
        if !matches!(node.op, Some(Op::Mul | Op::Mad)) {
            continue;
        }
        for i in 0..usize::from(node.width) {
            let [a, b] = [node.args[0][i], node.args[1][i]];
            let (from, to) = match (a.base, b.base) {
                (Base::Const(_), Base::Const(_)) => continue,
                (_, Base::Const(_)) if a.neg => (0, 1),
                (Base::Const(_), _) if b.neg => (1, 0),
                _ => continue,
            };
            for k in [from, to] {
                node.args[k][i] = node.args[k][i].negated();
            }
        }
    }
}

/// Dot products with columns become sums of products, to be packed component by component.
fn expand_dots(graph: &mut Graph) {
    let mut to: Vec<Option<Components>> = Vec::new();
    for block in 0..graph.blocks.len() {
        let items = std::mem::take(&mut graph.blocks[block]);
        let mut kept = Vec::with_capacity(items.len());
        for item in items {
            if let Item::Node(id) = item
                && let n @ 3.. = dot_width(graph.node(id).op)
                && graph.node(id).args[..2].iter().any(|a| scattered(&a[..n]))
            {
                let (args, span) = (graph.node(id).args, graph.node(id).span);
                let mut sum = None;
                for (a, b) in args[0].into_iter().zip(args[1]).take(n) {
                    let (a, b) = (splat(a), splat(b));
                    let next = match sum {
                        None => graph.add(Op::Mul, 1, &[a, b], span),
                        Some(sum) => {
                            graph.add(Op::Mad, 1, &[a, b, splat(Component::new(Base::Node(sum), 0))], span)
                        }
                    };
                    kept.push(Item::Node(next));
                    sum = Some(next);
                }
                to.resize(graph.nodes.len(), None);
                to[id as usize] = sum.map(|sum| splat(Component::new(Base::Node(sum), 0)));
            } else {
                kept.push(item);
            }
        }
        graph.blocks[block] = kept;
    }
    if !to.is_empty() {
        forward(graph, &to);
    }
}

/// A dot product with a last factor of 1 is DPH, which has the 1 in its first operand; of 0 DP3. Neither rounds
/// elsewhere: a product with 1 is exact. \[3dbrew]
fn unit_dots(graph: &mut Graph) {
    for node in graph.nodes.iter_mut().filter(|node| node.op == Some(Op::Dp4)) {
        let last = |k: usize| node.args[k][3].value();
        if let Some(k) = (0..2).find(|k| last(*k) == Some(1.0)) {
            node.op = Some(Op::Dph);
            node.args.swap(0, k);
        } else if (0..2).any(|k| last(k) == Some(0.0)) {
            node.op = Some(Op::Dp3);
        }
    }
}

fn dot_width(op: Option<Op>) -> usize {
    match op {
        Some(Op::Dp3) => 3,
        Some(Op::Dp4) => 4,
        _ => 0,
    }
}

/// Sums of columns become dot products with rows.
fn find_dots(graph: &mut Graph) {
    if !graph.nodes.iter().any(has_column) {
        return;
    }
    let counts = graph.consumers();
    let mut absorbed = vec![false; graph.nodes.len()];
    let mut to: Vec<Option<Components>> = vec![None; graph.nodes.len()];
    for block in 0..graph.blocks.len() {
        let mut items = std::mem::take(&mut graph.blocks[block]);
        let mut at = items.len();
        while at > 0 {
            at -= 1;
            let Item::Node(id) = items[at] else { continue };
            if absorbed[id as usize] || !reaches_column(graph, id, &counts) {
                continue;
            }
            let sums: Option<Vec<Sum>> =
                (0..graph.node(id).width).map(|i| take_apart(graph, id, i, &counts, &mut absorbed)).collect();
            let Some(sums) = sums else { continue };
            let from = graph.nodes.len();
            let Some(components) = rows(graph, id, &sums) else {
                graph.nodes.truncate(from);
                continue;
            };
            to[id as usize] = Some(components);
            let made = (from..graph.nodes.len()).map(|id| Item::Node(id as Id));
            items.splice(at..=at, made);
        }
        graph.blocks[block] = items;
    }
    forward(graph, &to);
    crate::compile::combine::dce::dce(graph);
}

/// Whether a sum has a column among its factors.
fn reaches_column(graph: &Graph, root: Id, counts: &[u32]) -> bool {
    let mut open = vec![root];
    let mut steps = 0;
    while let Some(id) = open.pop() {
        steps += 1;
        let node = graph.node(id);
        if !matches!(node.op, Some(Op::Add | Op::Mul | Op::Mad)) || steps > TERMS {
            continue;
        }
        if has_column(node) {
            return true;
        }
        let addends = if node.op == Some(Op::Add) { 0..2 } else { 2..3 };
        let inner = addends.map(|k| node.args[k][0].node());
        open.extend(inner.flatten().filter(|id| counts.get(*id as usize) == Some(&1)));
    }
    false
}

/// A dot product for each component, and a sum where something is left over.
fn rows(graph: &mut Graph, id: Id, sums: &[Sum]) -> Option<Components> {
    let span = graph.node(id).span;
    let (mut components, mut rest) = ([Component::UNDEF; 4], [Component::UNDEF; 4]);
    let mut rests = 0;
    for (i, sum) in sums.iter().enumerate() {
        let row = Row::of(sum)?;
        let (op, factors) = dot(row.factors);
        let register = std::array::from_fn(|k| Component { part: k as u8, ..row.register });
        let dot = graph.add(op, 1, &[factors, register], span);
        components[i] = Component::new(Base::Node(dot), 0);
        match row.left[..] {
            [] => {}
            [one] => {
                rest[i] = one;
                rests += 1;
            }
            _ => return None,
        }
    }
    if rests == 0 {
        return Some(components);
    }
    if rests < sums.len() {
        return None;
    }
    let sum = graph.add(Op::Add, sums.len() as u8, &[components, rest], span);
    Some(crate::compile::graph::components_of(Base::Node(sum)))
}

/// What a row is multiplied with.
struct Row {
    /// Component x of the row.
    register: Component,
    /// The factor of each component.
    factors: [Option<Component>; 4],
    /// What has nothing to do with the row.
    left: Vec<Component>,
}

impl Row {
    /// The register that is a factor of all products.
    fn of(sum: &Sum) -> Option<Row> {
        let (a, b) = sum.products.first()?;
        [a, b].into_iter().filter(|l| matches!(l.base, Base::Uniform(..))).find_map(|l| Row::by(sum, l.base))
    }

    fn by(sum: &Sum, register: Base) -> Option<Row> {
        let mut row = Row { register: Component::new(register, 0), factors: [None; 4], left: Vec::new() };
        for (a, b) in &sum.products {
            let (own, other) = if a.base == register { (a, b) } else { (b, a) };
            if own.base != register {
                return None;
            }
            row.put(own, *other)?;
        }
        for addend in &sum.addends {
            if addend.base != register || row.put(addend, Component::constant(1.0)).is_none() {
                row.left.push(*addend);
            }
        }
        (row.factors.iter().flatten().count() >= 2).then_some(row)
    }

    /// Takes a product in; not the second one of a component.
    fn put(&mut self, own: &Component, factor: Component) -> Option<()> {
        let slot = &mut self.factors[usize::from(own.part)];
        if slot.is_some() {
            return None;
        }
        *slot = Some(if own.neg { factor.negated() } else { factor });
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::graph::Index;

    /// `m[0] + m[3] * s + m[3]`: the second product of a component stays an addend, and the first
    /// one keeps its factor.
    #[test]
    fn a_component_takes_one_product() {
        let register = Base::Uniform(0, Index::None);
        let own = |part| Component::new(register, part);
        let scale = Component::new(Base::Uniform(9, Index::None), 1);
        let sum = Sum { products: vec![(own(3), scale)], addends: vec![own(0), own(3)] };
        let row = Row::by(&sum, register).expect("two components have factors");
        assert_eq!(row.factors[3], Some(scale));
        assert_eq!(row.left, [own(3)]);
        assert_eq!(dot(row.factors).0, Op::Dp4);
    }
}
