//! Lanes that an instruction reads together come to stand in one register.
//!
//! An operand names one register and one sign. Where its lanes come from several places, in this
//! order: instructions that do the same to single lanes become one that does it to all (packing);
//! values are given a common *web*, that is, the allocator puts them into one register; at last
//! lanes are moved. Outputs and variables are webs with fixed places: what only they read is
//! computed right there.
//!
//! Blocks are worked on from the end, so that what reads lanes says where they should be before
//! what computes them is looked at.

use crate::compile::graph::{Base, Block, Cond, Graph, Id, Index, Item, Lane, Lanes, operands};
use crate::compile::schedule::homes::{Homes, Out};
use crate::compile::schedule::operands::instruction;
use crate::isa::Op;
use std::collections::HashMap;

/// What can be named by one operand together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Key {
    /// Numbers, whatever their signs.
    Const,
    Input(u8, bool),
    Uniform(u8, Index, bool),
    Web(u32, bool),
}

/// A block's contents with the order in which they were meant.
pub(crate) type Ordered = Vec<(u32, Item)>;

/// Looks at a block's operands at most; each packs some, moves the rest.
const MOST_ROUNDS: u32 = 64;

struct Gather<'g> {
    graph: &'g mut Graph,
    homes: Homes,
    counts: Vec<u32>,
    /// The block that each node is in.
    block_of: Vec<Block>,
    /// The block around each block.
    parents: Vec<Option<Block>>,
    /// Nodes that were packed into others: where their lanes are.
    packed: Vec<Option<(Id, u8)>>,
    /// Bundles that were moved together in the block at hand.
    moved: HashMap<Vec<Lane>, Lanes>,
    /// New instructions of the block at hand.
    fresh: Ordered,
    block: Block,
    /// When the EMITs of the block at hand stand.
    emits: Vec<u32>,
    /// When each instruction of the block at hand stood.
    times: HashMap<Id, u32>,
}

/// Settles where lanes stand. The blocks become ordered lists; outputs and assignments in them
/// become instructions that write there.
pub(crate) fn gather(graph: &mut Graph) -> (Homes, Vec<Ordered>) {
    let counts = crate::compile::combine::consumers(graph);
    let homes = Homes::new(graph);
    let mut block_of = vec![Block::MAX; graph.nodes.len()];
    for (block, items) in graph.blocks.iter().enumerate() {
        for item in items {
            if let Item::Node(id) | Item::If(Cond::Flags(id, _), ..) | Item::Break(Cond::Flags(id, _)) = item
            {
                block_of[*id as usize] = block as Block;
            }
        }
    }
    let parents = graph.parents();
    let packed = vec![None; graph.nodes.len()];
    let (moved, fresh) = (HashMap::new(), Vec::new());
    let (emits, times) = (Vec::new(), HashMap::new());
    let mut g =
        Gather { graph, homes, counts, block_of, parents, packed, moved, fresh, block: 0, emits, times };
    let mut blocks: Vec<Ordered> = vec![Vec::new(); g.graph.blocks.len()];
    for block in (0..blocks.len()).rev() {
        blocks[block] = g.run(block as Block);
    }
    let Gather { graph, homes, packed, .. } = g;
    let place = |lane: &mut Lane| follow(&packed, lane);
    graph.each_lane(place);
    for (_, item) in blocks.iter_mut().flatten() {
        if let Item::Assign(_, parts) = item {
            parts.iter_mut().flatten().for_each(place);
        }
    }
    (homes, blocks)
}

fn follow(packed: &[Option<(Id, u8)>], lane: &mut Lane) {
    while let Base::Node(id) = lane.base
        && let Some(Some((to, off))) = packed.get(id as usize)
    {
        (lane.base, lane.part) = (Base::Node(*to), lane.part + off);
    }
}

