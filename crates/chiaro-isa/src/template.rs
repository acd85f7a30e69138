//! A format's text template, taken apart, and the tables that make text fast.

use crate::cx::Cx;
use crate::decl::{Field, Format};
use crate::form::Form;
use crate::kind::Kind;
use crate::out::{Out, Short};
use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

/// Fields up to this width are printed in advance, once per kind and width.
const NARROW: u8 = 9;

/// A piece of a template such as `"{op} {dst}, {src1}"`.
pub(crate) enum Piece {
    /// Fixed text.
    Text(Text),
    /// The mnemonic.
    Name,
    /// A field that is printed when asked for.
    Field(Slot),
    /// A field printed in advance for every value; `None` is invalid.
    Narrow(Slot, Texts),
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

/// Fixed text: in runs of up to 16 bytes for printing, and as words for parsing,
/// between which blanks are free.
pub(crate) struct Text {
    pub run: Short,
    pub more: Box<[Short]>,
    pub words: Box<[&'static str]>,
}

impl Text {
    fn new(text: &'static str) -> Text {
        let (run, more) = runs(text);
        Text { run, more, words: text.split_whitespace().collect() }
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
        let mut end = rest.len().min(16);
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        runs.extend(Short::new(&rest[..end]));
        rest = &rest[end..];
    }
    let first = if runs.is_empty() { Short::EMPTY } else { runs.remove(0) };
    (first, runs.into())
}

/// All text tables of one dialect.
pub(crate) struct Templates {
    /// By form.
    pub pieces: Vec<Arc<[Piece]>>,
    /// The mnemonic by form.
    pub names: Vec<Text>,
    /// Forms by mnemonic, folded to lower case if the set wants that; the forms of an
    /// operation stay in their order of preference.
    pub by_name: ByName,
}

/// Forms by mnemonic.
pub(crate) type ByName = HashMap<Cow<'static, str>, Vec<u16>, BuildHasherDefault<Fnv>>;

impl Templates {
    /// # Panics
    /// If a template is wrong: a mistake of the target's author, which
    /// [`Isa::faults`](crate::Isa::faults) reports without a panic.
    pub(crate) fn new(forms: &[Form], cx: Cx<'static>) -> Templates {
        let dialect = cx.dialect;
        let mut maker = Maker { generation: Some(cx.generation), cx, tables: Vec::new() };
        let mut shared: HashMap<*const Format, Arc<[Piece]>> = HashMap::new();
        let mut by_name: HashMap<_, Vec<u16>, _> = HashMap::default();
        let (mut pieces, mut names) = (Vec::new(), Vec::new());
        for (i, form) in forms.iter().enumerate() {
            let template = shared.entry(form.format).or_insert_with(|| match maker.take_apart(form.format) {
                Ok(pieces) => pieces.into(),
                Err(why) => panic!("{}: {why}", form.format.name),
            });
            pieces.push(template.clone());
            let suffix = form.format.suffix.get(dialect as usize).copied().unwrap_or("");
            let (run, more) = match suffix {
                "" => runs(form.operation.name_in(dialect)),
                suffix => runs(&format!("{}{suffix}", form.operation.name_in(dialect))),
            };
            names.push(Text { run, more, words: Box::default() });
            spellings(form, dialect, suffix, |name| by_name.entry(name).or_default().push(i as u16));
        }
        Templates { pieces, names, by_name }
    }
}

/// Every mnemonic that may mean this form: the names of its operation, bare and with
/// the suffix that asks for this form alone.
fn spellings(form: &Form, dialect: u8, suffix: &str, mut each: impl FnMut(Cow<'static, str>)) {
    let operation = form.operation;
    let printed = operation.name_in(dialect);
    each(Cow::Borrowed(printed));
    let suffixed = (!suffix.is_empty()).then(|| format!("{printed}{suffix}"));
    for (i, (d, name)) in operation.aliases.iter().enumerate() {
        let again = *name == printed || operation.aliases[..i].contains(&(*d, *name));
        if *d == dialect && !again && Some(*name) != suffixed.as_deref() {
            each(Cow::Borrowed(name));
        }
    }
    if let Some(name) = suffixed {
        each(Cow::Owned(name));
    }
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
        Piece::Field(slot) | Piece::Narrow(slot, _) => slot.field.name == field,
        _ => false,
    };
    apart(format, 0).is_ok_and(|pieces| pieces.iter().any(plain))
}

/// The pieces of a template, without the tables.
fn apart(format: &'static Format, dialect: u8) -> Result<Vec<Piece>, String> {
    let mut maker = Maker { cx: Cx { dialect, ..Cx::default() }, generation: None, tables: Vec::new() };
    maker.take_apart(format)
}

/// Takes templates apart and prints narrow fields in advance; those that mean and
/// span the same share a table.
struct Maker<'a> {
    cx: Cx<'a>,
    /// `None`: fields of all generations, and no tables.
    generation: Option<u8>,
    tables: Vec<(&'static dyn Kind, u8, Texts)>,
}

/// The text of every value of a narrow field; `None` where the bits are invalid.
type Texts = Arc<[Option<Short>]>;

impl Maker<'_> {
    fn take_apart(&mut self, format: &'static Format) -> Result<Vec<Piece>, String> {
        let syntax = format.syntax.get(self.cx.dialect as usize).or(format.syntax.first());
        let mut rest = syntax.copied().unwrap_or("{op}");
        let pieces = self.part(format, &mut rest)?;
        if rest.is_empty() { Ok(pieces) } else { Err("`]` without `[` in the template".to_owned()) }
    }

