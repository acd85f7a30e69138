//! Procedures: pieces of the graph that a call enters and that are left to one place, wherever they are
//! called from.
//!
//! The stacks decide what a call reaches, so that a procedure is found in the graph, where all their quirks are
//! edges: it is the nodes behind a call that stand deeper in the stack of calls than the call does. Two calls
//! have the same procedure if these nodes do the same. One that is called once stays where it is.

use rustc_hash::FxHashMap;

use super::graph::{Action, Actions, Condition, END, Graph, Next, Node};
use crate::machine::flow::{Mark, Open};

/// What several calls have in common.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Procedure {
    /// As that of a program: it returns where a program ends.
    pub(super) graph: Graph,
    /// Calls that are left of it; there is none of one that became part of its caller.
    pub(super) calls: usize,
}

/// Takes out of a graph what is called more than once. A procedure calls those before it alone.
pub(super) fn procedures(graph: &mut Graph) -> Vec<Procedure> {
    if graph.sites.is_empty() {
        return Vec::new();
    }
    let mut finder = Finder::new(graph);
    let mut sites = std::mem::take(&mut finder.graph.sites);
    // The innermost first, so that calls within a procedure are found out when it is looked at.
    sites.sort_by_key(|&(node, _)| std::cmp::Reverse(finder.graph.open[node].calls));
    for (node, entry) in sites {
        finder.take(node, entry);
    }
    let Finder { found, .. } = finder;
    let mut all: Vec<Procedure> = found.into_iter().map(|graph| Procedure { graph, calls: 0 }).collect();
    *graph = piece(graph, 0, None);
    count(graph, &mut all);
    for at in 0..all.len() {
        let (before, rest) = all.split_at_mut(at);
        put_back(&mut rest[0].graph, before);
    }
    put_back(graph, &mut all);
    all
}

/// Counts calls.
fn count(graph: &Graph, all: &mut [Procedure]) {
    let inner: Vec<usize> = all.iter().flat_map(|procedure| called(&procedure.graph)).collect();
    called(graph).chain(inner).for_each(|n| all[n].calls += 1);
}

/// The procedures that a graph calls.
pub(super) fn called(graph: &Graph) -> impl Iterator<Item = usize> {
    let actions = graph.nodes.iter().flat_map(|node| &node.actions);
    actions.filter_map(|action| match action {
        Action::Call { procedure, .. } => Some(*procedure),
        _ => None,
    })
}

/// Puts what is called once in the place of its call.
fn put_back(graph: &mut Graph, all: &mut [Procedure]) {
    for node in 0..graph.nodes.len() {
        let (&[Action::Call { procedure: n, .. }], Next::Node(join)) =
            (&graph.nodes[node].actions[..], graph.nodes[node].next)
        else {
            continue;
        };
        if all[n].calls > 1 {
            continue;
        }
        all[n].calls = 0;
        let body = std::mem::take(&mut all[n].graph);
        let ahead = graph.nodes.len() - 2;
        let moved = |to: usize| if to == END { join } else { to + ahead };
        graph.nodes[node] = Node { actions: Actions::new(), next: body.nodes[0].next.map(moved) };
        let nodes = body.nodes.into_iter().skip(2);
        graph.nodes.extend(nodes.map(|node| Node { next: node.next.map(moved), ..node }));
    }
}

struct Finder<'g> {
    graph: &'g mut Graph,
    /// By node: those that lead to it.
    before: Vec<Vec<usize>>,
    found: Vec<Graph>,
    known: FxHashMap<Vec<Node>, usize>,
    /// By node: the search that came to it last; and the one that runs.
    round: Vec<u32>,
    now: u32,
}

impl<'g> Finder<'g> {
    fn new(graph: &'g mut Graph) -> Self {
        let mut before = vec![Vec::new(); graph.nodes.len()];
        for node in 0..graph.nodes.len() {
            graph.after(node).for_each(|next| before[next].push(node));
        }
        let round = vec![0; graph.nodes.len()];
        Finder { graph, before, found: Vec::new(), known: FxHashMap::default(), round, now: 0 }
    }

