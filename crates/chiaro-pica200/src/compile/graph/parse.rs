//! Parses the text that [`print`](super::print) makes, for tests.

use super::print::{COMPONENTS, RELATIONS};
use super::{Base, Block, Component, Cond, Counter, Graph, Id, Index, Item, Node, Setting};
use crate::abi::{Bytes, Count};
use crate::isa::{OPS, Op};
use chiaro_ir::GlobalRef;

type Answer<T> = Result<T, String>;

/// Reads a graph; the error names the line that was not understood.
pub(crate) fn parse(text: &str) -> Answer<Graph> {
    let mut reader = Reader { graph: Graph::default(), nodes: Vec::new(), block: None };
    for (number, line) in text.lines().enumerate() {
        let line = line.split(';').next().unwrap_or("").trim();
        if !line.is_empty() {
            reader.line(line).map_err(|what| format!("line {}: {what}: `{line}`", number + 1))?;
        }
    }
    reader.finish()
}

struct Reader {
    graph: Graph,
    /// By number; in text they may come in any order.
    nodes: Vec<Option<Node>>,
    block: Option<Block>,
}

impl Reader {
    fn line(&mut self, line: &str) -> Answer<()> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "address" => self.graph.addresses.push(component(after_number(rest)?)?),
            "loop" if rest.contains('=') => self.graph.loops.push(counter(after_number(rest)?)?),
            "count" => self.graph.counts.push(count(after_number(rest)?)?),
            "var" => {
                let (id, width) = result(rest)?;
                self.define(id, Node { op: None, width, ..EMPTY })?;
            }
            "unplaced:" => self.block = None,
            _ if word.ends_with(':') => self.open(number(word, "b", ":")?)?,
            _ => {
                let item = self.item(word, rest, line)?;
                if let Some(block) = self.block {
                    self.graph.items_mut(block).push(item);
                }
            }
        }
        Ok(())
    }

    fn open(&mut self, block: Block) -> Answer<()> {
        if block as usize != self.graph.blocks.len() {
            return Err("blocks are numbered from 0 on".to_owned());
        }
        self.block = Some(self.graph.block());
        Ok(())
    }

    fn item(&mut self, word: &str, rest: &str, line: &str) -> Answer<Item> {
        match word {
            "if" => {
                let (rest, other) = rest.rsplit_once(' ').ok_or("an `if` has two blocks")?;
                let (cond, then) = rest.rsplit_once(' ').ok_or("an `if` has two blocks")?;
                let cond = self.cond(cond)?;
                Ok(Item::If(cond, number(then, "b", "")?, number(other, "b", "")?))
            }
            "break" => Ok(Item::Break(self.cond(rest)?)),
            "loop" => {
                let (l, body) = rest.split_once(' ').ok_or("a loop has a body")?;
                Ok(Item::Loop(number(l, "", "")?, number(body, "b", "")?))
            }
            "emit" => emit(rest),
            _ if rest.starts_with("<- ") => Ok(Item::Assign(number(word, "n", "")?, written(&rest[3..])?)),
            _ if word.starts_with('o') => Ok(Item::Output(number(word, "o", "")?, written(value(rest)?)?)),
            _ => Ok(Item::Node(self.node(line)?)),
        }
    }

    fn cond(&mut self, text: &str) -> Answer<Cond> {
        if let Some(b) = text.strip_prefix("not ") {
            return Ok(Cond::Bool(number(b, "b", "")?, true));
        }
        match text.split_once(" (") {
            Some((fields, compare)) => {
                let compare = compare.strip_suffix(')').ok_or("`)` is missing")?;
                Ok(Cond::Flags(self.node(compare)?, number(fields, "", "")?))
            }
            None => Ok(Cond::Bool(number(text, "b", "")?, false)),
        }
    }

    /// `n4.xy = op a, b`; the number of the node.
    fn node(&mut self, text: &str) -> Answer<Id> {
        let (left, right) = text.split_once(" = ").ok_or("neither an item nor an operation")?;
        let (id, width) = result(left)?;
        let (name, mut rest) = right.split_once(' ').unwrap_or((right, ""));
        let row = OPS.iter().position(|row| row.name == name).ok_or("no such operation")?;
        let op = Op::of(row as u16);
        let mut node = Node { op: Some(op), width, ..EMPTY };
        if op == Op::Cmp {
            for relation in &mut node.relations {
                let (word, after) = rest.split_once(' ').ok_or("two relations are missing")?;
                let known = RELATIONS.iter().position(|r| *r == word).ok_or("no such relation")?;
                (*relation, rest) = (known as u8, after);
            }
        }
        let operands: Vec<&str> = rest.split(", ").filter(|t| !t.is_empty()).collect();
        if operands.len() != super::operands(op) {
            return Err(format!("`{name}` has {} operands", super::operands(op)));
        }
        for (k, text) in operands.into_iter().enumerate() {
            let all = operand(text)?;
            if all.len() != node.reads(k) {
                return Err(format!("operand {k} has {} components, {} are read", all.len(), node.reads(k)));
            }
            node.args[k][..all.len()].copy_from_slice(&all);
        }
        self.define(id, node)?;
        Ok(id)
    }

    fn define(&mut self, id: Id, node: Node) -> Answer<()> {
        let at = id as usize;
        self.nodes.resize(self.nodes.len().max(at + 1), None);
        match self.nodes[at].replace(node) {
            Some(_) => Err(format!("n{id} is defined twice")),
            None => Ok(()),
        }
    }

    /// Every number below the largest is a node's, and every block and node that is named is there.
    fn finish(mut self) -> Answer<Graph> {
        for (id, node) in self.nodes.into_iter().enumerate() {
            self.graph.nodes.push(node.ok_or_else(|| format!("n{id} is not defined"))?);
        }
        check(&self.graph)?;
        Ok(self.graph)
    }
}

