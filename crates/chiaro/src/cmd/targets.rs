//! `chiaro targets`: what chiaro can make programs for.

use std::fmt::Write;

use chiaro::Target;
use clap::Args;

use crate::shell::{Failure, Shell};

/// List the targets with their stages, formats and limits.
#[derive(Args)]
pub struct Options {
    /// Also list what the hardware's documents leave open, for `-m KEY=VALUE`.
    #[arg(long)]
    assumptions: bool,
}

/// Prints the list.
pub fn run(options: &Options, shell: &mut Shell) -> Result<(), Failure> {
    let mut out = String::new();
    for target in Target::ALL {
        about(target, &mut out);
        if options.assumptions {
            assumptions(target, &mut out);
        }
    }
    shell.write(None, out.as_bytes())
}

fn about(target: Target, out: &mut String) {
    let about = target.about();
    let _ = writeln!(out, "{}: {}", target.name(), about.machine);
    let _ = writeln!(out, "  stages   {}", about.stages.join(", "));
    for (i, (format, endings)) in about.formats.iter().enumerate() {
        let _ = writeln!(out, "  {:<8} {format} ({endings})", if i == 0 { "formats" } else { "" });
    }
    for (i, (mode, what)) in about.modes.iter().enumerate() {
        let _ = writeln!(out, "  {:<8} {mode}: {what}", if i == 0 { "modes" } else { "" });
    }
    for (i, (what, limit)) in about.limits.iter().enumerate() {
        let _ = writeln!(out, "  {:<8} {limit:>4} {what}", if i == 0 { "limits" } else { "" });
    }
}

fn assumptions(target: Target, out: &mut String) {
    let _ = writeln!(out, "  assumptions, with their values, the default first");
    for assumption in target.assumptions() {
        let _ = writeln!(out, "    {:<18} {:<22} {}", assumption.name, assumption.values, assumption.about);
    }
}
