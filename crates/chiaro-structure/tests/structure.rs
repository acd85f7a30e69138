//! The limits that the source of this project keeps, and that the measures see what breaks them.

use std::path::{Path, PathBuf};

use chiaro_structure::circles::{Needs, circles, describe, needs};
use chiaro_structure::functions::{Function, functions, percentile};
use chiaro_structure::source::Tree;

/// Crates in which modules form no circle at all, not even with their children.
const WITHOUT_CIRCLES: [&str; 1] = ["chiaro-glsl"];

/// Modules of targets that form no circle at all: all that is below the compiler.
const COMPILER: &str = "crate::compile";

/// What may not need what: the crate, the module that needs, and what it leaves alone.
const LAYERS: [(&str, &str, &str); 4] = [
    ("chiaro-glsl", "crate::ast", "crate::hir"),
    ("chiaro-glsl", "crate::check", "crate::emit"),
    ("chiaro-glsl", "crate::parse", "crate::check"),
    ("chiaro-glsl", "crate::preprocess", "crate::parse"),
];

/// Functions with more parameters than six, and why.
const MANY_PARAMETERS: [(&str, &str); 0] = [];

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)
}

fn crates() -> Vec<(String, Tree)> {
    let mut names: Vec<String> = std::fs::read_dir(folder(""))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
        .into_iter()
        .map(|name| {
            let tree = Tree::read(&folder(&name)).unwrap();
            (name, tree)
        })
        .collect()
}

fn is_below(name: &str, module: &str) -> bool {
    name.strip_prefix(module).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

/// The circles that the crate must not have.
fn wrong_circles(name: &str, tree: &Tree, needs: &Needs) -> Vec<Vec<usize>> {
    let in_compiler = |m: usize| is_below(&tree.modules[m].name(), COMPILER);
    circles(tree, needs, |from, to| {
        let is_strict = WITHOUT_CIRCLES.contains(&name) || (in_compiler(from) && in_compiler(to));
        is_strict || !tree.modules[from].is_kin(&tree.modules[to])
    })
}

#[test]
fn modules_form_no_circles() {
    let mut wrong = String::new();
    for (name, tree) in crates() {
        let needs = needs(&tree);
        let text = describe(&tree, &needs, &wrong_circles(&name, &tree, &needs));
        if !text.is_empty() {
            wrong += &format!("{name}: {text}");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn layers_go_one_way() {
    for (name, upper, lower) in LAYERS {
        let tree = Tree::read(&folder(name)).unwrap();
        for ((from, to), what) in needs(&tree) {
            let (from, to) = (tree.modules[from].name(), tree.modules[to].name());
            assert!(!is_below(&from, upper) || !is_below(&to, lower), "{from} needs {to} for {what}");
        }
    }
}

/// Where all tests of a crate are one program, nothing else notices a file that is no module of it.
#[test]
fn files_of_tests_are_in_their_program() {
    for entry in std::fs::read_dir(folder("")).unwrap() {
        let folder = entry.unwrap().path();
        let Ok(all) = std::fs::read_to_string(folder.join("tests/all.rs")) else { continue };
        for entry in std::fs::read_dir(folder.join("tests")).unwrap() {
            let path = entry.unwrap().path();
            let Some(name) = path.file_name().unwrap().to_str().unwrap().strip_suffix(".rs") else {
                continue;
            };
            let module = format!("mod {name};");
            assert!(name == "all" || all.lines().any(|line| line == module), "{} never runs", path.display());
        }
    }
}

#[test]
fn functions_are_small() {
    let all: Vec<(String, Function)> = crates()
        .iter()
        .flat_map(|(name, tree)| functions(tree).into_iter().map(move |f| (name.clone(), f)))
        .collect();
    let alone: Vec<Function> = all.iter().map(|(_, f)| f.clone()).collect();
    assert!(percentile(&alone, 90) <= 25, "p90 is {}", percentile(&alone, 90));
    assert!(percentile(&alone, 99) <= 60, "p99 is {}", percentile(&alone, 99));
    for (name, f) in &all {
        assert!(f.lines <= 100, "{name}: {} has {} lines", f.name, f.lines);
        let is_listed = MANY_PARAMETERS.iter().any(|(listed, _)| f.name == *listed);
        assert!(f.parameters <= 6 || is_listed, "{name}: {} has {} parameters", f.name, f.parameters);
    }
}

#[test]
fn planted_circles_are_found() {
    let tree = Tree::read(&folder("chiaro-structure/tests/data/knot")).unwrap();
    let needs = needs(&tree);
    let names = |all: Vec<Vec<usize>>| -> Vec<Vec<String>> {
        all.iter().map(|circle| circle.iter().map(|&m| tree.modules[m].name()).collect()).collect()
    };
    let strangers = vec!["crate::back".to_owned(), "crate::front".to_owned()];
    let family = vec!["crate::parent".to_owned(), "crate::parent::child".to_owned()];
    assert_eq!(names(circles(&tree, &needs, |_, _| true)), [strangers.clone(), family]);
    assert_eq!(names(wrong_circles("knot", &tree, &needs)), [strangers]);
}

#[test]
fn functions_are_measured_with_their_signature() {
    let tree = Tree::read(&folder("chiaro-structure/tests/data/knot")).unwrap();
    let all = functions(&tree);
    assert_eq!(all.len(), 3, "{all:?}");
    assert!(all.iter().all(|f| f.lines == 3 && f.parameters == 0), "{all:?}");
}

/// Of a hundred functions of 1 to 100 lines in any order ninety have no more than 91.
#[test]
fn shares_of_functions_have_their_length() {
    let of = |lines: usize| Function { name: String::new(), lines, parameters: 0 };
    let all: Vec<Function> = (0..100).map(|n| of(n * 37 % 100 + 1)).collect();
    assert_eq!([0, 50, 90, 100].map(|share| percentile(&all, share)), [1, 51, 91, 100]);
    assert_eq!((percentile(&all[..1], 90), percentile(&[], 90)), (all[0].lines, 0));
}
