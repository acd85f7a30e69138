//! The listing of a code object: symbols, code, descriptors and metadata as directives.

use super::{Labels, Lister};
use crate::container::{
    ABS64, CodeObject, Relocation, SUFFIXES, Section, Symbol, SymbolKind, Visibility, note, yaml,
};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A listing that assembles to the same code, descriptors and metadata.
///
/// Of a linked object, the distance of a kernel's code from its descriptor is left to the
/// assembler, as in any text.
pub fn object(object: &CodeObject) -> String {
    let mut out = String::new();
    let _ = writeln!(out, ".amdgcn_target \"amdgcn-amd-amdhsa--gfx1030\"");
    let _ = writeln!(out, ".amdhsa_code_object_version {}", object.version);
    out.push_str(".text\n");
    for symbol in object.symbols.iter().filter(|s| !is_descriptor(s)) {
        attributes(symbol, object, &mut out);
    }
    code(object, &mut out);
    descriptors(object, &mut out);
    if let Some(document) = object.note.as_deref().and_then(|note| note::read(note).ok()) {
        out.push_str(".amdgpu_metadata\n---\n");
        out.push_str(&yaml::write(&document));
        out.push_str("...\n.end_amdgpu_metadata\n");
    }
    out
}

fn is_descriptor(s: &Symbol) -> bool {
    s.section == Section::Rodata && s.name.ends_with(".kd")
}

/// What directives say of a symbol.
fn attributes(s: &Symbol, object: &CodeObject, out: &mut String) {
    if s.global && s.section != Section::Undefined {
        let _ = writeln!(out, ".globl {}", s.name);
    }
    let kernel = object.kernels().any(|(name, _)| name == s.name);
    match s.visibility {
        Visibility::Hidden => drop(writeln!(out, ".hidden {}", s.name)),
        Visibility::Protected if !kernel => drop(writeln!(out, ".protected {}", s.name)),
        _ => {}
    }
    match s.kind {
        SymbolKind::Function => drop(writeln!(out, ".type {},@function", s.name)),
        SymbolKind::Object => drop(writeln!(out, ".type {},@object", s.name)),
        SymbolKind::None => {}
    }
    if s.size > 0 {
        let _ = writeln!(out, ".size {}, {}", s.name, s.size);
    }
}

fn code(object: &CodeObject, out: &mut String) {
    let lister = Lister::new(object.wave(), 0);
    let named = object.symbols.iter().filter(|s| s.section == Section::Text);
    let known: Labels = named.map(|s| (s.value, s.name.clone())).collect();
    let read = lister.read(&object.text);
    let labels = read.labels(known);
    let relocated = relocations(object, Section::Text);
    for (at, _, line) in read.lines(&labels) {
        if let Some(name) = labels.get(&at.into()) {
            let _ = writeln!(out, "{name}:");
        }
        let open = relocated.get(&(u64::from(at) + 4));
        let suffix = open.and_then(|r| SUFFIXES.iter().find(|(_, kind)| *kind == r.kind));
        let text = match open.zip(suffix) {
            // The linker's dword is zero until then.
            Some((r, (suffix, _))) => {
                line.replace("lit(0x0)", &format!("{}@{suffix}+{}", r.symbol, r.addend))
            }
            None => line,
        };
        let _ = writeln!(out, "  {text}");
    }
}

/// Places of a section that a linker fills in.
fn relocations(object: &CodeObject, section: Section) -> BTreeMap<u64, &Relocation> {
    object.relocations.iter().filter(|r| r.section == section).map(|r| (r.offset, r)).collect()
}

fn descriptors(object: &CodeObject, out: &mut String) {
    out.push_str(".section .rodata,\"a\"\n");
    let plain = object.kernels().all(|(_, descriptor)| descriptor.directives().is_some())
        && object.kernels().count() * 64 == object.rodata.len();
    if !plain {
        return raw(object, out);
    }
    let mut kernels: Vec<_> = object.kernels().collect();
    let place = |name: &str| {
        object.symbols.iter().find(|s| s.name.strip_suffix(".kd") == Some(name)).map(|s| s.value)
    };
    kernels.sort_by_key(|(name, _)| place(name));
    for (name, descriptor) in kernels {
        let _ = writeln!(out, ".amdhsa_kernel {name}");
        for (directive, n) in descriptor.directives().unwrap_or_default() {
            let _ = writeln!(out, "  .amdhsa_{directive} {n}");
        }
        out.push_str(".end_amdhsa_kernel\n");
    }
}

/// Constants that are more than descriptors, byte for byte.
fn raw(object: &CodeObject, out: &mut String) {
    for symbol in object.symbols.iter().filter(|s| s.section == Section::Rodata) {
        attributes(symbol, object, out);
    }
    let mut names: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
    for symbol in object.symbols.iter().filter(|s| s.section == Section::Rodata) {
        names.entry(symbol.value).or_default().push(&symbol.name);
    }
    let relocated = relocations(object, Section::Rodata);
    let (mut at, end) = (0, object.rodata.len());
    while at < end {
        for name in names.get(&(at as u64)).into_iter().flatten() {
            let _ = writeln!(out, "{name}:");
        }
        // A line ends where the next name or address begins.
        let next = |key: Option<&u64>| key.map_or(end, |n| usize::try_from(*n).unwrap_or(end));
        let place = (at as u64 + 1)..;
        let (name, address) = (names.range(place.clone()).next(), relocated.range(place).next());
        let stop = next(name.map(|(n, _)| n)).min(next(address.map(|(n, _)| n))).min(at + 4).min(end);
        match relocated.get(&(at as u64)) {
            Some(r) if r.kind == ABS64 && r.addend >= 0 && at + 8 <= end => {
                let _ = writeln!(out, "  .quad {}+{}", r.symbol, r.addend);
                at += 8;
            }
            _ => {
                let bytes: Vec<_> = object.rodata[at..stop].iter().map(|b| format!("{b:#04x}")).collect();
                let _ = writeln!(out, "  .byte {}", bytes.join(", "));
                at = stop;
            }
        }
    }
}
