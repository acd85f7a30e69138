//! Conventions as files, places of parameters that no vector has, and contracts with seeded faults.

use chiaro_diag::{Diagnostic, SourceMap};
use chiaro_rdna::abi::convention::{Convention, Gaps, SystemParameter, Unit};
use chiaro_rdna::abi::file::{no_place, read};
use chiaro_rdna::abi::partition::{File, Files, Pool, Span, partition};
use chiaro_rdna::abi::place::{Hints, Place, Placement, place};
use chiaro_rdna::abi::shipped;
use chiaro_rdna::abi::signature::{Signature, parse};
use chiaro_rdna::abi::stack::Frame;
use chiaro_rdna::asm::assemble;
use chiaro_rdna::check::Config;
use chiaro_rdna::check::contract::{Among, Contract, Role, contract_among};

fn file(text: &str) -> Result<Convention, Vec<Diagnostic>> {
    let mut sources = SourceMap::new();
    let id = sources.add("abi.json", text);
    read(text, id).map(|read| read.convention)
}

fn signature(text: &str) -> Signature {
    parse(text).unwrap_or_else(|wrong| panic!("{}", wrong.message))
}

fn places(convention: &Convention, text: &str, wave: u8, hints: &Hints) -> Placement {
    place(convention, &signature(text), wave, hints).unwrap_or_else(|why| panic!("{}", no_place(&why)))
}

/// The register of a parameter, as `s4`, or its place on the stack.
fn at(placement: &Placement, name: &str) -> String {
    let placed = placement.get(name).unwrap_or_else(|| panic!("{name}"));
    match placed.place {
        Place::Register { first, .. } => format!("{}{first}", placed.file.letter()),
        Place::Stack(offset) => format!("stack+{offset}"),
    }
}

/// Both sides of a call mean the same byte: the caller counts from its own stack pointer, the callee from that which it
/// is given. spec 18.7
#[test]
fn stack_parameters_are_where_both_sides_look() {
    let frame = Frame { bytes: 48, parameters: 24 };
    for (stack_pointer, offset) in [(0, 0), (0, 20), (256, 0), (256, 12)] {
        let found = i64::from(frame.callee(stack_pointer)) + frame.parameter(offset);
        assert_eq!(found, i64::from(frame.argument(stack_pointer, offset)));
    }
    assert_eq!((frame.callee(16), frame.argument(16, 4), frame.parameter(4)), (88, 68, -20));
}

#[test]
fn conventions_that_come_along_are_whole() {
    for (name, _) in shipped::FILES {
        let convention = shipped::convention(name).unwrap_or_else(|| panic!("{name}"));
        assert_eq!(convention.name, name);
        for wave in [32, 64] {
            let placement = places(&convention, "", wave, &Hints::default());
            assert!(placement.system(SystemParameter::ReturnAddress).is_some(), "{name}");
        }
    }
}

/// The example of spec 18.4: raygen, and any-hit with four dwords of payload.
#[test]
fn places_of_ray_tracing() {
    let recursive = shipped::convention("rt_recursive").expect("shipped");
    let common = "launch=v3, size=u3, descriptors=u1, dynamic=u1, push=u1, sbt=u2";
    let raygen = places(&recursive, &format!("{common}, traversal=u2, record=v2"), 32, &Hints::default());
    let want = [
        ("return_address", "s0"),
        ("uniform_pc", "s2"),
        ("stack_pointer", "s4"),
        ("sbt", "s6"),
        ("traversal", "s8"),
        ("descriptors", "s5"),
        ("dynamic", "s10"),
        ("push", "s11"),
        ("size", "s12"),
        ("divergent_pc", "v0"),
        ("record", "v2"),
        ("launch", "v4"),
    ];
    for (name, place) in want {
        assert_eq!(at(&raygen, name), place, "{name}");
    }
}

/// Without blocks nobody keeps anything, and parameters stand by their alignment alone.
#[test]
fn no_block() {
    let convention = file(r#"{ "abi": "none", "registers": "none" }"#).expect("a convention");
    assert!(partition(&convention).sgpr.iter().all(|pool| *pool == Pool::Clobbered));
    let made = places(&convention, "a=u1, b=u4, c=v3, d=u2D", 32, &Hints::default());
    let all =
        ["return_address", "uniform_pc", "stack_pointer", "b", "d", "a", "c"].map(|name| at(&made, name));
    assert_eq!(all, ["s0", "s2", "s4", "s8", "s6", "s5", "v2"]);
}

/// A run that is not aligned and cannot be moved up is none to drivers; here the next one is taken.
#[test]
fn gaps_are_aligned_by_default() {
    let text = |gaps: &str| {
        format!(
            r#"{{ "abi": "gaps", "gaps": "{gaps}", "registers": {{ "clobbered": {{ "sgpr": 5, "vgpr": 8 }},
               "preserved": {{ "sgpr": 4, "vgpr": 8 }}, "first": "clobbered" }} }}"#
        )
    };
    let [upstream, aligned] = ["upstream", "aligned"].map(|gaps| file(&text(gaps)).expect("a convention"));
    assert_eq!((upstream.gaps, aligned.gaps), (Gaps::Upstream, Gaps::Aligned));
    let place = |convention| at(&places(convention, "a=u4D", 32, &Hints::default()), "a");
    assert_eq!(place(&aligned), "s28");
    assert_eq!(place(&upstream), "stack+0");
}

#[test]
fn hints_are_followed_where_they_can_be() {
    let convention = shipped::convention("rt_recursive").expect("shipped");
    let span = |first, last| Span { first, last };
    let mut hints = Hints { wanted: vec![("a".to_owned(), 20), ("b".to_owned(), 0)], ..Hints::default() };
    *hints.avoided.of_mut(File::Vgpr) = vec![span(2, 9)];
    let made = places(&convention, "a=v2, b=u2, c=v1", 32, &hints);
    // The registers that b is wanted in are taken.
    assert_eq!(["a", "b", "c"].map(|name| at(&made, name)), ["v20", "s6", "v10"]);
}

