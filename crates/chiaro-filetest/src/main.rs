//! `chiaro-filetest` with `vectors`, `opt`, `glsl`, `corpus`, `fuzz`, `bench` and `lavapipe`.

#![forbid(unsafe_code)]

use std::path::Path;
use std::process::ExitCode;

use chiaro_filetest::{bench, fuzz, glsl, vectors};

const USAGE: &str = "\
usage: chiaro-filetest vectors DIR [--target T]   check golden vectors; exit code 1 if any row fails
       chiaro-filetest opt DIR                    optimise the shaders of a folder of golden vectors, run them on
                                                  the interpreter, and name the pass that changes an output
       chiaro-filetest glsl DIR                   compile all GLSL sources below a folder, and validate
                                                  the words with spirv-val where it is installed
       chiaro-filetest fuzz --target pica200 --count N [--seed S]
                                                  compile, verify and run random shaders; reduce those that fail
       chiaro-filetest shaders DIR --target pica200
                                                  compile and verify all vertex shaders below a folder
       chiaro-filetest bench [--json]             measure every tool and print a table
       chiaro-filetest corpus DIR                 which files of public GLSL are taken, against what is expected
       chiaro-filetest piglit DIR [PART]          run piglit's tests, or those with PART in their path, on the interpreter
       chiaro-filetest piglit DIR --target pica200 [PART]
                                                  compile the vertex shaders of these tests, and run the words
       chiaro-filetest lavapipe DIR               run compute modules and rewritten ones on Mesa's lavapipe
                                                  (DIR/rdna/lavapipe_outputs.jsonl; feature `lavapipe`)";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["vectors", folder] => check(folder, None),
        ["vectors", folder, "--target", target] | ["vectors", "--target", target, folder] => {
            check(folder, Some(target))
        }
        ["glsl", folder] => sources(Path::new(folder)),
        ["lavapipe", folder] => lavapipe(Path::new(folder)),
        ["opt", folder] => optimise(Path::new(folder)),
        ["corpus", folder] => corpus(Path::new(folder)),
        ["piglit", folder, "--target", "pica200"] => piglit_words(Path::new(folder), None),
        ["piglit", folder, "--target", "pica200", part] => piglit_words(Path::new(folder), Some(part)),
        ["piglit", folder] => piglit(Path::new(folder), None),
        ["piglit", folder, part] => piglit(Path::new(folder), Some(part)),
        ["fuzz", "--target", "pica200", "--count", count] => fuzz_pica200(count, "0"),
        ["fuzz", "--target", "pica200", "--count", count, "--seed", seed] => fuzz_pica200(count, seed),
        ["shaders", folder, "--target", "pica200"] => shaders(Path::new(folder)),
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

/// Random shaders of up to this many operations.
const LARGEST: u32 = 40;

fn fuzz_pica200(count: &str, seed: &str) -> ExitCode {
    let (Ok(count), Ok(seed)) = (count.parse(), seed.parse()) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let report = fuzz::run(count, seed, LARGEST);
    print!("{}", report.table());
    ExitCode::from(u8::from(!report.passed()))
}

fn optimise(folder: &Path) -> ExitCode {
    match chiaro_filetest::opt::check(folder) {
        Ok(report) => {
            print!("{report}");
            ExitCode::from(u8::from(!report.passed()))
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(1)
        }
    }
}

/// Exit code 1 if a file differs that is not listed.
fn corpus(folder: &Path) -> ExitCode {
    match glsl::corpus::check(folder) {
        Ok(report) => {
            print!("{report}");
            ExitCode::from(u8::from(!report.explained()))
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(1)
        }
    }
}

/// Exit code 1 if a test fails that is not listed.
fn piglit(folder: &Path, only: Option<&str>) -> ExitCode {
    match glsl::piglit::check(folder, only) {
        Ok(report) => {
            print!("{report}");
            ExitCode::from(u8::from(!report.explained()))
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(1)
        }
    }
}

/// Exit code 1 if a vertex shader computes something else.
fn piglit_words(folder: &Path, only: Option<&str>) -> ExitCode {
    match glsl::piglit::words::check(folder, only) {
        Ok(report) => {
            print!("{report}");
            ExitCode::from(u8::from(!report.passed()))
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(1)
        }
    }
}

/// Exit code 1 if a shader is compiled to something else.
fn shaders(folder: &Path) -> ExitCode {
    match chiaro_filetest::shaders::check(folder) {
        Ok(report) => {
            print!("{report}");
            ExitCode::from(u8::from(!report.passed()))
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(1)
        }
    }
}

fn sources(folder: &Path) -> ExitCode {
    match chiaro_filetest::stages::check_corpus(folder) {
        Ok(report) => {
            print!("{report}");
            ExitCode::from(u8::from(!report.passed()))
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(1)
        }
    }
}

/// Exit code 0 where there is no lavapipe: it is a tool of the development only.
#[cfg(feature = "lavapipe")]
fn lavapipe(folder: &Path) -> ExitCode {
    use chiaro_filetest::lavapipe::{Device, check};
    let device = match Device::open() {
        Ok(device) => device,
        Err(reason) => {
            println!("skipped: {reason}");
            return ExitCode::SUCCESS;
        }
    };
    match check(&device, folder) {
        Ok(report) => {
            print!("{report}");
            ExitCode::from(u8::from(!report.passed()))
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(1)
        }
    }
}

#[cfg(not(feature = "lavapipe"))]
fn lavapipe(_: &Path) -> ExitCode {
    println!("skipped: this program was built without the feature `lavapipe`");
    ExitCode::SUCCESS
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
