//! Splits a block whose register pressure is too high, with temporaries between the halves.
//!
//! What the first half computes and the second one uses is stored to temporaries and loaded where
//! it is used: a load costs no more than that of a uniform, so this always comes to an end.
//! Registers and temporaries that the block stores are stored in the second half, so that both
//! halves load what there was before.

use crate::compile::graph::{Block, Data, Graph, Jump, Node, Op, Operand, Place, Source};

/// A scalar of uniform memory: vec4 and component.
pub type Cell = (u16, u8);

/// Operations that a block must have to be split.
const LEAST: usize = 8;

/// Splits a block; the second half keeps its jump. `cell` gives out temporaries. `None` if there
/// is nothing to split or no temporary left.
pub fn split(block: &Block, mut cell: impl FnMut() -> Option<Cell>) -> Option<[Block; 2]> {
    let plan = Plan::new(block)?;
    let mut first = Half::new(&block.graph);
    let mut second = Half::new(&block.graph);
    for (i, data) in block.graph.nodes().iter().enumerate() {
        let node = Node(i as u32);
        first.graph.follow(&block.graph, node);
        second.graph.follow(&block.graph, node);
        if plan.in_first(node) {
            first.copy(node, data);
        }
        if plan.crosses(node) {
            let (row, component) = cell()?;
            first.keep(node, row, component);
            second.load(node, row, component);
        } else if plan.in_second(node) {
            second.copy(node, data);
        }
    }
    let jump = block.jump.map(|jump| Jump { condition: jump.condition.map(|c| second.operand(c)), ..jump });
    Some([Block { graph: first.graph, jump: None }, Block { graph: second.graph, jump }])
}

/// Which node goes where.
struct Plan<'a> {
    graph: &'a Graph,
    cut: u32,
    needed: Vec<bool>,
    /// Whether a node of the second half, or the jump, uses it.
    used_late: Vec<bool>,
}

impl<'a> Plan<'a> {
    fn new(block: &'a Block) -> Option<Plan<'a>> {
        let graph = &block.graph;
        let condition = block.jump.and_then(|jump| jump.condition).map(|c| c.node);
        let needed = graph.needed(condition);
        let is_work = |i: &usize| needed[*i] && !matches!(graph.nodes()[*i].op, Op::Load(_) | Op::Store(_));
        let work: Vec<usize> = (0..graph.nodes().len()).filter(is_work).collect();
        if work.len() < LEAST {
            return None;
        }
        let cut = work[work.len() / 2] as u32;
        let used_late = vec![false; graph.nodes().len()];
        let mut plan = Plan { graph, cut, needed, used_late };
        let users = (0..graph.nodes().len()).filter(|&i| plan.needed[i] && plan.in_second(Node(i as u32)));
        let used: Vec<Node> = users.flat_map(|i| graph.nodes()[i].args()).map(|arg| arg.node).collect();
        used.into_iter().chain(condition).for_each(|node| plan.used_late[node.0 as usize] = true);
        Some(plan)
    }

    fn op(&self, node: Node) -> Op {
        self.graph.get(node).op
    }

    /// Whether it can be loaded in either half.
    fn is_anywhere(&self, node: Node) -> bool {
        matches!(self.op(node), Op::Load(source) if !matches!(source, Source::Indexed(..)))
    }

    fn in_first(&self, node: Node) -> bool {
        match self.op(node) {
            _ if !self.needed[node.0 as usize] => false,
            Op::Address(register) => self.loads(register).any(|load| load.0 < self.cut),
            op => self.is_anywhere(node) || node.0 < self.cut && !is_late(op),
        }
    }

    fn in_second(&self, node: Node) -> bool {
        match self.op(node) {
            _ if !self.needed[node.0 as usize] => false,
            Op::Address(register) => self.loads(register).any(|load| load.0 >= self.cut),
            op => self.is_anywhere(node) || node.0 >= self.cut || is_late(op),
        }
    }

    fn crosses(&self, node: Node) -> bool {
        !self.is_anywhere(node) && node.0 < self.cut && self.used_late[node.0 as usize]
    }

    fn loads(&self, register: u8) -> impl Iterator<Item = Node> + '_ {
        let nodes = self.graph.nodes().iter().enumerate().map(|(i, data)| (Node(i as u32), data.op));
        let through = move |op| matches!(op, Op::Load(Source::Indexed(_, _, own)) if own == register);
        nodes.filter(move |&(node, op)| self.needed[node.0 as usize] && through(op)).map(|(node, _)| node)
    }
}

/// Stores of what the block itself loads from.
fn is_late(op: Op) -> bool {
    matches!(op, Op::Store(Place::Register(..) | Place::Temporary(_)))
}

/// A half under construction.
struct Half {
    graph: Graph,
    /// What the block's nodes are here.
    map: Vec<Option<Operand>>,
}

impl Half {
    fn new(graph: &Graph) -> Half {
        Half { graph: Graph::default(), map: vec![None; graph.nodes().len()] }
    }

    /// An operand of the block; zero for what is not here, which nothing needed reads.
    fn operand(&mut self, operand: Operand) -> Operand {
        let here = self.map[operand.node.0 as usize].unwrap_or_else(|| self.graph.number(0.0));
        Operand { neg: here.neg != operand.neg, ..here }
    }

    fn copy(&mut self, node: Node, data: &Data) {
        let args: Vec<Operand> = data.args().iter().map(|&arg| self.operand(arg)).collect();
        self.map[node.0 as usize] = Some(self.graph.make(data.op, &args));
    }

    fn keep(&mut self, node: Node, row: u16, component: u8) {
        let value = self.operand(Operand { node, neg: false });
        let address = self.graph.number(row.into());
        self.graph.make(Op::Store(Place::Temporary(component)), &[value, address]);
    }

    fn load(&mut self, node: Node, row: u16, component: u8) {
        self.map[node.0 as usize] = Some(self.graph.load(Source::Temporary(row, component)));
    }
}
