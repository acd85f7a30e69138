//! Writing results: a file appears whole or not at all.
//!
//! Files are first written under another name in the same folder; [`Outputs::commit`]
//! then renames them. Devices and pipes cannot be renamed over: they are written as they are, after
//! everything that can fail and before the first file appears.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use chiaro_diag::Diagnostic;

use crate::input::Inputs;

/// Why a result could not be written.
pub enum Error {
    /// The reader of a pipe has enough; nobody needs to know.
    ReaderGone,
    /// Anything else.
    Failed(Box<Diagnostic>),
}

/// The results of a run, not yet visible to others.
pub struct Outputs<'a> {
    inputs: &'a Inputs,
    staged: Vec<Staged>,
    /// Devices and pipes with what goes there.
    devices: Vec<(PathBuf, Vec<u8>)>,
    stdout: Vec<u8>,
}

/// A finished file under its temporary name; removed unless it is renamed.
struct Staged {
    temporary: PathBuf,
    path: PathBuf,
}

impl Staged {
    /// Makes the file visible.
    fn publish(mut self) -> Result<(), Error> {
        fs::rename(&self.temporary, &self.path).map_err(|e| from_io(&self.path, &e))?;
        self.temporary.clear();
        Ok(())
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        // After the renaming there is nothing left to remove.
        if !self.temporary.as_os_str().is_empty() {
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

impl<'a> Outputs<'a> {
    /// No results yet. None of them may replace one of the inputs.
    pub fn new(inputs: &'a Inputs) -> Self {
        Outputs { inputs, staged: Vec::new(), devices: Vec::new(), stdout: Vec::new() }
    }

    /// Takes a result for a file, or for standard output (`None` or `-`).
    pub fn stage(&mut self, path: Option<&Path>, bytes: &[u8]) -> Result<(), Error> {
        let Some(path) = path.filter(|p| p.as_os_str() != "-") else {
            self.stdout.extend_from_slice(bytes);
            return Ok(());
        };
        // Through symbolic links to what they mean; a new file has no such path yet.
        let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if self.inputs.iter().any(|(input, _)| fs::canonicalize(input).is_ok_and(|input| input == real)) {
            return Err(unwritten(path, "it is one of the inputs"));
        }
        if self.staged.iter().any(|staged| staged.path == real) {
            return Err(unwritten(path, "another result goes there already"));
        }
        match fs::metadata(&real) {
            Ok(old) if old.is_dir() => Err(unwritten(path, "it is a directory")),
            Ok(old) if old.is_file() => self.stage_file(path, real, bytes, Some(old.permissions())),
            Ok(_) => {
                self.devices.push((real, bytes.to_vec()));
                Ok(())
            }
            Err(_) => self.stage_file(path, real, bytes, None),
        }
    }

    fn stage_file(
        &mut self,
        path: &Path,
        real: PathBuf,
        bytes: &[u8],
        permissions: Option<fs::Permissions>,
    ) -> Result<(), Error> {
        let Some(file_name) = real.file_name() else { return Err(unwritten(path, "it names no file")) };
        let name = format!(".{}.{}.tmp", file_name.to_string_lossy(), std::process::id());
        let staged = Staged { temporary: real.with_file_name(name), path: real };
        fs::write(&staged.temporary, bytes).map_err(|e| from_io(path, &e))?;
        if let Some(permissions) = permissions {
            fs::set_permissions(&staged.temporary, permissions).map_err(|e| from_io(path, &e))?;
        }
        self.staged.push(staged);
        Ok(())
    }

    /// Makes all results visible. A reader who has enough of one of them still gets the others.
    pub fn commit(self) -> Result<(), Error> {
        let mut readers = Ok(());
        let devices = self.devices.iter();
        let devices = devices.map(|(path, bytes)| fs::write(path, bytes).map_err(|e| from_io(path, &e)));
        for written in devices.chain([()].map(|()| to_stdout(&self.stdout))) {
            match written {
                Err(Error::ReaderGone) => readers = written,
                other => other?,
            }
        }
        self.staged.into_iter().try_for_each(Staged::publish)?;
        readers
    }
}

/// Writes to standard output at once.
pub fn to_stdout(bytes: &[u8]) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).map_err(|e| from_stdout(&e))
}

/// What an error of standard output means.
pub fn from_stdout(error: &io::Error) -> Error {
    from_io(Path::new("<standard output>"), error)
}

fn from_io(path: &Path, error: &io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Error::ReaderGone,
        io::ErrorKind::NotFound => failed(path, "its folder does not exist", "make the folder first"),
        io::ErrorKind::PermissionDenied => {
            failed(path, "permission denied", "name a place that may be written to")
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            failed(path, &error.to_string(), "make room there, or write it elsewhere: nothing is left of it")
        }
        _ => unwritten(path, &error.to_string()),
    }
}

fn failed(path: &Path, reason: &str, help: &str) -> Error {
    match unwritten(path, reason) {
        Error::Failed(error) => Error::Failed(error.help(help).into()),
        gone => gone,
    }
}

fn unwritten(path: &Path, reason: &str) -> Error {
    Error::Failed(Box::new(Diagnostic::error(None, format!("cannot write `{}`: {reason}", path.display()))))
}
