//! Sums of products, taken apart.

use crate::compile::graph::{Base, Component, Components, Graph, Id, LANES};
use crate::isa::Op;

/// Terms of one sum that are looked at.
pub(super) const TERMS: usize = 16;

/// A sum, taken apart for one component.
#[derive(Default)]
pub(super) struct Sum {
    pub(super) products: Vec<(Component, Component)>,
    pub(super) addends: Vec<Component>,
}

/// The product that components are of, and its factors for them, the sign of each with its first one.
pub(super) fn factors(graph: &Graph, components: &[Component]) -> Option<(Id, [Components; 2])> {
    let (id, _) = one_node(components)?;
    let product = graph.node(id);
    let mut args = [[Component::UNDEF; LANES]; 2];
    for (i, component) in components.iter().enumerate() {
        let [a, b] = [0, 1].map(|k| product.args[k][usize::from(component.part)]);
        (args[0][i], args[1][i]) = (if component.neg { a.negated() } else { a }, b);
    }
    (product.op == Some(Op::Mul)).then_some((id, args))
}

/// The node that all components are of, and their sign.
pub(super) fn one_node(components: &[Component]) -> Option<(Id, bool)> {
    let first = components.first()?;
    let id = first.node()?;
    components.iter().all(|c| c.node() == Some(id) && c.neg == first.neg).then_some((id, first.neg))
}

/// The terms of one component of a sum, through sums and products that nothing else uses.
pub(super) fn take_apart(
    graph: &Graph,
    root: Id,
    component: u8,
    counts: &[u32],
    absorbed: &mut [bool],
) -> Option<Sum> {
    let mut sum = Sum::default();
    let mut open = vec![Component::new(Base::Node(root), component)];
    while let Some(component) = open.pop() {
        if sum.products.len() + sum.addends.len() + open.len() > TERMS {
            return None;
        }
        let inside = |id: &Id| *id == root || counts.get(*id as usize) == Some(&1);
        let Some(id) = component.node().filter(inside) else {
            sum.addends.push(component);
            continue;
        };
        let node = graph.node(id);
        let part = usize::from(component.part);
        let arg = |k: usize| node.args[k][part];
        let signed = |l: Component| if component.neg { l.negated() } else { l };
        match node.op {
            Some(Op::Add) => open.extend([signed(arg(1)), signed(arg(0))]),
            Some(Op::Mul) => sum.products.push((signed(arg(0)), arg(1))),
            Some(Op::Mad) => {
                sum.products.push((signed(arg(0)), arg(1)));
                open.push(signed(arg(2)));
            }
            _ => {
                sum.addends.push(component);
                continue;
            }
        }
        if let Some(absorbed) = absorbed.get_mut(id as usize) {
            *absorbed = true;
        }
    }
    Some(sum)
}
