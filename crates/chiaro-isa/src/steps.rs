//! How a template is printed: fields as tables of texts that are made in advance, with the fixed
//! text before them.

use crate::cx::Cx;
use crate::decl::Field;
use crate::kind::{Kind, Leading};
use crate::out::{Out, Short};
use crate::template::{Piece, Slot, Text};
use crate::word::{Bits, Run, Word};
use std::sync::Arc;

/// Fields up to this width are printed in advance.
const NARROW: u8 = 9;

/// How a template is printed. Most are a mnemonic and a few fields from tables: those stand apart,
/// so that printing them is one loop without a choice between steps.
pub(crate) struct Printed {
    /// Whether the mnemonic comes first.
    pub named: bool,
    /// The fields right behind it that are tables.
    pub lead: Box<[Table]>,
    /// What follows.
    pub rest: Box<[Step]>,
    /// Of a word for which all that follows is left out.
    pub idle: Defaults,
}

impl Printed {
    pub(crate) fn of(steps: Vec<Step>) -> Printed {
        let mut rest = steps.into_iter().peekable();
        let named = rest.next_if(|step| matches!(step, Step::Name)).is_some();
        let mut lead = Vec::new();
        while let Some(step) = rest.next_if(|step| named && matches!(step, Step::Table(_))) {
            lead.extend(step.table());
        }
        let rest: Box<[Step]> = rest.collect();
        Printed { named, lead: lead.into(), idle: idle(&rest), rest }
    }
}

/// The defaults of all fields, if steps are left out by them.
fn idle(steps: &[Step]) -> Defaults {
    let optional = |step: &Step| match step {
        Step::Optional(defaults, _) | Step::Unordered(defaults, _) => Some(*defaults),
        _ => None,
    };
    let all: Option<Vec<Defaults>> = steps.iter().map(optional).collect();
    all.map_or(Defaults::NEVER, |all| all.iter().fold(Defaults::ALWAYS, |sum, one| sum.and(one)))
}

/// A step of printing.
pub(crate) enum Step {
    /// The mnemonic.
    Name,
    /// Fixed text.
    Text(Text),
    /// A field printed in advance.
    Table(Table),
    /// A field that is printed when asked for.
    Field(Slot),
    /// Left out while all its fields hold their defaults.
    Optional(Defaults, Box<[Step]>),
    /// Fields in a row, each left out at its default.
    Unordered(Defaults, Box<[Slot]>),
}

impl Step {
    fn table(self) -> Option<Table> {
        if let Step::Table(table) = self { Some(table) } else { None }
    }
}

/// The texts of a field by its low bits.
pub(crate) struct Table {
    pub slot: Slot,
    /// Fixed text before the field, which the texts begin with.
    pub before: Short,
    low: Low,
    texts: Texts,
}

/// The bits that choose a text, and those that change it where they are set.
enum Low {
    /// All in one limb, the former side by side.
    Run(Run, u64),
    Scattered(Box<(Bits, Word)>),
}

impl Low {
    fn new(bits: Bits, changes: Word) -> Low {
        match bits.run() {
            Some(run) if run.holds(&changes) => Low::Run(run, run.limb(&changes)),
            _ => Low::Scattered(Box::new((bits, changes))),
        }
    }

    /// The number of the text; `None` if it is changed.
    #[inline]
    fn value(&self, word: &Word) -> Option<u64> {
        match self {
            Low::Run(run, changes) => (run.limb(word) & changes == 0).then(|| run.gather(word)),
            Low::Scattered(both) => (*word & both.1).is_zero().then(|| both.0.gather(word)),
        }
    }
}

/// By value; [`Short::NONE`] where the kind is to be asked: it knows whether the bits are invalid.
type Texts = Arc<[Short]>;

impl Table {
    /// The text that was made in advance, if it is the one.
    #[inline]
    pub(crate) fn text(&self, word: &Word) -> Option<&Short> {
        self.texts.get(self.low.value(word)? as usize).filter(|text| text.is_there())
    }
}

/// What the bits of some fields are while all of them hold their defaults.
#[derive(Clone, Copy)]
pub(crate) struct Defaults {
    mask: Word,
    value: Word,
}

impl Defaults {
    /// No word: fields that share bits cannot all hold defaults that disagree.
    const NEVER: Defaults = Defaults { mask: Word::ZERO, value: Word([1, 0, 0]) };
    /// Every word.
    const ALWAYS: Defaults = Defaults { mask: Word::ZERO, value: Word::ZERO };