/// Every block, loop and node that is named is there.
fn check(graph: &Graph) -> Answer<()> {
    let blocks = graph.blocks.len() as Block;
    for item in graph.blocks.iter().flatten() {
        match item {
            Item::If(_, a, b) if *a.max(b) >= blocks => return Err(format!("there is no b{}", a.max(b))),
            Item::Loop(_, a) if *a >= blocks => return Err(format!("there is no b{a}")),
            Item::Loop(l, _) if usize::from(*l) >= graph.loops.len() => {
                return Err(format!("there is no loop {l}"));
            }
            Item::Assign(id, _) if graph.nodes.get(*id as usize).is_none_or(|n| n.op.is_some()) => {
                return Err(format!("n{id} is no variable"));
            }
            _ => {}
        }
    }
    let written = graph.blocks.iter().flatten().flat_map(|item| match item {
        Item::Output(_, parts) | Item::Assign(_, parts) => parts.iter().flatten().copied().collect(),
        _ => Vec::new(),
    });
    let mut all = graph.nodes.iter().flat_map(Node::uses).chain(written).chain(graph.addresses.clone());
    match all.find(|c| !is_there(graph, *c)) {
        Some(missing) => Err(format!("{missing:?} is not defined")),
        None => Ok(()),
    }
}

fn is_there(graph: &Graph, component: Component) -> bool {
    match component.base {
        Base::Node(id) => (id as usize) < graph.nodes.len(),
        Base::Uniform(_, Index::Address(k)) => usize::from(k) < graph.addresses.len(),
        Base::Uniform(_, Index::Loop(l)) => usize::from(l) < graph.loops.len(),
        _ => true,
    }
}

const EMPTY: Node = Node {
    op: None,
    width: 0,
    args: [[Component::UNDEF; 4]; 3],
    relations: [0; 2],
    exact: false,
    span: None,
};

/// A number between a letter and what follows.
fn number<T: std::str::FromStr>(text: &str, before: &str, behind: &str) -> Answer<T> {
    let digits = text.strip_prefix(before).and_then(|t| t.strip_suffix(behind));
    digits.and_then(|d| d.parse().ok()).ok_or_else(|| format!("`{text}` is no `{before}` with a number"))
}

/// What stands behind `=`.
fn value(text: &str) -> Answer<&str> {
    text.strip_prefix("= ").ok_or_else(|| "`=` is missing".to_owned())
}

/// What stands behind `NUMBER =`; they are numbered in the order of the text.
fn after_number(text: &str) -> Answer<&str> {
    text.split_once(" = ").map(|(_, rest)| rest).ok_or_else(|| "`=` is missing".to_owned())
}

/// `n4.xy`: the node and its width.
fn result(text: &str) -> Answer<(Id, u8)> {
    let (id, parts) = text.split_once('.').ok_or("components are missing")?;
    let is_first = !parts.is_empty() && COMPONENTS.iter().collect::<String>().starts_with(parts);
    let width = is_first.then_some(parts.len() as u8).ok_or("components count from x on")?;
    Ok((number(id, "n", "")?, width))
}

/// The components of an operand.
fn operand(text: &str) -> Answer<Vec<Component>> {
    match text.strip_prefix('{').and_then(|t| t.strip_suffix('}')) {
        Some(inner) => inner.split(' ').map(component).collect(),
        None => several(text),
    }
}

