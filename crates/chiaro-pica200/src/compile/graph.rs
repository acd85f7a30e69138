//! A program between IR and words: operations on lanes, in blocks.
//!
//! The machine selects, negates and masks components for nothing, so the unit here is the
//! *lane*: one component of a register, with its sign. A [`Node`] computes up to four lanes
//! by one instruction; each operand names its four lanes one by one, wherever they are.
//! Whether they stand in one register is settled later ([`gather`](crate::compile::schedule::gather)), where
//! the allocator is still free to put them there.
//!
//! A *variable* is a node without an operation: up to four lanes that [`Item::Assign`] sets,
//! for what leaves an `if` and what a loop carries.

use crate::compile::geometry::strip::Setting;
use crate::isa::Op;
use chiaro_diag::Span;
use chiaro_ir::GlobalRef;

/// A node: its place in [`Graph::nodes`].
pub(crate) type Id = u32;
/// A block: its place in [`Graph::blocks`].
pub(crate) type Block = u32;

/// What is added to the number of a uniform register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Index {
    None,
    /// A lane that MOVA loads: its place in [`Graph::addresses`].
    Address(u16),
    /// aL of a loop: its place in [`Graph::loops`].
    Loop(u16),
}

/// Where a lane is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Base {
    /// Any value.
    Undef,
    /// A number, as binary32 bits.
    Const(u32),
    Input(u8),
    Uniform(u8, Index),
    Node(Id),
}

/// One component of something, with its sign.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Lane {
    pub(crate) base: Base,
    /// Which component, 0 is x; 0 for constants.
    pub(crate) part: u8,
    pub(crate) neg: bool,
}

/// What an operand of a node reads for each lane.
pub(crate) type Lanes = [Lane; 4];

impl Lane {
    pub(crate) const UNDEF: Lane = Lane { base: Base::Undef, part: 0, neg: false };

    pub(crate) fn new(base: Base, part: u8) -> Lane {
        Lane { base, part, neg: false }
    }

    /// A number; its sign is kept outside, so that `x` and `-x` can share a register.
    pub(crate) fn constant(value: f32) -> Lane {
        let neg = value.is_sign_negative() && !value.is_nan();
        Lane { neg, ..Lane::new(Base::Const(value.to_bits() & !(u32::from(neg) << 31)), 0) }
    }

    pub(crate) fn negated(self) -> Lane {
        Lane { neg: !self.neg, ..self }
    }

    /// The number, if it is one.
    pub(crate) fn value(self) -> Option<f32> {
        match self.base {
            Base::Const(bits) if self.neg => Some(-f32::from_bits(bits)),
            Base::Const(bits) => Some(f32::from_bits(bits)),
            _ => None,
        }
    }

    pub(crate) fn node(self) -> Option<Id> {
        match self.base {
            Base::Node(id) => Some(id),
            _ => None,
        }
    }
}

/// One instruction, or a variable.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// `None` for a variable.
    pub(crate) op: Option<Op>,
    /// How many lanes it computes. A dot product and a scalar function compute one.
    pub(crate) width: u8,
    /// For lane i of the result, component-wise operations read lane i of each operand; dot
    /// products read all four (or three) of two; scalar functions read lane 0.
    pub(crate) args: [Lanes; 3],
    /// For CMP: the relations of x and y, by number (spec section 11).
    pub(crate) relations: [u8; 2],
    pub(crate) span: Option<Span>,
}

/// How an operation reads its operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reading {
    /// Lane by lane.
    Each,
    /// So many lanes of each operand, whatever is written.
    All(u8),
}

/// The facts of an operation that selection and allocation ask for.
pub(crate) fn reading(op: Op, operand: usize) -> Reading {
    match op {
        Op::Dp3 => Reading::All(3),
        Op::Dp4 => Reading::All(4),
        Op::Dph => Reading::All(if operand == 0 { 3 } else { 4 }),
        Op::Rcp | Op::Rsq | Op::Ex2 | Op::Lg2 | Op::Mova => Reading::All(1),
        Op::Cmp => Reading::All(2),
        _ => Reading::Each,
    }
}

/// How many operands an operation has.
pub(crate) fn operands(op: Op) -> usize {
    match op {
        Op::Mad => 3,
        Op::Rcp | Op::Rsq | Op::Ex2 | Op::Lg2 | Op::Mova | Op::Mov | Op::Flr => 1,
        Op::End | Op::Nop | Op::Break => 0,
        _ => 2,
    }
}

impl Node {
    /// How many lanes of an operand count.
    pub(crate) fn reads(&self, operand: usize) -> usize {
        match self.op {
            Some(op) if operand < operands(op) => match reading(op, operand) {
                Reading::Each => usize::from(self.width),
                Reading::All(n) => usize::from(n),
            },
            _ => 0,
        }
    }

    /// Whether it computes its lanes independently of each other.
    pub(crate) fn is_each(&self) -> bool {
        self.op.is_some_and(|op| reading(op, 0) == Reading::Each)
    }

