//! A block as tasks: what has to be placed, and what keeps it from being placed anywhere.

use std::collections::HashMap;

use super::super::block::Block;
use super::super::bound::{MAGNITUDE, Windows, is_ident};
use super::super::steps::{Step, steps};
use crate::compile::graph::{Data, Graph, Node, Op, Source};
use crate::regs::NO_OFFSET;

/// Some tasks or scalars, a bit each.
pub(super) type Set = u128;

/// Tasks that a block may have at most, and scalars from port 2.
pub(super) const MOST_TASKS: usize = 128;
const MOST_SCALARS: usize = 128;

/// An operation that needs a unit. Instructions are counted from the block's end.
pub(super) struct Task {
    pub(super) node: Node,
    pub(super) steps: &'static [Step],
    /// Tasks that use its value.
    pub(super) users: Set,
    /// The same, each with the instructions from its last step back to this one's.
    pub(super) links: Vec<(u8, u32)>,
    /// Instructions behind its last step at least.
    pub(super) tail: u32,
    /// Instructions up to its last step at least, counted from the block's start.
    pub(super) need: u32,
    /// Scalars of port 2 that it reads.
    pub(super) scalars: Set,
    /// The vec4 that it must find on port 2.
    pub(super) must: Option<usize>,
}

impl Task {
    /// Whether nothing but the current instruction is taken.
    pub(super) fn is_simple(&self) -> bool {
        self.steps.iter().all(|&(back, ..)| back == 0)
    }
}

/// All tasks of a block, operands before users.
#[derive(Default)]
pub(super) struct Tasks {
    pub(super) all: Vec<Task>,
    /// Scalars by vec4; all constants count as one that has them all.
    pub(super) vectors: Vec<Set>,
    /// Their addresses, but for constants and what an address register is added to.
    memory: Vec<Option<u16>>,
    /// Constants among the scalars.
    pub(super) constants: Set,
    /// Slots of units that operations and necessary moves take.
    pub(super) slots: u32,
}

/// Where a scalar comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Vector {
    Constants,
    /// Address, and address register or [`NO_REGISTER`].
    Memory(u16, u8),
}

const NO_REGISTER: u8 = NO_OFFSET as u8;

impl Vector {
    fn address(self) -> Option<u16> {
        match self {
            Vector::Memory(address, NO_REGISTER) => Some(address),
            _ => None,
        }
    }
}

impl Tasks {
    /// `None` if the block is too large.
    pub(super) fn of(block: &Block<'_>, windows: &Windows) -> Option<Tasks> {
        let graph = block.graph;
        let Windows { needed, twins, ready, tails } = windows;
        let mut build = Build { graph, scalars: HashMap::new(), vectors: Vec::new(), names: Vec::new() };
        let mut tasks = Tasks::default();
        let mut index = vec![None; graph.nodes().len()];
        for (i, data) in graph.nodes().iter().enumerate().filter(|&(i, _)| needed[i]) {
            let node = Node(i as u32);
            tasks.slots += stored_by_move(graph, node, needed);
            let steps = steps(data.op);
            if steps.is_empty() {
                continue;
            }
            if twins[i] != node {
                index[i] = index[twins[i].0 as usize];
                continue;
            }
            index[i] = Some(tasks.all.len());
            tasks.slots += steps.iter().map(|&(_, _, count)| count).sum::<u32>();
            let is_simple = steps.len() == 1;
            let scalars = if is_simple { build.scalars(node)? } else { 0 };
            let must = matches!(data.op, Op::Clamp(..)).then(|| build.vector(Vector::Constants));
            let need = ready[i] + data.op.span() + 1;
            let links = Vec::new();
            tasks.all.push(Task { node, steps, users: 0, links, tail: tails[i], need, scalars, must });
        }
        if tasks.all.len() > MOST_TASKS {
            return None;
        }
        tasks.link(graph, &index);
        tasks.vectors = build.vectors;
        tasks.memory = build.names.iter().map(|name| name.address()).collect();
        let is_constant = |name: &Vector| *name == Vector::Constants;
        tasks.constants = build.names.iter().position(is_constant).map_or(0, |at| tasks.vectors[at]);
        Some(tasks)
    }

    /// The address of a vec4.
    pub(super) fn memory(&self, vector: usize) -> Option<u16> {
        self.memory.get(vector).copied().flatten()
    }

    /// Records the users of every operand.
    fn link(&mut self, graph: &Graph, index: &[Option<usize>]) {
        for user in 0..self.all.len() {
            let data = graph.get(self.all[user].node);
            for arg in data.args() {
                let Some(made) = index[arg.node.0 as usize] else { continue };
                let wait = graph.get(arg.node).op.window().0;
                let task = &mut self.all[made];
                if task.users >> user & 1 == 0 {
                    task.users |= 1 << user;
                    task.links.push((user as u8, data.op.span() + wait));
                }
            }
        }
    }
}

/// Scalars of port 2, numbered.
struct Build<'a> {
    graph: &'a Graph,
    scalars: HashMap<Source, usize>,
    vectors: Vec<Set>,
    names: Vec<Vector>,
}

impl Build<'_> {
    /// Those that a node's operands are; `None` if there are too many.
    fn scalars(&mut self, node: Node) -> Option<Set> {
        let data = self.graph.get(node);
        let mut all = 0;
        for arg in data.args() {
            let Op::Load(source) = self.graph.get(arg.node).op else { continue };
            let vector = match source {
                Source::Constant(bits) if is_ident(data.op, bits) => continue,
                Source::Constant(_) => Vector::Constants,
                Source::Uniform(address, _) | Source::Temporary(address, _) => {
                    Vector::Memory(address, NO_REGISTER)
                }
                Source::Indexed(address, _, register) => Vector::Memory(address, register),
                Source::Attribute(..) | Source::Register(..) => continue,
            };
            let next = self.scalars.len();
            // A unit that moves a constant may turn its sign.
            let source = match source {
                Source::Constant(bits) => Source::Constant(bits & MAGNITUDE),
                other => other,
            };
            let number = *self.scalars.entry(source).or_insert(next);
            if number >= MOST_SCALARS {
                return None;
            }
            let vector = self.vector(vector);
            self.vectors[vector] |= 1 << number;
            all |= 1 << number;
        }
        Some(all)
    }

    fn vector(&mut self, name: Vector) -> usize {
        self.names.iter().position(|&known| known == name).unwrap_or_else(|| {
            self.names.push(name);
            self.vectors.push(0);
            self.names.len() - 1
        })
    }
}

/// A result of complex1 and a loaded value are stored through a move: one slot at least. What
/// comes from port 2 is not counted, since the search counts its moves.
fn stored_by_move(graph: &Graph, node: Node, needed: &[bool]) -> u32 {
    let op = graph.get(node).op;
    let is_port = matches!(op, Op::Load(Source::Attribute(..) | Source::Register(..)));
    if !op.is_late() && !is_port {
        return 0;
    }
    let mut users = graph.nodes().iter().enumerate().filter(|&(i, _)| needed[i]);
    let stores = |(_, data): (usize, &Data)| {
        matches!(data.op, Op::Store(_)) && data.args().first().is_some_and(|arg| arg.node == node)
    };
    u32::from(users.any(stores))
}
