//! chiaro for programs of other languages: arguments of the command and files in memory, results and messages back.
//!
//! A binding hands over what somebody would type, so that a command, an option or a target that arrives later is
//! there without a change. Files that are given are read from memory, what they include beside them from disk; results
//! come back as bytes. Two questions have typed answers, since much hangs on them: [`compile`], which gives all that one
//! compilation makes, and [`simulate`], whose columns are read where they lie.
//!
//! Nothing panics: a mistake of ours is [`Status::Bug`], with its message.

mod panics;
mod study;
mod targets;
mod trace;

use std::path::{Path, PathBuf};

use chiaro_diag::{Counts, Diagnostic, Format, Printer};
use serde_json::{Value as Json, json};

use crate::cli::TargetName;
use crate::cmd::compile::listing::listing;
use crate::cmd::{Command, compile as compiler, report, run};
use crate::parse::parse;
use crate::shell::{Failure, Shell, Voice, Written};
use crate::{Attributes, CompiledShader, Inputs, ModuleLanguage, Simulated, TARGETS, Work, images, input};
pub use input::Bytes;
pub use study::study;
pub use targets::targets;
pub use trace::{Traced, trace};

/// What is asked.
#[derive(Clone, Debug, Default)]
pub struct Call {
    /// The arguments, from the command's name on: `compile`, `--target`, ...
    pub args: Vec<String>,
    /// Files by the names that arguments and sources use; they are read where they lie.
    pub files: Vec<(String, Bytes)>,
}

/// How it went; the numbers are the command's exit codes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// There is a result.
    Done = 0,
    /// The input is at fault.
    Input = 1,
    /// The arguments are at fault.
    Usage = 2,
    /// chiaro is at fault.
    Bug = 101,
}

/// What comes back.
#[derive(Clone, Debug)]
pub struct Answer<T> {
    /// How it went.
    pub status: Status,
    /// The result; a check that finds errors has one, too.
    pub value: Option<T>,
    /// Everything that is to be said, an object of JSON a line: docs/builds.md.
    pub messages: String,
    /// The same for people, with the lines of the sources.
    pub text: String,
}

/// All that one compilation makes.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The target's name.
    pub target: &'static str,
    /// The file that the target's loader reads.
    pub container: Vec<u8>,
    /// The code alone.
    pub code: Vec<u8>,
    /// The code with the source beside it, for people.
    pub listing: String,
    /// Names with their registers for a program in C, where the target has such headers.
    pub header: Option<String>,
    /// The IR that the code computes.
    pub ir: String,
    /// What it takes of the machine: a report of docs/report.schema.json.
    pub report: Json,
}

/// Runs a command. The results are those of files (`-o`), under their names, and of standard output.
#[must_use]
pub fn call(call: Call) -> Answer<Vec<Written>> {
    called(call, Command::run)
}

/// The same for commands that work on one program; of others it says so.
#[must_use]
pub fn call_alone(call: Call) -> Answer<Vec<Written>> {
    called(call, Command::run_alone)
}

fn called(call: Call, run: fn(&Command, &mut Shell) -> Result<(), Failure>) -> Answer<Vec<Written>> {
    answer(call, |command, shell| {
        shell.hold_results();
        let failed = run(command, shell).err();
        let results = shell.taken_results();
        match failed {
            Some(failure) if results.is_empty() => Err(failure),
            _ => Ok(results),
        }
    })
}

/// Compiles: the arguments are those of `compile`, and what they name to be written does not count.
#[must_use]
pub fn compile(call: Call) -> Answer<Compiled> {
    answer(call, |command, shell| {
        let Command::Compile(options) = command else { return Err(not("compile", shell)) };
        let (target, made) = compiler::made(options, shell)?;
        Ok(compiled(target, made, shell))
    })
}

/// Runs a program on a simulator: the arguments are those of `run`. Resources of `--inputs` and those that are given
/// belong together; what is run comes from one of the two.
#[must_use]
pub fn simulate(call: Call, inputs: &Inputs) -> Answer<Simulated> {
    answer(call, |command, shell| {
        let Command::Run(options) = command else { return Err(not("run", shell)) };
        if let Work::Vertices(given) | Work::Fragments(given) = &inputs.work {
            same_length(given).map_err(|why| shell.fail(*why))?;
        }
        run::simulated(options, inputs, shell)
    })
}

