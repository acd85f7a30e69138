//! The compiler's own IR: operations on components, in blocks.
//!
//! The machine selects, negates and masks components for nothing, so the unit here is the
//! *component*: one component of a register, with its sign. A [`Node`] computes up to four components
//! by one instruction; each operand names its four components one by one, wherever they are.
//! Whether they stand in one register is settled later ([`gather`](crate::compile::schedule::gather)), where
//! the allocator is still free to put them there.
//!
//! A *variable* is a node without an operation: up to four components that [`Item::Assign`] sets,
//! for what leaves an `if` and what a loop carries.

#[cfg(test)]
pub(crate) mod parse;
pub(crate) mod print;

use crate::abi::Count;
use crate::compile::tactic::decisions::Decisions;
use crate::isa::Op;
use chiaro_diag::Span;
use std::fmt;

/// A node: its place in [`Graph::nodes`].
pub(crate) type Id = u32;
/// A block: its place in [`Graph::blocks`].
pub(crate) type Block = u32;

/// What is added to the number of a uniform register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Index {
    None,
    /// A component that MOVA loads: its place in [`Graph::addresses`].
    Address(u16),
    /// aL of a loop: its place in [`Graph::loops`].
    Loop(u16),
}

/// Where a component is.
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
pub(crate) struct Component {
    pub(crate) base: Base,
    /// Which component, 0 is x; 0 for constants.
    pub(crate) part: u8,
    pub(crate) neg: bool,
}

/// What an operand of a node reads for each component.
pub(crate) type Components = [Component; 4];

impl Component {
    pub(crate) const UNDEF: Component = Component { base: Base::Undef, part: 0, neg: false };

    pub(crate) fn new(base: Base, part: u8) -> Component {
        Component { base, part, neg: false }
    }

    /// Whether it is read by aL, which is another one in an inner loop: it cannot be read elsewhere.
    pub(crate) fn is_by_loop(self) -> bool {
        matches!(self.base, Base::Uniform(_, Index::Loop(_)))
    }

    /// A number; its sign is kept outside, so that `x` and `-x` can share a register.
    pub(crate) fn constant(value: f32) -> Component {
        let neg = value.is_sign_negative() && !value.is_nan();
        Component { neg, ..Component::new(Base::Const(value.to_bits() & !(u32::from(neg) << 31)), 0) }
    }

    /// The same without its sign.
    pub(crate) fn plain(self) -> Component {
        Component { neg: false, ..self }
    }

    pub(crate) fn negated(self) -> Component {
        Component { neg: !self.neg, ..self }
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
    /// How many components it computes. A dot product and a scalar function compute one.
    pub(crate) width: u8,
    /// For component i of the result, component-wise operations read component i of each operand; dot
    /// products read all four (or three) of two; scalar functions read component 0.
    pub(crate) args: [Components; 3],
    /// For CMP: the relations of x and y, by number (spec section 11).
    pub(crate) relations: [u8; 2],
    /// The source wants it computed as it stands: `precise`.
    pub(crate) exact: bool,
    pub(crate) span: Option<Span>,
}

/// How an operation reads its operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reading {
    /// Component by component.
    Each,
    /// So many components of each operand, whatever is written.
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

/// Whether the first two operands can change places.
pub(crate) fn commutes(op: Op) -> bool {
    matches!(op, Op::Add | Op::Mul | Op::Mad | Op::Min | Op::Max | Op::Dp3 | Op::Dp4)
}

/// Components of a register.
pub(crate) const LANES: usize = 4;

impl Node {
    /// Whether all that an operand gives its components are numbers.
    pub(crate) fn has_numbers(&self, operand: usize) -> bool {
        self.args[operand][..usize::from(self.width)].iter().all(|c| c.value().is_some())
    }

    /// One component more, of these operands; which it is, if there is room.
    pub(crate) fn append(&mut self, operands: [Component; 3]) -> Option<u8> {
        let at = self.width;
        if usize::from(at) >= LANES {
            return None;
        }
        for (arg, component) in self.args.iter_mut().zip(operands) {
            arg[usize::from(at)] = component;
        }
        self.width += 1;
        Some(at)
    }