/// Files that are refused: what stands in them, what is said, and the text that is marked.
#[test]
fn wrong_files() {
    let ranges = |sgpr: &str| {
        format!(
            r#"{{ "abi": "x", "registers": {{ "preserved_ranges": {{ "sgpr": {sgpr}, "vgpr": [] }} }} }}"#
        )
    };
    let system = |fields: &str| format!(r#"{{ "abi": "x", "registers": "none", "system": {{ {fields} }} }}"#);
    let cases = [
        (ranges("[[4, 9], [8, 12]]"), "s[8:12] overlaps s[4:9]", "[8, 12]"),
        (ranges("[[9, 4]]"), "the range ends at 4, before its begin at 9", "[9, 4]"),
        (ranges("[[100, 106]]"), "s[100:106] leaves the file, whose last register is s105", "[100, 106]"),
        (ranges("[[0, 1, 2]]"), "a range is its first and its last register, such as [0, 15]", "[0, 1, 2]"),
        (ranges("[[0, -1]]"), "the last register is a whole number from 0 to 255", "-1"),
        (
            ranges("[[0, 105]]"),
            "no room for `return_address`: it needs 2 clobbered scalar registers in a row, 0 are free",
            r#"{ "preserved_ranges": { "sgpr": [[0, 105]], "vgpr": [] } }"#,
        ),
        (
            r#"{ "abi": "x", "registers": "none", "max_param_demand": { "sgpr": 8, "vgpr": 1 } }"#.to_owned(),
            "no room for `divergent_pc`: it needs 2 vector registers, and `max_param_demand` has 1 for all parameters",
            "\"none\"",
        ),
        (
            system(r#""return_address": "s31""#),
            "`return_address` is \"placed\", null for none, or its place: it is a register from \"s0\" to \"s104\" with \
             a number that is a multiple of 2",
            "\"s31\"",
        ),
        (
            system(r#""return_address": "s30", "stack_pointer": "s31""#),
            "`stack_pointer` overlaps `return_address`",
            "\"s31\"",
        ),
        (
            r#"{ "abi": "x", "registers": "none", "abi": "y" }"#.to_owned(),
            "an ABI has `abi` twice",
            "\"abi\"",
        ),
        (r#"{ "abi": "x", "register": "none" }"#.to_owned(), "an ABI has no `register`", "\"register\""),
        (r#"{ "abi": "x", "registers": "all" }"#.to_owned(), "`registers` without runs is `none`", "\"all\""),
        (
            r#"{ "abi": "x", "registers": "none", "stack": { "unit": "wave" } }"#.to_owned(),
            "a stack in bytes of a wave needs the `descriptor` that it is reached by",
            "\"wave\"",
        ),
        (
            r#"{ "abi": "x", "registers": "none", "stack": { "unit": "lane", "align": 6 } }"#.to_owned(),
            "`align` is a multiple of 4: scratch is made of dwords",
            "6",
        ),
        (
            r#"{ "abi": "x", "registers": "none", "mode": 256 }"#.to_owned(),
            "`mode` is \"kept\", or it is a whole number from 0 to 255",
            "256",
        ),
    ];
    for (text, message, marked) in cases {
        let errors = file(&text).expect_err(&text);
        let found = errors.iter().find(|error| error.message == message);
        let error = found
            .unwrap_or_else(|| panic!("{text}: {:?}", errors.iter().map(|e| &e.message).collect::<Vec<_>>()));
        let span = error.span.expect("a place");
        let at = &text[span.start as usize..span.end as usize];
        assert_eq!(at, marked, "{message}");
    }
}

#[test]
fn what_is_no_json_is_no_panic() {
    for text in
        ["", "{", "[]", "null", "{ \"abi\": 1 }", "\u{feff}{}", &"[".repeat(100_000), "{\"abi\":\"x\",}"]
    {
        assert!(file(text).is_err(), "{text:.20}");
    }
}

#[test]
fn wrong_signatures() {
    for text in ["q3", "v0", "v", "u1X", "b2", "a=u1, a=u2", "v1*2000", "v1*x", ",", "v70000"] {
        let wrong = parse(text).expect_err(text);
        assert!(wrong.place.start <= text.len(), "{text}: {:?}", wrong.place);
    }
}

/// A function under LLVM's convention that saves what it uses: a lane register with the return address, a preserved
/// register, both in all lanes that may be written.
const WHOLE: &str = "
s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
s_mov_b32 s4, s33
s_mov_b32 s33, s32
s_or_saveexec_b32 s5, -1
scratch_store_dword off, v40, s33
s_mov_b32 exec_lo, s5
v_writelane_b32 v40, s4, 2
s_add_i32 s32, s32, 16
scratch_store_dword off, v41, s33 offset:4
v_mov_b32_e32 v41, v0
v_writelane_b32 v40, s30, 0
v_writelane_b32 v40, s31, 1
s_mov_b32 s6, exec_lo
v_writelane_b32 v40, s6, 3
v_cmpx_ne_u32_e32 0, v0
s_cbranch_execz skip
s_swappc_b64 s[30:31], s[16:17]
skip:
v_readlane_b32 s6, v40, 3
s_or_b32 exec_lo, exec_lo, s6
v_add_nc_u32_e32 v0, v0, v41
scratch_load_dword v41, off, s33 offset:4
v_readlane_b32 s30, v40, 0
v_readlane_b32 s31, v40, 1
v_readlane_b32 s4, v40, 2
s_or_saveexec_b32 s5, -1
scratch_load_dword v40, off, s33
s_mov_b32 exec_lo, s5
s_sub_i32 s32, s32, 16
s_mov_b32 s33, s4
s_waitcnt vmcnt(0)
s_setpc_b64 s[30:31]
";

/// Faults: a line of the function, what stands there instead, and a piece of what is found.
const FAULTS: [(&str, &str, &str); 30] = [
    // Who is called works for all lanes that run.
    (
        "s_swappc_b64 s[30:31], s[16:17]",
        "s_mov_b32 exec_lo, -1\ns_swappc_b64 s[30:31], s[16:17]",
        "is made by lanes that slept at entry",
    ),
    // A store that begins within a dword goes on in the next one.
    (
        "scratch_load_dword v41, off, s33 offset:4",
        "scratch_store_dword off, v0, s33 offset:2\nscratch_load_dword v41, off, s33 offset:4",
        "of v41",
    ),
    (
        "scratch_load_dword v41, off, s33 offset:4",
        "scratch_store_short off, v0, s33 offset:3\nscratch_load_dword v41, off, s33 offset:4",
        "of v41",
    ),
    (
        "v_readlane_b32 s30, v40, 0",
        "v_writelane_b32 v40, s6, 32\nv_readlane_b32 s30, v40, 0",
        "names a lane that the wave does not have",
    ),
    // Where no lane runs, what is read is that of one that may sleep.
    (
        "s_mov_b32 s33, s4",
        "v_mov_b32_e32 v1, s4\ns_mov_b32 exec_lo, 0\nv_readfirstlane_b32 s33, v1\ns_mov_b32 exec_lo, s5",
        "s33 is not what it was at entry",
    ),
    (
        "v_mov_b32_e32 v41, v0",
        "s_setreg_b32 hwreg(HW_REG_FLAT_SCR_LO), s6\nv_mov_b32_e32 v41, v0",
        "moves the begin of scratch",
    ),
    // A part of a dword, and parts of two, are not the dword.
    ("scratch_store_dword off, v41, s33 offset:4", "scratch_store_short off, v41, s33 offset:4", "v41"),
    ("scratch_store_dword off, v41, s33 offset:4", "scratch_store_dword off, v41, s33 offset:5", "v41"),
    ("scratch_store_dword off, v41, s33 offset:4", "s_nop 0", "lanes that run of v41"),
    ("scratch_load_dword v41, off, s33 offset:4", "s_nop 0", "lanes that run of v41"),
    ("scratch_load_dword v41, off, s33 offset:4", "scratch_load_dword v41, off, s33 offset:8", "v41"),
    // A part of a dword is not the dword.
    ("scratch_load_dword v41, off, s33 offset:4", "scratch_load_ushort v41, off, s33 offset:4", "v41"),
    ("s_setpc_b64 s[30:31]", "s_round_mode 1\ns_setpc_b64 s[30:31]", "rounding are 0x1"),
    ("s_sub_i32 s32, s32, 16", "s_sub_i32 s32, s32, 12", "s32 is not what it was at entry"),
    ("s_or_b32 exec_lo, exec_lo, s6", "s_nop 0", "EXEC"),
    ("s_or_b32 exec_lo, exec_lo, s6", "s_mov_b32 exec_lo, -1", "lanes that slept run"),
    ("v_readlane_b32 s30, v40, 0", "v_readlane_b32 s30, v40, 1", "does not go back to the caller"),
    ("v_writelane_b32 v40, s31, 1", "s_nop 0", "does not go back to the caller"),
    ("s_mov_b32 s33, s4", "s_nop 0", "s33 is not what it was at entry"),
    ("s_waitcnt vmcnt(0)\ns_setpc", "s_nop 0\ns_setpc", "vmcnt may be above 0"),
    ("s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)", "s_nop 0", "while loads of the caller may be on their way"),
    ("v_add_nc_u32_e32 v0, v0, v41", "v_add_nc_u32_e32 v0, v32, v41", "may leave anything"),
    ("v_add_nc_u32_e32 v0, v0, v41", "v_add_nc_u32_e32 v0, s8, v41", "leaves anything"),
    ("v_mov_b32_e32 v41, v0", "s_denorm_mode 0\nv_mov_b32_e32 v41, v0", "denormals are 0x0"),
    ("s_add_i32 s32, s32, 16", "s_nop 0", "v40"),
    // Who has no other name for MODE than its number sets it as well.
    (
        "s_setpc_b64 s[30:31]",
        "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 1\ns_setpc_b64 s[30:31]",
        "rounding are 0x1",
    ),
    // A mask in a lane goes with the register, and one in a scalar with the call.
    ("v_readlane_b32 s6, v40, 3", "v_mov_b32_e32 v40, v0\nv_readlane_b32 s6, v40, 3", "EXEC"),
    ("v_readlane_b32 s6, v40, 3", "s_nop 0", "EXEC"),
    // Lanes that sleep keep what a store without them leaves behind.
    (
        "v_readlane_b32 s30, v40, 0",
        "scratch_store_dword off, v40, s33 offset:8\nv_mov_b32_e32 v40, 0\n\
         scratch_load_dword v40, off, s33 offset:8\nv_readlane_b32 s30, v40, 0",
        "does not go back to the caller",
    ),
    (
        "scratch_store_dword off, v40, s33",
        "scratch_store_dword off, v40, s33 offset:-4",
        "below its stack pointer",
    ),
];

fn found(text: &str) -> Vec<String> {
    found_in(text, 32, None)
}

/// As [`found`], in waves of a size, of a function whose part of the stack has so many bytes.
fn found_in(text: &str, wave: u8, room: Option<u32>) -> Vec<String> {
    found_as(Role::Function, text, wave, room)
}

/// The same of a function, or of a kernel.
fn found_as(role: Role, text: &str, wave: u8, room: Option<u32>) -> Vec<String> {
    let more = |agreed: Contract, _: (&Signature, &Placement)| match room {
        Some(bytes) => agreed.with_room(bytes),
        None => agreed,
    };
    found_of(text, (role, wave, ""), more)
}

/// The same with a signature, of what has a contract that says more.
fn found_of(
    text: &str,
    (role, wave, signature): (Role, u8, &str),
    more: impl Fn(Contract, (&Signature, &Placement)) -> Contract,
) -> Vec<String> {
    found_under(shipped::convention("llvm_c").expect("shipped"), text, (role, wave, signature), more)
}

/// The same under another convention.
fn found_under(
    mut convention: Convention,
    text: &str,
    (role, wave, signature): (Role, u8, &str),
    more: impl Fn(Contract, (&Signature, &Placement)) -> Contract,
) -> Vec<String> {
    let mut sources = SourceMap::new();
    let id = sources.add("f.s", text);
    let object =
        assemble(text, id, Some(wave)).unwrap_or_else(|errors| panic!("{}: {text}", errors[0].message));
    if !signature.is_empty() {
        // Results are parameters, and in no other registers.
        convention.results = Files::default();
    }
    let parameters = parse(signature).expect("a signature");
    let placement = places(&convention, signature, wave, &Hints::default());
    let agreed = Contract::new(&convention, &parameters, &placement).expect("a return address");
    let agreed = more(agreed, (&parameters, &placement));
    let known = (Among { whole: true, ..Among::default() }, Config { wave, group: None });
    let all = contract_among(&object.text, 0, role, &agreed, known);
    all.into_iter().map(|found| format!("{}: {}", found.finding.rule.id, found.finding.message)).collect()
}

/// A branch to what stands behind it anyway is taken by whoever comes: it tells nothing of who runs.
#[test]
fn branches_to_what_follows_tell_nothing() {
    for branch in ["s_cbranch_execz", "s_cbranch_execnz"] {
        let text = format!(
            "s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)\n{branch} next\nnext:\nv_mov_b32_e32 v40, 0\ns_setpc_b64 s[30:31]\n"
        );
        let all = found(&text);
        assert!(all.iter().any(|found| found.contains("lanes that run of v40")), "{branch}: {all:?}");
    }
}

#[test]
fn a_function_that_keeps_its_contract() {
    assert_eq!(found(WHOLE), [""; 0]);
}

#[test]
fn seeded_faults_are_found() {
    for (line, instead, piece) in FAULTS {
        assert_eq!(WHOLE.matches(line).count(), 1, "{line}");
        let all = found(&WHOLE.replacen(line, instead, 1));
        assert!(all.iter().any(|found| found.contains(piece)), "{line} -> {instead}: {all:#?}");
    }
}

/// A return address that is moved as a whole is still one, and modes are as agreed where they are set so.
#[test]
fn what_stays_the_same_is_known() {
    let back = WHOLE.replacen("s_setpc_b64 s[30:31]", "s_mov_b64 s[4:5], s[30:31]\ns_setpc_b64 s[4:5]", 1);
    assert_eq!(found(&back), [""; 0]);
    let line = "s_setpc_b64 s[30:31]";
    let set = WHOLE.replacen(line, &format!("s_round_mode 0\ns_denorm_mode 12\n{line}"), 1);
    assert_eq!(found(&set), [""; 0]);
    // Another register of the hardware is no mode, and of VCC no call is asked.
    let other = WHOLE.replacen(line, &format!("s_setreg_imm32_b32 hwreg(3, 0, 4), 1\n{line}"), 1);
    assert_eq!(found(&other), [""; 0]);
    let vcc = WHOLE.replacen("v_add_nc_u32_e32 v0, v0, v41", "v_add_nc_u32_e32 v0, vcc_lo, v41", 1);
    assert_eq!(found(&vcc), [""; 0]);
}

/// What writes v32, in which a call has left anything, and whether nothing of that stays in lanes that run.
const WRITES: [(&str, bool); 10] = [
    ("v_mov_b32_e32 v32, v41", true),
    ("v_mov_b32_dpp v32, v41 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf bound_ctrl:0", true),
    ("v_mov_b32_dpp v32, v41 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf", false),
    ("v_mov_b32_dpp v32, v41 quad_perm:[0,1,2,3] row_mask:0x7 bank_mask:0xf bound_ctrl:0", false),
    ("v_mov_b32_dpp v32, v41 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xe bound_ctrl:0", false),
    ("v_mov_b32_dpp v32, v41 dpp8:[1,0,3,2,5,4,7,6]", false),
    ("v_mov_b32_sdwa v32, v41 dst_sel:DWORD dst_unused:UNUSED_PRESERVE src0_sel:BYTE_1", true),
    ("v_mov_b32_sdwa v32, v41 dst_sel:BYTE_0 dst_unused:UNUSED_PAD src0_sel:DWORD", true),
    ("v_mov_b32_sdwa v32, v41 dst_sel:BYTE_0 dst_unused:UNUSED_PRESERVE src0_sel:DWORD", false),
    ("scratch_load_short_d16_hi v32, off, s33 offset:4\ns_waitcnt vmcnt(0)", false),
];

#[test]
fn registers_are_written_as_a_whole_or_in_parts() {
    let line = "v_add_nc_u32_e32 v0, v0, v41";
    for (write, is_whole) in WRITES {
        let all = found(&WHOLE.replacen(line, &format!("{write}\nv_add_nc_u32_e32 v0, v32, v41"), 1));
        let leaves = all.iter().any(|found| found.contains("may leave anything"));
        assert_eq!(leaves, !is_whole, "{write}: {all:#?}");
    }
}

/// Bits of MODE that a function sets: from which on, how many, to what, and what is found at its end. Rounding has the lowest
/// four, denormals the next four, and only as many of what is left as stay the same.
const MODES: [(u32, u32, u32, &[&str]); 15] = [
    (0, 4, 0, &[]),
    (0, 4, 3, &["rounding are 0x3"]),
    (4, 4, 12, &[]),
    (4, 4, 3, &["denormals are 0x3"]),
    (0, 8, 0xc0, &[]),
    (0, 8, 0x30, &["denormals are 0x3"]),
    (0, 8, 3, &["rounding are 0x3", "denormals are 0x0"]),
    (0, 2, 0, &["nobody knows rounding"]),
    (2, 2, 0, &["nobody knows rounding"]),
    (2, 6, 0x30, &["nobody knows rounding"]),
    (2, 6, 0x20, &["nobody knows rounding", "denormals are 0x8"]),
    (4, 2, 0, &["nobody knows denormals"]),
    (7, 2, 0, &["nobody knows denormals", "nobody knows other bits of MODE"]),
    (8, 2, 0, &["nobody knows other bits of MODE"]),
    (8, 24, 5, &["other bits of MODE are 0x5"]),
];

#[test]
fn parts_of_the_mode_are_told_apart() {
    let line = "s_setpc_b64 s[30:31]";
    for (first, width, value, pieces) in MODES {
        let set = format!("s_setreg_imm32_b32 hwreg(HW_REG_MODE, {first}, {width}), {value}\n{line}");
        let mut all = found(&WHOLE.replacen(line, &set, 1));
        assert_eq!(all.len(), pieces.len(), "{first}, {width}, {value}: {all:#?}");
        all.retain(|found| !pieces.iter().any(|piece| found.contains(piece)));
        assert_eq!(all, [""; 0], "{first}, {width}, {value}");
    }
}

/// A store to one of some places may have spoiled what is kept at one of them, which is no proof that it has.
#[test]
fn a_store_to_one_of_some_places_is_a_doubt() {
    let text = "
s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
s_waitcnt_vscnt null, 0x0
scratch_store_dword off, v40, s32
v_and_b32_e32 v1, 12, v0
v_add_nc_u32_e32 v1, s32, v1
scratch_store_dword v1, v0, off
v_mov_b32_e32 v40, 0
scratch_load_dword v40, off, s32
s_waitcnt vmcnt(0)
s_waitcnt_vscnt null, 0x0
s_setpc_b64 s[30:31]
";
    let all = found_in(text, 32, Some(16));
    assert!(all.iter().any(|found| found.contains("v40")), "{all:#?}");
    assert!(all.iter().all(|found| found.starts_with("unproved: ")), "{all:#?}");
}

/// The last byte of a frame is the function's own, the next one is not: at a place that is known, and at one within bounds.
#[test]
fn stores_stay_within_the_frame() {
    let function = |store: &str| {
        format!(
            "s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)\ns_waitcnt_vscnt null, 0x0\n{store}\n\
             s_waitcnt_vscnt null, 0x0\ns_setpc_b64 s[30:31]\n"
        )
    };
    let at = |offset: u32| function(&format!("scratch_store_dword off, v0, s32 offset:{offset}"));
    assert_eq!(found_in(&at(12), 32, Some(16)), [""; 0]);
    let beyond = found_in(&at(13), 32, Some(16));
    assert!(beyond.iter().any(|found| found.contains("writes byte 16 of a frame of 16")), "{beyond:?}");
    let short = function("scratch_store_short off, v0, s32 offset:15");
    let beyond = found_in(&short, 32, Some(16));
    assert!(beyond.iter().any(|found| found.contains("writes byte 16 of a frame of 16")), "{beyond:?}");
    // The callee's part begins within the frame, or behind it.
    let far = WHOLE
        .replace("s_add_i32 s32, s32, 16", "s_add_i32 s32, s32, 32")
        .replace("sub_i32 s32, s32, 16", "sub_i32 s32, s32, 32");
    assert_eq!(found_in(&far, 32, Some(32)), [""; 0]);
    let beyond = found_in(&far, 32, Some(16));
    assert!(beyond.iter().any(|found| found.contains("is at byte 32 of a frame of 16")), "{beyond:?}");
    // The smaller of two masks counts: places from 0 to 12.
    let chosen = function(
        "v_and_b32_e32 v1, 63, v0\nv_and_b32_e32 v1, 3, v1\nv_lshlrev_b32_e32 v1, 2, v1\n\
         v_add_nc_u32_e32 v1, s32, v1\nscratch_store_dword v1, v0, off",
    );
    assert_eq!(found_in(&chosen, 32, Some(16)), [""; 0]);
    let beyond = found_in(&chosen, 32, Some(15));
    assert!(beyond.iter().any(|found| found.contains("may write byte 15 of a frame of 15")), "{beyond:?}");
}

/// A call through a pointer goes to what the source gives, and never to what is surely no function: the caller's return
/// address, a place of the stack, what a call has left.
#[test]
fn pointers_that_are_no_functions() {
    let call = "s_swappc_b64 s[30:31], s[16:17]";
    let from = |line: &str| WHOLE.replacen(call, &format!("{line}\n{call}"), 1);
    let address = "s_mov_b32 s16, 0x89abcdef\ns_mov_b32 s17, 0x123";
    assert_eq!(found(&from(address)), [""; 0], "an address that the source gives");
    for (line, piece) in [
        ("s_mov_b64 s[16:17], s[30:31]", "goes back to the caller"),
        ("s_mov_b32 s16, s33", "that is no function: it is what s32 was at entry"),
        (call, "that is no function: the call at word"),
    ] {
        let all = found(&from(line));
        assert!(all.iter().any(|found| found.contains(piece)), "{line}: {all:#?}");
    }
}

/// What a callee is given has been written in all lanes that call, and what a function gives back in all that return.
#[test]
fn values_stand_where_they_are_looked_for() {
    let call = "s_swappc_b64 s[30:31], s[16:17]";
    let told = |given: &[usize], gives: &[usize], lines: &str| {
        let text = WHOLE.replacen(
            call,
            &format!(
                "{call}
{lines}
"
            ),
            1,
        );
        let all = found_of(&text, (Role::Function, 32, "a=v1D, b=v1D, k=u1D"), |agreed, places| {
            agreed.passing(places, given, gives)
        });
        all.into_iter().filter(|found| found.contains("nobody may have written")).collect::<Vec<String>>()
    };
    assert_eq!(told(&[0, 1], &[0], ""), [""; 0]);
    let again = told(&[0, 1], &[], call);
    assert!(again.iter().any(|found| found.contains("hands over v1, which")), "{again:#?}");
    let all = "v_mov_b32_e32 v0, 0
v_mov_b32_e32 v1, 0";
    assert_eq!(
        told(
            &[0, 1],
            &[],
            &format!(
                "{all}
{call}"
            )
        ),
        [""; 0]
    );
    let some = "v_mov_b32_e32 v0, 0
s_mov_b32 s6, exec_lo
v_cmpx_ne_u32_e32 5, v41
v_mov_b32_e32 v1, 0
s_mov_b32 exec_lo, s6";
    let lacks = told(
        &[0, 1],
        &[],
        &format!(
            "{some}
{call}"
        ),
    );
    assert!(lacks.iter().any(|found| found.contains("hands over v1, which")), "{lacks:#?}");
    let back = told(&[0], &[1], "");
    assert!(back.iter().any(|found| found.contains("gives back v1, which")), "{back:#?}");
}

/// A call through a pointer of lanes goes to that of the lowest one, and only lanes run that hold the same.
#[test]
fn lanes_that_call_want_the_same_function() {
    let call = "s_swappc_b64 s[30:31], s[16:17]";
    let first = "v_readfirstlane_b32 s16, v2
v_readfirstlane_b32 s17, v3";
    let rest = "v_cmp_eq_u64_e64 s7, s[16:17], v[2:3]
s_and_saveexec_b32 s7, s7";
    let told = |lines: &str| {
        let all = found(&WHOLE.replacen(
            call,
            &format!(
                "{lines}
{call}"
            ),
            1,
        ));
        all.into_iter().filter(|found| found.contains("something else there")).count()
    };
    assert_eq!(
        told(&format!(
            "{first}
{rest}"
        )),
        0
    );
    let wrong = [
        first.to_owned(),
        format!(
            "{first}
{}",
            rest.replace("s_and_saveexec_b32 s7, s7", "s_nop 0")
        ),
        format!(
            "{first}
{}",
            rest.replace("v[2:3]", "v[4:5]")
        ),
        format!(
            "{first}
v_mov_b32_e32 v3, 0
{rest}"
        ),
        format!(
            "v_readfirstlane_b32 s16, v2
v_cmpx_ne_u32_e32 5, v41
v_readfirstlane_b32 s17, v3
{rest}"
        ),
    ];
    for lines in wrong {
        assert_eq!(told(&lines), 1, "{lines}");
    }
}

/// Without a save of its sleeping lanes a register that is clobbered must not be written as a whole wave.
#[test]
fn lanes_that_sleep_are_kept_in_clobbered_registers() {
    let saved = "
s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
s_xor_saveexec_b32 s4, -1
scratch_store_dword off, v32, s32
s_mov_b32 exec_lo, -1
v_mov_b32_e32 v32, 0
v_writelane_b32 v32, s30, 3
s_xor_b32 exec_lo, s4, -1
scratch_load_dword v32, off, s32
s_mov_b32 exec_lo, s4
s_waitcnt vmcnt(0)
s_setpc_b64 s[30:31]
";
    assert_eq!(found(saved), [""; 0]);
    let lost = found(&saved.replace("scratch_load_dword v32, off, s32", "s_nop 0"));
    assert!(lost.iter().any(|found| found.contains("lanes that sleep of v32")), "{lost:#?}");
}

/// A lane that something was put into holds that, whatever a call has left in the register before; one that nothing was put
/// into, on one way at least, may hold anything.
#[test]
fn lanes_are_read_that_something_was_put_into() {
    let call = "s_swappc_b64 s[30:31], s[16:17]";
    let told = |one: &str, before: &str| {
        let ways = "s_cbranch_scc1 one\nv_writelane_b32 v32, s6, 2\ns_branch both\none:";
        let read = format!("{call}\n{ways}\n{one}\nboth:\n{before}\nv_readlane_b32 s6, v32, 2");
        let mut all = found(&WHOLE.replacen(call, &read, 1));
        all.retain(|found| found.contains("v_readlane_b32 reads"));
        all
    };
    let put = "v_writelane_b32 v32, s6, 2";
    assert_eq!(told(put, ""), [""; 0]);
    assert_eq!(told("s_nop 0", "").len(), 1, "nothing is put there on one way");
    assert_eq!(told(put, call).len(), 1, "a call comes between");
}

/// A loop over the targets of lanes ends with the lanes that it began with; one that leaves a lane out does not.
#[test]
fn loops_over_lanes() {
    let whole = "
s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
s_mov_b32 s4, exec_lo
again:
v_readfirstlane_b32 s6, v0
s_mov_b32 s5, exec_lo
v_cmpx_eq_u32_e32 s6, v0
v_add_nc_u32_e32 v1, s6, v1
s_xor_b32 exec_lo, exec_lo, s5
s_cbranch_execnz again
s_mov_b32 exec_lo, s4
s_setpc_b64 s[30:31]
";
    assert_eq!(found(whole), [""; 0]);
    assert!(!found(&whole.replace("s_mov_b32 exec_lo, s4", "s_nop 0")).is_empty());
    let counted = "
s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
s_mov_b32 s4, 0
again:
v_add_nc_u32_e32 v1, -1, v1
v_cmp_eq_u32_e32 vcc_lo, 0, v1
s_or_b32 s4, vcc_lo, s4
s_andn2_b32 exec_lo, exec_lo, s4
s_cbranch_execnz again
s_or_b32 exec_lo, exec_lo, s4
s_setpc_b64 s[30:31]
";
    assert_eq!(found(counted), [""; 0]);
    assert!(!found(&counted.replace("s_or_b32 s4, vcc_lo, s4", "s_mov_b32 s4, vcc_lo")).is_empty());
}

/// Lanes without the call read what the call left in others: that is looked at for a register that is in doubt, however
/// many others are read as well.
#[test]
fn a_register_in_doubt_is_looked_at_among_many() {
    let begin = "s_mov_b32 s4, s33\n";
    let reads: String = (3..150).map(|n| format!("v_max_u32_e32 v2, v{n}, v2\n")).collect();
    let many = WHOLE.replacen(begin, &format!("{reads}{begin}"), 1);
    let back = "s_or_b32 exec_lo, exec_lo, s6";
    let read = |lanes: &str| {
        let read = format!("s_mov_b32 s7, exec_lo\n{lanes}\nv_mov_b32_e32 v1, v208\n{back}");
        found(&many.replacen(back, &read, 1))
    };
    assert_eq!(read("s_andn2_b32 exec_lo, s6, s7"), [""; 0]);
    let all = read("s_mov_b32 exec_lo, s6");
    assert!(
        all.iter().any(|found| found.contains("v208") && found.contains("may leave anything")),
        "{all:#?}"
    );
}

/// A register comes back in lanes that nobody knows: where it was never another, nothing is lost.
#[test]
fn what_comes_back_in_any_lanes_is_the_same() {
    let whole = "
s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
s_mov_b32 s4, exec_lo
s_or_saveexec_b32 s5, -1
scratch_store_dword off, v40, s32
s_mov_b32 exec_lo, s8
scratch_load_dword v40, off, s32
s_mov_b32 exec_lo, s4
s_waitcnt vmcnt(0)
s_waitcnt_vscnt null, 0x0
s_setpc_b64 s[30:31]
";
    assert_eq!(found(whole), [""; 0]);
    let lost = found(&whole.replace("scratch_load_dword v40, off, s32", "v_mov_b32_e32 v40, 0"));
    assert!(lost.iter().any(|found| found.contains("v40")), "{lost:#?}");
    let other = whole.replace("scratch_store_dword off, v40, s32", "v_mov_b32_e32 v40, 0");
    assert!(found(&other).iter().any(|found| found.contains("v40")), "{:#?}", found(&other));
}

/// What is on its way on one of two ways is on its way behind both, and so is what the caller has there.
#[test]
fn counters_are_joined_where_ways_meet() {
    let function = |begin: &str, skipped: &str, end: &str| {
        found(&format!(
            "{begin}\ns_cmp_eq_u32 s4, 0\ns_cbranch_scc0 skip\n{skipped}\nskip:\n{end}\ns_setpc_b64 s[30:31]\n"
        ))
    };
    let (wait, load) = ("s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)", "global_load_dword v1, v[2:3], off");
    assert_eq!(function(wait, load, "s_waitcnt vmcnt(0)"), [""; 0]);
    let on_way = function(wait, load, "s_nop 0");
    assert!(on_way.iter().any(|found| found.contains("vmcnt may be above 0")), "{on_way:#?}");
    assert_eq!(function(wait, "s_nop 0", "v_mov_b32_e32 v1, v2"), [""; 0]);
    let of_caller = function("s_nop 0", wait, "v_mov_b32_e32 v1, v2");
    assert!(of_caller.iter().any(|found| found.contains("while loads of the caller")), "{of_caller:#?}");
}

/// A wait that leaves one access of a kind on its way is none for all of them, and one for another kind is none at all: where
/// nothing may be on its way at a return.
#[test]
fn every_counter_comes_down_to_zero() {
    let wait = "s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)\ns_waitcnt_vscnt null, 0x0\n";
    let all =
        ["s_waitcnt vmcnt(0)", "s_waitcnt expcnt(0)", "s_waitcnt lgkmcnt(0)", "s_waitcnt_vscnt null, 0x0"];
    for (n, counter, access) in [
        (0, "vmcnt", "global_load_dword v1, v[2:3], off"),
        (1, "expcnt", "exp mrt0 v0, v0, v0, v0 done vm"),
        (2, "lgkmcnt", "ds_read_b32 v1, v2"),
        (3, "vscnt", "global_store_dword v[2:3], v1, off"),
    ] {
        let told = |waits: &str| {
            let mut convention = shipped::convention("llvm_c").expect("shipped");
            convention.in_flight.returns.clear();
            let text = format!("{wait}{access}\n{waits}\ns_setpc_b64 s[30:31]\n");
            let found = found_under(convention, &text, (Role::Function, 32, ""), |agreed, _| agreed);
            found.iter().any(|found| found.contains(&format!("{counter} may be above 0")))
        };
        assert!(!told(all[n]), "{access}");
        let others: Vec<&str> =
            all.iter().enumerate().filter(|(other, _)| *other != n).map(|(_, w)| *w).collect();
        assert!(told(&others.join("\n")), "{access}");
        let partly = all[n].replace("(0)", "(1)").replace("0x0", "0x1");
        assert!(told(&partly), "{partly}");
    }
}

/// A callee's part of the stack begins where its convention lets it.
#[test]
fn stacks_of_callees_are_aligned() {
    let moved = |by: u32| {
        let text = WHOLE.replacen("s_add_i32 s32, s32, 16", &format!("s_add_i32 s32, s32, {by}"), 1);
        found(&text.replacen("s_sub_i32 s32, s32, 16", &format!("s_sub_i32 s32, s32, {by}"), 1))
    };
    assert_eq!(moved(32), [""; 0]);
    let is_below = |all: &[String]| all.iter().any(|found| found.contains("below its place at entry"));
    let down = WHOLE.replacen("s_add_i32 s32, s32, 16", "s_sub_i32 s32, s32, 32", 1);
    let all = found(&down.replacen("s_sub_i32 s32, s32, 16", "s_add_i32 s32, s32, 32", 1));
    assert!(is_below(&all), "{all:#?}");
    let stays = WHOLE.replacen("s_add_i32 s32, s32, 16", "s_nop 0", 1);
    let all = found(&stays.replacen("s_sub_i32 s32, s32, 16", "s_nop 0", 1));
    assert!(!is_below(&all), "{all:#?}");
    let all = moved(20);
    assert!(all.iter().any(|found| found.contains("moved by 20 bytes, no multiple of 16")), "{all:#?}");
}

/// Where stores go: to what a caller has handed over, to a place that nobody knows, and in kernels by plain numbers.
#[test]
fn addresses_of_stores_are_told_apart() {
    let wait = "s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)\n";
    let function = |store: &str| found_in(&format!("{wait}{store}\ns_setpc_b64 s[30:31]\n"), 32, Some(16));
    let vscnt = "s_waitcnt_vscnt null, 0x0";
    let given = format!("scratch_store_dword off, v0, s34 offset:100\n{vscnt}");
    assert_eq!(function(&given), [""; 0]);
    // The same by vector registers: a place of the frame, what a scalar holds and what the caller has put there.
    let by_lanes = |line: &str, offset: u32| {
        function(&format!("{line}\nscratch_store_dword v1, v0, off offset:{offset}\n{vscnt}"))
    };
    assert_eq!(by_lanes("v_mov_b32_e32 v1, s32", 12), [""; 0]);
    let beyond = by_lanes("v_mov_b32_e32 v1, s32", 16);
    assert!(beyond.iter().any(|found| found.contains("writes byte 19 of a frame of 16")), "{beyond:#?}");
    assert_eq!(by_lanes("v_mov_b32_e32 v1, s34", 100), [""; 0]);
    assert_eq!(by_lanes("s_nop 0", 100), [""; 0]);
    let absolute = function(&format!("s_mov_b32 s8, 16\nscratch_store_dword off, v0, s8\n{vscnt}"));
    assert!(absolute.iter().any(|found| found.contains("that is no frame's")), "{absolute:#?}");
    let unknown = function(&format!("s_mul_i32 s8, s9, s10\nscratch_store_dword off, v0, s8\n{vscnt}"));
    assert!(unknown.iter().any(|found| found.contains("at an address nobody knows")), "{unknown:#?}");
    // Sums of places that far from a frame would wrap around.
    for by in ["0x7ffffff8", "0x80000000", "0x40000000", "0xc0000000"] {
        for offset in [-2048, 0, 2047] {
            let scalar =
                format!("s_add_i32 s8, s32, {by}\nscratch_store_dword off, v0, s8 offset:{offset}\n{vscnt}");
            let lanes = format!(
                "s_add_i32 s8, s32, {by}\nv_mov_b32_e32 v1, s8\nscratch_load_dword v2, v1, off offset:{offset}\n\
                 scratch_store_dword v1, v0, off offset:{offset}\n{vscnt}"
            );
            for text in [scalar, lanes] {
                assert!(!function(&text).is_empty(), "{text}");
            }
        }
    }
    let kernel = |store: &str| found_as(Role::Kernel, &format!("{wait}{store}\ns_endpgm\n"), 32, Some(16));
    let at = |n: u32| format!("s_mov_b32 s8, {n}\nscratch_store_dword off, v0, s8 offset:4");
    assert_eq!(kernel(&at(8)), [""; 0]);
    let beyond = kernel(&at(12));
    assert!(beyond.iter().any(|found| found.contains("writes byte 19 of a frame of 16")), "{beyond:#?}");
    let chosen = |n: u32| format!("v_and_b32_e32 v1, {n}, v0\nscratch_store_dword v1, v0, off");
    assert_eq!(kernel(&chosen(12)), [""; 0]);
    let beyond = kernel(&chosen(28));
    assert!(beyond.iter().any(|found| found.contains("may write byte 31 of a frame of 16")), "{beyond:#?}");
}

/// What is done to v40 between waits where a stack is counted in bytes of a wave, instructions with / between them, and a
/// piece of what is found; nothing where it comes back. The descriptor of the stack is in s[0:3], its pointer is s32.
const OF_WAVES: [(&str, &str); 10] = [
    ("STORE s32 offset:4 / LOAD s32 offset:4", ""),
    ("STORE s32 offset:4 / LOAD s32 offset:8", "v40"),
    ("STORE s32 offset:4 / s_mov_b32 s1, 0 / LOAD s32 offset:4", "uses the stack's descriptor, of which s1"),
    ("buffer_store_dword v40, off, s[4:7], s32 offset:4 / v_mov_b32_e32 v40, 0 / LOAD s32 offset:4", "v40"),
    ("s_add_i32 s8, s32, 512 / STORE s8 offset:4 / LOAD s32 offset:20", ""),
    ("s_add_i32 s8, s32, 520 / STORE s8 offset:4 / LOAD s32 offset:20", "v40"),
    (
        "v_lshrrev_b32_e64 v1, 5, s32 / buffer_store_dword v40, v1, s[0:3], 0 offen offset:4 / \
         v_mov_b32_e32 v40, 0 / LOAD s32 offset:4",
        "",
    ),
    (
        "v_lshrrev_b32_e64 v1, 6, s32 / buffer_store_dword v40, v1, s[0:3], 0 offen offset:4",
        "at an address nobody knows",
    ),
    (
        "s_mov_b32 s2, 0 / s_swappc_b64 s[30:31], s[16:17]",
        "s2 of the stack's descriptor does not come to the callee",
    ),
    ("s_swappc_b64 s[30:31], s[16:17]", "does not go back to the caller"),
];

#[test]
fn stacks_of_waves_are_reached_by_their_descriptor() {
    for (code, piece) in OF_WAVES {
        let mut convention = shipped::convention("llvm_c").expect("shipped");
        convention.stack.unit = Unit::Wave { descriptor: 0 };
        let code = code
            .replace("STORE s32", "buffer_store_dword v40, off, s[0:3], s32")
            .replace("STORE s8", "buffer_store_dword v40, off, s[0:3], s8")
            .replace("LOAD", "v_mov_b32_e32 v40, 0 / buffer_load_dword v40, off, s[0:3],")
            .replace(" / ", "\n");
        let text = format!(
            "s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)\n{code}\ns_waitcnt vmcnt(0)\ns_setpc_b64 s[30:31]\n"
        );
        let all = found_under(convention, &text, (Role::Function, 32, ""), |agreed, _| agreed);
        match piece {
            "" => assert_eq!(all, [""; 0], "{code}"),
            piece => assert!(all.iter().any(|found| found.contains(piece)), "{code}: {all:#?}"),
        }
        let is_call = code.contains("s_mov_b32 s2, 0");
        assert_eq!(all.iter().any(|found| found.contains("does not come to the callee")), is_call, "{code}");
    }
}

/// Instructions, with / between them, that leave a place in v1, and the last one that this may be; none where nobody knows.
const PLACES: [(&str, Option<u32>); 26] = [
    ("v_and_b32_e32 v1, 12, v0", Some(12)),
    ("v_and_b32_e64 v1, v0, 12", Some(12)),
    ("v_and_b32_e32 v1, 0x7c, v0", Some(0x7c)),
    ("v_and_b32_e64 v1, v0, 0x7c", Some(0x7c)),
    ("v_min_u32_e32 v1, 20, v0", Some(20)),
    ("v_bfe_u32 v1, v0, 3, 4", Some(15)),
    ("v_lshrrev_b32_e32 v1, 28, v0", Some(15)),
    ("v_and_b32_e32 v1, 63, v0 / v_lshrrev_b32_e32 v1, 2, v1", Some(15)),
    ("v_and_b32_e32 v1, 3, v0 / v_lshlrev_b32_e32 v1, 2, v1", Some(12)),
    ("v_and_b32_e32 v1, 3, v0 / v_lshl_add_u32 v1, v1, 2, 4", Some(16)),
    ("v_and_b32_e32 v1, 3, v0 / v_add_lshl_u32 v1, v1, 1, 2", Some(16)),
    ("v_and_b32_e32 v1, 3, v0 / v_mul_u32_u24_e32 v1, 4, v1", Some(12)),
    ("v_and_b32_e32 v1, 3, v0 / v_mul_lo_u32 v1, v1, 4", Some(12)),
    ("v_and_b32_e32 v1, 3, v0 / v_mad_u32_u24 v1, v1, 4, 8", Some(20)),
    ("v_and_b32_e32 v1, 3, v0 / v_add3_u32 v1, v1, 4, 5", Some(12)),
    ("v_and_b32_e32 v1, 3, v0 / v_add_nc_u32_e32 v1, 9, v1", Some(12)),
    ("v_and_b32_e32 v1, 3, v0 / v_add_nc_u32_e64 v1, 9, v1", Some(12)),
    ("v_and_b32_e32 v2, 3, v0 / v_mov_b32_e32 v1, v2", Some(3)),
    ("v_mov_b32_e32 v1, 12", Some(12)),
    ("v_mov_b32_e32 v1, 0x7c", Some(0x7c)),
    // Sums that are clamped, lanes of others, parts of registers, and lanes that did not run.
    ("v_and_b32_e32 v1, 3, v0 / v_add_nc_u32_e64 v1, 9, v1 clamp", None),
    ("v_and_b32_e32 v2, 3, v0 / v_mov_b32_dpp v1, v2 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf", None),
    (
        "v_and_b32_e32 v2, 3, v0 / v_mov_b32_sdwa v1, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0",
        None,
    ),
    ("v_and_b32_e32 v1, 12, v0 / s_mov_b32 exec_lo, -1", None),
    ("v_and_b32_e32 v1, 12, v0 / v_mul_lo_u32 v1, v1, v0", None),
    ("v_and_b32_e32 v1, 12, v0 / v_or_b32_e32 v1, 1, v1", None),
];

#[test]
fn places_that_instructions_make() {
    for (code, last) in PLACES {
        let wait = "s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)\n";
        let text =
            format!("{wait}{}\nscratch_store_dword v1, v0, off\ns_endpgm\n", code.replace(" / ", "\n"));
        let told = |room: u32| found_as(Role::Kernel, &text, 32, Some(room));
        let Some(last) = last else {
            let all = told(1 << 20);
            assert!(all.iter().any(|found| found.contains("at an address nobody knows")), "{code}: {all:#?}");
            continue;
        };
        assert_eq!(told(last + 4), [""; 0], "{code}");
        let all = told(last + 3);
        let message = format!(" byte {} of a frame of {}", last + 3, last + 3);
        assert!(all.iter().any(|found| found.contains(&message)), "{code}: {all:#?}");
    }
}

/// Lanes that a loop hands to its next round alone: those that ran at entry may be woken there, no others.
#[test]
fn lanes_are_handed_around_a_loop() {
    let whole = "
s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
s_mov_b32 s7, exec_lo
s_mov_b32 s4, 0
again:
s_or_b32 exec_lo, exec_lo, s4
v_add_nc_u32_e32 v1, -1, v1
v_cmpx_ne_u32_e32 0, v1
s_mov_b32 s4, s7
s_cbranch_execnz again
s_mov_b32 exec_lo, s7
s_setpc_b64 s[30:31]
";
    assert_eq!(found(whole), [""; 0]);
    let woken = found(&whole.replace("s_mov_b32 s4, s7", "s_mov_b32 s4, -1"));
    assert!(woken.iter().any(|found| found.contains("lanes that sleep of v1")), "{woken:#?}");
}

/// In waves of 64 a mask is a pair of registers: the upper half goes with the lower one.
#[test]
fn masks_of_64_lanes_are_pairs() {
    let whole = "
s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
s_mov_b64 s[4:5], exec
v_cmpx_ne_u32_e32 0, v0
v_add_nc_u32_e32 v1, 1, v1
s_or_b64 exec, exec, s[4:5]
s_or_b64 exec, exec, 0
s_or_b64 exec, exec, null
s_setpc_b64 s[30:31]
";
    let found = |text: &str| found_in(text, 64, None);
    assert_eq!(found(whole), [""; 0]);
    let back = "s_or_b64 exec, exec, s[4:5]";
    for (instead, piece) in [
        ("s_or_b32 exec_lo, exec_lo, s4", "EXEC"),
        ("s_or_b64 exec, exec, s[6:7]", "EXEC"),
        ("s_or_b64 exec, exec, -1", "lanes that slept run"),
    ] {
        let all = found(&whole.replace(back, instead));
        assert!(all.iter().any(|found| found.contains(piece)), "{instead}: {all:#?}");
    }
    // A comparison writes both halves, each from the lanes that run in it.
    let compared = "v_cmp_ne_u32_e64 s[6:7], 0, v0\ns_mov_b64 exec, s[6:7]";
    assert_eq!(found(&whole.replace("v_cmpx_ne_u32_e32 0, v0", compared)), [""; 0]);
}

/// What is lost for sure is refuted: a scalar that another was written over, and lanes of a register.
#[test]
fn what_is_lost_for_sure_is_no_doubt() {
    for (line, lost) in [
        ("s_mov_b32 s33, s4", "s33 is not what it was at entry"),
        ("scratch_load_dword v41, off, s33 offset:4", "lanes that run of v41"),
    ] {
        let all = found(&WHOLE.replacen(line, "s_nop 0", 1));
        let is_sure = |found: &&String| found.contains(lost) && !found.starts_with("unproved: ");
        assert!(all.iter().any(|found| is_sure(&found)), "{line}: {all:#?}");
    }
}

/// What no words tell is named as that, and is no proof.
#[test]
fn what_a_register_chooses_is_unproved() {
    let all = found(
        "
s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
s_mov_b32 m0, s4
v_movreld_b32_e32 v1, v0
s_setpc_b64 s[30:31]
",
    );
    assert!(!all.is_empty() && all.iter().all(|found| found.starts_with("unproved: ")), "{all:#?}");
}
