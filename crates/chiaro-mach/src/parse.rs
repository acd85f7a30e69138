//! Reads the text form of code that [`print`](crate::print()) writes; the form is described there.
//!
//! Two walks over the lines: what values are is told where they are defined, which may be below
//! their first use, so the definitions are collected first.

mod operand;

use std::fmt;

use chiaro_isa::Cursor;

use crate::code::{Block, Clobber, Clobbers, Code, Edges, Room, ValueData};
use crate::file::{File, RegFile};
use crate::id::Value;
use crate::op::{Effects, Op};
use crate::operand::Operand;

/// What names in the text stand for.
#[derive(Clone, Copy)]
pub struct Words<'a> {
    /// The target's files.
    pub files: &'a [RegFile],
    /// The number of an operation of the target.
    pub op: &'a dyn Fn(&str) -> Option<u32>,
}

/// What is wrong with a text, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// Line, from 1.
    pub line: u32,
    /// Byte within the line, from 1.
    pub column: u32,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}: {}", self.line, self.column, self.message)
    }
}

/// Values that a text may number: more than any function has, few enough for any memory.
const MOST_VALUES: u32 = 1 << 20;

/// Reads one function. The rules of code are not checked here: that does [`verify`](crate::verify()).
///
/// # Errors
/// The first place that cannot be understood; blocks that are named and missing.
pub fn parse(text: &str, words: Words<'_>) -> Result<Code, ParseError> {
    let names: Vec<&str> = words.files.iter().map(|file| file.name).collect();
    let (values, code) = (Vec::new(), Code::new(""));
    let mut parser = Parser { words, names, values, code, line: 0, named: None };
    parser.each_line(text, Parser::declare)?;
    for data in parser.values.clone() {
        let data = data.unwrap_or(ValueData { file: File(0), size: 1, align: 1 });
        parser.code.value(data.file, data.size, data.align);
    }
    parser.each_line(text, Parser::line)?;
    match parser.named.filter(|(block, ..)| block.0 as usize >= parser.code.block_count()) {
        None => Ok(parser.code),
        Some((block, line, column)) => {
            let count = parser.code.block_count();
            Err(ParseError {
                line,
                column,
                message: format!("there is no b{}: blocks end at {count}", block.0),
            })
        }
    }
}

struct Parser<'a> {
    words: Words<'a>,
    /// Names of the files, in their order.
    names: Vec<&'a str>,
    /// What is known of each value.
    values: Vec<Option<ValueData>>,
    code: Code,
    /// The line that is read, from 1.
    line: u32,
    /// The highest block that is named, with line and column.
    named: Option<(Block, u32, u32)>,
}

impl<'a> Parser<'a> {
    /// Calls a reader with every line that says anything.
    fn each_line(
        &mut self,
        text: &str,
        read: impl Fn(&mut Parser<'a>, &mut Cursor<'_>) -> Option<()>,
    ) -> Result<(), ParseError> {
        for (number, line) in text.lines().enumerate() {
            let line = line.split(';').next().unwrap_or(line);
            if line.trim().is_empty() {
                continue;
            }
            let mut s = Cursor::new(line);
            self.line = number as u32 + 1;
            if read(self, &mut s).is_none() {
                let fault = s.fault();
                return Err(ParseError {
                    line: self.line,
                    column: fault.map_or(s.at() as u32, |fault| fault.start) + 1,
                    message: fault.map_or("this is not understood", |fault| fault.why).to_owned(),
                });
            }
        }
        Ok(())
    }

    /// First walk: remembers what the definitions of a line tell of values.
    fn declare(&mut self, s: &mut Cursor<'_>) -> Option<()> {
        let mut starts = true;
        while let Some(next) = s.peek() {
            if !(starts && next == 'v' && self.declaration(s)?) {
                s.rewind(s.at() + next.len_utf8());
            }
            starts = matches!(next, ' ' | ',' | '\t');
        }
        Some(())
    }

