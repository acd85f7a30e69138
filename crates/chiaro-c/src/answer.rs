//! What comes back, and how it is looked at.

use std::collections::BTreeMap;
use std::ffi::{CString, c_char};
use std::ptr;

use chiaro::Simulated;
use chiaro::host;

use crate::status::Status;

/// Parts of an answer.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Part {
    /// What was asked for: a container, a text, or JSON.
    ChiaroResult = 0,
    /// The code alone, of a compilation.
    ChiaroCode = 1,
    /// The code with the source beside it, of a compilation.
    ChiaroListing = 2,
    /// Names with their registers as macros of C, where the target has such headers.
    ChiaroHeader = 3,
    /// The IR that the code computes, of a compilation.
    ChiaroIr = 4,
    /// What the code takes of the machine as JSON, of a compilation.
    ChiaroReport = 5,
}

/// Results and messages. `chiaro_answer_free` frees it.
pub struct Answer {
    pub(crate) parts: BTreeMap<u32, Vec<u8>>,
    messages: CString,
    text: CString,
    pub(crate) run: Option<Run>,
}

/// Outputs of a run, with names as C has them.
pub(crate) struct Run {
    pub(crate) made: Simulated,
    pub(crate) names: Vec<CString>,
}

/// A text without its zeros: none of ours has any.
fn text(from: String) -> CString {
    CString::new(from.replace('\0', "\u{fffd}")).unwrap_or_default()
}

impl Run {
    pub(crate) fn of(made: Simulated) -> Run {
        let names = made.outputs.iter().map(|output| text(output.name.clone())).collect();
        Run { made, names }
    }
}

impl Answer {
    /// An answer of the library, with the parts that its value is.
    pub fn of<T>(answer: host::Answer<T>, parts: impl FnOnce(T) -> Vec<(Part, Vec<u8>)>) -> (Status, Answer) {
        let value = answer.value.map(parts).unwrap_or_default();
        let parts = value.into_iter().map(|(part, bytes)| (part as u32, bytes)).collect();
        let made = Answer { parts, messages: text(answer.messages), text: text(answer.text), run: None };
        (answer.status.into(), made)
    }

    /// An answer without anything.
    pub(crate) fn empty() -> Answer {
        Answer { parts: BTreeMap::new(), messages: text(String::new()), text: text(String::new()), run: None }
    }

    /// The parts of a compilation.
    pub fn of_compilation(made: host::Compiled) -> Vec<(Part, Vec<u8>)> {
        let mut parts = vec![
            (Part::ChiaroResult, made.container),
            (Part::ChiaroCode, made.code),
            (Part::ChiaroListing, made.listing.into_bytes()),
            (Part::ChiaroIr, made.ir.into_bytes()),
            (Part::ChiaroReport, made.report.to_string().into_bytes()),
        ];
        parts.extend(made.header.map(|header| (Part::ChiaroHeader, header.into_bytes())));
        parts
    }
}

/// The bytes of a part, and in `size` how many; null if there is no such part. They live as long as the answer.
///
/// # Safety
/// `answer` is null or an answer; `size` is null or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chiaro_answer_part(answer: *const Answer, part: u32, size: *mut usize) -> *const u8 {
    // SAFETY: null or an answer, by the contract.
    let bytes = unsafe { answer.as_ref() }.and_then(|answer| answer.parts.get(&part));
    // SAFETY: null or a place to write, by the contract.
    if let Some(size) = unsafe { size.as_mut() } {
        *size = bytes.map_or(0, Vec::len);
    }
    bytes.map_or(ptr::null(), Vec::as_ptr)
}

/// Memory of the caller's that a result is copied to.
#[repr(C)]
pub struct Buffer {
    /// The memory; null if there is none.
    pub bytes: *mut u8,
    /// Bytes that it has room for.
    pub capacity: usize,
    /// Bytes of the result, which is told in any case.
    pub size: usize,
}

/// Copies a part to a buffer. Of a buffer that is too short only the size changes.
///
/// # Safety
/// `answer` is null or an answer, `buffer` is null or has its capacity.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chiaro_answer_copy(answer: *const Answer, part: u32, buffer: *mut Buffer) -> Status {
    // SAFETY: null or an answer, by the contract.
    let Some(answer) = (unsafe { answer.as_ref() }) else { return Status::ChiaroNull };
    match answer.parts.get(&part) {
        // SAFETY: handed on as the contract has it.
        Some(bytes) => unsafe { copied(bytes, buffer) },
        None => Status::ChiaroNoSuchPart,
    }
}

/// Copies bytes to a buffer that is long enough.
///
/// # Safety
/// `buffer` is null or has its capacity.
pub(crate) unsafe fn copied(bytes: &[u8], buffer: *mut Buffer) -> Status {
    // SAFETY: null or a buffer, by the contract.
    let Some(buffer) = (unsafe { buffer.as_mut() }) else { return Status::ChiaroNull };
    buffer.size = bytes.len();
    if bytes.len() > buffer.capacity {
        return Status::ChiaroShortBuffer;
    }
    if buffer.bytes.is_null() {
        return if bytes.is_empty() { Status::ChiaroDone } else { Status::ChiaroNull };
    }
    // SAFETY: the buffer has room for all bytes, and no answer lies in memory of the caller's.
    unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), buffer.bytes, bytes.len()) };
    Status::ChiaroDone
}

/// All messages, an object of JSON a line (docs/builds.md); a text that ends with a zero and lives as long as the answer.
///
/// # Safety
/// `answer` is null or an answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chiaro_answer_messages(answer: *const Answer) -> *const c_char {
    // SAFETY: null or an answer, by the contract.
    unsafe { answer.as_ref() }.map_or(c"".as_ptr(), |answer| answer.messages.as_ptr())
}

/// All messages for people, with the lines of the sources.
///
/// # Safety
/// `answer` is null or an answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chiaro_answer_text(answer: *const Answer) -> *const c_char {
    // SAFETY: null or an answer, by the contract.
    unsafe { answer.as_ref() }.map_or(c"".as_ptr(), |answer| answer.text.as_ptr())
}

/// Frees an answer; null is none.
///
/// # Safety
/// `answer` is null or an answer, which nobody looks at any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chiaro_answer_free(answer: *mut Answer) {
    if !answer.is_null() {
        // SAFETY: it was made by `Box::into_raw`, and is freed once by the contract.
        drop(unsafe { Box::from_raw(answer) });
    }
}
