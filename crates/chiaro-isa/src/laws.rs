//! What must hold for every instruction set, whatever the target: the tests of each
//! call [`of`] (or [`of_bundle`]) and expect an empty list.
//!
//! ```
//! # use chiaro_isa::*;
//! # static PAPER: Source = Source { name: "paper", title: "an example" };
//! # static ALU: Class = Class { name: "alu", unit: "alu", issue: None, result: Wait::Unknown, purpose: Purpose::Arithmetic, source: None };
//! # static ONE: Format = Format {
//! #     length: Length::Bytes(1), opcode: at(4..=7), fields: &[src("a", at(0..=3), &UInt, "operand")],
//! #     syntax: &["{op} {a}"], ..Format::EMPTY };
//! # operations! { enum Op => OPS { /** Loads. */ Load "load" [ONE 1] ALU PAPER; } }
//! # static TOY: Set = Set { name: "toy", title: "Toy", about: "", operations: &[OPS], generations: &["one"],
//! #     dialects: &["plain"], rules: &[], fold_case: false };
//! let isa = Isa::new(&TOY, 0);
//! assert_eq!(laws::of(&isa, 100), Vec::<String>::new());
//! ```
//!
//! All samples come from a seeded generator, so a failure happens again. A law reports
//! its first few failures; each names the encoding and shows the bits or the text.

use crate::bundle::Bundle;
use crate::cx::Cx;
use crate::decl::Length;
use crate::faults::label;
use crate::form::Inst;
use crate::isa::Isa;
use crate::out::Out;
use crate::sample::Rng;
use crate::word::{WORD_BYTES, Word};

/// How many failures of one law are reported.
const REPORTED: usize = 8;

/// Every law, with so many samples of each encoding; what does not hold.
pub fn of(isa: &Isa, samples: usize) -> Vec<String> {
    let mut failures = declaration(isa);
    if !failures.is_empty() {
        return failures;
    }
    failures.extend(no_word_is_two(isa, samples));
    for law in [samples_decode, samples_encode, samples_are_legal, text_parses_back, explanations_are_whole] {
        failures.extend(law(isa, samples));
    }
    failures.extend(no_word_does_harm(isa, samples * isa.forms.len()));
    failures.extend(no_text_does_harm(isa, samples));
    failures.extend(the_page_is_whole(isa));
    failures
}

/// The declaration has none of the mistakes that [`Isa::faults`] finds.
pub fn declaration(isa: &Isa) -> Vec<String> {
    Failures::of("declaration", isa.faults())
}

/// Where the fixed bits of two encodings fit one word, and neither is a case of the
/// other, the operands decide: the one that decoding does not choose is not valid.
pub fn no_word_is_two(isa: &Isa, samples: usize) -> Vec<String> {
    let (mut rng, mut failures) = (Rng(13), Failures::new("no word is two"));
    let (cx, forms) = (isa.cx(), isa.forms.len() as u16);
    for (a, b) in (0..forms).flat_map(|a| (0..a).map(move |b| (a, b))).filter(|&(a, b)| isa.overlap(a, b)) {
        let ((mask, value), (other, theirs)) = (isa.pattern(a), isa.pattern(b));
        if mask & other == mask || mask & other == other {
            continue;
        }
        for _ in 0..samples {
            let word = rng.word() & !mask & !other | value | theirs;
            let Ok(inst) = isa.decode_word(&word, WORD_BYTES) else { continue };
            let lost = if inst.form == a { b } else { a };
            let as_lost = Inst { form: lost, ..inst };
            let values = isa.values(&as_lost, &cx).all();
            if values.is_some_and(|values| {
                isa.encode(lost, &values, &cx).is_ok_and(|again| again.word == inst.word)
            }) {
                let [a, b] = [a, b].map(|form| label(&isa.forms[form as usize]));
                failures.report(format!("{:?} is {a} and {b}", inst.word));
                break;
            }
        }
    }
    failures.all
}

/// Every encoding has instructions, and its bytes, followed by anything, decode to it
/// in its length; fewer bytes are an error.
pub fn samples_decode(isa: &Isa, samples: usize) -> Vec<String> {
    let mut garbage = Rng(17);
    each_sample("samples decode", isa, samples, |inst| {
        let mut bytes = inst.to_bytes();
        let length = usize::from(inst.length);
        for byte in &mut bytes[length..] {
            *byte = garbage.next() as u8;
        }
        if let Length::Before { clear, .. } = isa.form(inst).format.length {
            bytes[usize::from(clear / 8)] &= !(1 << (clear % 8));
        }
        if isa.decode(&bytes) != Ok(*inst) {
            return Err(format!("with other code behind it becomes {:?}", isa.decode(&bytes)));
        }
        match (0..length).find(|&n| isa.decode(&bytes[..n]).is_ok_and(|cut| cut.form == inst.form)) {
            Some(n) => Err(format!("decodes from {n} bytes of {length}")),
            None => Ok(()),
        }
    })
}