    /// Every lane that it reads.
    pub(crate) fn uses(&self) -> impl Iterator<Item = Lane> + '_ {
        (0..3).flat_map(|k| self.args[k][..self.reads(k)].iter().copied())
    }
}

/// A condition, as the flags can be tested.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cond {
    /// A boolean uniform; whether it must be clear.
    Bool(u8, bool),
    /// A CMP node that comes right before, and CONDOP, REFY and REFX as the field has them.
    Flags(Id, u8),
}

/// What stands in a block.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    Node(Id),
    /// Lanes that go to an output register; `None` where it is not written here.
    Output(u8, [Option<Lane>; 4]),
    /// Lanes that a variable takes; `None` where it keeps what it has.
    Assign(Id, [Option<Lane>; 4]),
    /// Two blocks by a condition; the second may be empty.
    If(Cond, Block, Block),
    /// A body that repeats: the loop's place in [`Graph::loops`].
    Loop(u16, Block),
    /// Leaves the innermost loop.
    Break(Cond),
    /// The outputs become a vertex.
    Emit(Setting),
}

/// A LOOP: which integer register says how often.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Counter {
    /// Count - 1, start and step of aL, if the program brings its own; else the register of
    /// the application.
    pub(crate) constant: Option<[u8; 4]>,
    /// The integer register.
    pub(crate) register: u8,
    /// LOOP cannot run it: it repeats by jumps until something leaves it.
    pub(crate) jumps: bool,
}

/// What the application puts into an integer register: a uniform plus `more`, where aL starts,
/// and what each round adds to it. The register's number is its place in [`Graph::counts`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Count {
    pub(crate) variable: GlobalRef,
    pub(crate) path: Vec<u32>,
    pub(crate) more: i16,
    pub(crate) start: u8,
    pub(crate) step: u8,
}

impl Count {
    /// The register for a value of the uniform; nothing for no round at all, and for too many.
    pub(crate) fn bytes(&self, value: i32) -> Option<[u8; 4]> {
        let last = u8::try_from(i64::from(value) + i64::from(self.more)).ok()?;
        Some([last, self.start, self.step, 0])
    }
}

/// The program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    pub(crate) nodes: Vec<Node>,
    pub(crate) blocks: Vec<Vec<Item>>,
    /// Lanes that MOVA loads.
    pub(crate) addresses: Vec<Lane>,
    pub(crate) loops: Vec<Counter>,
    /// Integer registers that the application sets.
    pub(crate) counts: Vec<Count>,
}

impl Graph {
    pub(crate) fn add(&mut self, op: Op, width: u8, args: &[Lanes], span: Option<Span>) -> Id {
        let mut all = [[Lane::UNDEF; 4]; 3];
        all[..args.len()].copy_from_slice(args);
        self.nodes.push(Node { op: Some(op), width, args: all, relations: [0; 2], span });
        self.nodes.len() as Id - 1
    }

    pub(crate) fn variable(&mut self, width: u8) -> Id {
        let args = [[Lane::UNDEF; 4]; 3];
        self.nodes.push(Node { op: None, width, args, relations: [0; 2], span: None });
        self.nodes.len() as Id - 1
    }

    pub(crate) fn block(&mut self) -> Block {
        self.blocks.push(Vec::new());
        self.blocks.len() as Block - 1
    }

    pub(crate) fn node(&self, id: Id) -> &Node {
        &self.nodes[id as usize]
    }

    pub(crate) fn node_mut(&mut self, id: Id) -> &mut Node {
        &mut self.nodes[id as usize]
    }

    /// For each block, the one that it stands in.
    pub(crate) fn parents(&self) -> Vec<Option<Block>> {
        let mut parents = vec![None; self.blocks.len()];
        for (block, items) in self.blocks.iter().enumerate() {
            for item in items {
                match item {
                    Item::If(_, then, other) => {
                        parents[*then as usize] = Some(block as Block);
                        parents[*other as usize] = Some(block as Block);
                    }
                    Item::Loop(_, body) => parents[*body as usize] = Some(block as Block),
                    _ => {}
                }
            }
        }
        parents
    }

    /// Changes every lane that something reads.
    pub(crate) fn each_lane(&mut self, change: impl Fn(&mut Lane)) {
        for node in &mut self.nodes {
            node.args.iter_mut().flatten().for_each(&change);
        }
        for item in self.blocks.iter_mut().flatten() {
            if let Item::Output(_, parts) | Item::Assign(_, parts) = item {
                parts.iter_mut().flatten().for_each(&change);
            }
        }
        self.addresses.iter_mut().for_each(&change);
    }

    pub(crate) fn items(&self, block: Block) -> &[Item] {
        &self.blocks[block as usize]
    }

    pub(crate) fn items_mut(&mut self, block: Block) -> &mut Vec<Item> {
        &mut self.blocks[block as usize]
    }
}

/// The lanes of a register from x on.
pub(crate) fn lanes_of(base: Base) -> Lanes {
    std::array::from_fn(|i| Lane::new(base, i as u8))
}

/// One lane in all places.
pub(crate) fn splat(lane: Lane) -> Lanes {
    [lane; 4]
}
