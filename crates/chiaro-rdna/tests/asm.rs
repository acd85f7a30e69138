//! Programs and code objects against LLVM's, and what the assembler says of wrong ones.

mod common;

use chiaro_diag::{Printer, SourceMap};
use chiaro_rdna::asm;
use chiaro_rdna::container::{self, CodeObject};
use common::{bytes, hex, json_rows};

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
        "there is no such register",
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
    assert!(assemble("a:\na:\n", Some(32)).expect_err("wrong").contains("defined twice"));
    assert!(assemble(".globl k\0\n", Some(32)).expect_err("wrong").contains("no zero bytes"));
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
    let say = |hex: &str| chiaro_rdna::explain::explain(&bytes(hex), 32).expect("an instruction");
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
