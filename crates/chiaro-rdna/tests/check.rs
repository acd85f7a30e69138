//! The rule checker on a driver's code, as it is and with its waits weakened.

use chiaro_isa::finding::Severity;
use chiaro_rdna::check::rules::ALL;
use chiaro_rdna::check::{Config, Found, check};
use serde_json::Value;
use std::collections::HashMap;

use crate::common::{self, json_rows};

/// Code of the driver's by shader and wave, with its configuration.
fn programs() -> HashMap<(String, u64), (Vec<u32>, Config)> {
    let mut all = HashMap::new();
    for row in json_rows("aco_words.jsonl") {
        let text = row["words"].as_str().expect("words");
        let count = row["code_words"].as_u64().expect("a number") as usize;
        let words =
            (0..count).map(|i| u32::from_str_radix(&text[8 * i..8 * i + 8], 16).expect("hexadecimal"));
        let wave = row["wave"].as_u64().expect("a wave");
        let group = row["workgroup"].as_array().expect("a group").iter().map(|n| n.as_u64().unwrap_or(1));
        let config = Config { wave: wave as u8, group: Some(group.product::<u64>() as u32) };
        all.insert((row["name"].as_str().expect("a name").to_owned(), wave), (words.collect(), config));
    }
    all
}

fn errors(words: &[u32], config: Config) -> Vec<Found> {
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let mut found = check(&bytes, config);
    found.retain(|f| f.finding.rule.severity == Severity::Error);
    found
}

#[test]
fn drivers_code_is_accepted() {
    let mut wrong = Vec::new();
    for ((name, wave), (words, config)) in programs() {
        let found = errors(&words, config);
        wrong.extend(found.first().map(|f| format!("{name} {wave}: word {}: {}", f.word, f.finding.message)));
    }
    assert!(wrong.is_empty(), "{} programs:\n{}", wrong.len(), wrong.join("\n"));
}

/// A field of `s_waitcnt` at its maximum.
fn weakened(word: u32, counter: &str) -> u32 {
    match counter {
        "vm" => word | 0xc00f,
        _ => word | 0x3f00,
    }
}

#[test]
fn weakened_waits_are_found() {
    let programs = programs();
    let (mut count, mut missed) = (0, Vec::new());
    for row in json_rows("aco_waits.jsonl") {
        let (name, wave) = (row["name"].as_str().expect("a name"), row["wave"].as_u64().expect("a wave"));
        let Some((words, config)) = programs.get(&(name.to_owned(), wave)) else { continue };
        for wait in row["waits"].as_array().expect("waits") {
            for counter in ["vm", "lgkm"] {
                let Some(without) = wait[counter].get("without").filter(|w| !w.is_null()) else { continue };
                let at = wait["at"].as_u64().expect("a word") as usize;
                let mut words = words.clone();
                words[at] = weakened(words[at], counter);
                count += 1;
                if !errors(&words, *config).iter().any(|f| names(f, without)) {
                    missed.push(format!("{name} {wave} {counter} at {at}: {without}"));
                }
            }
        }
    }
    assert!(missed.is_empty(), "{} of {count} are missed:\n{}", missed.len(), missed.join("\n"));
    assert!(count > 100 || common::sampled());
}

/// Whether a finding is the one that the row names.
fn names(f: &Found, row: &Value) -> bool {
    Some(u64::from(f.word)) == row["at"].as_u64()
        && f.register.as_deref() == row["reg"].as_str()
        && f.load.map(u64::from) == row["load"].as_u64()
}

fn rules(words: &[u32], wave: u8) -> Vec<&'static str> {
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    check(&bytes, Config { wave, group: None }).iter().map(|f| f.finding.rule.id).collect()
}

const END: u32 = 0xbf81_0000;