    /// Makes a call of what a node enters, if that is a procedure.
    fn take(&mut self, node: usize, entry: usize) {
        let Some((inside, join)) = self.inside(node, entry) else { return };
        let body = piece(self.graph, entry, Some(join));
        if !is_closed(&body) {
            return;
        }
        let new = self.found.len();
        let n = *self.known.entry(body.nodes.clone()).or_insert(new);
        if n == new {
            self.found.push(body);
        }
        let call = self.graph.nodes.len();
        let call_action = Action::Call { procedure: n, at: last_word(&self.graph.nodes[node]) };
        self.graph.nodes.push(Node { actions: Actions::from_iter([call_action]), next: Next::Node(join) });
        self.graph.open.push(self.graph.open[node]);
        let next = &mut self.graph.nodes[node].next;
        *next = next.map(|to| if to == entry { call } else { to });
        self.before[join].retain(|from| inside.binary_search(from).is_err());
        self.before[join].push(call);
        self.before.push(vec![node]);
        self.round.push(0);
    }

    /// The nodes that a call enters, in order, and the one to which all of them lead in the end; `None` if
    /// there are several, or none, if something else leads into them, or if loops are open there that were not before.
    fn inside(&mut self, site: usize, entry: usize) -> Option<(Vec<usize>, usize)> {
        let open = self.graph.open[site];
        self.now += 1;
        let (mut inside, mut at, mut join) = (vec![entry], 0, None);
        self.round[entry] = self.now;
        while let Some(&node) = inside.get(at) {
            at += 1;
            for next in self.graph.after(node) {
                if self.graph.open[next].calls <= open.calls {
                    if join.replace(next).is_some_and(|other| other != next) {
                        return None;
                    }
                } else if std::mem::replace(&mut self.round[next], self.now) != self.now {
                    inside.push(next);
                }
            }
        }
        let is_from_here = |&node: &usize| {
            let is_inside = |from: &usize| self.round[*from] == self.now;
            self.before[node].iter().all(|from| is_inside(from) || (node == entry && *from == site))
        };
        let is_alone = inside.iter().all(is_from_here);
        inside.sort_unstable();
        // What ends there leaves nothing open.
        let is_even = |&join: &usize| join == END || self.graph.open[join].loops == open.loops;
        join.filter(is_even).filter(|_| is_alone).map(|join| (inside, join))
    }
}

/// Whether a piece counts the rounds of its own loops alone, and hands no vertex on: what geometry programs
/// keep for that belongs to the whole.
fn is_closed(body: &Graph) -> bool {
    let opened: Vec<Mark> = body.nodes.iter().flat_map(|node| &node.actions).filter_map(entered).collect();
    let is_own = |mark: &Mark| opened.contains(mark);
    body.nodes.iter().all(|node| {
        let counts = match &node.next {
            Next::Either(Condition::Rounds(mark) | Condition::More(mark), _) => is_own(mark),
            _ => true,
        };
        counts
            && node.actions.iter().all(|action| match action {
                Action::Again(mark) | Action::Leave { mark, .. } => is_own(mark),
                Action::Emit | Action::SetEmit { .. } => false,
                Action::Lines(_) | Action::Enter(_) | Action::Call { .. } => true,
            })
    })
}

/// The last of a node's words.
fn last_word(node: &Node) -> usize {
    let ends =
        node.actions.iter().map(|action| if let Action::Lines(lines) = action { *lines.end() } else { 0 });
    ends.max().unwrap_or_default()
}

fn entered(action: &Action) -> Option<Mark> {
    match action {
        Action::Enter(mark) => Some(*mark),
        _ => None,
    }
}

/// The number of a node that has none yet.
const NONE: usize = usize::MAX;

