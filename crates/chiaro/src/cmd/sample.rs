//! `chiaro sample`: random legal instructions, for trying tools on.

use std::fmt::Write;

use chiaro::Instructions;
use chiaro_diag::did_you_mean;
use chiaro_isa::{Rng, Word};
use clap::Args;

use crate::cli;
use crate::digits;
use crate::shell::{Failure, Shell};

/// Print random legal instructions: words, then text.
#[derive(Args)]
pub struct Options {
    /// The target.
    #[arg(value_parser = cli::targets())]
    target: cli::TargetName,
    #[command(flatten)]
    settings: cli::Settings,
    /// Only this operation, in all its encodings.
    op: Option<String>,
    /// The same seed gives the same instructions, everywhere and always.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many.
    #[arg(long, default_value_t = 10)]
    count: usize,
}

/// Prints the samples.
pub fn run(options: &Options, shell: &mut Shell) -> Result<(), Failure> {
    let set = shell.instructions(options.target, &options.settings.settings)?;
    let mut rng = Rng(options.seed);
    let mut out = String::new();
    if let Some(op) = options.op.as_deref().filter(|op| !knows(set, op)) {
        return Err(unknown(op, options.target.about().name, set, shell));
    }
    for _ in 0..options.count {
        if let Some((word, bytes)) = set.sample(options.op.as_deref(), &mut rng) {
            line(set, &word, bytes, &mut out);
        }
    }
    shell.write(None, out.as_bytes())
}

fn knows(set: &dyn Instructions, op: &str) -> bool {
    set.operations().iter().any(|name| name.eq_ignore_ascii_case(op))
}

fn unknown(op: &str, target: &str, set: &dyn Instructions, shell: &mut Shell) -> Failure {
    let mut names = set.operations();
    let help = match did_you_mean(op, names.iter().copied()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => {
            names.dedup();
            format!("operations are {}", names.join(", "))
        }
    };
    shell.misused(format!("{target} has no operation `{op}`"), help)
}

/// The words of the instruction, lowest first, or its bytes, and its text.
fn line(set: &dyn Instructions, word: &Word, bytes: usize, out: &mut String) {
    let words = digits::write(set, word, bytes);
    let _ = writeln!(out, "{words}  {}", set.text(word).unwrap_or_default());
}
