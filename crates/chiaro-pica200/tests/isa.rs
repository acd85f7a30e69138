//! The instruction set against its laws and against picasso's encodings.

use chiaro_isa::{Cx, Word, laws};
use chiaro_pica200::isa::PICA200;
use chiaro_pica200::operand::{COMPAT, PICASSO, PLAIN};

#[test]
fn the_laws_hold() {
    assert_eq!(laws::of(&PICA200, 500), Vec::<String>::new());
}

#[test]
fn single_instructions_as_picasso_encodes_them() {
    let text = include_str!("vectors/enc_single.tsv");
    let cx = Cx { dialect: PICASSO, options: COMPAT, ..Cx::default() };
    let (mut rows, mut wrong) = (0, Vec::new());
    for line in text.lines().filter(|l| !l.starts_with('#')) {
        let mut columns = line.split('\t').skip(1);
        let (Some(text), Some(code), Some(descriptor)) = (columns.next(), columns.next(), columns.next())
        else {
            continue;
        };
        rows += 1;
        let descriptor = u32::from_str_radix(descriptor, 16).unwrap_or(0);
        let code = u32::from_str_radix(code.split(' ').next().unwrap_or(""), 16).unwrap();
        let expected = Word::from(u64::from(descriptor) << 32 | u64::from(code));
        match PICA200.parse(text, &cx) {
            Ok(parsed) if parsed.inst.word == expected => {}
            Ok(parsed) => wrong.push(format!("{text}: {:?}, expected {expected:?}", parsed.inst.word)),
            Err(e) => wrong.push(format!("{text}: {e}")),
        }
        let inst = PICA200.decode_word(&expected, 8).unwrap();
        for dialect in [PLAIN, PICASSO] {
            let cx = Cx { dialect, ..Cx::default() };
            let ours = PICA200.text(&inst, &cx).unwrap();
            let again = PICA200.parse(&ours, &cx).unwrap_or_else(|e| panic!("{ours}: {e}"));
            if again.inst.word != expected {
                wrong.push(format!("{text}: printed {ours}, which gives {:?}", again.inst.word));
            }
        }
    }
    assert!(rows > 0 && wrong.is_empty(), "{} of {rows}: {:#?}", wrong.len(), &wrong[..wrong.len().min(10)]);
}
