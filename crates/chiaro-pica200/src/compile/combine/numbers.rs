//! Numbers that registers carry beside values.
//!
//! An instruction names one constant register, and a constant that stands alone in an output takes a word of its own.
//! Where an instruction has a component to spare, it can often make the number there for nothing: a product with 0
//! is 0, between 3 and 3 anything is 3, the larger of 1 and of what is never positive is 1.
//!
//! ```text
//! n4.xyz = mul c5.xyz, n3.xxx             n3.xyz = max {0 0 1}, {n2.x -n1.x -n1.x}      n1 = rsq ...
//! o1 = {n4.x n4.y n4.z 1}                 n4.xyzw = mad c5.xyzx, n3.xxxy, n3.yyyz
//!                                         o1 = {n4.x n4.y n4.z n4.w}
//! ```
//!
//! No value rounds elsewhere: what is added is 0. A number must not hang on a value that may be NaN, of which a
//! product with 0 is NaN too: what is undefined in one component of an output would be so in all. That none is
//! given to the program GLSL and WGSL let a compiler assume (GLSL ES 3.20 section 4.7.1, WGSL section 15.7.2).

mod bounds;

pub(super) use self::bounds::{is_number, is_positive};

use self::bounds::Bounds;
use super::sum::one_node;
use super::users::needs;
use crate::compile::graph::{Base, Component, Components, Graph, Id, Item, LANES, Node};
use crate::isa::Op;

/// How many operands deep numbers are looked for.
pub(super) const DEPTH: u32 = 8;
/// Nodes that are looked at for one component.
const STEPS: u32 = 48;
/// Items before a limit that are asked whether they are positive.
const NEAR: usize = 24;

/// Puts numbers into components that nodes have to spare.
pub(super) struct Carrier<'g> {
    pub(super) graph: &'g mut Graph,
    /// Nodes that something else than an instruction reads: they keep their components.
    sent: Vec<bool>,
    /// How many nodes and items read each node.
    counts: Vec<u32>,
    /// Nodes that the attempt at hand may still look at: every operand has operands.
    left: u32,
}

