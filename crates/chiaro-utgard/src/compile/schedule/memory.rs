//! Temporaries, and loads through address registers. spec section 9.
//!
//! A block sets each address register once, four or more instructions before the first load
//! through it. What a block loads from memory that it stores as well is the value from before
//! the block: the load stands above all stores that may go there.

use super::attempt::Scheduler;
use super::slot::Input;
use crate::compile::graph::{Data, Graph, Node, Op, Operand, Place, Source};
use crate::isa::word;

/// From setting an address register to a load through it. [ISA notes]
const ADDRESS_LATENCY: u32 = 4;

/// What a block does with memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    /// Loads through each address register.
    loads: [Vec<Node>; 4],
    /// Where each address register may be set at the earliest, counted from the end.
    set_from: [u32; 4],
    stores: Vec<Store>,
}

/// A store of a temporary.
#[derive(Clone, Copy, Debug)]
struct Store {
    node: Node,
    /// The vec4, if it is known.
    known: Option<u32>,
    component: u8,
}

impl Store {
    fn touches(&self, address: Option<u32>, component: u8) -> bool {
        let apart = matches!((self.known, address), (Some(a), Some(b)) if a != b);
        !apart && self.component == component
    }
}

impl Memory {
    pub(super) fn of(graph: &Graph) -> Memory {
        let mut memory = Memory { loads: Default::default(), set_from: [0; 4], stores: Vec::new() };
        for (i, data) in graph.nodes().iter().enumerate() {
            let node = Node(i as u32);
            match (data.op, data.args()) {
                (Op::Load(Source::Indexed(_, _, register)), _) => {
                    memory.loads[usize::from(register & 3)].push(node);
                }
                (Op::Store(Place::Temporary(component)), &[_, address]) => {
                    let known = graph.constant(address).map(|n| n as u32);
                    memory.stores.push(Store { node, known, component });
                }
                _ => {}
            }
        }
        memory
    }
}

impl Scheduler<'_> {
    /// The selector of a component of memory that this instruction can load.
    pub(super) fn loaded_from_memory(&mut self, at: u32, source: Source) -> Option<u32> {
        let (address, known, component, register) = match source {
            Source::Temporary(address, component) => (address, Some(address.into()), component, None),
            Source::Indexed(address, component, register) => (address, None, component, Some(register)),
            _ => return None,
        };
        let waits = |s: &Store| s.touches(known, component) && !self.nodes[s.node.0 as usize].placed;
        if self.memory.stores.iter().any(waits) {
            return None;
        }
        let slot = &mut self.slots[at as usize];
        if !slot.port2_behind(address, register.map_or(7, u32::from)) {
            return None;
        }
        if let Some(register) = register {
            let from = &mut self.memory.set_from[usize::from(register & 3)];
            *from = (*from).max(at + ADDRESS_LATENCY);
        }
        Some(12 + u32::from(component))
    }

    /// Sets an address register, once all loads through it are done.
    pub(super) fn address(&mut self, data: &Data, register: u8) -> Option<()> {
        let number = usize::from(register & 3);
        let is_open = |node: &Node| {
            let state = &self.nodes[node.0 as usize];
            state.waiting > 0 || self.kept.contains(node) || self.pending.iter().any(|p| p.node == *node)
        };
        if self.now < self.memory.set_from[number] || self.memory.loads[number].iter().any(is_open) {
            return None;
        }
        let slot = self.slot();
        if slot.has(crate::isa::selector::Unit::Complex) {
            return None;
        }
        slot.take(crate::isa::selector::Unit::Complex);
        slot.set(word::COMPLEX_OP, 12 + u32::from(register & 3));
        self.operand(self.now, Input::COMPLEX_A, data.args()[0].node)
    }

    /// Stores a temporary; what is stored to the same place later in the program stays later.
    pub(super) fn store_temporary(&mut self, node: Node, data: &Data, component: u8) -> Option<()> {
        let &[_, Operand { node: address, .. }] = data.args() else { return None };
        let own = *self.memory.stores.iter().find(|s| s.node == node)?;
        let is_later = |s: &Store| s.node > node && !self.nodes[s.node.0 as usize].placed;
        if self.memory.stores.iter().any(|s| is_later(s) && s.touches(own.known, own.component)) {
            return None;
        }
        if self.slot().address(address)? {
            self.operand(self.now, Input::COMPLEX_A, address)?;
        }
        self.store(data, Place::Temporary(component))
    }
}
