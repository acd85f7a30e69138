//! The command `chiaro-filetest`: long checks and measurements, for those who work on chiaro.
//!
//! Exit codes: 0 all is as expected, 1 something differs or cannot be read, 2 wrong usage.

#![forbid(unsafe_code)]

use std::fmt::Display;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;

use chiaro::{Stage, TARGETS, Target};
use chiaro_filetest::fuzz::Make;
use chiaro_filetest::glsl::piglit::words;
use chiaro_filetest::pica200::valid;
use chiaro_filetest::{bench, fuzz, glsl, opt, seeded, shaders, stages, vectors};

/// Checks and measures chiaro on data that others made.
#[derive(Parser)]
#[command(version)]
enum Command {
    /// Check golden vectors
    Vectors {
        /// Folder of targets, or of one target's files
        folder: PathBuf,
        /// Only this target
        #[arg(long)]
        target: Option<String>,
    },
    /// Optimise the shaders of a folder of golden vectors, run them on the interpreter, and name
    /// the pass that changes an output
    Opt { folder: PathBuf },
    /// Compile all GLSL sources below a folder; validate the words where there is spirv-val
    Glsl { folder: PathBuf },
    /// Compile, verify and run random shaders; reduce those that fail
    Fuzz {
        #[arg(long, value_parser = target)]
        target: &'static dyn Target,
        #[arg(long)]
        count: u64,
        #[arg(long, default_value_t = 0)]
        seed: u64,
        /// Which shaders; vertex shaders where the target has them
        #[arg(long, value_parser = ["vertex", "fragment", "compute"])]
        stage: Option<String>,
        /// Kernels with floats of 16 bits as well
        #[arg(long)]
        halves: bool,
        /// Shaders with random keys of their parts instead: linked, against one piece and against their meaning
        #[arg(long, conflicts_with_all = ["stage", "halves"])]
        keys: bool,
    },
    /// Compile and verify all vertex shaders below a folder
    Shaders {
        folder: PathBuf,
        #[arg(long, value_parser = target)]
        target: &'static dyn Target,
    },
    /// Measure every tool and print a table
    Bench {
        /// Print JSON
        #[arg(long)]
        json: bool,
        /// Only this target
        #[arg(long)]
        target: Option<String>,
        /// Folder of targets with golden vectors; without it, those in the repository are taken
        #[arg(long)]
        vectors: Option<PathBuf>,
    },
    /// Put faults into code that others compiled, or that we do; the rule checker has to find them
    Seeded {
        /// Folder of targets, or of one target's golden vectors
        folder: PathBuf,
        #[arg(long, value_parser = seeded::targets())]
        target: String,
        #[arg(long)]
        count: u64,
        #[arg(long, default_value_t = 0)]
        seed: u64,
        /// Put one into each of so many programs that we compile: the folder's shaders, then random ones
        #[arg(long)]
        own: bool,
    },
    /// Say which files of public GLSL are taken, against what is expected
    Corpus { folder: PathBuf },
    /// Compile what glslang takes of large collections of public GLSL; validate the words
    Public {
        folder: PathBuf,
        /// Only sources with this in their path
        part: Option<String>,
    },
    /// Run piglit's tests on the interpreter
    Piglit {
        folder: PathBuf,
        /// Compile the vertex shaders for this target instead, and run the words
        #[arg(long, value_parser = target)]
        target: Option<&'static dyn Target>,
        /// Only tests with this in their path
        part: Option<String>,
    },
    /// Run compute modules and rewritten ones on Mesa's lavapipe (needs the feature `lavapipe`)
    Lavapipe { folder: PathBuf },
    /// Run the stages of AGX's corpus on lavapipe and print them as rows (needs the feature `lavapipe`)
    Golden { folder: PathBuf },
    /// Sample random textures on lavapipe and on the interpreter (needs the feature `lavapipe`)
    Textures {
        /// How many textures
        #[arg(long, default_value_t = 1000)]
        count: u64,
        /// The first one
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// Trace rays through random scenes on lavapipe and on the interpreter (needs the feature `lavapipe`, and Mesa 25)
    Rays {
        /// How many scenes
        #[arg(long, default_value_t = 100)]
        count: u64,
        /// The first one
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Print what lavapipe finds as the rows of `tests/rays/lavapipe.jsonl`, and judge nothing
        #[arg(long)]
        rows: bool,
    },
    /// Lift the programs of PICA200's vectors and random ones in every way, and have spirv-val judge the words
    LiftedValid {
        /// Folder of targets, or of PICA200's golden vectors
        folder: PathBuf,
        /// How many random programs
        #[arg(long, default_value_t = 200)]
        count: u64,
        /// The first one
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// Lift random programs, and run what GLSL says of them on lavapipe (needs the feature `lavapipe`)
    Lifted {
        /// How many programs.
        #[arg(long, default_value_t = 2000)]
        count: u64,
        /// The first one.
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
}

/// Reads a target's name, for clap.
fn target(name: &str) -> Result<&'static dyn Target, String> {
    TARGETS.named(name).ok_or_else(|| format!("known targets are {}", TARGETS.names().join(", ")))
}

/// Random shaders have up to this many operations.
const LARGEST: u32 = 40;

fn main() -> ExitCode {
    match Command::parse() {
        Command::Vectors { folder, target } => {
            verdict(check_vectors(&folder, target.as_deref()), |report| report.failed() == 0)
        }
        Command::Opt { folder } => verdict(opt::check(&folder), opt::Report::passed),
        Command::Glsl { folder } => verdict(stages::check_corpus(&folder), stages::CorpusReport::passed),
        Command::Fuzz { target, keys: true, .. } if target.part_kinds().is_empty() => {
            eprintln!("error: {} makes no parts of keys", target.about().name);
            ExitCode::from(2)
        }
        Command::Fuzz { keys: true, count, seed, .. } => {
            let report = fuzz::keys::run(count, seed);
            print(&report.table(), report.passed())
        }
        Command::Fuzz { target, count, seed, stage, halves, .. } => {
            let has_vertices = target.about().stages.contains(&Stage::Vertex);
            let stage = match stage.as_deref() {
                Some("fragment") => Stage::Fragment,
                Some("vertex") => Stage::Vertex,
                None if has_vertices => Stage::Vertex,
                _ => Stage::Compute,
            };
            let report = fuzz::run(target, count, seed, Make { stage, size: LARGEST, halves });
            print(&report.table(), report.passed())
        }
        Command::Shaders { folder, target } => {
            verdict(shaders::check(&folder, target), shaders::Report::passed)
        }
        Command::Bench { json, target, vectors } => {
            let form = if json { bench::Figures::json } else { bench::Figures::table };
            verdict(
                bench::measure(target.as_deref(), vectors.as_deref()).map(|figures| form(&figures) + "\n"),
                |_| true,
            )
        }
        Command::Seeded { folder, target, count, seed, own } => {
            let run = if own { seeded::run_own } else { seeded::run };
            verdict(run(&folder, &target, count, seed), seeded::Report::passed)
        }
        Command::Corpus { folder } => verdict(glsl::corpus::check(&folder), glsl::corpus::Report::explained),
        Command::Public { folder, part } => {
            verdict(glsl::public::check(&folder, part.as_deref()), glsl::public::Report::explained)
        }
        Command::Piglit { folder, target: Some(target), part } => {
            verdict(words::check(&folder, target, part.as_deref()), words::Report::passed)
        }
        Command::Piglit { folder, target: None, part } => {
            verdict(glsl::piglit::check(&folder, part.as_deref()), glsl::piglit::Report::explained)
        }
        Command::Lavapipe { folder } => lavapipe(&folder),
        Command::Golden { folder } => golden(&folder),
        Command::Textures { count, seed } => textures(seed..seed.saturating_add(count)),
        Command::Rays { count, seed, rows } => rays(seed..seed.saturating_add(count), rows),
        Command::LiftedValid { folder, count, seed } => {
            verdict(valid::check(&folder, seed..seed.saturating_add(count)), valid::Report::passed)
        }
        Command::Lifted { count, seed } => lifted(seed..seed.saturating_add(count)),
    }
}

/// Prints a report or why there is none, and judges it.
fn verdict<R: Display, E: Display>(report: Result<R, E>, is_good: impl Fn(&R) -> bool) -> ExitCode {
    match report {
        Ok(report) => print(&report.to_string(), is_good(&report)),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(1)
        }
    }
}

/// Prints a report. Who reads only its head hears nothing of it; a full disk is a failure.
fn print(report: &str, is_good: bool) -> ExitCode {
    let mut out = std::io::stdout();
    match out.write_all(report.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            eprintln!("error: cannot write the report: {error}");
            ExitCode::from(1)
        }
        _ => ExitCode::from(u8::from(!is_good)),
    }
}

