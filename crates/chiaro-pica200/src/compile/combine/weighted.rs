//! Weighted sums of matrices, times a vector: skinning.
//!
//! `(bones[a] * u + bones[b] * v) * p` as it stands builds a matrix column by column, and columns have their
//! components in four registers. Multiplied out, it is a dot product of `p` with every row, each
//! matrix by its weight:
//!
//! ```text
//! sum of (A[i] * u + B[i] * v) * p[i]        (dp4 A.row, p) * u + (dp4 B.row, p) * v
//! ```
//!
//! Sums and products round elsewhere then, which GLSL and WGSL leave open for what is not `precise`:
//! exact nodes stay as they are. Needs the blocks that selection makes; what is multiplied out is
//! dead afterwards.

use super::columns::{dot, forward, has_column, scattered};
use super::dce::dce;
use crate::compile::graph::{Base, Block, Component, Components, Graph, Id, Item, components_of, splat};
use crate::isa::Op;

/// Terms of a sum that are looked at, and how deep sums and products go.
const TERMS: usize = 32;
const DEPTH: u32 = 12;

/// Multiplies out products with sums of columns.
pub(super) fn weighted(graph: &mut Graph) {
    if !graph.nodes.iter().any(has_column) {
        return;
    }
    let mut to: Vec<Option<Components>> = vec![None; graph.nodes.len()];
    for block in 0..graph.blocks.len() as Block {
        let mut at = graph.items(block).len();
        let mut inner = vec![false; graph.nodes.len()];
        while at > 0 {
            at -= 1;
            let Item::Node(id) = graph.items(block)[at] else { continue };
            if inner[id as usize] {
                continue;
            }
            let Some(groups) = Expansion::of(graph, block, id, &mut inner) else { continue };
            if !graph.decisions.take() {
                continue;
            }
            let from = graph.nodes.len();
            to[id as usize] = Some(emit(graph, id, &groups));
            let made = (from..graph.nodes.len()).map(|id| Item::Node(id as Id));
            graph.items_mut(block).splice(at..=at, made);
        }
    }
    forward(graph, &to);
    dce(graph);
}

/// A product of a component of a row with some factors.
struct Term {
    /// The row of each component of the result.
    rows: Vec<Base>,
    /// Which component of the rows.
    part: u8,
    /// The others, without signs; at most a component of the vector and a weight.
    factors: Vec<Component>,
    neg: bool,
}

/// Rows times a vector, times a weight.
struct Group {
    rows: Vec<Base>,
    weight: Option<Component>,
    vector: [Option<Component>; 4],
}

/// A product, multiplied out.
type Product = Vec<Component>;

/// What multiplying out goes through.
struct Expansion<'g> {
    graph: &'g Graph,
    here: Vec<bool>,
    /// What was taken apart.
    seen: Vec<Id>,
}

