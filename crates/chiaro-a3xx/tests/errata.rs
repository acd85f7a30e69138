//! What early documents say and what is so: one test for each line of the README's table.

use chiaro_a3xx::asm::{self, Options};
use chiaro_a3xx::check::check;
use chiaro_a3xx::listing::{self, Style};
use chiaro_a3xx::operand::PGMDUMP_2013;
use chiaro_isa::Out;

fn word(text: &str) -> u64 {
    asm::instruction(text, Options::default()).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn text(word: u64) -> String {
    let mut out = Out::default();
    listing::line(word, Style { compat: true, ..Style::default() }, &mut out);
    out.as_str().to_owned()
}

/// The rules that lines between bars break.
fn broken(program: &str) -> Vec<&'static str> {
    let words: Vec<u64> = program.split(" | ").map(word).collect();
    check(&asm::padded(&words), 0, None).iter().map(|f| f.rule.id).collect()
}

#[test]
fn mova_has_types_s16() {
    assert_eq!(word("mova a0.x, hr0.x"), 0x2011_00f4_0000_0000);
    assert_eq!(word("mov.s16s16 a0.x, hr0.x"), word("mova a0.x, hr0.x"));
    assert_ne!(text(0x2000_00f4_0000_0000), "mova a0.x, hr0.x");
}

#[test]
fn relative_addressing_is_a_bit_of_each_source() {
    let both = text(word("add.f r0.x, r<a0.x + 4>, r1.x"));
    assert_eq!(both, "add.f r0.x, r<a0.x + 4>, r1.x");
    let released = "mova a0.x, hr0.x | (rpt5)nop | (ul)mov.f32f32 r0.x, c<a0.x + 4> | mova a0.x, hr0.y | end";
    assert_eq!(broken(released), [""; 0]);
    assert_eq!(broken(&released.replace("(ul)", "")), ["address"]);
}

#[test]
fn six_slots_after_mova() {
    let after = |nop: &str| format!("mova a0.x, hr0.x | {nop} | (ul)mov.f32f32 r0.x, c<a0.x + 4> | end");
    assert_eq!(broken(&after("(rpt5)nop")), [""; 0]);
    assert_eq!(broken(&after("(rpt4)nop")), ["delay"]);
}

#[test]
fn three_slots_for_the_alu_and_six_for_the_rest() {
    assert_eq!(broken("mov.f32f32 r0.x, c0.x | (rpt2)nop | add.f r1.x, r0.x, r2.x | end"), [""; 0]);
    assert_eq!(broken("mov.f32f32 r0.x, c0.x | (rpt2)nop | rcp r1.x, r0.x | (ss)end"), ["delay"]);
    assert_eq!(broken("mov.f32f32 r0.x, c0.x | (rpt5)nop | rcp r1.x, r0.x | (ss)end"), [""; 0]);
}

#[test]
fn the_third_source_of_mad_is_read_two_slots_later() {
    let third =
        |op: &str, nop: &str| format!("mul.f r0.x, r1.x, r2.x | {nop} | {op} r3.x, r1.x, r2.x, r0.x | end");
    assert_eq!(broken(&third("mad.f32", "nop")), [""; 0]);
    assert_eq!(broken(&third("sel.b32", "nop")), ["delay"]);
    assert_eq!(broken(&third("sel.b32", "(rpt2)nop")), [""; 0]);
}

#[test]
fn selections_ask_for_not_zero_or_at_least_zero() {
    let isa = chiaro_a3xx::isa::a3xx();
    let doc = |name: &str| isa.set.rows().find(|row| row.name == name).map(|row| row.doc.trim());
    assert_eq!(doc("sel.b32"), Some("The first where the second is not zero, else the third."));
    assert_eq!(doc("sel.f32"), Some("The first where the second is at least zero, else the third."));
    assert_eq!(doc("sel.s32"), Some("The first where the second is not negative, else the third."));
}

#[test]
fn overwriting_needs_flags_too() {
    assert_eq!(broken("rcp r0.x, r1.x | mov.f32f32 r0.x, c0.x | end"), ["ss"]);
    assert_eq!(broken("rcp r0.x, r1.x | mov.f32f32 r1.x, c0.x | (ss)end"), ["write-after-read"]);
}

#[test]
fn category_4_encodes_constants_but_nobody_uses_them() {
    assert_eq!(text(0x8010_0000_0000_1004), "rcp r0.x, c1.x");
    let refused = asm::instruction("rcp r0.x, c1.x", Options::default()).expect_err("no compiler writes it");
    assert_eq!(refused.to_string(), "a special function reads a register; copy the value first");
    assert!(asm::instruction("rcp r0.x, c1.x", Options { compat: true, ..Options::default() }).is_ok());
}

#[test]
fn cls_is_clz() {
    assert!(asm::instruction("cls.s r0.x, r1.x", Options::default()).is_err());
    assert_eq!(word("clz.s r0.x, r1.x") >> 53 & 63, 52);
}

#[test]
fn the_example_of_mad_f16_decodes_as_it_did() {
    assert_eq!(text(0x6302_0300_2000_8008), "(rpt3)mad.f16 hr0.x, hr2.x, (r)hr1.x, (r)hr0.x");
}

#[test]
fn the_third_bit_of_repeat_is_saturation() {
    let word = word("(sat)(rpt1)add.f r0.x, r1.x, r2.x");
    assert_eq!(word >> 40 & 7, 5);
    let mut out = Out::default();
    listing::line(word, Style { dialect: PGMDUMP_2013, ..Style::default() }, &mut out);
    assert_eq!(out.as_str(), "(rpt5)add.f r0.x, r1.x, r2.x");
}
