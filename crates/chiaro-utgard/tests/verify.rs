//! Checked compilation refuses wrong programs: `verify/vertex.txt` holds pairs of sources, of which the second
//! is compiled and passed off as the first. Words without one of their instructions are refused as well.

#[path = "common/source.rs"]
mod source;

use std::path::{Path, PathBuf};

use chiaro_cases::Cases;
use chiaro_ir::{Interface, Module};
use chiaro_opt::Cx;
use chiaro_target::proof::Subject;
use chiaro_utgard::asm::instruction;
use chiaro_utgard::compile::{Compiled, Options, compile};
use chiaro_utgard::verify::{Words, verify};

/// Vertices that each program runs on.
const VERTICES: usize = 64;

fn cases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/verify/vertex.txt")
}

fn read(text: &str) -> Module {
    source::read("shader".into(), text.into()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn compiled(module: &Module) -> Compiled {
    let made =
        compile(&mut module.clone(), &Interface::default(), "main", &Options::default(), &mut Cx::default());
    made.unwrap_or_else(|error| panic!("{}", error.message))
}

fn judged(source: &Module, made: &Compiled) -> String {
    match verify(source, "main", made, &Options::default(), VERTICES, 1) {
        Ok(found) if found.too_large.is_some() => "right for small integers only".into(),
        Ok(_) => "right".into(),
        Err(failure) => failure.brief(),
    }
}

fn sources(text: &str) -> (&str, &str) {
    text.split_once("; ---\n").unwrap_or((text, text))
}

#[test]
fn programs_of_other_sources_are_refused() {
    let mut all = Cases::new();
    all.of_file(&cases(), |text| {
        let (meant, made) = sources(text);
        judged(&read(meant), &compiled(&read(made)))
    });
    all.finish();
}

#[test]
fn every_instruction_is_needed() {
    let (mut accepted, mut tried) = (Vec::new(), 0);
    let nop = instruction::parse("nop").expect("an instruction");
    let text = std::fs::read_to_string(cases()).expect("cases");
    for case in text.split("; test ").skip(1) {
        let (name, rest) = case.split_once('\n').expect("a name");
        let source = read(sources(rest.split("; --- expect").next().expect("a source")).0);
        let made = compiled(&source);
        if judged(&source, &made) != "right" {
            continue;
        }
        for at in 0..made.words.len() {
            let mut damaged = made.clone();
            let old = std::mem::replace(&mut damaged.words[at], nop);
            tried += usize::from(old != nop);
            let verdict = judged(&source, &damaged);
            if old != nop && (verdict == "right" || verdict.starts_with("not proved")) {
                accepted.push(format!("{name}: without instruction {at}: {verdict}"));
            }
        }
    }
    assert!(accepted.is_empty() && tried > 50, "{tried} tried:\n{}", accepted.join("\n"));
}

/// A zero may have either sign, and so may what it divides; an infinity that overflowed has the one that it has.
#[test]
fn infinities_have_a_sign_where_nothing_is_divided() {
    let same = |body: &str| {
        let text =
            format!("attribute vec4 a; varying vec4 s; void main() {{ gl_Position = a; s = {body}; }}");
        let source = read(&text);
        let (compiled, choices, entry) = (compiled(&source), Options::default(), &source.entries[0]);
        let words = Words { source: &source, entry, compiled, choices };
        let judge = |expected, found| words.is_same(expected, found);
        assert!(judge(0.0, -0.0) && judge(f32::NAN, -f32::NAN), "{body}");
        assert!(judge(f32::INFINITY, f32::INFINITY) && !judge(f32::INFINITY, f32::MAX), "{body}");
        judge(f32::INFINITY, f32::NEG_INFINITY)
    };
    assert!(!same("a * a") && !same("exp2(a)"));
    assert!(same("1.0 / a") && same("inversesqrt(a)") && same("a / a.x"));
}