/// Operands encode to the instruction that they were read from, by position and by
/// name; by name a preferred encoding may take their place.
pub fn samples_encode(isa: &Isa, samples: usize) -> Vec<String> {
    let cx = isa.cx();
    each_sample("samples encode", isa, samples, |inst| {
        let values = isa.values(inst, &cx);
        let again = isa.encode(inst.form, &values.all().unwrap_or_default(), &cx);
        if again != Ok(*inst) {
            return Err(format!("encodes to {again:?}"));
        }
        let form = isa.form(inst);
        let fields = form.format.fields.iter().zip(values.as_slice()).filter(|(f, _)| !f.view);
        let named: Vec<_> = fields.filter_map(|(field, value)| Some((field.name, (*value)?))).collect();
        match isa.encode_op(form.op, &named, &cx) {
            Ok(other) if isa.form(&other).op == form.op && other.form <= inst.form => Ok(()),
            other => Err(format!("by name encodes to {other:?}")),
        }
    })
}

/// Samples break no rule, set no bit of unknown meaning, and `put` puts what was there.
pub fn samples_are_legal(isa: &Isa, samples: usize) -> Vec<String> {
    let cx = isa.cx();
    each_sample("samples are legal", isa, samples, |inst| {
        if let Some(breach) = isa.breaches(inst, &cx).first() {
            return Err(format!("breaks {}: {}", breach.rule, breach.message));
        }
        if !isa.unclaimed(inst).is_zero() {
            return Err(format!("sets bits without a meaning: {:?}", isa.unclaimed(inst)));
        }
        for field in isa.form(inst).format.fields.iter().filter(|f| f.when.has(isa.generation)) {
            let Some(value) = isa.value(inst, field.name, &cx) else { continue };
            let mut same = *inst;
            if isa.put(&mut same, field.name, value, &cx).is_err() || same != *inst {
                return Err(format!("putting {} back changes it", field.name));
            }
            let _ = field.kind.covers(value);
        }
        Ok(())
    })
}

/// The text of the first dialect is read as the same instruction. Where another
/// dialect has a text, that is read as an instruction of the same text.
pub fn text_parses_back(isa: &Isa, samples: usize) -> Vec<String> {
    let texts = |inst: &Inst, dialect: u8| -> Result<(), String> {
        let cx = Cx { dialect, ..isa.cx() };
        let Some(text) = isa.text(inst, &cx) else {
            return if dialect == 0 { Err("has no text".to_owned()) } else { Ok(()) };
        };
        if text.is_empty() {
            return Ok(());
        }
        let read = isa.parse(&text, &cx).map_err(|e| format!("`{text}` is not read: {e}"))?;
        if dialect == 0 && read.inst != *inst {
            return Err(format!("`{text}` is read as {:?}", read.inst));
        }
        match isa.text(&read.inst, &cx) {
            Some(again) if again == text => Ok(()),
            again => Err(format!("`{text}` becomes {again:?} in {}", isa.set.dialects[dialect as usize])),
        }
    };
    // What a dialect spells with names of the program cannot be read without them.
    let readable = |form: u16, dialect: u8| dialect == 0 || !isa.needs_symbols(form, dialect);
    each_sample("text parses back", isa, samples, |inst| {
        let mut dialects = 0..isa.set.dialects.len() as u8;
        dialects.try_for_each(|d| if readable(inst.form, d) { texts(inst, d) } else { Ok(()) })
    })
}

/// An explanation has the opcode and every field, and agrees with the text.
pub fn explanations_are_whole(isa: &Isa, samples: usize) -> Vec<String> {
    let cx = isa.cx();
    each_sample("explanations are whole", isa, samples.min(20), |inst| {
        let explained = isa.explain(inst, &cx);
        let shown = explained.to_string();
        let here = isa.form(inst).format.fields.iter().filter(|f| f.when.has(isa.generation));
        for field in here {
            let known = explained.fields.iter().any(|x| x.name == field.name && x.text.is_some());
            if !known || !shown.contains(field.doc) {
                return Err(format!("{} is not explained", field.name));
            }
        }
        if explained.text == isa.text(inst, &cx) { Ok(()) } else { Err("the texts differ".to_owned()) }
    })
}

