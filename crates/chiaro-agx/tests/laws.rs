//! The laws of every instruction set.

use chiaro_agx::abi::usc;
use chiaro_agx::isa::{Op, SET, isa};
use chiaro_isa::{Rng, WORD_BYTES, laws};

#[test]
fn laws_hold() {
    for generation in 0..2 {
        assert_eq!(laws::of(isa(generation), 100), Vec::<String>::new());
    }
}

#[test]
fn every_row_has_its_number() {
    assert_eq!(SET.rows().count(), Op::ALL.len());
    for (row, op) in Op::ALL.iter().enumerate() {
        assert_eq!((Op::of(row as u16), usize::from(op.row())), (*op, row));
    }
}

/// Random words: what has a text comes back from it, whatever its bits.
#[test]
fn random_words_come_back() {
    let mut rng = Rng(41);
    for n in 0..300_000u32 {
        let isa = isa((n % 2) as u8);
        let form = rng.below(isa.forms.len()) as u16;
        let (mask, value) = isa.pattern(form);
        let word = if n % 3 == 0 { rng.word() } else { rng.word() & !mask | value };
        let Ok(inst) = isa.decode_word(&word, WORD_BYTES) else { continue };
        assert!(isa.unclaimed(&inst).is_zero(), "{word:?} has bits that the text does not say");
        let Some(text) = isa.text(&inst, &isa.cx()) else { continue };
        let back = isa.parse(&text, &isa.cx()).map(|parsed| parsed.inst);
        assert_eq!(
            back.map(|i| (i.word, i.length)),
            Ok((inst.word, inst.length)),
            "{text} ({})",
            isa.form(&inst).format.name
        );
    }
}

/// The encoder takes the shortest form (spec 3.1): a needlessly long one is read, said and shortened.
#[test]
fn needlessly_long_forms_are_said() {
    let isa = isa(0);
    let long = isa.decode(&[0x8a, 0x90, 0xc0, 0x86, 0x00, 0x00]).expect("an instruction");
    assert_eq!(
        (long.length, isa.text(&long, &isa.cx()).as_deref()),
        (6, Some("rcp.long r4l.cache, r0.discard.abs"))
    );
    let short = isa.parse("rcp r4l.cache, r0.discard.abs", &isa.cx()).expect("valid").inst;
    assert_eq!(short.length, 4);
    assert_eq!(isa.parse("rcp.long r4l.cache, r0.discard.abs", &isa.cx()).map(|p| p.inst), Ok(long));
}

/// USC words are an instruction set too.
#[test]
fn launch_words_keep_the_laws() {
    assert_eq!(laws::of(&usc::WORDS, 200), Vec::<String>::new());
}
