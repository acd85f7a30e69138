//! Small programs with what must come of them: `machine/cases.txt`.

use std::sync::Arc;

use chiaro_utgard::asm::instruction;
use chiaro_utgard::machine::{Config, Machine, Program};

/// A case: its name and its lines.
fn cases() -> Vec<(&'static str, Vec<&'static str>)> {
    let all = include_str!("machine/cases.txt").split("\n== ").skip(1);
    all.map(|case| {
        let (name, lines) = case.split_once('\n').expect("a case has lines");
        (name, lines.lines().filter(|line| !line.is_empty()).collect())
    })
    .collect()
}

fn numbers(text: &str) -> [f32; 4] {
    let all: Vec<f32> = text.split_whitespace().map(|word| word.parse().expect("a number")).collect();
    all.try_into().expect("four numbers")
}

/// A line `a3 1 2 3 4`: the number behind the prefix, and the values.
fn setting(line: &str, prefix: &str) -> Option<(usize, [f32; 4])> {
    let (place, values) = line.strip_prefix(prefix)?.split_once(' ')?;
    Some((place.trim_end_matches(']').parse().ok()?, numbers(values)))
}

#[test]
fn programs_do_what_the_cases_say() {
    for (name, lines) in cases() {
        let parse =
            |line: &&str| instruction::parse(line.trim()).unwrap_or_else(|e| panic!("{name}: {line}: {e}"));
        let words: Vec<_> = lines.iter().filter(|line| line.starts_with("    ")).map(parse).collect();
        let mut machine = Machine::new(Arc::new(Program::new(&words, &Config::default())));
        for line in &lines {
            if let Some((index, values)) = setting(line, "t[") {
                machine.set_uniform(index, values);
            } else if let Some((index, values)) = setting(line, "a") {
                machine.set_attribute(0, index as u32, values);
            }
        }
        machine.run(1);
        let faults: Vec<String> =
            machine.faults().iter().map(|f| format!("fault {} {}", f.instruction, f.kind)).collect();
        let wanted: Vec<&str> = lines.iter().copied().filter(|line| line.starts_with("fault ")).collect();
        assert_eq!(faults, wanted, "{name}");
        for line in &lines {
            if let Some((index, values)) = setting(line, "v") {
                assert_eq!(machine.output(0, index as u32), values, "{name}: {line}");
            } else if let Some(cycles) = line.strip_prefix("cycles ") {
                assert_eq!(machine.cycles(0).to_string(), cycles, "{name}");
            }
        }
    }
}

/// Lanes that branch and lanes that do not meet again, each with the cycles of its own way.
#[test]
fn divergent_vertices_have_cycles_of_their_own() {
    let lines = [
        "in0 a0; pass.mov in0.x; branch 3",
        "nop",
        "nop",
        "in0 a0; pass.mov in0.y; branch 5",
        "nop",
        "in0 a0; pass.mov in0.z; out0 v1 = pass, -",
    ];
    let words: Vec<_> = lines.iter().map(|line| instruction::parse(line).expect("an instruction")).collect();
    let program = Arc::new(Program::new(&words, &Config::default()));
    let ways = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]];
    let alone = ways.map(|[x, y]| {
        let mut machine = Machine::new(Arc::clone(&program));
        machine.set_attribute(0, 0, [x, y, 5.0, 0.0]);
        machine.run(1);
        machine.cycles(0)
    });
    assert_eq!(alone, [6, 7, 6, 7]);
    let mut machine = Machine::new(program);
    for (lane, [x, y]) in ways.into_iter().enumerate() {
        machine.set_attribute(lane, 0, [x, y, 5.0, 0.0]);
    }
    machine.run(4);
    assert_eq!([0, 1, 2, 3].map(|lane| machine.cycles(lane)), alone);
    assert!(machine.faults().is_empty(), "{:?}", machine.faults());
}
