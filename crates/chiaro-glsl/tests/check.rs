//! What the checker says of a source: `tests/check/*.{vert,frag,comp}`. `CHIARO_BLESS=1` writes
//! the expectations: messages, and for what is right the interface and the constants.

use std::fmt::Write;

use chiaro_diag::{Counts, Diagnostic, Printer, SourceMap};
use chiaro_glsl::check::check;
use chiaro_glsl::hir::{ExprKind, Global, Program};
use chiaro_glsl::parse::parse;
use chiaro_glsl::preprocess::preprocess;
use chiaro_glsl::symbol::Symbols;
use chiaro_glsl::ty::{Scalar, Ty, Type};

use crate::data;

fn read(name: &str, text: &str) -> (Option<Program>, Symbols, Vec<Diagnostic>, SourceMap) {
    let mut sources = SourceMap::new();
    let mut symbols = Symbols::default();
    let mut diagnostics = Vec::new();
    let file = sources.add(name, text);
    let options = data::options(name, text);
    let mut include = |_: &str, _: bool, _: &str| None;
    let pre = preprocess(file, &mut sources, &options, &mut include, &mut symbols, &mut diagnostics);
    let ast = parse(&pre, &symbols, &mut diagnostics);
    let program = check(&ast, &pre, &options, &mut symbols, &mut diagnostics);
    (program, symbols, diagnostics, sources)
}

/// A global on a line: where it lives, its name, what its layout says, its value.
fn global(program: &Program, symbols: &Symbols, global: &Global, out: &mut String) {
    let name = match &global.block {
        Some(block) => format!("block {} {}", symbols.text(block.name), symbols.text(global.name)),
        None => symbols.text(global.name).to_owned(),
    };
    let _ = write!(out, "{:?} {}", global.storage, name.trim_end());
    if let Some(precision) = global.precision {
        let _ = write!(out, " {precision:?}");
    }
    for (word, value) in [("location", global.layout.location), ("binding", global.layout.binding)] {
        if let Some(value) = value {
            let _ = write!(out, " {word}={value}");
        }
    }
    if let Type::Array(_, length) = program.types.get(global.ty) {
        let _ = write!(out, " {length:?}");
    }
    if let Some(ExprKind::Constant(bits)) = global.init.map(|init| &program.exprs[init.0 as usize].kind) {
        let _ = write!(out, " = {}", values(program, global.ty, bits));
    }
    out.push_str(if global.used { "\n" } else { " (not used)\n" });
}

/// Constants as people read them.
fn values(program: &Program, ty: Ty, bits: &[u64]) -> String {
    let scalar = match program.types.get(ty) {
        Type::Scalar(scalar) | Type::Vector(scalar, _) | Type::Matrix { scalar, .. } => Some(*scalar),
        _ => None,
    };
    let one = |&bits: &u64| match scalar {
        Some(Scalar::Float) => format!("{:?}", f32::from_bits(bits as u32)),
        Some(Scalar::Double) => format!("{:?}", f64::from_bits(bits)),
        Some(Scalar::Int) => format!("{}", bits as u32 as i32),
        _ => format!("{bits:#x}"),
    };
    bits.iter().map(one).collect::<Vec<_>>().join(" ")
}

#[test]
fn sources_give_their_messages() {
    data::check("check", |name, text| {
        let (program, symbols, diagnostics, sources) = read(name, text);
        let mut out = Printer::plain().print(&diagnostics, &sources);
        if let Some(program) = program {
            for each in &program.globals {
                global(&program, &symbols, each, &mut out);
            }
        }
        out
    });
}

/// The errors of a source.
fn errors(text: &str) -> usize {
    Counts::of(&read("a.frag", text).2).errors
}

#[test]
fn what_is_long_is_fine_and_what_is_deep_is_an_error() {
    let start = "#version 330\nout vec4 c;\n";
    let many = 50_000;
    let within = |text: String| errors(&format!("{start}void main() {{ c = vec4(1.0); {text} }}"));
    assert_eq!(within(format!("float x = 1.0{};", " + c.x".repeat(many))), 0);
    assert_eq!(within(format!("float x = 1.0; x = (x{});", ", x".repeat(many))), 0);
    assert_eq!(within(format!("float x = 1.0{};", " + 1.0".repeat(many))), 0);
    assert!(within(format!("if (c.x > 1.0) ; {}", "else if (c.x > 1.0) ; ".repeat(many))) > 0);
    let structures: String = (1..100).map(|n| format!("struct S{n} {{ S{} a, b; }};\n", n - 1)).collect();
    let whole = format!("{start}struct S0 {{ float x; }};\n{structures}void main() {{ c = vec4(1.0); }}");
    assert_eq!(errors(&whole), 1);
}
