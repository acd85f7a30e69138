//! Text form, verifier and analyses, by cases in files: what [`cases`] describes.

use chiaro_diag::FileId;
use chiaro_ir::{
    Exits, Function, FunctionRef, Inst, Module, PrintOptions, Value, Variance, Walk, lower_exits, parse,
    print, print_function, stats, uniformity,
};
use std::fmt::Write;

use crate::cases::{module, run, sound};

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
