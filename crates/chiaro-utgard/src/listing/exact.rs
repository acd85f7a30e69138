//! A whole container as text that assembles back; [`crate::asm`] reads it.

use std::fmt::Write;

use chiaro_isa::Out;

use super::plain;
use crate::container::{Chunk, Core, Mbs, Symbol, Symbols, Table};
use crate::isa::word::{BYTES, Word};

/// The listing of a file.
#[must_use]
pub fn print(mbs: &Mbs) -> String {
    let mut out = String::new();
    let (is_vertex, number) = match mbs.core {
        Core::Vertex(number) => (true, number),
        Core::Fragment(number) => (false, number),
    };
    let _ = writeln!(out, ".mbs {} {number}", if is_vertex { "vertex" } else { "fragment" });
    for chunk in &mbs.chunks {
        self::chunk(chunk, is_vertex, &mut out);
    }
    if !mbs.behind.is_empty() {
        bytes(".behind", &mbs.behind, &mut out);
    }
    out
}

/// The listing of code without a container.
#[must_use]
pub fn print_raw(code: &[u8]) -> String {
    let mut out = String::from(".raw\n");
    instructions(code, &mut out);
    out
}

fn chunk(chunk: &Chunk, is_vertex: bool, out: &mut String) {
    match chunk {
        Chunk::Instructions { unknown, count, prefetch } => {
            let _ = writeln!(out, ".instructions {unknown} {count} {prefetch}");
        }
        Chunk::Symbols(symbols) => table(symbols, out),
        Chunk::Code(code) => {
            out.push_str(".code\n");
            // Fragment programs are words of another processor.
            if is_vertex { instructions(code, out) } else { bytes(".bytes", code, out) }
        }
        Chunk::Raw { tag, bytes } => {
            let _ = writeln!(out, ".chunk {}{}", hex(tag), prefixed(bytes));
        }
    }
}

fn instructions(code: &[u8], out: &mut String) {
    let (words, rest) = code.as_chunks::<BYTES>();
    let (mut printer, mut text) = (plain::Printer::new(words.len()), Out::default());
    for &word in words {
        text.push_str("    ");
        printer.print(Word::load(word), &mut text);
        text.push('\n');
    }
    out.push_str(text.as_str());
    bytes(".bytes", rest, out);
}

/// Bytes, 32 a line; none for none.
fn bytes(directive: &str, all: &[u8], out: &mut String) {
    for row in all.chunks(32) {
        let _ = writeln!(out, "{directive} {}", hex(row));
    }
}

fn prefixed(bytes: &[u8]) -> String {
    if bytes.is_empty() { String::new() } else { format!(" {}", hex(bytes)) }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn table(symbols: &Symbols, out: &mut String) {
    let _ = match symbols.table {
        Table::Uniforms => writeln!(out, ".uniforms {}", symbols.size),
        Table::Attributes => writeln!(out, ".attributes"),
        Table::Varyings => writeln!(out, ".varyings"),
    };
    for one in &symbols.list {
        symbol(one, out);
    }
}

fn symbol(symbol: &Symbol, out: &mut String) {
    let _ = write!(out, ".symbol \"{}\"", quoted(&symbol.name));
    for (name, value) in Symbol::NUMBERS.iter().map(|(name, get, _)| (name, get(symbol))) {
        let _ = write!(out, " {name} {value}");
    }
    if let Some([a, b, c]) = symbol.index {
        let _ = write!(out, " index {a:#x} {b:#x} {c:#x}");
    }
    if let Some(values) = &symbol.init {
        out.push_str(" init");
        values.iter().for_each(|value| {
            let _ = write!(out, " {value:#010x}");
        });
    }
    out.push('\n');
}

/// Names are printable ASCII, all else `%` with two digits for each byte.
fn quoted(name: &str) -> String {
    let byte = |b: u8| match b {
        b'"' | b'%' => format!("%{b:02x}"),
        b' '..=b'~' => char::from(b).to_string(),
        _ => format!("%{b:02x}"),
    };
    name.bytes().map(byte).collect()
}
