//! The assembler: a whole file from text, chunks as directives, instructions as [`plain`](crate::listing::plain) lines.
//!
//! A listing assembles to the identical file. A source for people needs none of the directives:
//! instructions alone become a vertex program with the chunk that counts them.
//!
//! ```text
//! .mbs vertex 6
//! .instructions 0 2 1          // unknown, count, prefetch
//! .attributes
//! .symbol "a_position" kind 1 components 4 size 4 entries 0 stride 4 flags 16 precision 3 invariant 0 offset 0 parent 0
//! .code
//! again:
//!     in0 a0; pass.mov in0.x; out0 v0 = pass, -
//!     in2 t[3]; pass.mov in2.x; branch again
//! ```
//!
//! `//` begins a comment, since `;` stands between units. `.raw` in the place of `.mbs` is code
//! without a container.

pub mod instruction;

use std::collections::BTreeMap;
use std::ops::Range;

use crate::container::{Chunk, Core, Mbs, Symbol, Symbols, Table};
use crate::isa::word::{self, Word};

/// Directives as they are written.
pub const DIRECTIVES: &[&str] = &[
    ".mbs vertex version",
    ".raw",
    ".instructions unknown count prefetch",
    ".uniforms size",
    ".attributes",
    ".varyings",
    ".symbol \"name\" key number ...",
    ".code",
    ".bytes hex",
    ".behind hex",
    ".chunk hex hex",
];

/// What a text assembles to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Assembled {
    /// The file's bytes.
    pub bytes: Vec<u8>,
    /// Where in the text each instruction stands.
    pub places: Vec<Range<usize>>,
    /// Instructions by label.
    pub labels: BTreeMap<String, u32>,
}

/// Something that is wrong with a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Where, in bytes.
    pub place: Range<usize>,
    /// What.
    pub message: String,
}

/// Assembles a text.
///
/// # Errors
/// Everything that is wrong with it.
pub fn parse(text: &str) -> Result<Assembled, Vec<Fault>> {
    let mut reader = Reader::default();
    reader.find_labels(text);
    for (start, line) in lines(text) {
        if let Err(message) = reader.line(line, start) {
            reader.faults.push(message);
        }
    }
    if reader.faults.is_empty() { Ok(reader.finish()) } else { Err(reader.faults) }
}

/// Lines without their comments, each with its first byte.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        (start, line.split("//").next().unwrap_or_default().trim_end())
    })
}

#[derive(Default)]
struct Reader {
    core: Option<Core>,
    raw: bool,
    chunks: Vec<Chunk>,
    behind: Vec<u8>,
    made: Assembled,
    faults: Vec<Fault>,
}

