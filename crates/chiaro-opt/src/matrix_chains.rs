//! Products of matrices and a vector, from the vector's end.
//!
//! `projection * view * position` says, read from left to right, that two matrices are multiplied
//! for every vertex: n^3 products, where `projection * (view * position)` takes 2 n^2. A matrix is
//! its columns here, so the rule is one about sums:
//!
//! ```text
//! sum over j of (sum over k of A[k] * B[j].k) * v.j   ->   sum over k of A[k] * (sum over j of B[j] * v.j).k
//! ```
//!
//! A column that is not multiplied (the last one of an affine product) counts as one times 1, and of
//! columns that are cut (`mat3(view * model) * normal`) the parts are. Sums that something else reads too
//! stay: the product is needed anyway. Languages leave the order open where nothing is `precise`
//! ([`Assumptions::reassociate`](crate::Assumptions)).

use crate::reassociate::leaves;
use crate::rules::{Asks, Node, Rewriter, apply};
use crate::simplify::{Repeated, repeated};
use crate::{Changed, Cx};
use chiaro_ir::{FunctionRef, Module, Op, Ty, Value};

/// Matrices in one product that are followed; each takes a round.
const LONGEST: usize = 8;

/// Multiplies vectors before matrices.
pub fn matrix_chains(module: &mut Module, f: FunctionRef, cx: &mut Cx<'_>) -> Changed {
    let rounds = (0..LONGEST).take_while(|_| apply(module, f, cx, Asks::Nothing, rule)).count();
    (rounds > 0).into()
}

fn rule(w: &mut Rewriter<'_>, n: &Node) -> Option<Value> {
    let is_sum = n.op == Op::FAdd && w.module.types.components(n.ty) > 1;
    if !is_sum || !w.assume(n).reassociate || w.is_inner(n) {
        return None;
    }
    let mut sum = Sum::default();
    leaves(w, n).into_iter().for_each(|leaf| sum.add(w, leaf));
    let (chain, mut terms) = sum.chain()?;
    let inner = chain.multiplied(w, n);
    for column in chain.columns {
        let factor = w.make_as(n, Op::Extract(column.part.into()), &[inner], w.module.types.scalar(n.ty));
        let from = column.cut(w, n);
        terms.push(times(w, n, from, factor, n.ty));
    }
    added(w, n, &terms, n.ty)
}

/// A column of the outer matrix, and the component of the inner vectors that it is multiplied with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Column {
    part: u8,
    from: Value,
    /// The parts that are read of it.
    parts: Option<[u8; 4]>,
}

impl Column {
    /// The column as the sum reads it.
    fn cut(self, w: &mut Rewriter<'_>, n: &Node) -> Value {
        match self.parts {
            Some(parts) => w.make_as(n, Op::Shuffle(parts), &[self.from, self.from], n.ty),
            None => self.from,
        }
    }
}

/// A vector times the outer matrix, times a factor.
#[derive(Clone, Debug)]
struct Product {
    vector: Value,
    factor: Option<Repeated>,
    columns: Vec<Column>,
    /// The terms of the sum that it is, where it is not multiplied as a whole.
    leaves: Vec<Value>,
}

/// A sum, as far as it consists of products with a matrix.
#[derive(Debug, Default)]
struct Sum {
    products: Vec<Product>,
    rest: Vec<Value>,
}

impl Sum {
    fn add(&mut self, w: &Rewriter<'_>, leaf: Value) {
        let Some((column, factor)) = scaled(w, leaf) else { return self.rest.push(leaf) };
        if let Some((vector, columns)) = columns(w, column) {
            return self.products.push(Product { vector, factor: Some(factor), columns, leaves: vec![leaf] });
        }
        let Some((vector, part)) = part_of(w, factor) else { return self.rest.push(leaf) };
        let column = Column { part, from: column, parts: None };
        let open = self.products.iter_mut().find(|p| p.factor.is_none() && p.vector == vector);
        match open {
            Some(product) => {
                product.columns.push(column);
                product.leaves.push(leaf);
            }
            None => {
                let (columns, leaves) = (vec![column], vec![leaf]);
                self.products.push(Product { vector, factor: None, columns, leaves });
            }
        }
    }

