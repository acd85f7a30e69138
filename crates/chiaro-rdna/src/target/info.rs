//! A code object's contents, for people and for machines.

use std::fmt::Write;

use chiaro_isa::Isa;
use serde_json::{Map, Value, json};

use crate::container::descriptor::Descriptor;
use crate::container::note::Item;
use crate::container::part::{Part, Role};
use crate::container::{CodeObject, Relocation, Section, Symbol, SymbolKind};
use crate::isa::isa;
use crate::listing::{Labels, Lister};

/// A few lines: version, sizes, kernels, functions.
pub(super) fn describe(object: &CodeObject) -> String {
    let mut out = String::new();
    let (version, wave) = (object.version, object.wave());
    let _ = writeln!(out, "amdhsa code object, version {version}, {}, waves of {wave}", form(object));
    let _ = writeln!(out, "{} bytes of code, {} of constants", object.text.len(), object.rodata.len());
    for (name, descriptor) in object.kernels() {
        let get = |field| descriptor.get(field).unwrap_or(0);
        let _ = writeln!(
            out,
            "kernel {name}: {} vector registers, {} bytes of LDS, {} of scratch, {} of arguments",
            descriptor.vgprs(),
            get("group_segment_fixed_size"),
            get("private_segment_fixed_size"),
            get("kernarg_size")
        );
    }
    let part = part(object);
    for f in &part.functions {
        let calls =
            if f.calls.is_empty() { String::new() } else { format!(", calls {}", f.calls.join(", ")) };
        let _ = match f.role {
            Role::Kernel => continue,
            Role::Import => writeln!(out, "needs {}: {}, given {}", f.name, f.types, f.signature),
            _ => writeln!(
                out,
                "{} {}: {}, given {}, writes {}, frame of {} bytes{calls}",
                f.role.name(),
                f.name,
                f.types,
                f.signature,
                f.written,
                f.frame
            ),
        };
    }
    for table in &part.tables {
        let _ = writeln!(out, "table {}: {}", table.name, table.entries.join(", "));
    }
    for symbol in object.symbols.iter().filter(|s| s.section == Section::Text) {
        let _ = writeln!(out, "symbol {} at {:#x}, {} bytes", symbol.name, symbol.value, symbol.size);
    }
    out
}

/// What the file says of functions that other parts know, and of tables of functions.
fn part(object: &CodeObject) -> Part {
    object.document().and_then(|document| Part::of(&document).ok().flatten()).unwrap_or_default()
}

fn form(object: &CodeObject) -> &'static str {
    if object.linked { "linked" } else { "relocatable" }
}

/// The whole file; every instruction with its fields where that is asked for.
pub(super) fn to_json(object: &CodeObject, with_code: bool) -> Value {
    let mut all = json!({
        "target": "rdna",
        "version": object.version,
        "form": form(object),
        "wave": object.wave(),
        "text": { "address": object.text_address, "bytes": object.text.len() },
        "rodata": { "address": object.rodata_address, "bytes": object.rodata.len() },
        "kernels": object.kernels().map(kernel).collect::<Value>(),
        "symbols": object.symbols.iter().map(symbol).collect::<Value>(),
        "relocations": object.relocations.iter().map(relocation).collect::<Value>(),
        "metadata": object.document().as_ref().map(item),
    });
    if with_code {
        all["instructions"] = instructions(object);
    }
    all
}

fn kernel((name, descriptor): (&str, Descriptor)) -> Value {
    let fields: Map<String, Value> =
        descriptor.fields().map(|(name, value)| (name.to_owned(), value.into())).collect();
    json!({ "name": name, "wave": descriptor.wave(), "vgprs": descriptor.vgprs(), "entry": descriptor.entry(), "descriptor": fields })
}

fn symbol(symbol: &Symbol) -> Value {
    let kind = match symbol.kind {
        SymbolKind::Function => "function",
        SymbolKind::Object => "object",
        SymbolKind::Section => "section",
        SymbolKind::None => "none",
    };
    json!({
        "name": symbol.name,
        "section": section(symbol.section),
        "value": symbol.value,
        "size": symbol.size,
        "kind": kind,
        "global": symbol.global,
    })
}

fn section(section: Section) -> &'static str {
    match section {
        Section::Text => ".text",
        Section::Rodata => ".rodata",
        Section::Undefined => "undefined",
    }
}

fn relocation(r: &Relocation) -> Value {
    json!({
        "section": section(r.section),
        "offset": r.offset,
        "kind": r.kind,
        "symbol": r.symbol,
        "addend": r.addend,
    })
}

fn item(from: &Item) -> Value {
    match from {
        Item::Nil => Value::Null,
        Item::Bool(b) => (*b).into(),
        Item::Number(n) => (*n).into(),
        Item::Negative(n) => (*n).into(),
        Item::Text(text) => text.clone().into(),
        Item::List(items) => items.iter().map(item).collect(),
        Item::Map(pairs) => pairs.iter().map(|(name, one)| (name.clone(), item(one))).collect(),
    }
}

fn instructions(object: &CodeObject) -> Value {
    let isa = isa(object.wave());
    let lister = Lister::new(object.wave(), 0);
    let read = lister.read(&object.text);
    let lines = read.lines(&read.labels(Labels::new()));
    lines
        .into_iter()
        .map(|(at, length, text)| instruction(isa, object, [at as usize, length as usize], &text))
        .collect()
}

/// A line of the listing; words that are no instruction have no fields.
fn instruction(isa: &Isa, object: &CodeObject, [at, length]: [usize; 2], text: &str) -> Value {
    let bytes = &object.text[at..at + length];
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let mut line = json!({ "offset": at, "bytes": hex, "text": text.trim() });
    if let Ok(inst) = isa.decode(bytes) {
        let explanation = isa.explain(&inst, &isa.cx());
        line["format"] = explanation.format.into();
        let fields = explanation.fields.iter();
        line["fields"] = fields.map(|f| json!({ "name": f.name, "raw": f.raw, "text": f.text })).collect();
    }
    line
}
