//! Lengths that no schedule of a block can have.
//!
//! A length is taken for granted, and what follows from it: where parts fill every instruction of a stretch, all others
//! stand before it or behind it, and so does what hangs on them. A window that is empty then tells that the length cannot
//! be [R. Klein, A. Scholl, Computing lower bounds by destructive improvement, 1999].
//!
//! ```text
//! of 6 instructions     . c c c . .      three for the complex unit fill those that have one before and two behind them
//!                       . . . . c .      a fourth one that may begin there begins behind them; what needs it finds no room
//! ```

use rustc_hash::FxHashMap;

use super::super::around::Around;
use super::{
    LIMITS, Limit, Load, MAGNITUDE, Part, Resource, Window, Windows, counts, is_ident, operation, store_key,
};
use crate::compile::graph::{Data, Graph, Node, Op, Place, Source};

/// The first length from a known bound on that is not denied, up to one that is known to do, and what denied the last one.
#[must_use]
pub(in super::super) fn deny(
    graph: &Graph,
    (windows, around): (&Windows, &Around),
    (mut bound, mut limit): (u32, Limit),
    enough: u32,
) -> (u32, Limit) {
    let block = Build::of(graph, windows, around).block;
    while bound < enough
        && let Err(denied) = block.probe(bound)
    {
        (bound, limit) = (bound + 1, denied);
    }
    (bound, limit)
}

/// Windows, times those that are asked whether something stands at their begin or end.
const PROBES: usize = 1 << 17;

/// A block as windows of what stands in it: operations, loads, stores, and moves to them.
#[derive(Default)]
struct Block {
    /// Of the last step of each.
    windows: Vec<Window>,
    pieces: Vec<Piece>,
    orders: Vec<Order>,
    /// Those that are constants, of which one load brings four.
    constants: Vec<usize>,
    /// Operations that load constants of their own, and may bring others with them.
    clamps: usize,
}

/// A part of an operation, so many instructions before its last step.
struct Piece {
    item: usize,
    back: u32,
    resource: Resource,
    count: u32,
}

/// That the last step of one stands so many instructions behind that of another at least.
struct Order {
    before: usize,
    behind: usize,
    distance: u32,
}

impl Block {
    /// What is left of the windows in a block of a length, where each is asked as well whether something may stand at its
    /// begin, and at its end.
    fn probe(&self, length: u32) -> Result<Vec<Window>, Limit> {
        let mut windows = self.narrow(length, self.windows.clone())?;
        let mut left = PROBES / self.windows.len().max(1);
        let mut is_settled = false;
        while !is_settled {
            is_settled = true;
            for (item, at_end) in (0..windows.len()).flat_map(|item| [(item, false), (item, true)]) {
                while left > 0 && self.is_denied(length, &windows, (item, at_end)) {
                    let window = &mut windows[item];
                    *(if at_end { &mut window.tail } else { &mut window.head }) += 1;
                    windows = self.narrow(length, windows)?;
                    (left, is_settled) = (left - 1, false);
                }
                left = left.saturating_sub(1);
            }
        }
        Ok(windows)
    }

    /// Whether something cannot stand at the begin of its window, or at its end, which are not the same.
    fn is_denied(&self, length: u32, windows: &[Window], (item, at_end): (usize, bool)) -> bool {
        let Window { head, tail } = windows[item];
        let mut fixed = windows.to_vec();
        fixed[item] = match at_end {
            true => Window { head: length - 1 - tail, tail },
            false => Window { head, tail: length - 1 - head },
        };
        head + tail + 1 < length && self.narrow(length, fixed).is_err()
    }

    /// What is left of some windows in a block of a length.
    fn narrow(&self, length: u32, mut windows: Vec<Window>) -> Result<Vec<Window>, Limit> {
        let has_room = |windows: &[Window], limit: Limit| {
            let is_empty = |window: &Window| window.head + window.tail >= length;
            if windows.iter().any(is_empty) { Err(limit) } else { Ok(()) }
        };
        loop {
            self.follow(&mut windows);
            has_room(&windows, Limit::Path)?;
            let mut narrower = windows.clone();
            for limit in LIMITS {
                self.fill(limit, length, &mut narrower)?;
                has_room(&narrower, limit)?;
            }
            if narrower == windows {
                return Ok(windows);
            }
            windows = narrower;
        }
    }

