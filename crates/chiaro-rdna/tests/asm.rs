//! Programs and code objects against LLVM's, and what the assembler says of wrong ones.

use chiaro_diag::{Printer, SourceMap};
use chiaro_rdna::asm::{self, Options};
use chiaro_rdna::container::{self, CodeObject};
use chiaro_rdna::isa::LLVM;

use crate::common::{bytes, hex, json_rows};

fn assemble(text: &str, wave: Option<u8>) -> Result<CodeObject, String> {
    let mut sources = SourceMap::new();
    let file = sources.add("test.s", text);
    asm::assemble(text, file, wave).map_err(|errors| Printer::plain().print(&errors, &sources))
}

#[test]
fn programs() {
    for row in json_rows("programs.jsonl") {
        let wave = row["wave"].as_u64().expect("a wave size") as u8;
        let object = assemble(row["asm"].as_str().expect("a program"), Some(wave));
        let object = object.unwrap_or_else(|e| panic!("{}: {e}", row["name"]));
        assert_eq!(hex(&object.text), row["hex"].as_str().expect("hexadecimal"), "{}", row["name"]);
    }
}

#[test]
fn code_objects() {
    for row in json_rows("code_objects.jsonl") {
        let golden = container::read(&bytes(row["obj"].as_str().expect("hexadecimal"))).expect("an object");
        let object =
            assemble(row["asm"].as_str().expect("a program"), None).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(hex(&object.text), hex(&golden.text), "{}", row["name"]);
        assert_eq!(hex(&object.rodata), hex(&golden.rodata));
        assert_eq!(object.note, golden.note);
        assert_eq!(object.relocations, golden.relocations);
        let mut symbols = [object.symbols.clone(), golden.symbols.clone()];
        symbols.iter_mut().for_each(|s| s.sort_by(|a, b| a.name.cmp(&b.name)));
        assert_eq!(symbols[0], symbols[1]);
        assert_eq!((object.machine, object.version), (golden.machine, golden.version));
    }
}

#[test]
fn far_branches_are_chained() {
    let filler = "v_fma_f32 v0, v1, v2, v3\n".repeat(20_000);
    let text = format!("s_cbranch_scc0 end\n{filler}end:\ns_endpgm\n");
    let object = assemble(&text, Some(32)).expect("chained");
    assert_eq!(object.text.len(), 4 + 20_000 * 8 + 8 + 4);
    let back = format!("start:\n{filler}s_branch start\n");
    assert!(assemble(&back, Some(32)).is_ok());
}

/// Where a second branch would part a clause, or a distance from the place that it counts from, it
/// stands before them; many far branches take one round each way.
#[test]
fn second_branches_part_nothing() {
    let filler = |n: usize| "v_fma_f32 v0, v1, v2, v3\n".repeat(n);
    let held = "s_clause 0x1\nglobal_load_dword v1, v0, s[0:1]\nglobal_load_dword v2, v0, s[0:1]\n\
                s_getpc_b64 s[2:3]\ns_add_u32 s2, s2, far@rel32@lo+4\ns_addc_u32 s3, s3, far@rel32@hi+12\n";
    // The second branch is due after 65,532 bytes; in some of these texts that is inside of what holds together.
    for before in 8_186..8_194 {
        let text = format!("s_branch end\n{}{held}{}end:\ns_endpgm\n", filler(before), filler(12_000));
        let object = assemble(&text, Some(32)).expect("chained");
        let told = chiaro_rdna::listing::code(&object.text, 32, 0);
        let lines: Vec<&str> = told.lines().map(str::trim).filter(|line| !line.ends_with(':')).collect();
        let at = lines.iter().position(|line| line.starts_with("s_clause")).expect("a clause");
        assert!(lines[at + 1..at + 3].iter().all(|line| line.starts_with("global_load")), "{before}");
        let at = lines.iter().position(|line| line.starts_with("s_getpc")).expect("a place");
        assert!(lines[at + 1].starts_with("s_add_u32") && lines[at + 2].starts_with("s_addc"), "{before}");
        let offset = |kind| object.relocations.iter().find(|r| r.kind == kind).map(|r| r.offset as usize);
        let low = offset(container::REL32_LO).expect("a relocation");
        assert_eq!(object.text[low..low + 4], [0; 4]);
        assert_eq!(object.text[low - 8..low - 4], [0x00, 0x1f, 0x82, 0xbe], "s_getpc_b64 s[2:3]");
    }
    let many = "s_cbranch_vccz end\n".repeat(2_000);
    let object = assemble(&format!("{many}{}end:\ns_endpgm\n", filler(40_000)), Some(32)).expect("chained");
    let longest = container::write(&object).expect("written").len();
    assert!(longest < 4 * 2_000 + 40_000 * 8 + 2_000 * 8 * 6, "{longest} bytes");
}

