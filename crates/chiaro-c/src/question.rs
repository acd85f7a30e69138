//! What the caller asks, read out of the caller's memory.

use std::ffi::{CStr, c_char};
use std::slice;
use std::sync::Arc;

use chiaro::TARGETS;
use chiaro::host::{Bytes, Call};

use crate::status::Status;

/// A file in memory.
#[repr(C)]
pub struct File {
    /// Its name, of which the ending tells language and stage (`water.vert`); of parts that are linked, with the part
    /// before it: `prolog=fetch.bin`.
    pub name: *const c_char,
    /// Its bytes; null if there are none.
    pub bytes: *const u8,
    /// How many.
    pub size: usize,
}

/// What is asked. Everything belongs to the caller and is read before the function returns.
#[repr(C)]
pub struct Question {
    /// The target's name; null where the files tell it.
    pub target: *const c_char,
    /// The files: sources, containers, and what options name.
    pub files: *const File,
    /// How many files there are.
    pub file_count: usize,
    /// Of the files, how many are asked about; the others are there to be included, or named by options. 0 means all.
    pub subject_count: usize,
    /// Options of the command, such as `-m`, `KEY=VALUE`: `chiaro help compile` lists them.
    pub options: *const *const c_char,
    /// How many.
    pub option_count: usize,
}

/// A question that was read.
pub struct Asked {
    /// The target's name.
    pub target: Option<String>,
    /// Names and bytes.
    pub files: Vec<(String, Bytes)>,
    /// How many of them are asked about.
    pub subjects: usize,
    /// Options.
    pub options: Vec<String>,
}

/// A text of the caller's.
///
/// # Safety
/// The pointer is null or that of a text that ends with a zero.
unsafe fn text(from: *const c_char) -> Result<String, Status> {
    if from.is_null() {
        return Err(Status::ChiaroNull);
    }
    // SAFETY: not null, and by the contract a text with its end.
    let text = unsafe { CStr::from_ptr(from) };
    text.to_str().map(str::to_owned).map_err(|_| Status::ChiaroNotUtf8)
}

/// An array of the caller's; null is one without items. No memory has more bytes than fit a signed number.
///
/// # Safety
/// The pointer is null or that of so many items, which live as long as the result.
pub unsafe fn items<'a, T>(from: *const T, count: usize) -> Result<&'a [T], Status> {
    match (from.is_null(), count) {
        (_, 0) => Ok(&[]),
        (true, _) => Err(Status::ChiaroNull),
        _ if count > isize::MAX as usize / size_of::<T>() => Err(Status::ChiaroWrongUsage),
        // SAFETY: not null, and by the contract there are so many.
        (false, _) => Ok(unsafe { slice::from_raw_parts(from, count) }),
    }
}

/// An array that the caller keeps alive and unchanged while the function runs.
pub struct Lent<T>(*const T, usize);

// SAFETY: the items are only read, and by the contract nobody writes them meanwhile.
unsafe impl<T: Sync> Send for Lent<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Lent<T> {}

impl<T> Lent<T> {
    /// # Safety
    /// As [`items`].
    pub unsafe fn of(from: *const T, count: usize) -> Result<Lent<T>, Status> {
        // SAFETY: handed on as the contract has it.
        unsafe { items(from, count) }.map(|all| Lent(all.as_ptr(), all.len()))
    }
}

impl<T> AsRef<[T]> for Lent<T> {
    fn as_ref(&self) -> &[T] {
        // SAFETY: taken from a slice that the caller keeps, or from one without items.
        unsafe { slice::from_raw_parts(self.0, self.1) }
    }
}

impl Asked {
    /// Reads a question.
    ///
    /// # Safety
    /// The pointers are null, or what the fields say.
    pub unsafe fn read(question: *const Question) -> Result<Asked, Status> {
        // SAFETY: null or a question, by the contract; so are its fields.
        unsafe {
            let question = question.as_ref().ok_or(Status::ChiaroNull)?;
            let target = if question.target.is_null() { None } else { Some(text(question.target)?) };
            if target.as_deref().is_some_and(|name| TARGETS.named(name).is_none()) {
                return Err(Status::ChiaroUnknownTarget);
            }
            let mut files = Vec::new();
            for file in items(question.files, question.file_count)? {
                let bytes = Lent::of(file.bytes, file.size)?;
                files.push((text(file.name)?, Bytes::lent(Arc::new(bytes))));
            }
            let options = items(question.options, question.option_count)?.iter();
            let options = options.map(|option| text(*option)).collect::<Result<_, _>>()?;
            let subjects = match question.subject_count {
                0 => files.len(),
                some => some.min(files.len()),
            };
            Ok(Asked { target, files, subjects, options })
        }
    }

    /// As arguments of a command. Of `PART=NAME` the name alone is the file's.
    pub fn call(mut self, command: &str, more: &[&str]) -> Call {
        let target = self.target.take().into_iter().flat_map(|name| ["--target".to_owned(), name]);
        let mut args = vec![command.to_owned()];
        args.extend(target);
        args.append(&mut self.options);
        args.extend(more.iter().map(|arg| (*arg).to_owned()));
        args.push("--".to_owned());
        args.extend(self.files.iter().take(self.subjects).map(|(name, _)| name.clone()));
        let is_link = command == "link";
        let bare = |name: String| match name.split_once('=') {
            Some((_, file)) if is_link => file.to_owned(),
            _ => name,
        };
        let files = self.files.into_iter().map(|(name, bytes)| (bare(name), bytes)).collect();
        Call { args, files }
    }
}