    /// How many components of an operand count.
    pub(crate) fn reads(&self, operand: usize) -> usize {
        match self.op {
            Some(op) if operand < operands(op) => match reading(op, operand) {
                Reading::Each => usize::from(self.width),
                Reading::All(n) => usize::from(n),
            },
            _ => 0,
        }
    }

    /// Whether it computes its components independently of each other.
    pub(crate) fn is_each(&self) -> bool {
        self.op.is_some_and(|op| reading(op, 0) == Reading::Each)
    }

    /// Every component that it reads.
    pub(crate) fn uses(&self) -> impl Iterator<Item = Component> + '_ {
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

/// What SETEMIT says.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Setting {
    /// The slot, 0 to 2.
    pub(crate) vertex: u8,
    /// Whether the triangle in the slots is sent.
    pub(crate) primitive: bool,
    /// Whether its first two vertices change places.
    pub(crate) winding: bool,
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let primitive = if self.primitive { " primitive" } else { "" };
        let winding = if self.winding { " inverted" } else { "" };
        write!(f, "emit {}{primitive}{winding}", self.vertex)
    }
}

/// What stands in a block.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    Node(Id),
    /// Components that go to an output register; `None` where it is not written here.
    Output(u8, [Option<Component>; 4]),
    /// Components that a variable takes; `None` where it keeps what it has.
    Assign(Id, [Option<Component>; 4]),
    /// Two blocks by a condition; the second may be empty.
    If(Cond, Block, Block),
    /// A body that repeats: the loop's place in [`Graph::loops`].
    Loop(u16, Block),
    /// Leaves the innermost loop.
    Break(Cond),
    /// The outputs become a vertex.
    Emit(Setting),
}

impl Item {
    /// The instruction that it is.
    pub(crate) fn node(&self) -> Option<Id> {
        match self {
            Item::Node(id) => Some(*id),
            _ => None,
        }
    }

    /// The instruction that it begins with.
    pub(crate) fn instruction(&self) -> Option<Id> {
        match self {
            Item::Node(id) | Item::If(Cond::Flags(id, _), ..) | Item::Break(Cond::Flags(id, _)) => Some(*id),
            _ => None,
        }
    }
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

/// The program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    pub(crate) nodes: Vec<Node>,
    pub(crate) blocks: Vec<Vec<Item>>,
    /// Components that MOVA loads.
    pub(crate) addresses: Vec<Component>,
    pub(crate) loops: Vec<Counter>,
    /// Integer registers that the application sets.
    pub(crate) counts: Vec<Count>,
    /// Which of the rewrites that steps find are taken.
    pub(crate) decisions: Decisions,
}

impl Graph {
    pub(crate) fn add(&mut self, op: Op, width: u8, args: &[Components], span: Option<Span>) -> Id {
        let mut all = [[Component::UNDEF; 4]; 3];
        all[..args.len()].copy_from_slice(args);
        self.nodes.push(Node { op: Some(op), width, args: all, relations: [0; 2], exact: false, span });
        self.nodes.len() as Id - 1
    }

    pub(crate) fn variable(&mut self, width: u8) -> Id {
        let args = [[Component::UNDEF; 4]; 3];
        self.nodes.push(Node { op: None, width, args, relations: [0; 2], exact: false, span: None });
        self.nodes.len() as Id - 1
    }

    pub(crate) fn block(&mut self) -> Block {
        self.blocks.push(Vec::new());
        self.blocks.len() as Block - 1
    }

    pub(crate) fn node(&self, id: Id) -> &Node {
        &self.nodes[id as usize]
    }

