//! Statements of early public documents that turned out otherwise, each with a test that shows
//! ours. The README lists them by the same numbers.

use std::sync::Arc;

use chiaro_utgard::asm::instruction;
use chiaro_utgard::check::{Options, check};
use chiaro_utgard::isa::word::{self, Word};
use chiaro_utgard::machine::{Config, Machine, Program};
use chiaro_utgard::{compile, regs};

/// A statement, what holds instead, and whether it does here.
struct Erratum {
    id: &'static str,
    said: &'static str,
    holds: fn() -> bool,
}

const ERRATA: [Erratum; 11] = [
    Erratum { id: "E1", said: "select is B ? A : C", holds: select_takes_c_where_b_is_true },
    Erratum { id: "E2", said: "pass opcodes 4 and 5 are unknown", holds: pass_4_and_5_are_known },
    Erratum { id: "E3", said: "one register is loaded and stored per instruction", holds: two_registers },
    Erratum { id: "E4", said: "selector 8 is unused, the same as 21", holds: selector_8_is_not_known },
    Erratum { id: "E5", said: "complex 10 sets addr0 and addr1", holds: nobody_uses_addr01 },
    Erratum { id: "E6", said: "load offset 0 is address register 0", holds: offset_0_is_not_known },
    Erratum { id: "E7", said: "1/w is kept within 1e10", holds: reciprocals_stop_at_32768 },
    Erratum { id: "E8", said: "a branch target has a bit 9, inverted", holds: targets_have_nine_bits },
    Erratum { id: "E9", said: "76 vec4 of uniforms", holds: uniform_memory_has_304_vec4 },
    Erratum { id: "E10", said: "the second half's varying has one bit", holds: varyings_have_four_bits },
    Erratum { id: "E11", said: "select can negate its result", holds: select_negates_nothing },
];

#[test]
fn what_early_documents_said_otherwise_holds_here() {
    let readme = include_str!("../README.md");
    for Erratum { id, said, holds } in ERRATA {
        assert!(holds(), "{id}: {said}");
        assert!(readme.contains(&format!("| {id} |")), "the README lacks {id}: {said}");
    }
    let listed = readme.lines().filter(|line| line.starts_with("| E")).count();
    assert_eq!(listed, ERRATA.len(), "the README lists errata without a test");
}

fn words(lines: &[&str]) -> Vec<Word> {
    lines.iter().map(|line| instruction::parse(line).expect(line)).collect()
}

/// Output 1 of a program that is given attribute 0, unless it does what nobody defines.
fn run(lines: &[&str], attribute: [f32; 4]) -> Option<[f32; 4]> {
    let mut machine = Machine::new(Arc::new(Program::new(&words(lines), &Config::default())));
    machine.set_attribute(0, 0, attribute);
    machine.run(1);
    machine.faults().is_empty().then(|| machine.output(0, 1))
}

/// Names of the rules that a program breaks.
fn broken(lines: &[&str]) -> Vec<&'static str> {
    check(&words(lines), &Options::default()).iter().map(|finding| finding.rule.id).collect()
}

fn select_takes_c_where_b_is_true() -> bool {
    let program = ["in0 a0; select in0.y ? in0.z : in0.x; out0 v1 = mul0, -"];
    let chosen = |condition| run(&program, [1.0, condition, 3.0, 0.0]).map(|output| output[0]);
    (chosen(1.0), chosen(0.0)) == (Some(3.0), Some(1.0))
}

fn pass_4_and_5_are_known() -> bool {
    let opcode = |line| words(&[line])[0].get(word::PASS_OP);
    (opcode("in0 a0; pass.preexp2 in0.x"), opcode("in0 a0; pass.postlog2 in0.x")) == (4, 5)
}

/// Two are loaded through both ports, and each half stores its own.
fn two_registers() -> bool {
    let both = "in0 $2; in1 $3; pass.mov in0.x; add0.add in1.z, -zero; out0 v1 = pass, -; out1 v1 = add0, -";
    let stored = "in0 a0; pass.mov in0.x; add0.add in0.y, -zero; out0 $2 = pass, -; out1 $3 = add0, -";
    let program = [stored, "nop", "nop", both];
    broken(&program).is_empty() && run(&program, [5.0, 6.0, 0.0, 0.0]) == Some([5.0, 0.0, 6.0, 0.0])
}

fn selector_8_is_not_known() -> bool {
    broken(&["pass.mov unknown0"]).contains(&"unknown-encoding")
}

/// One document says so, nobody has tried: it is decoded, and running it is reported.
fn nobody_uses_addr01() -> bool {
    run(&["in0 a0; pass.mov in0.x", "complex.addr01 ^pass"], [0.0; 4]).is_none()
}

fn offset_0_is_not_known() -> bool {
    broken(&["in2 t[3+unknown0]; pass.mov in2.x"]).contains(&"unknown-encoding")
}

fn reciprocals_stop_at_32768() -> bool {
    compile::Options::default().reciprocal_limit == 32768.0
}

fn targets_have_nine_bits() -> bool {
    let parts = |target: u32| {
        let word = words(&[&format!("in0 a0; pass.mov in0.x; branch {target}")])[0];
        (word.get(word::TARGET_LOW), word.get(word::TARGET))
    };
    [255, 256, 511].map(parts) == [(1, 255), (0, 0), (0, 255)]
}

fn uniform_memory_has_304_vec4() -> bool {
    let load = |row| broken(&[&format!("in2 t[{row}]; pass.mov in2.x")]);
    regs::UNIFORMS == 304 && load(303).is_empty() && load(304) == ["uniform-range"]
}

fn varyings_have_four_bits() -> bool {
    let word = words(&["in0 a0; pass.mov in0.x; out1 v15 = pass, -"])[0];
    (word.0 >> 95 & 15, word.get(word::STORE1_VARYING)) == (15, 1)
}

fn select_negates_nothing() -> bool {
    broken(&["in0 a0; select -in0.y ? in0.z : in0.x; out0 v1 = mul0, -"]) == ["select-fields"]
}
