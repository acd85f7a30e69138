//! The rule that zero times infinity is zero: said where it is needed, and there alone.

use chiaro_pica200::container::{ConstantValue, UniformRegister};

use super::*;

/// What makes r3 of r10 and r4 of r11, of which nothing is known, and a product of them that can never be zero times infinity.
const SAFE: &[(&str, &str, &str)] = &[
    ("colours", CLAMPED, CLAMPED_TOO),
    ("one that is neither", "mov r3, r10", "mov r4, half"),
    ("the same with signs", "mov r3, r10", "mov r4, apart"),
    ("its negative", "mov r3, r10", "mov r4, -apart"),
    ("its parts", "mov r3, r10", "mov r4, apart.wzyx"),
    ("a number with itself", "mov r3, r10", "mov r4, r10"),
    ("a number with its negative", "mov r3, r10", "mov r4, -r10"),
    ("comparisons", "sge r3, r10, r11", "slt r4, r11, r10"),
    ("a comparison of a colour", "sge r3, r10, r11", CLAMPED_TOO),
    ("whole numbers of colours", CLAMPED, "max r4, zero, r11\n min r4, eight, r4\n flr r4, r4"),
    ("one and a colour with anything", "add r3, one, r9", "mov r4, r11"),
    ("its reciprocal", "add r2, one, r9\n rcp r2.x, r2.x\n mov r3, r2.x", "mov r4, r11"),
    ("its root's", "add r2, one, r9\n rsq r2.x, r2.x\n mov r3, r2.x", "mov r4, r11"),
    ("a power of a colour", "ex2 r2.x, r9.x\n mov r3, r2.x", "mov r4, r11"),
    ("the square of a colour and one", "mad r3, r9, r9, one", "mov r4, r11"),
    ("a product of colours", "dp4 r3, r9, r9", "dp3 r4, half, r9"),
    ("colours of another order", "min r3, one, r10\n max r3, zero, r3", CLAMPED_TOO),
    ("bounds from the other side", "mov r5, range\n max r3, r10, r5.x\n min r3, r3, r5.y", CLAMPED_TOO),
    ("one of two", "mov r3, r9\n cmp r10.x, eq, eq, r11.x\n ifc cmp.x\n mov r3, half\n .end", CLAMPED_TOO),
];

/// A negated number is one of its own in hw24, so that the rule stays though nothing needs it.
const STAYS: (&str, Mode) = ("a number with its negative", Mode::Hw24);

/// The same where it can be.
const UNSAFE: &[(&str, &str, &str)] = &[
    ("anything", "mov r3, r10", "mov r4, r11"),
    ("a colour with anything", CLAMPED, "mov r4, r11"),
    ("no upper bound", "max r3, zero, r10", CLAMPED_TOO),
    ("no lower bound", "min r3, one, r10", CLAMPED_TOO),
    ("zero with anything", "mov r3, r10", "mov r4, zero"),
    ("zero in one part", "mov r3, r10", "mov r4, range"),
    ("a comparison with anything", "sge r3, r10, r11", "mov r4, r11"),
    ("a reciprocal of what can be zero", "rcp r2.x, r9.x\n mov r3, r2.x", CLAMPED_TOO),
    ("its root's", "rsq r2.x, r9.x\n mov r3, r2.x", CLAMPED_TOO),
    ("a logarithm of what can be zero", "lg2 r2.x, r9.x\n mov r3, r2.x", CLAMPED_TOO),
    ("a power of anything", "ex2 r2.x, r10.x\n mov r3, r2.x", CLAMPED_TOO),
    ("a square", "mul r3, r10, r10", CLAMPED_TOO),
    ("a difference of colours with anything", "add r3, -one, r9", "mov r4, r11"),
    ("whole numbers of anything", "flr r3, r10", CLAMPED_TOO),
    ("parts in another order", "mov r3, r10", "mov r4, r10.yxzw"),
    ("one of two", "mov r3, r9\n cmp r10.x, eq, eq, r11.x\n ifc cmp.x\n mov r3, r10\n .end", CLAMPED_TOO),
    ("a loop's", "mov r3, r9\n for n\n add r3, r3, r3\n .end", CLAMPED_TOO),
    (
        "the sum of the largest",
        "max r3, -large, r10\n min r3, large, r3\n mul r3, r3, r3\n mul r3, r3, r3",
        CLAMPED_TOO,
    ),
];

