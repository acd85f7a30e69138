//! Reading inputs, with a plain message for everything that can go wrong.

mod bytes;

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use chiaro::{TARGETS, Target};
use chiaro_diag::Diagnostic;

pub use bytes::Bytes;

/// The largest input that is read. Real shader sources and containers are
/// thousands of times smaller; the limit keeps a wrong path from filling the memory.
pub const LARGEST: u64 = 64 << 20;

/// The name that messages and rows use for a path, the same on every machine. Bytes of it that are not UTF-8 are
/// spelled out, so that different files have different names.
pub fn name(path: &Path) -> String {
    match is_stdin(path) {
        true => "<standard input>".into(),
        false => with_slashes(&spelled(path), std::path::MAIN_SEPARATOR),
    }
}

/// Whether a file is a container of a target, by its bytes or, for code without a head, by its name.
pub fn is_container(target: &dyn Target, path: &Path, bytes: &[u8]) -> bool {
    target.has_container(bytes) || target.about().is_container_name(&path.to_string_lossy())
}

fn spelled(path: &Path) -> String {
    let chunk = |chunk: std::str::Utf8Chunk<'_>| {
        let rest: String = chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")).collect();
        format!("{}{rest}", chunk.valid())
    };
    path.as_os_str().as_encoded_bytes().utf8_chunks().map(chunk).collect()
}

fn with_slashes(path: &str, separator: char) -> String {
    path.replace(separator, "/")
}

/// What tells two states of a file apart: its time and size; nothing for a file that is not there.
pub type Stamp = Option<(SystemTime, u64)>;

/// The stamp of a file as it is now.
pub fn stamp(path: &Path) -> Stamp {
    let about = fs::metadata(path).ok()?;
    Some((about.modified().ok()?, about.len()))
}

/// The files that a run asked for, in the order of the first time, with their stamps before they were
/// read. What sources include belongs to them, and what was looked for and not found.
#[derive(Default)]
pub struct Inputs {
    asked: Vec<(PathBuf, Stamp)>,
    held: Vec<(PathBuf, Bytes)>,
}

impl Inputs {
    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = (&Path, Stamp)> {
        self.asked.iter().map(|(path, stamp)| (path.as_path(), *stamp))
    }

    /// Takes the content of a file that is in memory: whoever reads it asks no file system.
    pub fn hold(&mut self, path: &Path, bytes: Bytes) {
        self.held.push((path.to_owned(), bytes));
    }

    /// Reads a file whole; `-` is standard input.
    pub fn read(&mut self, path: &Path) -> Result<Bytes, Box<Diagnostic>> {
        if let Some((_, bytes)) = self.held.iter().find(|(known, _)| known == path) {
            return whole(path, bytes.clone());
        }
        if !self.asked.iter().any(|(known, _)| known == path) {
            self.note(path);
        }
        read(path)
    }

    /// Notes a file that others read.
    pub fn note(&mut self, path: &Path) {
        self.asked.push((path.to_owned(), stamp(path)));
    }

    /// A text that a source includes, as libraries ask for it.
    pub fn open(&mut self, path: &str) -> Result<String, String> {
        let path = Path::new(path);
        let text = self.read(path).and_then(|bytes| text(path, bytes));
        text.map_err(|error| error.message)
    }

    /// A text that a GLSL source includes; `None` if it cannot be read.
    pub fn open_glsl(&mut self, path: &Path) -> Option<String> {
        let bytes = self.read(path).ok()?;
        glsl(path, bytes).ok().map(|(text, _)| text)
    }
}

/// All bytes of a file, or of standard input for `-`.
fn read(path: &Path) -> Result<Bytes, Box<Diagnostic>> {
    let bytes = if is_stdin(path) { read_limited(io::stdin().lock(), 0) } else { read_file(path) };
    whole(path, bytes.map_err(|e| unreadable(path, &e))?.into())
}

/// The bytes of an input, if it has some and not too many.
fn whole(path: &Path, bytes: Bytes) -> Result<Bytes, Box<Diagnostic>> {
    if bytes.len() as u64 > LARGEST {
        let limit = LARGEST >> 20;
        let message = format!("`{}` is too large", name(path));
        return Err(Box::new(Diagnostic::error(None, message).note(format!("inputs may have {limit} MiB"))));
    }
    if bytes.is_empty() {
        return Err(Box::new(Diagnostic::error(None, format!("`{}` is empty", name(path)))));
    }
    Ok(bytes)
}

/// The bytes of an input as text, or where they stop being text.
///
/// A byte order mark at the start is dropped, as editors on Windows add it.
pub fn text(path: &Path, bytes: Bytes) -> Result<String, Box<Diagnostic>> {
    check_text(path, &bytes)?;
    match String::from_utf8(bytes.into_vec()) {
        Ok(text) => Ok(without_mark(text)),
        Err(e) => Err(not_text(path, &e.as_bytes()[..e.utf8_error().valid_up_to()], "invalid UTF-8")),
    }
}

