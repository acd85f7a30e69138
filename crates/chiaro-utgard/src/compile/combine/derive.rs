//! Uniforms that the host computes: expressions of uniforms and constants alone, taken out of a
//! program that does not fit otherwise. Each is reported as a formula over uniform memory, and its
//! value belongs in a place behind the viewport's transformation before the first vertex.

use std::fmt;

use crate::compile::allocate::split::Cell;
use crate::compile::graph::{Block, Data, Graph, Node, Op, Operand, Source};
use crate::regs::letter;

/// A uniform that the host computes.
#[derive(Clone, PartialEq, Debug)]
pub struct Derived {
    /// vec4 of uniform memory.
    pub row: u16,
    /// Component.
    pub component: u8,
    /// What it is: operations in order, the last one is the value.
    formula: Vec<Data>,
}

/// Takes expressions of uniforms out of all blocks; `cell` gives out places for them until there
/// are none left.
pub fn derive(blocks: &mut [Block], mut cell: impl FnMut() -> Option<Cell>) -> Vec<Derived> {
    let mut all: Vec<Derived> = Vec::new();
    for block in blocks {
        let old = std::mem::take(&mut block.graph);
        let constant = constant_nodes(&old);
        let wanted = wanted(&old, &constant, block.jump.and_then(|jump| jump.condition));
        let mut map: Vec<Operand> = Vec::with_capacity(old.nodes().len());
        for (i, data) in old.nodes().iter().enumerate() {
            block.graph.follow(&old, Node(i as u32));
            let moved =
                |o: &Operand| Operand { neg: map[o.node.0 as usize].neg != o.neg, ..map[o.node.0 as usize] };
            let args: Vec<Operand> = data.args().iter().map(moved).collect();
            let place =
                if wanted[i] { place(&mut all, formula(&old, Node(i as u32)), &mut cell) } else { None };
            map.push(match place {
                Some((row, component)) => block.graph.load(Source::Uniform(row, component)),
                None => block.graph.make(data.op, &args),
            });
        }
        if let Some(condition) = block.jump.as_mut().and_then(|jump| jump.condition.as_mut()) {
            let to = map[condition.node.0 as usize];
            *condition = Operand { neg: to.neg != condition.neg, ..to };
        }
    }
    all
}

/// The place of a formula: that of an equal one, or a new one.
fn place(
    all: &mut Vec<Derived>,
    formula: Vec<Data>,
    cell: &mut impl FnMut() -> Option<Cell>,
) -> Option<Cell> {
    if let Some(known) = all.iter().find(|known| known.formula == formula) {
        return Some((known.row, known.component));
    }
    let (row, component) = cell()?;
    all.push(Derived { row, component, formula });
    Some((row, component))
}

/// Nodes that depend on uniforms and constants alone.
fn constant_nodes(graph: &Graph) -> Vec<bool> {
    let mut constant: Vec<bool> = Vec::with_capacity(graph.nodes().len());
    for data in graph.nodes() {
        constant.push(match data.op {
            Op::Load(source) => matches!(source, Source::Uniform(..) | Source::Constant(_)),
            op if op.is_root() => false,
            _ => data.args().iter().all(|arg| constant[arg.node.0 as usize]),
        });
    }
    constant
}

/// Those of them that something else uses and that are more than a load.
fn wanted(graph: &Graph, constant: &[bool], condition: Option<Operand>) -> Vec<bool> {
    let mut wanted = vec![false; graph.nodes().len()];
    let users = graph.nodes().iter().zip(constant).filter(|(_, constant)| !**constant);
    let used = users.flat_map(|(data, _)| data.args()).chain(condition.iter());
    for node in used.map(|arg| arg.node.0 as usize) {
        wanted[node] = constant[node] && !matches!(graph.nodes()[node].op, Op::Load(_));
    }
    wanted
}

/// The operations that a value needs, renumbered.
fn formula(graph: &Graph, root: Node) -> Vec<Data> {
    let mut needed = vec![false; root.0 as usize + 1];
    needed[root.0 as usize] = true;
    for i in (0..needed.len()).rev().filter(|&i| needed[i]).collect::<Vec<_>>() {
        mark(graph, i, &mut needed);
    }
    let mut small = Graph::default();
    let mut map = vec![Operand { node: Node(0), neg: false }; needed.len()];
    for i in (0..needed.len()).filter(|&i| needed[i]) {
        let data = graph.nodes()[i];
        let args: Vec<Operand> =
            data.args().iter().map(|arg| Operand { neg: arg.neg, ..map[arg.node.0 as usize] }).collect();
        map[i] = small.make(data.op, &args);
    }
    small.nodes().to_vec()
}

