//! How a template is printed: fields as tables of texts, each made once, with the fixed text before
//! them.

use crate::cx::Cx;
use crate::kind::{Kind, Leading};
use crate::memo::Memo;
use crate::out::{Out, Short};
use crate::template::{Piece, Slot, Text};
use crate::word::{Bits, Near, Run, Word, low_bits};
use std::sync::{Arc, OnceLock};

/// Fields up to this width have tables.
const NARROW: u8 = 14;

/// How a template is printed. Most are a mnemonic and a few fields from tables: those stand apart,
/// so that printing them is one loop without a choice between steps.
pub(crate) struct Printed {
    /// Whether the mnemonic comes first.
    pub named: bool,
    /// A field right behind it that one value alone spells.
    pub mark: Option<Mark>,
    /// The fields behind them that are tables.
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
        let mark = rest.next_if(|step| named && matches!(step, Step::Mark(_))).and_then(Step::mark);
        let mut lead = Vec::new();
        while let Some(step) = rest.next_if(|step| named && matches!(step, Step::Table(_))) {
            lead.extend(step.table());
        }
        let rest: Box<[Step]> = rest.collect();
        Printed { named, mark, lead: lead.into(), idle: idle(&rest), rest }
    }
}

/// The defaults of all fields, if steps are left out by them.
fn idle(steps: &[Step]) -> Defaults {
    let optional = |step: &Step| if let Step::Optional(defaults, _) = step { Some(*defaults) } else { None };
    let all: Option<Vec<Defaults>> = steps.iter().map(optional).collect();
    all.map_or(Defaults::NEVER, |all| all.iter().fold(Defaults::ALWAYS, |sum, one| sum.and(one)))
}

/// A step of printing.
pub(crate) enum Step {
    /// The mnemonic.
    Name,
    /// Fixed text.
    Text(Text),
    /// A field whose texts are kept.
    Table(Table),
    /// A field that one value alone spells.
    Mark(Mark),
    /// A field that is printed when asked for.
    Field(Slot),
    /// Left out while all its fields hold their defaults.
    Optional(Defaults, Box<[Step]>),
}

impl Step {
    fn table(self) -> Option<Table> {
        if let Step::Table(table) = self { Some(table) } else { None }
    }

    fn mark(self) -> Option<Mark> {
        if let Step::Mark(mark) = self { Some(mark) } else { None }
    }
}

/// A field that has a text in one case: these bits are so.
pub(crate) struct Mark {
    pub slot: Slot,
    mask: Word,
    value: Word,
}

impl Mark {
    fn of(slot: Slot) -> Option<Mark> {
        let bits = &slot.field.bits;
        let value = bits.scatter(slot.field.kind.only()?);
        Some(Mark { slot, mask: bits.mask(), value })
    }

    #[inline]
    pub(crate) fn is_set(&self, word: &Word) -> bool {
        *word & self.mask == self.value
    }
}

/// The texts of a field by the bits that say them.
pub(crate) struct Table {
    chosen: Chosen,
    /// Room for the texts, from the first one on.
    texts: OnceLock<Memo>,
    pub rare: Box<Rare>,
}

/// What of a table is asked for where no text is kept: apart, so that the rest is short.
pub(crate) struct Rare {
    pub slot: Slot,
    /// Fixed text before the field, which the texts begin with.
    pub before: Short,
    /// The bits that say a text, and their value with which all others count.
    which: u64,
    except: u64,
    /// The room that tables of the same texts share.
    texts: Arc<OnceLock<Memo>>,
}

impl Table {
    /// The text, if the chosen bits alone say it and it is short.
    #[inline]
    pub(crate) fn text(&self, word: &Word, cx: impl FnOnce() -> Cx<'static>) -> Option<Short> {
        let n = self.chosen.value(word)?;
        let texts = self.texts.get_or_init(|| self.rare.room());
        texts.get(n, || self.rare.make(n, &cx()))
    }
}

impl Rare {
    #[cold]
    fn room(&self) -> Memo {
        self.texts.get_or_init(|| Memo::new(self.which.count_ones())).clone()
    }

    /// `None` if the bits are invalid or the text is too long to keep.
    #[cold]
    fn make(&self, n: u64, cx: &Cx) -> Option<Short> {
        let (kind, raw) = (self.slot.field.kind, spread(n, self.which));
        let value = kind.decode(raw, cx).filter(|_| raw != self.except)?;
        let mut out = Out::default();
        out.push_short(&self.before);
        kind.print(value, &mut out, cx);
        Short::new(out.as_str())
    }
}

