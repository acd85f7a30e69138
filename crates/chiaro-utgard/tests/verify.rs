//! Checked compilation refuses wrong programs: `verify/vertex.txt` holds pairs of sources, of which the second
//! is compiled and passed off as the first. Words without one of their instructions are refused as well.

use std::path::{Path, PathBuf};

use chiaro_cases::Cases;
use chiaro_ir::{Interface, Module};
use chiaro_opt::Cx;
use chiaro_target::proof::Subject;
use chiaro_utgard::asm::instruction;
use chiaro_utgard::compile::{Compiled, Options, compile};
use chiaro_utgard::verify::{Words, verify};

use crate::common::source;

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
        ask(&text, |words| {
            let judge = |expected, found| words.is_same(expected, found);
            assert!(judge(0.0, -0.0) && judge(f32::NAN, -f32::NAN) && judge(f32::NAN, 1.0), "{body}");
            assert!(judge(f32::INFINITY, f32::INFINITY) && !judge(f32::INFINITY, f32::MAX), "{body}");
            judge(f32::INFINITY, f32::NEG_INFINITY)
        })
    };
    assert!(!same("a * a") && !same("exp2(a)"));
    assert!(same("1.0 / a") && same("inversesqrt(a)") && same("a / a.x"));
}

/// Asks about the words of a shader.
fn ask<T>(text: &str, question: impl Fn(&Words<'_>) -> T) -> T {
    let source = read(text);
    let (compiled, choices, entry) = (compiled(&source), Options::default(), &source.entries[0]);
    question(&Words { source: &source, entry, compiled, choices })
}

/// The numbers that a shader's outputs are said to be, with their errors, as the machine stores them.
fn stored(text: &str, numbers: &[(f64, f64)]) -> Result<Vec<(f64, f64)>, &'static str> {
    ask(text, |words| {
        let outputs = words.outputs();
        assert_eq!(outputs.len(), numbers.len(), "{outputs:?}");
        words.stored(&outputs, numbers.to_vec())
    })
}

/// Its outputs are `s` and then the position.
const POSITION: &str = "attribute vec4 a; varying vec2 s; void main() { gl_Position = a; s = a.xy; }";

/// What a position may be behind its division lies within the bounds that are said of it, and these are near it.
#[test]
fn bounds_of_positions_hold_and_are_narrow() {
    for (x, w) in [
        ((3.0, 0.2), (4.0, 0.1)),
        ((0.0, 1.0), (1.0, 0.12)),
        ((5.0, 0.0), (-1000.0, 0.0)),
        ((5.0, 0.01), (0.25, 0.001)),
    ] {
        let found = stored(POSITION, &[(7.0, 0.5), (8.0, 0.25), x, x, x, w]).expect("it is known");
        let ends = |(value, error): (f64, f64)| [value - error, value + error];
        let inverses = ends(w).map(|w| 1.0 / w);
        let products = ends(x).iter().flat_map(|x| inverses.map(|inverse| x * inverse)).collect::<Vec<_>>();
        for ((value, error), truth, rounding) in
            [(found[2], &products[..], 2e-6), (found[4], &products, 2e-6), (found[5], &inverses, 0.9e-6)]
        {
            let most = truth.iter().map(|truth| (truth - value).abs()).fold(0.0, f64::max);
            assert!(
                most + rounding * value.abs() <= error && error <= 1.5 * most + 4e-6 * value.abs() + 1e-29,
                "{x:?} / {w:?}: {value} {error} {most}"
            );
        }
        assert_eq!(found[..2], [(7.0, 0.5), (8.0, 0.25)], "what is no position is not divided");
    }
}

#[test]
fn exact_positions_are_divided_unless_by_zero() {
    let stored = |w: f32| {
        ask(POSITION, |words| words.stored_exactly(&words.outputs(), vec![7.0, 8.0, 1.0, 2.0, 3.0, w]))
    };
    let limit = Options::default().reciprocal_limit;
    assert_eq!(stored(2.0), [7.0, 8.0, 0.5, 1.0, 1.5, 0.5].map(Some));
    assert_eq!(stored(0.0), [Some(7.0), Some(8.0), None, None, None, None]);
    assert_eq!(stored(-0.5 / limit), [7.0, 8.0, -limit, -2.0 * limit, -3.0 * limit, -limit].map(Some));
}

#[test]
fn positions_are_divided_by_no_less_than_the_limit() {
    let limit = f64::from(Options::default().reciprocal_limit);
    let by = |w: (f64, f64)| {
        stored(POSITION, &[(1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0), w]).is_ok()
    };
    assert!(
        by((2.0 / limit, 0.0))
            && by((-2.0 / limit, 0.0))
            && !by((1.0 / limit, 0.0))
            && !by((-0.5 / limit, 0.0))
    );
    assert!(by((8.5, 1.0)) && !by((8.0, 1.0)) && !by((-7.0, 1.0)));
}

/// A size of points is clamped; one of a block that is said to be 0 exactly may never have been written.
#[test]
fn point_sizes_are_clamped() {
    let alone = "attribute vec4 a; void main() { gl_Position = a; gl_PointSize = a.x; }";
    let block = "#version 320 es\n#extension GL_EXT_shader_io_blocks : enable\nin vec4 a;\n\
                 out gl_PerVertex { vec4 gl_Position; float gl_PointSize; };\n\
                 void main() { gl_Position = a; gl_PointSize = a.x; }";
    let (low, high) = Options::default().point_size;
    let (low, high) = (f64::from(low), f64::from(high));
    let size = |text: &str, size: (f64, f64)| {
        let place = (1.0, 0.0);
        stored(text, &[place, place, place, place, size]).expect("it is known")[4]
    };
    for text in [alone, block] {
        assert_eq!(size(text, (2.5, 0.25)), (2.5, 0.25), "{text}");
        assert_eq!(size(text, (1e6, 0.0)), (high, 0.0), "{text}");
        assert_eq!(size(text, (0.0, 0.5)), (low, 0.5), "{text}");
    }
    assert_eq!(size(alone, (0.0, 0.0)), (low, 0.0));
    assert_eq!(size(block, (0.0, 0.0)), (0.0, f64::INFINITY));
}

/// Words that compute what the source means and break a rule are refused for the rule, and can be read.
#[test]
fn words_that_break_a_rule_are_refused() {
    let source = read(POSITION);
    let mut made = compiled(&source);
    assert_eq!(judged(&source, &made), "right");
    made.words.insert(0, instruction::parse("in2 t[304]; mul0 in2.x, one").expect("an instruction"));
    let refused = judged(&source, &made);
    assert!(refused.contains("uniform-range"), "{refused}");
    let entry = &source.entries[0];
    let listing = Words { source: &source, entry, compiled: made, choices: Options::default() }.listing();
    assert!(listing.contains("t[304]"), "{listing}");
}