impl Gather<'_> {
    fn run(&mut self, block: Block) -> Ordered {
        self.block = block;
        self.moved.clear();
        let items = std::mem::take(self.graph.items_mut(block));
        let mut order: Ordered =
            items.into_iter().enumerate().map(|(i, item)| (2 * i as u32 + 1, item)).collect();
        self.note_times(&order);
        for (at, item) in order.iter().rev() {
            match item {
                Item::Output(register, parts) => self.output(*at, *register, *parts),
                Item::Assign(variable, parts) => self.assign(*at, *variable, *parts),
                _ => {}
            }
        }
        order.retain(|(_, item)| !matches!(item, Item::Output(..) | Item::Assign(..)));
        order.append(&mut self.fresh);
        order.sort_by_key(|(at, _)| *at);
        self.pack_outputs(&order);
        // Packing can give lanes to an instruction that was looked at before.
        for _ in 0..MOST_ROUNDS {
            let mut is_settled = true;
            for (at, item) in order.iter().rev() {
                let Some(id) = instruction(item).filter(|id| !self.is_gathered(*id)) else { continue };
                self.operands(*at, id);
                is_settled = false;
            }
            order.append(&mut self.fresh);
            order.sort_by_key(|(at, _)| *at);
            if is_settled {
                break;
            }
        }
        let packed = &self.packed;
        order.retain(|(_, item)| !matches!(item, Item::Node(id) if packed[*id as usize].is_some()));
        order
    }

    /// Remembers where the EMITs of a block stand, and what else stands before which of them.
    fn note_times(&mut self, order: &Ordered) {
        self.emits.clear();
        self.times.clear();
        self.emits.extend(order.iter().filter(|(_, item)| matches!(item, Item::Emit(_))).map(|(at, _)| *at));
        if !self.emits.is_empty() {
            let nodes = order.iter().filter_map(|(at, item)| Some((instruction(item)?, *at)));
            self.times.extend(nodes);
        }
    }

    /// The EMIT that takes what is written at a time.
    fn emit_behind(&self, at: u32) -> u32 {
        self.emits.iter().copied().find(|emit| *emit > at).unwrap_or(u32::MAX)
    }

    /// Whether an instruction may write an output at a time: it may have to wait for an EMIT,
    /// which what reads variables cannot.
    fn may_wait(&self, id: Id, at: u32) -> bool {
        let is_variable = |lane: Lane| match lane.base {
            Base::Node(id) => self.graph.node(id).op.is_none(),
            Base::Uniform(_, Index::Address(k)) => {
                let address = self.graph.addresses.get(usize::from(k));
                address.and_then(|lane| lane.node()).is_some_and(|id| self.graph.node(id).op.is_none())
            }
            _ => false,
        };
        let stood = self.times.get(&id).copied().unwrap_or(at);
        self.emit_behind(stood) == self.emit_behind(at) || !self.graph.node(id).uses().any(is_variable)
    }

    fn add(&mut self, at: u32, op: Op, width: u8, args: &[Lanes], like: Option<Id>) -> Id {
        let span = like.and_then(|id| self.graph.node(id).span);
        let id = self.graph.add(op, width, args, span);
        self.homes.grow(self.graph);
        self.counts.push(1);
        self.packed.push(None);
        self.block_of.push(self.block);
        self.fresh.push((at, Item::Node(id)));
        id
    }

    fn resolve(&self, mut lane: Lane) -> Lane {
        follow(&self.packed, &mut lane);
        lane
    }

    fn key(&self, lane: Lane) -> Option<Key> {
        match lane.base {
            Base::Undef => None,
            Base::Const(_) => Some(Key::Const),
            Base::Input(v) => Some(Key::Input(v, lane.neg)),
            Base::Uniform(c, index) => Some(Key::Uniform(c, index, lane.neg)),
            Base::Node(id) => Some(Key::Web(self.homes.web(id), lane.neg)),
        }
    }

    fn keys(&self, lanes: &[Lane]) -> Vec<Key> {
        let mut keys = Vec::with_capacity(4);
        for key in lanes.iter().filter_map(|l| self.key(*l)) {
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        keys
    }

    /// Whether a node can write the lanes where the only thing that reads it wants them.
    fn is_direct(&self, id: Id) -> bool {
        let node = self.graph.node(id);
        node.op.is_some_and(|op| op != Op::Cmp)
            && self.counts[id as usize] == 1
            && self.block_of[id as usize] == self.block
            && self.homes.out(id).is_none()
            && self.homes.is_alone(id)
    }

    /// An output is written by what computes it, or by copies, one for each place that its
    /// components come from.
    fn output(&mut self, at: u32, register: u8, parts: [Option<Lane>; 4]) {
        let emit = self.emit_behind(at);
        for (base, neg, lanes) in groups(&parts) {
            let direct = match base {
                Base::Node(id)
                    if !neg && self.is_direct(id) && !twice(&parts, id) && self.may_wait(id, at) =>
                {
                    Some(id)
                }
                _ => None,
            };
            match direct {
                Some(id) => {
                    self.homes.set_out(id, Out { register, emit, from: lanes.map(|l| l.map(|l| l.part)) });
                }
                None => {
                    let (width, args, from) = packed_lanes(&lanes);
                    let like = parts.iter().flatten().find_map(|l| l.node());
                    let id = self.add(at, Op::Mov, width, &[args], like);
                    self.homes.set_out(id, Out { register, emit, from });
                }
            }
        }
    }

    /// The same for a variable.
    fn assign(&mut self, at: u32, variable: Id, parts: [Option<Lane>; 4]) {
        for (base, neg, lanes) in groups(&parts) {
            let direct = match base {
                Base::Node(id)
                    if !neg && self.is_direct(id) && self.once(id, &lanes) && !twice(&parts, id) =>
                {
                    Some(id)
                }
                _ => None,
            };
            if let Some(id) = direct
                && self.may_write(id, variable, &lanes)
            {
                self.homes.set_variable(id, variable, lanes.map(|l| l.map(|l| l.part)), at);
                continue;
            }
            let (width, args, from) = packed_lanes(&lanes);
            let id = self.add(at, Op::Mov, width, &[args], None);
            self.homes.set_variable(id, variable, from, at);
        }
    }

    /// Whether each lane of a node is named exactly once.
    fn once(&self, id: Id, lanes: &[Option<Lane>; 4]) -> bool {
        let width = self.graph.node(id).width;
        (0..width).all(|k| lanes.iter().flatten().filter(|l| l.part == k).count() == 1)
    }

    /// Whether nothing that reads what a variable held before needs the node that sets it.
    fn may_write(&self, id: Id, variable: Id, lanes: &[Option<Lane>; 4]) -> bool {
        let written = |lane: &Lane| lane.node() == Some(variable) && lanes[usize::from(lane.part)].is_some();
        let reads = |other: Id| self.graph.node(other).uses().any(|l| written(&self.resolve(l)));
        // Another node that sets a variable in this block must not wait for this one and the
        // other way round: one of them reading the other's variable is enough to keep apart.
        let crossed = |other: Id| {
            self.homes.variable(other).is_some_and(|(v, _)| {
                v != variable && self.graph.node(id).uses().any(|l| l.node() == Some(v))
            })
        };
        let here = |other: Id| self.block_of[other as usize] == self.block;
        let inside = |other: Id| self.is_inside(self.block_of[other as usize]);
        (0..self.graph.nodes.len() as Id).filter(|o| *o != id).all(|other| {
            let reads = reads(other);
            !(reads && inside(other))
                && !(reads
                    && here(other)
                    && (self.depends(other, id) || self.homes.variable(other).is_some()))
                && !(here(other) && crossed(other))
        })
    }

    /// Whether a node needs another one of its block, in as far as a bounded search can tell: a
    /// variable that something inside this block sets counts as needing everything.
    fn depends(&self, id: Id, on: Id) -> bool {
        if self.homes.out(on).is_some() {
            return false; // Outputs are not read.
        }
        let mut open = vec![id];
        let mut seen = Vec::new();
        while let Some(id) = open.pop() {
            if id == on || seen.len() > 96 {
                return true;
            }
            if seen.contains(&id) {
                continue;
            }
            seen.push(id);
            let node = self.graph.node(id);
            if node.op.is_none() && self.is_set_inside(id) {
                return true;
            }
            let here =
                |id: &Id| self.graph.node(*id).op.is_none() || self.block_of[*id as usize] == self.block;
            open.extend(node.uses().filter_map(|l| self.resolve(l).node()).filter(here));
        }
        false
    }

    /// Whether a construct in the block at hand sets a variable.
    fn is_set_inside(&self, variable: Id) -> bool {
        self.homes.setters(variable).iter().any(|block| self.is_inside(*block))
    }

    /// Whether a block is within the one at hand, and is not that one.
    fn is_inside(&self, block: Block) -> bool {
        let mut at = self.parents.get(block as usize).copied().flatten();
        while let Some(block) = at {
            if block == self.block {
                return true;
            }
            at = self.parents[block as usize];
        }
        false
    }

    /// Packs what writes the same output register.
    fn pack_outputs(&mut self, order: &Ordered) {
        for register in 0..16 {
            let writers: Vec<Id> = order
                .iter()
                .filter_map(|(_, item)| match item {
                    Item::Node(id) if self.homes.out(*id).is_some_and(|o| o.register == register) => {
                        Some(*id)
                    }
                    _ => None,
                })
                .collect();
            self.pack_all(&writers);
        }
    }

    /// Packs what can be packed of some nodes.
    fn pack_all(&mut self, nodes: &[Id]) -> bool {
        let mut any = false;
        for (i, &a) in nodes.iter().enumerate() {
            for &b in &nodes[i + 1..] {
                if a != b && self.packed[a as usize].is_none() && self.packed[b as usize].is_none() {
                    any |= self.pack(a, b);
                }
            }
        }
        any
    }

    /// Makes one instruction of two that do the same, if that saves a word.
    fn pack(&mut self, a: Id, b: Id) -> bool {
        let (x, y) = (self.graph.node(a), self.graph.node(b));
        let (Some(op), width) = (x.op, x.width + y.width) else { return false };
        let here = |id: Id| self.block_of[id as usize] == self.block;
        if y.op != Some(op) || !x.is_each() || width > 4 || !here(a) || !here(b) {
            return false;
        }
        if !self.homes.could_join(a, b) || self.depends(a, b) || self.depends(b, a) {
            return false;
        }
        let (x, y) = (self.resolved(a), self.resolved(b));
        let crossed = [y[1], y[0], y[2]];
        let commutes = matches!(op, Op::Add | Op::Mul | Op::Mad | Op::Min | Op::Max);
        let apart = self.cost(op, &x, self.graph.node(a).width) + self.cost(op, &y, self.graph.node(b).width);
        let (m, n) = (self.graph.node(a).width, self.graph.node(b).width);
        let joined = |y: &[Lanes; 3]| {
            let mut all = x;
            for (to, from) in all.iter_mut().zip(y) {
                for i in 0..usize::from(n) {
                    to[usize::from(m) + i] = from[i];
                }
            }
            all
        };
        let straight = joined(&y);
        let mut best = (self.cost(op, &straight, width), straight);
        if commutes {
            let other = joined(&crossed);
            let cost = self.cost(op, &other, width);
            if cost < best.0 {
                best = (cost, other);
            }
        }
        if best.0 > apart {
            return false;
        }
        let node = self.graph.node_mut(a);
        (node.args, node.width) = (best.1, width);
        self.packed[b as usize] = Some((a, m));
        self.counts[a as usize] += self.counts[b as usize];
        self.homes.join(a, b, m, n);
        true
    }

    fn resolved(&self, id: Id) -> [Lanes; 3] {
        self.graph.node(id).args.map(|arg| arg.map(|lane| self.resolve(lane)))
    }

    /// Words that the operands of an instruction cost: moves to gather lanes, and copies where
    /// it reads too many uniforms or inputs.
    fn cost(&self, op: Op, args: &[Lanes; 3], width: u8) -> usize {
        let (mut moves, mut uniforms) = (0, 0);
        let mut inputs: Vec<u8> = Vec::new();
        for arg in &args[..operands(op)] {
            let lanes = &arg[..usize::from(width)];
            let keys = self.keys(lanes);
            moves += self.gathering(&keys);
            match keys[..] {
                [Key::Uniform(..) | Key::Const] => uniforms += 1,
                [Key::Input(v, _)] if !inputs.contains(&v) => inputs.push(v),
                _ => {}
            }
        }
        moves + usize::saturating_sub(uniforms, 1) + inputs.len().saturating_sub(1)
    }

    /// Moves that bring keys into one register.
    fn gathering(&self, keys: &[Key]) -> usize {
        if keys.len() <= 1 {
            return 0;
        }
        let best = [false, true].map(|sign| {
            let webs: Vec<u32> = keys
                .iter()
                .filter_map(|k| match k {
                    Key::Web(web, neg) if *neg == sign => Some(*web),
                    _ => None,
                })
                .collect();
            if self.homes.fit(&webs) { webs.len() } else { usize::from(!webs.is_empty()) }
        });
        let joined = best[0].max(best[1]);
        let numbers = keys.contains(&Key::Const) && keys.len() > 1;
        let webs = keys.iter().filter_map(|k| match k {
            Key::Web(web, false) => Some(*web),
            _ => None,
        });
        let free =
            numbers && joined > 0 && webs.into_iter().any(|web| self.number_copy(web, 1, u32::MAX).is_some());
        keys.len() - joined - usize::from(free)
    }

    /// An instruction that puts numbers into a web, and can put `more` numbers there for what stands
    /// at a time.
    fn number_copy(&self, web: u32, more: usize, at: u32) -> Option<Id> {
        let is_number = |lane: &Lane| matches!(lane.base, Base::Const(_));
        self.homes.members(web).iter().copied().find(|&id| {
            let node = self.graph.node(id);
            let n = usize::from(node.width);
            node.op == Some(Op::Mov)
                && self.packed[id as usize].is_none()
                // What sets a variable does so at its own time.
                && self.homes.variable(id).is_none_or(|(_, when)| when < at && self.block_of[id as usize] == self.block)
                && node.args[0][..n].iter().all(is_number)
                && n + more <= 4
                && self.homes.room(web) >= more
                && (self.block_of[id as usize] == self.block || self.is_around(self.block_of[id as usize]))
        })
    }

    /// Whether the block at hand is within another one.
    fn is_around(&self, block: Block) -> bool {
        let mut at = self.parents.get(self.block as usize).copied().flatten();
        while let Some(around) = at {
            if around == block {
                return true;
            }
            at = self.parents[around as usize];
        }
        false
    }

    /// Whether each operand of a node names one place, as the machine wants it.
    fn is_gathered(&self, id: Id) -> bool {
        let node = self.graph.node(id);
        let one = |k: usize| {
            let lanes: Vec<Lane> = node.args[k][..node.reads(k)].iter().map(|l| self.resolve(*l)).collect();
            self.keys(&lanes).len() <= 1
        };
        self.packed[id as usize].is_some() || (0..3).all(one)
    }

    /// Gathers the lanes of each operand of a node.
    fn operands(&mut self, at: u32, id: Id) {
        if self.packed[id as usize].is_some() {
            return;
        }
        for k in 0..3 {
            let n = self.graph.node(id).reads(k);
            if n == 0 {
                continue;
            }
            let mut lanes = self.graph.node(id).args[k].map(|lane| self.resolve(lane));
            self.bundle(at, id, &mut lanes[..n]);
            self.graph.node_mut(id).args[k] = lanes;
        }
    }

    fn bundle(&mut self, at: u32, id: Id, lanes: &mut [Lane]) {
        for _ in 0..8 {
            let keys = self.keys(lanes);
            if keys.len() <= 1 {
                return;
            }
            let nodes = distinct(lanes);
            if self.pack_all(&nodes) || self.unite(&keys) {
                lanes.iter_mut().for_each(|lane| follow(&self.packed, lane));
                continue;
            }
            break;
        }
        if self.keys(lanes).len() > 1 {
            self.move_together(at, id, lanes);
        }
    }

    /// Gives two webs of the same sign a common register.
    fn unite(&mut self, keys: &[Key]) -> bool {
        for (i, a) in keys.iter().enumerate() {
            for b in &keys[i + 1..] {
                if let (Key::Web(a, x), Key::Web(b, y)) = (a, b)
                    && x == y
                    && self.homes.unite(*a, *b)
                {
                    return true;
                }
            }
        }
        false
    }

    /// Copies lanes to where the most of them are, or to a register of their own.
    fn move_together(&mut self, at: u32, id: Id, lanes: &mut [Lane]) {
        if let Some(known) = self.moved.get(lanes) {
            lanes.copy_from_slice(&known[..lanes.len()]);
            return;
        }
        let before = lanes.to_vec();
        let keys = self.keys(lanes);
        let count = |key: &Key| lanes.iter().filter(|l| self.key(**l) == Some(*key)).count();
        let room = |key: &&Key| match key {
            Key::Web(web, false) => {
                let others = distinct_lanes(lanes, |l| self.key(l) != Some(**key));
                self.homes.room(*web) >= others
            }
            _ => false,
        };
        let target = keys.iter().filter(room).max_by_key(|k| count(k)).copied();
        let mut web = target.map(|k| match k {
            Key::Web(web, _) => web,
            _ => 0,
        });
        for key in keys.iter().filter(|k| Some(**k) != target) {
            let mut from: Vec<Lane> = Vec::new();
            for lane in lanes.iter().filter(|l| self.key(**l) == Some(*key)) {
                if !from.contains(lane) {
                    from.push(*lane);
                }
            }
            if *key == Key::Const
                && let Some(known) = web.and_then(|web| self.number_copy(web, from.len(), at))
            {
                self.more_numbers(known, &from, lanes);
                continue;
            }
            let mut args = [Lane::UNDEF; 4];
            args[..from.len()].copy_from_slice(&from);
            let copy = self.add(at - 1, Op::Mov, from.len() as u8, &[args], Some(id));
            for lane in lanes.iter_mut() {
                if let Some(part) = from.iter().position(|f| f == lane) {
                    *lane = Lane::new(Base::Node(copy), part as u8);
                }
            }
            match web {
                Some(known) => {
                    self.homes.unite(known, self.homes.web(copy));
                    web = Some(self.homes.web(copy));
                }
                None => web = Some(self.homes.web(copy)),
            }
        }
        let mut all = [Lane::UNDEF; 4];
        all[..lanes.len()].copy_from_slice(lanes);
        self.moved.insert(before, all);
    }
}

