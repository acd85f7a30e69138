//! Webs: which nodes write into one register, variables and outputs among them.
//!
//! A *web* is up to four components that the allocator puts into one register, each with a slot of
//! its own. Every node begins with a web of its own; gathering unites webs. A node that sets a
//! variable writes into the variable's web.

use crate::compile::graph::{Block, Graph, Id, Item};

/// The output register that a node writes, and for each component the component that it takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Out {
    pub(crate) register: u8,
    /// When the EMIT that takes it stands; `u32::MAX` where there is none.
    pub(crate) emit: u32,
    pub(crate) from: [Option<u8>; 4],
}

/// A block's contents with the order in which they were meant.
pub(crate) type Ordered = Vec<(u32, Item)>;

/// The homes of all nodes.
pub(crate) struct Homes {
    /// The web of each node.
    web: Vec<u32>,
    /// The slot of each component of each node.
    slots: Vec<[u8; 4]>,
    outs: Vec<Option<Out>>,
    /// The variable that a node sets, when, and which components of it, a bit each.
    sets: Vec<Option<(Id, u32, u8)>>,
    members: Vec<Vec<Id>>,
    /// Slots in use, a bit each.
    used: Vec<u8>,
    /// The blocks in which each variable is set.
    setters: Vec<Vec<Block>>,
}

impl Homes {
    pub(crate) fn new(graph: &Graph) -> Homes {
        let mut homes = Homes {
            web: Vec::new(),
            slots: Vec::new(),
            outs: Vec::new(),
            sets: Vec::new(),
            members: Vec::new(),
            used: Vec::new(),
            setters: Vec::new(),
        };
        homes.grow(graph);
        for (block, items) in graph.blocks.iter().enumerate() {
            for item in items {
                if let Item::Assign(variable, _) = item {
                    homes.setters[*variable as usize].push(block as Block);
                }
            }
        }
        homes
    }

    /// Homes for nodes that are new in the graph.
    pub(crate) fn grow(&mut self, graph: &Graph) {
        for id in self.web.len()..graph.nodes.len() {
            self.web.push(id as u32);
            self.slots.push([0, 1, 2, 3]);
            self.outs.push(None);
            self.sets.push(None);
            self.members.push(vec![id as Id]);
            self.used.push((1u8 << graph.nodes[id].width) - 1);
            self.setters.push(Vec::new());
        }
    }

    pub(crate) fn web(&self, id: Id) -> u32 {
        self.web[id as usize]
    }

    pub(crate) fn slot(&self, id: Id, component: u8) -> u8 {
        self.slots[id as usize][usize::from(component & 3)]
    }

    pub(crate) fn out(&self, id: Id) -> Option<Out> {
        self.outs[id as usize]
    }

    pub(crate) fn set_out(&mut self, id: Id, out: Out) {
        self.outs[id as usize] = Some(out);
    }

    /// The variable that a node sets, and when.
    pub(crate) fn variable(&self, id: Id) -> Option<(Id, u32)> {
        self.sets[id as usize].map(|(variable, at, _)| (variable, at))
    }

    /// The components of its variable that a node sets, a bit each.
    pub(crate) fn components_set(&self, id: Id) -> u8 {
        self.sets[id as usize].map_or(0, |(.., components)| components)
    }

    /// The blocks in which a variable is set.
    pub(crate) fn setters(&self, variable: Id) -> &[Block] {
        &self.setters[variable as usize]
    }

    /// Whether a web is a node's own.
    pub(crate) fn is_alone(&self, id: Id) -> bool {
        self.members[self.web(id) as usize].len() == 1 && self.sets[id as usize].is_none()
    }

    /// Has a node write into a variable: for each slot of it the component that it takes.
    pub(crate) fn set_variable(&mut self, id: Id, variable: Id, from: [Option<u8>; 4], at: u32) {
        let web = self.web(variable);
        let old = self.web(id) as usize;
        self.members[old].clear();
        self.web[id as usize] = web;
        for (part, component) in from.iter().enumerate() {
            if let Some(component) = component {
                self.slots[id as usize][usize::from(*component)] = self.slot(variable, part as u8);
            }
        }
        self.members[web as usize].push(id);
        let components = (0..4).filter(|part| from[*part].is_some()).fold(0, |mask, part| mask | 1 << part);
        self.sets[id as usize] = Some((variable, at, components));
    }

