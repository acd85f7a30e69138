//! From a graph to nested constructs: `if`s, loops and blocks that are left over any number of
//! levels (N. Ramsey, "Beyond Relooper", 2022).
//!
//! The tree of dominators says what stands inside of what. A node that several ways lead to stands
//! behind the construct of its dominator, and every way there is an exit of that construct; a way
//! back is a `continue`. What follows a loop stands behind the loop. A graph that can be entered in
//! the midst of a circle has no such tree: [`Tree::of`] says so.

use super::graph::{Before, Graph};

/// Where nodes stand.
pub(super) struct Tree {
    /// By node: whether ways lead back to it.
    pub(super) is_head: Vec<bool>,
    /// By node: what stands behind its construct, the first first.
    pub(super) behind: Vec<Vec<usize>>,
    /// By head of a loop: what stands behind the loop, the first first.
    pub(super) behind_loop: Vec<Vec<usize>>,
    /// The nodes, each behind its dominator, and by node that.
    pub(super) nodes: Vec<usize>,
    pub(super) dominator: Vec<usize>,
}

/// [`Facts::order`] of a node that nothing leads to.
const NOWHERE: u32 = u32::MAX;

/// The nodes that a walk from the first leaves, the last first.
pub(super) fn ordered(graph: &Graph) -> Vec<usize> {
    let mut seen = vec![false; graph.nodes.len()];
    let mut done = Vec::with_capacity(graph.nodes.len());
    let mut path = Vec::with_capacity(graph.nodes.len());
    path.push((0, graph.after(0)));
    seen[0] = true;
    while let Some((node, after)) = path.last_mut() {
        // The second way first, so that the first one stands first in the end.
        match after.next_back() {
            Some(next) if !seen[next] => {
                seen[next] = true;
                path.push((next, graph.after(next)));
            }
            Some(_) => {}
            None => {
                done.push(*node);
                path.pop();
            }
        }
    }
    done.reverse();
    done
}

/// Facts of a graph that the tree is made from.
struct Facts {
    nodes: Vec<usize>,
    /// By node: its place among them.
    order: Vec<u32>,
    before: Before,
    dominator: Vec<usize>,
}

impl Facts {
    fn of(graph: &Graph) -> Facts {
        let nodes = ordered(graph);
        let mut order = vec![NOWHERE; graph.nodes.len()];
        (0..).zip(&nodes).for_each(|(at, &node)| order[node] = at);
        let before = Before::of(graph, nodes.iter().copied());
        let mut facts = Facts { dominator: vec![usize::MAX; graph.nodes.len()], nodes, order, before };
        facts.dominate();
        facts
    }

    /// K. Cooper, T. Harvey, K. Kennedy, "A Simple, Fast Dominance Algorithm", 2001.
    fn dominate(&mut self) {
        self.dominator[0] = 0;
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for &node in &self.nodes[1..] {
                let known = self.before.ways(node).filter(|&b| self.dominator[b] != usize::MAX);
                let common = known.reduce(|a, b| self.common(a, b)).unwrap_or(0);
                changed |= std::mem::replace(&mut self.dominator[node], common) != common;
            }
        }
    }

    /// The last node that is on all ways to both.
    fn common(&self, mut a: usize, mut b: usize) -> usize {
        while a != b {
            if self.order[a] > self.order[b] {
                a = self.dominator[a];
            } else {
                b = self.dominator[b];
            }
        }
        a
    }

    fn dominates(&self, a: usize, b: usize) -> bool {
        self.common(a, b) == a
    }

    fn is_back(&self, from: usize, to: usize) -> bool {
        self.order[to] <= self.order[from]
    }

    /// Whether some circle can be entered past its head.
    fn is_irreducible(&self) -> bool {
        let back = |&node: &usize| {
            self.before.ways(node).any(|from| self.is_back(from, node) && !self.dominates(node, from))
        };
        self.nodes.iter().any(back)
    }

    /// By node: the head of the innermost loop around it, of a head that of the next one (P. Havlak,
    /// "Nesting of Reducible and Irreducible Loops", 1997).
    fn loops(&self) -> Vec<Option<usize>> {
        let mut around: Vec<Option<usize>> = vec![None; self.order.len()];
        let mut open = Vec::new();
        // Inner heads come later in the order.
        for &head in self.nodes.iter().rev() {
            let back = self.before.ways(head).filter(|&from| self.is_back(from, head));
            open.extend(back.map(|from| outermost(&around, from)));
            while let Some(node) = open.pop() {
                if node == head || around[node].is_some() {
                    continue;
                }
                around[node] = Some(head);
                open.extend(self.before.ways(node).map(|from| outermost(&around, from)));
            }
        }
        around
    }
}