/// A label at the start of a line and what follows it.
fn label(line: &str) -> Option<(&str, &str)> {
    let (name, rest) = line.trim_start().split_once(':')?;
    let name = name.trim_end();
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    (starts && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')).then_some((name, rest))
}

/// A directive without its point. An instruction may begin with a raw field, `.mul_op=3`.
fn directive(text: &str) -> Option<&str> {
    let rest = text.strip_prefix('.')?;
    let name = rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    (!name.starts_with('=')).then_some(rest)
}

fn fault<T>(place: Range<usize>, message: impl Into<String>) -> Result<T, Fault> {
    Err(Fault { place, message: message.into() })
}

impl Reader {
    /// Places of all labels: branches may lead forward.
    fn find_labels(&mut self, text: &str) {
        let mut count = 0;
        for (start, line) in lines(text) {
            let (name, rest) = label(line).unzip();
            if let Some(name) = name
                && self.made.labels.insert(name.to_owned(), count).is_some()
            {
                let at = start + line.find(name).unwrap_or(0);
                self.faults
                    .extend(fault::<()>(at..at + name.len(), format!("there are two labels `{name}`")).err());
            }
            let text = rest.unwrap_or(line).trim();
            count += u32::from(!text.is_empty() && directive(text).is_none());
        }
    }

    fn line(&mut self, line: &str, start: usize) -> Result<(), Fault> {
        let rest = label(line).map_or(line, |(_, rest)| rest);
        let text = rest.trim();
        let at = start + line.len() - rest.trim_start().len();
        if text.is_empty() {
            return Ok(());
        }
        match directive(text) {
            Some(directive) => self.directive(directive, at),
            None => self.instruction(text, at),
        }
    }

    fn instruction(&mut self, text: &str, at: usize) -> Result<(), Fault> {
        let (resolved, moved) = self.resolve(text, at)?;
        let word = instruction::parse(&resolved).or_else(|e| {
            let shift = |n: u32| if n as usize > moved.0 { n as usize + moved.1 } else { n as usize };
            fault(at + shift(e.start)..at + shift(e.end).min(text.len()), e.to_string())
        })?;
        self.made.places.push(at..at + text.len());
        self.code().extend(word.to_bytes());
        Ok(())
    }

    /// Labels of branches as numbers; from where on the text got shorter, and by how much.
    fn resolve(&self, text: &str, at: usize) -> Result<(String, (usize, usize)), Fault> {
        let mut from = 0;
        for unit in text.split(';') {
            let name = unit.trim_start().strip_prefix("branch ").map(str::trim_start);
            let name = name.and_then(|rest| rest.split_whitespace().next()).unwrap_or_default();
            if name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
                let start = from + unit.find(name).unwrap_or(0);
                let Some(target) = self.made.labels.get(name) else {
                    return fault(at + start..at + start + name.len(), format!("there is no label `{name}`"));
                };
                let number = target.to_string();
                let resolved = format!("{}{number}{}", &text[..start], &text[start + name.len()..]);
                return Ok((resolved, (start, name.len().saturating_sub(number.len()))));
            }
            from += unit.len() + 1;
        }
        Ok((text.to_owned(), (text.len(), 0)))
    }

    /// The code that instructions are added to.
    fn code(&mut self) -> &mut Vec<u8> {
        if !matches!(self.chunks.last(), Some(Chunk::Code(_))) {
            self.chunks.push(Chunk::Code(Vec::new()));
        }
        match self.chunks.last_mut() {
            Some(Chunk::Code(bytes)) => bytes,
            _ => &mut self.behind,
        }
    }

    fn directive(&mut self, text: &str, at: usize) -> Result<(), Fault> {
        let (name, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let rest = rest.trim();
        let mut words = rest.split_whitespace();
        let mut next = |what: &str| number(words.next().unwrap_or_default(), what);
        let done = match name {
            "mbs" => core(rest).map(|core| self.core = Some(core)),
            "raw" => {
                self.raw = true;
                Ok(())
            }
            "instructions" => three(rest).map(|[unknown, count, prefetch]| {
                self.chunks.push(Chunk::Instructions { unknown, count, prefetch });
            }),
            "uniforms" => next("the size").map(|size| self.table(Table::Uniforms, size)),
            "attributes" => {
                self.table(Table::Attributes, 0);
                Ok(())
            }
            "varyings" => {
                self.table(Table::Varyings, 0);
                Ok(())
            }
            "symbol" => self.symbol(rest),
            "code" => {
                self.chunks.push(Chunk::Code(Vec::new()));
                Ok(())
            }
            "bytes" => bytes(rest).map(|bytes| self.code().extend(bytes)),
            "behind" => bytes(rest).map(|bytes| self.behind.extend(bytes)),
            "chunk" => self.raw_chunk(rest),
            _ => Err(format!("there is no directive `.{name}`")),
        };
        done.or_else(|message| fault(at..at + 1 + text.len(), message))
    }

    fn table(&mut self, table: Table, size: u32) {
        self.chunks.push(Chunk::Symbols(Symbols { table, size, list: Vec::new() }));
    }

    fn symbol(&mut self, text: &str) -> Result<(), String> {
        let quoted = text.strip_prefix('"').and_then(|rest| rest.split_once('"'));
        let (name, rest) = quoted.ok_or("a symbol's name stands in quotes")?;
        let mut symbol = Symbol { name: unquoted(name)?, ..Symbol::default() };
        let mut words = rest.split_whitespace().peekable();
        while let Some(key) = words.next() {
            let mut next = || number(words.next().unwrap_or_default(), key);
            if let Some((.., set)) = Symbol::NUMBERS.iter().find(|(name, ..)| *name == key) {
                set(&mut symbol, next()?);
            } else if key == "index" {
                symbol.index = Some([next()?, next()?, next()?]);
            } else if key == "init" {
                symbol.init = Some(words.by_ref().map(|w| number(w, key)).collect::<Result<_, _>>()?);
            } else {
                return Err(format!("a symbol has no `{key}`"));
            }
        }
        let Some(Chunk::Symbols(symbols)) = self.chunks.last_mut() else {
            return Err("a symbol stands behind `.uniforms`, `.attributes` or `.varyings`".to_owned());
        };
        symbols.list.push(symbol);
        Ok(())
    }

    fn raw_chunk(&mut self, text: &str) -> Result<(), String> {
        let (tag, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let tag: [u8; 4] = bytes(tag)?.try_into().map_err(|_| "a tag has four bytes")?;
        self.chunks.push(Chunk::Raw { tag, bytes: bytes(rest)? });
        Ok(())
    }

    fn finish(mut self) -> Assembled {
        let core = self.core;
        if !self.raw && core.is_none() && !self.chunks.iter().any(|c| matches!(c, Chunk::Instructions { .. }))
        {
            let count = self.made.places.len() as u32;
            let prefetch = prefetch(self.code());
            self.chunks.insert(0, Chunk::Instructions { unknown: 0, count, prefetch });
        }
        self.made.bytes = if self.raw {
            std::mem::take(self.code())
        } else {
            let core = core.unwrap_or(Core::Vertex(6));
            Mbs { core, chunks: self.chunks, behind: self.behind }.write()
        };
        self.made
    }
}

/// One more than the last instruction that loads an attribute; 0 for none. [lima_compiler]
fn prefetch(code: &[u8]) -> u32 {
    let (words, _) = code.as_chunks();
    let loads = |bytes: &[u8; word::BYTES]| Word::load(*bytes).get(word::PORT0_ATTRIBUTE) == 1;
    words.iter().rposition(loads).map_or(0, |last| last as u32 + 1)
}

fn core(text: &str) -> Result<Core, String> {
    let (kind, version) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let version = number(version.trim(), "the core's number")?;
    match kind {
        "vertex" => Ok(Core::Vertex(version)),
        "fragment" => Ok(Core::Fragment(version)),
        _ => Err("a core is `vertex` or `fragment` and a number".to_owned()),
    }
}

fn three(text: &str) -> Result<[u32; 3], String> {
    let numbers: Vec<u32> =
        text.split_whitespace().map(|w| number(w, "a number")).collect::<Result<_, _>>()?;
    numbers.try_into().map_err(|_| "three numbers are expected".to_owned())
}

fn number(text: &str, what: &str) -> Result<u32, String> {
    let parsed = match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => text.parse(),
    };
    parsed.map_err(|_| format!("{what}: `{text}` is no number of 32 bits"))
}

fn bytes(text: &str) -> Result<Vec<u8>, String> {
    let digits: Vec<u8> = text.bytes().filter(|b| !b.is_ascii_whitespace()).collect();
    let byte = |pair: &[u8]| {
        let digit = |b: u8| char::from(b).to_digit(16);
        match pair {
            [a, b] => Some(digit(*a)? << 4 | digit(*b)?).map(|byte| byte as u8),
            _ => None,
        }
    };
    let all: Option<Vec<u8>> = digits.chunks(2).map(byte).collect();
    all.ok_or_else(|| "bytes are pairs of hexadecimal digits".to_owned())
}

fn unquoted(text: &str) -> Result<String, String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let (byte, tail) = match (first, tail) {
            (b'%', [a, b, tail @ ..]) => {
                (self::bytes(&format!("{}{}", char::from(*a), char::from(*b)))?, tail)
            }
            _ => (vec![first], tail),
        };
        bytes.extend(byte);
        rest = tail;
    }
    String::from_utf8(bytes).map_err(|_| "the name is no UTF-8 text".to_owned())
}