    /// Pieces up to the end or a closing bracket.
    fn part(&mut self, format: &'static Format, rest: &mut &'static str) -> Result<Vec<Piece>, String> {
        let mut pieces = Vec::new();
        while !rest.is_empty() && (!rest.starts_with(']') || rest.starts_with("]]")) {
            match rest.as_bytes() {
                [b'{', b'{', ..] | [b'[', b'[', ..] | [b']', b']', ..] => {
                    let one = cut(rest, 2);
                    pieces.push(Piece::Text(Text::new(&one[..1])));
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
                    pieces.push(Piece::Text(Text::new(cut(rest, end))));
                }
            }
        }
        Ok(pieces)
    }

    /// `None` if this generation lacks the field.
    fn hole(&mut self, format: &'static Format, rest: &mut &'static str) -> Result<Option<Piece>, String> {
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
        Ok(slot.map(|slot| match self.table(slot.field) {
            Some(texts) => Piece::Narrow(slot, texts),
            None => Piece::Field(slot),
        }))
    }

    fn table(&mut self, field: &'static Field) -> Option<Texts> {
        let width = field.bits.width();
        if width > NARROW || field.kind.contextual() || self.generation.is_none() {
            return None;
        }
        // Kinds of one type with the same data print alike wherever they live; two
        // types never share a table of methods here, so a false match is impossible.
        #[allow(ambiguous_wide_pointer_comparisons, reason = "a missed match only costs a second table")]
        let known = self.tables.iter().find(|(kind, w, _)| *w == width && std::ptr::eq(*kind, field.kind));
        if let Some((_, _, texts)) = known {
            return Some(texts.clone());
        }
        let texts: Option<Texts> = (0..1u64 << width).map(|raw| self.print(field, raw)).collect();
        self.tables.push((field.kind, width, texts.clone()?));
        texts
    }

    /// `None` if a text is too long to keep; `Some(None)` if the bits are invalid.
    fn print(&self, field: &Field, raw: u64) -> Option<Option<Short>> {
        let Some(value) = field.kind.decode(raw, &self.cx) else { return Some(None) };
        let mut out = Out::default();
        field.kind.print(value, &mut out, &self.cx);
        Short::new(out.as_str()).map(Some)
    }
}

fn cut(rest: &mut &'static str, at: usize) -> &'static str {
    let (head, tail) = rest.split_at(at);
    *rest = tail;
    head
}

impl Piece {
    /// Whether one of the fields in it is as asked.
    #[inline]
    pub(crate) fn mentions(&self, asked: &impl Fn(&Slot) -> bool) -> bool {
        match self {
            Piece::Field(slot) | Piece::Narrow(slot, _) => asked(slot),
            Piece::Unordered(slots) => slots.iter().any(asked),
            Piece::Optional(inner) => inner.iter().any(|piece| piece.mentions(asked)),
            Piece::Text(_) | Piece::Name => false,
        }
    }
}

fn slot(format: &'static Format, name: &str) -> Result<Slot, String> {
    let at = format.fields.iter().position(|f| f.name == name);
    let at = at.ok_or_else(|| format!("the template names `{name}`, which is no field"))?;
    Ok(Slot { at: at as u8, field: &format.fields[at] })
}

/// FNV-1a: mnemonics are short and our own, so a keyed hash would buy nothing.
pub(crate) struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Fnv {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for &b in bytes {
            self.0 = (self.0 ^ u64::from(b)).wrapping_mul(0x100_0000_01b3);
        }
    }
    fn finish(&self) -> u64 {
        self.0
    }
}