    /// Both; if they share bits and disagree, no word.
    fn and(&self, other: &Defaults) -> Defaults {
        let never = |one: &Defaults| !(one.value & !one.mask).is_zero();
        if never(self) || never(other) || self.value & other.mask != other.value & self.mask {
            return Defaults::NEVER;
        }
        Defaults { mask: self.mask | other.mask, value: self.value | other.value }
    }

    fn of(slots: &[Slot]) -> Defaults {
        let (mut mask, mut value) = (Word::ZERO, Word::ZERO);
        for slot in slots {
            mask |= slot.field.bits.mask();
            value |= slot.field.bits.scatter(slot.field.default);
        }
        let agree = slots.iter().all(|slot| slot.field.bits.gather(&value) == slot.field.default);
        if agree { Defaults { mask, value } } else { Defaults::NEVER }
    }

    #[inline]
    pub(crate) fn hold(&self, word: &Word) -> bool {
        *word & self.mask == self.value
    }
}

/// What tells tables apart: the kind, which bits, the text before.
type Key = (&'static dyn Kind, Leading, String);

/// Makes steps, and each table once.
pub(crate) struct Tables<'a> {
    cx: Cx<'a>,
    made: Vec<(Key, Texts)>,
}

impl<'a> Tables<'a> {
    pub(crate) fn new(cx: Cx<'a>) -> Tables<'a> {
        Tables { cx, made: Vec::new() }
    }

    /// The steps of a template.
    pub(crate) fn steps(&mut self, pieces: &[Piece]) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut before = String::new();
        for piece in pieces {
            if let Piece::Text(text) = piece {
                before.push_str(text);
                continue;
            }
            let text = std::mem::take(&mut before);
            let table = if let Piece::Field(slot) = piece { self.table(*slot, &text) } else { None };
            if let Some(table) = table {
                steps.push(Step::Table(table));
                continue;
            }
            steps.extend((!text.is_empty()).then(|| Step::Text(Text::new(&text))));
            steps.push(self.step(piece));
        }
        steps.extend((!before.is_empty()).then(|| Step::Text(Text::new(&before))));
        steps
    }

    /// The step of a piece that is no text.
    fn step(&mut self, piece: &Piece) -> Step {
        match piece {
            Piece::Field(slot) => Step::Field(*slot),
            Piece::Optional(inner) => {
                let mut slots = Vec::new();
                inner.iter().for_each(|piece| piece.slots(&mut slots));
                Step::Optional(Defaults::of(&slots), self.steps(inner).into())
            }
            Piece::Unordered(slots) => Step::Unordered(Defaults::of(slots), slots.as_slice().into()),
            Piece::Name | Piece::Text(_) => Step::Name,
        }
    }

    /// `None` if the field cannot be printed in advance, or the text before it leaves it no room.
    fn table(&mut self, slot: Slot, before: &str) -> Option<Table> {
        let field = slot.field;
        let width = field.bits.width();
        let whole = (width <= NARROW).then_some(Leading { width, changes: 0, except: u64::MAX });
        let leading = whole.or_else(|| field.kind.leading()).filter(|_| !field.kind.contextual())?;
        let start = Short::new(before)?;
        let low = Low::new(field.bits.part(0, leading.width), field.bits.scatter(leading.changes));
        let texts = self.texts(field, leading, before)?;
        Some(Table { slot, before: start, low, texts })
    }

    /// `None` if most texts would be too long to keep.
    fn texts(&mut self, field: &Field, leading: Leading, before: &str) -> Option<Texts> {
        // Kinds of one type with the same data print alike wherever they live; two
        // types never share a table of methods here, so a false match is impossible.
        #[allow(ambiguous_wide_pointer_comparisons, reason = "a missed match only costs a second table")]
        let same =
            |(kind, made, text): &Key| std::ptr::eq(*kind, field.kind) && *made == leading && text == before;
        if let Some((_, texts)) = self.made.iter().find(|(key, _)| same(key)) {
            return Some(texts.clone());
        }
        let text = |raw| if raw == leading.except { None } else { self.print(field, raw, before) };
        let texts: Texts = (0..1u64 << leading.width).map(|raw| text(raw).unwrap_or(Short::NONE)).collect();
        let none = texts.iter().filter(|text| !text.is_there()).count();
        if none * 2 > texts.len() {
            return None;
        }
        self.made.push(((field.kind, leading, before.to_owned()), texts.clone()));
        Some(texts)
    }

    /// `None` if the bits are invalid or the text is too long to keep.
    fn print(&self, field: &Field, raw: u64, before: &str) -> Option<Short> {
        let value = field.kind.decode(raw, &self.cx)?;
        let mut out = Out::default();
        out.push_str(before);
        field.kind.print(value, &mut out, &self.cx);
        Short::new(out.as_str())
    }
}
