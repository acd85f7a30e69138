//! Code that breaks a rule which no text can break: each kind of damage to right code is named.

use chiaro_mach::toy::{self, MACHINES};
use chiaro_mach::{Block, Code, Inst, Operand, RegFile, Value, What, verify};

const FILES: &[RegFile] = &MACHINES[0];

const RIGHT: &str = "function right
b0: to b1 b2
    v0:v.2/2, v1:s = start
    branch v1, b1, b2 writes control
b1: from b0, to b2
    v2:v.2/2 = mix v0 ~0, v1
b2: from b0 b1
    v3:v.2/2 = phi v0, v2
    return v3 writes control
";

/// What is broken behind some damage, which is told the instructions in their order.
fn broken(damage: Damage) -> Vec<String> {
    let mut code = toy::read(RIGHT, FILES).unwrap_or_else(|error| panic!("{error}"));
    let insts: Vec<Inst> = code.blocks().flat_map(|block| code.insts(block).to_vec()).collect();
    damage(&mut code, &insts);
    verify(&code, FILES).err().into_iter().flatten().map(|found| found.to_string()).collect()
}

/// What is done to code so that it is wrong.
type Damage = fn(&mut Code, &[Inst]);

/// Has an instruction define a new value instead.
fn define(code: &mut Code, inst: Inst, size: u16, align: u8) {
    let value = code.value(code.defs(inst)[0].file, size, align);
    code.defs_mut(inst)[0] = Operand { align: 1, ..code.operand(value) };
}

#[test]
fn damage_is_named() {
    assert_eq!(broken(|_, _| {}), [""; 0]);
    let all: [(&str, Damage); 13] = [
        ("v0 is defined twice", |code, insts| code.defs_mut(insts[2])[0] = code.defs(insts[0])[0]),
        ("alignment is no power of two", |code, insts| code.uses_mut(insts[2])[1].align = 3),
        ("v2 is defined in part", |code, insts| code.defs_mut(insts[2])[0].offset = 1),
        ("use 0 does not fit what it is tied to", |code, insts| code.uses_mut(insts[2])[0].size = 1),
        ("phi takes something out of the middle", |code, insts| code.uses_mut(insts[3])[0].offset = 1),
        ("reads beyond the end of v1", |code, insts| code.uses_mut(insts[2])[1].size = 2),
        ("is beyond the end of file", |code, insts| code.defs_mut(insts[2])[0].reg = Some(1 << 10)),
        ("is not where it has to be", |code, insts| {
            let def = &mut code.defs_mut(insts[0])[0];
            (def.fixed, def.reg) = (Some(2), Some(4));
        }),
        ("names no value", |code, insts| {
            let next = Value(code.value_count() as u32);
            code.defs_mut(insts[2])[0].what = What::Value(next);
        }),
        ("v4 has no size or no alignment", |code, insts| define(code, insts[2], 0, 1)),
        ("v4 has no size or no alignment", |code, insts| define(code, insts[2], 2, 0)),
        ("edge to b2 is not known there", |code, _| code.block_mut(Block(1)).linear.succs.push(Block(2))),
        ("edge to b3 is not known there", |code, _| {
            let next = Block(code.block_count() as u32);
            code.block_mut(Block(0)).linear.succs.push(next);
        }),
    ];
    for (message, damage) in all {
        let found = broken(damage);
        assert!(found.iter().any(|found| found.contains(message)), "{message}: {found:?}");
    }
}

/// Nothing stands behind the exit of a block, and what is done twice is done in the same way.
#[test]
fn order_and_repetition_are_checked() {
    let broken = |text: &str| {
        let code = toy::read(text, FILES).unwrap_or_else(|error| panic!("{error}\n{text}"));
        verify(&code, FILES).err().map_or(String::new(), |found| found[0].to_string())
    };
    let behind = "function behind
b0:
    v0:s = start
    return v0 writes control
    store v0 reads exec writes global
";
    assert!(broken(behind).contains("stands behind the block's exit"), "{}", broken(behind));
    let twice = |first: &str, second: &str| {
        broken(&format!(
            "function twice\nb0:\n    v0:s = start\n    v1:s.2 = {first}\n    v1 = {second}\n    return v1 writes control\n"
        ))
    };
    assert_eq!(twice("number 1 remat", "number 1 remat"), "");
    for (first, second) in [
        ("number 1 remat", "number 1"),
        ("number 1", "number 1 remat"),
        ("number 1", "number 1"),
        ("number 1 remat", "number 2 remat"),
        ("number 1 remat", "mix_wave v0, 1 remat"),
    ] {
        let told = twice(first, second);
        assert!(told.contains("v1 is defined twice"), "{first}, {second}: {told}");
    }
}
