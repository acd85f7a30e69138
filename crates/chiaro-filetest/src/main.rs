//! `chiaro-filetest vectors DIR [--target T]` and `chiaro-filetest bench [--json]`.

#![forbid(unsafe_code)]

use std::path::Path;
use std::process::ExitCode;

use chiaro_filetest::{bench, vectors};

const USAGE: &str = "\
usage: chiaro-filetest vectors DIR [--target T]   check golden vectors; exit code 1 if any row fails
       chiaro-filetest bench [--json]             measure every tool and print a table";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["vectors", folder] => check(folder, None),
        ["vectors", folder, "--target", target] | ["vectors", "--target", target, folder] => {
            check(folder, Some(target))
        }
        ["bench"] => measure(bench::Figures::table),
        ["bench", "--json"] => measure(bench::Figures::json),
        _ => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
}

/// A folder of targets, or with a target's name that target's own folder.
fn check(folder: &str, target: Option<&str>) -> ExitCode {
    let folder = Path::new(folder);
    let report = match target {
        Some(target) if !folder.join(target).is_dir() => vectors::check_target_folder(folder, target),
        _ => vectors::check_folder(folder, target),
    };
    match report {
        Ok(report) => {
            print!("{report}");
            ExitCode::from(u8::from(report.failed() > 0))
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(1)
        }
    }
}

fn measure(form: fn(&bench::Figures) -> String) -> ExitCode {
    match bench::measure() {
        Ok(figures) => {
            println!("{}", form(&figures));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(1)
        }
    }
}
