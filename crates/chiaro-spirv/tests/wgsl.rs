//! WGSL sources: what becomes of good ones, and what is said about broken ones.
//!
//! `CHIARO_BLESS=1` rewrites the messages in `wgsl/broken.txt`.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use chiaro_diag::{FileId, Printer, SourceMap};
use chiaro_spirv::module::{Clip, Language, Module};
use chiaro_spirv::wgsl::{Options, read};
use chiaro_spirv::{instructions, rewrite};
use spirv::Op;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wgsl")
}

fn messages(text: &str, options: &Options<'_>) -> String {
    let mut sources = SourceMap::new();
    let file = sources.add("a.wgsl", text);
    match read(text, file, options) {
        Ok(_) => "fine\n".to_owned(),
        Err(list) => Printer::plain().print(&list, &sources).trim_end().to_owned() + "\n",
    }
}

fn good(text: &str, options: &Options<'_>) -> Module {
    read(text, FileId(0), options).unwrap_or_else(|_| panic!("{}", messages(text, options)))
}

#[test]
fn broken_sources_are_told_with_their_place() {
    let path = folder().join("broken.txt");
    let old = fs::read_to_string(&path).expect("the file is part of the crate");
    let mut new = String::new();
    for case in old.split("=== source\n").skip(1) {
        let source = case.split("--- says\n").next().unwrap_or_default();
        let says = messages(source, &Options::default());
        write!(new, "=== source\n{source}--- says\n{says}").expect("strings take everything");
    }
    if std::env::var_os("CHIARO_BLESS").is_some() {
        fs::write(&path, &new).expect("the file can be written");
    }
    assert_eq!(old, new);
}

#[test]
fn vertex_shaders_are_read_with_their_names_and_places() {
    let mut seen = 0;
    for entry in fs::read_dir(folder()).expect("the folder is part of the crate") {
        let path = entry.expect("it can be read").path();
        if path.extension().is_none_or(|e| e != "wgsl") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("it is text");
        let module = good(&text, &Options::default());
        assert!(rewrite(&module.words).is_ok(), "{}", path.display());
        let names = |class| {
            let variables = module.interface.variables.iter().filter(move |v| v.class == class);
            variables.flat_map(|v| v.leaves.iter().map(|l| l.name.clone())).collect::<Vec<_>>()
        };
        let uniforms = names(spirv::StorageClass::Uniform);
        assert!(uniforms.iter().all(|name| name.starts_with("u.") && !name.contains('_')), "{uniforms:?}");
        assert!(!names(spirv::StorageClass::Output).is_empty());
        seen += 1;
    }
    assert_eq!(seen, 9);
}

#[test]
fn instructions_know_the_statement_that_they_come_from() {
    let text = fs::read_to_string(folder().join("lambert.wgsl")).expect("part of the crate");
    let module = good(&text, &Options::default());
    assert_eq!((module.interface.clip, module.interface.source.language), (Clip::WebGpu, Language::Wgsl));
    let of = |op: Op| {
        let all = instructions(&module.words).map(|i| i.expect("well formed").op).zip(&module.spans);
        let spans = all.filter(move |(o, _)| *o == op).filter_map(|(_, span)| *span);
        spans.map(|s| &text[s.start as usize..s.end as usize]).collect::<Vec<_>>()
    };
    assert_eq!(of(Op::Dot), ["dot(normalize(n), u.dir.xyz"], "naga leaves out the last parenthesis");
    assert!(of(Op::Store).contains(&"o.pos = u.mvp * vec4<f32>(p, 1.0)"), "{:?}", of(Op::Store));
    assert_eq!(of(Op::MatrixTimesVector).len(), 1);
    assert!(of(Op::Line).is_empty());
}

#[test]
fn overrides_are_given_by_name_or_number() {
    let text = "override a: f32 = 2.0; @id(7) override b: i32; override c = true;
        @fragment fn f() -> @location(0) vec4f { return vec4f(a, f32(b), select(0.0, 1.0, c), 1.0); }
        @fragment fn g() { }";
    let with = |overrides: &[(&str, f64)], entry| messages(text, &Options { entry, overrides, budget: None });
    assert_eq!(with(&[("7", 3.0), ("a", 0.5), ("c", 0.0)], Some("f")), "fine\n");
    assert_eq!(with(&[("7", 3.0)], None), "fine\n");
    assert!(
        with(&[], None).contains("the override `7` has no value\n --> a.wgsl:1:31"),
        "{}",
        with(&[], None)
    );
    assert!(with(&[("b", 3.0)], None).contains("there is no override `b`"));
    assert!(with(&[("7", 3.0)], Some("h")).contains("there is no entry point `h`"));
    let words =
        good(text, &Options { entry: Some("f"), overrides: &[("7", 3.0), ("a", 0.625)], budget: None }).words;
    let constant =
        |i: &chiaro_spirv::Instruction<'_>| i.op == Op::Constant && i.word(2) == 0.625f32.to_bits();
    assert!(instructions(&words).map_while(Result::ok).any(|i| constant(&i)));
    assert_eq!(instructions(&words).map_while(Result::ok).filter(|i| i.op == Op::EntryPoint).count(), 1);
}

#[test]
fn deep_and_long_sources_end_well() {
    let deep = |open: &str, close: &str, n: usize| {
        format!("fn f() -> u32 {{ return {}1u{}; }}", open.repeat(n), close.repeat(n))
    };
    for text in [
        deep("(", ")", 50_000),
        deep("-", "", 50_000),
        deep("1u+", "", 20_000),
        deep("", "+1u", 20_000),
        deep("vec2(", ").x", 5_000),
        format!("fn f() {{ {} {} }}", "{".repeat(50_000), "}".repeat(50_000)),
        format!("fn f() {{ {} }}", "if true {} else ".repeat(5_000) + "{}"),
        format!("alias a = {}u32{};", "array<".repeat(5_000), ", 2>".repeat(5_000)),
        "/*".repeat(100_000),
    ] {
        let _ = messages(&text, &Options::default());
    }
}