/// Where a host program finds what a shader reads and writes: of a source its variables and their places, after it
/// was compiled; of a container everything that it says itself. The arguments are those of `compile`.
#[must_use]
pub fn abi(call: Call) -> Answer<Json> {
    let first = call.files.first().cloned();
    answer(call, |command, shell| {
        let Command::Compile(options) = command else { return Err(not("compile", shell)) };
        if let Some((name, bytes)) = first
            && ModuleLanguage::of_input(&name, &bytes).is_none()
            && let Some(target) = TARGETS.of_container(&bytes)
        {
            return target.info_json(&bytes, false).map_err(|error| shell.fail(*error));
        }
        let (target, made) = compiler::made(options, shell)?;
        let variables = report::json::one(None, &made.report)["variables"].take();
        let about = target.about().name;
        Ok(json!({ "version": 1, "target": about, "entry": made.report.entry, "variables": variables }))
    })
}

/// A picture that `draw` wrote: width, height, and its pixels of four bytes, the upper row first.
#[must_use]
pub fn pixels(png: &[u8]) -> Option<([u32; 2], Vec<u8>)> {
    let image = images::decode(png).ok()?;
    let bytes = image.texels.iter().flatten().map(|channel| (channel * 255.0).round() as u8);
    Some(([image.size[0], image.size[1]], bytes.collect()))
}

/// Results of a run as the command prints them, of vertices, fragments or groups.
#[must_use]
pub fn results(made: &Simulated, work: &Work) -> String {
    run::outputs::to_json(made, work.name())
}

fn compiled(target: TargetName, made: CompiledShader, shell: &Shell) -> Compiled {
    Compiled {
        target: target.about().name,
        listing: listing(&made, target, shell),
        report: report::json::one(None, &made.report),
        container: made.container,
        code: made.code.bytes,
        header: made.header,
        ir: made.ir,
    }
}

fn not(wanted: &str, shell: &mut Shell) -> Failure {
    shell.misused(format!("the arguments are not those of `{wanted}`"), "begin them with its name")
}

/// Simulators take for granted that inputs have a value for each invocation.
fn same_length(given: &Attributes) -> Result<(), Box<Diagnostic>> {
    let wrong = given.columns.iter().find(|(_, column)| column.len() != given.count);
    match wrong {
        None => Ok(()),
        Some((name, column)) => {
            let message = format!("`{name}` has {} values for {} invocations", column.len(), given.count);
            Err(Diagnostic::error(None, message).help("give every input as many rows").into())
        }
    }
}

/// An answer that nothing is to be said of.
#[must_use]
pub fn done<T>(value: T) -> Answer<T> {
    told(Shell::new(Voice::plain()), Ok(value))
}

/// Asks, and gathers what is said.
fn answer<T>(call: Call, ask: impl FnOnce(&Command, &mut Shell) -> Result<T, Failure>) -> Answer<T> {
    let args = std::iter::once("chiaro".to_owned()).chain(call.args);
    let mut shell = Shell::new(Voice::plain());
    let command = match parse(args) {
        Ok(cli) if cli.command.reads_standard_input() => {
            let failure = shell.misused("this waits for files or lines", "call it for each of them");
            return told(shell, Err(failure));
        }
        Ok(cli) => cli.command,
        Err(wrong) => return misused(&wrong),
    };
    for (name, bytes) in call.files {
        shell.inputs.hold(Path::new(&name), bytes);
    }
    match panics::caught(|| ask(&command, &mut shell)) {
        Ok(result) => told(shell, result),
        Err(cause) => bug(&cause),
    }
}

/// Messages and status, as the command ends.
fn told<T>(mut shell: Shell, result: Result<T, Failure>) -> Answer<T> {
    let mut found = shell.take_messages();
    chiaro_diag::sort_by_reading(&mut found, &shell.sources);
    let status = match &result {
        Err(Failure::Usage) => Status::Usage,
        Err(Failure::Input) => Status::Input,
        _ if Counts::of(&found).errors > 0 => Status::Input,
        _ => Status::Done,
    };
    let machines = Printer { format: Format::Json, limit: usize::MAX, ..Printer::plain() };
    Answer {
        status,
        value: result.ok(),
        messages: machines.print(&found, &shell.sources),
        text: Printer::plain().print(&found, &shell.sources),
    }
}

fn failed<T>(status: Status, error: Diagnostic) -> Answer<T> {
    let mut shell = Shell::new(Voice::plain());
    let failure = shell.fail(error);
    Answer { status, ..told(shell, Err(failure)) }
}

fn misused<T>(wrong: &clap::Error) -> Answer<T> {
    let text = wrong.to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    let mut parts = text.splitn(2, "\n\n");
    let error = Diagnostic::error(None, parts.next().unwrap_or_default().trim_end());
    let rest = parts.next().into_iter().flat_map(str::lines).map(str::trim);
    let wanted = rest.filter(|line| !line.is_empty() && !line.starts_with("For more information"));
    failed(Status::Usage, wanted.fold(error, Diagnostic::note))
}

