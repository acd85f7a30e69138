//! Text as instructions: one line, one instruction.

use crate::breach::{EncodeError, Fault, ParseCause, ParseError};
use crate::cursor::{Cursor, is_blank};
use crate::cx::Cx;
use crate::decl::{Field, Operation};
use crate::encode::Decided;
use crate::form::{Inst, MAX_FIELDS};
use crate::isa::Isa;
use crate::template::{Piece, Slot};
use crate::templates::ByName;
use crate::value::Value;
use std::ops::Range;

/// Most formats have no more fields: what holds them is then short, and made quickly.
const FEW_FIELDS: usize = 8;

/// Bytes of the longest mnemonic that is found, dotted suffixes included.
const LONGEST_NAME: usize = 48;

/// An instruction read from text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parsed {
    /// The instruction; fields that hold a [`Value::Symbol`] are zero in it.
    pub inst: Inst,
    /// Fields whose place is not known yet: index of the field, symbol.
    pub symbols: [Option<(u8, u32)>; 2],
    /// What was accepted, but is likely not what was meant.
    pub remarks: Vec<Fault>,
}

impl Isa {
    /// Reads one instruction; it must take the whole text.
    ///
    /// # Errors
    /// With the place and cause in the encoding that got furthest.
    pub fn parse(&self, text: &str, cx: &Cx) -> Result<Parsed, ParseError> {
        self.parse_onto(text, &Decided::default(), cx)
    }

    /// As [`parse`](Self::parse), for one unit of a word whose other bits are decided:
    /// takes the first encoding that agrees with them.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub fn parse_onto(&self, text: &str, onto: &Decided, cx: &Cx) -> Result<Parsed, ParseError> {
        let name = mnemonic(text).ok_or_else(|| error(0..0, ParseCause::Empty))?;
        let (spelled, forms) = self
            .named(&text[name.clone()], cx)
            .ok_or_else(|| error(name.clone(), ParseCause::Mnemonic(text[name.clone()].to_owned())))?;
        let name = name.start..name.start + spelled;
        let read = |form: u16| match self.forms[form as usize].format.fields.len() {
            ..=FEW_FIELDS => {
                Reader::<FEW_FIELDS>::new(self, form, cx, name.clone()).read(onto, &mut Cursor::new(text))
            }
            _ => Reader::<MAX_FIELDS>::new(self, form, cx, name.clone()).read(onto, &mut Cursor::new(text)),
        };
        if let [only] = *forms {
            return read(only);
        }
        let mut furthest: Option<ParseError> = None;
        for &form in forms {
            let outcome = read(form);
            let Err(e) = outcome else { return outcome };
            if furthest.as_ref().is_none_or(|f| reached(&e) >= reached(f)) {
                furthest = Some(e);
            }
        }
        Err(furthest.unwrap_or_else(|| error(name, ParseCause::Empty)))
    }

    /// The forms that a mnemonic may mean, by number; none if there is no such one.
    pub fn forms_named(&self, name: &str, cx: &Cx) -> &[u16] {
        self.named(name, cx).filter(|(length, _)| *length == name.len()).map_or(&[], |(_, forms)| forms)
    }

    /// The forms of a mnemonic with dotted suffixes: the longest prefix that is one.
    pub(crate) fn named(&self, word: &str, cx: &Cx) -> Option<(usize, &[u16])> {
        let word = word.get(..word.len().min(LONGEST_NAME))?;
        let by_name = &self.templates(cx.dialect).by_name;
        // Most are mnemonics as they stand.
        if let Some(forms) = by_name.get(word) {
            return Some((word.len(), forms));
        }
        if self.set.fold_case && word.bytes().any(|c| c.is_ascii_uppercase()) {
            longest_prefix(by_name, &word.to_ascii_lowercase())
        } else {
            longest_prefix(by_name, word)
        }
    }

    /// The generations in which a dialect has this mnemonic: more to say where this
    /// one does not know it.
    pub fn elsewhere(&self, name: &str, dialect: u8) -> Vec<&'static str> {
        let named = |o: &&Operation| {
            let mut names = o.aliases.iter().filter(|a| a.0 == dialect).map(|a| a.1);
            o.name_in(dialect).eq_ignore_ascii_case(name) || names.any(|n| n.eq_ignore_ascii_case(name))
        };
        let found: Vec<&Operation> = self.set.rows().filter(named).collect();
        let has = |k: u8| {
            found.iter().any(|o| o.when.has(k) && o.encodings.iter().any(|(format, _)| format.when.has(k)))
        };
        let all = self.set.generations.iter().enumerate();
        all.filter(|(k, _)| has(*k as u8)).map(|(_, generation)| *generation).collect()
    }

    /// Every mnemonic of a dialect, for suggestions.
    pub fn mnemonics(&self, dialect: u8) -> impl Iterator<Item = &str> + '_ {
        self.templates(dialect).by_name.keys().map(|name| &**name)
    }
}

