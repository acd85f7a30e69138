//! `asm --lines` and `dis --lines`: one instruction a line, for scripts and bulk checks.
//!
//! A line that cannot be translated gives a line that says so, and the run goes on.

use std::io::{self, BufRead, BufReader, Write};

use chiaro::Instructions;
use chiaro_isa::Word;

use crate::digits;
use crate::output::Error;

/// Text to hexadecimal words.
pub fn assemble(set: &dyn Instructions) -> Result<(), Error> {
    translate(set.comment(), |line, out| {
        if let Some(words) = line.strip_prefix(".word") {
            match read_words(set, words) {
                Ok((word, bytes)) => write_words(set, &word, bytes, out),
                Err(why) => write!(out, "error: {why}"),
            }
        } else {
            match set.parse(line) {
                Ok((word, bytes)) => write_words(set, &word, bytes, out),
                Err(error) => write!(out, "error: {error} at column {}", column(line, error.start)),
            }
        }
    })
}

/// Hexadecimal words to text.
pub fn disassemble(set: &dyn Instructions) -> Result<(), Error> {
    translate(set.comment(), |line, out| match read_words(set, line) {
        Err(why) => write!(out, "error: {why}"),
        Ok((word, bytes)) => match set.text(&word) {
            Some(text) => match length_of(set, &text).filter(|length| *length != bytes) {
                None => out.write_all(text.as_bytes()),
                Some(length) => write!(out, "error: the instruction has {length} bytes, {bytes} are given"),
            },
            None => {
                out.write_all(b".word ")?;
                write_words(set, &word, bytes, out)
            }
        },
    })
}

/// Bytes of an instruction, where that is not the same for all.
fn length_of(set: &dyn Instructions, text: &str) -> Option<usize> {
    if set.in_bytes() { set.parse(text).ok().map(|(_, bytes)| bytes) } else { None }
}

/// Translates line by line until the input ends. Empty lines and comments stay empty.
fn translate(
    comment: &str,
    mut each: impl FnMut(&str, &mut dyn Write) -> io::Result<()>,
) -> Result<(), Error> {
    let mut input = BufReader::new(io::stdin().lock());
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut line = Vec::new();
    let copied: io::Result<()> = (|| {
        while input.read_until(b'\n', &mut line)? != 0 {
            let text = String::from_utf8_lossy(&line);
            let text = text.split(comment).next().unwrap_or("").trim();
            if !text.is_empty() {
                each(text, &mut out)?;
            }
            out.write_all(b"\n")?;
            // Who asks line by line and waits for each answer gets it.
            if input.buffer().is_empty() {
                out.flush()?;
            }
            line.clear();
        }
        out.flush()
    })();
    copied.map_err(|error| crate::output::from_stdout(&error))
}

fn read_words(set: &dyn Instructions, text: &str) -> Result<(Word, usize), String> {
    let words: Vec<String> = text.split_whitespace().map(String::from).collect();
    if words.is_empty() { Err("there is no word".into()) } else { digits::read(set, &words) }
}

fn write_words(set: &dyn Instructions, word: &Word, bytes: usize, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(digits::write(set, word, bytes).as_bytes())
}

/// The column of a byte in characters, from 1.
fn column(line: &str, byte: u32) -> usize {
    line[..line.floor_char_boundary(byte as usize)].chars().count() + 1
}