    /// Every component that a node needs, those that its indices are loaded from among them.
    pub(crate) fn needs(&self, id: Id) -> impl Iterator<Item = Component> + '_ {
        self.node(id).uses().flat_map(|component| [Some(component), self.address_of(component)]).flatten()
    }

    /// The component that the index of a uniform is loaded from.
    fn address_of(&self, component: Component) -> Option<Component> {
        match component.base {
            Base::Uniform(_, Index::Address(k)) => self.addresses.get(usize::from(k)).copied(),
            _ => None,
        }
    }

    /// The node that it belongs to.
    pub(crate) fn index_of(&self, component: Component) -> Option<Id> {
        self.address_of(component).and_then(Component::node)
    }

    /// Whether an instruction stands in a block.
    pub(crate) fn stands_in(&self, block: Block, id: Id) -> bool {
        self.items(block).iter().any(|item| item.node() == Some(id))
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

    /// How many nodes and items use a node, counting each once.
    pub(crate) fn consumers(&self) -> Vec<u32> {
        let mut counts = vec![0u32; self.nodes.len()];
        let mut count = |components: &mut dyn Iterator<Item = Component>| {
            let mut seen: [Option<Id>; 12] = [None; 12];
            let mut n = 0;
            for id in components.filter_map(Component::node) {
                if !seen[..n].contains(&Some(id)) {
                    counts[id as usize] += 1;
                    if n < 12 {
                        seen[n] = Some(id);
                        n += 1;
                    }
                }
            }
        };
        for items in &self.blocks {
            for item in items {
                match item {
                    Item::Node(id) => count(&mut self.node(*id).uses()),
                    Item::Output(_, parts) | Item::Assign(_, parts) => {
                        count(&mut parts.iter().copied().flatten());
                    }
                    Item::If(cond, ..) | Item::Break(cond) => {
                        if let Cond::Flags(id, _) = cond {
                            count(&mut self.node(*id).uses());
                        }
                    }
                    Item::Loop(..) | Item::Emit(_) => {}
                }
            }
        }
        count(&mut self.addresses.iter().copied());
        counts
    }

    /// How many nodes and items read each component of each node.
    pub(crate) fn readers(&self) -> Vec<[u32; 4]> {
        let mut counts = vec![[0u32; 4]; self.nodes.len()];
        let mut read = |component: Component| {
            if let Base::Node(id) = component.base {
                counts[id as usize][usize::from(component.part)] += 1;
            }
        };
        for item in self.blocks.iter().flatten() {
            if let Some(id) = item.instruction() {
                let mut seen: Vec<Component> = Vec::with_capacity(12);
                for component in self.node(id).uses().map(Component::plain) {
                    if !seen.contains(&component) {
                        seen.push(component);
                        read(component);
                    }
                }
            }
            if let Item::Output(_, parts) | Item::Assign(_, parts) = item {
                parts.iter().copied().flatten().for_each(&mut read);
            }
        }
        self.addresses.iter().copied().for_each(read);
        counts
    }

    /// Changes every component that something reads.
    pub(crate) fn each_component(&mut self, change: impl Fn(&mut Component)) {
        self.each_operand(&change);
        for item in self.blocks.iter_mut().flatten() {
            if let Item::Output(_, parts) | Item::Assign(_, parts) = item {
                parts.iter_mut().flatten().for_each(&change);
            }
        }
        self.addresses.iter_mut().for_each(&change);
    }

    /// Changes every component that a node reads. What stands behind them was read once, perhaps of a component that
    /// its node has no more.
    pub(crate) fn each_operand(&mut self, change: impl Fn(&mut Component)) {
        for node in &mut self.nodes {
            for k in 0..node.args.len() {
                let reads = node.reads(k);
                node.args[k][..reads].iter_mut().for_each(&change);
            }
        }
    }

    pub(crate) fn items(&self, block: Block) -> &[Item] {
        &self.blocks[block as usize]
    }

    pub(crate) fn items_mut(&mut self, block: Block) -> &mut Vec<Item> {
        &mut self.blocks[block as usize]
    }
}

/// The components of a register from x on.
pub(crate) fn components_of(base: Base) -> Components {
    std::array::from_fn(|i| Component::new(base, i as u8))
}

/// One component in all places.
pub(crate) fn splat(component: Component) -> Components {
    [component; 4]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Behind those that count stand components that their node may have no more: moved on, they would be nowhere.
    #[test]
    fn only_what_is_read_changes() {
        let mut graph = Graph::default();
        let wide = graph.add(Op::Mov, 4, &[components_of(Base::Input(0))], None);
        let all = components_of(Base::Node(wide));
        let narrow = graph.add(Op::Mov, 1, &[all], None);
        let dot = graph.add(Op::Dp3, 1, &[all, all], None);
        graph.each_component(|component| component.part += 4);
        let parts = |id| graph.node(id).args[0].map(|component| component.part);
        assert_eq!((parts(narrow), parts(dot)), ([4, 1, 2, 3], [4, 5, 6, 3]));
    }
}
