//! The compiler's own IR: a basic block as a data flow graph of the machine's scalar operations.
//!
//! Nodes stand in the order of their making, operands before users; equal ones are one. Signs
//! are on operands where the adders have them and on the result of a product, so that few
//! negations need an operation of their own. spec section 11.

mod blocks;
mod choose;
mod op;
mod text;
mod twins;

use rustc_hash::FxHashMap;

use chiaro_diag::Span;

pub use blocks::{ANYTHING, Block, Jump, Label, NAMES, Program};
pub use op::{Op, Place, Source};

/// A node of a block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Node(pub u32);

/// A value with a sign.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Operand {
    /// The value.
    pub node: Node,
    /// Whether its sign is turned.
    pub neg: bool,
}

impl Operand {
    /// The same with the other sign.
    #[must_use]
    pub fn negated(self) -> Operand {
        Operand { neg: !self.neg, ..self }
    }
}

/// A node's operation and operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Data {
    /// The operation.
    pub op: Op,
    args: [Operand; 3],
    count: u8,
}

impl Data {
    fn new(op: Op, args: &[Operand]) -> Data {
        let mut all = [NONE; 3];
        all[..args.len()].copy_from_slice(args);
        Data { op, args: all, count: args.len() as u8 }
    }

    /// Its operands.
    #[inline]
    #[must_use]
    pub fn args(&self) -> &[Operand] {
        &self.args[..usize::from(self.count)]
    }
}

/// A block under construction.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    nodes: Vec<Data>,
    /// Blocks have few thousand nodes at most: a quick hash does.
    known: FxHashMap<Data, Node>,
    /// Whether each node is to be computed as it stands.
    exact: Vec<bool>,
    exact_now: bool,
    /// The source text of each node, and of those made from here on.
    spans: Vec<Option<Span>>,
    span_now: Option<Span>,
}

const NONE: Operand = Operand { node: Node(0), neg: false };
/// What stands in the place of a node that is gone.
const NOTHING: Data = Data { op: Op::Load(Source::Constant(0)), args: [NONE; 3], count: 0 };

impl Graph {
    /// All nodes in order.
    #[inline]
    #[must_use]
    pub fn nodes(&self) -> &[Data] {
        &self.nodes
    }

    /// A node.
    #[inline]
    #[must_use]
    pub fn get(&self, node: Node) -> &Data {
        &self.nodes[node.0 as usize]
    }

    /// Whether nodes made from here on are to be computed as they stand (`precise`).
    pub fn set_exact(&mut self, exact: bool) {
        self.exact_now = exact;
    }

    /// Whether a node is to be computed as it stands.
    #[must_use]
    pub fn is_exact(&self, node: Node) -> bool {
        self.exact[node.0 as usize]
    }

    /// Sets the source text of nodes made from here on.
    pub fn set_span(&mut self, span: Option<Span>) {
        self.span_now = span;
    }

    /// The source text of a node.
    #[must_use]
    pub fn span(&self, node: Node) -> Option<Span> {
        self.spans[node.0 as usize]
    }

    /// Nodes made from here on are like a node of another block: as exact, of the same text.
    pub fn follow(&mut self, old: &Graph, node: Node) {
        (self.exact_now, self.span_now) = (old.is_exact(node), old.span(node));
    }

    /// The constant that an operand is.
    #[must_use]
    pub fn constant(&self, operand: Operand) -> Option<f32> {
        match self.get(operand.node).op {
            Op::Load(Source::Constant(bits)) => {
                let value = f32::from_bits(bits);
                Some(if operand.neg { -value } else { value })
            }
            _ => None,
        }
    }

    /// A constant. One of either sign is a single value, since products and adders turn signs for
    /// nothing: where a unit has no sign, [`Graph::plain`] makes the other.
    pub fn number(&mut self, value: f32) -> Operand {
        let positive = self.load(Source::Constant(value.abs().to_bits()));
        Operand { neg: value.is_sign_negative(), ..positive }
    }

    /// A value that a port loads.
    pub fn load(&mut self, source: Source) -> Operand {
        self.make(Op::Load(source), &[])
    }

    /// An operation as it is; equal ones are one. What takes no signs gets its operands without.
    pub fn make(&mut self, op: Op, args: &[Operand]) -> Operand {
        let mut data = Data::new(op, args);
        if op.is_unsigned() {
            args.iter().enumerate().for_each(|(i, &arg)| data.args[i] = self.plain(arg));
        }
        if matches!(op, Op::Min | Op::Max) {
            // The same whichever stands first: one node serves both.
            data.args[..2].sort_unstable_by_key(|arg| (arg.node, arg.neg));
        }
        if !op.is_root()
            && let Some(&node) = self.known.get(&data)
        {
            self.exact[node.0 as usize] |= self.exact_now;
            return Operand { node, neg: false };
        }
        self.push(data)
    }

    /// A node of its own, even where there is an equal one.
    fn push(&mut self, data: Data) -> Operand {
        let node = Node(self.nodes.len() as u32);
        self.nodes.push(data);
        self.exact.push(self.exact_now);
        self.spans.push(self.span_now);
        self.known.insert(data, node);
        Operand { node, neg: false }
    }