    /// What stands before others has as much behind it, and the other way round.
    fn follow(&self, windows: &mut [Window]) {
        for order in &self.orders {
            let head = windows[order.before].head + order.distance;
            windows[order.behind].head = windows[order.behind].head.max(head);
        }
        for order in self.orders.iter().rev() {
            let tail = windows[order.behind].tail + order.distance;
            windows[order.before].tail = windows[order.before].tail.max(tail);
        }
    }

    /// Parts of a resource, where they may stand, with their pieces: constants have none.
    fn parts(&self, limit: Limit, windows: &[Window]) -> Vec<(Part, Option<&Piece>)> {
        let own = self.pieces.iter().filter(|piece| counts(piece.resource, limit)).map(|piece| {
            let Window { head, tail } = windows[piece.item];
            let (head, tail) = (head - piece.back, tail + piece.back);
            (Part { resource: piece.resource, count: piece.count, head, tail }, Some(piece))
        });
        let mut tails: Vec<u32> = self.constants.iter().map(|item| windows[*item].tail).collect();
        tails.sort_unstable_by_key(|tail| std::cmp::Reverse(*tail));
        let loads = tails.into_iter().step_by(4).skip(self.clamps).filter(|_| limit == Limit::Uniforms);
        let loads = loads.map(|tail| (Part { resource: Resource::Uniform, count: 1, head: 0, tail }, None));
        own.chain(loads).collect()
    }

    /// Moves windows out of all stretches that a resource has no room in for anything else.
    fn fill(&self, limit: Limit, length: u32, windows: &mut [Window]) -> Result<(), Limit> {
        let mut parts = self.parts(limit, windows);
        parts.sort_unstable_by_key(|(part, _)| std::cmp::Reverse(part.tail));
        let mut heads: Vec<u32> = parts.iter().map(|(part, _)| part.head).collect();
        heads.sort_unstable();
        heads.dedup();
        for head in heads {
            let mut load = Load::default();
            for same in parts.chunk_by(|(a, _), (b, _)| a.tail == b.tail) {
                let (tail, mut within) =
                    (same[0].0.tail, same.iter().filter(|(part, _)| part.head >= head).peekable());
                if within.peek().is_none() {
                    continue;
                }
                within.for_each(|(part, _)| load.add(*part));
                let taken = head + load.instructions(limit) + tail;
                if taken > length {
                    return Err(limit);
                }
                if taken == length {
                    self.leave(&parts, &load, (limit, length, Window { head, tail }), windows);
                }
            }
        }
        Ok(())
    }

    /// Moves windows out of one stretch that parts fill which stand nowhere else.
    fn leave(
        &self,
        parts: &[(Part, Option<&Piece>)],
        load: &Load,
        (limit, length, stretch): (Limit, u32, Window),
        windows: &mut [Window],
    ) {
        for (part, piece) in parts {
            let Some(piece) = piece else { continue };
            let (begins, ends) = (part.head >= stretch.head, part.tail >= stretch.tail);
            if begins == ends || load.with(*part).instructions(limit) <= load.instructions(limit) {
                continue;
            }
            let window = &mut windows[piece.item];
            if begins {
                window.head = window.head.max(length - stretch.tail + piece.back);
            } else {
                window.tail = window.tail.max((length - stretch.head).saturating_sub(piece.back));
            }
        }
    }
}

/// What is the same wherever a block has it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Name {
    Uniform(u16),
    Attribute(u8),
    Register(u8),
    /// By its bits but for the sign, which most units turn.
    Constant(u32),
    Store((u8, u16)),
    Move(Node),
}

/// The vec4 that constants are in, if it is one.
const CONSTANTS: (u16, u8) = (u16::MAX, 0);

/// A block that is made from a graph.
struct Build<'a> {
    graph: &'a Graph,
    block: Block,
    names: FxHashMap<Name, usize>,
    of_node: Vec<Option<usize>>,
    /// Destinations of each store half that a value is moved to.
    moved: FxHashMap<(Node, u8), Vec<(u8, u16)>>,
}