const CLAMPED: &str = "max r3, zero, r10\n min r3, one, r3";
const CLAMPED_TOO: &str = "max r4, zero, r11\n min r4, one, r4";

/// The two as programs: one multiplies, the other one adds products up.
fn programs(first: &str, second: &str) -> [Shbin; 2] {
    ["mul r0, r3, r4", "dp4 r0, r3, r4"].map(|last| {
        assembled(&format!(
            ".constf range(0.0, 1.0, 0.5, -2.0)
            .constf apart(-0.5, 1.0, 8.0, -2.0)
            .constf large(1.0e19, 1.0e19, 1.0e19, 1.0e19)
            .ivec n
            .alias zero range.xxxx
            .alias one range.yyyy
            .alias half range.zzzz
            .alias eight apart.zzzz
            .out - position o0
            .proc main
                mov r10, v0
                mov r11, v1
                max r9, zero, v2
                min r9, one, r9
                {first}
                {second}
                {last}
                mov o0, r0
                end
            .end"
        ))
    })
}

/// Whether the last product of `main` goes through the function that has the rule.
fn has_rule(file: &Shbin, mode: Mode) -> bool {
    let config = Config { mode, ..Config::default() };
    let made = lift(&Source::of(file, 0).expect("one"), &Options::default(), &config).expect("a module");
    let text = chiaro_ir::print(&made.module);
    let main = text.split("fn @main").nth(1).and_then(|text| text.split("\nfn ").next()).expect("a function");
    let product = |line: &&str| ["product", "dot", "fmul", "total"].iter().any(|name| line.contains(name));
    let last = main.lines().rfind(product).unwrap_or_else(|| panic!("no product:\n{main}"));
    last.contains("call @product") || last.contains("call @dot")
}

#[test]
fn it_goes_where_bounds_prove_it() {
    for &(what, first, second) in SAFE {
        for (file, mode) in programs(first, second).iter().flat_map(|file| MODES.map(|mode| (file, mode))) {
            assert_eq!(has_rule(file, mode), (what, mode) == STAYS, "{what}, {mode:?}");
        }
    }
}

#[test]
fn it_stays_where_they_do_not() {
    for &(what, first, second) in UNSAFE {
        for (file, mode) in programs(first, second).iter().flat_map(|file| MODES.map(|mode| (file, mode))) {
            assert!(has_rule(file, mode), "{what}, {mode:?}");
        }
    }
}

/// With or without it, zeros, infinities and NaNs come out as the machine has them.
#[test]
fn the_results_are_the_machines() {
    for (seed, &(what, first, second)) in (0..).zip(SAFE.iter().chain(UNSAFE)) {
        for (file, mode) in programs(first, second).iter().flat_map(|file| MODES.map(|mode| (file, mode))) {
            for round in 0..4 {
                let data = Data::new(&mut Rng(seed + 1000 * round));
                compared_to_machine(file, mode, &data)
                    .unwrap_or_else(|why| panic!("{what}, {mode:?}: {why}"));
            }
        }
    }
}

fn compared_to_machine(file: &Shbin, mode: Mode, data: &Data) -> Result<(), String> {
    let (source, config) = (Source::of(file, 0).expect("one"), Config { mode, ..Config::default() });
    let mut machine = data.machine(&source, &config);
    for constant in &file.executables[0].constants {
        if let (Some(UniformRegister::Float(n)), Some(ConstantValue::Float(raw))) =
            (constant.target(), constant.value())
        {
            machine.set_float24(n, raw);
        }
    }
    machine.start(data.inputs.len());
    for (lane, row) in data.inputs.iter().enumerate() {
        (0..16).for_each(|n| machine.set_input(lane, n, row[usize::from(n)]));
    }
    machine.execute();
    let lifted = lift(&source, &Options::default(), &config).map_err(|error| error.to_string())?;
    verified(&lifted.module)?;
    for module in [&lifted.module, &through_spirv(&lifted.module)?] {
        let outputs = interpreted(module, (data, data.block()));
        for (lane, found) in outputs.iter().flat_map(|(_, lanes)| lanes.iter().enumerate()) {
            let expected = machine.register(lane, Register::Output(0));
            let place = tolerance(&source, mode);
            if !found.iter().zip(&expected).all(|(a, b)| is_same(*a, *b, place)) {
                return Err(format!("{lane}: {found:x?} for {expected:x?}\n{}", chiaro_ir::print(module)));
            }
        }
    }
    Ok(())
}