/// How far a place is away is a number for who computes it: no second branch leads there.
#[test]
fn distances_to_far_places_are_numbers() {
    let filler = "v_fma_f32 v0, v1, v2, v3\n".repeat(20_000);
    let place = "s_getpc_b64 s[2:3]\ns_add_u32 s2, s2, end@rel32@lo+4\ns_addc_u32 s3, s3, end@rel32@hi+12\n";
    let object = assemble(&format!("{place}{filler}end:\ns_endpgm\n"), Some(32)).expect("no branch");
    assert_eq!(object.text.len(), 4 + 8 + 8 + 20_000 * 8 + 4);
}

/// The bits above a clause's length are how often it may be left: they make it no longer.
#[test]
fn a_clause_is_as_long_as_its_low_bits_say() {
    let filler = |n: usize| "v_fma_f32 v0, v1, v2, v3\n".repeat(n);
    let held = "s_clause 0x101\nglobal_load_dword v1, v0, s[0:1]\nglobal_load_dword v2, v0, s[0:1]\n";
    let text = format!("s_branch end\n{}{held}{}end:\ns_endpgm\n", filler(8_180), filler(12_000));
    let object = assemble(&text, Some(32)).expect("chained");
    let told = chiaro_rdna::listing::code(&object.text, 32, 0);
    let find = |what: &str, behind: usize| {
        told.lines().skip(behind).position(|line| line.trim().starts_with(what)).map(|n| n + behind)
    };
    let clause = find("s_clause", 0).expect("a clause");
    assert!(find("s_branch", 2).expect("a second branch") > clause, "it stands behind the clause");
}

/// References of every kind become the relocations of LLVM's, and come back in the listing.
#[test]
fn references_become_relocations() {
    let text = "f:\ns_getpc_b64 s[0:1]\ns_add_u32 s0, s0, g@gotpcrel32@lo+4\n\
                s_addc_u32 s1, s1, g@gotpcrel32@hi+12\ns_endpgm\n\
                .section .rodata\ntable:\n.quad f, g+8, 7\n.byte 1\n";
    let object = assemble(text, Some(32)).expect("right");
    let told: Vec<_> = object.relocations.iter().map(|r| (r.offset, r.kind, &*r.symbol, r.addend)).collect();
    assert_eq!(told, [(8, 8, "g", 4), (16, 9, "g", 12), (0, 3, "f", 0), (8, 3, "g", 8)]);
    let listed = chiaro_rdna::listing::object(&object);
    let again = assemble(&listed, Some(32)).unwrap_or_else(|e| panic!("{e}\n{listed}"));
    assert_eq!(
        (&again.text, &again.rodata, &again.relocations),
        (&object.text, &object.rodata, &object.relocations),
        "{listed}"
    );
    for (wrong, why) in [(".quad f-g", "is no number, name, name+number or"), (".quad f+x", "is no number")] {
        assert!(assemble(wrong, Some(32)).expect_err("wrong").contains(why), "{wrong}");
    }
}

