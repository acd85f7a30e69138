//! The graph as text; [`parse`](super::parse) reads it back.
//!
//! ```text
//! address 0 = v1.x                  what MOVA loads
//! loop 0 = [3 0 1 0] i0             a LOOP that the program counts, or `i1` of the application
//! count 0 = g2 [1] + -1 0 1         variable, path, more, start, step
//! var n0.xy                         a variable of two components
//! b0:
//!   n1.xyz = mul v0.xyz, -c4[a0].w  an operation; `_` is any value, `{...}` are several places
//!   o0 = {n1.x n1.y 0.5 .}          an output; `.` is not written here
//!   n0 <- {n1.x n1.y . .}           a variable is set
//!   if 5 (n2.x = cmp lt ge n1.xy, 0.0) b1 b2
//!   if not b3 b1 b2                 a condition by its fields, or a boolean uniform
//!   loop 0 b1
//!   break b3
//!   emit 2 primitive inverted
//! unplaced:                         nodes that stand in no block
//! ```
//!
//! Source spans are not printed, nor components of operands that an operation does not read.

use super::{Base, Block, Component, Cond, Counter, Graph, Id, Index, Item, Node};
use crate::abi::{Bytes, Count};
use crate::isa::OPS;
use std::fmt::Write;

/// Names of components, of relations by their number in CMP (spec section 11).
pub(super) const COMPONENTS: [char; 4] = ['x', 'y', 'z', 'w'];
pub(super) const RELATIONS: [&str; 8] = ["eq", "ne", "lt", "le", "gt", "ge", "r6", "r7"];

/// What is said of a node beside its operation, such as where it is written.
pub(crate) type Remark<'a> = &'a dyn Fn(Id) -> String;

/// The whole graph.
pub(crate) fn print(graph: &Graph) -> String {
    let mut out = head(graph);
    let mut placed = vec![false; graph.nodes.len()];
    for (block, items) in graph.blocks.iter().enumerate() {
        print_block(&mut out, graph, block as Block, items.iter(), &|_| String::new());
        items.iter().filter_map(Item::instruction).for_each(|id| placed[id as usize] = true);
    }
    let left = (0..).zip(&graph.nodes).filter(|(id, n)| n.op.is_some() && !placed[*id as usize]);
    for (i, (id, node)) in left.enumerate() {
        let title = if i == 0 { "unplaced:\n" } else { "" };
        let _ = writeln!(out, "{title}  {}", operation(id, node));
    }
    out
}

/// Everything but blocks: addresses, loops, counts, variables.
pub(crate) fn head(graph: &Graph) -> String {
    let mut out = String::new();
    for (i, address) in graph.addresses.iter().enumerate() {
        let _ = writeln!(out, "address {i} = {}", component(*address));
    }
    for (i, counter) in graph.loops.iter().enumerate() {
        let _ = writeln!(out, "loop {i} ={}", self::counter(counter));
    }
    for (i, Count { variable, path, bytes }) in graph.counts.iter().enumerate() {
        let path: Vec<String> = path.iter().map(u32::to_string).collect();
        let _ = write!(out, "count {i} = g{} [{}]", variable.0, path.join(" "));
        let _ = match bytes {
            Bytes::Number { more, start, step } => writeln!(out, " + {more} {start} {step}"),
            Bytes::Components => writeln!(out, " whole"),
        };
    }
    for (id, node) in graph.nodes.iter().enumerate().filter(|(_, n)| n.op.is_none()) {
        let _ = writeln!(out, "var n{id}.{}", first(node.width));
    }
    out
}

/// One block, in the order of its items.
pub(crate) fn print_block<'a>(
    out: &mut String,
    graph: &Graph,
    block: Block,
    items: impl Iterator<Item = &'a Item>,
    remark: Remark<'_>,
) {
    let _ = writeln!(out, "b{block}:");
    for item in items {
        let _ = writeln!(out, "  {}", print_item(graph, item, remark));
    }
}

