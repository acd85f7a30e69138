//! What went wrong, as numbers.

use std::ffi::{CStr, c_char};

/// How it went. What is at fault in detail, the answer's messages say.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// It is done.
    ChiaroDone = 0,
    /// The input is at fault: its messages have the place.
    ChiaroWrongInput = 1,
    /// The options are at fault.
    ChiaroWrongUsage = 2,
    /// A pointer is null that must not be.
    ChiaroNull = 3,
    /// A text is not UTF-8.
    ChiaroNotUtf8 = 4,
    /// The buffer is too short; how long it has to be, is told.
    ChiaroShortBuffer = 5,
    /// There is no target of that name.
    ChiaroUnknownTarget = 6,
    /// The answer has no such part.
    ChiaroNoSuchPart = 7,
    /// A mistake of chiaro.
    ChiaroBug = 101,
}

impl From<chiaro::host::Status> for Status {
    fn from(status: chiaro::host::Status) -> Status {
        match status {
            chiaro::host::Status::Done => Status::ChiaroDone,
            chiaro::host::Status::Input => Status::ChiaroWrongInput,
            chiaro::host::Status::Usage => Status::ChiaroWrongUsage,
            chiaro::host::Status::Bug => Status::ChiaroBug,
        }
    }
}

/// A status in words, for ever.
#[unsafe(no_mangle)]
pub extern "C" fn chiaro_status_text(status: u32) -> *const c_char {
    let text: &'static CStr = match status {
        0 => c"done",
        1 => c"the input is at fault; the messages say where",
        2 => c"the options are at fault; the messages say which",
        3 => c"a pointer is null that must not be",
        4 => c"a text is not UTF-8",
        5 => c"the buffer is too short; its size is told",
        6 => c"there is no target of that name",
        7 => c"the answer has no such part",
        101 => c"this is a bug of chiaro",
        _ => c"no status of this library",
    };
    text.as_ptr()
}

/// The version of the library, for ever.
#[unsafe(no_mangle)]
pub extern "C" fn chiaro_version() -> *const c_char {
    const VERSION: &CStr =
        match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
            Ok(text) => text,
            Err(_) => c"",
        };
    VERSION.as_ptr()
}
