//! Reassociates products of matrices: (A B) v becomes A (B v).
//!
//! A row of (A B) v is the sum over j of (sum over k of a_k b_kj) v_j. Where a_k is a factor of
//! every inner sum, the row is the sum over k of a_k (sum over j of b_kj v_j), and what is in
//! the brackets is the same for all rows.
//!
//! ```text
//! before  16 products for each column of A B, 16 for its product with v: 80 for two 4x4
//! after   16 for B v, 16 for A (B v)
//! ```

use std::collections::HashMap;

use super::group::{Inner, Plan, other_factor, rebuild};
use super::sums::Sums;
use crate::compile::graph::{Graph, Node, Operand};

/// A product of a sum of products: v and the inner products.
struct Outer {
    by: Node,
    products: Vec<([Node; 2], bool)>,
}

/// The block with its sums regrouped where several share what is in the brackets.
pub(super) fn regroup(graph: &Graph) -> Option<Graph> {
    let sums = Sums::new(graph);
    let roots = (0..graph.nodes().len() as u32).map(Node).filter(|&node| sums.is_root(node));
    let mut plans: Vec<Plan> = roots.filter_map(|root| plan(&sums, root)).collect();
    let mut shared: HashMap<Inner, u32> = HashMap::new();
    for (_, inner) in plans.iter().flat_map(|plan| &plan.groups) {
        *shared.entry(inner.clone()).or_default() += 1;
    }
    plans.retain(|plan| plan.groups.iter().all(|(_, inner)| shared.get(inner).is_some_and(|&n| n > 1)));
    (!plans.is_empty()).then(|| rebuild(graph, &plans))
}

fn plan(sums: &Sums<'_>, root: Node) -> Option<Plan> {
    let (mut outers, mut rest) = (Vec::new(), Vec::new());
    for term in sums.terms(root) {
        match outer(sums, term) {
            Some(outer) => outers.push(outer),
            None => rest.push(term),
        }
    }
    let first = outers.first().filter(|_| outers.len() > 1)?;
    if outers.iter().any(|outer| outer.products.len() != first.products.len()) {
        return None;
    }
    let mut groups = Vec::new();
    for (factors, _) in &first.products {
        let (factor, mut inner) = factors.iter().find_map(|&f| Some((f, take(&outers, f)?)))?;
        // A term without v: the vector's last component is 1.
        let alone = rest.iter().position(|&term| other_factor(sums, term, factor).is_some());
        if let Some((other, neg)) = alone.and_then(|at| other_factor(sums, rest.swap_remove(at), factor)) {
            inner.push((other, None, neg));
        }
        inner.sort_unstable();
        groups.push((factor, inner));
    }
    let distinct = groups.iter().enumerate().all(|(i, (f, _))| groups[..i].iter().all(|(g, _)| f != g));
    distinct.then_some(Plan { root, groups, rest })
}

/// A term that is a sum of products times something, if nothing else needs its parts.
fn outer(sums: &Sums<'_>, term: Operand) -> Option<Outer> {
    let ([a, b], neg) = sums.product(term)?;
    [(a, b), (b, a)].into_iter().find_map(|(sum, by)| {
        let terms = sums.own_terms(sum)?;
        let products = terms.into_iter().map(|term| sums.product(term));
        let turned = products.map(|product| product.map(|(factors, own)| (factors, own != neg)));
        Some(Outer { by, products: turned.collect::<Option<_>>()? })
    })
}

/// What a factor is multiplied with in every outer product; `None` if it is missing in one.
fn take(outers: &[Outer], factor: Node) -> Option<Inner> {
    let of = |outer: &Outer| {
        outer.products.iter().find_map(|&(factors, neg)| match factors {
            [a, b] if a == factor => Some((b, Some(outer.by), neg)),
            [a, b] if b == factor => Some((a, Some(outer.by), neg)),
            _ => None,
        })
    };
    outers.iter().map(of).collect()
}
