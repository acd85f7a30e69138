//! Command lists: what is written is read back, and leaves the registers as the container says.

use std::collections::BTreeMap;

use chiaro_pica200::container::commands::{Command, MAGIC, read, to_bytes, upload};
use chiaro_pica200::container::{Constant, ConstantValue, Dvle, Dvlp, Output, Shbin, Stage, pack_float24};
use chiaro_pica200::regs::gpu;

/// The GPU's registers after a list: all values that each got, in order.
type State = BTreeMap<u16, Vec<u32>>;

fn state(shbin: &Shbin) -> State {
    let bytes = to_bytes(&upload(shbin).expect("the registers hold it"));
    assert!(bytes.starts_with(&MAGIC) && bytes.len().is_multiple_of(8));
    let mut state = State::new();
    for command in read(&bytes).expect("our own list is read") {
        for (register, value) in command.writes() {
            assert!(gpu::name(register).is_some(), "{register:#x} is a register that has a name");
            state.entry(register).or_default().push(value);
        }
    }
    state
}

fn output(kind: u16, register: u16, mask: u16) -> Output {
    Output { kind, register, mask, unknown: 0 }
}

/// A program with nothing in it.
fn empty(stage: Stage) -> Dvle {
    Dvle {
        version: 0x1002,
        stage,
        merge: 0,
        entry: 0,
        end: 0,
        inputs: 0,
        outputs_used: 0,
        geometry: [0; 4],
        constants: Vec::new(),
        labels: Vec::new(),
        outputs: Vec::new(),
        uniforms: Vec::new(),
        symbols: Vec::new(),
    }
}

fn vertex() -> Dvle {
    Dvle {
        entry: 7,
        end: 300,
        inputs: 0b101,
        outputs: vec![output(0, 0, 15), output(3, 1, 3)],
        constants: vec![
            Constant::new(95, ConstantValue::Float([0x3f0000, 1, 2, 0xabcdef])),
            Constant::new(2, ConstantValue::Int([4, 3, 2, 1])),
            Constant::new(5, ConstantValue::Bool(true)),
        ],
        ..empty(Stage::Vertex)
    }
}

fn file(executables: Vec<Dvle>) -> Shbin {
    let program =
        Dvlp { code: (0..600).collect(), descriptors: (0..100).map(|n| [n, 0]).collect(), ..Dvlp::default() };
    Shbin::new(program, executables)
}

#[test]
fn a_vertex_program_is_loaded() {
    let state = state(&file(vec![vertex()]));
    let at = |register: u16| state[&register].as_slice();
    let unit = |offset: u16| at(gpu::VERTEX + offset);
    // The unit holds 512 words.
    assert_eq!(unit(gpu::CODETRANSFER_DATA), (0..512).collect::<Vec<_>>());
    assert_eq!(unit(gpu::CODETRANSFER_END), [1]);
    assert_eq!(unit(gpu::OPDESCS_DATA), (0..100).collect::<Vec<_>>());
    assert_eq!(unit(gpu::ENTRYPOINT), [0x7fff_0007]);
    assert_eq!(unit(gpu::BOOLUNIFORM), [0x7fff_0020]);
    assert_eq!(unit(gpu::INTUNIFORM + 2), [0x0102_0304]);
    assert_eq!(unit(gpu::FLOATUNIFORM_INDEX), [95]);
    assert_eq!(unit(gpu::FLOATUNIFORM_DATA), pack_float24([0x3f0000, 1, 2, 0xabcdef]));
    // v0 and v2 are read: three attributes, since the host gives attribute k to vk.
    assert_eq!(unit(gpu::INPUTBUFFER_CONFIG), [0xa000_0002]);
    assert_eq!(at(gpu::VSH_NUM_ATTR), [2]);
    assert_eq!(unit(gpu::OUTMAP_MASK), [3]);
    assert_eq!(at(gpu::SH_OUTMAP_TOTAL), [2]);
    assert_eq!(at(gpu::SH_OUTMAP_O), [0x0302_0100]);
    assert_eq!(at(gpu::SH_OUTMAP_O + 1), [0x1f1f_0d0c]);
    assert_eq!(at(gpu::SH_OUTATTR_MODE), [1]);
    assert_eq!(at(gpu::GEOSTAGE_CONFIG), [0]);
}

