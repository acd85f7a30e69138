//! An MBS1 file's contents, for people and for machines.

use std::fmt::Write;

use crate::container::{Chunk, Core, Mbs, Symbol, Table};
use crate::isa::word::FIELDS;
use crate::regs::letter;
use serde_json::{Map, Value, json};

/// The whole file, top to bottom.
pub(super) fn describe(size: usize, mbs: &Mbs) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "MBS1 of {size} bytes");
    let _ = writeln!(out, "core: {}", core(mbs.core));
    for chunk in &mbs.chunks {
        self::chunk(chunk, &mut out);
    }
    if !mbs.behind.is_empty() {
        let _ = writeln!(out, "{} bytes behind the last chunk", mbs.behind.len());
    }
    out
}

fn core(core: Core) -> String {
    match core {
        Core::Vertex(2) => "vertex, GP2 of Mali-200".to_owned(),
        Core::Vertex(6) => "vertex, GP of Mali-400".to_owned(),
        Core::Vertex(n) => format!("vertex, number {n}"),
        Core::Fragment(5) => "fragment, PP of Mali-200".to_owned(),
        Core::Fragment(7) => "fragment, PP of Mali-400".to_owned(),
        Core::Fragment(n) => format!("fragment, number {n}"),
    }
}

fn chunk(chunk: &Chunk, out: &mut String) {
    let _ = match chunk {
        Chunk::Instructions { unknown, count, prefetch } => {
            writeln!(out, "FINS: instructions {count}, attribute prefetch {prefetch}, unknown {unknown}")
        }
        Chunk::Code(code) => writeln!(out, "DBIN: {} bytes of code", code.len()),
        Chunk::Raw { tag, bytes } => {
            writeln!(out, "{}: {} bytes", String::from_utf8_lossy(tag), bytes.len())
        }
        Chunk::Symbols(symbols) => {
            let area = match symbols.table {
                Table::Uniforms => format!(", area of {} floats", symbols.size),
                _ => String::new(),
            };
            let _ = writeln!(out, "{}: {} symbols{area}", tag(symbols.table), symbols.list.len());
            symbols.list.iter().for_each(|one| symbol(one, symbols.table, out));
            Ok(())
        }
    };
}

fn tag(table: Table) -> &'static str {
    match table {
        Table::Uniforms => "SUNI",
        Table::Attributes => "SATT",
        Table::Varyings => "SVAR",
    }
}

fn symbol(symbol: &Symbol, table: Table, out: &mut String) {
    let place = match (symbol.offset, table) {
        (0xffff, _) => "unused".to_owned(),
        (offset, Table::Uniforms) => format!("t[{}].{}", offset / 4, component(offset)),
        (offset, Table::Attributes) => format!("a{}.{}", offset / 4, component(offset)),
        (offset, Table::Varyings) => format!("v{}.{}", offset / 4, component(offset)),
    };
    let entries = if symbol.entries > 0 { format!("[{}]", symbol.entries) } else { String::new() };
    let _ = write!(out, "  {place:<10} {:<10} {}{entries}", kind(symbol), symbol.name);
    if let Some(values) = &symbol.init {
        let values: Vec<String> = values.iter().map(|&bits| f32::from_bits(bits).to_string()).collect();
        let _ = write!(out, " = {}", values.join(", "));
    }
    out.push('\n');
}

fn component(offset: u16) -> char {
    letter((offset % 4) as u8)
}

fn kind(symbol: &Symbol) -> String {
    let scalar = ["?", "float", "int", "bool", "mat", "sampler2D", "samplerCube", "?", "struct", "external"];
    let name = scalar.get(usize::from(symbol.kind)).copied().unwrap_or("?");
    match (symbol.kind, symbol.components) {
        (1..=3, n) if n > 1 => format!("{name}{n}"),
        (4, n) => format!("mat{n}"),
        _ => name.to_owned(),
    }
}

/// The same for machines. Values of constants are hexadecimal texts: they are bit patterns.
pub(super) fn to_json(mbs: &Mbs) -> Value {
    let (stage, number) = match mbs.core {
        Core::Vertex(n) => ("vertex", n),
        Core::Fragment(n) => ("fragment", n),
    };
    let chunks: Vec<Value> = mbs.chunks.iter().map(chunk_to_json).collect();
    json!({ "stage": stage, "core": number, "chunks": chunks, "bytes_behind": mbs.behind.len() })
}

fn chunk_to_json(chunk: &Chunk) -> Value {
    match chunk {
        Chunk::Instructions { unknown, count, prefetch } => {
            json!({ "tag": "FINS", "instructions": count, "prefetch": prefetch, "unknown": unknown })
        }
        Chunk::Code(code) => json!({ "tag": "DBIN", "bytes": code.len() }),
        Chunk::Raw { tag, bytes } => {
            json!({ "tag": String::from_utf8_lossy(tag), "bytes": bytes.len() })
        }
        Chunk::Symbols(symbols) => json!({
            "tag": tag(symbols.table),
            "floats": symbols.size,
            "symbols": symbols.list.iter().map(symbol_to_json).collect::<Vec<_>>(),
        }),
    }
}

fn symbol_to_json(symbol: &Symbol) -> Value {
    let bits = |values: &Vec<u32>| values.iter().map(|bits| format!("{bits:08x}")).collect::<Vec<_>>();
    json!({
        "name": symbol.name,
        "kind": symbol.kind,
        "components": symbol.components,
        "size": symbol.size,
        "entries": symbol.entries,
        "stride": symbol.stride,
        "flags": symbol.flags,
        "precision": symbol.precision,
        "invariant": symbol.invariant,
        "offset": symbol.offset,
        "parent": symbol.parent,
        "init": symbol.init.as_ref().map(bits),
    })
}

/// A word of Utgard GP: every field that is not idle.
pub(super) fn instruction(at: usize, word: crate::isa::word::Word) -> Value {
    let busy = FIELDS.iter().filter(|field| word.get(**field) != field.idle);
    let fields: Map<String, Value> =
        busy.map(|field| (field.name.to_owned(), word.get(*field).into())).collect();
    json!({
        "at": at,
        "words": word.words().map(|word| format!("{word:08x}")),
        "text": crate::explain::text(word),
        "fields": fields,
    })
}