fn bug<T>(cause: &str) -> Answer<T> {
    let message = format!("this is a bug of chiaro {}: {cause}", env!("CARGO_PKG_VERSION"));
    failed(Status::Bug, Diagnostic::error(None, message).help("please report it with the input files"))
}

/// The bytes of the result for a file, or for standard output.
#[must_use]
pub fn result_for<'a>(results: &'a [(Option<PathBuf>, Vec<u8>)], name: Option<&str>) -> Option<&'a [u8]> {
    let found = results.iter().find(|(path, _)| path.as_deref() == name.map(Path::new));
    found.map(|(_, bytes)| bytes.as_slice())
}

/// The largest file that is read.
pub const LARGEST: u64 = input::LARGEST;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Column, Floats};
    use std::sync::Arc;

    const TWICE: &str = ".in x\n.out y position\n.proc main\nadd y, x, x\nend\n.end\n";

    fn asked(args: &[&str], files: &[(&str, &str)]) -> Call {
        Call {
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            files: files
                .iter()
                .map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec().into()))
                .collect(),
        }
    }

    #[test]
    fn results_stay_in_memory() {
        let made =
            call(asked(&["asm", "twice.v.pica", "-o", "no/such/folder.shbin"], &[("twice.v.pica", TWICE)]));
        assert_eq!((made.status, made.text.as_str()), (Status::Done, ""));
        let results = made.value.expect("a container");
        assert!(result_for(&results, Some("no/such/folder.shbin")).is_some_and(|b| b.starts_with(b"DVLB")));
        assert!(result_for(&results, None).is_none());
    }

    #[test]
    fn messages_have_places_and_statuses_are_exit_codes() {
        let made =
            call(asked(&["asm", "a.v.pica", "-o", "x"], &[("a.v.pica", ".proc main\nmvo r0, r1\n.end\n")]));
        assert_eq!((made.status, made.value.is_none()), (Status::Input, true));
        assert!(made.messages.contains(r#""file":"a.v.pica","line":2,"column":1"#), "{}", made.messages);
        let made = call(asked(&["asm", "--target", "voodoo", "a.v.pica"], &[]));
        assert_eq!(made.status, Status::Usage);
        assert!(made.text.contains("voodoo") && !made.text.contains("--help"), "{}", made.text);
        let watched = call(asked(&["check", "--watch", "a.v.pica"], &[]));
        assert_eq!(watched.status, Status::Usage);
        assert_eq!(call(asked(&["dis", "--lines", "--target", "rdna"], &[])).status, Status::Usage);
        assert_eq!(compile(asked(&["targets"], &[])).status, Status::Usage);
    }

    #[test]
    fn columns_have_a_row_for_each_invocation() {
        let args = asked(&["run", "twice.v.pica"], &[("twice.v.pica", TWICE)]);
        let floats = Floats::new(3, Arc::new(vec![1.0f32; 6])).expect("two rows");
        let inputs = |count| {
            let columns = vec![("x".to_owned(), Column::Floats(floats.clone()))];
            Inputs { work: Work::Vertices(Attributes { count, columns }), ..Inputs::default() }
        };
        let made = simulate(args.clone(), &inputs(2)).value.expect("two vertices");
        assert_eq!(made.outputs[0].of(1), [2.0f32, 2.0, 2.0, 2.0].map(|x| u64::from(x.to_bits())));
        let short = simulate(args, &inputs(3));
        assert!(short.value.is_none() && short.text.contains("2 values for 3 invocations"), "{}", short.text);
    }

    #[test]
    fn commands_for_one_program_alone_are_called_alone() {
        let files = [("twice.v.pica", TWICE)];
        let made = call_alone(asked(&["asm", "twice.v.pica", "-o", "x"], &files));
        assert_eq!((made.status, made.text.as_str()), (Status::Done, ""));
        let made = call_alone(asked(&["report", "twice.v.pica"], &files));
        assert_eq!(made.status, Status::Usage);
        assert!(made.text.contains("more than one program"), "{}", made.text);
    }

    #[test]
    fn a_panic_is_an_answer() {
        let made = answer(asked(&["targets"], &[]), |_, _| -> Result<(), Failure> { panic!("out of ideas") });
        assert_eq!(made.status, Status::Bug);
        assert!(made.text.contains("out of ideas"), "{}", made.text);
    }

    #[test]
    fn targets_are_listed_with_what_they_offer() {
        let all = targets();
        let named = all.as_array().expect("a list").iter().filter_map(|t| t["name"].as_str());
        assert_eq!(named.collect::<Vec<_>>(), TARGETS.names());
    }
}
