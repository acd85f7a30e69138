//! The rules: binaries of a driver that works keep them, each kind of damage breaks one.

use chiaro_utgard::asm::instruction;
use chiaro_utgard::check::{ALL, Options, check, check_file};
use chiaro_utgard::container::{Chunk, Mbs, Symbol, Symbols, Table};
use chiaro_utgard::isa::word::Word;
use chiaro_utgard::listing::mesa;

use crate::common::{program, rows};

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
    // A temporary that a value of the program names: through an address register, and moved.
    (
        &[
            "in0 a0; complex.addr1 in0.x",
            "in0 a0; complex.addr0 in0.x; mul0 in0.y, one; out0 temp0 = mul0, -; .unknown=12",
            "nop",
            "nop",
            "in2 t[0+addr1]; mul0 in2.x, one",
        ],
        &["4 temporary-latency"],
    ),
    (
        &[
            "in0 a0; complex.addr1 in0.x",
            "in0 a0; complex.addr0 in0.x; mul0 in0.y, one; out0 temp0 = mul0, -; .unknown=12",
            "nop",
            "nop",
            "in2 t[0+addr1]; mul0 in2.y, one",
            "in2 t[0+addr1]; mul0 in2.x, one",
        ],
        &[],
    ),
    (
        &["in0 a0; mul0 in0.x, one; out0 v1 = mul0, -", "in0 a0; mul0 in0.y, one; out0 v1 = mul0, mul0"],
        &["1 output-repeated"],
    ),
    // One of two branches stores; the way around them does not.
    (
        &[
            "in0 a0; pass.mov in0.x; branch 3",
            "in0 a0; pass.mov in0.y; out0 v1 = pass, -",
            "in0 a0; pass.mov in0.x; branch 4",
            "in0 a0; pass.mov in0.z; out0 v1 = pass, -",
            "nop",
        ],
        &["3 output-repeated"],
    ),
    (
        &[
            "in0 a0; pass.mov in0.x; branch 2",
            "in0 a0; pass.mov in0.x; branch 3",
            "in0 a0; pass.mov in0.z; out0 v1 = pass, -",
            "nop",
        ],
        &[],
    ),
    // A branch on a uniform may be one that is always taken.
    (
        &[
            "in0 a0; in2 t[0]; pass.mov in2.x; mul0 in0.x, one; out0 v1 = mul0, -; branch 2",
            "in0 a0; pass.mov in0.x; out0 v1 = pass, -",
            "nop",
        ],
        &[],
    ),
    // A branch asks for what pass.mov gives: not for what another unit gives, nor for what pass computes.
    (&["branch 0"], &["0 branch-form"]),
    (&["in0 a0; pass.preexp2 in0.x; branch 0"], &["0 branch-form"]),
    // The operand of exp2 is a number for the units of that function alone.
    (&["in0 a0; pass.preexp2 in0.x", "mul0 ^pass, one"], &["1 raw-value"]),
    (&["in0 a0; pass.preexp2 in0.x", "in0 a0; mul0 in0.y, ^pass"], &["1 raw-value"]),
    (&["in0 a0; pass.preexp2 in0.x", "in0 a0; mul1 in0.y, ^pass"], &["1 raw-value"]),
    (&["in0 a0; pass.preexp2 in0.x", "complex.rcp ^pass"], &["1 raw-value"]),
    // What another unit computes in between sets no address, and one temporary is not another.
    (
        &[
            "in0 a0; complex.addr1 in0.x",
            "in0 a0; complex.addr0 in0.y; mul0 in0.y, one; out0 temp0 = mul0, -; .unknown=12",
            "nop",
            "nop",
            "in2 t[0+addr1]; mul0 in2.x, one",
        ],
        &[],
    ),
    (
        &[
            "in0 a0; complex.addr1 in0.x",
            "in0 a0; complex.addr0 in0.x; mul0 in0.y, one; out0 temp0 = mul0, -; .unknown=12",
            "in0 a0; complex.rcp in0.y",
            "nop",
            "in2 t[0+addr1]; mul0 in2.x, one",
        ],
        &["4 temporary-latency"],
    ),
    // What the first load has brought before can be read, where there is a before.
    (&["in0 a0; mul0 in0.x, one", "mul0 ^in0.x, one"], &[]),
    (&["mul0 ^in0.x, one"], &["0 bypass-before-start"]),
    // An operation of one operand does not look at the other.
    (&["in0 a0; add0.floor in0.x; .add0_b=24"], &[]),
    (&["in0 a0; add0.add in0.x, zero; .add0_b=24"], &["0 bypass-before-start"]),
    // A copy of an index is that index, a product is another.
    (
        &[
            "in0 a0; complex.addr1 in0.x; mul1 in0.x, one",
            "in0 a0; complex.addr0 ^mul1; mul0 in0.y, one; out0 temp0 = mul0, -; .unknown=12",
            "nop",
            "nop",
            "in2 t[0+addr1]; mul0 in2.x, one",
        ],
        &["4 temporary-latency"],
    ),
    (
        &[
            "in0 a0; complex.addr1 in0.x; mul1 in0.x, in0.y",
            "in0 a0; complex.addr0 ^mul1; mul0 in0.y, one; out0 temp0 = mul0, -; .unknown=12",
            "nop",
            "nop",
            "in2 t[0+addr1]; mul0 in2.x, one",
        ],
        &[],
    ),
    // What registers hold is not followed: they may name one temporary or two.
    (
        &[
            "in0 a0; mul0 in0.x, one; out0 $0 = mul0, -",
            "in0 a0; mul0 in0.y, one; out0 $1 = mul0, -",
            "nop",
            "nop",
            "in1 $0; complex.addr1 in1.x",
            "in0 a0; in1 $1; complex.addr0 in1.x; mul0 in0.y, one; out0 temp0 = mul0, -; .unknown=12",
            "nop",
            "nop",
            "in2 t[0+addr1]; mul0 in2.x, one",
        ],
        &[],
    ),
    // What is stored a second time is stored once more.
    (
        &[
            "in0 a0; mul0 in0.x, one; out0 v1 = mul0, -",
            "in0 a0; mul0 in0.x, one; out0 v1 = mul0, -",
            "in0 a0; mul0 in0.x, one; out0 v1 = mul0, -",
        ],
        &["1 output-repeated", "2 output-repeated"],
    ),
    // The last step of log2 gives what postlog2 alone can take.
    (
        &[
            "in0 a0; complex.log2 in0.x; complex2 in0.x, in0.x",
            "in0 a0; complex1 ^complex, ^mul0, ^complex, in0.x",
            "nop",
            "pass.postlog2 ^^mul0",
        ],
        &[],
    ),
    (
        &[
            "in0 a0; complex.log2 in0.x; complex2 in0.x, in0.x",
            "in0 a0; complex1 ^complex, ^mul0, ^complex, in0.x",
            "nop",
            "pass.postlog2 ^^mul0; mul0 ^^mul0, one",
        ],
        &["3 raw-value"],
    ),
    (
        &[
            "in0 a0; complex.log2 in0.x; complex2 in0.x, in0.x",
            "in0 a0; complex1 ^complex, ^mul0, ^complex, in0.x",
            "nop",
            "pass.mov ^^mul0",
        ],
        &["3 raw-value"],
    ),
    // Two steps take different arguments, whatever a register brings the third.
    (
        &[
            "in0 a0; mul0 in0.x, one; out0 $0 = mul0, -",
            "nop",
            "nop",
            "in0 a0; in1 $0; complex.rcp in0.x; complex2 in0.y, in0.y",
            "in0 a0; in1 $0; complex1 ^complex, ^mul0, ^complex, in1.x",
        ],
        &["4 function-argument"],
    ),
    (
        &[
            "in0 a0; mul0 in0.x, one; out0 $0 = mul0, -",
            "nop",
            "nop",
            "in0 a0; in1 $0; complex.rcp in1.x; complex2 in0.y, in0.y",
            "in0 a0; in1 $0; complex1 ^complex, ^mul0, ^complex, in0.x",
        ],
        &["4 function-argument"],
    ),
    // A constant may be what the attribute holds, and is not the result of the step before.
    (
        &[
            "in0 a0; complex.rcp in0.x; complex2 in0.x, in0.x",
            "in0 a0; complex1 ^complex, ^mul0, ^complex, one",
            "nop",
            "add0.add ^^mul0, -zero",
        ],
        &[],
    ),
    // Another operation than addr0 names no temporary.
    (
        &[
            "in0 a0; complex.addr1 in0.x",
            "in0 a0; complex.rcp in0.x; mul0 in0.y, one; out0 temp0 = mul0, -; .unknown=12",
            "nop",
            "nop",
            "in2 t[0+addr1]; mul0 in2.x, one",
        ],
        &["1 temporary-store"],
    ),
    // Of two writes the last one is what is read too early.
    (
        &[
            "in0 a0; mul0 in0.x, one; out0 $0 = mul0, -",
            "in0 a0; mul0 in0.x, one; out0 $0 = mul0, -",
            "in1 $0; mul0 in1.x, one",
        ],
        &["2 register-latency"],
    ),
    // complex2's result is for complex1 alone; another operation is no place for it, whichever operand it is.
    (&["in0 a0; complex.rcp in0.x; complex2 in0.x, in0.x", "in0 a0; mul0 in0.x, ^mul0"], &["1 raw-value"]),
    (&["in0 a0; complex.rcp in0.x; complex2 in0.x, in0.y"], &["0 function-pattern"]),
    (&["in0 a0; complex.exp2 in0.x"], &["0 function-pattern"]),
    // What nobody knows is told once, and not again where its result is read.
    (&["in0 a0; complex.op1 in0.x", "mul0 ^complex, one"], &["0 unknown-encoding"]),
    (&["in0 a0; pass.op3 in0.x"], &["0 unknown-encoding"]),
    // A wide operation reads the operands of both multipliers; one that is idle reads nothing.
    (&["in0 a0; select ^add0 ? in0.y : in0.z"], &["0 bypass-before-start"]),
    (&["in0 a0; select in0.x ? ^add0 : in0.z"], &["0 bypass-before-start"]),
    (&["in0 a0; select in0.x ? in0.y : ^add0"], &["0 bypass-before-start"]),
    (&["in0 a0; add0.add in0.x, -zero; .mul0_a=16"], &[]),
    // clamp takes its limits from what is loaded, which mov does not look at.
    (&["in0 a0; in2 t[304]; pass.clamp in0.x"], &["0 uniform-range"]),
    (&["in0 a0; in2 t[304]; pass.mov in0.x"], &[]),
    // A loop stores in every round.
    (
        &["in0 a0; pass.mov in0.y; out0 v1 = pass, -", "in0 a0; pass.mov in0.x; branch 0"],
        &["0 output-repeated"],
    ),
];