    /// A node that stands alone computes more components than it did.
    pub(crate) fn widen(&mut self, id: Id, width: u8) {
        let web = self.web(id) as usize;
        self.used[web] |= (1 << width) - 1;
    }

    /// The nodes of a web.
    pub(crate) fn members(&self, web: u32) -> &[Id] {
        &self.members[web as usize]
    }

    /// Gives a component of a node a slot of its own in the node's web, which has room.
    pub(crate) fn add_component(&mut self, id: Id, component: u8) {
        let web = self.web(id) as usize;
        let slot = self.used[web].trailing_ones().min(3) as u8;
        self.used[web] |= 1 << slot;
        self.slots[id as usize][usize::from(component & 3)] = slot;
    }

    /// Free slots of a web.
    pub(crate) fn room(&self, web: u32) -> usize {
        4 - self.used[web as usize].count_ones() as usize
    }

    /// Whether webs fit one register together.
    pub(crate) fn fit(&self, webs: &[u32]) -> bool {
        webs.iter().map(|w| self.used[*w as usize].count_ones()).sum::<u32>() <= 4
    }

    /// Unites two webs, if they fit one register.
    pub(crate) fn unite(&mut self, a: u32, b: u32) -> bool {
        if a == b || !self.fit(&[a, b]) {
            return false;
        }
        let mut free: Vec<u8> = (0..4).filter(|s| self.used[a as usize] >> s & 1 == 0).collect();
        let mut to = [0u8; 4];
        let other = self.used[b as usize];
        for slot in (0..4u8).filter(|s| other >> s & 1 == 1) {
            let at = free.iter().position(|f| *f == slot).unwrap_or(0);
            to[usize::from(slot)] = free.remove(at);
            self.used[a as usize] |= 1 << to[usize::from(slot)];
        }
        for id in std::mem::take(&mut self.members[b as usize]) {
            self.web[id as usize] = a;
            for slot in &mut self.slots[id as usize] {
                *slot = to[usize::from(*slot)];
            }
            self.members[a as usize].push(id);
        }
        self.used[b as usize] = 0;
        true
    }

    /// Has a node that stands alone write into slots of a web that are in use until then.
    pub(crate) fn put_over(&mut self, id: Id, web: u32, slots: [u8; 4]) {
        let old = self.web(id) as usize;
        self.members[old].clear();
        self.used[old] = 0;
        (self.web[id as usize], self.slots[id as usize]) = (web, slots);
        self.members[web as usize].push(id);
    }

    /// Whether two nodes could write by one instruction.
    pub(crate) fn could_join(&self, a: Id, b: Id) -> bool {
        if self.sets[a as usize].is_some() || self.sets[b as usize].is_some() {
            return false;
        }
        match (self.out(a), self.out(b)) {
            (Some(x), Some(y)) => x.register == y.register && x.emit == y.emit,
            (None, None) => self.web(a) == self.web(b) || self.fit(&[self.web(a), self.web(b)]),
            _ => false,
        }
    }

    /// Makes the components of `b` those of `a` from `m` on.
    pub(crate) fn join(&mut self, a: Id, b: Id, m: u8, n: u8) {
        if let (Some(mut x), Some(y)) = (self.out(a), self.out(b)) {
            for (to, from) in x.from.iter_mut().zip(y.from) {
                *to = to.or(from.map(|component| component + m));
            }
            self.outs[a as usize] = Some(x);
            return;
        }
        let (web_a, web_b) = (self.web(a), self.web(b));
        self.unite(web_a, web_b);
        for i in 0..n {
            self.slots[a as usize][usize::from(m + i)] = self.slot(b, i);
        }
    }
}
