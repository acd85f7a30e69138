//! A straight block as values, and what computes them.

use crate::compile::graph::{Base, Component, Graph, Index, Item, Node, commutes, operands};
use crate::isa::Op;

/// Values with signs that a set holds.
const MOST: usize = u64::BITS as usize / 2;

/// What one operand can name: values of a register with one sign.
#[derive(Clone, Copy)]
pub(super) struct View {
    pub(super) values: u64,
    /// The uniform or number that it names, one of which an instruction may have, or the input.
    pub(super) wide: bool,
    pub(super) input: Option<u8>,
}

/// What computes one value.
pub(super) struct Lane {
    pub(super) op: Op,
    /// Whether other components can be computed by the same instruction.
    pub(super) is_each: bool,
    pub(super) commutes: bool,
    /// Its value, without sign.
    pub(super) value: u8,
    /// The values that each operand reads, a bit each.
    pub(super) args: [u64; 3],
    /// Whether an output reads it and nothing else does.
    pub(super) is_sent: bool,
}

/// A component of an output.
pub(super) struct Output {
    pub(super) register: u8,
    pub(super) value: u8,
}

/// A block. Value `n` has the bit `2 * n`, and its opposite the next one.
pub(super) struct Task {
    /// What the values are, without signs.
    values: Vec<Component>,
    pub(super) lanes: Vec<Lane>,
    pub(super) outputs: Vec<Output>,
}

impl Task {
    /// The block of a program that is straight and short, reads nothing by an index and copies nothing.
    pub(super) fn of(graph: &Graph) -> Option<Task> {
        let [items] = &graph.blocks[..] else { return None };
        let mut task = Task { values: Vec::new(), lanes: Vec::new(), outputs: Vec::new() };
        let readers = graph.readers();
        for item in items {
            match item {
                Item::Node(id) => {
                    for part in 0..graph.node(*id).width {
                        let own = Component::new(Base::Node(*id), part);
                        let is_sent =
                            readers[*id as usize][usize::from(part)] == 1 && outputs(items).any(|c| c == own);
                        let lane = task.lane(graph.node(*id), own, is_sent)?;
                        task.lanes.push(lane);
                    }
                }
                Item::Output(register, parts) => {
                    for part in parts.iter().flatten().filter(|part| part.base != Base::Undef) {
                        let value = task.value(*part)?;
                        task.outputs.push(Output { register: *register, value });
                    }
                }
                _ => return None,
            }
        }
        (task.outputs.len() < u64::BITS as usize && task.lanes.len() < u64::BITS as usize).then_some(task)
    }

    /// What computes a component of a node.
    fn lane(&mut self, node: &Node, own: Component, is_sent: bool) -> Option<Lane> {
        let op = node.op.filter(|op| !matches!(op, Op::Mova | Op::Mov))?;
        let (value, is_each, part) = (self.value(own)?, node.is_each(), usize::from(own.part));
        let mut args = [0; 3];
        for (k, arg) in args.iter_mut().enumerate().take(operands(op)) {
            let read = if is_each { &node.args[k][part..=part] } else { &node.args[k][..node.reads(k)] };
            *arg = self.set(read)?;
        }
        Some(Lane { op, is_each, commutes: commutes(op), value, args, is_sent })
    }

    /// The bit of a component.
    fn value(&mut self, component: Component) -> Option<u8> {
        let plain = component.plain();
        let at = self.values.iter().position(|known| *known == plain).unwrap_or_else(|| {
            self.values.push(plain);
            self.values.len() - 1
        });
        let is_plain = !matches!(component.base, Base::Uniform(_, Index::Address(_) | Index::Loop(_)));
        (at < MOST && is_plain).then_some((2 * at + usize::from(component.neg)) as u8)
    }

    /// The bits of components.
    fn set(&mut self, components: &[Component]) -> Option<u64> {
        let mut set = 0;
        for component in components.iter().filter(|component| component.base != Base::Undef) {
            set |= 1 << self.value(*component)?;
        }
        Some(set)
    }

    /// The lane that computes a value.
    pub(super) fn lane_of(&self, value: u8) -> Option<usize> {
        self.lanes.iter().position(|lane| lane.value == value & !1)
    }

    /// The first value of the register that a value stands in before anything runs.
    pub(super) fn leaf_of(&self, value: u8) -> Option<usize> {
        let base = register(self.values[usize::from(value / 2)])?;
        self.values.iter().position(|other| register(*other) == Some(base))
    }

    /// What operands can name before anything runs. A register of numbers holds them with both signs.
    pub(super) fn views(&self) -> Vec<View> {
        let mut views = Vec::new();
        for first in 0..self.values.len() {
            if self.leaf_of(2 * first as u8) != Some(first) {
                continue;
            }
            let same =
                (0..self.values.len()).filter(|n| register(self.values[*n]) == register(self.values[first]));
            let values = same.fold(0u64, |all, n| all | 1 << (2 * n));
            match self.values[first].base {
                Base::Input(v) => {
                    let view = View { values, wide: false, input: Some(v) };
                    views.extend([view, View { values: values << 1, ..view }]);
                }
                Base::Const(_) => views.push(View { values: values | values << 1, wide: true, input: None }),
                _ => {
                    let view = View { values, wide: true, input: None };
                    views.extend([view, View { values: values << 1, ..view }]);
                }
            }
        }
        views
    }
}

/// The components that outputs read.
fn outputs(items: &[Item]) -> impl Iterator<Item = Component> + '_ {
    items.iter().flat_map(|item| match item {
        Item::Output(_, parts) => parts.iter().copied().flatten().collect(),
        _ => Vec::new(),
    })
}

/// The register that a component stands in before anything runs; numbers are all in one.
fn register(component: Component) -> Option<Base> {
    match component.base {
        Base::Const(_) => Some(Base::Const(0)),
        Base::Input(_) | Base::Uniform(..) => Some(component.base),
        Base::Node(_) | Base::Undef => None,
    }
}