/// The head of the outermost loop that a node is known to be in; else itself.
fn outermost(around: &[Option<usize>], mut node: usize) -> usize {
    while let Some(head) = around[node] {
        node = head;
    }
    node
}

impl Tree {
    /// Of a graph through which one way leads: nothing stands behind a construct, as there is none.
    fn straight(graph: &Graph) -> Tree {
        let next = |&node: &usize| graph.after(node).next();
        let nodes: Vec<usize> = std::iter::successors(Some(0), next).collect();
        let mut dominator = vec![usize::MAX; graph.nodes.len()];
        dominator[0] = 0;
        nodes.windows(2).for_each(|pair| dominator[pair[1]] = pair[0]);
        let none = || std::iter::repeat_with(Vec::new).take(graph.nodes.len()).collect();
        Tree {
            is_head: vec![false; graph.nodes.len()],
            behind: none(),
            behind_loop: none(),
            nodes,
            dominator,
        }
    }

    /// Where the nodes of a graph stand; `None` if circles in it are entered in their midst.
    pub(super) fn of(graph: &Graph) -> Option<Tree> {
        if graph.is_straight() {
            return Some(Tree::straight(graph));
        }
        let facts = Facts::of(graph);
        if facts.is_irreducible() {
            return None;
        }
        let around = facts.loops();
        let is_way_back = |node: usize| facts.before.ways(node).any(|from| facts.is_back(from, node));
        let is_head: Vec<bool> = (0..graph.nodes.len()).map(is_way_back).collect();
        let none = || std::iter::repeat_with(Vec::new).take(graph.nodes.len()).collect::<Vec<_>>();
        let (mut behind, mut behind_loop) = (none(), none());
        for &node in &facts.nodes[1..] {
            let dominator = facts.dominator[node];
            let ways = facts.before.ways(node).filter(|&from| !facts.is_back(from, node));
            match left_loop(&around, &is_head, dominator, node) {
                Some(head) => behind_loop[head].push(node),
                None if ways.count() > 1 => behind[dominator].push(node),
                None => {}
            }
        }
        let Facts { nodes, dominator, .. } = facts;
        Some(Tree { is_head, behind, behind_loop, nodes, dominator })
    }
}

/// The outermost loop around `from` that `to` is outside of.
fn left_loop(around: &[Option<usize>], is_head: &[bool], from: usize, to: usize) -> Option<usize> {
    let loops = |node: usize| {
        let innermost = if is_head[node] { Some(node) } else { around[node] };
        std::iter::successors(innermost, |&head| around[head])
    };
    loops(from).take_while(|head| loops(to).all(|other| other != *head)).last()
}

#[cfg(test)]
mod tests {
    use super::super::graph::{Actions, Condition, Next, Node};
    use super::*;
    use crate::machine::flow::Test;

    fn graph(nodes: &[&[usize]]) -> Graph {
        let next = |to: &&[usize]| match **to {
            [] => Next::End,
            [one] => Next::Node(one),
            [yes, no, ..] => Next::Either(Condition::Test(Test::Always), [yes, no]),
        };
        let nodes = nodes.iter().map(|to| Node { actions: Actions::new(), next: next(to) }).collect();
        Graph { nodes, ..Graph::default() }
    }

    #[test]
    fn what_both_ways_lead_to_stands_behind() {
        // 0 -> 2 -> (3 | 4) -> 5 -> 1
        let tree = Tree::of(&graph(&[&[2], &[], &[3, 4], &[5], &[5], &[1]])).expect("a tree");
        assert_eq!(tree.behind[2], [5]);
        assert!(tree.behind_loop.iter().all(Vec::is_empty));
    }

    #[test]
    fn what_follows_a_loop_stands_behind_it() {
        // 2 is a head; 3 leaves to 1 or goes on to 4, which goes back or leaves both loops to 5.
        let tree = Tree::of(&graph(&[&[2], &[], &[3], &[1, 4], &[2, 5], &[1]])).expect("a tree");
        assert!(tree.is_head[2]);
        assert_eq!(tree.behind_loop[2], [5, 1]);
        // Two loops, one in the other, both left from the inner one.
        let tree = Tree::of(&graph(&[&[2], &[], &[3], &[3, 4], &[2, 1]])).expect("a tree");
        assert_eq!((&tree.behind_loop[3][..], &tree.behind_loop[2][..]), (&[4][..], &[1][..]));
    }

    #[test]
    fn circles_without_a_head_have_no_tree() {
        assert!(Tree::of(&graph(&[&[2], &[], &[3, 4], &[4, 1], &[3]])).is_none());
    }
}