impl<'a> Build<'a> {
    fn of(graph: &'a Graph, windows: &Windows, around: &Around) -> Build<'a> {
        let of_node = vec![None; graph.nodes().len()];
        let (names, moved) = (FxHashMap::default(), FxHashMap::default());
        let mut build = Build { graph, block: Block::default(), names, of_node, moved };
        for (i, data) in graph.nodes().iter().enumerate().filter(|&(i, _)| windows.needed[i]) {
            let twin = windows.twins[i].0 as usize;
            match data.op {
                Op::Load(_) => {}
                // Their operands are the same ones, and one of them has the tail of both.
                _ if twin != i => build.of_node[i] = build.of_node[twin],
                Op::Store(place) => build.store(data, place, around),
                op => build.operation(i, op, (windows.ready[i], windows.tails[i])),
            }
        }
        build
    }

    fn item(&mut self, window: Window) -> usize {
        self.block.windows.push(window);
        self.block.windows.len() - 1
    }

    fn piece(&mut self, item: usize, resource: Resource) {
        self.block.pieces.push(Piece { item, back: 0, resource, count: 1 });
    }

    fn order(&mut self, before: usize, behind: usize, distance: u32) {
        self.block.orders.push(Order { before, behind, distance });
    }

    fn operation(&mut self, node: usize, op: Op, (ready, tail): (u32, u32)) {
        let (data, mut parts) = (&self.graph.nodes()[node], Vec::new());
        let ready = ready.max(self.vectors(data).saturating_sub(1));
        let window = Window { head: ready + op.span(), tail };
        operation(op, (ready, tail), &mut parts);
        let arguments: Vec<(usize, u32)> = self.arguments(data);
        let item = self.item(window);
        self.of_node[node] = Some(item);
        let piece = |part: Part| Piece {
            item,
            back: window.head - part.head,
            resource: part.resource,
            count: part.count,
        };
        self.block.pieces.extend(parts.into_iter().map(piece));
        if matches!(op, Op::Clamp(..)) {
            self.piece(item, Resource::Uniform);
            self.block.clamps += 1;
        }
        arguments.into_iter().for_each(|(made, wait)| self.order(made, item, wait + op.span()));
    }

    /// How many vec4 of port 2 an operation reads: of those all but one have to be moved before, since an instruction loads
    /// one. Limits of a clamp are read where they are loaded. Constants may all be in one vec4.
    fn vectors(&self, data: &Data) -> u32 {
        let vector = |source: Source| match source {
            Source::Uniform(address, _) | Source::Temporary(address, _) => Some((address, 0)),
            Source::Indexed(address, _, register) => Some((address, register)),
            Source::Constant(bits) => (!is_ident(data.op, bits)).then_some(CONSTANTS),
            Source::Attribute(..) | Source::Register(..) => None,
        };
        let read = data.args().iter().filter_map(|arg| match self.graph.get(arg.node).op {
            Op::Load(source) => vector(source),
            _ => None,
        });
        let mut all: Vec<(u16, u8)> =
            read.chain(matches!(data.op, Op::Clamp(..)).then_some(CONSTANTS)).collect();
        all.sort_unstable();
        all.dedup();
        all.len() as u32
    }

    /// What an operation reads, and how long after the last step of each it begins at least.
    fn arguments(&mut self, data: &Data) -> Vec<(usize, u32)> {
        let mut all = Vec::new();
        let is_moved = |source: Source| {
            matches!(data.op, Op::Clamp(..))
                && !matches!(source, Source::Attribute(..) | Source::Register(..))
        };
        for arg in data.args() {
            let (item, wait) = match self.graph.get(arg.node).op {
                Op::Load(source) => (self.load(source, data.op), u32::from(is_moved(source))),
                op => (self.of_node[arg.node.0 as usize], op.window().0),
            };
            all.extend(item.map(|item| (item, wait)));
        }
        all
    }

    /// The first load of what a source is in; it stands before all that use it, or with them.
    fn load(&mut self, source: Source, user: Op) -> Option<usize> {
        let (name, resource) = match source {
            Source::Uniform(address, _) => (Name::Uniform(address), Resource::Uniform),
            Source::Attribute(index, _) => (Name::Attribute(index), Resource::Attribute),
            Source::Register(index, _) => (Name::Register(index), Resource::Register),
            Source::Constant(bits) => return self.constant(bits, user),
            Source::Temporary(..) | Source::Indexed(..) => return None,
        };
        Some(self.named(name, Window::default(), |build, item| build.piece(item, resource)))
    }

    fn constant(&mut self, bits: u32, user: Op) -> Option<usize> {
        (!is_ident(user, bits)).then(|| {
            let name = Name::Constant(bits & MAGNITUDE);
            self.named(name, Window::default(), |build, item| build.block.constants.push(item))
        })
    }

    /// The item of a name, or a new one.
    fn named(&mut self, name: Name, window: Window, new: impl FnOnce(&mut Self, usize)) -> usize {
        if let Some(item) = self.names.get(&name) {
            return *item;
        }
        let item = self.item(window);
        self.names.insert(name, item);
        new(self, item);
        item
    }

    /// The last store to a destination stands behind all that it stores. What is loaded, and what comes late, is moved
    /// there.
    fn store(&mut self, data: &Data, place: Place, around: &Around) {
        let (key, value) = (store_key(place), data.args()[0].node);
        let window = Window { head: 0, tail: around.margin(place) };
        let resource = Resource::Store(key.0 & 1);
        let item = self.named(Name::Store(key), window, |build, item| build.piece(item, resource));
        let own = &mut self.block.windows[item];
        own.tail = own.tail.min(window.tail);
        let made = self.graph.get(value).op;
        let from = match made {
            Op::Load(source) => self.load(source, data.op),
            _ => self.of_node[value.0 as usize],
        };
        let wait = if made.is_late() { made.window().0 } else { 0 };
        from.into_iter().for_each(|from| self.order(from, item, wait));
        if made.is_late() || matches!(made, Op::Load(_)) {
            self.moves(value, key, (from, wait), window);
        }
    }

    /// One move feeds all stores of its instruction: every destination of a store half has one of its own.
    fn moves(&mut self, value: Node, key: (u8, u16), (from, wait): (Option<usize>, u32), window: Window) {
        let item = self.named(Name::Move(value), window, |_, _| {});
        let own = &mut self.block.windows[item];
        own.tail = own.tail.min(window.tail);
        from.into_iter().for_each(|from| self.order(from, item, wait));
        let known = |build: &Build<'_>, half: u8| build.moved.get(&(value, half)).map_or(0, Vec::len);
        let most = known(self, 0).max(known(self, 1));
        let places = self.moved.entry((value, key.0 & 1)).or_default();
        if !places.contains(&key) {
            places.push(key);
        }
        if places.len() > most {
            self.piece(item, Resource::Move);
        }
    }
}

#[cfg(test)]
mod tests {
    use chiaro_diag::Budget;
    use chiaro_isa::Rng;

