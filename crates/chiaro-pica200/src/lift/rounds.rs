//! Loops as people write them: the test of rounds stands before the body.
//!
//! The machine tests behind a body, and counts down. What reads better, and what a compiler knows, is a loop
//! that counts up and is left from its head:
//!
//! ```text
//! for (k = 0, aL = i.y; k <= i.x; k++, aL += i.z) { ... }
//! ```
//!
//! A head is entered by its LOOP and again from ends of its body alone, else the loop stays as it is.

use super::graph::{Action, Actions, Before, Condition, Graph, Next, Node};
use super::tree::Tree;
use crate::machine::flow::Mark;

/// Turns all loops of a graph that are entered at their heads.
pub(super) fn rounds(graph: &mut Graph) {
    // What became part of its caller is empty.
    if graph.nodes.is_empty() || Tree::of(graph).is_none() {
        return;
    }
    let before = Before::of(graph, 0..graph.nodes.len());
    let turns: Vec<Turn> = (0..graph.nodes.len()).filter_map(|head| Turn::of(graph, &before, head)).collect();
    turns.into_iter().for_each(|turn| turn.apply(graph));
}

/// A loop that can be turned.
struct Turn {
    mark: Mark,
    /// Where its body begins.
    head: usize,
    /// Nodes that lead there: those of LOOP, and those that count another round.
    enters: Vec<usize>,
    again: Vec<usize>,
    /// Nodes that ask whether rounds are left.
    latches: Vec<usize>,
    /// What leaves it when none are.
    leave: Node,
}

impl Turn {
    fn of(graph: &Graph, before: &Before, head: usize) -> Option<Turn> {
        let is_again = |&node: &usize| matches!(graph.nodes[node].actions[..], [Action::Again(_)]);
        let (again, enters): (Vec<usize>, Vec<usize>) = before.ways(head).partition(is_again);
        let Action::Again(mark) = *graph.nodes[*again.first()?].actions.first()? else { return None };
        let is_ours = |&node: &usize| graph.nodes[node].actions.last() == Some(&Action::Enter(mark));
        let is_straight = |&node: &usize| graph.nodes[node].next == Next::Node(head);
        if enters.is_empty() || !enters.iter().all(|node| is_ours(node) && is_straight(node)) {
            return None;
        }
        let (mut latches, mut leave) = (Vec::new(), None);
        for &node in &again {
            let mut ways = before.ways(node);
            let (Some(latch), None) = (ways.next(), ways.next()) else { return None };
            let Next::Either(Condition::Rounds(own), [yes, no]) = graph.nodes[latch].next else {
                return None;
            };
            let way = &graph.nodes[no];
            let is_same = leave.get_or_insert(way) == &way;
            if graph.nodes[node].actions[..] != [Action::Again(mark)]
                || (own, yes) != (mark, node)
                || !is_same
            {
                return None;
            }
            latches.push(latch);
        }
        let leave = leave.filter(|node| matches!(node.actions[..], [Action::Leave { .. }]))?.clone();
        Some(Turn { mark, head, enters, again, latches, leave })
    }

    fn apply(self, graph: &mut Graph) {
        let Turn { mark, head, enters, again, latches, mut leave } = self;
        // What the last round adds to aL it gets before the test.
        leave.actions.retain(|action| matches!(action, Action::Leave { is_inner: true, .. }));
        let (left, test) = (graph.nodes.len(), graph.nodes.len() + 1);
        let next = Next::Either(Condition::More(mark), [head, left]);
        graph.nodes.extend([leave, Node { actions: Actions::new(), next }]);
        for node in enters {
            graph.nodes[node].next = Next::Node(test);
        }
        for (node, latch) in again.into_iter().zip(latches) {
            graph.nodes[latch].next = Next::Node(node);
            graph.nodes[node] = Node { actions: Actions::new(), next: Next::Node(test) };
        }
    }
}