#[test]
fn a_program_is_not_too_long() {
    let nops = |count| vec![instruction::parse("nop").expect("an instruction"); count];
    let found = |count| check(&nops(count), &Options::default()).first().map(|found| found.rule.id);
    assert_eq!([found(512), found(513)], [None, Some("too-long")]);
}

/// What a unit does to an index that is in0.x, with the name of its result, and whether that is a copy.
const COPIES: &[(&str, &str, bool)] = &[
    ("mul0 in0.x, one", "mul0", true),
    ("mul0 in0.x, in0.y", "mul0", false),
    ("mul0 -in0.x, one", "mul0", false),
    ("mul1 in0.x, one", "mul1", true),
    ("mul1 -in0.x, one", "mul1", false),
    ("add0.add in0.x, -zero", "add0", true),
    ("add0.add -in0.x, -zero", "add0", false),
    ("add0.add in0.x, zero", "add0", false),
    ("add0.add in0.x, -in0.y", "add0", false),
    ("add0.ge in0.x, -zero", "add0", false),
    ("add1.add in0.x, -zero", "add1", true),
    ("add1.add -in0.x, -zero", "add1", false),
    ("add1.add in0.x, zero", "add1", false),
    ("add1.add in0.x, -in0.y", "add1", false),
    ("pass.mov in0.x", "pass", true),
    ("pass.clamp in0.x", "pass", false),
    ("complex.mov in0.x", "complex", true),
    ("complex.rcp in0.x", "complex", false),
];

