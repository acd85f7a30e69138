//! Lower bounds on the length of a block: what a schedule is measured against.
//!
//! Every part of an operation has a head (instructions that must come before it) and a tail
//! (instructions that must come after). Parts that share a resource and whose heads and tails
//! are at least `h` and `q` need `h` + their number over the resource's width + `q` instructions;
//! the largest such sum over all thresholds is the bound. With no part of its own in the way it
//! is the longest path. Moves that only carry a value are not counted. spec section 14.4.
//! [`refine()`] makes heads and tails larger by the same bound of what is before and behind each node, and [`deny()`] takes
//! lengths for granted until one is left that nothing speaks against.

mod deny;
mod refine;

use rustc_hash::FxHashMap;

use super::around::Around;
use super::steps::{ADDERS, COMPLEX, MULTIPLIERS, PASS, SIGNS, steps};
use super::work::Work;
use crate::compile::graph::{Data, Graph, Node, Op, Place, Source};
pub(super) use deny::deny;
pub(super) use refine::refine;

/// What keeps a block from being shorter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Limit {
    /// The longest chain of operations.
    #[default]
    Path,
    /// The two multipliers.
    Multipliers,
    /// The two adders, which share one operation.
    Adders,
    /// The complex unit.
    Complex,
    /// The pass unit.
    Pass,
    /// All six units together.
    Units,
    /// Load port 2: vec4 of uniform memory.
    Uniforms,
    /// Load port 0: attributes.
    Attributes,
    /// Ports 0 and 1: registers.
    Registers,
    /// A store half: destinations of x and y, or of z and w.
    Stores,
    /// Several of them together: an exhaustive search found nothing shorter.
    Search,
}

impl Limit {
    /// Its name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Limit::Path => "path",
            Limit::Multipliers => "multipliers",
            Limit::Adders => "adders",
            Limit::Complex => "complex unit",
            Limit::Pass => "pass unit",
            Limit::Units => "all units",
            Limit::Uniforms => "uniform port",
            Limit::Attributes => "attribute port",
            Limit::Registers => "register ports",
            Limit::Stores => "stores",
            Limit::Search => "exhaustive search",
        }
    }
}

/// A resource that parts compete for, with how many of them an instruction takes. Each opcode
/// of the adders counts by itself, since both adders run the same.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Resource {
    Mul,
    Add(u8),
    Complex,
    Pass,
    /// A unit of several: a value is moved, or its sign turned.
    Move,
    Uniform,
    Attribute,
    Register,
    Store(u8),
}

/// A part of an operation.
#[derive(Clone, Copy)]
struct Part {
    resource: Resource,
    count: u32,
    head: u32,
    tail: u32,
}

/// Instructions before and after something at least.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Window {
    head: u32,
    tail: u32,
}

/// Where the nodes of a block may stand.
pub(super) struct Windows {
    /// Whether each serves a root.
    pub(super) needed: Vec<bool>,
    /// The first node with the same value, but for its sign.
    pub(super) twins: Vec<Node>,
    /// Instructions before each node's first step at least.
    pub(super) ready: Vec<u32>,
    /// Instructions behind its last step at least.
    pub(super) tails: Vec<u32>,
}

impl Windows {
    /// What the longest paths say.
    pub(super) fn new(graph: &Graph, depths: &[u32], around: &Around) -> Windows {
        let needed = graph.needed(None);
        let twins = graph.twins(&needed);
        let tails = tails_of_twins(tails(graph, &needed, around), &twins);
        let before = |data: &Data| data.args().iter().map(|arg| depths[arg.node.0 as usize]).max();
        let ready = graph.nodes().iter().map(|data| before(data).unwrap_or(0)).collect();
        Windows { needed, twins, ready, tails }
    }
}

/// The bound, and what sets it.
#[must_use]
pub(super) fn lower_bound(graph: &Graph, windows: &Windows, around: &Around) -> (u32, Limit) {
    let parts = parts(graph, windows, around);
    let path = parts.iter().map(|part| part.head + part.tail + 1).max().unwrap_or(0);
    let mut best = (path, Limit::Path);
    for limit in LIMITS {
        let bound = head_tail(&parts, limit, best.0);
        if bound > best.0 {
            best = (bound, limit);
        }
    }
    best
}