/// A folder of targets, or with a target's name that target's own folder.
fn check_vectors(folder: &Path, target: Option<&str>) -> std::io::Result<vectors::Report> {
    match target {
        Some(target) if !folder.join(target).is_dir() => vectors::check_target_folder(folder, target),
        _ => vectors::check_folder(folder, target),
    }
}

/// Exit code 0 where there is no lavapipe: it is a tool of the development only.
#[cfg(feature = "lavapipe")]
fn lavapipe(folder: &Path) -> ExitCode {
    use chiaro_filetest::lavapipe::{Device, Report, check};
    match Device::open() {
        Ok(device) => verdict(check(&device, folder), Report::passed),
        Err(reason) => print(&format!("skipped: {reason}\n"), true),
    }
}

/// As [`lavapipe`], of what goes into the repository.
#[cfg(feature = "lavapipe")]
fn golden(folder: &Path) -> ExitCode {
    use chiaro_filetest::lavapipe::{Device, corpus};
    match Device::open() {
        Ok(device) => verdict(corpus::rows(&device, folder), |_| true),
        Err(reason) => print(&format!("skipped: {reason}\n"), true),
    }
}

/// As [`lavapipe`], of programs that were lifted.
#[cfg(feature = "lavapipe")]
fn lifted(seeds: std::ops::Range<u64>) -> ExitCode {
    use chiaro_filetest::lavapipe::{Device, lifted};
    match Device::open() {
        Ok(device) => verdict(Ok::<_, String>(lifted::check(&device, seeds)), lifted::Report::passed),
        Err(reason) => print(&format!("skipped: {reason}\n"), true),
    }
}

