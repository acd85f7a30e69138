//! ACO's names: what is printed with them is read as the identical words.

use chiaro_isa::{Cx, Inst, Isa, Rng, WORD_BYTES};
use chiaro_rdna::asm::{Options, assemble_and_warn};
use chiaro_rdna::isa::{ACO, isa};
use chiaro_rdna::listing;
use std::collections::BTreeSet;

use crate::common::{bytes, json_rows};

fn cx(isa: &Isa) -> Cx<'static> {
    Cx { dialect: ACO, ..isa.cx() }
}

/// The text of an instruction, which is read as the same one.
fn comes_back(isa: &Isa, inst: &Inst) -> Option<String> {
    let text = isa.text(inst, &cx(isa))?;
    let read = isa.parse(&text, &cx(isa)).map(|parsed| parsed.inst);
    assert_eq!(read.as_ref().map(|i| i.word), Ok(inst.word), "{text} ({})", isa.form(inst).format.name);
    Some(text)
}

#[test]
fn every_form_comes_back() {
    for isa in [isa(32), isa(64)] {
        for form in 0..isa.forms.len() as u16 {
            let mut rng = Rng(form.into());
            for _ in 0..10 {
                let inst = isa.sample(form, &mut rng).expect("an instruction");
                assert!(comes_back(isa, &inst).is_some(), "{inst:?} has no text");
            }
        }
    }
}

#[test]
fn random_words_come_back() {
    let (mut rng, mut read) = (Rng(43), 0);
    for n in 0..100_000u32 {
        let isa = isa(if n % 2 == 0 { 32 } else { 64 });
        let form = rng.below(isa.forms.len()) as u16;
        let (mask, value) = isa.pattern(form);
        let Ok(inst) = isa.decode_word(&(rng.word() & !mask | value), WORD_BYTES) else { continue };
        if isa.unclaimed(&inst).is_zero() {
            read += usize::from(comes_back(isa, &inst).is_some());
        }
    }
    assert!(read > 20_000, "{read}");
}

/// A driver's own programs, whole.
#[test]
fn programs_of_the_driver_come_back() {
    let mut told = BTreeSet::new();
    for row in json_rows("aco_words.jsonl") {
        let Some(words) = row["words"].as_str() else { continue };
        let wave = row["wave"].as_u64().expect("a wave size") as u8;
        let dwords = bytes(words);
        let code: Vec<u8> = dwords.chunks_exact(4).flat_map(|dword| dword.iter().rev().copied()).collect();
        let text = listing::code(&code, wave, ACO);
        let options = Options { wave: Some(wave), dialect: ACO };
        let object = assemble_and_warn(&text, Default::default(), options)
            .unwrap_or_else(|e| panic!("{}: {e:?}", row["name"]))
            .object;
        assert!(object.text == code, "{}", row["name"]);
        told.extend(text.lines().filter_map(|line| line.split_whitespace().next()).map(str::to_owned));
    }
    assert!(
        ["v_add_u32", "v_addc_co_u32", "v_cmp_lg_i32"].iter().all(|name| told.contains(*name)),
        "{told:?}"
    );
    assert!(!told.iter().any(|name| name.ends_with("_e32") || name.ends_with("_dpp")), "{told:?}");
}
