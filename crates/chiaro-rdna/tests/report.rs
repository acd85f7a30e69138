//! Rules of the cost model that few programs show: each came from a row of ACO's statistics that was off without it.

use chiaro_rdna::isa::isa;
use chiaro_rdna::report::{Latencies, Launch, Statistics};

/// Cycles of a wave of 32 lanes by the model.
fn latency(lines: &[&str]) -> u32 {
    let isa = isa(32);
    let word = |line: &&str| {
        let inst = isa.parse(line, &isa.cx()).unwrap_or_else(|e| panic!("{line}: {e:?}")).inst;
        inst.to_bytes()[..usize::from(inst.length)].to_vec()
    };
    let code: Vec<u8> = lines.iter().flat_map(word).collect();
    let launch = Launch { wave: 32, threads: 32, lds: 0, vgprs: None, older: false };
    Statistics::of(&code, &launch, &Latencies::default()).latency
}

/// `lz_match` and `bvh_stack` of Mesa 22: what overwrites the result of a slow instruction is not there before it.
#[test]
fn a_register_is_there_when_its_last_writer_is_done() {
    let sum = "v_add_f32_e32 v1, v0, v0";
    // The root's result is there at 10, the move's at 6.
    assert_eq!(latency(&["v_rcp_f32_e32 v0, v2", "v_mov_b32_e32 v0, 0", sum, "s_endpgm"]), 10 + 5 + 1);
    assert_eq!(latency(&["v_rcp_f32_e32 v3, v2", "v_mov_b32_e32 v0, 0", sum, "s_endpgm"]), 6 + 5 + 1);
}

/// `private_array` of Mesa 22: SCC as an operand is waited for as SCC that is taken without being named.
#[test]
fn scc_is_a_source_like_others() {
    let compare = "s_cmp_lg_i32 s0, 0";
    assert_eq!(latency(&[compare, "s_mov_b32 s1, src_scc", "s_endpgm"]), 2 + 2 + 1);
    assert_eq!(latency(&[compare, "s_mov_b32 s1, s2", "s_endpgm"]), 1 + 2 + 1);
}

/// `path_tracer`: where no branch goes over the first side of an if, nothing else comes to the inversion of EXEC behind
/// it, and both are one block, which lanes take three times out of four.
#[test]
fn an_inversion_belongs_to_the_side_before_it() {
    let cycles = latency(&[
        "s_mov_b32 s0, exec_lo",
        "v_cmpx_lt_f32_e32 v0, v1",
        "v_mov_b32_e32 v2, 0",
        "v_mov_b32_e32 v3, 0",
        "v_mov_b32_e32 v4, 0",
        "v_mov_b32_e32 v5, 0",
        "s_andn2_b32 exec_lo, s0, exec_lo",
        "s_cbranch_execz 1",
        "v_mov_b32_e32 v2, 1.0",
        "s_mov_b32 exec_lo, s0",
        "s_endpgm",
    ]);
    // At the end the last move of the other side is waited for.
    let parts = [(2.0, 1.0), (4.0 + 2.0, 0.75), (1.0, 0.75), (5.0, 1.0)];
    let sum: f64 = parts.iter().map(|(cycles, weight)| cycles * weight).sum();
    assert_eq!(f64::from(cycles), sum.round());
}
