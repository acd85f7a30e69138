//! The control flow graph of a program, exactly as its stacks steer it (spec section 12).
//!
//! A place in it is a word together with the stacks as they are there, as far as the words decide
//! them ([`Shape`]): procedures appear once for each way in which they are called, and every quirk
//! of the stacks is an edge like any other.

use std::ops::RangeInclusive;

use arrayvec::ArrayVec;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::{Note, TooLarge};
use crate::machine::Program;
use crate::machine::flow::{Flow, Mark, Open, Place, Round, Shape, Test};
use crate::machine::program::MOST_WORDS;

/// Nodes that a program may take: so many, and so many for each of its words. Programs that were
/// written for the machine take about one for each straight run; hostile ones call procedures that
/// call procedures.
const NODES: [usize; 2] = [256, 16];

/// Something that a node does.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Action {
    /// The micro-ops of some lines.
    Lines(RangeInclusive<usize>),
    /// Opens a loop: aL is kept and set, the rounds are read.
    Enter(Mark),
    /// Counts another round and goes on with aL.
    Again(Mark),
    /// Goes on with aL once more; an enclosing loop gets its own back.
    Leave {
        /// The loop.
        mark: Mark,
        /// Whether a loop encloses it.
        is_inner: bool,
    },
    /// Calls a procedure that has been taken out of the graph.
    Call {
        /// Its number.
        procedure: usize,
        /// The word that does.
        at: usize,
    },
    /// Hands a vertex on.
    Emit,
    /// Says what the next ones are.
    SetEmit {
        /// Its number.
        vertex: u8,
        /// Whether a triangle is complete with it.
        sends: bool,
        /// Whether that has its first two vertices exchanged.
        turns: bool,
    },
}

/// What a node does in order: words, and what the last of them does besides.
pub(super) type Actions = ArrayVec<Action, 2>;

/// What decides where a node leads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Condition {
    /// Flags or a boolean uniform.
    Test(Test),
    /// Whether rounds of a loop are left behind one.
    Rounds(Mark),
    /// Whether a loop has another round, asked before it. The way back counts it, and goes on with aL.
    More(Mark),
}

/// How a node ends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Next {
    /// The program has ended.
    End,
    /// With another one.
    Node(usize),
    /// With one of two, which differ: the first if the condition holds.
    Either(Condition, [usize; 2]),
}

impl Next {
    /// The same with other numbers.
    pub(super) fn map(self, number: impl Fn(usize) -> usize) -> Next {
        match self {
            Next::End => Next::End,
            Next::Node(to) => Next::Node(number(to)),
            Next::Either(condition, ways) => Next::Either(condition, ways.map(number)),
        }
    }
}

/// A straight piece of the program.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Node {
    pub(super) actions: Actions,
    pub(super) next: Next,
}

impl Node {
    /// The first of its words; 0 of a node without any.
    pub(super) fn word(&self) -> u16 {
        let lines =
            |action: &Action| if let Action::Lines(lines) = action { Some(*lines.start()) } else { None };
        self.actions.iter().find_map(lines).unwrap_or_default() as u16
    }
}

/// Nodes; the first is where the program begins, the second where it ends.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
    /// By node: what is open where it begins.
    pub(super) open: Vec<Open>,
    /// Nodes that call, and those that they enter by it.
    pub(super) sites: Vec<(usize, usize)>,
}

/// The node behind every END.
pub(super) const END: usize = 1;

impl Graph {
    /// Follows all ways from the entry point; what it noticed goes to `notes`.
    ///
    /// # Errors
    /// If there are too many places.
    pub(super) fn build(program: &Program, notes: &mut Vec<Note>) -> Result<Graph, TooLarge> {
        // A straight run is a few words.
        let runs = program.lines.len().min(256) / 2;
        let nodes = Vec::with_capacity(runs + 2);
        let mut builder = Builder {
            program,
            notes,
            graph: Graph { nodes, open: Vec::with_capacity(runs + 2), sites: Vec::new() },
            known: FxHashMap::with_capacity_and_hasher(runs, FxBuildHasher),
            open: Vec::with_capacity(runs.min(16)),
        };
        // The beginning is a node of its own, so that no way leads back to it.
        builder.add(Open::default(), Actions::new(), Next::End);
        builder.add(Open::default(), Actions::new(), Next::End);
        let first = builder.at((Shape::default(), program.entry));
        builder.graph.nodes[0].next = Next::Node(first);
        let most = NODES[0] + NODES[1] * program.lines.len();
        while let Some(place) = builder.open.pop() {
            builder.follow(place);
            if builder.graph.nodes.len() > most {
                return Err(TooLarge { what: "places in its graph", allowed: most, at: place.1 });
            }
        }
        Ok(builder.graph)
    }

    /// Whether one way leads through it, each node once.
    pub(super) fn is_straight(&self) -> bool {
        let next = |&node: &usize| match self.nodes.get(node)?.next {
            Next::Node(next) => Some(next),
            Next::End | Next::Either(..) => None,
        };
        let way = std::iter::successors(Some(0), next).take(self.nodes.len());
        way.last() == Some(END)
    }

    /// The nodes that may follow one.
    pub(super) fn after(&self, node: usize) -> impl DoubleEndedIterator<Item = usize> + use<> {
        let [first, second] = match self.nodes[node].next {
            Next::End => [None, None],
            Next::Node(next) => [Some(next), None],
            Next::Either(_, [yes, no]) => [Some(yes), Some(no)],
        };
        [first, second].into_iter().flatten()
    }
}

/// By node: those that lead to it, in order.
#[derive(Default, Debug)]
pub(super) struct Before {
    /// Where those of a node start among all; one more than there are nodes.
    starts: Vec<u32>,
    from: Vec<u32>,
}