    /// Product; signs go to the result. With 0 it is 0, as the languages allow where nothing says
    /// that the source is to be taken as it stands.
    pub fn mul(&mut self, a: Operand, b: Operand) -> Operand {
        let neg = a.neg != b.neg;
        let (a, b) = (Operand { neg: false, ..a }, Operand { neg: false, ..b });
        let turned = |operand: Operand| Operand { neg: operand.neg != neg, ..operand };
        match (self.constant(a), self.constant(b)) {
            (Some(x), Some(y)) => {
                let product = self.number(x * y);
                return turned(product);
            }
            (Some(1.0), _) => return turned(b),
            (_, Some(1.0)) => return turned(a),
            (Some(-1.0), _) => return turned(b).negated(),
            (_, Some(-1.0)) => return turned(a).negated(),
            (Some(0.0), _) | (_, Some(0.0)) if !self.exact_now => return self.number(0.0),
            _ => {}
        }
        let (a, b) = if a.node <= b.node { (a, b) } else { (b, a) };
        let product = self.make(Op::Mul(false), &[a, b]);
        turned(product)
    }

    /// Sum; what cancels is gone unless the source is to be taken as it stands.
    pub fn add(&mut self, a: Operand, b: Operand) -> Operand {
        match (self.constant(a), self.constant(b)) {
            (Some(x), Some(y)) => return self.number(x + y),
            (Some(0.0), _) => return b,
            (_, Some(0.0)) => return a,
            _ if a == b.negated() && !self.exact_now => return self.number(0.0),
            _ => {}
        }
        let (a, b) = if a.node <= b.node { (a, b) } else { (b, a) };
        // -a - b is -(a + b): one node serves both.
        if a.neg {
            let sum = self.make(Op::Add, &[a.negated(), b.negated()]);
            return sum.negated();
        }
        self.make(Op::Add, &[a, b])
    }

    /// Difference.
    pub fn sub(&mut self, a: Operand, b: Operand) -> Operand {
        self.add(a, b.negated())
    }

    /// An operand without a sign, for units that have none.
    pub fn plain(&mut self, a: Operand) -> Operand {
        if !a.neg {
            return a;
        }
        if let Some(value) = self.constant(a) {
            return self.load(Source::Constant(value.to_bits()));
        }
        let bare = Operand { neg: false, ..a };
        let data = *self.get(a.node);
        match (data.op, data.args()) {
            (Op::Mul(neg), args) => self.make(Op::Mul(!neg), args),
            (Op::Add, &[x, y]) => self.make(Op::Add, &[x.negated(), y.negated()]),
            (Op::Min, &[x, y]) => self.make(Op::Max, &[x.negated(), y.negated()]),
            (Op::Max, &[x, y]) => self.make(Op::Min, &[x.negated(), y.negated()]),
            (Op::Neg, &[x]) => x,
            _ => self.make(Op::Neg, &[bare]),
        }
    }

    /// A function of the complex unit; one of a constant is known now.
    pub fn function(&mut self, op: Op, x: Operand) -> Operand {
        if let Some(value) = self.constant(x).and_then(|x| op.of_number(x)) {
            return self.number(value);
        }
        let x = self.plain(x);
        self.make(op, &[x])
    }

    /// Whether each node serves a root, or the value that is wanted besides.
    #[must_use]
    pub fn needed(&self, besides: Option<Node>) -> Vec<bool> {
        let mut needed: Vec<bool> = self.nodes.iter().map(|data| data.op.is_root()).collect();
        if let Some(node) = besides {
            needed[node.0 as usize] = true;
        }
        for i in (0..self.nodes.len()).rev() {
            if needed[i] {
                self.nodes[i].args().iter().for_each(|arg| needed[arg.node.0 as usize] = true);
            }
        }
        needed
    }

    /// Takes away a store that a later one hides.
    pub fn drop_store(&mut self, place: Place) {
        for data in self.nodes.iter_mut().filter(|data| data.op == Op::Store(place)) {
            *data = NOTHING;
        }
    }

    /// Lets a store go to another place.
    pub fn store_instead(&mut self, place: Place, other: Place) {
        for data in self.nodes.iter_mut().filter(|data| data.op == Op::Store(place)) {
            data.op = Op::Store(other);
        }
    }

    /// Gives every load and store of a register another one; a store with none is gone.
    pub fn rename(&mut self, name: impl Fn((u8, u8)) -> Option<(u8, u8)>) {
        for data in &mut self.nodes {
            match data.op {
                Op::Load(Source::Register(i, c)) => {
                    let (i, c) = name((i, c)).unwrap_or((i, c));
                    data.op = Op::Load(Source::Register(i, c));
                }
                Op::Store(Place::Register(i, c)) => match name((i, c)) {
                    Some((i, c)) => data.op = Op::Store(Place::Register(i, c)),
                    None => *data = NOTHING,
                },
                _ => {}
            }
        }
    }

    /// How far each node is from the block's start, in instructions.
    #[must_use]
    pub fn depths(&self) -> Vec<u32> {
        let mut depths: Vec<u32> = Vec::with_capacity(self.nodes.len());
        for data in &self.nodes {
            let before = data.args().iter().map(|a| depths[a.node.0 as usize]).max().unwrap_or(0);
            depths.push(before + data.op.latency());
        }
        depths
    }
}
