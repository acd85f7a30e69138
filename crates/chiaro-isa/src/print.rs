//! Instructions as text.

use crate::cx::Cx;
use crate::form::Inst;
use crate::isa::Isa;
use crate::out::Out;
use crate::steps::{Mark, Step, Table};
use crate::template::{Slot, Text};

impl Isa {
    /// Appends the instruction in the context's dialect; `false`, with nothing
    /// appended, if an operand's bits are invalid.
    pub fn print(&self, inst: &Inst, cx: &Cx, out: &mut Out) -> bool {
        let printing = self.printing(cx.dialect);
        let start = out.len();
        let own = self.cx();
        let keeps = (cx.generation, cx.wave, cx.options) == (own.generation, own.wave, own.options);
        let printer = Printer { isa: self, inst, cx, name: &printing.names[inst.form as usize], keeps };
        let printed = &*printing.printed[inst.form as usize];
        if printed.named {
            printer.name.print(out);
        }
        printed.mark.iter().for_each(|mark| printer.mark(mark, out));
        let whole = printed.lead.iter().all(|table| printer.table(table, out))
            && (printed.idle.hold(&inst.word) || printer.steps(&printed.rest, out));
        if !whole {
            out.truncate(start);
        }
        whole
    }

    /// As [`print`](Self::print), into a new string.
    pub fn text(&self, inst: &Inst, cx: &Cx) -> Option<String> {
        let mut out = Out::default();
        self.print(inst, cx, &mut out).then(|| out.as_str().to_owned())
    }
}

struct Printer<'a> {
    isa: &'a Isa,
    inst: &'a Inst,
    cx: &'a Cx<'a>,
    name: &'a Text,
    /// Whether kept texts are those of this context: they are made in the set's own.
    keeps: bool,
}

impl Printer<'_> {
    fn steps(&self, steps: &[Step], out: &mut Out) -> bool {
        let word = &self.inst.word;
        for step in steps {
            let whole = match step {
                Step::Name => {
                    self.name.print(out);
                    true
                }
                Step::Table(table) => self.table(table, out),
                Step::Text(text) => {
                    text.print(out);
                    true
                }
                Step::Mark(mark) => {
                    self.mark(mark, out);
                    true
                }
                Step::Field(slot) => self.field(slot, out),
                Step::Optional(defaults, inner) => defaults.hold(word) || self.steps(inner, out),
            };
            if !whole {
                return false;
            }
        }
        true
    }

    #[inline]
    fn table(&self, table: &Table, out: &mut Out) -> bool {
        if !self.keeps {
            return self.long(table, out);
        }
        // What is kept must not hang on the program that is printed first.
        let plain = || Cx { dialect: self.cx.dialect, ..self.isa.cx() };
        match table.text(&self.inst.word, plain) {
            Some(text) => {
                out.push_short(&text);
                true
            }
            None => self.long(table, out),
        }
    }

    /// A field whose text is not kept.
    #[cold]
    fn long(&self, table: &Table, out: &mut Out) -> bool {
        out.push_short(&table.rare.before);
        self.field(&table.rare.slot, out)
    }

    #[inline]
    fn mark(&self, mark: &Mark, out: &mut Out) {
        if mark.is_set(&self.inst.word) {
            self.field(&mark.slot, out);
        }
    }

    fn field(&self, slot: &Slot, out: &mut Out) -> bool {
        let kind = slot.field.kind;
        match kind.decode(slot.field.bits.gather(&self.inst.word), self.cx) {
            Some(value) => {
                kind.print(value, out, self.cx);
                true
            }
            None => false,
        }
    }
}