/// The forms of the longest dotted prefix that is a mnemonic, and its length.
fn longest_prefix<'a>(by_name: &'a ByName, mut key: &str) -> Option<(usize, &'a [u16])> {
    loop {
        if let Some(forms) = by_name.get(key) {
            return Some((key.len(), forms));
        }
        key = &key[..key.rfind('.')?];
    }
}

/// How far an encoding got: one whose operand was read and cannot be encoded got further than
/// one that could not read it, and one that says why further than one that does not.
fn reached(e: &ParseError) -> (u32, u8) {
    let rank = match &e.cause {
        ParseCause::Encode(EncodeError::Operand(_)) => 1,
        ParseCause::Encode(_) => 2,
        _ => 0,
    };
    (e.start, rank)
}

fn error(at: Range<usize>, cause: ParseCause) -> ParseError {
    ParseError { start: at.start as u32, end: at.end as u32, cause }
}

/// The first word that is not a `(prefix)`, as a range of bytes.
pub(crate) fn mnemonic(line: &str) -> Option<Range<usize>> {
    let bytes = line.as_bytes();
    let mut at = 0;
    loop {
        at += bytes[at..].iter().take_while(|&&c| is_blank(c)).count();
        if bytes.get(at) != Some(&b'(') {
            break;
        }
        at += bytes[at..].iter().position(|&c| c == b')')? + 1;
    }
    let length = bytes[at..].iter().take_while(|&&c| !is_blank(c)).count();
    (length > 0).then_some(at..at + length)
}

/// Why a piece of a template is not in the text: an error before it is made, because
/// optional parts and second encodings miss often.
struct Miss {
    start: u32,
    end: u32,
    cause: fn(&'static str) -> ParseCause,
    text: &'static str,
}

impl Miss {
    fn new(at: Range<usize>, cause: fn(&'static str) -> ParseCause, text: &'static str) -> Miss {
        Miss { start: at.start as u32, end: at.end as u32, cause, text }
    }
}

impl From<Miss> for ParseError {
    fn from(miss: Miss) -> ParseError {
        ParseError { start: miss.start, end: miss.end, cause: (miss.cause)(miss.text) }
    }
}

/// Reads one text as one form, which has `N` fields at most.
pub(crate) struct Reader<'a, const N: usize> {
    isa: &'a Isa,
    form: u16,
    cx: &'a Cx<'a>,
    name: Range<usize>,
    pub(crate) fields: &'static [Field],
    /// By field; `None` where the text does not mention it.
    values: [Option<Value>; N],
    /// Where each field stands in the text, for errors of encoding.
    pub(crate) places: [(u32, u32); N],
}

impl<'a, const N: usize> Reader<'a, N> {
    pub(crate) fn new(isa: &'a Isa, form: u16, cx: &'a Cx<'a>, name: Range<usize>) -> Self {
        let fields = isa.forms[form as usize].format.fields;
        Reader { isa, form, cx, name, fields, values: [None; N], places: [(0, 0); N] }
    }

    pub(crate) fn read(&mut self, onto: &Decided, s: &mut Cursor<'_>) -> Result<Parsed, ParseError> {
        let pieces = &self.isa.templates(self.cx.dialect).pieces[self.form as usize];
        self.pieces(pieces, s)?;
        if !s.at_end() {
            s.skip_blanks();
            // What an optional part could not read is reported by that part.
            let fault = s.fault().filter(|f| f.start as usize > s.at());
            return Err(match fault {
                Some(f) => error(f.start as usize..f.end as usize, ParseCause::Text(f.why)),
                None => error(s.at()..s.at() + s.rest().len(), ParseCause::Excess),
            });
        }
        match self.isa.encode_whole(self.form, &self.values[..self.fields.len()], onto, self.cx) {
            Ok(inst) => Ok(Parsed { inst, symbols: self.symbols(), remarks: s.take_remarks() }),
            Err(e) => Err(self.blame(e)),
        }
    }

