//! The rules: binaries of a driver that works keep them, each kind of damage breaks one.

mod common;

use chiaro_utgard::asm::instruction;
use chiaro_utgard::check::{ALL, Options, check};
use chiaro_utgard::isa::word::Word;
use chiaro_utgard::listing::mesa;

use common::{program, rows};

#[test]
fn what_mesa_compiles_keeps_every_rule() {
    for row in rows(include_str!("vectors/compiled.jsonl")) {
        let program = program(&row);
        assert_eq!(check(&program, &Options::default()), [], "{}", row["name"]);
        assert_eq!(Some(mesa::print(&program).as_str()), row["text"].as_str(), "{}", row["name"]);
    }
}

/// Programs with the rules that they break, in the manner of `instruction rule`.
const BROKEN: &[(&[&str], &[&str])] = &[
    (&["add0.add ^mul0, -zero"], &["0 bypass-before-start"]),
    (&["nop", "add0.add ^mul0, -zero"], &["1 idle-unit"]),
    (
        &["in0 a0; mul0 in0.x, one", "branch 0; pass.mov ^mul0", "add0.add ^^mul0, zero"],
        &["2 bypass-across-blocks"],
    ),
    (
        &[
            "in0 a0; complex.rcp in0.x; complex2 in0.x, in0.x",
            "in0 a0; complex1 ^complex, ^mul0, ^complex, in0.x",
            "add0.add ^mul0, -zero",
        ],
        &["2 complex1-distance"],
    ),
    (
        &[
            "in0 a0; complex.rcp in0.x; complex2 in0.x, in0.x",
            "in0 a0; complex1 ^complex, ^mul0, ^complex, in0.x",
            "nop",
            "add0.add ^^mul0, -zero",
        ],
        &[],
    ),
    (
        &[
            "in0 a0; complex.rcp in0.x; complex2 in0.x, in0.x",
            "in0 a0; complex1 ^complex, ^mul0, ^complex, in0.y",
        ],
        &["1 function-argument"],
    ),
    (&["in0 a0; complex.rcp in0.x; complex2 in0.x, in0.x", "mul0 ^complex, one"], &["1 raw-value"]),
    (
        &["in0 a0; mul0 in0.x, one; out0 $0 = mul0, -", "nop", "in1 $0; mul0 in1.x, one"],
        &["2 register-latency"],
    ),
    (&["in0 a0; mul0 in0.x, one; out0 $0 = mul0, -", "nop", "nop", "in1 $0; mul0 in1.x, one"], &[]),
    (&["in1 $3; mul0 in1.x, one"], &["0 register-undefined"]),
    (
        &["in0 a0; complex.addr1 in0.x", "nop", "nop", "in2 t[2+addr1]; mul0 in2.x, one"],
        &["3 address-latency"],
    ),
    (&["in2 t[2+addr1]; mul0 in2.x, one"], &["0 address-undefined"]),
    (&["in2 t[304]; mul0 in2.x, one"], &["0 uniform-range"]),
    (&["out0 v0 = mul0, -"], &["0 store-source"]),
    (&["in0 a0; pass.mov in0.x; branch 7"], &["0 branch-target"]),
    (&["in0 a0; pass.mov in0.x; branch 0 unknown 0"], &["0 branch-form"]),
    (&["in0 a0; mul0 in0.x, one; out0 temp0 = mul0, -"], &["0 temporary-store"]),
    (&["in0 a0; complex.addr0 in0.x; mul0 in0.x, one; out0 temp0 = mul0, -; .unknown=12"], &[]),
    (&["in0 a0; select -in0.x ? in0.y : in0.z"], &["0 select-fields"]),
    (&["in0 a0; mulop5 in0.x, in0.x, in0.x, in0.x"], &["0 unknown-encoding"]),
    (&["in0 a0; complex1 in0.x, in0.x, in0.x, in0.x"], &["0 function-pattern"]),
    (&["in0 a0; select in0.x ? in0.y : in0.z", "add0.add ^mul1, -zero"], &["1 wide-result"]),
    (&["in0 a0; complex.addr1 in0.x", "mul0 ^complex, one"], &["1 address-result"]),
];

#[test]
fn a_program_is_not_too_long() {
    let nops = |count| vec![instruction::parse("nop").expect("an instruction"); count];
    let found = |count| check(&nops(count), &Options::default()).first().map(|found| found.rule.id);
    assert_eq!([found(512), found(513)], [None, Some("too-long")]);
}

/// A rule without a program that breaks it could be lost without anybody seeing it.
#[test]
fn every_rule_has_a_wrong_program() {
    let broken = BROKEN.iter().flat_map(|(_, rules)| rules.iter()).filter_map(|text| text.split(' ').nth(1));
    let broken: Vec<&str> = broken.chain(["too-long"]).collect();
    let missing: Vec<&str> = ALL.iter().map(|rule| rule.id).filter(|id| !broken.contains(id)).collect();
    assert_eq!(missing, Vec::<&str>::new());
}

#[test]
fn damage_is_found() {
    for (lines, want) in BROKEN {
        let program: Vec<Word> = lines
            .iter()
            .map(|line| instruction::parse(line).unwrap_or_else(|e| panic!("{line}: {e}")))
            .collect();
        let found: Vec<String> = check(&program, &Options::default())
            .iter()
            .map(|finding| format!("{} {}", finding.at.expect("an instruction"), finding.rule.id))
            .collect();
        assert_eq!(found, *want, "{lines:?}");
    }
}
