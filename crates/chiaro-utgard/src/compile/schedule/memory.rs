//! What a block does with temporaries and address registers. spec section 9.
//!
//! A block sets each address register once, four or more instructions before the first load
//! through it. What a block loads from memory that it stores as well is the value from before
//! the block: the load stands above all stores that may go there.

use crate::compile::graph::{Graph, Node, Op, Place, Source};

/// What a block does with memory.
#[derive(Debug)]
pub(super) struct Memory {
    /// Loads through each address register.
    pub(super) loads: [Vec<Node>; 4],
    /// In the order of the program.
    pub(super) stores: Vec<Store>,
}

/// A store of a temporary.
#[derive(Clone, Copy, Debug)]
pub(super) struct Store {
    pub(super) node: Node,
    /// The vec4, if it is known.
    pub(super) known: Option<u32>,
    pub(super) component: u8,
}

impl Store {
    pub(super) fn touches(&self, address: Option<u32>, component: u8) -> bool {
        let apart = matches!((self.known, address), (Some(a), Some(b)) if a != b);
        !apart && self.component == component
    }
}

impl Memory {
    pub(super) fn of(graph: &Graph) -> Memory {
        let mut memory = Memory { loads: Default::default(), stores: Vec::new() };
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