/// A piece of a graph, numbered in the order of a walk from where it is entered; what leads to `join` ends.
fn piece(graph: &Graph, entry: usize, join: Option<usize>) -> Graph {
    let mut numbers = vec![NONE; graph.nodes.len()];
    (numbers[END], numbers[entry]) = (END, 2);
    join.into_iter().for_each(|join| numbers[join] = END);
    let (mut list, mut at) = (vec![entry], 0);
    while let Some(&node) = list.get(at) {
        at += 1;
        for next in graph.after(node) {
            if numbers[next] == NONE {
                list.push(next);
                numbers[next] = list.len() + 1;
            }
        }
    }
    let end = Node { actions: Actions::new(), next: Next::End };
    let mut nodes = vec![Node { next: Next::Node(2), ..end.clone() }, end];
    nodes.extend(list.iter().map(|&node| {
        let Node { actions, next } = &graph.nodes[node];
        Node { actions: actions.clone(), next: next.map(|to| numbers[to]) }
    }));
    Graph { open: vec![Open::default(); nodes.len()], nodes, sites: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nodes by what they do (a line each, 0 for nothing) and where they lead, with the calls that are open.
    fn graph(nodes: &[(usize, u8, &[usize])], sites: &[(usize, usize)]) -> Graph {
        let node = |&(line, _, to): &(usize, u8, &[usize])| Node {
            actions: (line > 0).then_some(Action::Lines(line..=line)).into_iter().collect(),
            next: match *to {
                [] => Next::End,
                [one] => Next::Node(one),
                [yes, no, ..] => Next::Either(Condition::Rounds(Mark { place: 0, int: 0 }), [yes, no]),
            },
        };
        Graph {
            nodes: nodes.iter().map(node).collect(),
            open: nodes.iter().map(|&(_, calls, _)| Open { calls, loops: 0 }).collect(),
            sites: sites.to_vec(),
        }
    }

    fn calls(graph: &Graph) -> Vec<usize> {
        called(graph).collect()
    }

    #[test]
    fn what_is_called_twice_is_one_procedure() {
        // 0 -> 2 calls 3 -> 4 calls 5 -> 1; 3 and 5 are line 9.
        let nodes: &[(usize, u8, &[usize])] =
            &[(0, 0, &[2]), (0, 0, &[]), (1, 0, &[3]), (9, 1, &[4]), (2, 0, &[5]), (9, 1, &[1])];
        let mut main = graph(nodes, &[(2, 3), (4, 5)]);
        let all = procedures(&mut main);
        assert_eq!((all.len(), all[0].calls, calls(&main)), (1, 2, vec![0, 0]));
        assert_eq!(all[0].graph.nodes[2].actions[..], [Action::Lines(9..=9)]);
        // Another line makes two of it, and neither is left.
        let mut other = nodes.to_vec();
        other[5].0 = 8;
        let mut main = graph(&other, &[(2, 3), (4, 5)]);
        let all = procedures(&mut main);
        assert_eq!((all.iter().map(|p| p.calls).sum::<usize>(), calls(&main)), (0, Vec::new()));
    }

    #[test]
    fn what_is_entered_or_left_elsewhere_is_none() {
        // 2 and 4 call line 9, of which the first leads to the end as well; then 6 jumps into the second.
        let two_ends: &[(usize, u8, &[usize])] =
            &[(0, 0, &[2]), (0, 0, &[]), (1, 0, &[3]), (9, 1, &[4, 1]), (2, 0, &[5]), (9, 1, &[1])];
        let two_ways: &[(usize, u8, &[usize])] = &[
            (0, 0, &[6]),
            (0, 0, &[]),
            (1, 0, &[3]),
            (9, 1, &[4]),
            (2, 0, &[5]),
            (9, 1, &[1]),
            (3, 0, &[2, 5]),
        ];
        for nodes in [two_ends, two_ways] {
            let mut main = graph(nodes, &[(2, 3), (4, 5)]);
            assert!(procedures(&mut main).iter().all(|p| p.calls == 0));
            assert!(calls(&main).is_empty());
        }
    }

    #[test]
    fn loops_do_not_outlive_the_call() {
        let nodes: &[(usize, u8, &[usize])] = &[
            (0, 0, &[2]),
            (0, 0, &[]),
            (1, 0, &[3]),
            (9, 1, &[4]),
            (2, 0, &[5]),
            (9, 1, &[6]),
            (3, 0, &[1]),
        ];
        let mut even = graph(nodes, &[(2, 3), (4, 5)]);
        assert_eq!(procedures(&mut even)[0].calls, 2);
        let mut open = graph(nodes, &[(2, 3), (4, 5)]);
        open.open[6].loops = 1;
        assert!(procedures(&mut open).iter().all(|procedure| procedure.calls == 0));
    }

    #[test]
    fn rounds_of_a_loop_outside_are_counted_outside() {
        let nodes: &[(usize, u8, &[usize])] = &[
            (0, 0, &[2]),
            (0, 0, &[]),
            (1, 0, &[3]),
            (9, 1, &[4, 5]),
            (0, 1, &[6]),
            (0, 1, &[6]),
            (2, 0, &[7]),
            (9, 1, &[8, 9]),
            (0, 1, &[1]),
            (0, 1, &[1]),
        ];
        let sites = [(2, 3), (6, 7)];
        assert!(procedures(&mut graph(nodes, &sites)).is_empty());
        let mut own = graph(nodes, &sites);
        for entry in [3, 7] {
            own.nodes[entry].actions.push(Action::Enter(Mark { place: 0, int: 0 }));
        }
        assert_eq!(procedures(&mut own)[0].calls, 2);
    }
}