/// A bound that costs one look at each node: the longest path, or what the units have room for. It
/// tells of a program that no order makes fit before any order is tried.
#[must_use]
pub fn quick_bound(graph: &Graph) -> u32 {
    let (needed, depths) = (graph.needed(None), graph.depths());
    let (mut work, mut path) = (Work::default(), 0);
    for (data, _) in graph.nodes().iter().zip(needed).filter(|(_, needed)| *needed) {
        work.change(data.op, 1);
        let before = data.args().iter().map(|arg| depths[arg.node.0 as usize]).max();
        path = path.max(before.unwrap_or(0));
    }
    path.max(work.instructions())
}

const LIMITS: [Limit; 9] = [
    Limit::Multipliers,
    Limit::Adders,
    Limit::Complex,
    Limit::Pass,
    Limit::Uniforms,
    Limit::Attributes,
    Limit::Stores,
    Limit::Registers,
    Limit::Units,
];

/// Instructions from the last part of each node to the block's end.
fn tails(graph: &Graph, needed: &[bool], around: &Around) -> Vec<u32> {
    let mut tails = vec![0u32; graph.nodes().len()];
    for (i, data) in graph.nodes().iter().enumerate().rev() {
        if !needed[i] {
            continue;
        }
        let own = match data.op {
            Op::Store(place) => around.margin(place),
            _ => tails[i],
        };
        for arg in data.args() {
            let made = graph.get(arg.node).op;
            let after = match data.op {
                // Stored in the instruction that makes it, or moves it.
                Op::Store(_) => own + if made.is_late() { made.window().0 } else { 0 },
                _ => own + data.op.span() + made.window().0.max(1),
            };
            let tail = &mut tails[arg.node.0 as usize];
            *tail = (*tail).max(after);
        }
    }
    tails
}

/// Of two that differ in their sign one may be made of the other: that one serves all users, and the
/// other counts for nothing.
fn tails_of_twins(mut tails: Vec<u32>, twins: &[Node]) -> Vec<u32> {
    for (i, twin) in twins.iter().enumerate() {
        tails[twin.0 as usize] = tails[twin.0 as usize].max(tails[i]);
    }
    tails
}

fn parts(graph: &Graph, windows: &Windows, around: &Around) -> Vec<Part> {
    let mut parts = Vec::with_capacity(graph.nodes().len() * 2);
    let (mut ports, mut moved) = (Ports::default(), Moved::default());
    for (i, data) in graph.nodes().iter().enumerate().filter(|&(i, _)| windows.needed[i]) {
        let ready = windows.ready[i];
        let tail = match data.op {
            Op::Store(place) => around.margin(place),
            _ => windows.tails[i],
        };
        if windows.twins[i].0 as usize == i {
            operation(data.op, (ready, tail), &mut parts);
        }
        ports.loads(graph, data, Window { head: ready, tail });
        if let Op::Store(place) = data.op {
            let value = data.args()[0].node;
            let is_moved = moved.stored(graph, value, place, Window { head: ready, tail });
            let head = if is_moved { ready } else { ready.saturating_sub(1) };
            ports.store(place, Window { head, tail });
        }
    }
    ports.into_parts(&mut parts);
    moved.into_parts(&mut parts);
    parts
}

/// What ports 0 to 2 load and the store halves write, each at least once.
#[derive(Default)]
struct Ports {
    vectors: FxHashMap<(u8, u16), Window>,
    /// Constants of either sign, since most units turn it.
    constants: FxHashMap<u32, Window>,
}

