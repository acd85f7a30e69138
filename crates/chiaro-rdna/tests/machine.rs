//! The simulator: memory, waits, waves, lanes, each by a small program and what must come of it.

use std::sync::Arc;

use chiaro_rdna::isa::isa;
use chiaro_rdna::machine::{CAUSES, Config, FaultKind, Group, Outcome, Program, Time};
use chiaro_rdna::regs::code;
use chiaro_rdna::report::{Latencies, Launch, Statistics};
use chiaro_sim::mapped::{Mapped, Range};
use chiaro_sim::{Engine, Lanes};

const BUFFER: u64 = 0x1_0000_0000;

/// The words of a text, an instruction a line.
fn words(text: &str, wave: u8) -> Vec<u8> {
    let isa = isa(wave);
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let word = |line: &str| {
        let parsed = isa.parse(line, &isa.cx()).unwrap_or_else(|e| panic!("{line}: {e:?}"));
        parsed.inst.to_bytes()[..usize::from(parsed.inst.length)].to_vec()
    };
    lines.flat_map(word).collect()
}

struct Run {
    group: Group,
    memory: Mapped,
    outcome: Outcome,
}

/// Runs waves with lane numbers in v0, the buffer's address in s[2:3], its descriptor in
/// s[4:7], the wave's number in s8.
fn run_waves(text: &str, wave: u8, waves: u32, engine: Option<Engine>) -> Run {
    run_with(text, wave, waves, &Config { engine, fuel: 10_000, ..Config::default() })
}

fn run_with(text: &str, wave: u8, waves: u32, config: &Config) -> Run {
    let program = Arc::new(Program::new(&words(text, wave), wave));
    let mut group = Group::new(&program, config, waves, 1024, 16);
    for (n, wave) in (0..).zip(&mut group.waves) {
        let ids = [0, 32].map(|first| Lanes(std::array::from_fn(|lane| first + lane as u32)));
        wave.set_vector(0, &ids);
        let descriptor = [0, 1, 256, 0x3101_6fac];
        for (register, value) in (2..).zip([0, 1].into_iter().chain(descriptor)) {
            wave.set_scalar(register, value);
        }
        wave.set_scalar(8, n);
    }
    let mut memory = Mapped::default();
    let bytes = (0..64_u32).flat_map(|n| (100 + n).to_le_bytes()).collect();
    memory.map(Range { name: "buffer".to_owned(), base: BUFFER, bytes }).unwrap();
    let outcome = group.run(&mut memory);
    Run { group, memory, outcome }
}

fn run(text: &str, wave: u8) -> Run {
    run_waves(text, wave, 1, Some(Engine::best()))
}

/// A vector register of the first wave, lane by lane.
fn lanes(run: &Run, register: u16) -> Vec<u32> {
    let wave = &run.group.waves[0];
    (0..usize::from(wave.lanes())).map(|lane| wave.vector(register, lane)).collect()
}

fn clean(run: Run) -> Run {
    assert_eq!(run.outcome.faults, [], "{:?}", run.outcome.faults);
    run
}

#[test]
fn a_load_is_seen_after_its_wait_and_not_before() {
    let early = "s_load_dword s0, s[2:3], 0x4\n s_add_u32 s1, s0, 1\n s_waitcnt lgkmcnt(0)\n s_add_u32 s9, s0, 1\n s_endpgm";
    let found = run(early, 32);
    assert_eq!((found.group.waves[0].scalar(1), found.group.waves[0].scalar(9)), (1, 102));
    let [fault] = &found.outcome.faults[..] else { panic!("{:?}", found.outcome.faults) };
    assert_eq!(fault.kind, FaultKind::TooEarly("s0".into(), "s_waitcnt lgkmcnt(0)".into()));
    assert_eq!(fault.offset, 8);
}

