//! Functions that go over what lanes want: one that keeps its contract, and what the checker says of those that do not (spec
//! section 18.6).

use chiaro_diag::SourceMap;
use chiaro_rdna::abi::place::{Hints, place};
use chiaro_rdna::abi::shipped;
use chiaro_rdna::abi::signature;
use chiaro_rdna::asm::assemble;
use chiaro_rdna::check::Config;
use chiaro_rdna::check::contract::{Among, Contract, Role, contract_among};

/// What the functions take: what lanes want, who runs, two numbers, of which the second is the result.
const SIGNATURE: &str = "divergent_pc=v2R, uniform_pc=u2D, n=v1R, s=v1R";
/// A function that comes to itself again as often as each lane says, under `compute_deep`.
const WHOLE: &str = "\
v_cmp_ne_u64_e64 s4, s[2:3], v[0:1]
s_and_saveexec_b32 s5, s4
s_andn2_b32 exec_lo, s5, s4
s_cbranch_execz L1
v_cmp_eq_u32_e64 s4, 0, v2
s_and_saveexec_b32 s6, s4
v_mov_b32_e32 v0, 0
v_mov_b32_e32 v1, 0
s_andn2_b32 exec_lo, s6, s4
v_add_nc_u32_e32 v3, v3, v2
v_add_nc_u32_e32 v2, -1, v2
v_mov_b32_e32 v0, s2
v_mov_b32_e32 v1, s3
L1:
s_mov_b32 exec_lo, s5
v_cmp_ne_u64_e32 vcc_lo, 0, v[0:1]
s_cbranch_vccz L2
s_ff1_i32_b32 vcc_lo, vcc_lo
v_readlane_b32 s2, v0, vcc_lo
v_readlane_b32 s3, v1, vcc_lo
s_setpc_b64 s[2:3]
L2:
s_setpc_b64 s[0:1]
";

/// What the checker says of a function whose first jump goes to what is called as it is.
fn said(text: &str) -> Vec<String> {
    let convention = shipped::convention("compute_deep").expect("it comes along");
    let signature = signature::parse(SIGNATURE).expect("a signature");
    let placement = place(&convention, &signature, 32, &Hints::default()).expect("it has room");
    let own = Contract::new(&convention, &signature, &placement).expect("it has a return address");
    let own = own.passing((&signature, &placement), &[0, 1, 2, 3], &[0, 2, 3]).with_room(16);
    let mut sources = SourceMap::new();
    let id = sources.add("words.s", text);
    let made = assemble(text, id, Some(32)).unwrap_or_else(|why| panic!("{}: {text}", why[0].message));
    let word = |n: usize| u32::from_le_bytes(made.text[4 * n..4 * n + 4].try_into().expect("four"));
    let jump = (0..made.text.len() / 4).find(|n| word(*n) == 0xbe80_2002).unwrap_or(0);
    let sites = [(jump as u32, own.clone())];
    let among = Among { functions: &[], sites: &sites, whole: true };
    let found =
        contract_among(&made.text, 0, Role::Function, &own, (among, Config { wave: 32, group: None }));
    found.into_iter().map(|f| format!("{}: {}", f.finding.rule.id, f.finding.message)).collect()
}

#[test]
fn lanes_that_want_another_function_go_on() {
    assert_eq!(said(WHOLE), [""; 0]);
    // Who is served may be found as well as who is not, and what waits may stand elsewhere meanwhile.
    let other = WHOLE.replace("v_cmp_ne_u64_e64 s4", "v_cmp_eq_u64_e64 s4");
    let other = other.replace("s_andn2_b32 exec_lo, s5, s4", "s_mov_b32 exec_lo, exec_lo");
    assert_eq!(said(&other), [""; 0]);
    let swapped = WHOLE.replace(
        "s_andn2_b32 exec_lo, s5, s4",
        "s_andn2_b32 exec_lo, s5, s4\nv_swap_b32 v2, v9\nv_swap_b32 v9, v2",
    );
    assert_eq!(said(&swapped), [""; 0]);
    let moved = WHOLE.replace("v_cmp_ne_u64_e64", "v_mov_b32_e32 v8, v2\nv_cmp_ne_u64_e64").replace(
        "L1:\ns_mov_b32 exec_lo, s5",
        "L1:\ns_mov_b32 exec_lo, s4\nv_mov_b32_e32 v2, v8\ns_mov_b32 exec_lo, s5",
    );
    assert!(said(&moved).iter().all(|why| !why.contains("lanes that wait")), "{:?}", said(&moved));
}