/// A store and a load name the same temporary where a copy of the index goes to one of them.
#[test]
fn copies_of_an_index_are_that_index() {
    for (unit, result, is_copy) in COPIES {
        let lines = [
            &format!("in0 a0; {unit}"),
            &format!("in0 a0; complex.addr1 in0.x; mul1 ^{result}, one"),
            "in0 a0; complex.addr0 ^mul1; mul0 in0.y, one; out0 temp0 = mul0, -; .unknown=12",
            "nop",
            "nop",
            "in2 t[0+addr1]; mul0 in2.x, one",
        ];
        let parse = |line: &str| instruction::parse(line).unwrap_or_else(|e| panic!("{line}: {e}"));
        let found = check(&lines.map(parse), &Options::default());
        let found = found.iter().any(|finding| finding.rule.id == "temporary-latency");
        assert_eq!(found, *is_copy, "{unit}");
    }
}

/// What is found in a program that stores temporaries `t[7]` and, by the sum of an index and a constant, `t[4 + index]`, and
/// loads `load` and then the second. Constants of the file are `first`, 4, 1 and 0.
fn found_with_constants(load: &str, first: f32, [sum, result]: [&str; 2]) -> Vec<String> {
    let lines = [
        "in2 t[9]; complex.addr0 in2.x; mul0 in2.z, one; out0 temp0 = mul0, -; .unknown=12",
        &format!("in0 a0; in2 t[9]; complex.addr1 in0.x; {sum}"),
        &format!("in2 t[9]; complex.addr0 ^{result}; mul0 in2.z, one; out0 temp0 = -, mul0; .unknown=12"),
        load,
        "nop",
        "in2 t[4+addr1]; mul0 in2.y, in2.x",
    ];
    found_in_file(&lines, [first, 4.0, 1.0, 0.0])
}

