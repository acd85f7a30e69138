//! `chiaro targets`: what chiaro can make programs for.

use std::fmt::Write;

use chiaro::{Role, TARGETS, Target};
use clap::Args;

use crate::shell::{Failure, Shell};

/// List the targets with their stages, formats, limits and settings.
#[derive(Args)]
pub struct Options {
    /// Also list what the hardware's documents leave open, for `-m KEY=VALUE`.
    #[arg(long)]
    assumptions: bool,
}

/// Prints the list.
pub fn run(options: &Options, shell: &mut Shell) -> Result<(), Failure> {
    let mut out = String::new();
    for target in TARGETS.iter() {
        about(target, &mut out);
        if options.assumptions {
            assumptions(target, &mut out);
        }
    }
    shell.write(None, out.as_bytes())
}

fn about(target: &dyn Target, out: &mut String) {
    let about = target.about();
    let stages: Vec<_> = about.stages.iter().map(|stage| stage.name()).collect();
    let _ = writeln!(out, "{}: {}", about.name, about.machine);
    section("also", [about.aliases.join(", ")].into_iter().filter(|names| !names.is_empty()), out);
    section("stages", [stages.join(", ")].into_iter(), out);
    let formats = about.formats.iter().filter(|format| format.role != Role::Foreign);
    section("formats", formats.map(|format| format!("{} ({})", format.name, format.endings)), out);
    section("modes", about.modes.iter().map(|(mode, what)| format!("{mode}: {what}")), out);
    section("limits", about.limits.iter().map(|(what, limit)| format!("{limit:>4} {what}")), out);
    section("settings", about.settings.iter().map(|s| format!("{:<16} {}", s.name, s.about)), out);
}

/// A heading on the first line only.
fn section(heading: &str, lines: impl Iterator<Item = String>, out: &mut String) {
    for (i, line) in lines.enumerate() {
        let _ = writeln!(out, "  {:<8} {line}", if i == 0 { heading } else { "" });
    }
}

fn assumptions(target: &dyn Target, out: &mut String) {
    let _ = writeln!(out, "  assumptions, with their values, the default first");
    for assumption in target.assumptions() {
        let _ = writeln!(out, "    {:<18} {:<22} {}", assumption.name, assumption.values, assumption.about);
    }
}