    fn pieces(&mut self, pieces: &[Piece], s: &mut Cursor<'_>) -> Result<(), Miss> {
        for piece in pieces {
            match piece {
                Piece::Field(slot) => self.field(slot, s)?,
                Piece::Text(_, words) => words.iter().try_for_each(|word| expect(word, s))?,
                Piece::Name => self.name(s)?,
                Piece::Optional(inner) => self.optional(inner, s),
                Piece::Unordered(slots) => while slots.iter().any(|slot| self.unordered(slot, s)) {},
            }
        }
        Ok(())
    }

    /// The mnemonic, which was found before.
    fn name(&mut self, s: &mut Cursor<'_>) -> Result<(), Miss> {
        s.skip_blanks();
        if s.at() != self.name.start {
            // What a flag before the name could not read is told by that flag.
            if let Some(f) = s.fault().filter(|f| f.start as usize >= s.at()) {
                return Err(Miss::new(f.start as usize..f.end as usize, ParseCause::Text, f.why));
            }
            return Err(Miss::new(s.at()..self.name.start, ParseCause::Text, "this does not belong here"));
        }
        s.rewind(self.name.end);
        Ok(())
    }

    #[inline]
    fn field(&mut self, slot: &Slot, s: &mut Cursor<'_>) -> Result<(), Miss> {
        s.skip_blanks();
        let start = s.at();
        let Some(value) = slot.field.kind.parse(s, self.cx) else { return Err(unread(start, s)) };
        self.values[slot.at as usize] = Some(value);
        self.places[slot.at as usize] = (start as u32, s.at() as u32);
        Ok(())
    }

    /// Takes the part if it is there; leaves the cursor where it was if not.
    fn optional(&mut self, inner: &[Piece], s: &mut Cursor<'_>) {
        let at = s.at();
        if self.pieces(inner, s).is_err() {
            s.rewind(at);
            self.forget(inner);
        }
    }

    /// Takes back what a part has read.
    fn forget(&mut self, pieces: &[Piece]) {
        for piece in pieces {
            match piece {
                Piece::Field(slot) => self.values[slot.at as usize] = None,
                Piece::Unordered(slots) => slots.iter().for_each(|slot| self.values[slot.at as usize] = None),
                Piece::Optional(inner) => self.forget(inner),
                Piece::Text(..) | Piece::Name => {}
            }
        }
    }

    /// Whether a field that was not given yet is next.
    fn unordered(&mut self, slot: &Slot, s: &mut Cursor<'_>) -> bool {
        if self.values[slot.at as usize].is_some() || s.at_end() {
            return false;
        }
        let before = s.at();
        s.skip_blanks();
        let start = s.at();
        if self.field(slot, s).is_ok() && s.at() > start {
            return true;
        }
        s.rewind(before);
        self.values[slot.at as usize] = None;
        false
    }

    /// The place in the text of the field that an encoding error names.
    fn blame(&self, e: EncodeError) -> ParseError {
        let at = self.fields.iter().position(|f| Some(f.name) == e.field());
        let place = at.map(|i| self.places[i]).filter(|&place| place != (0, 0));
        let (start, end) = place.unwrap_or((self.name.start as u32, self.name.end as u32));
        ParseError { start, end, cause: ParseCause::Encode(e) }
    }

    fn symbols(&self) -> [Option<(u8, u32)>; 2] {
        // Few instructions have any.
        if !self.values.iter().any(|value| matches!(value, Some(Value::Symbol(_)))) {
            return [None; 2];
        }
        let mut open = self.values[..self.fields.len()].iter().enumerate().filter_map(|(i, v)| match v {
            Some(Value::Symbol(n)) => Some((i as u8, *n)),
            _ => None,
        });
        [open.next(), open.next()]
    }
}

/// What a kind said about an operand that it did not take.
#[cold]
fn unread(start: usize, s: &Cursor<'_>) -> Miss {
    match s.fault().filter(|f| f.start as usize >= start) {
        Some(f) => Miss::new(f.start as usize..f.end as usize, ParseCause::Text, f.why),
        None => Miss::new(start..start + s.rest().len(), ParseCause::Text, "this operand cannot be read"),
    }
}

#[inline]
fn expect(word: &'static str, s: &mut Cursor<'_>) -> Result<(), Miss> {
    if s.eat(word) {
        return Ok(());
    }
    Err(missing(word, s))
}

#[cold]
fn missing(word: &'static str, s: &mut Cursor<'_>) -> Miss {
    s.skip_blanks();
    let length = s.rest().find([',', ' ']).unwrap_or(s.rest().len());
    Miss::new(s.at()..s.at() + length, ParseCause::Missing, word)
}
