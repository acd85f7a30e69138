//! The text of code: what is printed is read back as the same code, and prints the same again.

use chiaro_mach::toy::{self, MACHINES, Shape, generate};
use chiaro_mach::{Code, Operand, allocate, lower_copies};

/// Everything of a function but the numbers of its instructions.
fn shape_of(code: &Code) -> Vec<String> {
    let mut rows = vec![code.name.clone()];
    for block in code.blocks() {
        let data = code.block_data(block);
        rows.push(format!("{:?} {:?} {} {}", data.logical, data.linear, data.depth, data.construct));
        for &inst in code.insts(block) {
            let data = code.inst(inst);
            let values = code.operands(inst).iter().filter_map(Operand::value).map(|v| code.value_data(v));
            rows.push(format!(
                "{:?} {:x} {:?} {:?} {:?} {:?} {:?}",
                data.op,
                data.modifiers,
                data.effects,
                code.defs(inst),
                code.uses(inst),
                code.clobbered(inst),
                values.collect::<Vec<_>>(),
            ));
        }
    }
    rows
}

fn check(code: &Code, machine: usize) {
    let files = &MACHINES[machine];
    let text = toy::text(code, files);
    let again = toy::read(&text, files).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(toy::text(&again, files), text);
    assert_eq!(shape_of(&again), shape_of(code), "{text}");
}

#[test]
fn text_and_code_are_inverse() {
    for seed in 0..300 {
        let shape = Shape { insts: 20 + seed as usize % 60, depth: 3, alive: 4 + seed as usize % 20 };
        let (machine, mut code) = (seed as usize % MACHINES.len(), generate(seed, shape));
        check(&code, machine);
        if allocate(&mut code, &MACHINES[machine]).is_ok() {
            check(&code, machine);
            lower_copies(&mut code, &MACHINES[machine]).unwrap();
            check(&code, machine);
        }
    }
}

#[test]
fn every_part_of_an_operand_is_read_back() {
    let text = "function all of it
value v7:m.4/4
b0: to b1, linear to b1 b2, depth 2, construct 9
    v0:s, v1:v.2/2@v4..6 early, @v9 = mix#1f v7[1..3].yx /2, 18446744073709551615, @s3..5 reads exec writes global control kills v0..12 s0..6
    v7@v0..4 = start
    v2:v.3 !v4 = sum v1@m2..4, undef:v.2, l[7], v7 ~1 late #c0, fn3, b1, 5:v.2, :v.2 writes target4
b1: from b0, to b1
b2: linear from b0
";
    let files = &MACHINES[0];
    let code = toy::read(text, files).unwrap();
    assert_eq!(toy::text(&code, files), text);
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    let errors = [
        ("    mix", "1:5: an instruction stands in front of the first block"),
        ("b0:\n    frob v0", "2:5: no operation of this target has this name"),
        ("b0:\n    mix v0", "2:9: nothing tells what this value is"),
        ("b0:\n    v0:q = mix", "2:8: no register file has this name"),
        ("b0:\n    v0:s = mix\n    v0:s = mix", "3:5: the text has told already what this value is"),
        ("b0:\n    v0:s.2/3 = mix", "2:12: an alignment is a power of two"),
        ("b0:\n    v9999999:s = mix", "2:5: values are numbered below 1048576"),
        ("b1:", "1:1: blocks stand in the order of their numbers, from 0"),
        ("b0: to b7", "1:8: there is no b7: blocks end at 1"),
        ("b0:\n    jump b3 writes control", "2:10: there is no b3: blocks end at 1"),
        ("b0:\n    mix 5 5", "2:11: expected a comma, a constraint, reads, writes or kills"),
        ("b0:\n    mix @v4..2", "2:14: the place is not as large as the operand"),
        ("b0:\n    mix reads moon", "2:15: no space of effects has this name"),
    ];
    for (text, message) in errors {
        let error = toy::read(text, &MACHINES[0]).map_err(|error| error.to_string());
        assert_eq!(error.err().as_deref(), Some(message), "{text}");
    }
}

/// Files that a machine has no name for are written by their numbers, of which there are 256.
#[test]
fn files_without_a_name_are_numbers() {
    let files = &MACHINES[0][..2];
    for number in [2, 255] {
        let text = format!("function numbers\nb0:\n    v0:f{number}_ = mix\n    return v0 writes control\n");
        let code = toy::read(&text, files).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(toy::text(&code, files), text);
    }
    let error = toy::read("b0:\n    v0:f256_ = mix", files).map_err(|error| error.to_string());
    assert_eq!(error.err().as_deref(), Some("2:8: no register file has this name"));
}
