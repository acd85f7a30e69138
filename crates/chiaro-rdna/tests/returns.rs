//! The stack of return addresses in lanes: functions that keep it, and what the checker of contracts says of those that do
//! not.

use chiaro_diag::SourceMap;
use chiaro_rdna::abi::file::read;
use chiaro_rdna::abi::place::{Hints, place};
use chiaro_rdna::abi::shipped;
use chiaro_rdna::abi::signature::Signature;
use chiaro_rdna::asm::assemble;
use chiaro_rdna::check::Config;
use chiaro_rdna::check::contract::{Contract, Role, contract};

/// A function that calls another one twice, under `compute`.
const WHOLE: &str = "\
v_writelane_b32 v30, s0, s33
v_writelane_b32 v31, s1, s33
s_add_u32 s33, s33, 1
s_mov_b64 s[8:9], s[4:5]
s_swappc_b64 s[0:1], s[8:9]
s_mov_b32 s8, 0x1000
s_mov_b32 s9, 0x2000
s_swappc_b64 s[0:1], s[8:9]
s_sub_u32 s33, s33, 1
v_readlane_b32 s0, v30, s33
v_readlane_b32 s1, v31, s33
s_setpc_b64 s[0:1]
";

/// What the checker says of a function.
fn said(text: &str, role: Role) -> Vec<String> {
    let convention = shipped::convention("compute").expect("it comes along");
    let signature = Signature::default();
    let placement = place(&convention, &signature, 32, &Hints::default()).expect("it has room");
    let own = Contract::new(&convention, &signature, &placement).expect("it has a return address");
    let mut sources = SourceMap::new();
    let id = sources.add("words.s", text);
    let made = assemble(text, id, Some(32)).unwrap_or_else(|why| panic!("{}: {text}", why[0].message));
    let config = Config { wave: 32, group: None };
    let found = contract(&made.text, 0, role, &own.with_room(0), config);
    found.into_iter().map(|f| format!("{}: {}", f.finding.rule.id, f.finding.message)).collect()
}

#[test]
fn return_addresses_come_back() {
    assert_eq!(said(WHOLE, Role::Function), [""; 0]);
    // Several may be kept, the deepest taken first; what is not taken is given up with the counter.
    let two = "v_writelane_b32 v30, s6, s33\ns_add_u32 s33, s33, 1\ns_sub_u32 s33, s33, 1\n";
    let more = WHOLE.replacen("s_mov_b32 s8", &format!("{two}s_mov_b32 s8"), 1);
    assert_eq!(said(&more, Role::Function), [""; 0]);
}

/// Each line, what stands there instead, and a piece of what the checker says then.
const FAULTS: [(&str, &str, &str); 11] = [
    (
        "s_sub_u32 s33, s33, 1",
        "v_mov_b32_e32 v30, 0\ns_sub_u32 s33, s33, 1",
        "does not go back to the caller",
    ),
    (
        "v_writelane_b32 v31, s1, s33",
        "s_nop 0",
        "s_setpc_b64 does not go back to the caller: of s[0:1], since word",
    ),
    ("v_writelane_b32 v30, s0, s33", "v_writelane_b32 v30, s6, s33", "it is what s6 was at entry"),
    (
        "v_writelane_b32 v30, s0, s33",
        "v_writelane_b32 v30, s0, s34",
        "v_writelane_b32 writes a lane that a register chooses",
    ),
    ("s_add_u32 s33, s33, 1", "s_nop 0", "does not go back to the caller"),
    (
        "s_add_u32 s33, s33, 1",
        "s_sub_u32 s33, s33, 1",
        "the counter s33 of return addresses is 1 below its place at entry",
    ),
    ("s_sub_u32 s33, s33, 1", "s_nop 0", "s33 is not what it was at entry"),
    ("v_readlane_b32 s1, v31, s33", "v_readlane_b32 s1, v30, s33", "does not go back to the caller"),
    ("v_readlane_b32 s0, v30, s33", "v_readlane_b32 s0, v30, 0", "does not go back to the caller"),
    ("s_mov_b32 s9, 0x2000", "v_mov_b32_e32 v30, 0", "lanes that run of v30 are not what they were at entry"),
    (
        "s_mov_b64 s[8:9], s[4:5]",
        "v_readfirstlane_b32 s33, v2",
        "the counter s33 of return addresses is not known",
    ),
];

