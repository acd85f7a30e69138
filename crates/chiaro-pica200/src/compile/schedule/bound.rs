//! The fewest words that the operations of a graph can take.
//!
//! The bound holds for these operations, each done once in its block, and for every way to pack, order and place them:
//!
//! - An instruction computes at most four components, by one operation; dot products, functions and comparisons
//!   compute one thing each.
//! - An output register takes a move for every register that its components stand in, and one for values that
//!   something else reads as well: an instruction writes one register.
//! - An instruction names one uniform or number and one input. Instructions that name two have one of them copied;
//!   a set of such pairs that share no register takes a copy each.
//! - Conditions, loops and what leaves them take their words, two indices a MOVA.
//!
//! Subroutines do operations once for several places: a program that has some may take fewer words.

use super::operands::Register;
use crate::compile::graph::{Base, Component, Graph, Id, Item, LANES, operands};
use crate::isa::Op;
use std::collections::HashMap;

/// Indices that a MOVA loads.
const INDICES: usize = 2;

/// The fewest words, END not counted. What is not placed in a block counts for nothing.
pub(crate) fn least_words(graph: &Graph) -> usize {
    let readers = graph.readers();
    let blocks = graph.blocks.iter().map(|items| {
        let moves: usize = items.iter().map(|item| moves(graph, item, &readers)).sum();
        operations(graph, items) + moves + items.iter().map(|item| control(graph, item)).sum::<usize>()
    });
    blocks.sum::<usize>() + copies(graph) + addresses(graph)
}

/// Instructions of the nodes of a block.
fn operations(graph: &Graph, items: &[Item]) -> usize {
    let mut lanes: HashMap<Op, usize> = HashMap::new();
    let mut alone = 0;
    let there = items.iter().filter(|item| !is_empty(graph, item));
    for node in there.filter_map(Item::instruction).map(|id| graph.node(id)) {
        match node.op {
            Some(op) if node.is_each() => *lanes.entry(op).or_default() += usize::from(node.width),
            _ => alone += 1,
        }
    }
    alone + lanes.values().map(|lanes| lanes.div_ceil(LANES)).sum::<usize>()
}

/// Moves that an output takes beside what computes it.
fn moves(graph: &Graph, item: &Item, readers: &[[u32; LANES]]) -> usize {
    let Item::Output(_, parts) = item else { return 0 };
    let mut sources: Vec<Option<(Base, bool)>> = Vec::new();
    for part in parts.iter().flatten() {
        let own =
            parts.iter().flatten().filter(|other| (other.base, other.part) == (part.base, part.part)).count();
        let source = match part.base {
            // A value that an instruction or another output reads too stands in a temporary.
            Base::Node(id)
                if graph.node(id).op.is_none()
                    || readers[id as usize][usize::from(part.part)] as usize > own =>
            {
                None
            }
            Base::Node(_) => continue,
            Base::Const(_) | Base::Undef => Some((Base::Undef, false)),
            base => Some((base, part.neg)),
        };
        if !sources.contains(&source) {
            sources.push(source);
        }
    }
    sources.len()
}

/// Whether an item is a branch to nothing, which takes no words.
fn is_empty(graph: &Graph, item: &Item) -> bool {
    matches!(item, Item::If(_, then, other) if graph.items(*then).is_empty() && graph.items(*other).is_empty())
}

/// Words of a construct beside its comparison.
fn control(graph: &Graph, item: &Item) -> usize {
    match item {
        item if is_empty(graph, item) => 0,
        Item::If(..) | Item::Loop(..) | Item::Break(_) | Item::Emit(_) => 1,
        Item::Node(_) | Item::Output(..) | Item::Assign(..) => 0,
    }
}

/// Copies of uniforms, numbers and inputs: pairs that share none.
fn copies(graph: &Graph) -> usize {
    let mut taken: Vec<Register> = Vec::new();
    let mut count = 0;
    for id in graph.blocks.iter().flatten().filter_map(Item::instruction) {
        let Some([a, b]) = clash(graph, id) else { continue };
        if !taken.contains(&a) && !taken.contains(&b) {
            taken.extend([a, b]);
            count += 1;
        }
    }
    count
}

/// Two things that an instruction names and cannot.
fn clash(graph: &Graph, id: Id) -> Option<[Register; 2]> {
    let node = graph.node(id);
    let count = node.op.map_or(0, operands);
    let named: Vec<Register> = (0..count).filter_map(|k| named(&node.args[k][..node.reads(k)])).collect();
    let is_input = |n: &Register| matches!(n, Register::Input(_));
    let wide: Vec<Register> = named.iter().filter(|n| !is_input(n)).copied().collect();
    let inputs: Vec<Register> = named.iter().filter(|n| is_input(n)).copied().collect();
    match (&wide[..], &inputs[..]) {
        ([a, b, ..], _) => Some([*a, *b]),
        (_, [a, rest @ ..]) => rest.iter().find(|b| *b != a).map(|b| [*a, *b]),
        _ => None,
    }
}

/// What an operand names if all its components do.
fn named(components: &[Component]) -> Option<Register> {
    let first = Register::of(*components.first()?)?;
    components.iter().all(|component| Register::of(*component) == Some(first)).then_some(first)
}

/// MOVAs of the indices.
fn addresses(graph: &Graph) -> usize {
    let mut all: Vec<Component> = Vec::new();
    for component in &graph.addresses {
        if !all.contains(component) {
            all.push(*component);
        }
    }
    all.len().div_ceil(INDICES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::graph::parse::parse;

    fn least(text: &str) -> usize {
        least_words(&parse(text).expect("a graph"))
    }

    #[test]
    fn components_of_one_operation_share_instructions() {
        let text = "b0:\n  n0.xyz = mul v0.xyz, c0.xyz\n  n1.x = mul v0.w, c1.x\n  n2.x = add n0.x, n1.x\n  \
                    o0 = {n2.x n0.y . .}";
        // Whether the products of an output and of a temporary can is not asked.
        assert_eq!(least(text), 2);
    }

    #[test]
    fn a_copy_serves_all_that_lack_it() {
        let text = "b0:\n  n0.x = mul c0.x, c1.x\n  n1.x = add c0.x, c2.x\n  o0 = {n0.x n1.x 1.0 .}";
        assert_eq!(least(text), 4);
    }

    /// One instruction writes a value to several components of an output.
    #[test]
    fn an_output_may_name_a_value_twice() {
        assert_eq!(least("b0:\n  n0.x = mul v0.x, c0.x\n  o0 = {n0.x n0.x . .}"), 1);
        assert_eq!(least("b0:\n  n0.x = mul v0.x, c0.x\n  o0 = {n0.x . . .}\n  o1 = {n0.x . . .}"), 3);
    }

    #[test]
    fn dot_products_are_alone_and_outputs_take_moves() {
        let text = "b0:\n  n0.x = dp4 v0.xyzw, c0.xyzw\n  n1.x = dp4 v0.xyzw, c1.xyzw\n  \
                    o0 = {n0.x n1.x v1.x -v1.y}";
        assert_eq!(least(text), 4);
    }
}