#[test]
fn vector_loads_come_in_order_and_counts_say_how_many() {
    let text = "v_lshlrev_b32_e32 v1, 2, v0
        buffer_load_dword v2, v1, s[4:7], 0 offen
        buffer_load_dword v3, v1, s[4:7], 0 offen offset:4
        s_waitcnt vmcnt(1)
        v_mov_b32_e32 v4, v2
        v_mov_b32_e32 v5, v3
        s_endpgm";
    let found = run(text, 32);
    assert_eq!(lanes(&found, 4)[..3], [100, 101, 102]);
    assert_eq!(lanes(&found, 5)[..3], [0, 0, 0]);
    let kinds: Vec<_> = found.outcome.faults.iter().map(|f| f.kind.clone()).collect();
    assert_eq!(kinds, [FaultKind::TooEarly("v3".into(), "s_waitcnt vmcnt(0)".into())]);
}

#[test]
fn buffers_are_checked_and_addresses_are_not() {
    let text = "v_lshlrev_b32_e32 v1, 3, v0
        buffer_load_dword v2, v1, s[4:7], 0 offen
        buffer_store_dword v0, v1, s[4:7], 0 offen
        global_load_dword v3, v1, s[2:3]
        s_waitcnt vmcnt(0)
        s_endpgm";
    let found = run(text, 64);
    let read = lanes(&found, 2);
    assert_eq!((read[1], read[31], read[32]), (102, 162, 0));
    assert_eq!(found.memory.load(BUFFER + 8, 4), Some(1));
    let [fault] = &found.outcome.faults[..] else { panic!("{:?}", found.outcome.faults) };
    assert_eq!((fault.lane, &fault.kind), (32, &FaultKind::Address(BUFFER + 256)));
}

#[test]
fn lanes_of_one_address_add_in_their_order() {
    let text = "v_mov_b32_e32 v1, 0
        v_mov_b32_e32 v2, 3
        buffer_atomic_add v2, v1, s[4:7], 0 offen glc
        s_waitcnt vmcnt(0)
        s_endpgm";
    let found = clean(run(text, 64));
    let old = lanes(&found, 2);
    assert_eq!((old[0], old[1], old[63]), (100, 103, 100 + 63 * 3));
    assert_eq!(found.memory.load(BUFFER, 4), Some(100 + 64 * 3));
}

#[test]
fn dpp_moves_lanes_within_their_row() {
    let text = "v_mov_b32_e32 v1, -1
        v_mov_b32_dpp v1, v0 row_shr:1 row_mask:0xf bank_mask:0xf
        v_mov_b32_dpp v2, v0 quad_perm:[3,2,1,0] row_mask:0xf bank_mask:0xf
        v_mov_b32_e32 v3, -1
        v_mov_b32_dpp v3, v0 row_mirror row_mask:0x8 bank_mask:0xf
        s_endpgm";
    let found = clean(run(text, 64));
    let (one, two, three) = (lanes(&found, 1), lanes(&found, 2), lanes(&found, 3));
    assert_eq!((one[0], one[1], one[16], one[17], one[63]), (u32::MAX, 0, u32::MAX, 16, 62));
    assert_eq!(two[4..8], [7, 6, 5, 4]);
    assert_eq!((three[0], three[48], three[63]), (u32::MAX, 63, 48));
}

#[test]
fn masks_are_pairs_in_long_waves() {
    let text = "v_cmp_gt_u32_e32 vcc, 40, v0
        s_and_saveexec_b64 s[10:11], vcc
        v_mov_b32_e32 v1, 7
        s_mov_b64 exec, s[10:11]
        v_readlane_b32 s12, v1, 39
        v_readlane_b32 s13, v1, 40
        s_endpgm";
    let found = clean(run(text, 64));
    let wave = &found.group.waves[0];
    assert_eq!([code::VCC_LO, code::VCC_HI, 12, 13].map(|n| wave.scalar(n)), [u32::MAX, 0xff, 7, 0]);
}