/// The bits of a number, the lowest first, in the places that are set in `which`.
fn spread(n: u64, mut which: u64) -> u64 {
    let (mut n, mut raw) = (n, 0);
    while which != 0 {
        raw |= (n & 1) << which.trailing_zeros();
        (n, which) = (n >> 1, which & (which - 1));
    }
    raw
}

/// The bits that choose a text, and those that change it where they are set.
enum Chosen {
    /// All in one limb, the former side by side.
    Run(Run, u64),
    /// All in one limb, the former in a few pieces.
    Near(Near, u64),
    Scattered(Box<(Bits, Word)>),
}

impl Chosen {
    fn new(bits: Bits, changes: Word) -> Chosen {
        if let Some(run) = bits.run().filter(|run| run.holds(&changes)) {
            return Chosen::Run(run, run.limb(&changes));
        }
        match bits.near().filter(|near| near.holds(&changes)) {
            Some(near) => Chosen::Near(near, near.limb(&changes)),
            None => Chosen::Scattered(Box::new((bits, changes))),
        }
    }

    /// The number of the text; `None` if it is changed.
    #[inline]
    fn value(&self, word: &Word) -> Option<u64> {
        match self {
            Chosen::Run(run, changes) => (run.limb(word) & changes == 0).then(|| run.gather(word)),
            Chosen::Near(near, changes) => (near.limb(word) & changes == 0).then(|| near.gather(word)),
            Chosen::Scattered(both) => (*word & both.1).is_zero().then(|| both.0.gather(word)),
        }
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
type Key = (&'static dyn Kind, Leading, Short);

/// Makes steps, and each table once.
#[derive(Default)]
pub(crate) struct Tables {
    made: Vec<(Key, Arc<OnceLock<Memo>>)>,
}

impl Tables {
    /// The steps of a template.
    pub(crate) fn steps(&mut self, pieces: &[Piece]) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut before = String::new();
        for piece in pieces {
            if let Piece::Text(text, _) = piece {
                before.push_str(text);
                continue;
            }
            if let Piece::Field(slot) = piece
                && slot.is_silent()
            {
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
            Piece::Field(slot) => Mark::of(*slot).map_or(Step::Field(*slot), Step::Mark),
            Piece::Optional(inner) => {
                let mut slots = Vec::new();
                inner.iter().for_each(|piece| piece.slots(&mut slots));
                Step::Optional(Defaults::of(&slots), self.steps(inner).into())
            }
            // One behind the other, each left out at its default.
            Piece::Unordered(slots) => {
                let mut step = |slot: &Slot| self.table(*slot, "").map_or(Step::Field(*slot), Step::Table);
                let alone = |slot: &Slot| Step::Optional(Defaults::of(&[*slot]), [step(slot)].into());
                Step::Optional(Defaults::of(slots), slots.iter().map(alone).collect())
            }
            Piece::Name | Piece::Text(..) => Step::Name,
        }
    }

    /// `None` if the texts of a field cannot be kept, or the text before it leaves them no room.
    fn table(&mut self, slot: Slot, before: &str) -> Option<Table> {
        let field = slot.field;
        let width = field.bits.width();
        let whole =
            (width <= NARROW).then_some(Leading { which: low_bits(width), changes: 0, except: u64::MAX });
        let leading = whole.or_else(|| field.kind.leading()).filter(|_| !field.kind.contextual())?;
        let before = Short::new(before)?;
        let Leading { which, changes, except } = leading;
        let chosen = Chosen::new(field.bits.chosen(which), field.bits.scatter(changes));
        let texts = self.texts(field.kind, leading, before);
        let rare = Box::new(Rare { slot, before, which, except, texts });
        Some(Table { chosen, texts: OnceLock::new(), rare })
    }

    fn texts(&mut self, kind: &'static dyn Kind, leading: Leading, before: Short) -> Arc<OnceLock<Memo>> {
        // Kinds of one type with the same data print alike wherever they live; two
        // types never share a table of methods here, so a false match is impossible.
        #[allow(ambiguous_wide_pointer_comparisons, reason = "a missed match only costs a second table")]
        let same = |(key, _): &&(Key, Arc<OnceLock<Memo>>)| {
            std::ptr::eq(key.0, kind) && key.1 == leading && key.2 == before
        };
        if let Some((_, texts)) = self.made.iter().find(same) {
            return texts.clone();
        }
        let texts: Arc<OnceLock<Memo>> = Arc::default();
        self.made.push(((kind, leading, before), texts.clone()));
        texts
    }
}