    /// `v3:v.2/2`; false with nothing taken if the text here is something else.
    fn declaration(&mut self, s: &mut Cursor<'_>) -> Option<bool> {
        let start = s.at();
        s.eat_here("v");
        let Some(number) = s.digits() else {
            s.rewind(start);
            return Some(false);
        };
        if !s.eat_here(":") {
            s.rewind(start);
            return Some(false);
        }
        let (file, size) = self.sized(s)?;
        let align = if s.eat_here("/") { self.power_of_two(s)? } else { 1 };
        if number >= MOST_VALUES {
            return s.fail_at(start..s.at(), "values are numbered below 1048576");
        }
        let at = number as usize;
        if self.values.len() <= at {
            self.values.resize(at + 1, None);
        }
        if self.values[at].replace(ValueData { file, size, align }).is_some() {
            return s.fail_at(start..s.at(), "the text has told already what this value is");
        }
        Some(true)
    }

    /// Second walk.
    fn line(&mut self, s: &mut Cursor<'_>) -> Option<()> {
        if s.eat("function ") {
            self.code.name = s.rest().trim().to_owned();
            return Some(());
        }
        if s.eat("room ") {
            return self.room(s);
        }
        if s.eat("value ") {
            return Some(());
        }
        if s.rest().trim_start().starts_with('b') && s.rest().contains(':') && self.head(s)? {
            return Some(());
        }
        self.inst(s)
    }

    /// `room v40 but 8..12`: how much of a file the function may have.
    fn room(&mut self, s: &mut Cursor<'_>) -> Option<()> {
        let (file, limit) = (self.file(s)?, self.short(s)?);
        let mut reserved = Vec::new();
        while s.eat("but ") {
            reserved.push(self.range(s)?);
        }
        self.code.set_room(Room { file, limit, reserved });
        if s.at_end() { Some(()) } else { s.fail("expected but and a range of units") }
    }

    /// `b3: from b0, to b4, linear to b5, depth 1`; false if it is something else.
    fn head(&mut self, s: &mut Cursor<'_>) -> Option<bool> {
        let start = s.at();
        let number = if s.eat("b") { s.digits() } else { None };
        let (Some(number), true) = (number, s.eat_here(":")) else {
            s.rewind(start);
            return Some(false);
        };
        if number as usize != self.code.block_count() {
            return s.fail_at(start..s.at(), "blocks stand in the order of their numbers, from 0");
        }
        let block = self.code.block(0);
        let (mut logical, mut linear) = (Edges::default(), None::<Edges>);
        loop {
            if s.eat("linear") {
                linear = Some(Edges::default());
            }
            let edges = linear.as_mut().unwrap_or(&mut logical);
            if s.eat("from ") {
                edges.preds = self.blocks(s)?;
            } else if s.eat("to ") {
                edges.succs = self.blocks(s)?;
            } else if s.eat("depth ") {
                self.code.block_mut(block).depth = number_below(s, 256)? as u8;
            } else if s.eat("construct ") {
                self.code.block_mut(block).construct = number_below(s, u64::from(u32::MAX) + 1)? as u32;
            } else if !s.at_end() && s.peek() != Some(',') {
                return s.fail("expected from, to, linear, depth or construct");
            }
            if !s.eat(",") {
                break;
            }
        }
        if !s.at_end() {
            return s.fail("expected a comma");
        }
        let data = self.code.block_mut(block);
        data.linear = linear.unwrap_or_else(|| logical.clone());
        data.logical = logical;
        Some(true)
    }

    fn inst(&mut self, s: &mut Cursor<'_>) -> Option<()> {
        let Some(block) = self.code.blocks().next_back() else {
            return s.fail("an instruction stands in front of the first block");
        };
        let mut defs = Vec::new();
        if s.rest().contains(" = ") {
            defs = self.list(s)?;
            if !s.eat("=") {
                return s.fail("expected a comma or =");
            }
        }
        let op = self.op(s)?;
        let modifiers = if s.eat_here("#") { hexadecimal(s)? } else { 0 };
        let mut uses = Vec::new();
        if !s.at_end() && !is_tail(s.rest()) {
            uses = self.list(s)?;
        }
        let inst = self.code.push(block, op, &defs, &uses);
        let remat = s.eat("remat");
        let (effects, clobbers) = self.tail(s)?;
        let data = self.code.inst_mut(inst);
        (data.modifiers, data.effects, data.clobbers) = (modifiers, effects, clobbers);
        data.remat = remat;
        Some(())
    }

