//! Tests as data: each file of this folder holds cases, a text and what comes of it.
//!
//! A case begins with `; test` and a name; `; --- expect` stands between the two texts.
//! `CHIARO_BLESS=1` rewrites what is expected.

use chiaro_diag::{FileId, Printer, SourceMap};
use chiaro_ir::{
    Exits, Function, FunctionRef, Inst, Module, PrintOptions, Value, Variance, Walk, lower_exits, parse,
    print, print_function, stats, uniformity, verify,
};
use std::fmt::Write;
use std::path::Path;

const EXPECT: &str = "; --- expect\n";

/// Runs every case of a file through `f`.
fn run(file: &str, f: impl Fn(&str) -> String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    let (head, cases) = text.split_once("; test ").unwrap_or((&text, ""));
    let mut found = head.to_owned();
    for case in cases.split("\n; test ") {
        let (name, body) = case.split_once('\n').unwrap_or((case, ""));
        let (before, expected) = body.split_once(EXPECT).unwrap_or((body, ""));
        let after = f(before);
        if std::env::var_os("CHIARO_BLESS").is_none() {
            assert_eq!(after.trim_end(), expected.trim_end(), "\n{file}: {name}\n{after}");
        }
        let before = before.trim_end();
        let _ = write!(found, "; test {name}\n{before}\n{EXPECT}{}\n\n", after.trim_end());
    }
    if std::env::var_os("CHIARO_BLESS").is_some() {
        std::fs::write(path, found.trim_end().to_owned() + "\n").unwrap();
    }
}

/// The module of a text that is right.
fn module(text: &str) -> Result<Module, String> {
    let mut sources = SourceMap::new();
    let file = sources.add("test", text);
    parse(text, file).map_err(|errors| Printer::plain().print(&errors, &sources))
}

/// As [`module`], verified too.
fn sound(text: &str) -> Result<Module, String> {
    let module = module(text)?;
    let breaches = verify(&module).err().unwrap_or_default();
    match breaches.is_empty() {
        true => Ok(module),
        false => Err(breaches.iter().map(|breach| format!("{breach}\n")).collect()),
    }
}

fn either(result: Result<String, String>) -> String {
    result.unwrap_or_else(|error| error)
}

#[test]
fn texts_are_printed_as_they_were_parsed() {
    run("print.txt", |text| {
        either(sound(text).map(|module| {
            let printed = print(&module);
            let again = parse(&printed, FileId(0)).map(|module| print(&module));
            assert_eq!(again.as_ref(), Ok(&printed));
            printed
        }))
    });
}

#[test]
fn mistakes_of_spelling_are_told_with_their_place() {
    run("parse.txt", |text| either(module(text).map(|module| print(&module))));
}

#[test]
fn breaches_of_the_rules_are_told() {
    run("verify.txt", |text| either(sound(text).map(|_| "sound".into())));
}

#[test]
fn functions_are_counted() {
    run("stats.txt", |text| {
        either(
            sound(text).map(|module| {
                module.functions.iter().map(|f| format!("{}: {}\n", f.name, stats(f))).collect()
            }),
        )
    });
}

#[test]
fn values_that_differ_between_lanes_are_found() {
    run("uniformity.txt", |text| {
        either(sound(text).map(|module| {
            let known = uniformity(&module);
            module.functions.iter().zip(&known).map(|(f, known)| variances(&module, f, known)).collect()
        }))
    });
}

/// A function by handles, and below it what differs where.
fn variances(module: &Module, f: &Function, known: &chiaro_ir::Uniformity) -> String {
    let options = PrintOptions { handles: true, ..PrintOptions::default() };
    let mut text = print_function(module, f, options);
    for level in [Variance::Subgroup, Variance::Lane] {
        let values: String = (0..f.value_count() as u32)
            .filter(|&i| known.value(Value(i)) == level)
            .map(|i| format!(" %{i}"))
            .collect();
        let apart: String = Walk::new(f)
            .filter_map(|step| match step {
                chiaro_ir::Step::Inst(inst) if known.control(inst) == level => Some(name(f, inst)),
                _ => None,
            })
            .collect();
        let _ = writeln!(text, "; {level:?}: values{values}; run apart{apart}");
    }
    text
}

fn name(f: &Function, inst: Inst) -> String {
    format!(" {}", f.op(inst).info().name)
}

/// Cases name the kinds to keep in a comment of their first line: `; keep blocks returns`.
#[test]
fn exits_are_lowered() {
    run("lower_exits.txt", |text| {
        let kept = text.lines().next().unwrap_or_default();
        let keeps = |kind| kept.contains(kind);
        let keep = Exits {
            blocks: keeps("blocks"),
            breaks: keeps("breaks"),
            continues: keeps("continues"),
            returns: keeps("returns"),
            across_loops: keeps("across_loops"),
        };
        either(sound(text).and_then(|mut module| {
            for f in 0..module.functions.len() as u32 {
                lower_exits(&mut module, FunctionRef(f), keep);
            }
            let text = print(&module);
            sound(&text).map(|_| text)
        }))
    });
}