    /// The products with one matrix, of which something is left to multiply first, and the other
    /// terms.
    fn chain(mut self) -> Option<(Chain, Vec<Value>)> {
        self.products.iter_mut().for_each(|product| product.columns.sort_by_key(|column| column.part));
        let columns = self.products.iter().find(|product| product.factor.is_some())?.columns.clone();
        let (inner, others): (Vec<Product>, _) =
            self.products.into_iter().partition(|product| product.columns == columns);
        let mut rest = self.rest;
        rest.extend(others.into_iter().flat_map(|product| product.leaves));
        (inner.len() > 1).then_some((Chain { inner, columns }, rest))
    }
}

/// Vectors with their factors, and the matrix that their sum is multiplied with.
#[derive(Debug)]
struct Chain {
    inner: Vec<Product>,
    columns: Vec<Column>,
}

impl Chain {
    /// The sum of the vectors times their factors.
    fn multiplied(&self, w: &mut Rewriter<'_>, n: &Node) -> Value {
        let ty = w.ty(self.inner[0].vector);
        let mut terms = Vec::with_capacity(self.inner.len());
        for product in &self.inner {
            let term = match product.factor {
                None => product.vector,
                Some(factor) => {
                    let factor = scalar(w, n, factor);
                    times(w, n, product.vector, factor, ty)
                }
            };
            terms.push(term);
        }
        added(w, n, &terms, ty).unwrap_or(terms[0])
    }
}

/// A vector, and what all its components are multiplied with.
fn scaled(w: &Rewriter<'_>, v: Value) -> Option<(Value, Repeated)> {
    let [a, b, ..] = w.loose(v, Op::FMul).filter(|_| w.used_once(v))?;
    repeated(w, b).map(|factor| (a, factor)).or_else(|| repeated(w, a).map(|factor| (b, factor)))
}

/// The component of a vector that a factor is.
fn part_of(w: &Rewriter<'_>, factor: Repeated) -> Option<(Value, u8)> {
    match factor {
        Repeated::Part(vector, part) => Some((vector, part)),
        Repeated::Scalar(scalar) => match w.made_by(scalar)? {
            (Op::Extract(part), [vector, ..]) if w.components(vector) > 1 => Some((vector, part as u8)),
            _ => None,
        },
    }
}

/// A sum of columns, each times a component of one vector; `None` of any other sum.
fn columns(w: &Rewriter<'_>, v: Value) -> Option<(Value, Vec<Column>)> {
    if !w.used_once(v) {
        return None;
    }
    let (sum, parts) = match w.made_by(v)? {
        (Op::Shuffle(parts), [whole, other, ..]) if whole == other && w.uses(whole) <= 2 => {
            let (read, own) = (usize::from(w.components(v)), w.components(whole));
            (Some(whole).filter(|_| parts[..read].iter().all(|&part| part < own))?, Some(parts))
        }
        _ => (v, None),
    };
    let (mut vector, mut columns) = (None, Vec::new());
    for leaf in leaves(w, &w.node_of(sum, Op::FAdd)?) {
        let (from, factor) = scaled(w, leaf)?;
        let (of, part) = part_of(w, factor)?;
        if *vector.get_or_insert(of) != of {
            return None;
        }
        columns.push(Column { part, from, parts });
    }
    Some((vector?, columns))
}

fn scalar(w: &mut Rewriter<'_>, n: &Node, factor: Repeated) -> Value {
    match factor {
        Repeated::Scalar(scalar) => scalar,
        Repeated::Part(vector, part) => {
            let ty = w.module.types.scalar(n.ty);
            w.make_as(n, Op::Extract(part.into()), &[vector], ty)
        }
    }
}

/// A vector times a scalar.
fn times(w: &mut Rewriter<'_>, n: &Node, vector: Value, factor: Value, ty: Ty) -> Value {
    let splat = w.make_as(n, Op::Construct, &[factor], ty);
    w.make_as(n, Op::FMul, &[vector, splat], ty)
}

/// The sum of terms, from left to right.
fn added(w: &mut Rewriter<'_>, n: &Node, terms: &[Value], ty: Ty) -> Option<Value> {
    let (&first, others) = terms.split_first()?;
    Some(others.iter().fold(first, |sum, &term| w.make_as(n, Op::FAdd, &[sum, term], ty)))
}