impl Ports {
    /// A load may stand anywhere before its use: moves or a register bring the value there. The
    /// first one stands before all uses.
    fn loads(&mut self, graph: &Graph, user: &Data, at: Window) {
        let before = |old: Window| Window { head: 0, tail: old.tail.max(at.tail) };
        let none = Window::default();
        for arg in user.args() {
            let name = match graph.get(arg.node).op {
                Op::Load(Source::Uniform(address, _)) => (0, address),
                Op::Load(Source::Attribute(index, _)) => (1, index.into()),
                Op::Load(Source::Register(index, _)) => (2, index.into()),
                Op::Load(Source::Constant(bits)) if !is_ident(user.op, bits) => {
                    let window = self.constants.entry(bits & MAGNITUDE).or_insert(none);
                    *window = before(*window);
                    continue;
                }
                _ => continue,
            };
            let window = self.vectors.entry(name).or_insert(none);
            *window = before(*window);
        }
        if let Op::Clamp(low, high) = user.op {
            for bits in [low, high] {
                let window = self.constants.entry(bits & MAGNITUDE).or_insert(none);
                *window = before(*window);
            }
        }
    }

    /// The last store to a destination stands behind all that it stores.
    fn store(&mut self, place: Place, at: Window) {
        let window = self.vectors.entry(store_key(place)).or_insert(at);
        *window = Window { head: window.head.max(at.head), tail: window.tail.min(at.tail) };
    }

    fn into_parts(self, parts: &mut Vec<Part>) {
        for ((kind, _), Window { head, tail }) in self.vectors {
            let resource = match kind {
                0 => Resource::Uniform,
                1 => Resource::Attribute,
                2 => Resource::Register,
                _ => Resource::Store(kind & 1),
            };
            parts.push(Part { resource, count: 1, head, tail });
        }
        // Four constants come with one load at best: of any so many, those that are needed last.
        let mut tails: Vec<u32> = self.constants.into_values().map(|window| window.tail).collect();
        tails.sort_unstable_by_key(|&tail| std::cmp::Reverse(tail));
        let loads = tails.iter().step_by(4);
        parts.extend(loads.map(|&tail| Part { resource: Resource::Uniform, count: 1, head: 0, tail }));
    }
}

/// Values that stores get through moves: what is loaded, and results of complex1.
#[derive(Default)]
struct Moved {
    values: FxHashMap<Node, (Window, Vec<(u8, u16)>)>,
}

impl Moved {
    /// Whether a stored value needs a move. One move feeds all stores of its instruction: every
    /// destination of a store half has one of its own.
    fn stored(&mut self, graph: &Graph, value: Node, place: Place, at: Window) -> bool {
        let made = graph.get(value).op;
        if !made.is_late() && !matches!(made, Op::Load(_)) {
            return false;
        }
        let (window, places) = self.values.entry(value).or_insert((at, Vec::new()));
        *window = Window { head: window.head.min(at.head), tail: window.tail.min(at.tail) };
        let key = store_key(place);
        if !places.contains(&key) {
            places.push(key);
        }
        true
    }

    fn into_parts(self, parts: &mut Vec<Part>) {
        for (Window { head, tail }, places) in self.values.into_values() {
            let first = places.iter().filter(|(kind, _)| kind & 1 == 0).count();
            let count = first.max(places.len() - first) as u32;
            parts.push(Part { resource: Resource::Move, count, head, tail });
        }
    }
}

/// A float's bits but for its sign.
pub(super) const MAGNITUDE: u32 = u32::MAX >> 1;

/// Destinations of a store half are distinct by kind and index.
fn store_key(place: Place) -> (u8, u16) {
    let (kind, index, component) = match place {
        Place::Output(index, component) => (0, index, component),
        Place::Register(index, component) => (256, index, component),
        Place::Temporary(component) => (512, 0, component),
    };
    (4 + component / 2, kind + u16::from(index))
}

/// Whether operand B can be the constant without a load.
pub(super) fn is_ident(op: Op, bits: u32) -> bool {
    match op {
        Op::Mul(_) => f32::from_bits(bits) == 1.0,
        _ => bits == 0 && op.adder().is_some(),
    }
}

/// Whether some operand B is a constant without a load.
pub(super) fn is_number(bits: u32) -> bool {
    [0.0, 1.0_f32].map(f32::to_bits).contains(&bits)
}