fn print_item(graph: &Graph, item: &Item, remark: Remark<'_>) -> String {
    match item {
        Item::Node(id) => print_node(graph, *id, remark),
        Item::Output(register, parts) => format!("o{register} = {}", written(parts)),
        Item::Assign(variable, parts) => format!("n{variable} <- {}", written(parts)),
        Item::If(cond, then, other) => format!("if {} b{then} b{other}", print_cond(graph, *cond)),
        Item::Loop(number, body) => format!("loop {number} b{body}"),
        Item::Break(cond) => format!("break {}", print_cond(graph, *cond)),
        Item::Emit(setting) => setting.to_string(),
    }
}

/// A node as an instruction.
pub(crate) fn print_node(graph: &Graph, id: Id, remark: Remark<'_>) -> String {
    operation(id, graph.node(id)) + &remark(id)
}

/// A condition, with the CMP that sets its flags.
pub(crate) fn print_cond(graph: &Graph, cond: Cond) -> String {
    match cond {
        Cond::Bool(b, false) => format!("b{b}"),
        Cond::Bool(b, true) => format!("not b{b}"),
        Cond::Flags(id, fields) => format!("{fields} ({})", operation(id, graph.node(id))),
    }
}

fn operation(id: Id, node: &Node) -> String {
    let Some(op) = node.op else { return format!("n{id}") };
    let mut text = format!("n{id}.{} = {}", first(node.width), OPS[op as usize].name);
    if node.relations != [0; 2] || op == crate::isa::Op::Cmp {
        let [x, y] = node.relations.map(|r| RELATIONS[usize::from(r & 7)]);
        let _ = write!(text, " {x} {y}");
    }
    let operands: Vec<String> =
        (0..super::operands(op)).map(|k| operand(&node.args[k][..node.reads(k)])).collect();
    text + " " + &operands.join(", ")
}

/// The components of a result from x on.
fn first(width: u8) -> String {
    COMPONENTS[..usize::from(width).min(4)].iter().collect()
}

/// Components of one register with one sign, or each by itself.
fn operand(all: &[Component]) -> String {
    let one = |c: &Component| (c.base, c.neg) == (all[0].base, all[0].neg) && has_parts(c.base);
    if !all.is_empty() && all.iter().all(one) {
        let parts: String = all.iter().map(|c| COMPONENTS[usize::from(c.part & 3)]).collect();
        return format!("{}{}.{parts}", sign(all[0]), register(all[0].base));
    }
    match all {
        [one] => component(*one),
        _ => format!("{{{}}}", all.iter().map(|c| component(*c)).collect::<Vec<_>>().join(" ")),
    }
}

/// The four places of an output or a variable.
fn written(parts: &[Option<Component>; 4]) -> String {
    let parts = parts.map(|part| part.map_or_else(|| ".".to_owned(), component));
    format!("{{{}}}", parts.join(" "))
}

fn has_parts(base: Base) -> bool {
    !matches!(base, Base::Undef | Base::Const(_))
}

fn sign(c: Component) -> &'static str {
    if c.neg { "-" } else { "" }
}

/// One component with its sign.
pub(super) fn component(c: Component) -> String {
    match c.base {
        Base::Undef => "_".to_owned(),
        base if has_parts(base) => {
            format!("{}{}.{}", sign(c), register(base), COMPONENTS[usize::from(c.part & 3)])
        }
        base => format!("{}{}", sign(c), register(base)),
    }
}

fn register(base: Base) -> String {
    match base {
        Base::Undef => "_".to_owned(),
        Base::Const(bits) => {
            let value = f32::from_bits(bits);
            let is_plain = value.is_finite() && value.is_sign_positive();
            if is_plain { format!("{value:?}") } else { format!("0x{bits:08x}") }
        }
        Base::Input(v) => format!("v{v}"),
        Base::Uniform(c, Index::None) => format!("c{c}"),
        Base::Uniform(c, Index::Address(k)) => format!("c{c}[a{k}]"),
        Base::Uniform(c, Index::Loop(l)) => format!("c{c}[l{l}]"),
        Base::Node(id) => format!("n{id}"),
    }
}

fn counter(counter: &Counter) -> String {
    let constant = counter.constant.map(|[count, start, step, w]| format!(" [{count} {start} {step} {w}]"));
    let jumps = if counter.jumps { " jumps" } else { "" };
    format!("{} i{}{jumps}", constant.unwrap_or_default(), counter.register)
}