/// Programs with the rule that each breaks; the same without the fault where there is none.
const WRONG: &[(&[u32], &[&str])] = &[
    // v_fma_f32 v0, s1, s2, s3
    (&[0xd54b_0000, 0x000c_0401, END], &["constant-bus"]),
    // buffer_store_dword v0, off, s[0:3], 0 dlc
    (&[0xe070_8000, 0x8000_0000, END], &["dlc"]),
    // s_clause 1; v_nop; v_nop
    (&[0xbfa1_0001, 0x7e00_0000, 0x7e00_0000, END], &["clause"]),
    // s_branch into the literal of s_mov_b32
    (&[0xbf82_0001, 0xbe80_03ff, 0x1234_5678, END], &["target"]),
    // no end
    (&[0x7e00_0000], &["end"]),
    // ds_write_b32 v0, v1; s_barrier
    (&[0xd834_0000, 0x0000_0100, 0xbf8a_0000, END], &["barrier-wait"]),
    (&[0xd834_0000, 0x0000_0100, 0xbf8c_c07f, 0xbf8a_0000, END], &[]),
    // s_load_dword s0, s[2:3], 0x0; s_mov_b32 s1, s0
    (&[0xf400_0001, 0xfa00_0000, 0xbe81_0300, END], &["wait"]),
    (&[0xf400_0001, 0xfa00_0000, 0xbf8c_c07f, 0xbe81_0300, END], &[]),
    // s_load_dword s0, s[2:3], 0x0; s_setpc_b64 s[4:5]
    (&[0xf400_0001, 0xfa00_0000, 0xbe80_2004, END], &["call-wait"]),
    (&[0xf400_0001, 0xfa00_0000, 0xbf8c_c07f, 0xbe80_2004, END], &[]),
    // s_load_dword s4, s[2:3], 0x0; s_movrels_b32 s0, s1, which M0 may lead to s4
    (&[0xf400_0101, 0xfa00_0000, 0xbe80_2e01, END], &["wait"]),
    (&[0xf400_0101, 0xfa00_0000, 0xbf8c_c07f, 0xbe80_2e01, END], &[]),
    // a word that is nothing
    (&[0xffff_ffff, END], &["unknown"]),
    // s_mov_b64 s[1:2], s[2:3], and the same with s[4:5]
    (&[0xbe81_0402, END], &["operand"]),
    (&[0xbe84_0402, END], &[]),
    // flat_load_dword v0, v[2:3] with an offset
    (&[0xdc30_0004, 0x007d_0002, END], &["flat-offset"]),
    // s_and_saveexec_b32 s0, s1; exp null off, off, off, off
    (&[0xbe80_3c01, 0xf800_0090, 0, END], &["no-lanes"]),
    // s_code_end
    (&[0xbf9f_0000, END], &["code-end"]),
    // s_waitcnt vmcnt(0) behind nothing, and behind global_load_dword v0, v[2:3], off
    (&[0xbf8c_3f70, END], &["needless-wait"]),
    (&[0xdc30_8000, 0x007d_0002, 0xbf8c_3f70, END], &[]),
    // ds_add_rtn_u32 v0, v1, v2 gds; v_mov_b32 v3, v0
    (&[0xd882_0000, 0x0000_0201, 0x7e06_0300, END], &["wait"]),
    (&[0xd882_0000, 0x0000_0201, 0xbf8c_c07f, 0x7e06_0300, END], &[]),
];

/// The same in waves of 64: v_cmp_eq_u32_e64 s[0:1], s0, v1 reads what its first half has written;
/// v_cndmask_b32_e64 with its mask, and a comparison that reads the upper register, do not.
const WRONG_IN_HALVES: &[(&[u32], &[&str])] = &[
    (&[0xd4c2_0000, 0x0002_0200, END], &["two-halves"]),
    (&[0xd4c2_0000, 0x0002_0201, END], &[]),
    // v_add_co_ci_u32_e64 v0, s[0:1], v1, v2, s[0:1]
    (&[0xd528_0000, 0x0002_0501, END], &[]),
];

#[test]
fn wrong_code_is_refused() {
    let all = [(WRONG, 32), (WRONG_IN_HALVES, 64)];
    for (words, wrong, wave) in
        all.iter().flat_map(|(rows, wave)| rows.iter().map(move |(a, b)| (a, b, *wave)))
    {
        assert_eq!(rules(words, wave), *wrong, "{words:08x?}");
    }
}

