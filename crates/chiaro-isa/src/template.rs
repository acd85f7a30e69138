//! A format's text template, taken apart, and the tables that make text fast.

use crate::cx::Cx;
use crate::decl::{Field, Format};
use crate::isa::{Form, Isa};
use crate::kind::Kind;
use crate::out::{Out, Short};
use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

/// Fields up to this width are printed in advance, once per kind and width.
const NARROW: u8 = 9;

/// A piece of a template such as `"{op} {dst}, {src1}"`. Fields are given by their
/// index in the format.
pub(crate) enum Piece {
    /// Fixed text.
    Text(Text),
    /// The mnemonic.
    Name,
    /// A field that is printed when asked for.
    Field(u8),
    /// A field printed in advance for every value; `None` is invalid.
    Narrow(u8, Texts),
    /// Left out while all its fields hold their defaults.
    Optional(Vec<Piece>),
    /// Optional fields, read in any order.
    Unordered(Vec<u8>),
}

/// Fixed text, in runs of up to 16 bytes for printing and whole for parsing.
pub(crate) struct Text {
    pub runs: Vec<Short>,
    /// Words to find when parsing; blanks between them are free.
    pub words: Vec<&'static str>,
}

impl Text {
    fn new(text: &'static str) -> Text {
        Text { runs: runs(text), words: text.split_whitespace().collect() }
    }
}

fn runs(text: &str) -> Vec<Short> {
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
    runs
}

/// All text tables of one dialect.
pub(crate) struct Templates {
    /// By form.
    pub pieces: Vec<Arc<[Piece]>>,
    /// The mnemonic by form.
    pub names: Vec<Vec<Short>>,
    /// Forms by mnemonic, folded to lower case if the set wants that; the forms of an
    /// operation stay in their order of preference.
    pub by_name: HashMap<Cow<'static, str>, Vec<u16>, BuildHasherDefault<Fnv>>,
}

impl Templates {
    pub(crate) fn new(isa: &Isa, dialect: u8) -> Templates {
        let cx = Cx { dialect, ..isa.cx() };
        let mut printed = Printed { cx, tables: Vec::new() };
        let mut shared: HashMap<*const Format, Arc<[Piece]>> = HashMap::new();
        let mut by_name: HashMap<_, Vec<u16>, _> = HashMap::default();
        let (mut pieces, mut names) = (Vec::new(), Vec::new());
        for (i, form) in isa.forms.iter().enumerate() {
            let format: *const Format = form.format;
            let template =
                shared.entry(format).or_insert_with(|| take_apart(form.format, dialect, &mut printed));
            pieces.push(template.clone());
            let name = form.operation.name_in(dialect);
            let suffix = form.format.suffix.get(dialect as usize).copied().unwrap_or("");
            names.push(runs(&format!("{name}{suffix}")));
            for name in spellings(form, dialect, suffix) {
                by_name.entry(name).or_default().push(i as u16);
            }
        }
        Templates { pieces, names, by_name }
    }
}

/// Every mnemonic that may mean this form: the names of its operation, bare and with
/// the suffix that asks for this form alone.
fn spellings(form: &Form, dialect: u8, suffix: &str) -> Vec<Cow<'static, str>> {
    let operation = form.operation;
    let aliases = operation.aliases.iter().filter(|a| a.0 == dialect).map(|a| a.1);
    let mut all: Vec<Cow<str>> = aliases.chain([operation.name_in(dialect)]).map(Cow::Borrowed).collect();
    if !suffix.is_empty() {
        all.push(Cow::Owned(format!("{}{suffix}", operation.name_in(dialect))));
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// The texts of narrow fields, shared by all fields that mean and span the same.
struct Printed<'a> {
    cx: Cx<'a>,
    tables: Vec<(&'static dyn Kind, u8, Texts)>,
}

/// The text of every value of a narrow field; `None` where the bits are invalid.
type Texts = Arc<[Option<Short>]>;

impl Printed<'_> {
    fn table(&mut self, field: &'static Field) -> Option<Texts> {
        let width = field.bits.width();
        if width > NARROW || field.kind.contextual() {
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

fn take_apart(format: &'static Format, dialect: u8, printed: &mut Printed<'_>) -> Arc<[Piece]> {
    let syntax = format.syntax.get(dialect as usize).or(format.syntax.first()).copied().unwrap_or("{op}");
    let mut rest = syntax;
    let pieces = part(format, &mut rest, printed);
    assert!(rest.is_empty(), "{}: `]` without `[` in the template", format.name);
    pieces.into()
}

/// Pieces up to the end or a closing bracket. A mistake in a template is a mistake of
/// the target's author, found by the first test that prints: it panics.
fn part(format: &'static Format, rest: &mut &'static str, printed: &mut Printed<'_>) -> Vec<Piece> {
    let mut pieces = Vec::new();
    while !rest.is_empty() && (!rest.starts_with(']') || rest.starts_with("]]")) {
        pieces.push(match rest.as_bytes() {
            [b'{', b'{', ..] | [b'[', b'[', ..] | [b']', b']', ..] => {
                let (one, tail) = rest.split_at(2);
                *rest = tail;
                Piece::Text(Text::new(&one[..1]))
            }
            [b'{', ..] => hole(format, rest, printed),
            [b'[', ..] => {
                *rest = &rest[1..];
                let inner = part(format, rest, printed);
                assert!(rest.starts_with(']'), "{}: `[` without `]` in the template", format.name);
                *rest = &rest[1..];
                Piece::Optional(inner)
            }
            _ => {
                let end = rest.find(['{', '[', ']']).unwrap_or(rest.len());
                let (text, tail) = rest.split_at(end);
                *rest = tail;
                Piece::Text(Text::new(text))
            }
        });
    }
    pieces
}

fn hole(format: &'static Format, rest: &mut &'static str, printed: &mut Printed<'_>) -> Piece {
    let end = rest.find('}').unwrap_or_else(|| panic!("{}: `{{` without `}}`", format.name));
    let name = &rest[1..end];
    *rest = &rest[end + 1..];
    if name == "op" {
        return Piece::Name;
    }
    if let Some(list) = name.strip_prefix('*') {
        return Piece::Unordered(list.split_whitespace().map(|n| index_of(format, n)).collect());
    }
    let at = index_of(format, name);
    match printed.table(&format.fields[at as usize]) {
        Some(texts) => Piece::Narrow(at, texts),
        None => Piece::Field(at),
    }
}

fn index_of(format: &'static Format, name: &str) -> u8 {
    let at = format.fields.iter().position(|f| f.name == name);
    at.unwrap_or_else(|| panic!("{}: the template names `{name}`, which is no field", format.name)) as u8
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
