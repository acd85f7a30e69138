//! Bytes to chunks.

use super::{Chunk, Core, Malformed, Mbs, Symbol, Symbols, Table, write};

/// A run of bytes that is read from its start.
struct Bytes<'a> {
    rest: &'a [u8],
    at: usize,
}

impl<'a> Bytes<'a> {
    fn take(&mut self, count: usize, reason: &'static str) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(Malformed { at: self.at, reason })?;
        self.rest = rest;
        self.at += count;
        Ok(taken)
    }

    fn u32(&mut self, reason: &'static str) -> Result<u32, Malformed> {
        let bytes = self.take(4, reason)?;
        Ok(bytes.iter().rev().fold(0, |n, &b| n << 8 | u32::from(b)))
    }

    fn u16(&mut self, reason: &'static str) -> Result<u16, Malformed> {
        let bytes = self.take(2, reason)?;
        Ok(u16::from(bytes[0]) | u16::from(bytes[1]) << 8)
    }

    /// A chunk: its tag and its payload.
    fn chunk(&mut self) -> Result<([u8; 4], Bytes<'a>), Malformed> {
        let tag = self.take(4, "a chunk needs a tag of 4 bytes")?;
        let size = self.u32("a chunk needs a size of 4 bytes")?;
        let at = self.at;
        let rest = self.take(size as usize, "the chunk is longer than what holds it")?;
        Ok(([tag[0], tag[1], tag[2], tag[3]], Bytes { rest, at }))
    }
}

pub(super) fn file(bytes: &[u8]) -> Result<Mbs, Malformed> {
    let mut file = Bytes { rest: bytes, at: 0 };
    let (tag, mut outer) = file.chunk()?;
    if tag != *b"MBS1" {
        return Err(Malformed { at: 0, reason: "the file does not start with `MBS1`" });
    }
    let at = outer.at;
    let (tag, mut inner) = outer.chunk()?;
    let number = inner.u32("the core's number is missing")?;
    let core = match &tag {
        b"CVER" => Core::Vertex(number),
        b"CFRA" => Core::Fragment(number),
        _ => return Err(Malformed { at, reason: "expected `CVER` or `CFRA`" }),
    };
    if !outer.rest.is_empty() {
        return Err(Malformed { at: outer.at, reason: "something stands behind the core's chunk" });
    }
    let mut chunks = Vec::new();
    while !inner.rest.is_empty() {
        let (tag, payload) = inner.chunk()?;
        chunks.push(chunk(tag, payload.rest));
    }
    Ok(Mbs { core, chunks, behind: file.rest.to_vec() })
}

/// A chunk in its typed form, if that is the same bytes again.
fn chunk(tag: [u8; 4], bytes: &[u8]) -> Chunk {
    let raw = || Chunk::Raw { tag, bytes: bytes.to_vec() };
    let Ok(typed) = typed(tag, Bytes { rest: bytes, at: 0 }) else { return raw() };
    let mut again = Vec::with_capacity(bytes.len() + 8);
    write::chunk(&typed, &mut again);
    if again.get(8..) == Some(bytes) { typed } else { raw() }
}

fn typed(tag: [u8; 4], mut bytes: Bytes<'_>) -> Result<Chunk, Malformed> {
    let table = match &tag {
        b"DBIN" => return Ok(Chunk::Code(bytes.rest.to_vec())),
        b"FINS" => {
            let [unknown, count, prefetch] = three(&mut bytes)?;
            return Ok(Chunk::Instructions { unknown, count, prefetch });
        }
        b"SUNI" => Table::Uniforms,
        b"SATT" => Table::Attributes,
        b"SVAR" => Table::Varyings,
        _ => return Err(Malformed { at: 0, reason: "unknown" }),
    };
    let _count = bytes.u32("the number of symbols is missing")?;
    let size = if table == Table::Uniforms { bytes.u32("the size is missing")? } else { 0 };
    let mut list = Vec::new();
    while !bytes.rest.is_empty() {
        let (_, mut payload) = bytes.chunk()?;
        list.push(symbol(table, &mut payload)?);
    }
    Ok(Chunk::Symbols(Symbols { table, size, list }))
}

fn three(bytes: &mut Bytes<'_>) -> Result<[u32; 3], Malformed> {
    const SHORT: &str = "three numbers are expected";
    Ok([bytes.u32(SHORT)?, bytes.u32(SHORT)?, bytes.u32(SHORT)?])
}

fn symbol(table: Table, bytes: &mut Bytes<'_>) -> Result<Symbol, Malformed> {
    const SHORT: &str = "the record is too short";
    let (_, name) = bytes.chunk()?;
    let end = name.rest.iter().position(|&b| b == 0).unwrap_or(name.rest.len());
    let [_, kind] = [bytes.take(1, SHORT)?[0], bytes.take(1, SHORT)?[0]];
    let mut symbol = Symbol {
        name: String::from_utf8_lossy(&name.rest[..end]).into_owned(),
        kind,
        components: bytes.u16(SHORT)?,
        size: bytes.u16(SHORT)?,
        entries: bytes.u16(SHORT)?,
        stride: bytes.u16(SHORT)?,
        ..Symbol::default()
    };
    [symbol.flags, symbol.precision] = [bytes.take(1, SHORT)?[0], bytes.take(1, SHORT)?[0]];
    if table == Table::Attributes {
        symbol.invariant = u32::from(bytes.u16(SHORT)?);
        symbol.offset = bytes.u16(SHORT)?;
    } else {
        symbol.invariant = bytes.u32(SHORT)?;
        symbol.offset = bytes.u16(SHORT)?;
        symbol.parent = bytes.u16(SHORT)?;
    }
    while !bytes.rest.is_empty() {
        let (tag, mut payload) = bytes.chunk()?;
        match &tag {
            b"VIDX" => symbol.index = Some(index(&mut payload)?),
            _ => symbol.init = Some(init(&mut payload)?),
        }
    }
    Ok(symbol)
}

fn index(bytes: &mut Bytes<'_>) -> Result<[u32; 3], Malformed> {
    let mut words = [0; 3];
    for word in &mut words {
        let (_, mut inner) = bytes.chunk()?;
        *word = inner.u32("an index is missing")?;
    }
    Ok(words)
}

fn init(bytes: &mut Bytes<'_>) -> Result<Vec<u32>, Malformed> {
    let _count = bytes.u32("the number of values is missing")?;
    let mut values = Vec::with_capacity(bytes.rest.len() / 4);
    while !bytes.rest.is_empty() {
        values.push(bytes.u32("a value is cut off")?);
    }
    Ok(values)
}
