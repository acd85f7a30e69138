//! What the parser says of a source: `tests/parse/*.{vert,frag,comp}`. `CHIARO_BLESS=1` writes
//! the expectations.

use chiaro_diag::{Counts, Diagnostic, Printer, SourceMap};
use chiaro_glsl::ast::Ast;
use chiaro_glsl::parse::parse;
use chiaro_glsl::preprocess::preprocess;
use chiaro_glsl::symbol::Symbols;

use crate::data;

fn read(name: &str, text: &str) -> (Ast, Vec<Diagnostic>, SourceMap) {
    let mut sources = SourceMap::new();
    let mut symbols = Symbols::default();
    let mut diagnostics = Vec::new();
    let file = sources.add(name, text);
    let options = data::options(name, text);
    let mut include = |_: &str, _: bool, _: &str| None;
    let pre = preprocess(file, &mut sources, &options, &mut include, &mut symbols, &mut diagnostics);
    let ast = parse(&pre, &symbols, &mut diagnostics);
    (ast, diagnostics, sources)
}

#[test]
fn sources_give_their_messages() {
    data::check("parse", |name, text| {
        let (ast, diagnostics, sources) = read(name, text);
        let counts = format!(
            "{} items, {} statements, {} expressions\n",
            ast.items.len(),
            ast.stmts.len(),
            ast.exprs.len()
        );
        counts + &Printer::plain().print(&diagnostics, &sources)
    });
}

fn errors(text: &str) -> usize {
    Counts::of(&read("a.frag", text).1).errors
}

#[test]
fn deep_nesting_is_one_error_and_no_overflow() {
    let many = 200_000;
    let nested = |open: &str, inner: &str, close: &str| {
        format!("#version 330\nvoid main() {{ {}{inner}{} }}", open.repeat(many), close.repeat(many))
    };
    for (open, inner, close) in [
        ("(", "a", ")"),
        ("f(", "a", ")"),
        ("a[", "a", "]"),
        ("{", "", "}"),
        ("if (a) ", ";", ""),
        ("a ? ", "a", ": a"),
        ("a ? a : ", "a", ""),
        ("a = ", "a", ""),
        ("- ", "a;", ""),
        ("float[", "a", "]"),
        ("struct A {", "", "} a;"),
        ("do ", ";", "while (a);"),
    ] {
        assert_eq!(errors(&nested(open, inner, close)), 1, "{open}");
    }
}

#[test]
fn long_chains_are_fine() {
    let many = 100_000;
    let long = |start: &str, link: &str, end: &str| {
        format!("#version 330\nvoid main() {{ {start}{}{end} }}", link.repeat(many))
    };
    assert_eq!(errors(&long("a = a", " + a", ";")), 0);
    assert_eq!(errors(&long("a", ", a", ";")), 0);
    assert_eq!(errors(&long("if (a) b; ", "else if (a) b; ", "")), 0);
    assert_eq!(errors(&long("float a", ", a", ";")), 0);
}

/// Operators on one operand are kept to a number, since what walks over the tree goes down for each.
#[test]
fn chains_of_signs_end() {
    let signs = |count: usize| format!("#version 330\nfloat a = {}1.0;\n", "- ".repeat(count));
    assert_eq!(errors(&signs(100)), 0);
    assert_eq!(errors(&signs(100_000)), 1);
}