/// Marks all that a node needs: operands stand before users.
fn mark(graph: &Graph, root: usize, needed: &mut [bool]) {
    for i in (0..=root).rev() {
        if needed[i] {
            graph.nodes()[i].args().iter().for_each(|arg| needed[arg.node.0 as usize] = true);
        }
    }
}

impl Derived {
    /// The value, for what uniform memory holds.
    #[must_use]
    pub fn evaluate(&self, uniform: impl Fn(u16) -> [f32; 4]) -> f32 {
        let mut values: Vec<f32> = Vec::with_capacity(self.formula.len());
        for data in &self.formula {
            let args: Vec<f32> = data
                .args()
                .iter()
                .map(|arg| if arg.neg { -values[arg.node.0 as usize] } else { values[arg.node.0 as usize] })
                .collect();
            values.push(evaluate(data.op, &args, &uniform));
        }
        values.last().copied().unwrap_or(0.0)
    }
}

fn evaluate(op: Op, args: &[f32], uniform: &impl Fn(u16) -> [f32; 4]) -> f32 {
    let arg = |i: usize| args.get(i).copied().unwrap_or(0.0);
    let (a, b) = (arg(0), arg(1));
    let truth = |is: bool| f32::from(u8::from(is));
    match op {
        Op::Load(Source::Uniform(row, component)) => uniform(row)[usize::from(component & 3)],
        Op::Load(Source::Constant(bits)) => f32::from_bits(bits),
        Op::Mul(neg) => {
            if neg {
                -(a * b)
            } else {
                a * b
            }
        }
        Op::Add => a + b,
        Op::Neg => -a,
        Op::Floor => a.floor(),
        Op::Sign => {
            if a == 0.0 {
                0.0
            } else {
                a.signum()
            }
        }
        Op::Ge => truth(a >= b),
        Op::Lt => truth(a < b),
        Op::Min => a.min(b),
        Op::Max => a.max(b),
        Op::Select => {
            if a != 0.0 {
                b
            } else {
                arg(2)
            }
        }
        Op::Clamp(low, high) => a.max(f32::from_bits(low)).min(f32::from_bits(high)),
        op => op.of_number(a).unwrap_or(0.0),
    }
}

impl fmt::Display for Derived {
    /// Steps over `t[N].c`, the components of uniform memory; the last one is the value.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut names: Vec<String> = Vec::with_capacity(self.formula.len());
        let mut steps = 0;
        for (i, data) in self.formula.iter().enumerate() {
            let arg = |i: usize| match data.args().get(i) {
                Some(arg) if arg.neg => format!("-{}", names[arg.node.0 as usize]),
                Some(arg) => names[arg.node.0 as usize].clone(),
                None => String::new(),
            };
            let text = formula_text(data.op, &arg);
            if matches!(data.op, Op::Load(_)) {
                names.push(text);
            } else if i + 1 == self.formula.len() {
                f.write_str(&text)?;
                names.push(text);
            } else {
                write!(f, "s{steps} = {text}; ")?;
                names.push(format!("s{steps}"));
                steps += 1;
            }
        }
        Ok(())
    }
}

fn formula_text(op: Op, arg: &impl Fn(usize) -> String) -> String {
    let (a, b) = (arg(0), arg(1));
    match op {
        Op::Load(Source::Uniform(row, c)) => format!("t[{row}].{}", letter(c)),
        Op::Load(Source::Constant(bits)) => f32::from_bits(bits).to_string(),
        Op::Mul(neg) => format!("{}{a} * {b}", if neg { "-" } else { "" }),
        Op::Add => format!("{a} + {b}"),
        Op::Neg => format!("-{a}"),
        Op::Floor => format!("floor({a})"),
        Op::Sign => format!("sign({a})"),
        Op::Ge => format!("{a} >= {b}"),
        Op::Lt => format!("{a} < {b}"),
        Op::Min => format!("min({a}, {b})"),
        Op::Max => format!("max({a}, {b})"),
        Op::Select => format!("{a} ? {b} : {}", arg(2)),
        Op::Rcp => format!("1 / {a}"),
        Op::Rsqrt => format!("inversesqrt({a})"),
        Op::Exp2 => format!("exp2({a})"),
        Op::Log2 => format!("log2({a})"),
        Op::Clamp(low, high) => format!("clamp({a}, {}, {})", f32::from_bits(low), f32::from_bits(high)),
        Op::Load(_) | Op::Store(_) | Op::Address(_) | Op::Branch => String::new(),
    }
}
