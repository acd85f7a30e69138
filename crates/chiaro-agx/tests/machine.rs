//! The simulator: what programs compute beside the vectors, and the faults of those that are wrong.

use std::sync::Arc;

use chiaro_agx::asm::{self, Options};
use chiaro_agx::machine::{Config, FaultKind, Group, Launch, Program};
use chiaro_diag::SourceMap;
use chiaro_sim::mapped::{Mapped, Range};

const DATA: u64 = 0x10_0000;

/// Assembled code, run by a launch with data whose address is in u0_u1.
fn run(text: &str, launch: &Launch, config: &Config, data: &mut Vec<u8>) -> (Group, Vec<FaultKind>) {
    let mut sources = SourceMap::default();
    let file = sources.add("test", text);
    let (program, _) = asm::assemble(file, text, Options::default()).expect("it is legal");
    let program = Arc::new(Program::new(&program.bytes, 0, config));
    let mut group = Group::new(&program, config, launch, 256);
    group.enter(launch, [0; 3]);
    group.set_uniform(1, (DATA >> 16) as u16);
    let mut memory = Mapped::default();
    memory.map(Range { name: "data".to_owned(), base: DATA, bytes: std::mem::take(data) }).expect("alone");
    let outcome = group.run(&mut memory);
    *data = memory.named("data").expect("mapped").bytes.clone();
    (group, outcome.faults.into_iter().map(|fault| fault.kind).collect())
}

/// The faults of one SIMD-group.
fn faults(text: &str) -> Vec<FaultKind> {
    run(text, &Launch::default(), &Config { fuel: 1000, ..Config::default() }, &mut vec![7; 64]).1
}

fn words(data: &[u8]) -> Vec<u32> {
    chiaro_isa::dwords(data).collect()
}

#[test]
fn a_load_is_seen_behind_its_wait() {
    let load = "device_load 1, i32, x, r2, u0_u1, 0, signed\n";
    let late = format!("{load}wait 1\niadd r3, r2, 1\nstop\n");
    assert_eq!(faults(&late), []);
    let early = faults(&format!("{load}iadd r3, r2, 1\nwait 1\nstop\n"));
    assert_eq!(early, [FaultKind::TooEarly(4, 1)]);
    // The other slot is not the one; to overwrite is as wrong as to read.
    assert_eq!(faults(&format!("{load}wait 0\niadd r3, r2, 1\nstop\n")).len(), 1);
    assert_eq!(faults(&format!("{load}mov_imm r2l, 1\nwait 1\nstop\n")), [FaultKind::TooEarly(4, 1)]);
}

#[test]
fn what_is_wrong_is_told() {
    assert_eq!(faults("if_icmp r0l, ueq, 0, 0, 1\npop_exec r0l, 1\nstop\n"), [FaultKind::Counter]);
    assert_eq!(faults("mov_imm r0l, 0\nif_icmp r0l, ueq, 0, 0, 1\npop_exec r0l, 1\nstop\n"), []);
    assert_eq!(faults("trap\n"), [FaultKind::Trap]);
    assert_eq!(faults("mov_imm r0l, 0\n"), [FaultKind::Target(4)]);
    assert_eq!(faults("loop:\njmp_exec_any loop\n"), [FaultKind::Endless]);
    let outside = faults("device_load 0, i32, x, r2, u0_u1, 64, signed\nwait 0\nstop\n");
    assert_eq!(outside, [FaultKind::Address(DATA + 256)]);
    assert!(matches!(
        faults("threadgroup_load i32, x, r2, 0, 64\nstop\n")[..],
        [FaultKind::Shared(256, 256)]
    ));
    assert!(matches!(faults("stack_adjust 32000\nstop\n")[..], [FaultKind::Stack(128_000, _)]));
    assert!(matches!(&faults(".half ffff\n")[..], [FaultKind::Unknown(text)] if text == ".half ffff"));
    assert!(matches!(&faults("sample_mask 255, 255\n")[..], [FaultKind::NoPixels(_)]));
    // Lanes go to different places by one register.
    assert_eq!(faults("get_sr r1, sr52\nret r1\n"), [FaultKind::Divergent]);
}

#[test]
fn robust_programs_read_zero_outside() {
    let config = Config { soft_fault: true, ..Config::default() };
    let text = "mov_imm r2, 5, 0\ndevice_load 0, i32, x, r2, u0_u1, 64, signed\nwait 0\nstop\n";
    let (group, faults) = run(text, &Launch::default(), &config, &mut vec![0; 4]);
    assert_eq!(faults, []);
    assert_eq!(group.simdgroups[0].word(2).0[3], 0);
}