#[test]
fn waves_meet_at_barriers() {
    let text = "v_mov_b32_e32 v1, s8
        v_mov_b32_e32 v2, s8
        v_lshlrev_b32_e32 v1, 2, v1
        ds_write_b32 v1, v2
        s_waitcnt lgkmcnt(0)
        s_barrier
        v_mov_b32_e32 v1, 0
        ds_read_b128 v[4:7], v1
        s_waitcnt lgkmcnt(0)
        s_endpgm";
    for engine in [None, Some(Engine::best())] {
        let found = clean(run_waves(text, 32, 4, engine));
        assert_eq!([4, 5, 6, 7].map(|n| found.group.waves[0].vector(n, 9)), [0, 1, 2, 3]);
    }
}

/// Two loads into LDS and GDS: each is read back from where it was written, and vmcnt counts a load
/// that brings no register.
#[test]
fn loads_go_straight_into_lds_and_gds_is_another_memory() {
    let text = "s_mov_b32 m0, 64
        v_lshlrev_b32_e32 v1, 2, v0
        buffer_load_dword v2, v1, s[4:7], 0 offen
        buffer_load_dword v1, s[4:7], 0 offen offset:4 lds
        s_waitcnt vmcnt(1)
        v_add_nc_u32_e32 v3, 1, v2
        s_waitcnt vmcnt(0)
        ds_read_b32 v4, v1 offset:68
        ds_write_b32 v1, v3 gds
        ds_read_b32 v5, v1 gds
        ds_read_b32 v6, v1
        s_waitcnt lgkmcnt(0)
        s_endpgm";
    let run = clean(run(text, 32));
    let count = |first: u32| (first..first + 32).collect::<Vec<_>>();
    assert_eq!([2, 3, 4, 5].map(|n| lanes(&run, n)), [100, 101, 101, 101].map(count));
    assert_eq!(lanes(&run, 6)[..16], [0; 16]);
    assert_eq!(run.group.gds[..4], 101_u32.to_le_bytes());
}

#[test]
fn what_is_not_here_is_a_fault_by_its_name() {
    for text in ["exp mrt0 v0, v0, v0, v0 done", "ds_gws_barrier v0 gds"] {
        let found = run(&format!("{text}\n s_endpgm"), 32);
        let [fault] = &found.outcome.faults[..] else { panic!("{text}: {:?}", found.outcome.faults) };
        assert!(fault.to_string().ends_with("is an instruction that is not run here"), "{fault}");
    }
}

#[test]
fn barriers_that_some_never_reach_and_endless_loops_are_faults() {
    let text = "s_cmp_eq_u32 s8, 0\n s_cbranch_scc1 1\n s_barrier\n s_endpgm";
    let found = run_waves(text, 32, 3, None);
    assert!(found.outcome.faults.iter().all(|f| f.kind == FaultKind::Barrier(vec![1, 2])));
    assert_eq!(found.outcome.faults.len(), 2);
    let found = run("s_branch -1", 32);
    assert_eq!(found.outcome.faults[0].kind, FaultKind::Endless);
}

/// The cycles of waves, with latencies of memory.
fn time(text: &str, wave: u8, waves: u32, latencies: Latencies) -> Time {
    let run = clean(run_with(text, wave, waves, &Config { timed: true, latencies, ..Config::default() }));
    run.outcome.time.unwrap()
}

fn cause(time: &Time, name: &str) -> u64 {
    time.causes[CAUSES.iter().position(|cause| *cause == name).unwrap()]
}

#[test]
fn the_clock_says_what_cycles_go_into() {
    let text = "s_load_dword s0, s[2:3], 0x4
        s_waitcnt lgkmcnt(0)
        s_add_u32 s1, s0, 1
        s_add_u32 s1, s1, 1
        s_endpgm";
    // The load takes 30, each sum is there a cycle after the next instruction could issue.
    let found = time(text, 32, 1, Latencies::default());
    let parts = ["Issue", "Stall_results", "Stall_lgkmcnt"].map(|name| cause(&found, name));
    assert_eq!((found.longest, parts), (37, [5, 2, 30]));
    let slow = time(text, 32, 1, Latencies { scalar: 130, ..Latencies::default() });
    assert_eq!((slow.longest, cause(&slow, "Stall_lgkmcnt")), (137, 130));
}