/// What is found in a file whose program has constants in `t[9]`.
fn found_in_file(lines: &[&str], constants: [f32; 4]) -> Vec<String> {
    let parse = |line: &&str| instruction::parse(line).unwrap_or_else(|e| panic!("{line}: {e}"));
    let mut file = Mbs::of_code(&lines.iter().map(parse).collect::<Vec<_>>());
    let init = Some(constants.map(f32::to_bits).to_vec());
    let list = vec![Symbol { name: "c".into(), components: 4, offset: 36, init, ..Symbol::default() }];
    file.chunks.insert(0, Chunk::Symbols(Symbols { table: Table::Uniforms, size: 40, list }));
    let all = check_file(&file, &Options::default());
    all.iter().map(|f| format!("{} {}: {}", f.at.expect("an instruction"), f.rule.id, f.message)).collect()
}

/// A branch on a constant that is not 0 is a jump, on any other and on what the file does not say it is none: then what
/// it leads around stores a second time.
#[test]
fn branches_on_constants_are_jumps() {
    for (condition, is_jump) in
        [("t[9]; pass.mov in2.x", true), ("t[9]; pass.mov in2.y", false), ("t[8]; pass.mov in2.x", false)]
    {
        let lines = [
            &format!("in0 a0; in2 {condition}; mul0 in0.x, one; out0 v1 = mul0, -; branch 2"),
            "in0 a0; pass.mov in0.x; out0 v1 = pass, -",
            "nop",
        ];
        let found = found_in_file(&lines, [1.0, 0.0, 0.0, 0.0]);
        let again = found.iter().filter(|text| text.starts_with("1 output-repeated")).count();
        assert_eq!((found.len(), again == 0), (again, is_jump), "{condition}: {found:?}");
    }
}

/// Constants of a file say which temporary is stored: 7, and 4 more than an index. One that is no whole number says nothing.
#[test]
fn constants_name_temporaries() {
    const SUM: [&str; 2] = ["add0.add in0.x, in2.y", "add0"];
    let of = |load: &str, first: f32, sum: [&str; 2]| {
        let all = found_with_constants(load, first, sum);
        let named = |text: &String| text.split(": ").next().expect("a rule").to_owned();
        all.iter().map(named).collect::<Vec<_>>()
    };
    let seven = "in2 t[7]; mul0 in2.x, one";
    assert_eq!(of(seven, 7.5, SUM), ["5 temporary-latency"]);
    assert_eq!(of("in2 t[8]; mul0 in2.x, one", 7.0, SUM), ["5 temporary-latency"]);
    assert_eq!(of(seven, 7.0, SUM), ["3 temporary-latency", "5 temporary-latency"]);
    assert_eq!(
        of(seven, 7.0, ["add1.add in0.x, in2.y", "add1"]),
        ["3 temporary-latency", "5 temporary-latency"]
    );
    // What is no sum names another temporary, or one that is not known.
    for other in ["add0.add in0.x, -in2.y", "add0.add -in0.x, in2.y", "add0.ge in0.x, in2.y"] {
        assert_eq!(of(seven, 7.0, [other, "add0"]), ["3 temporary-latency"], "{other}");
    }
    let told = found_with_constants(seven, 7.0, SUM);
    assert!(told[0].contains("temporary t[7]") && told[1].contains("temporary t[4 + an index]"), "{told:?}");
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
