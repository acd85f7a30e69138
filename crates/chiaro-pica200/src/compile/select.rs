//! Instruction selection: IR to a graph of components.
//!
//! What only moves components (construct, extract, shuffle, negation, loads of inputs and
//! uniforms) becomes no node at all: it is followed to the components behind it. Every other operation
//! becomes one node of its width; what a machine instruction can do beyond that (dot products out
//! of sums, MAD, packing) is found by later steps on the graph, where components are easy to compare.
//!
//! | file | does |
//! |---|---|
//! | [`value`] | arithmetic and composites |
//! | [`memory`] | variables of the module |
//! | [`test`] | bools: comparisons, conditions, selects |
//! | [`flow`] | constructs and what leaves them |
//! | [`loops`] | loops |
//! | [`outer`] | what inner loops use of outer ones |
//! | [`counter`] | which loops LOOP can run |

mod counter;
mod flow;
mod loops;
mod memory;
mod outer;
mod state;
mod test;
mod value;

use self::state::{Answer, DEPTH, Private, Repr, Select};
use crate::abi::Abi;
use crate::compile::geometry::strip::Emits;
use crate::compile::graph::Graph;
use chiaro_ir::{Function, Module};
use std::collections::HashMap;

pub(super) use self::state::Loops;

/// Selects the function of an entry point.
///
/// # Errors
/// Operations that the machine has nothing for.
pub(crate) fn select(module: &Module, f: &Function, abi: &Abi, emits: &Emits, loops: Loops) -> Answer<Graph> {
    let mut s = Select {
        loops,
        module,
        f,
        abi,
        emits,
        graph: Graph::default(),
        values: vec![Repr::None; f.value_count()],
        tests: Vec::new(),
        block: 0,
        span: None,
        exact: false,
        open: Vec::new(),
        depth: 0,
        last_select: None,
        private: Private::default(),
        known: HashMap::new(),
        indices: HashMap::new(),
        around: vec![0],
    };
    s.graph.block();
    s.block(f.body)?;
    Ok(s.graph)
}

impl Select<'_> {
    /// Everything in a block of the IR, at the end of the block at hand.
    pub(super) fn block(&mut self, block: chiaro_ir::Block) -> Answer<()> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(self.error(format!("constructs are nested deeper than {DEPTH}")));
        }
        let f = self.f;
        for &inst in &f.block(block).insts {
            self.span = f.inst(inst).span.or(self.span);
            self.exact = f.inst(inst).flags.exact;
            self.inst(inst)?;
        }
        self.depth -= 1;
        Ok(())
    }
}