impl Before {
    /// The ways from some nodes of a graph.
    pub(super) fn of(graph: &Graph, nodes: impl Iterator<Item = usize>) -> Before {
        let mut starts = vec![0; graph.nodes.len() + 1];
        let ways: Vec<(usize, usize)> =
            nodes.flat_map(|node| graph.after(node).map(move |next| (node, next))).collect();
        ways.iter().for_each(|&(_, next)| starts[next] += 1);
        // Each is where those of the next node start, and moves back to where its own do.
        let mut count = 0;
        for start in &mut starts {
            count += *start;
            *start = count;
        }
        let mut from = vec![0; count as usize];
        for (node, next) in ways.into_iter().rev() {
            starts[next] -= 1;
            from[starts[next] as usize] = node as u32;
        }
        Before { starts, from }
    }

    /// Those that lead to a node.
    pub(super) fn ways(&self, node: usize) -> impl Iterator<Item = usize> + Clone + '_ {
        let [start, end] = [node, node + 1].map(|n| self.starts[n] as usize);
        self.from[start..end].iter().map(|&from| from as usize)
    }
}

struct Builder<'p> {
    program: &'p Program,
    notes: &'p mut Vec<Note>,
    graph: Graph,
    known: FxHashMap<Place, usize>,
    /// Places whose nodes are not written yet.
    open: Vec<Place>,
}

impl Builder<'_> {
    fn add(&mut self, open: Open, actions: Actions, next: Next) -> usize {
        self.graph.nodes.push(Node { actions, next });
        self.graph.open.push(open);
        self.graph.nodes.len() - 1
    }

    /// The node of a place, to be followed if it is new.
    fn at(&mut self, place: Place) -> usize {
        if usize::from(place.1) >= MOST_WORDS - 1 {
            return END;
        }
        let next = self.graph.nodes.len();
        let node = *self.known.entry(place).or_insert(next);
        if node == next {
            self.add(place.0.open(), Actions::new(), Next::End);
            self.open.push(place);
        }
        node
    }

    /// Writes the node of a place: the straight run there and where its last word leads.
    fn follow(&mut self, place: Place) {
        let (shape, pc) = place;
        let node = self.known[&place];
        let first = self.program.line_at(pc.into());
        let last = self.program.lines[first].last;
        let flow = self.program.lines[last].flow;
        if first == self.program.lines.len() - 1 && flow == Flow::Next {
            self.notes.push(Note::PastEnd(pc));
        }
        let mut actions = Actions::from_iter([Action::Lines(first..=last)]);
        let pc = self.behind_the_end(shape, pc + (last - first) as u16, flow);
        actions.extend(match flow {
            Flow::Loop { int, .. } => Some(Action::Enter(shape.mark(int))),
            Flow::Emit => Some(Action::Emit),
            Flow::SetEmit { vertex, primitive, winding } => {
                Some(Action::SetEmit { vertex, sends: primitive, turns: winding })
            }
            _ => None,
        });
        let next = match (flow, flow.test()) {
            (Flow::End, _) => Next::Node(END),
            (Flow::Unknown, _) => {
                self.notes.push(Note::Unknown(pc));
                Next::Node(END)
            }
            (_, Test::Always) => Next::Node(self.edge(shape, flow, pc, true)),
            (_, test) => match [true, false].map(|taken| self.edge(shape, flow, pc, taken)) {
                [yes, no] if yes == no => Next::Node(yes),
                ways => Next::Either(Condition::Test(test), ways),
            },
        };
        self.graph.nodes[node] = Node { actions, next };
        self.note_call(node, shape, flow);
    }

    /// Notes a call that leads deeper.
    fn note_call(&mut self, node: usize, shape: Shape, flow: Flow) {
        let entry = match self.graph.nodes[node].next {
            Next::Node(entry) | Next::Either(_, [entry, _]) => entry,
            Next::End => return,
        };
        if matches!(flow, Flow::Call { .. }) && self.graph.open[entry].calls > shape.open().calls {
            self.graph.sites.push((node, entry));
        }
    }

    /// Behind the last word stand words of zero, which are all the same and do the same again: the
    /// last of them before something else happens.
    fn behind_the_end(&self, shape: Shape, pc: u16, flow: Flow) -> u16 {
        if usize::from(pc) < self.program.lines.len() - 1 || flow != Flow::Next {
            return pc;
        }
        let last = MOST_WORDS as u16 - 2;
        shape.next_end(pc).map_or(last, |end| last.min(end - 1)).max(pc)
    }

    /// The node that a step leads to, with those that count rounds between.
    fn edge(&mut self, shape: Shape, flow: Flow, pc: u16, taken: bool) -> usize {
        let Ok(([again, left], round)) = shape.step(flow, pc, taken) else {
            self.notes.push(Note::NoLoop(pc));
            return END;
        };
        match round {
            Round::None => self.at(again),
            Round::Breaks(mark) => self.leave(shape.open(), mark, left),
            Round::Ends(mark) => {
                let body = self.at(again);
                let open = shape.open();
                let again = self.add(open, Actions::from_iter([Action::Again(mark)]), Next::Node(body));
                let left = self.leave(open, mark, left);
                self.add(open, Actions::new(), Next::Either(Condition::Rounds(mark), [again, left]))
            }
        }
    }

    fn leave(&mut self, open: Open, mark: Mark, to: Place) -> usize {
        let next = Next::Node(self.at(to));
        let actions = [Action::Leave { mark, is_inner: to.0.is_in_loop() }];
        self.add(open, actions.into_iter().collect(), next)
    }
}