/// Each lane adds its number to one word; what it gets is what was there.
#[test]
fn atomics_follow_one_another() {
    let text = "get_sr r2, sr52\natomic add, 0, r3, u0_u1, 0, signed, r2, 1, 0, 1, 4, 2\nwait 0\nstop\n";
    let mut data = vec![0; 4];
    let (group, faults) = run(text, &Launch::default(), &Config::default(), &mut data);
    assert_eq!((faults, words(&data)), (vec![], vec![496]));
    assert_eq!(group.simdgroups[0].word(3).0[5], 10);
}

/// Threads of three SIMD-groups hand on through threadgroup memory, the last of which has lanes that
/// are not there.
#[test]
fn barriers_order_threadgroup_memory() {
    let text = "get_sr r2, sr51\nthreadgroup_store i16, x, r2l, 0, r2l\nthreadgroup_barrier\n\
                isub r3, 79, r2\nthreadgroup_load i16, x, r4l, 0, r3l\n\
                iadd r4, r4l, 0\ndevice_store 0, i32, x, r4, u0_u1, r2, signed, 0\nwait 0\nstop\n";
    let (launch, mut data) = (Launch { size: [80, 1, 1], groups: [1; 3] }, vec![0; 320]);
    let (_, faults) = run(text, &launch, &Config::default(), &mut data);
    assert_eq!(faults, []);
    assert_eq!(words(&data), (0..80).rev().collect::<Vec<u32>>());
}

#[test]
fn a_barrier_that_not_all_reach_is_a_fault() {
    let text = "get_sr r2, sr53\nmov_imm r0l, 0\nif_icmp r0l, ueq, r2, 0, 1\njmp_exec_none end\n\
                threadgroup_barrier\nend:\npop_exec r0l, 1\nstop\n";
    let launch = Launch { size: [64, 1, 1], groups: [1; 3] };
    let (_, faults) = run(text, &launch, &Config::default(), &mut vec![0; 4]);
    assert_eq!(faults, [FaultKind::Barrier(vec![0])]);
}

/// A call leaves the place behind it in r1, a frame of the stack keeps it over a call in the callee.
#[test]
fn calls_return_and_nest() {
    let text = "call outer\niadd r5, r5, 1\ndevice_store 0, i32, x, r5, u0_u1, 0, signed, 0\nstop\n\
                outer:\nstack_adjust 4\nstack_store i32, 1, 0, x, 4, r1, 0, 0\ncall inner\n\
                iadd r5, r5, 10\nstack_load r1, i32, 1, 0, x, 4, 0, 0\nwait 0\nstack_adjust -4\nret r1\n\
                inner:\nmov_imm r5, 100, 0\nret r1\n";
    let mut data = vec![0; 4];
    let (_, faults) = run(text, &Launch::default(), &Config::default(), &mut data);
    assert_eq!((faults, words(&data)), (vec![], vec![111]));
}

#[test]
fn a_preamble_writes_uniforms() {
    let text = "mov_imm r2, 70000, 0\nuniform_store 2, i16, xy, 0, r2l_r2h, 8\nstop\n";
    let (group, faults) = run(text, &Launch::default(), &Config::default(), &mut vec![0; 4]);
    assert_eq!(faults, []);
    assert_eq!([8, 9].map(|half| group.simdgroups[0].uniform(half)), [4464, 1]);
}

/// What the counter says after each step stands in a trace, with what is on its way.
#[test]
fn traces_show_mask_and_counter() {
    let text = "get_sr r2, sr52\nmov_imm r0l, 0\nif_icmp r0l, ult, r2, 4, 1\npop_exec r0l, 1\nstop\n";
    let mut sources = SourceMap::default();
    let file = sources.add("test", text);
    let (program, _) = asm::assemble(file, text, Options::default()).expect("it is legal");
    let program = Arc::new(Program::new(&program.bytes, 0, &Config::default()));
    let mut group = Group::new(&program, &Config::default(), &Launch::default(), 0);
    group.simdgroups[0].keep_trace(100);
    group.run(&mut Mapped::default());
    let steps = group.simdgroups[0].trace();
    let shown: Vec<(u32, u32)> = steps.iter().map(|step| (step.active, step.counters[9])).collect();
    assert_eq!(shown, [(u32::MAX, 0), (u32::MAX, 0), (u32::MAX, 0), (15, 1), (u32::MAX, 0)]);
}