impl Carrier<'_> {
    pub(super) fn new(graph: &mut Graph) -> Carrier<'_> {
        let mut sent = vec![false; graph.nodes.len()];
        for item in graph.blocks.iter().flatten() {
            if let Item::Output(_, parts) | Item::Assign(_, parts) = item {
                parts.iter().flatten().filter_map(|c| c.node()).for_each(|id| sent[id as usize] = true);
            }
        }
        graph.addresses.iter().filter_map(|c| c.node()).for_each(|id| sent[id as usize] = true);
        let counts = graph.consumers();
        Carrier { graph, sent, counts, left: STEPS }
    }

    /// Whether only instructions read a node.
    pub(super) fn is_inner(&self, id: Id) -> bool {
        self.sent.get(id as usize) == Some(&false)
    }

    /// How many nodes and items read a node.
    pub(super) fn readers(&self, id: Id) -> u32 {
        self.counts.get(id as usize).copied().unwrap_or(0)
    }

    /// Does something, or leaves the nodes as they were.
    pub(super) fn attempt<T>(&mut self, what: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let before = self.graph.nodes.clone();
        self.left = STEPS;
        let done = what(self);
        if done.is_none() {
            self.graph.nodes = before;
        }
        done
    }

    /// The component of a node, among those that instructions read, that holds a number: one that does, or a new one.
    pub(super) fn carry(&mut self, id: Id, number: f32) -> Option<Component> {
        self.carried(id, number, DEPTH)
    }

    fn carried(&mut self, id: Id, number: f32, depth: u32) -> Option<Component> {
        let has = |lane: &u8| Bounds::of_lane(self.graph, id, *lane) == Bounds::exactly(number);
        if let Some(lane) = (0..self.graph.node(id).width).find(has) {
            return Some(Component::new(Base::Node(id), lane));
        }
        if depth == 0 || self.left == 0 || !self.is_inner(id) {
            return None;
        }
        self.left -= 1;
        self.widen(id, number, depth - 1)
    }

    /// A new component of a node that holds a number.
    pub(super) fn widen(&mut self, id: Id, number: f32, depth: u32) -> Option<Component> {
        let node = self.graph.node(id);
        if !node.is_each() || usize::from(node.width) >= LANES {
            return None;
        }
        let lane = match node.op? {
            Op::Mov => [self.operand(id, 0, number, depth)?, Component::UNDEF, Component::UNDEF],
            Op::Mul => self.product(id, number, depth)?,
            Op::Add => {
                let k = (0..2).find(|k| self.is_numbers(id, *k)).unwrap_or(1);
                let mut lane = [Component::UNDEF; 3];
                lane[1 - k] = self.operand(id, 1 - k, 0.0, depth)?;
                lane[k] = self.operand(id, k, number, depth)?;
                lane
            }
            Op::Mad => {
                let [a, b, _] = self.product(id, 0.0, depth)?;
                [a, b, self.operand(id, 2, number, depth)?]
            }
            Op::Flr if number.fract() == 0.0 => {
                [self.operand(id, 0, number, depth)?, Component::UNDEF, Component::UNDEF]
            }
            Op::Min | Op::Max if (0..2).all(|k| !self.is_numbers(id, k)) => {
                // Of two values there is no number that both are but by chance; zeros are had most easily.
                let all = [self.operand(id, 0, number, depth)?, self.operand(id, 1, number, depth)?];
                [all[0], all[1], Component::UNDEF]
            }
            op @ (Op::Min | Op::Max) => self.limit(id, op, number, depth)?,
            _ => return None,
        };
        let at = self.graph.node_mut(id).append(lane)?;
        Some(Component::new(Base::Node(id), at))
    }

    fn is_numbers(&self, id: Id, k: usize) -> bool {
        self.graph.node(id).has_numbers(k)
    }

    /// What an operand can name for a number, beside what it names already.
    pub(super) fn operand(&mut self, id: Id, k: usize, number: f32, depth: u32) -> Option<Component> {
        if self.is_numbers(id, k) {
            return Some(Component::constant(number));
        }
        let node = self.graph.node(id);
        let (of, neg) = one_node(&node.args[k][..usize::from(node.width)])?;
        let found = self.carried(of, if neg { 0.0 - number } else { number }, depth)?;
        Some(if neg { found.negated() } else { found })
    }

    /// Factors of a number: 0 and anything, or 1 and the number.
    pub(super) fn product(&mut self, id: Id, number: f32, depth: u32) -> Option<[Component; 3]> {
        let mut lane = [Component::UNDEF; 3];
        let k = (0..2).find(|k| self.is_numbers(id, *k));
        if number != 0.0 {
            let k = k?;
            lane[1 - k] = self.operand(id, 1 - k, 1.0, depth)?;
            lane[k] = Component::constant(number);
            return Some(lane);
        }
        let order = if k == Some(1) { [1, 0] } else { [0, 1] };
        order.into_iter().find_map(|k| {
            let node = self.graph.node(id);
            let others = &node.args[1 - k][..usize::from(node.width)];
            lane[1 - k] = *others.iter().find(|c| is_number(self.graph, **c))?;
            lane[k] = self.operand(id, k, 0.0, depth)?;
            Some(lane)
        })
    }

    /// A number, and what is never beyond it.
    fn limit(&mut self, id: Id, op: Op, number: f32, depth: u32) -> Option<[Component; 3]> {
        let side = (0..2).find(|k| self.is_numbers(id, *k))?;
        let limited = self.never_beyond(id, op, 1 - side, number, depth)?;
        let mut lane = [Component::UNDEF; 3];
        (lane[side], lane[1 - side]) = (Component::constant(number), limited);
        Some(lane)
    }

    /// What an operand can name that is at most a number (for MAX) or at least (for MIN).
    fn never_beyond(&mut self, id: Id, op: Op, k: usize, number: f32, depth: u32) -> Option<Component> {
        let node = self.graph.node(id);
        let named = node.args[k];
        let named = &named[..usize::from(node.width)];
        if let Some(found) = named.iter().find(|c| self.is_within(**c, op, number)) {
            return Some(*found);
        }
        let (of, neg) = one_node(named)?;
        if neg {
            return None;
        }
        if let Some(clamp) = self.clamped(of, op, number) {
            return Some(clamp);
        }
        if let Some(found) = self.carried(of, number, depth) {
            return Some(found);
        }
        self.relative(id, k, of, op, number)
    }

    /// A component more of the other limit of a clamp: `min(max(x, 3), 3)`.
    fn clamped(&mut self, of: Id, outer: Op, number: f32) -> Option<Component> {
        let node = self.graph.node(of);
        let opposite = matches!((outer, node.op), (Op::Min, Some(Op::Max)) | (Op::Max, Some(Op::Min)));
        if !opposite || !self.is_inner(of) {
            return None;
        }
        let side = (0..2).find(|k| self.is_numbers(of, *k))?;
        if !is_number(self.graph, node.args[1 - side][0]) {
            return None;
        }
        let mut lane = [Component::UNDEF; 3];
        (lane[side], lane[1 - side]) = (Component::constant(number), node.args[1 - side][0]);
        let at = self.graph.node_mut(of).append(lane)?;
        Some(Component::new(Base::Node(of), at))
    }

    /// Something that is known to be on the right side, in the sign that the operand has: an operand of what is limited,
    /// or what is computed before the limit. If it is on the wrong side, what is limited changes its sign, which is
    /// free for products.
    fn relative(&mut self, id: Id, k: usize, of: Id, op: Op, number: f32) -> Option<Component> {
        let node = self.graph.node(of);
        let fits = |c: &Component| self.fits_beside(of, c.node());
        let is_node = |c: &Component| c.node().is_some_and(|id| self.graph.node(id).op.is_some());
        let own = node.uses().map(Component::plain).filter(is_node);
        let all: Vec<Component> = own.chain(self.before(id)).filter(fits).collect();
        let within = |c: &Component| self.is_within(*c, op, number);
        if let Some(found) = all.iter().find(|c| within(c)) {
            return Some(*found);
        }
        let found = all.iter().map(|c| c.negated()).find(within)?;
        self.turn(id, k, of).then_some(found)
    }

    /// What the instructions before another one of its block give that is never negative, the nearest first.
    fn before(&self, id: Id) -> impl Iterator<Item = Component> {
        let items = self.graph.blocks.iter().find_map(|items| {
            let at = items.iter().position(|item| item.node() == Some(id))?;
            Some(&items[at.saturating_sub(NEAR)..at])
        });
        let ids = items.into_iter().flatten().rev().filter_map(Item::node);
        let ids = ids.filter(|id| is_made_positive(self.graph.node(*id)));
        let lanes =
            |id: Id| (0..self.graph.node(id).width).map(move |lane| Component::new(Base::Node(id), lane));
        ids.flat_map(lanes)
    }

    /// Has an operand of a limit, which nothing else reads, change its sign. A limit beside it that can do so too
    /// becomes one with it.
    fn turn(&mut self, id: Id, k: usize, of: Id) -> bool {
        if self.readers(of) != 1 || !self.flip(of) {
            return false;
        }
        self.negate(id, k);
        let ids: Vec<Id> = self
            .graph
            .blocks
            .iter()
            .find(|items| items.iter().any(|item| item.node() == Some(id)))
            .into_iter()
            .flatten()
            .filter_map(Item::node)
            .collect();
        for other in ids {
            let _ = self.take_in(id, k, other);
        }
        true
    }

    fn negate(&mut self, id: Id, k: usize) {
        let node = self.graph.node_mut(id);
        for component in &mut node.args[k][..usize::from(node.width)] {
            *component = component.negated();
        }
    }

    /// Puts a limit by numbers into one whose operand has changed its sign.
    fn take_in(&mut self, id: Id, k: usize, other: Id) -> Option<()> {
        let (node, limit) = (self.graph.node(other), self.graph.node(id));
        let is_alike =
            other != id && node.op == limit.op && self.is_inner(other) && self.is_numbers(other, 1 - k);
        let (of, neg) = one_node(&node.args[k][..usize::from(node.width)]).filter(|_| is_alike)?;
        // The numbers that it is widened for want room, too.
        let is_free = self.readers(of) == 1 && !neg && usize::from(node.width + limit.width) + 2 <= LANES;
        if !is_free || needs(self.graph, id, other) || needs(self.graph, other, id) || !self.flip(of) {
            return None;
        }
        self.negate(other, k);
        let (from, lanes) = (self.graph.node(other).clone(), self.graph.node(id).width);
        for lane in 0..usize::from(from.width) {
            self.graph.node_mut(id).append(from.args.map(|arg| arg[lane]))?;
        }
        self.graph.each_operand(|component| {
            if component.base == Base::Node(other) {
                (component.base, component.part) = (Base::Node(id), component.part + lanes);
            }
        });
        Some(())
    }

    /// Whether a component is a number that MAX (or MIN) with another one makes that.
    fn is_within(&self, component: Component, op: Op, number: f32) -> bool {
        Bounds::of(self.graph, component).is_within(op, number) && is_number(self.graph, component)
    }

    /// Makes a node compute the opposite. A product hands that down to a factor that nothing else reads, so that its
    /// own operands stay alike to those of other products.
    fn flip(&mut self, id: Id) -> bool {
        let node = self.graph.node(id);
        let n = usize::from(node.width);
        let own = (0..2).filter(|_| node.op == Some(Op::Mul)).find_map(|k| {
            let (of, _) = one_node(&node.args[k][..n])?;
            let is_own = self.readers(of) == 1 && self.is_inner(of);
            (is_own && node.args[1 - k][..n].iter().all(|c| c.node() != Some(of))).then_some(of)
        });
        own.is_some_and(|of| flip(self.graph, of)) || flip(self.graph, id)
    }

    /// Whether two nodes fit one register.
    fn fits_beside(&self, a: Id, b: Option<Id>) -> bool {
        b.is_some_and(|b| usize::from(self.graph.node(a).width + self.graph.node(b).width) <= LANES)
    }
}

/// Whether an operation gives nothing negative, whatever it is of.
fn is_made_positive(node: &Node) -> bool {
    let is_square = |n: usize| node.args[0][..n] == node.args[1][..n];
    match node.op {
        Some(Op::Rsq | Op::Ex2 | Op::Sge | Op::Slt) => true,
        Some(Op::Dp3) => is_square(3),
        Some(Op::Dp4) => is_square(4),
        Some(Op::Mul) => is_square(usize::from(node.width)),
        _ => false,
    }
}

/// Makes a node compute the opposite, if signs of operands do that; its readers are left alone.
fn flip(graph: &mut Graph, id: Id) -> bool {
    let node = graph.node_mut(id);
    let operands: &[usize] = match node.op {
        Some(Op::Mul | Op::Dp3 | Op::Dp4) => &[0],
        Some(Op::Dph) => &[1],
        Some(Op::Add) => &[0, 1],
        Some(Op::Mad) => &[0, 2],
        _ => return false,
    };
    let turn = |arg: &mut Components| arg.iter_mut().for_each(|c| *c = c.negated());
    operands.iter().for_each(|k| turn(&mut node.args[*k]));
    true
}
