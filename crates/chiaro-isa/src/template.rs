//! A format's text template, taken apart.

use crate::decl::{Field, Format};
use crate::out::{LONGEST, Out, Short};

/// A piece of a template such as `"{op} {dst}, {src1}"`.
pub(crate) enum Piece {
    /// Fixed text, and its words, between which blanks are free.
    Text(&'static str, Box<[&'static str]>),
    /// The mnemonic.
    Name,
    /// A field.
    Field(Slot),
    /// Left out while all its fields hold their defaults.
    Optional(Vec<Piece>),
    /// Optional fields, read in any order.
    Unordered(Vec<Slot>),
}

/// A field, and its index in the format.
#[derive(Clone, Copy)]
pub(crate) struct Slot {
    pub at: u8,
    pub field: &'static Field,
}

impl Slot {
    /// Whether it takes no bits, and so never holds the only ones that have a text.
    pub(crate) fn is_silent(&self) -> bool {
        self.field.bits.width() == 0 && self.field.kind.only().is_some_and(|raw| raw != 0)
    }
}

/// Text in short runs.
pub(crate) struct Text {
    run: Short,
    more: Box<[Short]>,
}

impl Text {
    pub(crate) fn new(text: &str) -> Text {
        let (run, more) = runs(text);
        Text { run, more }
    }

    #[inline]
    pub(crate) fn print(&self, out: &mut Out) {
        out.push_short(&self.run);
        self.more.iter().for_each(|run| out.push_short(run));
    }
}

fn runs(text: &str) -> (Short, Box<[Short]>) {
    let mut runs = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let mut end = rest.len().min(LONGEST);
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        runs.extend(Short::new(&rest[..end]));
        rest = &rest[end..];
    }
    let first = if runs.is_empty() { Short::EMPTY } else { runs.remove(0) };
    (first, runs.into())
}

/// What is wrong with the template of a format, if anything is.
pub(crate) fn check(format: &'static Format, dialect: u8) -> Result<(), String> {
    apart(format, dialect).map(|_| ())
}

/// Whether the template of the first dialect has a hole for this field.
pub(crate) fn mentions(format: &'static Format, field: &str) -> bool {
    let named = |slot: &Slot| slot.field.name == field;
    apart(format, 0).is_ok_and(|pieces| pieces.iter().any(|piece| piece.mentions(&named)))
}

/// Whether every text of the first dialect gives this field.
pub(crate) fn always(format: &'static Format, field: &str) -> bool {
    let plain = |piece: &Piece| match piece {
        Piece::Field(slot) => slot.field.name == field,
        _ => false,
    };
    apart(format, 0).is_ok_and(|pieces| pieces.iter().any(plain))
}

/// The pieces of a template, without the tables.
fn apart(format: &'static Format, dialect: u8) -> Result<Vec<Piece>, String> {
    Maker { dialect, generation: None }.take_apart(format)
}

/// Takes templates apart.
pub(crate) struct Maker {
    pub dialect: u8,
    /// `None`: fields of all generations.
    pub generation: Option<u8>,
}

impl Maker {
    pub(crate) fn take_apart(&self, format: &'static Format) -> Result<Vec<Piece>, String> {
        let syntax = format.syntax.get(self.dialect as usize).or(format.syntax.first());
        let mut rest = syntax.copied().unwrap_or("{op}");
        let pieces = self.part(format, &mut rest)?;
        if rest.is_empty() { Ok(pieces) } else { Err("`]` without `[` in the template".to_owned()) }
    }

    /// Pieces up to the end or a closing bracket.
    fn part(&self, format: &'static Format, rest: &mut &'static str) -> Result<Vec<Piece>, String> {
        let mut pieces = Vec::new();
        while !rest.is_empty() && (!rest.starts_with(']') || rest.starts_with("]]")) {
            match rest.as_bytes() {
                [b'{', b'{', ..] | [b'[', b'[', ..] | [b']', b']', ..] => {
                    let one = cut(rest, 2);
                    pieces.push(Piece::text(&one[..1]));
                }
                [b'{', ..] => pieces.extend(self.hole(format, rest)?),
                [b'[', ..] => {
                    cut(rest, 1);
                    let inner = self.part(format, rest)?;
                    if !rest.starts_with(']') {
                        return Err("`[` without `]` in the template".to_owned());
                    }
                    cut(rest, 1);
                    // A part whose fields this generation lacks goes with them.
                    if inner.iter().any(|piece| piece.mentions(&|_| true)) {
                        pieces.push(Piece::Optional(inner));
                    }
                }
                _ => {
                    let end = rest.find(['{', '[', ']']).unwrap_or(rest.len());
                    pieces.push(Piece::text(cut(rest, end)));
                }
            }
        }
        Ok(pieces)
    }

    /// `None` if this generation lacks the field.
    fn hole(&self, format: &'static Format, rest: &mut &'static str) -> Result<Option<Piece>, String> {
        let end = rest.find('}').ok_or("`{` without `}` in the template")?;
        let name = &cut(rest, end + 1)[1..end];
        if name == "op" {
            return Ok(Some(Piece::Name));
        }
        let here = |slot: &Slot| self.generation.is_none_or(|k| slot.field.when.has(k));
        if let Some(list) = name.strip_prefix('*') {
            let slots: Result<Vec<Slot>, String> =
                list.split_whitespace().map(|name| slot(format, name)).collect();
            return Ok(Some(Piece::Unordered(slots?.into_iter().filter(here).collect())));
        }
        let slot = Some(slot(format, name)?).filter(here);
        Ok(slot.map(Piece::Field))
    }
}

fn cut(rest: &mut &'static str, at: usize) -> &'static str {
    let (head, tail) = rest.split_at(at);
    *rest = tail;
    head
}

impl Piece {
    fn text(text: &'static str) -> Piece {
        Piece::Text(text, text.split_ascii_whitespace().collect())
    }

    /// Whether one of the fields in it is as asked.
    #[inline]
    pub(crate) fn mentions(&self, asked: &impl Fn(&Slot) -> bool) -> bool {
        match self {
            Piece::Field(slot) => asked(slot),
            Piece::Unordered(slots) => slots.iter().any(asked),
            Piece::Optional(inner) => inner.iter().any(|piece| piece.mentions(asked)),
            Piece::Text(..) | Piece::Name => false,
        }
    }

    /// The fields in it.
    pub(crate) fn slots(&self, into: &mut Vec<Slot>) {
        match self {
            Piece::Field(slot) => into.push(*slot),
            Piece::Unordered(slots) => into.extend(slots),
            Piece::Optional(inner) => inner.iter().for_each(|piece| piece.slots(into)),
            Piece::Text(..) | Piece::Name => {}
        }
    }
}

fn slot(format: &'static Format, name: &str) -> Result<Slot, String> {
    let at = format.fields.iter().position(|f| f.name == name);
    let at = at.ok_or_else(|| format!("the template names `{name}`, which is no field"))?;
    Ok(Slot { at: at as u8, field: &format.fields[at] })
}
