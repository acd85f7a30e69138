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
    said_of(text, SIGNATURE, &[])
}

/// The same of one with a signature, which is given more parameters, by number, and gives them back.
fn said_of(text: &str, signature: &str, more: &[usize]) -> Vec<String> {
    let convention = shipped::convention("compute_deep").expect("it comes along");
    let signature = signature::parse(signature).expect("a signature");
    let placement = place(&convention, &signature, 32, &Hints::default()).expect("it has room");
    let own = Contract::new(&convention, &signature, &placement).expect("it has a return address");
    let [given, gives] = [&[0, 1, 2, 3][..], &[0, 2, 3]].map(|own| [own, more].concat());
    let own = own.passing((&signature, &placement), &given, &gives).with_room(16);
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

/// A number that all lanes share is the next function's, too.
#[test]
fn scalars_for_all_lanes_stay() {
    let said = |text: &str| said_of(text, &format!("{SIGNATURE}, u=u1D"), &[4]);
    let text = WHOLE.replace("s4", "s20");
    assert_eq!(said(&text), [""; 0]);
    let found = said(&text.replace("L1:", "s_add_u32 s4, s4, 1\nL1:"));
    assert!(found.iter().any(|why| why.contains("lanes that wait do not find in s4")), "{found:#?}");
}

/// A function with a truth value of each lane besides, in s4: it is in v9 while lanes run that want the function.
const MASKED: &str = "\
v_cndmask_b32_e64 v9, 0, 1, s4
v_cmp_ne_u64_e64 s20, s[2:3], v[0:1]
s_and_saveexec_b32 s21, s20
s_andn2_b32 exec_lo, s21, s20
s_cbranch_execz L1
v_cmp_eq_u32_e64 s4, 0, v2
v_cndmask_b32_e64 v9, 0, 1, s4
v_mov_b32_e32 v0, 0
v_mov_b32_e32 v1, 0
L1:
s_mov_b32 exec_lo, s21
v_cmp_ne_u32_e64 s4, 0, v9
v_cmp_ne_u64_e32 vcc_lo, 0, v[0:1]
s_cbranch_vccz L2
s_ff1_i32_b32 vcc_lo, vcc_lo
v_readlane_b32 s2, v0, vcc_lo
v_readlane_b32 s3, v1, vcc_lo
s_setpc_b64 s[2:3]
L2:
s_setpc_b64 s[0:1]
";

/// The same with the mask on the stack, where all lanes have all of it.
fn on_the_stack() -> String {
    let begin =
        "scratch_load_dword v10, off, s32 offset:-4\ns_waitcnt vmcnt(0)\nv_readfirstlane_b32 s4, v10\n";
    let end = "v_cmp_ne_u32_e64 s4, 0, v9\nv_mov_b32_e32 v10, s4\nscratch_store_dword off, v10, s32 offset:-4\n\
        s_waitcnt_vscnt null, 0x0";
    format!("{begin}{}", MASKED.replace("v_cmp_ne_u32_e64 s4, 0, v9", end))
}

fn said_of_masked(text: &str) -> Vec<String> {
    said_of(text, &format!("{SIGNATURE}, b=bR"), &[4])
}

/// With as many scalars that nobody gives as leave none to the mask.
fn said_of_stack(text: &str) -> Vec<String> {
    said_of(text, &format!("{SIGNATURE}, u=u1D*27, b=bR"), &[31])
}

/// Right ways to keep the bits of lanes that wait.
#[test]
fn masks_keep_the_bits_of_lanes_that_wait() {
    assert_eq!(said_of_masked(MASKED), [""; 0]);
    assert_eq!(said_of_stack(&on_the_stack()), [""; 0]);
    // Nothing is done with it, or it stands elsewhere; no mask goes through 0 and 1.
    let through_v9 = "v_cmp_ne_u32_e64 s4, 0, v9";
    let idle = MASKED.replace("v_cmp_eq_u32_e64 s4, 0, v2", "s_nop 0").replace(through_v9, "s_nop 0");
    assert_eq!(said_of_masked(&idle), [""; 0]);
    assert_eq!(
        said_of_masked(&format!("s_mov_b32 s9, s4\n{}", MASKED.replace(through_v9, "s_mov_b32 s4, s9"))),
        [""; 0]
    );
    let joined = MASKED.replace(
        "v_cmp_eq_u32_e64 s4, 0, v2",
        "s_andn2_b32 s9, s4, exec_lo\nv_cmp_eq_u32_e64 s4, 0, v2\ns_or_b32 s4, s4, s9",
    );
    assert_eq!(said_of_masked(&joined.replace(through_v9, "s_nop 0")), [""; 0]);
    for (line, other) in [
        ("v_cndmask_b32_e64 v9, 0, 1, s4\nv_mov_b32_e32 v0, 0", "v_mov_b32_e32 v9, 1\nv_mov_b32_e32 v0, 0"),
        (through_v9, "v_cmp_eq_u32_e64 s4, 0, v9\ns_andn2_b32 s4, exec_lo, s4"),
        (through_v9, "v_mov_b32_e32 v11, v9\nv_mov_b32_e32 v9, 0\nv_cmp_ne_u32_e64 s4, v11, 0"),
        (through_v9, "v_swap_b32 v9, v11\nv_cmp_ne_u32_e64 s4, 0, v11"),
        (
            "s_mov_b32 exec_lo, s21",
            "s_mov_b32 exec_lo, s21\nscratch_store_dword off, v9, s32\ns_waitcnt_vscnt null, 0x0\n\
             v_mov_b32_e32 v9, 0\nscratch_load_dword v9, off, s32\ns_waitcnt vmcnt(0)",
        ),
        (
            "L1:",
            "s_mov_b32 exec_lo, s21\nv_cndmask_b32_e64 v11, v9, v9, s20\nv_cmp_ne_u32_e64 s9, 0, v11\ns_mov_b32 s4, s9\nL1:",
        ),
    ] {
        assert_eq!(said_of_masked(&MASKED.replace(line, other)), [""; 0], "{other}");
    }
}

/// Lines of the function with a mask, and what stands there instead so that lanes that wait may lose their bits.
const LOST_BITS: [(&str, &str); 16] = [
    // A part of a register, and lanes of others, are not the register.
    (
        "v_cndmask_b32_e64 v9, 0, 1, s4\nv_cmp_ne_u64",
        "s_mov_b32 vcc_lo, s4\nv_mov_b32_e32 v7, 1\nv_mov_b32_e32 v8, 0\nv_cndmask_b32_sdwa v9, v8, v7, vcc_lo \
         dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:BYTE_1\nv_cmp_ne_u64",
    ),
    (
        "v_cndmask_b32_e64 v9, 0, 1, s4\nv_cmp_ne_u64",
        "s_mov_b32 vcc_lo, s4\nv_mov_b32_e32 v7, 1\nv_mov_b32_e32 v8, 0\nv_cndmask_b32_dpp v9, v8, v7, vcc_lo \
         quad_perm:[0,1,2,3] row_mask:0x0 bank_mask:0x0\nv_cmp_ne_u64",
    ),
    // A call may leave anything in lanes that run it.
    ("v_cmp_ne_u32_e64 s4, 0, v9", "s_call_b64 s[0:1], L2\nv_cmp_ne_u32_e64 s4, 0, v9"),
    // A negated 0 is no 0.
    ("v_cmp_ne_u32_e64 s4, 0, v9", "v_cndmask_b32_e64 v9, -v9, v9, s20\nv_cmp_ne_u32_e64 s4, 0, v9"),
    ("v_cmp_ne_u32_e64 s4, 0, v9", "s_nop 0"),
    ("v_cmp_ne_u32_e64 s4, 0, v9", "v_cmp_eq_u32_e64 s4, 0, v9"),
    ("v_cmp_ne_u32_e64 s4, 0, v9", "v_cmp_ne_u32_e64 s4, 1, v9"),
    ("v_cmp_ne_u32_e64 s4, 0, v9", "v_cmp_ne_u32_e64 s4, 0, v2"),
    ("v_cmp_ne_u32_e64 s4, 0, v9", "v_mov_b32_e32 v9, 0\nv_cmp_ne_u32_e64 s4, 0, v9"),
    ("v_cmp_ne_u32_e64 s4, 0, v9", "v_mov_b32_e32 v9, v2\nv_cmp_ne_u32_e64 s4, 0, v9"),
    (
        "v_cmp_ne_u32_e64 s4, 0, v9",
        "v_cndmask_b32_e64 v9, 0, v9, s20\nv_cmp_ne_u32_e64 s4, 0, v9\ns_not_b32 s4, s4",
    ),
    ("v_cmp_ne_u32_e64 s4, 0, v9", "v_cmp_ne_u32_e64 s4, 0, v9\ns_and_b32 s4, s4, s22"),
    ("v_cndmask_b32_e64 v9, 0, 1, s4\nv_cmp_ne_u64", "v_cndmask_b32_e64 v9, 0, 1, s5\nv_cmp_ne_u64"),
    ("v_cndmask_b32_e64 v9, 0, 1, s4\nv_cmp_ne_u64", "v_cndmask_b32_e64 v9, 1, 0, s4\nv_cmp_ne_u64"),
    (
        "v_cndmask_b32_e64 v9, 0, 1, s4\nv_cmp_ne_u64",
        "s_mov_b32 s4, 0\nv_cndmask_b32_e64 v9, 0, 1, s4\nv_cmp_ne_u64",
    ),
    (
        "s_mov_b32 exec_lo, s21",
        "scratch_store_dword off, v9, s32\ns_waitcnt_vscnt null, 0x0\ns_mov_b32 exec_lo, s21\n\
         scratch_load_dword v9, off, s32\ns_waitcnt vmcnt(0)",
    ),
];
/// The same where the mask is on the stack.
const LOST_ON_STACK: [(&str, &str); 8] = [
    ("v_mov_b32_e32 v10, s4", "s_mov_b32 exec_lo, s20\nv_mov_b32_e32 v10, s4\ns_mov_b32 exec_lo, s21"),
    (
        "v_readfirstlane_b32 s4, v10",
        "s_mov_b32 s22, exec_lo\ns_mov_b32 exec_lo, 0\nv_readfirstlane_b32 s4, v10\ns_mov_b32 exec_lo, s22",
    ),
    ("v_readfirstlane_b32 s4, v10", "s_mov_b32 s22, s0\ns_call_b64 s[0:1], L2\nv_readfirstlane_b32 s4, v10"),
    ("v_mov_b32_e32 v10, s4", "v_mov_b32_e32 v10, s20"),
    ("scratch_store_dword off, v10", "scratch_store_dword off, v9"),
    ("scratch_store_dword off, v10", "v_writelane_b32 v10, s20, 3\nscratch_store_dword off, v10"),
    ("v_readfirstlane_b32 s4, v10", "v_mov_b32_e32 v10, s20\nv_readfirstlane_b32 s4, v10"),
    (
        "scratch_store_dword off, v10, s32 offset:-4",
        "s_mov_b32 exec_lo, s20\nscratch_store_dword off, v10, s32 offset:-4\ns_mov_b32 exec_lo, s21",
    ),
];

/// A call leaves its result where all lanes had the mask: the lowest of them may be one that made it.
#[test]
fn masks_are_lost_where_calls_leave_results() {
    let kept = format!("v_mov_b32_e32 v3, s4\n{MASKED}");
    let back = kept.replace("v_cmp_ne_u32_e64 s4, 0, v9", "v_readfirstlane_b32 s4, v3");
    let lost = |text: &str| said_of_masked(text).iter().any(|why| why.contains("their bits of"));
    assert!(!lost(&back));
    assert!(lost(&back.replace("v_mov_b32_e32 v0, 0", "s_call_b64 s[0:1], L2\nv_mov_b32_e32 v0, 0")));
}

#[test]
fn lost_bits_of_lanes_that_wait_are_found() {
    let stack = on_the_stack();
    let in_s4 = LOST_BITS.map(|fault| (MASKED, fault, said_of_masked as fn(&str) -> Vec<String>));
    let on_stack = LOST_ON_STACK.map(|fault| (&*stack, fault, said_of_stack as fn(&str) -> Vec<String>));
    for (right, (line, wrong), said) in in_s4.into_iter().chain(on_stack) {
        assert!(right.contains(line), "{line}");
        let found = said(&right.replacen(line, wrong, 1));
        assert!(found.iter().any(|why| why.contains("their bits of")), "{line} -> {wrong}: {found:#?}");
    }
}

/// What the checker says of a function with so many masks on the stack, of which it uses the last.
fn said_of_many(text: &str, count: usize) -> Vec<String> {
    let masks: Vec<usize> = (31..31 + count).collect();
    said_of(text, &format!("{SIGNATURE}, u=u1D*27, b=bR*{count}"), &masks)
}

/// Of hundreds of masks each is told apart, and one in a slot that is not followed is no proof.
#[test]
fn hundreds_of_masks_are_told_apart_or_named() {
    let right = on_the_stack();
    let wrong = right.replacen("v_mov_b32_e32 v10, s4", "v_mov_b32_e32 v10, s20", 1);
    let is_named = |found: &[String]| found.iter().any(|why| why.contains("their bits of the mask -4 bytes"));
    assert_eq!(said_of_many(&right, 300), [""; 0]);
    assert!(is_named(&said_of_many(&wrong, 300)));
    assert!(is_named(&said_of_many(&wrong, 520)), "nobody follows its slot");
}
