//! The command `chiaro-structure CRATE_FOLDER...`: circles of modules and the largest functions.

#![forbid(unsafe_code)]

use std::path::Path;
use std::process::ExitCode;

use chiaro_structure::circles::{circles, describe, needs};
use chiaro_structure::functions::{functions, percentile};
use chiaro_structure::source::Tree;

/// Longer functions are named.
const LONG: usize = 60;
/// Functions with more parameters are named.
const MANY: usize = 6;

fn main() -> ExitCode {
    let folders: Vec<String> = std::env::args().skip(1).collect();
    if folders.is_empty() {
        eprintln!("usage: chiaro-structure CRATE_FOLDER...");
        return ExitCode::from(2);
    }
    for folder in folders {
        match Tree::read(Path::new(&folder)) {
            Ok(tree) => print!("== {folder}\n{}", report(&tree)),
            Err(error) => {
                eprintln!("error: {error}");
                return ExitCode::from(1);
            }
        }
    }
    ExitCode::SUCCESS
}

fn report(tree: &Tree) -> String {
    let needs = needs(tree);
    let mut out = describe(tree, &needs, &circles(tree, &needs, |_, _| true));
    let all = functions(tree);
    let [p50, p90, p99] = [50, 90, 99].map(|share| percentile(&all, share));
    out += &format!("{} functions, lines at p50 {p50}, p90 {p90}, p99 {p99}\n", all.len());
    for f in all.iter().filter(|f| f.lines > LONG || f.parameters > MANY) {
        out += &format!("    {} lines, {} parameters: {}\n", f.lines, f.parameters, f.name);
    }
    out
}
