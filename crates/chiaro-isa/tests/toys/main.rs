//! Toys: small instruction sets, each with the oddities of a real machine, declared as
//! a target would. All of them obey the laws; beside each stands what it shows.

mod a3xx;
mod accumulator;
mod agx;
mod gp;
mod liars;
mod rdna;
mod synthetic;

use std::fmt::Write;
use std::path::Path;

use chiaro_cases::{Cases, damaged, digest};
use chiaro_isa::{Cx, Inst, Isa, Rng, Source, Value, Word, laws};

/// The laws hold, and what is said of random words and texts is what is written down; for the tests of each toy.
fn assert_laws(isa: &Isa, samples: usize) {
    assert_eq!(laws::of(isa, samples), Vec::<String>::new());
    let name = format!("{} {} {}.txt", isa.set.name, isa.set.title, isa.generation);
    let mut cases = Cases::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/toys/made");
    cases.file(&folder.join(name.replace([' ', '/', ','], "-")), Some(&said(isa)));
    cases.finish();
}

/// A number for each form: what is said of two of its words in every dialect, and of their texts with one thing
/// changed. In front the page of the whole set.
fn said(isa: &Isa) -> String {
    let mut out = format!("{}\n", digest(&isa.html()));
    for (form, row) in (0..).zip(&isa.forms) {
        let mut rng = Rng(form);
        let all: String =
            (0..2).filter_map(|_| isa.sample(form as u16, &mut rng)).map(|inst| of(isa, &inst)).collect();
        let _ = writeln!(out, "{} {}: {}", row.operation.name, row.format.name, digest(&all));
    }
    out
}

fn of(isa: &Isa, inst: &Inst) -> String {
    let mut out = format!("{} {:?}", isa.explain(inst, &isa.cx()), isa.values(inst, &isa.cx()).all());
    for dialect in 0..isa.set.dialects.len() as u8 {
        let cx = Cx { dialect, ..isa.cx() };
        let text = isa.text(inst, &cx).unwrap_or_default();
        let _ = write!(out, "{text} {:?}", isa.parse(&text, &cx));
        for n in (0..6).filter(|_| !text.trim().is_empty()) {
            let wrong = damaged(&text, n);
            let read =
                isa.parse(&wrong, &cx).map(|parsed| parsed.inst.word).map_err(|e| format!("{e} {e:?}"));
            let _ = write!(out, "{wrong} {read:?}");
        }
    }
    let bytes = inst.to_bytes();
    let cut = (0..bytes.len()).map(|n| isa.decode(&bytes[..n]).map_err(|e| e.to_string()));
    cut.for_each(|read| {
        let _ = write!(out, "{read:?}");
    });
    out
}

/// Each row is a word and its text; both ways, in the given dialect.
fn assert_listing(isa: &Isa, cx: &Cx, rows: &[(&str, &str)]) {
    for (hex, text) in rows {
        let bytes: Vec<u8> = (0..hex.len())
            .step_by(2)
            .map(|i| u8::from_str_radix(&hex[i..i + 2], 16).expect("hexadecimal"))
            .collect();
        let inst = isa.decode(&bytes).unwrap_or_else(|e| panic!("{hex}: {e}"));
        assert_eq!(usize::from(inst.length), bytes.len(), "{text}");
        assert_eq!(isa.text(&inst, cx).as_deref(), Some(*text), "{hex}");
        let parsed = isa.parse(text, cx).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(parsed.inst.word, Word::load(&bytes), "{text}");
    }
}

/// Each row is a text, what is blamed in it, and what is said.
fn assert_errors(isa: &Isa, cx: &Cx, rows: &[(&str, &str, &str)]) {
    for (text, place, said) in rows {
        let Err(e) = isa.parse(text, cx) else { panic!("{text} is accepted") };
        assert_eq!(
            (&text[e.start as usize..e.end as usize], e.to_string().as_str()),
            (*place, *said),
            "{text}"
        );
    }
}

static MADE_UP: Source = Source { name: "toy", title: "A toy, modelled on a real machine" };

#[test]
fn a_set_of_1500_operations() {
    let isa = Isa::new(&synthetic::SET, 0);
    assert_laws(&isa, 10);
    let program = synthetic::ordinary(&isa, 1_000);
    assert!(program.iter().all(|inst| isa.text(inst, &isa.cx()).is_some()));
}

/// Words of others have operands that mean nothing here; linking them leaves those alone.
#[test]
fn operands_without_a_meaning_stay_when_another_is_put() {
    let isa = Isa::new(&synthetic::SET, 0);
    let cx = isa.cx();
    let program = synthetic::ordinary(&isa, 1_000);
    let isa_value = |inst: &chiaro_isa::Inst, name| isa.value(inst, name, &cx);
    let found =
        program.iter().find(|inst| ["src0", "src1"].iter().all(|name| isa_value(inst, name).is_some()));
    let mut inst = *found.expect("one with two operands");
    let at_src1 = |raw: u64| Word::load(&(raw << 41).to_le_bytes());
    inst.word = inst.word & !at_src1(0x1ff) | at_src1(106);
    assert_eq!(isa_value(&inst, "src1"), None, "106 is no register and no number");
    let (before, old) = (inst, isa_value(&inst, "src0").expect("still there"));
    isa.put(&mut inst, "src0", Value::Int(3), &cx).expect("a number");
    assert_eq!(isa_value(&inst, "src0"), Some(Value::Int(3)));
    isa.put(&mut inst, "src0", old, &cx).expect("what was there");
    assert_eq!(inst, before);
}