    use super::super::lower_bound;
    use super::*;
    use crate::compile::graph::Operand;
    use crate::compile::schedule::schedule;

    /// The block of the page above, with a user so many instructions behind the fourth.
    fn block(distance: u32) -> Block {
        let begins = |tail| Window { head: 1, tail };
        let windows = vec![begins(2), begins(2), begins(2), begins(0), Window::default()];
        let piece = |item| Piece { item, back: 0, resource: Resource::Complex, count: 1 };
        let orders = vec![Order { before: 3, behind: 4, distance }];
        Block { windows, pieces: (0..4).map(piece).collect(), orders, ..Block::default() }
    }

    #[test]
    fn what_does_not_fit_into_a_full_stretch_stands_behind_it() {
        let windows = block(1).narrow(6, block(1).windows).expect("there is room");
        assert_eq!((windows[3].head, windows[4].head, windows[3].tail), (4, 5, 1));
        assert!(windows[..3].iter().all(|window| (window.head, window.tail) == (1, 2)));
        assert!(block(2).narrow(6, block(2).windows).is_err(), "its user stands behind the end");
        assert!(block(2).narrow(7, block(2).windows).is_ok());
        assert!(block(1).narrow(5, block(1).windows).is_err(), "three in two instructions");
    }

    const RESOURCES: [Resource; 6] = [
        Resource::Mul,
        Resource::Add(0),
        Resource::Add(1),
        Resource::Complex,
        Resource::Uniform,
        Resource::Store(1),
    ];

    /// Up to five items of one or two pieces, some of which stand behind others.
    fn random(rng: &mut Rng) -> Block {
        let mut block = Block::default();
        for item in 0..2 + rng.below(4) {
            let back = rng.below(2) as u32;
            block.windows.push(Window { head: back + rng.below(2) as u32, tail: rng.below(2) as u32 });
            for back in 0..=back {
                let resource = RESOURCES[rng.below(RESOURCES.len())];
                let count = if resource == Resource::Mul { 1 + rng.below(2) as u32 } else { 1 };
                block.pieces.push(Piece { item, back, resource, count });
            }
            if item > 0 && rng.below(2) == 0 {
                let (before, distance) = (rng.below(item), rng.below(3) as u32);
                block.orders.push(Order { before, behind: item, distance });
            }
        }
        block
    }

