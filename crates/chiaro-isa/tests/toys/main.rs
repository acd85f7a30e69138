//! Toys: small instruction sets, each with the oddities of a real machine, declared as
//! a target would. All of them obey the laws; beside each stands what it shows.

mod a3xx;
mod accumulator;
mod agx;
mod gp;
mod rdna;
mod synthetic;

use chiaro_isa::{Cx, Isa, Source, Word, laws};

/// The laws hold; for the tests of each toy.
fn assert_laws(isa: &Isa, samples: usize) {
    assert_eq!(laws::of(isa, samples), Vec::<String>::new());
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
