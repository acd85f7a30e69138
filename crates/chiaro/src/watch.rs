//! Running a command again whenever one of the files that it read changes.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use chiaro_diag::Diagnostic;
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher, recommended_watcher};

use crate::cmd::Command;
use crate::input::{Inputs, is_stdin, stamp};
use crate::shell::{Failure, Shell, Voice};

/// Editors write in several steps: what happens within this time is one change.
const SETTLE: Duration = Duration::from_millis(30);

/// Runs the command until it is interrupted. It ends by itself only where waiting makes no sense: the
/// command line is at fault, nobody reads the output, or files cannot be watched.
pub fn run(command: &Command, voice: Voice) -> u8 {
    let mut watched = match Watched::new() {
        Ok(watched) => watched,
        Err(error) => return give_up(voice, &error),
    };
    loop {
        let mut shell = Shell::new(voice);
        let result = command.run(&mut shell);
        let inputs = std::mem::take(&mut shell.inputs);
        let code = shell.finish(result);
        if matches!(result, Err(Failure::Usage | Failure::ReaderGone)) {
            return code;
        }
        if inputs.iter().any(|(path, _)| is_stdin(path)) {
            let mut shell = Shell::new(voice);
            let failure = shell.misused("standard input cannot be watched", "name a file");
            return shell.finish(Err(failure));
        }
        if let Err(error) = watched.change(&inputs) {
            return give_up(voice, &error);
        }
        if !voice.quiet {
            let _ = writeln!(std::io::stderr(), "-- changed, once more");
        }
    }
}

fn give_up(voice: Voice, error: &notify::Error) -> u8 {
    let mut shell = Shell::new(voice);
    let failure = shell.fail(Diagnostic::error(None, format!("cannot watch the files: {error}")));
    shell.finish(Err(failure))
}

/// Folders that are watched. Editors replace files, so a watch on the file itself would end with
/// the first change.
struct Watched {
    watcher: RecommendedWatcher,
    events: Receiver<notify::Result<Event>>,
    folders: BTreeSet<PathBuf>,
}

impl Watched {
    fn new() -> notify::Result<Watched> {
        let (sender, events) = channel();
        Ok(Watched { watcher: recommended_watcher(sender)?, events, folders: BTreeSet::new() })
    }

    /// Waits until one of the files is not what it was when it was read.
    fn change(&mut self, inputs: &Inputs) -> notify::Result<()> {
        for (path, _) in inputs.iter() {
            self.add(folder(path))?;
        }
        let changed = || inputs.iter().any(|(path, before)| stamp(path) != before);
        while !changed() {
            // The sender lives as long as the watcher.
            let Ok(event) = self.events.recv() else { return Ok(()) };
            event?;
        }
        std::thread::sleep(SETTLE);
        while self.events.try_recv().is_ok() {}
        Ok(())
    }

    /// Watches a folder, if it is there: what is looked for in one that is not cannot appear.
    fn add(&mut self, folder: PathBuf) -> notify::Result<()> {
        if folder.is_dir() && self.folders.insert(folder.clone()) {
            self.watcher.watch(&folder, RecursiveMode::NonRecursive)?;
        }
        Ok(())
    }
}

/// The folder that a file really lies in.
fn folder(path: &Path) -> PathBuf {
    let real = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    match real.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}
