//! Both listings: Mesa's on the golden programs, our own on anything.

use chiaro_isa::Out;
use chiaro_utgard::asm::instruction;
use chiaro_utgard::container::Mbs;
use chiaro_utgard::isa::word::Word;
use chiaro_utgard::listing::{mesa, plain};

use crate::common::{bytes, program, rows};

/// Programs with the text of Mesa's disassembler: sampled from larger sets over all classes.
fn golden() -> Vec<(String, Vec<Word>, String)> {
    let text = |row: &serde_json::Value| row["text"].as_str().expect("text").to_owned();
    let all = rows(include_str!("vectors/decode.jsonl")).into_iter();
    all.map(|row| (row["id"].to_string(), program(&row), text(&row))).collect()
}

fn text(word: Word) -> String {
    let mut out = Out::default();
    plain::print(word, &mut out);
    out.as_str().to_owned()
}

#[test]
fn mesa_prints_the_same() {
    for (id, words, want) in golden() {
        assert_eq!(mesa::print(&words), want, "{id}");
    }
}

#[test]
fn ours_assembles_back() {
    for (id, words, _) in golden() {
        for word in words {
            let line = text(word);
            assert_eq!(instruction::parse(&line), Ok(word), "{id}: {line}");
        }
    }
}

#[test]
fn random_words_assemble_back() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for _ in 0..20_000 {
        let word = Word(u128::from(next()) << 64 | u128::from(next()));
        let line = text(word);
        assert_eq!(instruction::parse(&line), Ok(word), "{line}");
    }
}

#[test]
fn what_it_looks_like() {
    let rows = [
        ([0xad4a_d6b5, 0x0380_02b5, 0x0007_ff80, 0x000a_d500], "nop"),
        (
            [0x74c1_8061, 0x4b80_c1f2, 0x4a47_fa00, 0x0008_d900],
            "in0 a2; in2 t[3]; mul0 in0.y, in0.w; mul1 in0.x, in0.w; add0.add ^mul1, in2.z; \
             add1.add ^mul0, in2.w; complex.mov ^complex; pass.mov ^add1; out0 v2 = pass, complex",
        ),
        ([0xad4a_d6b5, 0x0380_02b5, 0x0007_ffe0, 0x0cd8_5500], "pass.mov ^add0; branch 12"),
        (
            [0x6c0a_8a81, 0x4780_82b5, 0x0037_ff80, 0x0009_5540],
            "in0 a1; in2 t[2]; select ^pass ? in0.z : in0.y; add0.min ^add0, in2.y; pass.mov ^mul0",
        ),
    ];
    for (words, want) in rows {
        assert_eq!(text(Word::of(words)), want);
        assert_eq!(instruction::parse(want), Ok(Word::of(words)));
    }
}

/// Operations of one operand need no `unused` behind it, and have none in listings.
#[test]
fn the_second_operand_of_one_is_not_written() {
    for op in ["add0.floor", "add0.sign", "add1.floor", "add1.sign"] {
        let short = format!("in0 a0; {op} -in0.x");
        let word = instruction::parse(&short).expect("it is enough");
        assert_eq!(instruction::parse(&format!("{short}, unused")), Ok(word));
        assert_eq!(text(word), short);
    }
}

#[test]
fn a_sign_in_the_wrong_place_is_explained() {
    for (line, why, at) in [
        ("in0 a0; mul0 in0.x, -in0.y", "a product has one sign: write it before the first operand", 20),
        ("in0 a0; select in0.x ? -in0.y : in0.z", "this operand has no sign", 23),
        ("in0 a0; pass.mov -in0.x", "this operand has no sign", 17),
    ] {
        let error = instruction::parse(line).expect_err(line);
        assert!(error.to_string().contains(why), "{line}: {error}");
        assert_eq!(error.start, at, "{line}");
    }
}

/// Whole files as text and back, golden ones and damaged ones.
#[test]
fn files_survive_as_text() {
    for row in rows(include_str!("vectors/mbs.jsonl")) {
        let bytes = bytes(row["mbs"].as_str().expect("hex"));
        for at in 0..bytes.len() {
            let mut file = bytes.clone();
            file[at] ^= (at as u8).wrapping_mul(37);
            let Ok(mbs) = Mbs::read(&file) else { continue };
            let text = chiaro_utgard::listing::exact::print(&mbs);
            let made = chiaro_utgard::asm::parse(&text).expect("a listing");
            assert_eq!(made.bytes, file, "{} byte {at}", row["name"]);
        }
    }
}