/// Random words, and samples with bits flipped, decode or not; what decodes can be
/// taken apart and printed in every dialect.
pub fn no_word_does_harm(isa: &Isa, words: usize) -> Vec<String> {
    let (mut rng, mut out, mut failures) = (Rng(23), Out::default(), Failures::new("no word does harm"));
    let forms = isa.forms.len().max(1);
    for n in 0..words {
        let known = isa.forms.get(n % forms).map(|_| isa.pattern((n % forms) as u16));
        let (mask, value) = known.filter(|_| n % 2 == 0).unwrap_or_default();
        let word = rng.word() & !mask | value;
        let available = rng.below(WORD_BYTES + 1);
        let Ok(inst) = isa.decode_word(&word, available) else { continue };
        if usize::from(inst.length) > available || inst.length == 0 {
            failures.report(format!("{word:?}: {} bytes of {available}", inst.length));
        }
        for dialect in 0..=isa.set.dialects.len() as u8 {
            let cx = Cx { dialect, address: rng.next(), ..isa.cx() };
            out.clear();
            if !isa.print(&inst, &cx, &mut out) && !out.is_empty() {
                failures.report(format!("{word:?}: half a text"));
            }
            if std::str::from_utf8(out.as_bytes()).is_err() {
                failures.report(format!("{word:?}: the text is no UTF-8"));
            }
            let _ = isa.breaches(&inst, &cx);
            let _ = isa.values(&inst, &cx).all().map(|values| isa.encode(inst.form, &values, &cx));
        }
        if n % 16 == 0 {
            let _ = isa.explain(&inst, &isa.cx()).to_string();
        }
    }
    failures.all
}

/// Texts with pieces cut out, doubled, exchanged and replaced are read or not; an
/// error lies within the text.
pub fn no_text_does_harm(isa: &Isa, samples: usize) -> Vec<String> {
    let (mut rng, mut failures) = (Rng(29), Failures::new("no text does harm"));
    for form in 0..isa.forms.len() as u16 {
        let Some(inst) = isa.sample(form, &mut rng) else { continue };
        for dialect in 0..isa.set.dialects.len() as u8 {
            let cx = Cx { dialect, ..isa.cx() };
            let text = isa.text(&inst, &cx).unwrap_or_default();
            for _ in 0..samples {
                let text = mutated(&text, &mut rng);
                let Err(e) = isa.parse(&text, &cx) else { continue };
                let (start, end) = (e.start as usize, e.end as usize);
                if start > end || text.get(start..end).is_none() {
                    failures.report(format!("`{text}`: the error is at {start}..{end}: {e}"));
                }
            }
        }
    }
    failures.all
}

/// The reference names every operation, field, rule and source.
pub fn the_page_is_whole(isa: &Isa) -> Vec<String> {
    let page = isa.html();
    let mut failures = Failures::new("the page is whole");
    let mut want = |what: &str, text: &str| {
        if !page.contains(&crate::html::escape(text)) {
            failures.report(format!("{what} `{text}` is missing"));
        }
    };
    for form in &isa.forms {
        want("the operation", form.operation.name);
        want("what it does:", form.operation.doc.trim());
        want("the source", form.operation.source.title);
        for field in form.format.fields.iter().filter(|f| f.when.has(isa.generation)) {
            want("the field", field.doc);
        }
        form.format.rules.iter().chain(form.operation.rules).for_each(|rule| want("the rule", rule.doc));
    }
    isa.set.rules.iter().for_each(|rule| want("the rule", rule.doc));
    failures.all
}

/// The laws of [`of`] for each unit, and for whole words: what the units say can be
/// joined, taken apart, printed and read again.
pub fn of_bundle(bundle: &Bundle, samples: usize) -> Vec<String> {
    let mut failures = Vec::new();
    for unit in &bundle.units {
        let found = of(unit, samples).into_iter();
        // The other units' bits are not for this one to account for.
        failures.extend(
            found.filter(|f| !f.contains("nobody accounts")).map(|f| format!("{}: {f}", unit.set.name)),
        );
    }
    failures.extend(words_hold_together(bundle, samples));
    failures
}