/// The rows of `wrong.txt`.
#[cfg(feature = "asm")]
#[test]
fn wrong_text_is_refused() {
    let rows = include_str!("wrong.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    for row in rows {
        let (wrong, code) = row.split_once(' ').expect("rules and code");
        let text = format!("{}\ns_endpgm\n", code.replace(" / ", "\n"));
        let made = chiaro_rdna::asm::assemble(&text, chiaro_diag::FileId(0), Some(32))
            .unwrap_or_else(|e| panic!("{row}: {}", e[0].message));
        let found = check(&made.text, Config { wave: 32, group: None });
        let found: Vec<&str> = found.iter().map(|f| f.finding.rule.id).collect();
        assert_eq!(found.join(","), wrong.trim_matches('-'), "{row}");
    }
}

/// A workgroup of one wave is in step without barriers.
#[test]
fn barriers_are_for_several_waves() {
    // ds_write_b32 v0, v1; s_barrier
    let words = [0xd834_0000, 0x0000_0100, 0xbf8a_0000, END];
    let found = |threads| errors(&words, Config { wave: 32, group: Some(threads) }).len();
    assert_eq!([32, 33].map(found), [0, 1]);
}

/// A message of a wait says which way the load comes, and what its counter may be and must be.
#[test]
fn messages_of_waits_name_way_and_counts() {
    // s_load_dword s0, s[2:3], 0x0; s_cbranch_scc1 over s_nop; s_mov_b32 s1, s0
    let words = [0xf400_0001_u32, 0xfa00_0000, 0xbf85_0001, 0xbf80_0000, 0xbe81_0300, END];
    let found = errors(&words, Config { wave: 32, group: None });
    let expected = "s0 is read by s_mov_b32, but s_load_dword at word 0 may not have written it: lgkmcnt may be 1 and must be 0; the way there is over word 4";
    assert_eq!(found[0].finding.message, expected);
}

/// Code with the words that a message names as its way: one word of a load that is read too early, instructions with / between
/// them. The straight way is shorter wherever there is another one.
const WAYS: &[(&str, &str)] = &[
    // A wait on the straight way brings the load, for nothing else of its order came behind it.
    (
        "global_load_dword v1, v[2:3], off / s_cbranch_scc1 far / s_waitcnt vmcnt(0) / use: / v_mov_b32_e32 v4, v1 / \
         s_endpgm / far: / s_nop 0 / s_nop 0 / s_branch use",
        "; the way there is over word 6, 4",
    ),
    // The same where another load came behind it, and a wait leaves that on its way.
    (
        "global_load_dword v1, v[2:3], off / global_load_dword v5, v[2:3], off / s_cbranch_scc1 far / \
         s_waitcnt vmcnt(1) / use: / v_mov_b32_e32 v4, v1 / s_endpgm / far: / s_nop 0 / s_nop 0 / s_branch use",
        "; the way there is over word 8, 6",
    ),
    // What is no load of its order is not counted.
    (
        "global_load_dword v1, v[2:3], off / s_branch over / s_nop 0 / over: / s_waitcnt vmcnt(1) / \
         v_mov_b32_e32 v4, v1",
        "; the way there is over word 4",
    ),
    (
        "s_load_dword s4, s[2:3], 0x0 / s_branch over / s_nop 0 / over: / s_waitcnt lgkmcnt(1) / s_mov_b32 s5, s4",
        "; the way there is over word 4",
    ),
    ("global_load_dword v1, v[2:3], off / s_nop 0 / v_mov_b32_e32 v4, v1", ""),
];

#[cfg(feature = "asm")]
#[test]
fn messages_of_waits_name_the_shortest_way() {
    for (code, way) in WAYS {
        let text = format!("{}\ns_endpgm\n", code.replace(" / ", "\n"));
        let made = chiaro_rdna::asm::assemble(&text, chiaro_diag::FileId(0), Some(32))
            .unwrap_or_else(|e| panic!("{code}: {}", e[0].message));
        let found = check(&made.text, Config { wave: 32, group: None });
        let waits: Vec<&str> = found
            .iter()
            .filter(|f| f.finding.rule.id == "wait")
            .map(|f| f.finding.message.as_str())
            .collect();
        let [wait] = waits[..] else { panic!("{code}: {waits:?}") };
        let told = wait.find("; the way").map_or("", |at| &wait[at..]);
        assert_eq!(told, *way, "{code}");
    }
}