/// The four places of an output or a variable.
fn written(text: &str) -> Answer<[Option<Component>; 4]> {
    let inner = text.strip_prefix('{').and_then(|t| t.strip_suffix('}')).ok_or("`{` is missing")?;
    let parts: Vec<Option<Component>> = inner
        .split(' ')
        .map(|part| if part == "." { Ok(None) } else { component(part).map(Some) })
        .collect::<Answer<_>>()?;
    parts.try_into().map_err(|_| "four places are written".to_owned())
}

fn component(text: &str) -> Answer<Component> {
    match several(text)?[..] {
        [one] => Ok(one),
        _ => Err(format!("`{text}` is not one component")),
    }
}

/// Components of one register with one sign.
fn several(text: &str) -> Answer<Vec<Component>> {
    let (neg, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let one = |base| vec![Component { neg, ..Component::new(base, 0) }];
    if text == "_" {
        return Ok(vec![Component::UNDEF]);
    }
    if let Some(bits) = text.strip_prefix("0x") {
        return Ok(one(Base::Const(u32::from_str_radix(bits, 16).map_err(|e| e.to_string())?)));
    }
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        return Ok(one(Base::Const(text.parse::<f32>().map_err(|e| e.to_string())?.to_bits())));
    }
    let (register, parts) = text.split_once('.').ok_or_else(|| format!("`{text}` has no components"))?;
    let base = base(register)?;
    let part = |c: char| COMPONENTS.iter().position(|k| *k == c).ok_or_else(|| format!("no component `{c}`"));
    parts.chars().map(|c| Ok(Component { neg, ..Component::new(base, part(c)? as u8) })).collect()
}

fn base(text: &str) -> Answer<Base> {
    match text.as_bytes().first() {
        Some(b'v') => Ok(Base::Input(number(text, "v", "")?)),
        Some(b'n') => Ok(Base::Node(number(text, "n", "")?)),
        _ => match text.split_once('[') {
            None => Ok(Base::Uniform(number(text, "c", "")?, Index::None)),
            Some((c, k)) if k.starts_with('a') => {
                Ok(Base::Uniform(number(c, "c", "")?, Index::Address(number(k, "a", "]")?)))
            }
            Some((c, l)) => Ok(Base::Uniform(number(c, "c", "")?, Index::Loop(number(l, "l", "]")?))),
        },
    }
}

/// `[3 0 1 0] i0 jumps`, of which the first and the last may be absent.
fn counter(text: &str) -> Answer<Counter> {
    let (text, jumps) = text.strip_suffix(" jumps").map_or((text, false), |rest| (rest, true));
    let (constant, register) = match text.strip_prefix('[').and_then(|t| t.split_once("] ")) {
        Some((bytes, register)) => {
            let bytes: Vec<u8> = bytes.split(' ').map(|b| number(b, "", "")).collect::<Answer<_>>()?;
            (Some(bytes.try_into().map_err(|_| "four bytes are a constant")?), register)
        }
        None => (None, text),
    };
    Ok(Counter { constant, register: number(register, "i", "")?, jumps })
}

/// `g2 [1 0] + -1 0 1`, or `g2 [1 0] whole`.
fn count(text: &str) -> Answer<Count> {
    let (variable, rest) = text.split_once(" [").ok_or("a path is missing")?;
    let (path, rest) = rest.split_once("] ").ok_or("the end of the path is missing")?;
    let path: Vec<u32> =
        path.split(' ').filter(|p| !p.is_empty()).map(|p| number(p, "", "")).collect::<Answer<_>>()?;
    let variable = GlobalRef(number(variable, "g", "")?);
    let rest: Vec<&str> = rest.split(' ').collect();
    let bytes = match rest[..] {
        ["whole"] => Bytes::Components,
        ["+", more, start, step] => Bytes::Number {
            more: number(more, "", "")?,
            start: number(start, "", "")?,
            step: number(step, "", "")?,
        },
        _ => return Err("`+` and three numbers are a count, or `whole`".to_owned()),
    };
    Ok(Count { variable, path, bytes })
}

fn emit(text: &str) -> Answer<Item> {
    let mut words = text.split(' ');
    let vertex = number(words.next().unwrap_or(""), "", "")?;
    let mut setting = Setting { vertex, primitive: false, winding: false };
    for word in words {
        match word {
            "primitive" => setting.primitive = true,
            "inverted" => setting.winding = true,
            _ => return Err(format!("`{word}` is no flag")),
        }
    }
    Ok(Item::Emit(setting))
}