#[test]
fn a_geometry_program_is_loaded_beside_it() {
    let geometry = |mode: [u8; 4]| Dvle {
        entry: 400,
        inputs: 0b11,
        outputs: vec![output(0, 0, 15), output(2, 1, 15)],
        geometry: mode,
        ..empty(Stage::Geometry)
    };
    let of = |mode| state(&file(vec![vertex(), geometry(mode)]));
    let point = of([0, 0, 0, 0]);
    assert_eq!(point[&(gpu::GEOMETRY + gpu::CODETRANSFER_DATA)].len(), 600);
    assert_eq!(point[&(gpu::GEOMETRY + gpu::INPUTBUFFER_CONFIG)], [0x0800_0001]);
    assert_eq!(point[&gpu::GEOSTAGE_CONFIG], [2]);
    assert_eq!(point[&gpu::VSH_COM_MODE], [1]);
    assert_eq!(point[&(gpu::SH_OUTMAP_O + 1)], [0x0b0a_0908]);
    // Three vertices of two registers, from c8 on.
    let fixed = of([2, 8, 0, 3]);
    assert_eq!(fixed[&gpu::GSH_MISC0], [0x0108_1202]);
    assert_eq!(fixed[&(gpu::GEOMETRY + gpu::INPUTBUFFER_CONFIG)], [0x0800_0101]);
    let variable = of([1, 0, 3, 0]);
    assert_eq!((&variable[&gpu::GSH_MISC0], &variable[&gpu::GSH_MISC1]), (&vec![1], &vec![2]));
    assert_eq!(variable[&gpu::GEOSTAGE_CONFIG], [2, 1 << 31]);
}

#[test]
fn joined_output_maps_have_what_both_name_first() {
    let geometry =
        Dvle { merge: 1, outputs: vec![output(2, 0, 15), output(0, 1, 15)], ..empty(Stage::Geometry) };
    let state = state(&file(vec![vertex(), geometry]));
    let words: Vec<u32> = (0..4).map(|slot| state[&(gpu::SH_OUTMAP_O + slot)][0]).collect();
    assert_eq!(words, [0x0302_0100, 0x0b0a_0908, 0x1f1f_0d0c, 0x1f1f_1f1f]);
    assert_eq!(state[&gpu::SH_OUTMAP_TOTAL], [3]);
}

#[test]
fn what_the_registers_cannot_hold_is_told() {
    let crowded = Dvle { outputs: (0..8).map(|o| output(9, o, 15)).collect(), ..vertex() };
    assert_eq!(
        upload(&file(vec![crowded])).unwrap_err(),
        "the output map has 7 places, and there are 8 outputs"
    );
    assert_eq!(upload(&file(Vec::new())).unwrap_err(), "the file has no vertex program");
}

#[test]
fn commands_come_back_as_they_were() {
    let command = |values: Vec<u32>, consecutive| Command { register: 0x2cb, bytes: 5, consecutive, values };
    let list = vec![command(vec![1], false), command((0..256).collect(), true), command(vec![1, 2], false)];
    assert_eq!(read(&to_bytes(&list)), Ok(list));
    // The example of 3dbrew's page.
    let words = [0xaaaa_aaaau32, 0x802f_011c, 0xbbbb_bbbb, 0xcccc_cccc];
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let writes: Vec<(u16, u32)> = read(&bytes).unwrap()[0].writes().collect();
    assert_eq!(writes, [(0x11c, 0xaaaa_aaaa), (0x11d, 0xbbbb_bbbb), (0x11e, 0xcccc_cccc)]);
    assert_eq!(read(&bytes[..12]).unwrap_err(), "the command at byte 0x0 is cut off");
    assert_eq!(read(&bytes[..3]).unwrap_err(), "3 bytes are no whole number of words");
}