impl Expansion<'_> {
    /// The groups of a sum that is worth it: a product in it has a sum of columns as a factor.
    fn of(graph: &Graph, block: Block, id: Id, inner: &mut [bool]) -> Option<Vec<Group>> {
        let width = graph.node(id).width;
        let mut here = vec![false; graph.nodes.len()];
        for item in graph.items(block) {
            if let Item::Node(id) = item {
                here[*id as usize] = true;
            }
        }
        let mut e = Expansion { graph, here, seen: Vec::new() };
        if width < 2 || !e.has_deep_column(id, DEPTH, false) {
            return None;
        }
        let mut sums = Vec::with_capacity(width.into());
        for part in 0..width {
            let mut products = Vec::new();
            e.expand(vec![Component::new(Base::Node(id), part)], &mut products, DEPTH)?;
            sums.push(products);
        }
        let groups = groups(terms(&sums)?)?;
        for id in e.seen {
            if let Some(inner) = inner.get_mut(id as usize) {
                *inner = true;
            }
        }
        Some(groups)
    }

    fn is_sum(&self, id: Id) -> bool {
        let node = self.graph.node(id);
        let op = matches!(node.op, Some(Op::Add | Op::Mul | Op::Mad));
        op && !node.exact && self.here.get(id as usize) == Some(&true)
    }

    /// Whether a column is among the factors of a node; a `deep` one is a factor of a factor.
    fn has_deep_column(&self, id: Id, depth: u32, is_factor: bool) -> bool {
        if depth == 0 || !self.is_sum(id) {
            return false;
        }
        let node = self.graph.node(id);
        if is_factor && self.is_product(id) {
            return false;
        }
        if is_factor && has_column(node) {
            return true;
        }
        let operand = |k: usize| node.args[k][0].node();
        let below = |k: usize, is_factor: bool| {
            operand(k).is_some_and(|id| self.has_deep_column(id, depth - 1, is_factor))
        };
        match node.op {
            Some(Op::Mul) => below(0, true) || below(1, true),
            Some(Op::Mad) => below(0, true) || below(1, true) || below(2, is_factor),
            _ => below(0, is_factor) || below(1, is_factor),
        }
    }

    /// Whether a sum of columns is a matrix times a vector as it stands: rows have several components in it.
    /// It is a sum of rows already, and may be used as such elsewhere.
    fn is_product(&self, id: Id) -> bool {
        let (mut open, mut parts) = (vec![id], Vec::new());
        while let Some(id) = open.pop() {
            if !self.is_sum(id) || parts.len() > TERMS {
                continue;
            }
            let node = self.graph.node(id);
            let rows = node.args.iter().filter(|arg| scattered(&arg[..usize::from(node.width)]));
            parts.extend(rows.map(|arg| (arg[0].base, arg[0].part)));
            open.extend(node.args.iter().filter_map(|arg| arg[0].node()));
        }
        let differs = |(base, part): &(Base, u8)| parts.iter().any(|(b, p)| b == base && p != part);
        parts.iter().any(differs)
    }

    /// The products of a product with sums in it.
    fn expand(&mut self, product: Product, into: &mut Vec<Product>, depth: u32) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        let is_open = |e: &Self, component: &Component| {
            component.node().is_some_and(|id| e.has_deep_column(id, DEPTH, true) || e.is_sum_of_open(id))
        };
        let Some(at) = product.iter().position(|component| is_open(self, component)) else {
            into.push(product);
            return (into.len() <= TERMS).then_some(());
        };
        let mut rest = product;
        let component = rest.swap_remove(at);
        let (Some(id), part) = (component.node(), usize::from(component.part)) else { return None };
        self.seen.push(id);
        let node = self.graph.node(id);
        let arg = |k: usize| node.args[k][part];
        let with = |more: &[Component]| {
            let mut product = rest.clone();
            product.extend_from_slice(more);
            if let Some(first) = product.last_mut().filter(|_| component.neg) {
                *first = first.negated();
            }
            product
        };
        match node.op {
            Some(Op::Mul) => self.expand(with(&[arg(0), arg(1)]), into, depth),
            Some(Op::Mad) => {
                self.expand(with(&[arg(0), arg(1)]), into, depth)?;
                self.expand(with(&[arg(2)]), into, depth)
            }
            _ => {
                self.expand(with(&[arg(0)]), into, depth)?;
                self.expand(with(&[arg(1)]), into, depth)
            }
        }
    }

    /// Whether a sum or product has such a column somewhere below.
    fn is_sum_of_open(&self, id: Id) -> bool {
        let is_column = || self.is_sum(id) && has_column(self.graph.node(id)) && !self.is_product(id);
        self.has_deep_column(id, DEPTH, false) || is_column()
    }
}

/// The terms of all components side by side: each has a row that differs from component to component,
/// and other factors that do not.
fn terms(sums: &[Vec<Product>]) -> Option<Vec<Term>> {
    let first = sums.first()?;
    if sums.iter().any(|products| products.len() != first.len()) {
        return None;
    }
    (0..first.len()).map(|t| term(&sums.iter().map(|products| &products[t]).collect::<Vec<_>>())).collect()
}