#[test]
fn straight_code_takes_the_cycles_of_the_report() {
    let text = "v_lshlrev_b32_e32 v1, 2, v0
        buffer_load_dword v2, v1, s[4:7], 0 offen
        v_rcp_f32_e32 v3, v0
        v_mul_f32_e32 v3, v3, v3
        v_mul_lo_u32 v4, v0, v0
        ds_write_b32 v1, v4
        s_waitcnt vmcnt(0) lgkmcnt(0)
        v_add_f32_e32 v3, v3, v2
        buffer_store_dword v3, v1, s[4:7], 0 offen
        s_endpgm";
    for wave in [32, 64] {
        let launch = Launch { wave, threads: wave.into(), lds: 0, vgprs: None, older: false };
        let report = Statistics::of(&words(text, wave), &launch, &Latencies::default());
        assert_eq!(time(text, wave, 1, Latencies::default()).longest, u64::from(report.latency), "{wave}");
    }
}

#[test]
fn waves_wait_for_the_last_one_at_barriers() {
    let text = "s_cmp_eq_u32 s8, 0\n s_cbranch_scc1 1\n s_nop 0\n s_barrier\n s_endpgm";
    let slow =
        text.replace("scc1 1", "scc1 2").replace("s_nop 0", "v_rcp_f32_e32 v1, v0\n v_rcp_f32_e32 v1, v1");
    assert_eq!(cause(&time(text, 32, 3, Latencies::default()), "Stall_barrier"), 0);
    // One wave waits for the two that divide.
    let found = time(&slow, 32, 3, Latencies::default());
    assert_eq!(cause(&found, "Stall_barrier"), 14 - 3, "{found:?}");
    assert_eq!(clean(run(text, 32)).outcome.time, None);
}

#[test]
fn mode_changes_arithmetic_at_run_time() {
    let text = "v_mul_f32_e32 v1, 0.5, v9
        s_denorm_mode 15
        v_mul_f32_e32 v2, 0.5, v9
        s_endpgm";
    let text = format!("v_mov_b32_e32 v9, 0x00800000\n{text}");
    let found = clean(run(&text, 32));
    assert_eq!((lanes(&found, 1)[0], lanes(&found, 2)[0]), (0, 0x0040_0000));
}

#[test]
fn scratch_is_each_lanes_own() {
    let text = "scratch_store_dword off, v0, off offset:4
        scratch_load_dword v1, off, off offset:4
        s_waitcnt vmcnt(0)
        s_endpgm";
    let found = clean(run(text, 64));
    assert_eq!(lanes(&found, 1), (0..64).collect::<Vec<u32>>());
}

