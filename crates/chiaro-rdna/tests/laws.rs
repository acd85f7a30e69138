//! The laws of every instruction set, in both sizes of wave.

use chiaro_isa::laws;
use chiaro_isa::{Isa, WORD_BYTES};
use chiaro_rdna::isa::{Op, SET, isa};

fn hold(isa: &Isa) {
    assert_eq!(laws::of(isa, 3), Vec::<String>::new());
}

#[test]
fn in_waves_of_32() {
    hold(isa(32));
}

#[test]
fn in_waves_of_64() {
    hold(isa(64));
}

#[test]
fn rows() {
    // 1,140 slots of LLVM's table, and exports, which have no opcode.
    assert_eq!(Op::ALL.len(), 1_141);
    assert_eq!(SET.rows().count(), Op::ALL.len());
}

/// Random words: what has a text and no stray bits comes back from it.
#[test]
fn random_words_come_back() {
    let mut rng = chiaro_isa::Rng(41);
    for n in 0..100_000u32 {
        let isa = isa(if n % 2 == 0 { 32 } else { 64 });
        let word = rng.word();
        let Ok(inst) = isa.decode_word(&word, WORD_BYTES) else { continue };
        let Some(text) = isa.text(&inst, &isa.cx()).filter(|_| isa.unclaimed(&inst).is_zero()) else {
            continue;
        };
        let back = isa.parse(&text, &isa.cx()).map(|parsed| parsed.inst);
        assert_eq!(back.as_ref().map(|i| i.word), Ok(inst.word), "{text} {:?}", isa.form(&inst).format.name);
    }
}
