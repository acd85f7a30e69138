//! The metadata note: a document of maps, lists and scalars in MessagePack, with keys in
//! the order of their bytes and numbers in their smallest form, as LLVM writes it (spec 19.4).

use rmp::Marker;
use rmp::decode;
use rmp::encode;
use std::collections::BTreeMap;

/// A part of the document.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Item {
    /// Nothing.
    Nil,
    /// Yes or no.
    Bool(bool),
    /// A number that is not negative.
    Number(u64),
    /// A negative number.
    Negative(i64),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Item>),
    /// Names and what they stand for.
    Map(Vec<(String, Item)>),
}

/// What is wrong with a note.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NoteError {
    /// Byte of the note.
    pub at: usize,
    /// What is wrong there.
    pub why: &'static str,
}

impl std::fmt::Display for NoteError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "at byte {} of the note, {}", self.at, self.why)
    }
}

/// Nesting that is still read.
const DEEPEST: u32 = 32;
/// Type of the note.
const AMDGPU_METADATA: u32 = 32;
/// Its owner, padded.
const OWNER: [u8; 8] = *b"AMDGPU\0\0";
/// Header and owner.
const HEAD: usize = 20;

impl Item {
    /// The value of a name, in a map.
    pub fn get(&self, name: &str) -> Option<&Item> {
        match self {
            Item::Map(pairs) => pairs.iter().find(|(key, _)| key == name).map(|(_, item)| item),
            _ => None,
        }
    }

    fn write(&self, out: &mut Vec<u8>) {
        // A vector takes every byte, so nothing here can fail.
        let _ = match self {
            Item::Nil => encode::write_nil(out).map_err(|_| ()),
            Item::Bool(b) => encode::write_bool(out, *b).map_err(|_| ()),
            Item::Number(n) => encode::write_uint(out, *n).map(|_| ()).map_err(|_| ()),
            Item::Negative(n) => encode::write_sint(out, *n).map(|_| ()).map_err(|_| ()),
            Item::Text(text) => encode::write_str(out, text).map_err(|_| ()),
            Item::List(items) => {
                let length = encode::write_array_len(out, items.len() as u32);
                items.iter().for_each(|item| item.write(out));
                length.map(|_| ()).map_err(|_| ())
            }
            Item::Map(pairs) => {
                let mut pairs: Vec<_> = pairs.iter().collect();
                pairs.sort_by(|a, b| a.0.as_bytes().cmp(b.0.as_bytes()));
                let length = encode::write_map_len(out, pairs.len() as u32);
                for (name, item) in pairs {
                    let _ = encode::write_str(out, name);
                    item.write(out);
                }
                length.map(|_| ()).map_err(|_| ())
            }
        };
    }
}

/// The note's record: header, owner, document, padded.
pub fn write(document: &Item) -> Vec<u8> {
    let mut packed = Vec::new();
    document.write(&mut packed);
    let mut out = Vec::new();
    for n in [7, packed.len() as u32, AMDGPU_METADATA] {
        out.extend_from_slice(&n.to_le_bytes());
    }
    out.extend_from_slice(&OWNER);
    out.extend_from_slice(&packed);
    out.resize(out.len().next_multiple_of(4), 0);
    out
}

/// The document of a note's record.
///
/// # Errors
/// If it is not one, ends early, or is nested too deeply.
pub fn read(note: &[u8]) -> Result<Item, NoteError> {
    let head = note.get(..HEAD).ok_or(NoteError { at: 0, why: "the note is too short" })?;
    let dword = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    if (dword(0), dword(8)) != (7, AMDGPU_METADATA) || head[12..] != OWNER {
        return Err(NoteError { at: 0, why: "this is no note of metadata" });
    }
    let length = dword(4) as usize;
    let packed = note.get(HEAD..HEAD.saturating_add(length));
    let packed = packed.ok_or(NoteError { at: 4, why: "the document is longer than the note" })?;
    let mut reader = Reader { rest: packed, length };
    let item = reader.item(0)?;
    if !matches!(item, Item::Map(_)) {
        return Err(NoteError {
            at: HEAD,
            why: "the document has no names: it is a map in every code object",
        });
    }
    if reader.rest.is_empty() { Ok(item) } else { Err(reader.error("bytes are left over")) }
}

struct Reader<'a> {
    rest: &'a [u8],
    length: usize,
}

impl<'a> Reader<'a> {
    fn error(&self, why: &'static str) -> NoteError {
        NoteError { at: HEAD + self.length - self.rest.len(), why }
    }

    fn item(&mut self, depth: u32) -> Result<Item, NoteError> {
        if depth >= DEEPEST {
            return Err(self.error("the document is nested too deeply"));
        }
        let marker = self.rest.first().map(|b| Marker::from_u8(*b));
        match marker.ok_or_else(|| self.error("the document ends early"))? {
            Marker::Null => self.take(decode::read_nil).map(|()| Item::Nil),
            Marker::True | Marker::False => self.take(decode::read_bool).map(Item::Bool),
            Marker::FixStr(_) | Marker::Str8 | Marker::Str16 | Marker::Str32 => self.text().map(Item::Text),
            Marker::FixArray(_) | Marker::Array16 | Marker::Array32 => self.list(depth),
            Marker::FixMap(_) | Marker::Map16 | Marker::Map32 => self.map(depth),
            Marker::FixNeg(_) | Marker::I8 | Marker::I16 | Marker::I32 | Marker::I64 => {
                let n: i64 = self.take(decode::read_int)?;
                Ok(u64::try_from(n).map_or(Item::Negative(n), Item::Number))
            }
            Marker::FixPos(_) | Marker::U8 | Marker::U16 | Marker::U32 | Marker::U64 => {
                self.take(decode::read_int).map(Item::Number)
            }
            _ => Err(self.error("this type does not belong to metadata")),
        }
    }

    fn take<T, E>(&mut self, read: impl Fn(&mut &'a [u8]) -> Result<T, E>) -> Result<T, NoteError> {
        let mut rest = self.rest;
        let value = read(&mut rest).map_err(|_| self.error("the document ends early"))?;
        self.rest = rest;
        Ok(value)
    }

    fn text(&mut self) -> Result<String, NoteError> {
        let length = self.take(decode::read_str_len)? as usize;
        let Some((text, rest)) = self.rest.split_at_checked(length) else {
            return Err(self.error("a text is longer than the document"));
        };
        let text = std::str::from_utf8(text).map_err(|_| self.error("a text is not UTF-8"))?;
        self.rest = rest;
        Ok(text.to_owned())
    }

    /// A list takes room as its items come, never by what its head claims.
    fn list(&mut self, depth: u32) -> Result<Item, NoteError> {
        let length = self.take(decode::read_array_len)?;
        let mut items = Vec::new();
        for _ in 0..length {
            items.push(self.item(depth + 1)?);
        }
        Ok(Item::List(items))
    }

    /// Pairs in the order of their names, which is the order of no meaning that is written.
    fn map(&mut self, depth: u32) -> Result<Item, NoteError> {
        let length = self.take(decode::read_map_len)?;
        let mut pairs = BTreeMap::new();
        for _ in 0..length {
            let name = self.text()?;
            if pairs.insert(name, self.item(depth + 1)?).is_some() {
                return Err(self.error("the map before it has a name twice"));
            }
        }
        Ok(Item::Map(pairs.into_iter().collect()))
    }
}