fn words_hold_together(bundle: &Bundle, samples: usize) -> Vec<String> {
    let (mut rng, mut failures) = (Rng(31), Failures::new("words hold together"));
    let mut joined = 0;
    for _ in 0..samples * 100 {
        let units: Option<Vec<Inst>> = bundle
            .units
            .iter()
            .map(|unit| {
                // Half of the units are idle in ordinary words.
                let idle = unit.forms.iter().position(|f| f.operation.name.is_empty());
                let form = idle.filter(|_| rng.below(2) == 0).unwrap_or_else(|| rng.below(unit.forms.len()));
                unit.sample(form as u16, &mut rng)
            })
            .collect();
        let Some(word) = units.and_then(|units| bundle.join(&units).ok()) else { continue };
        joined += 1;
        if let Err(why) = word_holds_together(bundle, word) {
            failures.report(format!("{word:?}: {why}"));
        }
    }
    if joined < samples {
        failures.report(format!("only {joined} words could be joined"));
    }
    failures.all
}

fn word_holds_together(bundle: &Bundle, word: Word) -> Result<(), String> {
    let cx = Cx::default();
    let insts = bundle.decode(&word.to_bytes()).map_err(|e| e.to_string())?;
    let mut out = Out::default();
    if !bundle.print(&insts, &cx, &mut out) {
        return Err("has no text".to_owned());
    }
    let read = bundle.parse(out.as_str(), &cx).map_err(|e| format!("`{}`: {e}", out.as_str()))?;
    // An opcode that only idle units would use is not in the text.
    let again =
        bundle.join(&read).map_err(|units| format!("units {units:?} of `{}` disagree", out.as_str()))?;
    let insts = bundle.decode(&again.to_bytes()).map_err(|e| e.to_string())?;
    let mut text = Out::default();
    match bundle.print(&insts, &cx, &mut text) && text.as_str() == out.as_str() {
        true => Ok(()),
        false => Err(format!("`{}` becomes `{}`", out.as_str(), text.as_str())),
    }
}

/// Failures of one law.
struct Failures {
    law: &'static str,
    all: Vec<String>,
}

impl Failures {
    fn new(law: &'static str) -> Failures {
        Failures { law, all: Vec::new() }
    }

    fn of(law: &'static str, all: Vec<String>) -> Vec<String> {
        let mut failures = Failures::new(law);
        all.into_iter().for_each(|what| failures.report(what));
        failures.all
    }

    fn report(&mut self, what: String) {
        if self.all.len() < REPORTED {
            self.all.push(format!("{}: {what}", self.law));
        }
    }
}

/// Applies a law to samples of every encoding.
fn each_sample(
    law: &'static str,
    isa: &Isa,
    samples: usize,
    mut holds: impl FnMut(&Inst) -> Result<(), String>,
) -> Vec<String> {
    let mut failures = Failures::new(law);
    for (form, declared) in isa.forms.iter().enumerate() {
        let mut rng = Rng(form as u64);
        for _ in 0..samples {
            let Some(inst) = isa.sample(form as u16, &mut rng) else {
                failures.report(format!(
                    "{}: has no instruction that is legal and decodes back",
                    label(declared)
                ));
                break;
            };
            if let Err(why) = holds(&inst) {
                failures.report(format!("{} {:?}: {why}", label(declared), inst.word));
                break;
            }
        }
    }
    failures.all
}

/// One to three changes at random places.
fn mutated(text: &str, rng: &mut Rng) -> String {
    const PIECES: [&str; 24] = [
        "",
        ",",
        " ",
        "[",
        "]",
        "(",
        ")",
        "-",
        ".",
        "0",
        "9999999999999999999",
        "0x",
        "x",
        "r",
        "v",
        "é",
        "\u{3000}",
        "\0",
        "@",
        "|",
        "{op}",
        "(sy)",
        "\t",
        "\u{10ffff}",
    ];
    let mut text = text.to_owned();
    for _ in 0..=rng.below(3) {
        let place = |rng: &mut Rng, text: &str| {
            let at = rng.below(text.len() + 1);
            (0..=at).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
        };
        let (a, b) = (place(rng, &text), place(rng, &text));
        let (start, end) = (a.min(b), a.max(b));
        match rng.below(4) {
            0 => text.replace_range(start..end, ""),
            1 => text = format!("{}{}", &text[..end], &text[start..]),
            2 => text.insert_str(start, PIECES[rng.below(PIECES.len())]),
            _ => {
                let next = text[start..].chars().next().map_or(start, |c| start + c.len_utf8());
                text.replace_range(start..next, PIECES[rng.below(PIECES.len())]);
            }
        }
    }
    text
}
