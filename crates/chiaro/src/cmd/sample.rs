//! `chiaro sample`: random legal instructions, for trying tools on.

use std::fmt::Write;

use chiaro::Target;
use chiaro_diag::did_you_mean;
use chiaro_isa::{Inst, Isa, Rng};
use clap::Args;

use crate::cli;
use crate::shell::{Failure, Shell};

/// Print random legal instructions: words, then text.
#[derive(Args)]
pub struct Options {
    /// The target.
    #[arg(value_parser = cli::target)]
    target: Target,
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
    let isa = options.target.isa();
    let forms = match &options.op {
        Some(op) => forms_of(isa, op).ok_or_else(|| unknown(op, isa, shell))?,
        None => (0..isa.forms.len() as u16).collect(),
    };
    let mut rng = Rng(options.seed);
    let mut out = String::new();
    for _ in 0..options.count {
        let form = forms[rng.below(forms.len())];
        if let Some(inst) = isa.sample(form, &mut rng) {
            line(isa, &inst, &mut out);
        }
    }
    shell.write(None, out.as_bytes())
}

fn forms_of(isa: &Isa, name: &str) -> Option<Vec<u16>> {
    let forms =
        isa.forms.iter().enumerate().filter(|(_, form)| form.operation.name.eq_ignore_ascii_case(name));
    let forms: Vec<u16> = forms.map(|(i, _)| i as u16).collect();
    (!forms.is_empty()).then_some(forms)
}

fn unknown(op: &str, isa: &Isa, shell: &mut Shell) -> Failure {
    let names = || isa.forms.iter().map(|form| form.operation.name);
    let help = match did_you_mean(op, names()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => {
            let mut all: Vec<_> = names().collect();
            all.dedup();
            format!("operations are {}", all.join(", "))
        }
    };
    shell.misused(format!("{} has no operation `{op}`", isa.set.name), help)
}

/// The 32-bit words of the instruction, lowest first, and its text.
fn line(isa: &Isa, inst: &Inst, out: &mut String) {
    for bytes in inst.word.to_bytes()[..usize::from(inst.length)].chunks(4) {
        let word = bytes.iter().rev().fold(0u32, |word, &b| word << 8 | u32::from(b));
        let _ = write!(out, "{word:08x} ");
    }
    let _ = writeln!(out, " {}", isa.text(inst, &isa.cx()).unwrap_or_default());
}