    fn op(&mut self, s: &mut Cursor<'_>) -> Option<Op> {
        let Some(name) = s.take(|c| !c.is_ascii_whitespace() && c != b'#') else {
            return s.fail("expected an operation");
        };
        let common = Op::COMMON.into_iter().find(|op| op.word() == Some(name));
        match common.or_else(|| (self.words.op)(name).map(Op::Machine)) {
            Some(op) => Some(op),
            None => s.fail_last("no operation of this target has this name"),
        }
    }

    fn list(&mut self, s: &mut Cursor<'_>) -> Option<Vec<Operand>> {
        let mut list = vec![self.operand(s)?];
        while s.eat(",") {
            list.push(self.operand(s)?);
        }
        Some(list)
    }

    /// Effects and what is destroyed, up to the end of the line.
    fn tail(&mut self, s: &mut Cursor<'_>) -> Option<(Effects, Option<Clobbers>)> {
        let (mut effects, mut kills) = (Effects::default(), Vec::new());
        while !s.at_end() {
            if s.eat("reads ") {
                effects.reads |= spaces(s)?;
            } else if s.eat("writes ") {
                effects.writes |= spaces(s)?;
            } else if s.eat("kills ") {
                while !s.at_end() && !is_tail(s.rest()) {
                    kills.push(self.clobber(s)?);
                }
            } else {
                return s.fail("expected a comma, a constraint, reads, writes or kills");
            }
        }
        let clobbers = (!kills.is_empty()).then(|| self.code.clobbers(&kills));
        Some((effects, clobbers))
    }

    fn clobber(&mut self, s: &mut Cursor<'_>) -> Option<Clobber> {
        s.skip_blanks();
        let (file, start) = (self.file(s)?, self.short(s)?);
        if !s.eat_here("..") {
            return s.fail("expected .. and one past the last unit");
        }
        Some(Clobber { file, units: start..self.short(s)? })
    }

    /// Blocks in a row.
    fn blocks(&mut self, s: &mut Cursor<'_>) -> Option<Vec<Block>> {
        let mut list = Vec::new();
        while s.eat("b") {
            let block = Block(s.digits()?);
            self.name(block, s.at());
            list.push(block);
        }
        if list.is_empty() { s.fail("expected blocks") } else { Some(list) }
    }

    /// Remembers a block that has to exist in the end; its name ends at byte `end` of the line.
    fn name(&mut self, block: Block, end: usize) {
        if self.named.is_none_or(|(highest, ..)| highest < block) {
            self.named = Some((block, self.line, (end - block.0.to_string().len()) as u32));
        }
    }

    fn data(&self, value: Value) -> Option<ValueData> {
        self.values.get(value.0 as usize).copied().flatten()
    }
}

/// Whether what stands behind the operands begins here.
fn is_tail(rest: &str) -> bool {
    let word = rest.split_whitespace().next();
    matches!(word, Some("remat" | "reads" | "writes" | "kills"))
}

fn spaces(s: &mut Cursor<'_>) -> Option<u16> {
    let mut set = 0;
    while !s.at_end() && !is_tail(s.rest()) {
        let Some(bit) = s.name_in(&Effects::SPACES) else {
            return s.fail("no space of effects has this name");
        };
        set |= 1 << bit;
    }
    Some(set)
}

fn number_below(s: &mut Cursor<'_>, limit: u64) -> Option<u64> {
    match s.take_here(|c| c.is_ascii_digit()).and_then(|digits| digits.parse().ok()) {
        Some(number) if number < limit => Some(number),
        _ => s.fail_last("expected a number that fits"),
    }
}

fn hexadecimal(s: &mut Cursor<'_>) -> Option<u64> {
    let digits = s.take_here(|c| c.is_ascii_hexdigit());
    match digits.and_then(|digits| u64::from_str_radix(digits, 16).ok()) {
        Some(bits) => Some(bits),
        None => s.fail_last("expected up to 16 hexadecimal digits"),
    }
}