fn term(products: &[&Product]) -> Option<Term> {
    let first = products.first()?;
    if products.iter().any(|product| product.len() != first.len()) {
        return None;
    }
    let is_row = |k: usize| {
        let uniform = |product: &&Product| matches!(product[k].base, Base::Uniform(..));
        products.iter().all(uniform) && products.windows(2).all(|pair| pair[0][k].base != pair[1][k].base)
    };
    let mut rows = (0..first.len()).filter(|k| is_row(*k));
    let (row, None) = (rows.next()?, rows.next()) else { return None };
    let same = |k: usize| products.iter().all(|product| product[k] == first[k]);
    let part = first[row].part;
    let others_agree = (0..first.len()).filter(|k| *k != row).all(same);
    let rows_agree = products.iter().all(|p| p[row].part == part && p[row].neg == first[row].neg);
    let factors = (0..first.len()).filter(|k| *k != row);
    (others_agree && rows_agree).then(|| Term {
        rows: products.iter().map(|product| product[row].base).collect(),
        part,
        factors: factors.map(|k| first[k].plain()).collect(),
        neg: first.iter().fold(false, |neg, component| neg ^ component.neg),
    })
}

/// Terms by their rows.
fn groups(terms: Vec<Term>) -> Option<Vec<Group>> {
    let mut by_rows: Vec<Vec<Term>> = Vec::new();
    for term in terms {
        match by_rows.iter_mut().find(|group| group[0].rows == term.rows) {
            Some(group) => group.push(term),
            None => by_rows.push(vec![term]),
        }
    }
    by_rows.into_iter().map(group).collect()
}

/// A weight is a factor of all terms; what is left is the vector.
fn group(terms: Vec<Term>) -> Option<Group> {
    let first = terms.first()?;
    let is_common = |factor: &&Component| terms.iter().all(|term| term.factors.contains(factor));
    let weighs = terms.iter().any(|term| term.factors.len() > 1);
    let weight = first.factors.iter().find(is_common).copied().filter(|_| weighs);
    let mut vector = [None; 4];
    for term in &terms {
        let mut factors = term.factors.clone();
        if let Some(weight) = weight {
            let at = factors.iter().position(|factor| *factor == weight)?;
            factors.remove(at);
        }
        let factor = match factors[..] {
            [] => Component::constant(1.0),
            [factor] => factor,
            _ => return None,
        };
        let slot = &mut vector[usize::from(term.part)];
        if slot.is_some() {
            return None;
        }
        *slot = Some(if term.neg { factor.negated() } else { factor });
    }
    (terms.len() > 1).then(|| Group { rows: first.rows.clone(), weight, vector })
}

/// The nodes of the groups, and where their sum is.
fn emit(graph: &mut Graph, id: Id, groups: &[Group]) -> Components {
    let (width, span) = (graph.node(id).width, graph.node(id).span);
    let mut sum: Option<Components> = None;
    for group in groups {
        let (op, factors) = dot(group.vector);
        let mut dots = [Component::UNDEF; 4];
        for (component, row) in dots.iter_mut().zip(&group.rows) {
            *component =
                Component::new(Base::Node(graph.add(op, 1, &[factors, components_of(*row)], span)), 0);
        }
        let made = match (sum, group.weight.map(splat)) {
            (None, None) => {
                sum = Some(dots);
                continue;
            }
            (None, Some(weight)) => graph.add(Op::Mul, width, &[dots, weight], span),
            (Some(sum), None) => graph.add(Op::Add, width, &[dots, sum], span),
            (Some(sum), Some(weight)) => graph.add(Op::Mad, width, &[dots, weight, sum], span),
        };
        sum = Some(components_of(Base::Node(made)));
    }
    sum.unwrap_or([Component::UNDEF; 4])
}
