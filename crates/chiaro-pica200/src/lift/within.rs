//! What constructs write: what of a program's variables a value has to be handed on of where a construct is left.

use super::graph::{Condition, Graph, Next};
use super::live::{Needs, Set, again};
use super::tree::Tree;

/// By node: what is written by what stands where.
#[derive(Default)]
pub(super) struct Within {
    /// In the branches of its construct.
    pub(super) branches: Vec<Set>,
    /// By itself, in its construct and by what stands behind it; of the head of a loop: in the loop.
    pub(super) inner: Vec<Set>,
    /// The same, and behind the loop.
    pub(super) whole: Vec<Set>,
}

impl Within {
    /// Inner nodes stand behind their dominators, so that they are done first.
    pub(super) fn of(graph: &Graph, tree: &Tree, needs: &Needs) -> Within {
        let none = vec![Set::default(); graph.nodes.len()];
        let mut within = Within { branches: none.clone(), inner: none.clone(), whole: none };
        let mut is_behind = vec![false; graph.nodes.len()];
        tree.behind.iter().chain(&tree.behind_loop).flatten().for_each(|&node| is_behind[node] = true);
        for &node in tree.nodes.iter().rev() {
            let mut inner = needs.writes[node] | within.branches[node] | within.all(&tree.behind[node]);
            if let Next::Either(Condition::More(mark), _) = graph.nodes[node].next {
                inner = inner | again(mark);
            }
            within.inner[node] = inner;
            within.whole[node] = inner | within.all(&tree.behind_loop[node]);
            let dominator = tree.dominator[node];
            if !is_behind[node] && dominator != node {
                within.branches[dominator] = within.branches[dominator] | within.whole[node];
            }
        }
        within
    }

    /// What some nodes write that stand one behind the other.
    pub(super) fn all(&self, nodes: &[usize]) -> Set {
        nodes.iter().fold(Set::default(), |set, &node| set | self.whole[node])
    }
}