/// The same for GLSL, whose comments may hold any bytes: those that are not UTF-8 become a
/// character that stands for them, and the first of them is told.
pub fn glsl(path: &Path, bytes: Bytes) -> Result<(String, Option<Diagnostic>), Box<Diagnostic>> {
    check_text(path, &bytes)?;
    let error = match String::from_utf8(bytes.into_vec()) {
        Ok(text) => return Ok((without_mark(text), None)),
        Err(error) => error,
    };
    let line = line_behind(&error.as_bytes()[..error.utf8_error().valid_up_to()]);
    let message = format!("`{}` has bytes that are not UTF-8, the first in line {line}", name(path));
    let note = Diagnostic::remark(None, message).note("they are read over in comments");
    Ok((without_mark(String::from_utf8_lossy(error.as_bytes()).into_owned()), Some(note)))
}

/// Refuses what is a binary.
fn check_text(path: &Path, bytes: &[u8]) -> Result<(), Box<Diagnostic>> {
    if let Some(kind) = binary_kind(bytes) {
        let message = format!("`{}` is not source text ({kind})", name(path));
        return Err(Box::new(Diagnostic::error(None, message).help("`chiaro dis` shows what is in it")));
    }
    // Many bytes are looked at in a step, and hardly any text has such a one.
    if bytes.iter().copied().fold(u8::MAX, u8::min) > 0 {
        return Ok(());
    }
    let before = bytes.split(|&b| b == 0).next().unwrap_or_default();
    Err(not_text(path, before, "a zero byte"))
}

fn without_mark(mut text: String) -> String {
    if text.starts_with('\u{feff}') {
        text.drain(..'\u{feff}'.len_utf8());
    }
    text
}

/// What a binary is, by its first bytes.
fn binary_kind(bytes: &[u8]) -> Option<&'static str> {
    TARGETS.kind_of(bytes).or_else(|| bytes.starts_with(b"\x7fELF").then_some("ELF file"))
}

fn not_text(path: &Path, before: &[u8], what: &str) -> Box<Diagnostic> {
    let line = line_behind(before);
    let message = format!("`{}` is not text: {what} in line {line}", name(path));
    Box::new(Diagnostic::error(None, message).help("sources are UTF-8 text"))
}

/// The number of the line that begins or goes on behind some bytes.
fn line_behind(before: &[u8]) -> usize {
    before.iter().filter(|&&b| b == b'\n').count() + 1
}

/// Whether a path means standard input.
pub fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let about = fs::metadata(path)?;
    if about.is_dir() {
        // One that may not be looked into is no list of files to name.
        fs::read_dir(path)?;
        return Err(io::ErrorKind::IsADirectory.into());
    }
    // Room for a byte more than the file has, by which its end is found: otherwise it is read in pieces from 32 bytes
    // on, and moved each time. Devices have no length.
    read_limited(File::open(path)?, about.len().min(LARGEST) as usize + 1)
}

/// Reads one byte more than the limit at most, so that devices without an end do no harm.
fn read_limited(from: impl Read, expected: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(expected);
    from.take(LARGEST + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn unreadable(path: &Path, error: &io::Error) -> Box<Diagnostic> {
    let name = name(path);
    Box::new(match error.kind() {
        io::ErrorKind::NotFound => Diagnostic::error(None, format!("there is no file `{name}`")),
        io::ErrorKind::IsADirectory => Diagnostic::error(None, format!("`{name}` is a directory"))
            .help("name the files in it one by one"),
        io::ErrorKind::PermissionDenied => Diagnostic::error(None, format!("`{name}` may not be read"))
            .help("its permissions, and those of its folders, have to allow it"),
        _ => Diagnostic::error(None, format!("cannot read `{name}`: {error}")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_same_on_every_machine() {
        assert_eq!(with_slashes(r"shaders\ui\a.frag", '\\'), "shaders/ui/a.frag");
        assert_eq!(with_slashes(r"odd\name.frag", '/'), r"odd\name.frag");
        assert_eq!(name(Path::new("shaders/a.frag")), "shaders/a.frag");
        assert_eq!(name(Path::new("caf\u{e9}/a.frag")), "caf\u{e9}/a.frag");
    }

    #[cfg(unix)]
    #[test]
    fn names_that_are_no_text_differ() {
        use std::os::unix::ffi::OsStrExt;
        let named = |bytes: &[u8]| name(Path::new(std::ffi::OsStr::from_bytes(bytes)));
        assert_eq!(named(b"a\xff/\xc3\xa9\xfe.vert"), "a\\xff/\u{e9}\\xfe.vert");
    }
}