/// As [`lavapipe`], of random textures.
#[cfg(feature = "lavapipe")]
fn textures(seeds: std::ops::Range<u64>) -> ExitCode {
    use chiaro_filetest::lavapipe::{Device, textures};
    match Device::open() {
        Ok(device) => verdict(Ok::<_, String>(textures::check(&device, seeds)), textures::Report::passed),
        Err(reason) => print(&format!("skipped: {reason}\n"), true),
    }
}

/// As [`lavapipe`], of rays.
#[cfg(feature = "lavapipe")]
fn rays(seeds: std::ops::Range<u64>, rows: bool) -> ExitCode {
    use chiaro_filetest::lavapipe::{Device, rays};
    match Device::open() {
        Ok(device) if rows => verdict(rays::rows(&device, seeds), |_| true),
        Ok(device) => verdict(rays::check(&device, seeds), rays::Report::passed),
        Err(reason) => print(&format!("skipped: {reason}\n"), true),
    }
}

#[cfg(not(feature = "lavapipe"))]
fn rays(_: std::ops::Range<u64>, _: bool) -> ExitCode {
    print("skipped: this program was built without the feature `lavapipe`\n", true)
}

#[cfg(not(feature = "lavapipe"))]
fn textures(_: std::ops::Range<u64>) -> ExitCode {
    print("skipped: this program was built without the feature `lavapipe`\n", true)
}

#[cfg(not(feature = "lavapipe"))]
fn golden(_: &Path) -> ExitCode {
    print("skipped: this program was built without the feature `lavapipe`\n", true)
}

#[cfg(not(feature = "lavapipe"))]
fn lifted(_: std::ops::Range<u64>) -> ExitCode {
    print("skipped: this program was built without the feature `lavapipe`\n", true)
}

#[cfg(not(feature = "lavapipe"))]
fn lavapipe(_: &Path) -> ExitCode {
    print("skipped: this program was built without the feature `lavapipe`\n", true)
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::Command;

    #[test]
    fn options_are_long_and_stand_anywhere() {
        Command::command().debug_assert();
        let lines = ["vectors tests --target pica200", "vectors --target=utgard-gp tests", "bench --json"];
        for line in lines {
            assert!(Command::try_parse_from(format!("chiaro-filetest {line}").split(' ')).is_ok(), "{line}");
        }
        for line in ["vectors", "vectors tests --targte pica200", "fuzz --target psp --count 1"] {
            assert!(Command::try_parse_from(format!("chiaro-filetest {line}").split(' ')).is_err(), "{line}");
        }
    }
}