/// Each line, what stands there instead, and a piece of what the checker says then.
const FAULTS: [(&str, &str, &str); 18] = [
    // Who has been served and wants the same again would come back for ever.
    ("v_mov_b32_e32 v0, 0", "s_nop 0", "v0, which nobody may have written in some lanes"),
    ("v_mov_b32_e32 v1, s3", "s_nop 0", "v1, which nobody may have written in some lanes"),
    // Who waits finds what it came with.
    ("s_andn2_b32 exec_lo, s5, s4", "s_mov_b32 exec_lo, s5", "lanes that wait do not find in v0"),
    ("s_andn2_b32 exec_lo, s5, s4", "s_nop 0", "lanes that wait do not find in v0"),
    ("v_cmp_ne_u64_e32", "v_mov_b32_e32 v2, 0\nv_cmp_ne_u64_e32", "lanes that wait do not find in v2"),
    (
        "v_cmp_ne_u64_e32",
        "v_swap_b32 v2, v3\nv_cmp_ne_u64_e32",
        "find in v3 what they came with: they hold what v2",
    ),
    ("v_cmp_ne_u64_e64 s4, s[2:3], v[0:1]", "v_cmp_ne_u64_e64 s4, s[2:3], v[2:3]", "lanes that wait"),
    (
        "v_cmp_ne_u64_e64 s4",
        "v_writelane_b32 v3, s2, 7\nv_cmp_ne_u64_e64 s4",
        "lanes that wait do not find in v3",
    ),
    ("v_cmp_ne_u64_e64 s4", "v_mov_b32_e32 v0, 0\nv_cmp_ne_u64_e64 s4", "lanes that wait do not find in v0"),
    // All lanes are asked, and the answer says where to go.
    ("s_mov_b32 exec_lo, s5", "s_nop 0", "nobody knows whether EXEC is as at entry"),
    ("s_cbranch_vccz L2", "s_cbranch_vccnz L2", "nothing says that no lane wants another function by v[0:1]"),
    ("s_cbranch_vccz L2", "s_nop 0", "goes on where maybe no lane wants another function"),
    ("v_cmp_ne_u64_e32 vcc_lo, 0, v[0:1]", "v_cmp_ne_u64_e32 vcc_lo, 0, v[2:3]", "nothing says that no lane"),
    ("s_cbranch_vccz L2", "v_mov_b32_e32 v0, 0\ns_cbranch_vccz L2", "nothing says that no lane"),
    ("v_readlane_b32 s3, v1, vcc_lo", "v_readlane_b32 s3, v1, 0", "s3 is not what the lowest lane wants"),
    ("s_ff1_i32_b32 vcc_lo, vcc_lo", "s_ff1_i32_b32 vcc_lo, s4", "s2 is not what the lowest lane wants"),
    // Nothing is left on the stack, and the way back stays.
    ("s_setpc_b64 s[2:3]", "s_add_u32 s32, s32, 16\ns_setpc_b64 s[2:3]", "s32 is not what it was at entry"),
    ("s_setpc_b64 s[2:3]", "s_mov_b32 s1, 0\ns_setpc_b64 s[2:3]", "does not go back to the caller"),
];

#[test]
fn faults_are_found() {
    let mut missed = Vec::new();
    for (line, wrong, piece) in FAULTS {
        assert!(WHOLE.contains(line), "{line}");
        let found = said(&WHOLE.replacen(line, wrong, 1));
        if !found.iter().any(|why| why.contains(piece)) {
            missed.push(format!("{line} -> {wrong}: {found:#?}"));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}