#[test]
fn stacks_that_are_not_kept_are_refused() {
    for (line, instead, piece) in FAULTS {
        assert!(WHOLE.matches(line).count() == 1, "{line}");
        let all = said(&WHOLE.replacen(line, instead, 1), Role::Function);
        assert!(all.iter().any(|found| found.contains(piece)), "{line} -> {instead}: {all:#?}");
    }
}

/// What stands below the counter at entry belongs to those who called.
#[test]
fn entries_of_the_callers_are_not_overwritten() {
    let below = "s_sub_u32 s33, s33, 2\nv_writelane_b32 v30, s6, s33\ns_add_u32 s33, s33, 2\n";
    let all = said(&format!("{below}{WHOLE}"), Role::Function);
    let piece = "contract: v_writelane_b32 overwrites a return address of the callers, 2 below the own";
    assert!(all.iter().any(|found| found.contains(piece)), "{all:#?}");
}

/// Counters wrap around: the lowest number has no opposite among them.
#[test]
fn extreme_numbers_of_counters_are_told() {
    for (less, below) in [("1", "1"), ("0x7fffffff", "2147483647"), ("0x80000000", "2147483648")] {
        let moved = format!("s_sub_u32 s33, s33, {less}\n");
        let all = said(&format!("{moved}v_writelane_b32 v30, s6, s33\n{WHOLE}"), Role::Function);
        let piece = format!("overwrites a return address of the callers, {below} below the own");
        assert!(all.iter().any(|found| found.contains(&piece)), "{less}: {all:#?}");
        let all = said(&WHOLE.replacen("s_add_u32 s33, s33, 1\n", &moved, 1), Role::Function);
        let piece = format!("the counter s33 of return addresses is {below} below its place at entry");
        assert!(all.iter().any(|found| found.contains(&piece)), "{less}: {all:#?}");
    }
}

/// What is at the counter and above at a call the callee may overwrite.
#[test]
fn entries_above_the_counter_are_lost() {
    let text = WHOLE.replace("s_add_u32 s33, s33, 1\n", "").replace("s_sub_u32 s33, s33, 1\n", "");
    let all = said(&text, Role::Function);
    assert!(all.iter().any(|found| found.contains("does not go back to the caller")), "{all:#?}");
}

/// A kernel says where the stack begins.
#[test]
fn kernels_begin_the_stack() {
    let kernel = |first: &str| {
        let text = format!(
            "{first}\ns_mov_b32 s32, 0\ns_mov_b32 s8, 0x1000\ns_mov_b32 s9, 0x2000\ns_swappc_b64 s[0:1], s[8:9]\ns_endpgm\n"
        );
        said(&text, Role::Kernel)
    };
    assert_eq!(kernel("s_mov_b32 s33, 0"), [""; 0]);
    let all = kernel("s_nop 0");
    assert!(all.iter().any(|f| f.contains("the counter s33 of return addresses is not known")), "{all:#?}");
}

#[test]
fn files_name_two_registers_and_a_counter() {
    let file = |lanes: &str, counter: &str| {
        let text = shipped::text("compute").expect("it comes along");
        let text = text.replace("\"v30\"", lanes).replace("\"s33\"", counter);
        let mut sources = SourceMap::new();
        let id = sources.add("abi.json", text.as_str());
        read(&text, id).map_err(|why| why[0].message.clone()).map(|_| ())
    };
    assert_eq!(file("\"v30\"", "\"s33\""), Ok(()));
    for (lanes, counter, piece) in [
        ("\"v255\"", "\"s33\"", "`lanes_of` is a register from \"v0\" to \"v254\""),
        ("\"s30\"", "\"s33\"", "`lanes_of` is a register"),
        ("\"v30\"", "\"s106\"", "`counter` is a register from \"s0\" to \"s105\""),
    ] {
        let why = file(lanes, counter).expect_err(piece);
        assert!(why.contains(piece), "{why}");
    }
}
