//! What a command has read and has to say, until it ends.

use std::io::Write;
use std::path::{Path, PathBuf};

use chiaro::{Instructions, Settings, Target};
use chiaro_diag::{Counts, Diagnostic, FileId, Printer, Severity, SourceMap};

use crate::input::{self, Bytes, Inputs};
use crate::output::Outputs;

/// Why a command gives no result. The reason itself is among the shell's messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Failure {
    /// The input is at fault: exit code 1.
    Input,
    /// The command line is at fault: exit code 2.
    Usage,
    /// Nobody reads the output any more: exit code 0, not a word.
    ReaderGone,
}

/// How a run speaks.
#[derive(Clone, Copy)]
pub struct Voice {
    /// The form of messages.
    pub printer: Printer,
    /// Whether errors alone are said.
    pub quiet: bool,
    /// Whether warnings are errors.
    pub strict: bool,
}

impl Voice {
    /// For people, everything.
    pub fn plain() -> Voice {
        Voice { printer: Printer::plain(), quiet: false, strict: false }
    }
}

/// Sources, messages and outputs of a run.
pub struct Shell {
    /// The texts that messages point into.
    pub sources: SourceMap,
    /// The files that were read, or asked for.
    pub inputs: Inputs,
    messages: Vec<Diagnostic>,
    voice: Voice,
    held: Option<Vec<Written>>,
}

/// A result: the file that it is for, unless that is standard output, and its bytes.
pub type Written = (Option<PathBuf>, Vec<u8>);

impl Shell {
    /// Nothing read, nothing to say.
    pub fn new(voice: Voice) -> Self {
        let (inputs, sources) = (Inputs::default(), SourceMap::new());
        Shell { sources, messages: Vec::new(), voice, inputs, held: None }
    }

    /// From here on results stay in memory, for [`taken_results`](Shell::taken_results).
    pub fn hold_results(&mut self) {
        self.held = Some(Vec::new());
    }

    /// What was held back.
    pub fn taken_results(&mut self) -> Vec<Written> {
        self.held.take().unwrap_or_default()
    }

    /// Whether errors alone are to be said.
    pub fn is_quiet(&self) -> bool {
        self.voice.quiet
    }

    /// Reads a text file as a source; `-` is standard input.
    pub fn read_text(&mut self, path: &Path) -> Result<FileId, Failure> {
        let bytes = self.read(path)?;
        self.text(path, bytes)
    }

    /// Takes bytes that were read from `path` as a source text.
    pub fn text(&mut self, path: &Path, bytes: Bytes) -> Result<FileId, Failure> {
        match input::text(path, bytes) {
            Ok(text) => Ok(self.sources.add(input::name(path), text)),
            Err(d) => Err(self.fail(*d)),
        }
    }

    /// Adds a GLSL source to the map: bytes that are not UTF-8 are told, and read over in comments.
    pub fn glsl(&mut self, path: &Path, bytes: Bytes) -> Result<FileId, Failure> {
        let (text, note) = input::glsl(path, bytes).map_err(|d| self.fail(*d))?;
        self.report_all(note);
        Ok(self.sources.add(input::name(path), text))
    }

    /// Reads a file whole; `-` is standard input.
    pub fn read(&mut self, path: &Path) -> Result<Bytes, Failure> {
        self.inputs.read(path).map_err(|d| self.fail(*d))
    }

    /// Adds a message.
    pub fn report(&mut self, mut message: Diagnostic) {
        if self.voice.strict && message.severity == Severity::Warning {
            message.severity = Severity::Error;
            message = message.note("a warning, which `-W error` makes an error");
        }
        self.messages.push(message);
    }

    /// Adds messages, in whatever form a library gives them.
    pub fn report_all(&mut self, messages: impl IntoIterator<Item = Diagnostic>) {
        messages.into_iter().for_each(|message| self.report(message));
    }

    /// The messages so far, which are then not said.
    pub fn take_messages(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.messages)
    }

    /// What a library gives, or its errors as messages.
    pub fn taken<T>(&mut self, result: Result<T, Vec<Diagnostic>>) -> Result<T, Failure> {
        result.map_err(|errors| {
            self.report_all(errors);
            Failure::Input
        })
    }

    /// The instruction set of a target; settings that it does not have are the command line's fault.
    pub fn instructions(
        &mut self,
        target: &dyn Target,
        settings: &Settings,
    ) -> Result<&'static dyn Instructions, Failure> {
        self.taken(target.instructions(settings)).map_err(|_| Failure::Usage)
    }

    /// Adds an error about the input and gives the failure to return.
    pub fn fail(&mut self, error: Diagnostic) -> Failure {
        self.messages.push(error);
        Failure::Input
    }

    /// Adds an error about the command line and gives the failure to return.
    pub fn misused(&mut self, message: impl Into<String>, help: impl Into<String>) -> Failure {
        self.messages.push(Diagnostic::error(None, message).help(help));
        Failure::Usage
    }

    /// Fails if any error was reported so far.
    pub fn check(&self) -> Result<(), Failure> {
        if Counts::of(&self.messages).errors == 0 { Ok(()) } else { Err(Failure::Input) }
    }

    /// Writes one result to a file or, for `None` and `-`, to standard output.
    pub fn write(&mut self, path: Option<&Path>, bytes: &[u8]) -> Result<(), Failure> {
        self.write_all(&[(path, bytes)])
    }

    /// Writes several results: all of the files, or none of them.
    pub fn write_all(&mut self, results: &[(Option<&Path>, &[u8])]) -> Result<(), Failure> {
        if let Some(held) = &mut self.held {
            held.extend(results.iter().map(|(path, bytes)| (path.map(Path::to_owned), bytes.to_vec())));
            return Ok(());
        }
        let mut outputs = Outputs::new(&self.inputs);
        let staged = results.iter().try_for_each(|(path, bytes)| outputs.stage(*path, bytes));
        staged.and_then(|()| outputs.commit()).map_err(|error| self.unwritten(error))
    }

    /// Turns an error of an output into a message, unless there is nobody to read it.
    pub fn unwritten(&mut self, error: crate::output::Error) -> Failure {
        match error {
            crate::output::Error::ReaderGone => Failure::ReaderGone,
            crate::output::Error::Failed(d) => self.fail(*d),
        }
    }

    /// Prints the messages and gives the exit code.
    pub fn finish(mut self, result: Result<(), Failure>) -> u8 {
        chiaro_diag::sort_by_reading(&mut self.messages, &self.sources);
        self.messages.retain(|message| !self.voice.quiet || message.severity == Severity::Error);
        let text = self.voice.printer.print(&self.messages, &self.sources);
        // If standard error is closed too there is nobody left to read it.
        let _ = std::io::stderr().write_all(text.as_bytes());
        match result.and_then(|()| self.check()) {
            Ok(()) | Err(Failure::ReaderGone) => 0,
            Err(Failure::Input) => 1,
            Err(Failure::Usage) => 2,
        }
    }
}