    /// Every way to place the items of a block in instructions.
    fn ways(block: &Block, length: u32) -> Vec<Vec<u32>> {
        let items = block.windows.len();
        let number = (length as usize).pow(items as u32);
        let way =
            |n: usize| (0..items).map(|i| (n / (length as usize).pow(i as u32)) as u32 % length).collect();
        let fits = |way: &Vec<u32>| {
            let in_window = |(window, at): (&Window, &u32)| window.head <= *at && at + window.tail < length;
            let in_order = |order: &Order| way[order.before] + order.distance <= way[order.behind];
            let has_room = |(now, limit): (u32, Limit)| {
                let pieces =
                    block.pieces.iter().filter(|p| way[p.item] == now + p.back && counts(p.resource, limit));
                let part = |p: &Piece| Part { resource: p.resource, count: p.count, head: 0, tail: 0 };
                pieces.fold(Load::default(), |load, piece| load.with(part(piece))).instructions(limit) <= 1
            };
            block.windows.iter().zip(way).all(in_window)
                && block.orders.iter().all(in_order)
                && (0..length).flat_map(|now| LIMITS.map(|limit| (now, limit))).all(has_room)
        };
        (0..number).map(way).filter(fits).collect()
    }

    /// What is left of windows has all ways to place what is in them; and asking for begins and ends denies more.
    #[test]
    fn no_way_is_denied() {
        let (mut denied, mut by_asking, mut rng) = (0, 0, Rng(1));
        for (block, length) in (0..3000).map(|n| (random(&mut rng), 2 + n % 4)) {
            let (ways, probed) = (ways(&block, length), block.probe(length));
            let is_within = |windows: &[Window], way: &[u32]| {
                windows.iter().zip(way).all(|(window, at)| window.head <= *at && at + window.tail < length)
            };
            match &probed {
                Err(_) => assert!(ways.is_empty(), "{length} is denied, and there is {:?}", ways[0]),
                Ok(windows) => assert!(ways.iter().all(|way| is_within(windows, way))),
            }
            denied += u32::from(probed.is_err());
            by_asking += u32::from(probed.is_err() && block.narrow(length, block.windows.clone()).is_ok());
        }
        assert!(denied > 500 && by_asking > 0, "{denied} denied, {by_asking} by asking");
    }

    /// What is proven of a block that stores one value, and how long its schedule is.
    fn proven(made: impl FnOnce(&mut Graph) -> Operand) -> (u32, u32) {
        let (mut graph, around) = (Graph::default(), Around::new(20, [0; 16]));
        let value = made(&mut graph);
        let value = graph.plain(value);
        graph.make(Op::Store(Place::Output(0, 0)), &[value]);
        let windows = Windows::new(&graph, &graph.depths(), &around);
        let known = lower_bound(&graph, &windows, &around);
        let made = schedule(&graph, &around, 3, &Budget::default()).expect("it fits");
        (deny(&graph, (&windows, &around), known, 10).0, made.quality.length)
    }

    /// An instruction loads one vec4 of port 2, and a clamp reads its limits there: all else from there is moved before.
    #[test]
    fn what_port_2_does_not_load_is_moved_before() {
        let limits = Op::Clamp(0.0_f32.to_bits(), 1.0_f32.to_bits());
        let uniform = |graph: &mut Graph, address| graph.load(Source::Uniform(address, 0));
        let clamped = proven(|graph| {
            let value = uniform(graph, 0);
            graph.make(limits, &[value])
        });
        let of_attribute = proven(|graph| {
            let value = graph.load(Source::Attribute(0, 0));
            graph.make(limits, &[value])
        });
        let product = |other| {
            proven(move |graph| {
                let (a, b) = (uniform(graph, 0), uniform(graph, other));
                graph.mul(a, b)
            })
        };
        assert_eq!([clamped, of_attribute, product(1), product(0)], [(2, 2), (1, 1), (2, 2), (1, 1)]);
    }
}