impl Gather<'_> {
    /// Has an instruction that puts numbers into a register put some more there.
    fn more_numbers(&mut self, id: Id, numbers: &[Lane], lanes: &mut [Lane]) {
        for number in numbers {
            let node = self.graph.node_mut(id);
            let part = node.width;
            node.args[0][usize::from(part)] = *number;
            node.width += 1;
            self.homes.add_lane(id, part);
            for lane in lanes.iter_mut().filter(|lane| **lane == *number) {
                *lane = Lane::new(Base::Node(id), part);
            }
        }
    }
}

/// The nodes of some lanes, each once.
fn distinct(lanes: &[Lane]) -> Vec<Id> {
    let mut nodes = Vec::with_capacity(4);
    for id in lanes.iter().filter_map(|l| l.node()) {
        if !nodes.contains(&id) {
            nodes.push(id);
        }
    }
    nodes
}

fn distinct_lanes(lanes: &[Lane], which: impl Fn(Lane) -> bool) -> usize {
    let mut seen: Vec<Lane> = Vec::with_capacity(4);
    for lane in lanes.iter().filter(|l| l.base != Base::Undef && which(**l)) {
        if !seen.contains(lane) {
            seen.push(*lane);
        }
    }
    seen.len()
}

/// Parts by where they come from: one base and one sign each; numbers stay together.
fn groups(parts: &[Option<Lane>; 4]) -> Vec<(Base, bool, [Option<Lane>; 4])> {
    let mut groups: Vec<(Base, bool, [Option<Lane>; 4])> = Vec::new();
    for (i, lane) in parts.iter().enumerate() {
        let Some(lane) = lane else { continue };
        let is_number = |b: Base| matches!(b, Base::Const(_) | Base::Undef);
        let same = |g: &&mut (Base, bool, _)| {
            is_number(g.0) && is_number(lane.base) || g.0 == lane.base && g.1 == lane.neg
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.2[i] = Some(*lane),
            None => {
                let mut lanes = [None; 4];
                lanes[i] = Some(*lane);
                groups.push((lane.base, lane.neg, lanes));
            }
        }
    }
    groups
}

/// Whether a node is named with both signs.
fn twice(parts: &[Option<Lane>; 4], id: Id) -> bool {
    let named = |neg: bool| parts.iter().flatten().any(|l| l.node() == Some(id) && l.neg == neg);
    named(false) && named(true)
}

/// Lanes one behind the other, and which of them each place takes.
fn packed_lanes(lanes: &[Option<Lane>; 4]) -> (u8, Lanes, [Option<u8>; 4]) {
    let (mut args, mut from, mut n) = ([Lane::UNDEF; 4], [None; 4], 0u8);
    for (i, lane) in lanes.iter().enumerate() {
        if let Some(lane) = lane {
            args[usize::from(n)] = *lane;
            from[i] = Some(n);
            n += 1;
        }
    }
    (n, args, from)
}