/// A tree at the buffer's address: a box of four children at 0, a triangle at 128.
fn tree() -> Vec<u8> {
    let mut dwords = vec![8_u32, 16, 24, u32::MAX];
    // Boxes between 0 and 1 on y and z; on x the first is far, the second near, the third beside the ray.
    for [least, most] in [
        [[4.0, 0.0, 0.0], [5.0, 1.0, 1.0]],
        [[1.0, 0.0, 0.0], [2.0, 1.0, 1.0]],
        [[1.0, 5.0, 5.0], [2.0, 6.0, 6.0]],
        [[0.0; 3]; 2],
    ] {
        dwords.extend([least, most].concat().into_iter().map(f32::to_bits));
    }
    dwords.resize(32, 0);
    dwords.extend([2.0_f32, 0.0, 0.0, 2.0, 1.0, 0.0, 2.0, 0.0, 1.0].map(f32::to_bits));
    dwords.extend([0, 0, 0, 7]);
    dwords.resize(64, 0);
    dwords.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// Runs a ray along x from (0, y, 0.25) against a node; sorted children, or not; triangles with coordinates, or not.
fn ray(node: u32, y: f32, sorted: bool, coordinates: bool) -> [u32; 4] {
    let text = "image_bvh_intersect_ray v[20:23], v[0:10], s[4:7]\n s_waitcnt vmcnt(0)\n s_endpgm";
    let program = Arc::new(Program::new(&words(text, 32), 32));
    let mut group = Group::new(&program, &Config::default(), 1, 0, 0);
    let wave = &mut group.waves[0];
    let numbers = [10.0, 0.0, y, 0.25, 1.0, 0.0, 0.0, 1.0, f32::INFINITY, f32::INFINITY].map(f32::to_bits);
    for (register, value) in (0..).zip(std::iter::once(node).chain(numbers)) {
        wave.set_vector(register, &[Lanes::splat(value); 2]);
    }
    let descriptor = [
        (BUFFER >> 8) as u32,
        u32::from(sorted) << 31,
        u32::MAX,
        0x3ff | u32::from(coordinates) << 24 | 1 << 31,
    ];
    (4..).zip(descriptor).for_each(|(register, value)| wave.set_scalar(register, value));
    let mut memory = Mapped::default();
    memory.map(Range { name: "tree".to_owned(), base: BUFFER, bytes: tree() }).unwrap();
    let outcome = group.run(&mut memory);
    assert_eq!(outcome.faults, []);
    std::array::from_fn(|n| group.waves[0].vector(20 + n as u16, 5))
}

#[test]
fn rays_find_children_in_their_order_and_points_of_triangles() {
    const NONE: u32 = u32::MAX;
    let (boxes, triangle) = (5, 16);
    assert_eq!(ray(boxes, 0.25, true, true), [16, 8, NONE, NONE]);
    assert_eq!(ray(boxes, 0.25, false, true), [8, 16, NONE, NONE]);
    assert_eq!(ray(boxes, 2.0, true, true), [NONE; 4]);
    let [t, divisor, i, j] = ray(triangle, 0.5, true, true).map(f32::from_bits);
    assert_eq!([t / divisor, i / divisor, j / divisor], [2.0, 0.5, 0.25]);
    let [t, divisor, ..] = ray(triangle, 0.9, true, true).map(f32::from_bits);
    assert!(t / divisor >= 10.0, "beside the triangle");
    assert_eq!(ray(triangle, 0.5, true, false)[2..], [7, 1]);
    assert_eq!(ray(triangle, 0.9, true, false)[3], 0);
    assert_eq!(ray(NONE, 0.5, true, true), [NONE; 4]);
}

/// A function at 16 that calls another one at 32, which ends in some way.
fn nested(end: &str) -> Vec<FaultKind> {
    let text = format!(
        "s_mov_b64 s[10:11], 16
        s_swappc_b64 s[30:31], s[10:11]
        s_endpgm
        s_nop 0
        s_mov_b64 s[12:13], 32
        s_swappc_b64 s[28:29], s[12:13]
        s_setpc_b64 s[30:31]
        s_nop 0
        {end}"
    );
    run(&text, 32).outcome.faults.into_iter().map(|fault| fault.kind).collect()
}

/// Calls are open until control comes back behind them; a jump to another function in the place of one closes none.
#[test]
fn calls_go_somewhere_and_come_back_in_order() {
    let nothing: Vec<FaultKind> = Vec::new();
    assert_eq!(nested("s_setpc_b64 s[28:29]"), nothing);
    assert_eq!(nested("s_mov_b64 s[14:15], 40\ns_setpc_b64 s[14:15]\ns_setpc_b64 s[28:29]"), nothing);
    let past = nested("s_setpc_b64 s[30:31]");
    assert_eq!(past, [FaultKind::Return(8, vec![4, 20])]);
    assert!(past[0].to_string().contains("open are the calls at 0x4 > 0x14"), "{}", past[0]);
    let nowhere = nested("s_mov_b64 s[14:15], 64\ns_swappc_b64 s[26:27], s[14:15]");
    assert_eq!(nowhere, [FaultKind::Call(64, vec![4, 20, 36])]);
}
