//! Blocks as text, both ways: what tests and dumps of a step show.
//!
//! A line is a node. Nodes are numbered in their order; those that only take effect have no name.
//! The text of the source that a node comes from is not part of it.
//!
//! ```text
//! labels 1
//! block
//!     %0 = a0.x
//!     %1 = t[3].y
//!     %2 = nmul %0 %1 exact
//!     %3 = clamp 0.0 1.0 %2
//!     store v1.x %3
//!     jump 0 if %3
//! block
//! ```
//!
//! Loads are `a0.x` an attribute, `t[3].y` a uniform, `temp[20].x` what the program stores as well,
//! `t[20+addr1].x` a load through an address register, `$3.w` a register, and a number. `nmul` is
//! a product with its sign turned. `labels` has the block of each label, `reserved` the registers
//! that live between blocks, `temporary` the start values of a vec4.

use std::fmt::{self, Display, Formatter};

use super::{Block, Data, Graph, Jump, Label, Node, Op, Operand, Place, Program, Source};
use crate::regs::{BANK, COMPONENTS, letter};

/// Operations without parameters: name and operands.
const PLAIN: [(&str, Op, usize); 16] = [
    ("mul", Op::Mul(false), 2),
    ("nmul", Op::Mul(true), 2),
    ("neg", Op::Neg, 1),
    ("add", Op::Add, 2),
    ("floor", Op::Floor, 1),
    ("sign", Op::Sign, 1),
    ("ge", Op::Ge, 2),
    ("lt", Op::Lt, 2),
    ("min", Op::Min, 2),
    ("max", Op::Max, 2),
    ("select", Op::Select, 3),
    ("rcp", Op::Rcp, 1),
    ("rsqrt", Op::Rsqrt, 1),
    ("exp2", Op::Exp2, 1),
    ("log2", Op::Log2, 1),
    ("branch", Op::Branch, 1),
];

/// A number that reads back as the same bits.
struct Number(u32);

impl Display for Number {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match f32::from_bits(self.0) {
            x if x.is_finite() => write!(f, "{x:?}"),
            _ => write!(f, "{:#010x}", self.0),
        }
    }
}

impl Display for Source {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match *self {
            Source::Attribute(i, c) => write!(f, "a{i}.{}", letter(c)),
            Source::Uniform(i, c) => write!(f, "t[{i}].{}", letter(c)),
            Source::Constant(bits) => Number(bits).fmt(f),
            Source::Register(i, c) => write!(f, "${i}.{}", letter(c)),
            Source::Temporary(i, c) => write!(f, "temp[{i}].{}", letter(c)),
            Source::Indexed(i, c, register) => write!(f, "t[{i}+addr{register}].{}", letter(c)),
        }
    }
}

impl Display for Place {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match *self {
            Place::Output(i, c) => write!(f, "v{i}.{}", letter(c)),
            Place::Register(i, c) => write!(f, "${i}.{}", letter(c)),
            Place::Temporary(c) => write!(f, "temp.{}", letter(c)),
        }
    }
}

impl Display for Operand {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}%{}", if self.neg { "-" } else { "" }, self.node.0)
    }
}

impl Display for Op {
    /// The name with its parameters; a load is its source.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match *self {
            Op::Load(source) => source.fmt(f),
            Op::Clamp(low, high) => write!(f, "clamp {} {}", Number(low), Number(high)),
            Op::Store(place) => write!(f, "store {place}"),
            Op::Address(register) => write!(f, "address {register}"),
            op => f.write_str(PLAIN.iter().find(|(_, other, _)| *other == op).map_or("", |row| row.0)),
        }
    }
}

impl Display for Graph {
    /// A line for each node.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, data) in self.nodes().iter().enumerate() {
            f.write_str("    ")?;
            if !data.op.is_root() {
                write!(f, "%{i} = ")?;
            }
            data.op.fmt(f)?;
            data.args().iter().try_for_each(|arg| write!(f, " {arg}"))?;
            f.write_str(if self.is_exact(Node(i as u32)) { " exact\n" } else { "\n" })?;
        }
        Ok(())
    }
}

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if !self.labels.is_empty() {
            f.write_str("labels")?;
            self.labels.iter().try_for_each(|at| write!(f, " {at}"))?;
            f.write_str("\n")?;
        }
        for (i, mask) in self.reserved.iter().enumerate().filter(|(_, mask)| **mask != 0) {
            let parts: String = (0..4).filter(|c| mask >> c & 1 != 0).map(letter).collect();
            writeln!(f, "reserved ${i}.{parts}")?;
        }
        for row in &self.temporaries {
            let [x, y, z, w] = row.map(|value| Number(value.to_bits()));
            writeln!(f, "temporary {x} {y} {z} {w}")?;
        }
        for block in &self.blocks {
            write!(f, "block\n{}", block.graph)?;
            match block.jump {
                Some(Jump { to, condition: Some(condition) }) => {
                    writeln!(f, "    jump {} if {condition}", to.0)?;
                }
                Some(Jump { to, condition: None }) => writeln!(f, "    jump {}", to.0)?,
                None => {}
            }
        }
        Ok(())
    }
}

/// What is wrong with a text: the line, and why.
type Fault = String;

impl Graph {
    /// Reads a block's nodes.
    ///
    /// # Errors
    /// The first line that is not a node, or names one that does not stand before it.
    pub fn parse(text: &str) -> Result<Graph, Fault> {
        let program = Program::parse(&format!("block\n{text}"))?;
        program.blocks.into_iter().next().map(|block| block.graph).ok_or_else(|| "there is no block".into())
    }

