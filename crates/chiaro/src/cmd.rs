//! The commands, one file each: its options, and what it does with them.

mod abi;
pub mod asm;
mod batch;
mod check;
pub mod compile;
mod completions;
mod dap;
pub mod diff;
mod dis;
mod draw;
mod explain;
mod gate;
mod info;
mod init;
mod lift;
mod lines;
mod link;
mod lsp;
mod man;
mod pipeline;
mod reference;
pub mod report;
pub mod run;
mod sample;
mod targets;
pub mod timeline;
mod trace;

use clap::{Args, Subcommand};

use crate::shell::{Failure, Shell};

/// The commands in the order of the help text.
#[derive(Subcommand)]
pub enum Command {
    Asm(asm::Options),
    Dis(dis::Options),
    Check(check::Options),
    Compile(compile::Options),
    Link(link::Options),
    Abi(abi::Options),
    Report(report::Options),
    Diff(diff::Options),
    Timeline(timeline::Options),
    Gate(gate::Options),
    Batch(batch::Options),
    Init(init::Options),
    Run(run::Options),
    Draw(draw::Options),
    Trace(trace::Options),
    Pipeline(pipeline::Options),
    Lift(lift::Options),
    Explain(explain::Options),
    Info(info::Options),
    Sample(sample::Options),
    #[command(name = "ref")]
    Reference(reference::Options),
    Targets(targets::Options),
    Lsp(lsp::Options),
    Dap(dap::Options),
    Completions(completions::Options),
    Man(man::Options),
}

/// How options of a command are made.
type Augment = fn(clap::Command) -> clap::Command;

const fn options<O: Args>() -> Augment {
    O::augment_args
}

impl Command {
    /// The commands by their names, with what makes their options.
    pub const AUGMENT: &[(&str, Augment)] = &[
        ("asm", options::<asm::Options>()),
        ("dis", options::<dis::Options>()),
        ("check", options::<check::Options>()),
        ("compile", options::<compile::Options>()),
        ("link", options::<link::Options>()),
        ("abi", options::<abi::Options>()),
        ("report", options::<report::Options>()),
        ("diff", options::<diff::Options>()),
        ("timeline", options::<timeline::Options>()),
        ("gate", options::<gate::Options>()),
        ("batch", options::<batch::Options>()),
        ("init", options::<init::Options>()),
        ("run", options::<run::Options>()),
        ("draw", options::<draw::Options>()),
        ("trace", options::<trace::Options>()),
        ("pipeline", options::<pipeline::Options>()),
        ("lift", options::<lift::Options>()),
        ("explain", options::<explain::Options>()),
        ("info", options::<info::Options>()),
        ("sample", options::<sample::Options>()),
        ("ref", options::<reference::Options>()),
        ("targets", options::<targets::Options>()),
        ("lsp", options::<lsp::Options>()),
        ("dap", options::<dap::Options>()),
        ("completions", options::<completions::Options>()),
        ("man", options::<man::Options>()),
    ];

    /// Runs the command that was asked for.
    pub fn run(&self, shell: &mut Shell) -> Result<(), Failure> {
        match self {
            Command::Report(options) => report::run(options, shell),
            Command::Diff(options) => diff::run(options, shell),
            Command::Timeline(options) => timeline::run(options, shell),
            Command::Batch(options) => batch::run(options, shell),
            Command::Gate(options) => gate::run(options, shell),
            Command::Init(options) => init::run(options, shell),
            Command::Lift(options) => lift::run(options, shell),
            Command::Sample(options) => sample::run(options, shell),
            Command::Reference(options) => reference::run(options, shell),
            Command::Dap(options) => dap::run(options, shell),
            Command::Lsp(options) => lsp::run(options, shell),
            Command::Completions(options) => completions::run(options, shell),
            Command::Man(options) => man::run(options, shell),
            Command::Asm(_) | Command::Dis(_) | Command::Check(_) | Command::Compile(_) => {
                self.run_alone(shell)
            }
            Command::Link(_) | Command::Abi(_) | Command::Run(_) => self.run_alone(shell),
            Command::Draw(_) | Command::Trace(_) | Command::Pipeline(_) => self.run_alone(shell),
            Command::Explain(_) | Command::Info(_) | Command::Targets(_) => self.run_alone(shell),
        }
    }

    /// Runs a command that works on one program. A page loads all that can be called over a network, so it calls this
    /// and does without what is for many files, editors and terminals.
    pub fn run_alone(&self, shell: &mut Shell) -> Result<(), Failure> {
        match self {
            Command::Asm(options) => asm::run(options, shell),
            Command::Run(options) => run::run(options, shell),
            Command::Draw(options) => draw::run(options, shell),
            Command::Trace(options) => trace::run(options, shell),
            Command::Pipeline(options) => pipeline::run(options, shell),
            Command::Link(options) => link::run(options, shell),
            Command::Abi(options) => abi::run(options, shell),
            Command::Check(options) => check::run(options, shell),
            Command::Compile(options) => compile::run(options, shell),
            Command::Dis(options) => dis::run(options, shell),
            Command::Explain(options) => explain::run(options, shell),
            Command::Info(options) => info::run(options, shell),
            Command::Targets(options) => targets::run(options, shell),
            _ => Err(shell.misused("this works on more than one program", "use the command `chiaro`")),
        }
    }

    /// Whether it goes on until somebody ends it, or until its standard input does.
    pub fn reads_standard_input(&self) -> bool {
        let translates = match self {
            Command::Asm(options) => options.lines,
            Command::Dis(options) => options.lines,
            Command::Lsp(_) | Command::Dap(_) => true,
            _ => false,
        };
        translates || self.is_watched()
    }

    /// Whether it is to be done again whenever its inputs change.
    pub fn is_watched(&self) -> bool {
        match self {
            Command::Asm(options) => options.building.watch.watch,
            Command::Check(options) => options.watch.watch,
            Command::Compile(options) => options.building.watch.watch,
            Command::Report(options) => options.watch.watch,
            _ => false,
        }
    }
}