/// A scan has what lanes below that run come to, of the SIMD-group or of the quad.
#[test]
fn scans_take_the_lanes_below() {
    let text = "get_sr r2, sr52\nsimd_prefix_iadd r3, r2\nquad_prefix_iadd r4, r2\nmov_imm r0l, 0\n\
                if_icmp r0l, ugt, r2, 3, 1\nsimd_prefix_iadd r5, r2\npop_exec r0l, 1\nstop\n";
    let (group, faults) = run(text, &Launch::default(), &Config::default(), &mut vec![0; 4]);
    assert_eq!(faults, []);
    let word = |register: u16, lane: usize| group.simdgroups[0].word(register).0[lane];
    assert_eq!([0, 5, 31].map(|lane| word(3, lane)), [0, 10, 465]);
    assert_eq!([4, 7, 30].map(|lane| word(4, lane)), [0, 15, 57]);
    assert_eq!([4, 6, 31].map(|lane| word(5, lane)), [0, 9, 459]);
}

/// A result that is on its way to some lanes is nothing to the others: they may use the register, and keep it.
#[test]
fn results_come_to_the_lanes_that_asked() {
    let text = "get_sr r2, sr52\nmov_imm r3, 0, 0\nmov_imm r0l, 0\nif_icmp r0l, ult, r2, 16, 1\n\
                device_load 1, i32, x, r3, u0_u1, 0, signed\nelse_exec r0l, 1\nmov_imm r3, 5, 0\n\
                pop_exec r0l, 1\nwait 1\nstop\n";
    let (group, faults) = run(text, &Launch::default(), &Config::default(), &mut vec![7; 4]);
    assert_eq!(faults, []);
    assert_eq!([15, 16].map(|lane| group.simdgroups[0].word(3).0[lane]), [0x0707_0707, 5]);
}

/// Lanes at once do what they do one by one, which they are while somebody records: loads and stores of every format and
/// mask, from places of their own, from one, over one another, in threadgroup memory and the stack, in some lanes.
#[test]
fn lanes_at_once_are_lanes_one_by_one() {
    let formats = ["i8", "i16", "i32", "f16", "u8norm", "s16norm", "rgb10a2", "srgba8", "rg11b10f", "rgb9e5"];
    for (n, format) in formats.into_iter().enumerate() {
        let mask = ["x", "xy", "xyzw", "yw", "z"][n % 5];
        let run_of = |first: u16, mask: &str| {
            let all: Vec<String> = (0..mask.len() as u16).map(|n| format!("r{}", first + n)).collect();
            all.join("_")
        };
        let (loaded, other) = (run_of(4, mask), run_of(8, mask));
        let text = format!(
            "get_sr r2, sr52\nmov_imm r0l, 0\nimadd r3, r2, 3, 5\n\
             device_load 0, {format}, {mask}, {loaded}, u0_u1, r3, unsigned\nwait 0\n\
             device_load 0, {format}, {mask}, {other}, u0_u1, 8, signed\nwait 0\n\
             device_store 0, {format}, {mask}, {loaded}, u0_u1, r2, unsigned, 0\n\
             if_icmp r0l, ugt, r2, 9, 1\ndevice_store 0, i32, xy, r3_r4, u0_u1, r2, unsigned, 0\n\
             device_load 0, i16, x, r12l, u0_u1, r3, unsigned\nwait 0\nthreadgroup_store i16, x, r12l, 0, r2l\n\
             pop_exec r0l, 1\nthreadgroup_load i16, xy, r13l_r13h, 0, r2l\nstack_adjust 8\n\
             stack_store i32, 1, 0, x, 4, r2, 0, 0\nstack_load r14, i32, 1, 0, x, 4, 0, 0\nwait 0\nwait 1\n\
             stack_adjust -8\nstop\n"
        );
        let config = Config { soft_fault: true, ..Config::default() };
        let mut shown = Vec::new();
        for recorded in [false, true] {
            let mut sources = SourceMap::default();
            let file = sources.add("test", text.as_str());
            let (program, _) = asm::assemble(file, &text, Options::default())
                .unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
            let program = Arc::new(Program::new(&program.bytes, 0, &config));
            let mut group = Group::new(&program, &config, &Launch::default(), 64);
            group.set_uniform(1, (DATA >> 16) as u16);
            if recorded {
                group.simdgroups[0].keep_trace(1000);
            }
            let mut memory = Mapped::default();
            let bytes = (0..700u32).map(|n| (n * 37 + 11) as u8).collect();
            memory.map(Range { name: "data".to_owned(), base: DATA, bytes }).expect("alone");
            let faults = group.run(&mut memory).faults;
            let registers: Vec<_> = (0..16).map(|n| *group.simdgroups[0].word(n)).collect();
            let data = memory.named("data").expect("mapped").bytes.clone();
            shown.push((faults, registers, data, group.local.clone()));
        }
        assert!(shown[0] == shown[1], "{format}, {mask}");
    }
}