    fn line(&mut self, text: &str) -> Option<()> {
        let text = match text.split_once(" = ") {
            Some((name, rest)) => {
                let number: usize = name.strip_prefix('%')?.parse().ok()?;
                (number == self.nodes.len()).then_some(rest)?
            }
            None => text,
        };
        let (text, is_exact) = text.strip_suffix(" exact").map_or((text, false), |text| (text, true));
        let mut words = text.split_whitespace();
        let (op, count) = operation(&mut words)?;
        let args = words.map(|word| self.operand(word)).collect::<Option<Vec<_>>>()?;
        if args.len() != count {
            return None;
        }
        self.set_exact(is_exact);
        self.push(Data::new(op, &args));
        Some(())
    }

    /// An operand that stands before.
    fn operand(&self, text: &str) -> Option<Operand> {
        let (text, neg) = text.strip_prefix('-').map_or((text, false), |text| (text, true));
        let number: u32 = text.strip_prefix('%')?.parse().ok()?;
        let is_root = self.nodes.get(number as usize)?.op.is_root();
        (!is_root).then_some(Operand { node: Node(number), neg })
    }
}

/// The operation that a line begins with, and how many operands it has.
fn operation<'a>(words: &mut impl Iterator<Item = &'a str>) -> Option<(Op, usize)> {
    let name = words.next()?;
    if let Some(&(_, op, count)) = PLAIN.iter().find(|row| row.0 == name) {
        return Some((op, count));
    }
    Some(match name {
        "clamp" => (Op::Clamp(number(words.next()?)?, number(words.next()?)?), 1),
        "address" => (Op::Address(words.next()?.parse().ok().filter(|n| (1..=3).contains(n))?), 1),
        "store" => {
            let place = place(words.next()?)?;
            (Op::Store(place), if matches!(place, Place::Temporary(_)) { 2 } else { 1 })
        }
        source => (Op::Load(self::source(source)?), 0),
    })
}

fn number(text: &str) -> Option<u32> {
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text.parse::<f32>().ok().map(f32::to_bits),
    }
}

/// What stands before a component, and the component.
fn split(text: &str) -> Option<(&str, u8)> {
    let (name, letter) = text.rsplit_once('.')?;
    let letter = letter.parse::<char>().ok()?;
    COMPONENTS.iter().position(|&c| c == letter).map(|c| (name, c as u8))
}

fn source(text: &str) -> Option<Source> {
    let Some((name, c)) = split(text) else { return number(text).map(Source::Constant) };
    let bracketed = |name: &str| name.strip_suffix(']')?.parse::<u16>().ok();
    if let Some(rest) = name.strip_prefix("temp[") {
        return Some(Source::Temporary(bracketed(rest)?, c));
    }
    if let Some(rest) = name.strip_prefix("t[") {
        return Some(match rest.split_once("+addr") {
            Some((row, register)) => Source::Indexed(
                row.parse().ok()?,
                c,
                bracketed(register).filter(|n| (1..=3).contains(n))? as u8,
            ),
            None => Source::Uniform(bracketed(rest)?, c),
        });
    }
    match name.strip_prefix('a') {
        Some(index) => Some(Source::Attribute(index.parse().ok()?, c)),
        None => Some(Source::Register(name.strip_prefix('$')?.parse().ok()?, c)),
    }
}

fn place(text: &str) -> Option<Place> {
    let (name, c) = split(text)?;
    match name.strip_prefix('v') {
        Some(index) => Some(Place::Output(index.parse().ok()?, c)),
        None if name == "temp" => Some(Place::Temporary(c)),
        None => Some(Place::Register(name.strip_prefix('$')?.parse().ok()?, c)),
    }
}

impl Program {
    /// Reads a program of blocks.
    ///
    /// # Errors
    /// The first line that is not understood.
    pub fn parse(text: &str) -> Result<Program, Fault> {
        let mut program = Program::default();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with(';')) {
            program.line(line).ok_or_else(|| format!("this line is not understood: {line}"))?;
        }
        let is_there = |jump: &Jump| (jump.to.0 as usize) < program.labels.len();
        match program.blocks.iter().filter_map(|block| block.jump.as_ref()).all(is_there) {
            true => Ok(program),
            false => Err("a jump leads to a label that is not there".into()),
        }
    }

    fn line(&mut self, text: &str) -> Option<()> {
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        match word {
            "labels" => self.labels = rest.split(' ').map(|n| n.parse().ok()).collect::<Option<_>>()?,
            "reserved" => {
                let (register, parts) = rest.strip_prefix('$')?.split_once('.')?;
                let register = register.parse().ok().filter(|&n: &usize| n < BANK)?;
                for letter in parts.chars() {
                    self.reserved[register] |= 1 << COMPONENTS.iter().position(|&c| c == letter)?;
                }
            }
            "temporary" => {
                let row: Vec<u32> = rest.split(' ').map(number).collect::<Option<_>>()?;
                self.temporaries.push(<[u32; 4]>::try_from(row).ok()?.map(f32::from_bits));
            }
            "block" => self.blocks.push(Block::default()),
            "jump" => {
                let block = self.blocks.last_mut()?;
                let (to, condition) = rest.split_once(" if ").map_or((rest, None), |(to, c)| (to, Some(c)));
                let condition = match condition {
                    Some(text) => Some(block.graph.operand(text)?),
                    None => None,
                };
                block.jump = Some(Jump { to: Label(to.parse().ok()?), condition });
            }
            _ => self.blocks.last_mut()?.graph.line(text)?,
        }
        Some(())
    }
}
