//! A block to schedule, and what becomes of it.

use super::around::Around;
use super::bound::{Limit, is_number};
use super::few::Few;
use super::memory::Memory;
use super::room::Room;
use crate::compile::graph::{Data, Graph, Node, Op, Place, Source};
use crate::isa::word::Word;

/// Instructions before the current one that placing an operation may change.
pub(super) const AHEAD: u32 = 4;

/// A scheduled block.
#[derive(Clone, Debug)]
pub struct Scheduled {
    /// The instructions in order.
    pub words: Vec<Word>,
    /// Constants with what the block added.
    pub constants: Vec<[Option<u32>; 4]>,
    /// Register components that were stored for want of room.
    pub spills: u32,
    /// Operations, each with the instruction in which it ends.
    pub placed: Vec<(u32, Node)>,
    /// What is known of its length.
    pub quality: Quality,
}

/// How good a block's schedule is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Quality {
    /// Instructions.
    pub length: u32,
    /// Instructions that the selected operations need at least, each done once.
    pub bound: u32,
    /// What sets the bound.
    pub limit: Limit,
    /// Whether no schedule of these operations is shorter: it is as long as the bound, or all others
    /// were tried. Another selection may be shorter.
    pub optimal: bool,
    /// Instructions that all attempts filled together: the work that was done.
    pub nodes: u64,
}

/// What does not change from attempt to attempt.
#[derive(Clone, Copy)]
pub(super) struct Block<'a> {
    pub(super) graph: &'a Graph,
    pub(super) around: &'a Around,
    /// By node.
    pub(super) facts: &'a [Fact],
    pub(super) memory: &'a Memory,
}

/// What is known of a node whatever the attempt.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fact {
    /// How far its result is from the block's start, in instructions.
    pub(super) depth: u32,
    /// The same of the last of its steps.
    pub(super) path: u32,
    /// What it takes of an instruction.
    pub(super) room: Room,
    /// Whether one unit, or both multipliers, does it in one instruction.
    pub(super) is_single: bool,
    /// Instructions from its last step to the first and the last that can read it.
    pub(super) window: (u32, u32),
    /// Operands that other operations make, each once.
    pub(super) made: Few<Node, 3>,
    /// Operands that ports load.
    pub(super) loads: Few<(Node, Source), 3>,
    /// The value that it stores.
    pub(super) stored: Option<Node>,
    pub(super) is_load: bool,
    /// Whether a store can take it where it is made.
    pub(super) is_storable: bool,
    /// Stores of it to outputs and registers.
    pub(super) stores: u16,
    /// Whether it reads two vec4 of memory, of which an instruction loads one.
    pub(super) clashes: bool,
    /// Whether it is an operation none of whose operands is loaded: demanding nothing that costs a unit
    /// is no matter.
    pub(super) loads_nothing: bool,
    /// Instructions that placing it changes.
    pub(super) reach: u32,
}

/// The facts of all nodes, from how far they are from the block's start.
pub(super) fn facts(graph: &Graph, depths: &[u32]) -> Vec<Fact> {
    let fact = |(data, &depth): (&Data, &u32)| {
        let path = depth - u32::from(data.op.is_late());
        let (room, made) = (Room::wanted(data.op), made(graph, data));
        let (loads, is_load) = (loads(graph, data), matches!(data.op, Op::Load(_)));
        let loads_nothing = !data.op.is_root() && loads.is_empty();
        Fact {
            depth,
            path,
            room,
            is_single: data.op.is_single(),
            window: data.op.window(),
            made,
            loads,
            stored: matches!(data.op, Op::Store(_)).then(|| data.args()[0].node),
            is_load,
            is_storable: !is_load && !data.op.is_late(),
            stores: 0,
            loads_nothing,
            clashes: clashes(graph, data),
            reach: reach(graph, data),
        }
    };
    let mut facts: Vec<Fact> = graph.nodes().iter().zip(depths).map(fact).collect();
    for data in graph.nodes() {
        if let Op::Store(Place::Output(..) | Place::Register(..)) = data.op {
            facts[data.args()[0].node.0 as usize].stores += 1;
        }
    }
    facts
}

/// Instructions that placing an operation changes, from the one of its last step back. Port 0 of the
/// instruction before may load an attribute.
fn reach(graph: &Graph, data: &Data) -> u32 {
    let made = match data.op {
        Op::Store(_) => graph.get(data.args()[0].node).op,
        op => op,
    };
    if made.span() > 0 { AHEAD + 1 } else { 2 }
}

/// Operands that are no loads, each once.
fn made(graph: &Graph, data: &Data) -> Few<Node, 3> {
    let mut made = Few::new(Node(0));
    for arg in data.args() {
        if !matches!(graph.get(arg.node).op, Op::Load(_)) && !made.contains(&arg.node) {
            made.push(arg.node);
        }
    }
    made
}

/// Operands that ports load.
fn loads(graph: &Graph, data: &Data) -> Few<(Node, Source), 3> {
    let mut loads = Few::new((Node(0), Source::Constant(0)));
    for arg in data.args() {
        if let Op::Load(source) = graph.get(arg.node).op {
            loads.push((arg.node, source));
        }
    }
    loads
}

/// Whether an operation of one instruction reads two vec4 of memory. Constants have vec4 of their own.
fn clashes(graph: &Graph, data: &Data) -> bool {
    const CONSTANTS: u16 = u16::MAX;
    let mut vectors = data.args().iter().filter_map(|arg| match graph.get(arg.node).op {
        Op::Load(Source::Uniform(address, _)) => Some(address),
        Op::Load(Source::Constant(bits)) if !is_number(bits) => Some(CONSTANTS),
        _ => None,
    });
    let first = vectors.next();
    data.op.is_single() && vectors.any(|vector| Some(vector) != first)
}

/// Nodes from which on a block that does not fit is not worth many attempts.
const LARGE: usize = 512;

impl Block<'_> {
    pub(super) fn is_large(&self) -> bool {
        self.graph.nodes().len() > LARGE
    }
}
