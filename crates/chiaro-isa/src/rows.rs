//! The rows as people look them up while they write: names, how each is written, what its operands
//! are. And the other way round: which operand stands where in a text.

use crate::bundle::Bundle;
use crate::cursor::Cursor;
use crate::cx::Cx;
use crate::decl::{Field, Format, Operation, Role};
use crate::encode::Decided;
use crate::explain::timing;
use crate::form::MAX_FIELDS;
use crate::isa::Isa;
use crate::parse::{Reader, mnemonic};
use crate::template::{Maker, Piece};
use std::ops::Range;

/// An operation as a dialect has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// The mnemonic.
    pub name: String,
    /// How it is written, the preferred form first.
    pub forms: Vec<Written>,
    /// What it does.
    pub doc: &'static str,
    /// Where that is known from.
    pub source: &'static str,
    /// Unit, issue and latency.
    pub timing: String,
}

/// A form of an operation as it is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    /// The whole text, with names in place of operands.
    pub text: String,
    /// Operands in the order of the text.
    pub operands: Vec<Operand>,
}

/// An operand, in the text of a form or of an instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Operand {
    /// The field's name.
    pub name: &'static str,
    /// What it is for.
    pub doc: &'static str,
    /// What it is to the instruction.
    pub role: Role,
    /// Its bytes in the text.
    pub at: Range<usize>,
}

impl Isa {
    /// Every operation of the generation, under each name that the dialect prints.
    pub fn rows(&self, dialect: u8) -> Vec<Row> {
        let mut rows: Vec<Row> = Vec::new();
        for (i, form) in self.forms.iter().enumerate() {
            let name = form.operation.name_in(dialect);
            let written = self.written(form.operation, form.format, dialect);
            let same = i > 0 && self.forms[i - 1].op == form.op;
            match rows.last_mut().filter(|row| same && row.name == name) {
                Some(row) if row.forms.contains(&written) => {}
                Some(row) => row.forms.push(written),
                None => rows.push(Row {
                    name: name.to_owned(),
                    forms: vec![written],
                    doc: form.operation.doc.trim(),
                    source: form.operation.source.name,
                    timing: timing(form),
                }),
            }
        }
        rows.retain(|row| !row.name.is_empty());
        rows
    }

    fn written(&self, operation: &Operation, format: &'static Format, dialect: u8) -> Written {
        let maker = Maker { dialect, generation: Some(self.generation) };
        let mut written = Written { text: String::new(), operands: Vec::new() };
        for piece in maker.take_apart(format).unwrap_or_default() {
            written.add(&piece, operation.name_in(dialect));
        }
        written.text.truncate(written.text.trim_end().len());
        written
    }

    /// The operands of an instruction, where they stand in its text; none if it is no instruction.
    pub fn places(&self, text: &str, cx: &Cx) -> Vec<Operand> {
        let Some((name, forms)) = mnemonic(text).and_then(|name| {
            let (length, forms) = self.named(&text[name.clone()], cx)?;
            Some((name.start..name.start + length, forms))
        }) else {
            return Vec::new();
        };
        let read = |&form: &u16| {
            let mut reader = Reader::<MAX_FIELDS>::new(self, form, cx, name.clone());
            reader.read(&Decided::default(), &mut Cursor::new(text)).ok().map(|_| reader.placed())
        };
        forms.iter().find_map(read).unwrap_or_default()
    }
}

impl Bundle {
    /// The operands of a word's units, where they stand in the line.
    pub fn places(&self, line: &str, cx: &Cx) -> Vec<Operand> {
        let separator = self.separator.trim();
        let (mut at, mut all) = (0, Vec::new());
        for text in line.split(separator) {
            let of_unit = self.units.iter().map(|unit| unit.places(text, cx)).find(|found| !found.is_empty());
            let moved = |o: Operand| Operand { at: o.at.start + at..o.at.end + at, ..o };
            all.extend(of_unit.unwrap_or_default().into_iter().map(moved));
            at += text.len() + separator.len();
        }
        all
    }
}

impl<const N: usize> Reader<'_, N> {
    /// The fields that the text has mentioned, in its order.
    fn placed(&self) -> Vec<Operand> {
        let places = self.fields.iter().zip(&self.places).filter(|(_, (start, end))| end > start);
        let mut placed: Vec<Operand> =
            places.map(|(field, &(start, end))| operand(field, start as usize..end as usize)).collect();
        placed.sort_by_key(|operand| operand.at.start);
        placed
    }
}

impl Written {
    fn add(&mut self, piece: &Piece, name: &str) {
        match piece {
            Piece::Text(text, _) => self.text.push_str(text),
            Piece::Name => self.text.push_str(name),
            Piece::Field(slot) => self.operand(slot.field),
            Piece::Unordered(slots) => slots.iter().for_each(|slot| {
                self.text.push_str(" [");
                self.operand(slot.field);
                self.text.push(']');
            }),
            Piece::Optional(inner) => {
                self.text.push('[');
                inner.iter().for_each(|piece| self.add(piece, name));
                self.text.push(']');
            }
        }
    }

    /// A flag that is left out where it is not set stands in brackets like other optional parts.
    fn operand(&mut self, field: &Field) {
        let start = self.text.len();
        self.text.push_str(field.name);
        self.operands.push(operand(field, start..self.text.len()));
    }
}

fn operand(field: &Field, at: Range<usize>) -> Operand {
    Operand { name: field.name, doc: field.doc, role: field.role, at }
}
