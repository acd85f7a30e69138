//! The linter of declarations: what the author of a target
//! got wrong before a single instruction is tried.

use crate::cx::Cx;
use crate::decl::Length;
use crate::form::{Form, MAX_FIELDS};
use crate::isa::Isa;
use crate::template;
use crate::word::{Word, low_bits};

impl Isa {
    /// Every mistake, one sentence each: fields outside the word or claimed to be
    /// spare, bits that nobody accounts for, forms that cannot be told apart, opcodes
    /// too wide, defaults that are no operands, templates that name no field. The
    /// tests of a target expect none ([`laws`](crate::laws)).
    pub fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        for (i, form) in self.forms.iter().enumerate() {
            let mut report = |what: String| faults.push(format!("{}: {what}", label(form)));
            layout(form, &mut report);
            bits(self, i as u16, &mut report);
            fields(form, &self.cx(), &mut report);
            templates(self, form, &mut report);
        }
        self.ambiguous(&mut faults);
        faults
    }

    /// Two forms that fit one word and fix equally many bits: neither would win.
    fn ambiguous(&self, faults: &mut Vec<String>) {
        for i in 0..self.forms.len() {
            for j in (0..i).filter(|&j| self.overlap(i as u16, j as u16)) {
                let fixed = |form: usize| self.pattern(form as u16).0.count_ones();
                if fixed(i) == fixed(j) {
                    let (a, b) = (label(&self.forms[j]), label(&self.forms[i]));
                    faults.push(format!("{a} and {b} cannot be told apart"));
                }
            }
        }
    }

    /// Whether a word can have the fixed bits of both forms.
    pub(crate) fn overlap(&self, a: u16, b: u16) -> bool {
        let ((mask, value), (other, theirs)) = (self.pattern(a), self.pattern(b));
        let both = mask & other;
        value & both == theirs & both
    }
}

/// An encoding as messages name it.
pub(crate) fn label(form: &Form) -> String {
    format!("{} ({})", form.operation.name, form.format.name)
}

fn layout(form: &Form, report: &mut impl FnMut(String)) {
    let format = form.format;
    if form.opcode & !low_bits(format.opcode.width()) != 0 {
        report(format!("the opcode {:#x} is too wide", form.opcode));
    }
    if format.fields.len() > MAX_FIELDS {
        report(format!("{} fields, {MAX_FIELDS} allowed", format.fields.len()));
    }
    for (i, f) in format.fields.iter().enumerate() {
        if format.fields[..i].iter().any(|g| g.name == f.name) {
            report(format!("two fields are called {}", f.name));
        }
    }
}

/// Every bit of the longest encoding is fixed, a field's or spare.
fn bits(isa: &Isa, index: u16, report: &mut impl FnMut(String)) {
    let format = isa.forms[index as usize].format;
    let whole = Word::low_bytes(format.length.longest());
    let claimed = isa.claimed(index);
    let spare = format.spare.iter().fold(Word::ZERO, |all, bits| all | bits.mask());
    let absent = format.fields.iter().filter(|f| !f.when.has(isa.generation));
    let absent = absent.fold(Word::ZERO, |all, f| all | f.bits.mask());
    let mut check = |word: Word, what: &str| {
        if !word.is_zero() {
            report(format!("{what}: {word:#x}"));
        }
    };
    let ahead = match format.length {
        Length::Before { clear, .. } => Word::ZERO.with_bit(clear),
        _ => Word::ZERO,
    };
    check((claimed | spare) & !whole & !ahead, "bits outside the word");
    check(claimed & spare, "bits that are spare and not");
    check(whole & !claimed & !spare & !absent, "bits that nobody accounts for");
    let (mask, _) = isa.pattern(index);
    if !matches!(format.length, Length::Marked { .. }) {
        check(mask & !ahead & !Word::low_bytes(format.length.shortest()), "fixed bits that may be missing");
    }
}

fn fields(form: &Form, cx: &Cx, report: &mut impl FnMut(String)) {
    for f in form.format.fields {
        if f.default & !low_bits(f.bits.width()) != 0 {
            report(format!("the default of {} is too wide", f.name));
        }
        let unsaid = !f.when.has(cx.generation) || !template::always(form.format, f.name);
        if unsaid && !f.view && f.kind.decode(f.default, cx).is_none() {
            report(format!("the default of {} is no operand", f.name));
        }
    }
}

fn templates(isa: &Isa, form: &Form, report: &mut impl FnMut(String)) {
    for dialect in 0..isa.set.dialects.len() as u8 {
        if let Err(why) = template::check(form.format, dialect) {
            report(why);
        }
    }
    if form.operation.name.is_empty() {
        return;
    }
    for f in form.format.fields.iter().filter(|f| !f.view && f.bits.width() > 0) {
        if !template::mentions(form.format, f.name) {
            report(format!("{} is missing in the text of the first dialect", f.name));
        }
    }
}