/// Every mistake of a text in one run, with place and what would do.
#[test]
fn mistakes() {
    let text = "v_add_f32 v0, s1, s200\n\
                v_ad_f32 v0, v1, v2\n\
                v_cmp_lt_f32_e64 vcc, v0, v1\n\
                s_load_dwordx4 s[1:4], s[0:1], 0x0\n\
                s_branch nowhere\n\
                .amdhsa_kernel k\n\
                .amdhsa_next_free_vgpr 300\n\
                .end_amdhsa_kernel\n\
                .bogus 1\n";
    let told = assemble(text, Some(32)).expect_err("wrong");
    for part in [
        "scalar registers are s0 to s105",
        "there is no label `nowhere`",
        "no instruction is called `v_ad_f32`",
        "the line is right in waves of 64",
        "multiples of four",
        "0 to 256",
        "there is no directive `.bogus`",
    ] {
        assert!(told.contains(part), "`{part}` is not in:\n{told}");
    }
    assert!(
        assemble("s_branch nowhere\n", Some(32)).expect_err("wrong").contains("there is no label `nowhere`")
    );
    for (line, help) in [
        ("v_add_f32_e32 v0, v1, s2", "use the e64 form: `v_add_f32_e64`"),
        ("v_add_f32_e32 v0, v1, v2 clamp", "use the e64 form: `v_add_f32_e64`"),
        ("v_fma_f32 v0, 0x1111, 0x2222, v3", "an instruction has one literal"),
        ("s_add_u32 s0, 0x1111, 0x2222", "an instruction has one literal"),
        ("s_branch 70000", "-32768 to 32767 dwords"),
        ("v_and_b32_dpp v0, v1, v2 quad_perm:[0,1,2,3] clamp", "are bank_mask, bound_ctrl, dpp8, dpp_ctrl"),
        ("v_mov_b32_e64 v0, v1 v2", "`v_mov_b32_e64` has no modifiers"),
        ("v_add_f64 v[0:1], v[2:3], 3.14159", "a literal is the upper half of a double"),
        ("s_mov_b32 s0, 0x123456789", "load it into registers before"),
        ("s_waitcnt vmcnt(64)", "this counter counts from 0 to 63"),
        ("v_mov_b32 v256, v0", "vector registers are v0 to v255"),
        ("ds_read_b64 v[3:2], v0", "the first register of a run stands before"),
        (
            "image_load v0, v[1:2], s[0:7] dmask:0x1f dim:SQ_RSRC_IMG_2D",
            "dmask is 31, but can only be 0 to 15",
        ),
        ("s_mov_b64 s[1:2], s[4:5]", "s[0:1] and s[2:3] would do"),
        ("s_load_dwordx4 s[2:5], s[0:1], 0x0", "s[0:3] and s[4:7] would do"),
        ("image_load v[0:3], v[0:1], s[0:7] dmask:0xf dim:2D", "names are SQ_RSRC_IMG_1D, SQ_RSRC_IMG_2D,"),
        ("s_setreg_b32 hwreg(HW_REG_MODES), s0", "names are HW_REG_MODE, HW_REG_STATUS,"),
        ("s_sendmsg sendmsg(MSG_FOO)", "names are MSG_INTERRUPT, MSG_GS,"),
        (
            "tbuffer_load_format_x v0, v1, s[0:3], 0 format:[BUF_FMT_32_FLOATS] idxen",
            "did you mean `BUF_FMT_32_FLOAT`?",
        ),
        ("scratch_load_dword v0, v1, s2", "write `off` for one of them"),
        ("ds_read2_b32 v0, v1 offset0:25", "vdst takes registers, such as `v[0:1]`"),
        (".globl a b\n", "`a b` is no name"),
        (".type a[1],@function\n", "`a[1]` is no name"),
        (".amdhsa_kernel a-b\n.end_amdhsa_kernel\n", "`a-b` is no name"),
    ] {
        let told = assemble(line, Some(32)).expect_err("wrong");
        assert!(told.contains(help), "`{help}` is not in:\n{told}");
    }
    assert!(assemble("a:\na:\n", Some(32)).expect_err("wrong").contains("defined twice"));
    assert!(assemble(".globl k\0\n", Some(32)).expect_err("wrong").contains("no zero bytes"));
}

