//! Writes exact listings.

use crate::container::{Dvle, Shbin};
use crate::isa::{PICA200, fetch};
use chiaro_isa::Out;
use std::fmt::Write;

/// The column at which the comment with offset and bits begins.
const COMMENT: usize = 44;

/// Lists a file.
pub fn print(file: &Shbin) -> String {
    let mut out = Out::default();
    let _ = writeln!(out, ".exact\n.layout {}", file.layout);
    let _ = writeln!(out, ".program {:#x} {}", file.program.version, quoted(&file.program.file_names));
    program(&file.program.code, &file.program.descriptors, &mut out);
    for executable in &file.executables {
        dvle(executable, &mut out);
    }
    out.as_str().to_owned()
}

/// Lists words and descriptors that have no container.
pub fn print_raw(code: &[u32], descriptors: &[[u32; 2]]) -> String {
    let mut out = Out::default();
    out.push_str(".exact\n.raw\n");
    program(code, descriptors, &mut out);
    out.as_str().to_owned()
}

fn program(code: &[u32], descriptors: &[[u32; 2]], out: &mut Out) {
    for (i, [word, second]) in descriptors.iter().enumerate() {
        let _ = writeln!(out, ".opdesc {i} 0x{word:08x} {second:#x}");
    }
    out.push('\n');
    for (at, &word) in code.iter().enumerate() {
        line(at, word, descriptors, out);
    }
}

fn line(at: usize, word: u32, descriptors: &[[u32; 2]], out: &mut Out) {
    let start = out.len();
    out.push_str("    ");
    let full = fetch(word, descriptors);
    let inst = PICA200.decode_word(&full, 8).ok();
    let inst = inst.filter(|inst| PICA200.unclaimed(inst).0[0] as u32 == 0);
    let text = inst.and_then(|inst| PICA200.text(&inst, &PICA200.cx()));
    match text.filter(|text| reads_back(text, word)) {
        Some(text) => out.push_str(&text),
        None => {
            let _ = write!(out, ".word 0x{word:08x}");
        }
    }
    out.pad_to(start, COMMENT);
    let _ = writeln!(out, "; {at:03x} {word:08x}");
}

/// Whether the line gives the word again; the descriptor comes from the table.
fn reads_back(text: &str, word: u32) -> bool {
    let parsed = PICA200.parse(text, &PICA200.cx());
    parsed.is_ok_and(|parsed| parsed.inst.word.0[0] as u32 == word)
}

fn dvle(e: &Dvle, out: &mut Out) {
    let [mode, start, full, count] = e.geometry;
    let _ = writeln!(
        out,
        "\n.dvle {} {:#x} {} {} {} {:#x} {:#x} {mode} {start} {full} {count}",
        e.stage.byte(),
        e.version,
        e.merge,
        e.entry,
        e.end,
        e.inputs,
        e.outputs_used
    );
    for c in &e.constants {
        let [x, y, z, w] = c.words;
        let _ = writeln!(out, ".constant {} {} {x:#x} {y:#x} {z:#x} {w:#x}", c.kind, c.register);
    }
    for l in &e.labels {
        let name = comment(e, l.name);
        let _ = writeln!(out, ".label {} {} {} {:#x} {}{name}", l.id, l.unknown, l.offset, l.size, l.name);
    }
    for o in &e.outputs {
        let name = o.property().map_or("", |p| p.name);
        let _ = writeln!(out, ".output {} {} {:#x} {}  ; {name}", o.kind, o.register, o.mask, o.unknown);
    }
    for u in &e.uniforms {
        let name = comment(e, u.name);
        let _ = writeln!(out, ".uniform {} {:#x} {:#x}{name}", u.name, u.first, u.last);
    }
    let _ = writeln!(out, ".symbols {}", quoted(&e.symbols));
}

fn comment(e: &Dvle, symbol: u32) -> String {
    e.name(symbol)
        .filter(|n| !n.contains(char::is_control))
        .map_or(String::new(), |name| format!("  ; {name}"))
}

fn quoted(bytes: &[u8]) -> String {
    let mut out = String::from("\"");
    for &b in bytes {
        match b {
            0 => out.push_str("\\0"),
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b' '..=b'~' => out.push(b as char),
            _ => {
                let _ = write!(out, "\\x{b:02x}");
            }
        }
    }
    out.push('"');
    out
}
