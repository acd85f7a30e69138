//! Random and damaged inputs against every reader.
//!
//! `chiaro-fuzz TARGET --count N --seed S` makes N inputs and hands each to the code
//! under test. A panic, an input that takes more than a second of a processor, or one with which
//! the process comes to more than 512 MiB is a finding: it is shrunk while it still fails,
//! printed, and the exit code is 1.
//! The same seed gives the same inputs everywhere.

#![forbid(unsafe_code)]
#![allow(unreachable_pub, reason = "a program has no callers; `pub` marks what a module offers the others")]

mod allocator;
mod door;
mod glsl;
mod modules;
mod mutate;
mod scenes;
mod shrink;
mod subject;
mod utgard;
mod watch;

use std::panic;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use chiaro_isa::Rng;

use crate::subject::{Subject, subjects};
use crate::watch::Watch;

/// Memory that a whole run may take, in MiB. Inputs are a few kilobytes.
const MOST_MEMORY: u64 = 512;

/// Inputs between two looks at the memory.
const LOOK: u64 = 1000;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // Another thread watches them until the program ends.
    let subjects: &'static [Subject] = subjects().leak();
    let Some((subject, count, seed)) = parse(&arguments, subjects) else {
        let names: Vec<_> = subjects.iter().map(|s| s.name.as_str()).collect();
        eprintln!("usage: chiaro-fuzz {} [--count N] [--seed S]", names.join("|"));
        return ExitCode::from(2);
    };
    run(subject, count, seed)
}

fn parse(arguments: &[String], subjects: &'static [Subject]) -> Option<(&'static Subject, u64, u64)> {
    let (name, options) = arguments.split_first()?;
    let subject = subjects.iter().find(|s| s.name == *name)?;
    let (mut count, mut seed) = (100_000, 1);
    for pair in options.chunks(2) {
        let value = pair.get(1)?.parse().ok()?;
        match pair[0].as_str() {
            "--count" => count = value,
            "--seed" => seed = value,
            _ => return None,
        }
    }
    Some((subject, count, seed))
}

fn run(subject: &'static Subject, count: u64, seed: u64) -> ExitCode {
    // Panics are findings here, reported once and shrunk.
    panic::set_hook(Box::new(|_| {}));
    let start = Instant::now();
    let watch = Watch::start(subject);
    let corpus = (subject.corpus)();
    let mut longest = Duration::ZERO;
    for number in 0..count {
        // Each input has a seed of its own, so that one can be made again alone.
        let mut rng = Rng(seed ^ number.wrapping_mul(0x2545_f491_4f6c_dd1d));
        let input = (subject.make)(&corpus, &mut rng);
        watch.begin(&input);
        match watch::attempt(subject, &input) {
            Ok(time) => longest = longest.max(time),
            Err(wrong) => {
                watch.pause();
                return report(subject, number, &input, &wrong);
            }
        }
        // The peak only grows: whoever looks often knows about where it grew.
        if number % LOOK == LOOK - 1 && watch::peak_memory() > MOST_MEMORY {
            let first = number + 1 - LOOK;
            println!("{}: more than {MOST_MEMORY} MiB by one of inputs {first} to {number}", subject.name);
            return ExitCode::from(1);
        }
    }
    watch.pause();
    let memory = watch::peak_memory();
    let rate = count as f64 / start.elapsed().as_secs_f64();
    let name = &subject.name;
    println!("{name}: {count} inputs, {rate:.0} a second, at most {longest:.0?} each, {memory} MiB");
    if memory > MOST_MEMORY {
        println!("{name}: that is more memory than {MOST_MEMORY} MiB");
        return ExitCode::from(1);
    }
    ExitCode::SUCCESS
}

fn report(subject: &'static Subject, number: u64, input: &[u8], wrong: &str) -> ExitCode {
    let smaller = shrink::shrink(input, |input| watch::attempt(subject, input).is_err());
    println!("{}: input {number} {wrong}", subject.name);
    println!("smallest input that does ({} of {} bytes):", smaller.len(), input.len());
    println!("{}", (subject.show)(&smaller));
    ExitCode::from(1)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::{subjects, watch};

    /// `findings/SUBJECT/` holds inputs that were findings once, with `-` for the colons of the name.
    #[test]
    fn what_was_found_is_repaired() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("findings");
        let all = subjects();
        let mut tried = 0;
        for kept in fs::read_dir(folder).expect("there are findings").flatten() {
            let name = kept.file_name().into_string().expect("a name of a subject");
            let subject = all.iter().find(|subject| subject.name.replace(':', "-") == name);
            let subject = subject.unwrap_or_else(|| panic!("there is no subject `{name}`"));
            for input in fs::read_dir(kept.path()).expect("a folder of inputs").flatten() {
                let bytes = fs::read(input.path()).expect("an input");
                if let Err(wrong) = watch::attempt(subject, &bytes) {
                    panic!("{} {wrong}", input.path().display());
                }
                tried += 1;
            }
        }
        assert!(tried > 0);
    }
}
