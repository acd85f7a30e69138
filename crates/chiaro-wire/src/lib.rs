//! Messages between an editor and its servers: a header with the length, a blank line, JSON. What the
//! messages say is their protocols' affair.
//!
//! ```
//! let mut input: &[u8] = b"Content-Length: 4\r\n\r\ntrue";
//! assert!(matches!(chiaro_wire::read(&mut input), chiaro_wire::Frame::Body(bytes) if bytes == b"true"));
//! assert!(matches!(chiaro_wire::read(&mut input), chiaro_wire::Frame::End));
//! ```

#![forbid(unsafe_code)]

use std::io::{BufRead, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes of the longest message that is read.
const LONGEST: u64 = 64 << 20;
/// Bytes of the longest line of a header.
const LONGEST_LINE: u64 = 4096;

/// What comes from the other side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Frame {
    /// The bytes of a message.
    Body(Vec<u8>),
    /// Something that is no message, and what is wrong with it.
    Broken(String),
    /// Nothing more will come.
    End,
}

/// Reads the next message. One that is too long is passed over.
pub fn read(input: &mut dyn BufRead) -> Frame {
    let length = match header(input) {
        Ok(Some(length)) => length,
        Ok(None) => return Frame::End,
        Err(why) => return Frame::Broken(why),
    };
    if length > LONGEST {
        let skipped = std::io::copy(&mut input.take(length), &mut std::io::sink());
        let why = format!("a message has {length} bytes, {LONGEST} are allowed");
        return skipped.map_or(Frame::End, |_| Frame::Broken(why));
    }
    let mut bytes = Vec::new();
    match input.take(length).read_to_end(&mut bytes) {
        Ok(read) if read as u64 == length => Frame::Body(bytes),
        _ => Frame::End,
    }
}

/// The length that a header states; `None` at the end.
fn header(input: &mut dyn BufRead) -> Result<Option<u64>, String> {
    let mut length = None;
    loop {
        let mut line = Vec::new();
        match input.take(LONGEST_LINE).read_until(b'\n', &mut line) {
            Err(_) | Ok(0) => return Ok(None),
            Ok(_) => {}
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim();
        if line.is_empty() {
            let missing = || "a message begins with `Content-Length: ` and its bytes".to_owned();
            return length.ok_or_else(missing).map(Some);
        }
        if let Some((name, value)) = line.split_once(':')
            && name.trim().eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok();
        }
    }
}

/// The way to the other side, for all threads.
#[derive(Clone)]
pub struct Outgoing(Arc<Mutex<Box<dyn Write + Send>>>);

impl Outgoing {
    /// Over a stream.
    #[must_use]
    pub fn new(output: Box<dyn Write + Send>) -> Outgoing {
        Outgoing(Arc::new(Mutex::new(output)))
    }

    /// Sends a message. If nobody reads any more the input ends, too.
    pub fn send(&self, message: &serde_json::Value) {
        let text = message.to_string();
        let mut output = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let written = write!(output, "Content-Length: {}\r\n\r\n{text}", text.len());
        let _ = written.and_then(|()| output.flush());
    }
}

/// Does something; of a panic, what there is to say about it.
///
/// # Errors
/// That it is our bug, and why.
pub fn contained<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|cause| {
        let text = cause.downcast_ref::<String>().map(String::as_str);
        let why = text.or(cause.downcast_ref::<&str>().copied()).unwrap_or("it gave no reason");
        format!(
            "this is a bug of chiaro {}: {why}; please report it with the text",
            env!("CARGO_PKG_VERSION")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_message_is_told_and_passed() {
        let mut input: &[u8] = b"Nonsense: 1\r\n\r\ncontent-length: x\r\n\r\nContent-Length: 2\r\n\r\n{}Content-Length: 9\r\n\r\n{}";
        assert!(matches!(read(&mut input), Frame::Broken(_)));
        assert!(matches!(read(&mut input), Frame::Broken(_)));
        assert_eq!(read(&mut input), Frame::Body(b"{}".to_vec()));
        assert_eq!(read(&mut input), Frame::End);
        let mut long: &[u8] = b"Content-Length: 99999999999\r\n\r\n{}";
        assert!(matches!(read(&mut long), Frame::Broken(_)));
    }

    #[test]
    fn panics_are_told() {
        let told = contained(|| -> u32 { panic!("no {}", "luck") });
        assert!(told.is_err_and(|why| why.contains("no luck")));
    }
}
