//! The vec4 that port 2 loads: chosen before an instruction is filled.
//!
//! Otherwise what is placed first decides, and what others would have wanted waits. A search that
//! tries several of those that are wanted most finds shorter schedules. spec section 14.6.

use super::attempt::Scheduler;
use crate::compile::graph::{Data, Node, Op, Source};

/// What a value that waits counts more than an operation that could be placed: until it is loaded,
/// a unit moves it.
const WAITING: u32 = 200;

/// The vec4 that are wanted, each with its weight.
struct Wanted {
    all: Vec<(u32, u16)>,
}

impl Wanted {
    fn add(&mut self, weight: u32, address: u16) {
        match self.all.iter_mut().find(|(_, known)| *known == address) {
            Some((sum, _)) => *sum += weight,
            None => self.all.push((weight, address)),
        }
    }
}

impl Scheduler<'_> {
    /// Lets the current instruction load one of the vec4 that are wanted most: the first, second, and
    /// so on. A load of several steps may have one there already.
    pub(super) fn choose_vector(&mut self, rank: u32) {
        if self.slots[self.now as usize].memory().is_some() {
            return;
        }
        let mut wanted = Wanted { all: Vec::new() };
        for &node in &self.ready {
            if let Some(data) = self.made_with(node) {
                data.args().iter().for_each(|arg| self.want(&mut wanted, arg.node, self.order(node) + 1));
            }
        }
        for p in &self.pending {
            if matches!(self.source(p.node), Some(Source::Uniform(..))) {
                self.want(&mut wanted, p.node, WAITING);
            }
        }
        wanted.all.sort_by_key(|(weight, _)| std::cmp::Reverse(*weight));
        if let Some(&(_, address)) = wanted.all.get(rank as usize % wanted.all.len().max(1)) {
            self.slot().port2(address);
        }
    }

    /// The operation that reads operands where a node is placed: a store's value is made with it,
    /// unless others use it.
    fn made_with(&self, node: Node) -> Option<&Data> {
        let data = self.graph.get(node);
        if !matches!(data.op, Op::Store(_)) {
            return Some(data);
        }
        let value = data.args().first()?.node;
        let is_alone = self.nodes[value.0 as usize].waiting <= 1;
        is_alone.then(|| if self.source(value).is_some() { data } else { self.graph.get(value) })
    }

    /// A value is wanted: of its vec4, or of every one that has the constant.
    fn want(&self, wanted: &mut Wanted, node: Node, weight: u32) {
        match self.source(node) {
            Some(Source::Uniform(address, _)) => wanted.add(weight, address),
            Some(Source::Constant(bits)) => {
                let rows = self.constants.iter().zip(self.around.constants_from..);
                rows.filter(|(row, _)| row.contains(&Some(bits)))
                    .for_each(|(_, address)| wanted.add(weight, address));
            }
            _ => {}
        }
    }
}