/// What an operation takes: parts in the instructions of its making. Heads and tails of them
/// follow from those of its operands and result.
fn operation(op: Op, (ready, tail): (u32, u32), parts: &mut Vec<Part>) {
    for &(back, unit, count) in steps(op) {
        let resource = match unit {
            MULTIPLIERS => Resource::Mul,
            COMPLEX => Resource::Complex,
            PASS => Resource::Pass,
            SIGNS => Resource::Move,
            adder => Resource::Add((adder - ADDERS) as u8),
        };
        parts.push(Part { resource, count, head: ready + op.span() - back, tail: tail + back });
    }
}

/// The largest head + load + tail of one resource over all thresholds, if it is more than is known.
fn head_tail(parts: &[Part], limit: Limit, known: u32) -> u32 {
    let mut by_tail: Vec<Part> = parts.iter().copied().filter(|part| counts(part.resource, limit)).collect();
    // No threshold gives more than all parts with the largest head and tail would.
    let mut whole = Load::default();
    by_tail.iter().for_each(|&part| whole.add(part));
    let farthest = |of: fn(&Part) -> u32| by_tail.iter().map(of).max().unwrap_or(0);
    if farthest(|part| part.head) + whole.instructions(limit) + farthest(|part| part.tail) <= known {
        return known;
    }
    by_tail.sort_unstable_by_key(|part| std::cmp::Reverse(part.tail));
    let mut by_head = by_tail.clone();
    by_head.sort_unstable_by_key(|part| std::cmp::Reverse(part.head));
    let (mut all, mut most_tail, mut best) = (Load::default(), 0, known);
    for same in by_head.chunk_by(|a, b| a.head == b.head) {
        let head = same[0].head;
        same.iter().for_each(|&part| all.add(part));
        most_tail = same.iter().map(|part| part.tail).fold(most_tail, u32::max);
        // No threshold of the tail gives more than all parts with the largest tail would.
        if head + all.instructions(limit) + most_tail <= best {
            continue;
        }
        let mut load = Load::default();
        for part in by_tail.iter().filter(|part| part.head >= head) {
            load.add(*part);
            best = best.max(head + load.instructions(limit) + part.tail);
        }
    }
    best
}

fn counts(resource: Resource, limit: Limit) -> bool {
    match limit {
        Limit::Path | Limit::Search => false,
        Limit::Multipliers => resource == Resource::Mul,
        Limit::Adders => matches!(resource, Resource::Add(_)),
        Limit::Complex => resource == Resource::Complex,
        Limit::Pass => resource == Resource::Pass,
        Limit::Uniforms => resource == Resource::Uniform,
        Limit::Attributes => resource == Resource::Attribute,
        Limit::Registers => matches!(resource, Resource::Attribute | Resource::Register),
        Limit::Stores => matches!(resource, Resource::Store(_)),
        Limit::Units => matches!(
            resource,
            Resource::Mul | Resource::Add(_) | Resource::Complex | Resource::Pass | Resource::Move
        ),
    }
}

/// Parts that were counted, by opcode of the adders or store half.
#[derive(Clone, Copy, Default)]
struct Load {
    counts: [u32; 8],
    total: u32,
}

impl Load {
    fn add(&mut self, part: Part) {
        self.total += part.count;
        let class = match part.resource {
            Resource::Add(op) => op,
            Resource::Store(half) => half,
            _ => 0,
        };
        self.counts[usize::from(class & 7)] += part.count;
    }

    /// The same with one more.
    fn with(mut self, part: Part) -> Load {
        self.add(part);
        self
    }

    /// Instructions that they fill.
    fn instructions(&self, limit: Limit) -> u32 {
        match limit {
            Limit::Adders => self.counts.iter().map(|count| count.div_ceil(2)).sum(),
            Limit::Stores => self.counts[0].max(self.counts[1]),
            Limit::Units => self.total.div_ceil(6),
            Limit::Multipliers | Limit::Registers => self.total.div_ceil(2),
            _ => self.total,
        }
    }
}