/// What can be written and does not work is a warning with its place.
#[test]
fn too_many_scalars_are_warned_of() {
    let file = chiaro_diag::FileId::default();
    let warned = |text: &str| {
        let options = Options { wave: Some(32), dialect: LLVM };
        let made = chiaro_rdna::asm::assemble_and_warn(text, file, options).expect("right");
        made.warnings.into_iter().map(|w| w.message).collect::<Vec<_>>()
    };
    assert_eq!(
        warned("v_fma_f32 v0, s1, s2, s3\nv_fma_f32 v0, s1, s2, s1\nv_lshlrev_b64 v[0:1], s0, s[2:3]\n"),
        [
            "v_fma_f32 reads s1, s2, s3: 3 scalar values, 2 allowed",
            "v_lshlrev_b64 reads s0, s2: 2 scalar values, 1 allowed"
        ]
    );
}

#[test]
fn listings_come_back() {
    for row in json_rows("programs.jsonl") {
        let wave = row["wave"].as_u64().expect("a wave size") as u8;
        let golden = bytes(row["hex"].as_str().expect("hexadecimal"));
        let text = chiaro_rdna::listing::code(&golden, wave, 0);
        let object = assemble(&text, Some(wave)).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(object.text, golden, "{text}");
    }
}

#[test]
fn listings_of_objects_come_back() {
    for row in json_rows("code_objects.jsonl") {
        for part in ["obj", "linked"] {
            let golden =
                container::read(&bytes(row[part].as_str().expect("hexadecimal"))).expect("an object");
            let text = chiaro_rdna::listing::object(&golden);
            let object = assemble(&text, None).unwrap_or_else(|e| panic!("{e}\n{text}"));
            assert_eq!(hex(&object.text), hex(&golden.text), "{text}");
            assert_eq!(object.note, golden.note, "{text}");
            let kernels = |object: &CodeObject| {
                object.kernels().map(|(name, d)| (name.to_owned(), d.with_entry(0))).collect::<Vec<_>>()
            };
            assert_eq!(kernels(&object), kernels(&golden), "{text}");
            if part == "obj" {
                assert_eq!(object.relocations, golden.relocations, "{text}");
            }
        }
    }
}

/// Words of any kind, most of them no instructions, in a listing that gives them back.
#[test]
fn listings_of_anything_come_back() {
    let mut rng = chiaro_isa::Rng(3);
    for n in 0..60 {
        let wave = if n % 2 == 0 { 32 } else { 64 };
        let code: Vec<u8> = (0..400).map(|_| rng.next() as u8).collect();
        let text = chiaro_rdna::listing::code(&code, wave, 0);
        let object = assemble(&text, Some(wave)).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(object.text, code, "{text}");
    }
}

#[test]
fn explanations() {
    let say = |hex: &str| chiaro_rdna::explain::explain(&bytes(hex), 32, LLVM).expect("an instruction");
    assert!(say("703f8cbf").contains("at most 0 vector loads, any exports and any LDS"));
    assert!(say("fa02c87f022a059f").contains("6 7 8 9 10 11 12 13 14 15 0"), "{}", say("fa02c87f022a059f"));
    assert!(say("ff0200060000803f").contains("1.0 as a float"), "{}", say("ff0200060000803f"));
}

/// The example assembles, comes back, and breaks no rule.
#[test]
fn example() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/rdna/scale.s");
    let text = std::fs::read_to_string(path).expect("the example");
    let object = assemble(&text, None).unwrap_or_else(|e| panic!("{e}"));
    let again = assemble(&chiaro_rdna::listing::object(&object), None).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!((&again.text, &again.rodata, &again.note), (&object.text, &object.rodata, &object.note));
    let config = chiaro_rdna::check::Config { wave: 32, group: Some(64) };
    let found = chiaro_rdna::check::check(&object.text, config);
    assert!(found.is_empty(), "{found:?}");
}