/// Kernels that use more than their descriptors have.
#[cfg(feature = "asm")]
#[test]
fn kernels_keep_to_their_descriptors() {
    let found = |code: &str, vgprs: u32| found_in(&kernel(code, vgprs));
    assert_eq!(found("v_mov_b32_e32 v8, 0", 8), ["descriptor"]);
    assert_eq!(found("v_mov_b32_e32 v8, 0", 9), Vec::<&str>::new());
    assert_eq!(found("scratch_store_dword off, v0, s0", 8), ["descriptor"]);
    // Vector registers come by eight.
    assert_eq!(found("v_mov_b32_e32 v15, 0", 9), Vec::<&str>::new());
    assert_eq!(found("v_mov_b32_e32 v16, 0", 9), ["descriptor"]);
    assert_eq!(found("global_store_dword v[0:1], v2, off", 8), Vec::<&str>::new());
    for size in [".amdhsa_private_segment_fixed_size 16", ".amdhsa_uses_dynamic_stack 1"] {
        let text = format!("scratch_store_dword off, v0, s0\n s_endpgm\n.amdhsa_kernel k\n{size}");
        assert_eq!(found_in(&kernel(&text, 8)), Vec::<&str>::new(), "{size}");
    }
}

/// A kernel with a descriptor; what stands in its code may be another one's end and begin.
#[cfg(feature = "asm")]
fn kernel(code: &str, vgprs: u32) -> String {
    let code = if code.contains(".amdhsa_kernel") {
        code.to_owned()
    } else {
        format!("{code}\n s_endpgm\n.amdhsa_kernel k")
    };
    format!(
        ".text\n.globl k\n.type k,@function\nk:\n {code}\n.amdhsa_next_free_vgpr {vgprs}\n.amdhsa_next_free_sgpr 8\n.amdhsa_wavefront_size32 1\n.end_amdhsa_kernel\n"
    )
}

#[cfg(feature = "asm")]
fn found_in(text: &str) -> Vec<&'static str> {
    let made =
        chiaro_rdna::asm::assemble(text, chiaro_diag::FileId(0), None).unwrap_or_else(|e| panic!("{e:?}"));
    chiaro_rdna::check::object(&made, 32).iter().map(|f| f.finding.rule.id).collect()
}

/// Code begins at kernels and functions, and nowhere else: what stands before them, and data among them, is nobody's.
#[cfg(feature = "asm")]
#[test]
fn code_begins_at_kernels_and_functions() {
    let own = kernel("v_mov_b32_e32 v0, 0", 8);
    let early =
        "global_load_dword v1, v[2:3], off\nv_mov_b32_e32 v4, v1\ns_waitcnt vmcnt(0)\ns_setpc_b64 s[30:31]\n";
    let function = format!("\n.globl f\n.type f,@function\nf:\n{early}");
    let data = "\n.globl d\n.type d,@object\nd:\n.long 0xffffffff\n";
    assert_eq!(found_in(&own), Vec::<&str>::new());
    assert_eq!(found_in(&format!("{own}.text{function}")), ["wait"]);
    assert_eq!(found_in(&format!("{own}.text{data}")), Vec::<&str>::new());
    assert_eq!(found_in(&format!(".text{data}{own}")), Vec::<&str>::new());
    // A function of more registers than the kernel's descriptor has is counted by who links it.
    let large = "\n.globl f\n.type f,@function\nf:\nv_mov_b32_e32 v8, 0\ns_setpc_b64 s[30:31]\n";
    assert_eq!(found_in(&format!(".text{large}{own}")), Vec::<&str>::new());
}

/// A rule without a program that breaks it could be lost without anybody seeing it.
#[test]
fn every_rule_has_a_wrong_program() {
    let rows = WRONG.iter().chain(WRONG_IN_HALVES);
    // Descriptors have a test of their own, and the contracts of functions a file of theirs, `abi.rs`.
    let elsewhere = ["descriptor", "contract", "unproved"];
    let broken: Vec<&str> = rows.flat_map(|(_, rules)| rules.iter().copied()).chain(elsewhere).collect();
    let missing: Vec<&str> = ALL.iter().map(|rule| rule.id).filter(|id| !broken.contains(id)).collect();
    assert_eq!(missing, Vec::<&str>::new());
}
