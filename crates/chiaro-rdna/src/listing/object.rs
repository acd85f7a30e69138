//! The listing of a code object: symbols, code, descriptors and metadata as directives.

use super::{Labels, Lister};
use crate::container::{
    ABS64, CodeObject, Relocation, SUFFIXES, Section, Symbol, SymbolKind, Visibility, note, yaml,
};
use crate::isa::LLVM;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A listing in LLVM's language that assembles to the same code, descriptors and metadata.
///
/// Of a linked object, the distance of a kernel's code from its descriptor is left to the
/// assembler, as in any text.
pub fn object(object: &CodeObject) -> String {
    object_in(object, LLVM)
}

/// The same in a dialect, an index of [`DIALECTS`](crate::isa::DIALECTS).
pub fn object_in(object: &CodeObject, dialect: u8) -> String {
    let mut out = String::new();
    let _ = writeln!(out, ".amdgcn_target \"amdgcn-amd-amdhsa--gfx1030\"");
    let _ = writeln!(out, ".amdhsa_code_object_version {}", object.version);
    out.push_str(".text\n");
    let kernels = plain_kernels(object);
    let implied: Vec<&str> = kernels.iter().flatten().map(|(name, ..)| *name).collect();
    for symbol in object.symbols.iter().filter(|s| s.section != Section::Rodata) {
        attributes(symbol, implied.contains(&symbol.name.as_str()), &mut out);
    }
    code(object, dialect, &mut out);
    out.push_str(".section .rodata,\"a\"\n");
    match kernels {
        Some(kernels) => kernels.into_iter().for_each(|kernel| descriptor(kernel, &mut out)),
        None => raw(object, &mut out),
    }
    if let Some(document) = object.note.as_deref().and_then(|note| note::read(note).ok()) {
        out.push_str(".amdgpu_metadata\n---\n");
        out.push_str(&yaml::write(&document));
        out.push_str("...\n.end_amdgpu_metadata\n");
    }
    out
}

/// A kernel as directives say it: its name, and those of its descriptor.
type Kernel<'a> = (&'a str, Vec<(&'static str, u32)>);

/// The kernels in the order of their descriptors, if these are all constants there are and
/// `.amdhsa_kernel` says everything of them and of their names.
fn plain_kernels(object: &CodeObject) -> Option<Vec<Kernel<'_>>> {
    let mut symbols: Vec<&Symbol> = object.symbols.iter().filter(|s| s.section == Section::Rodata).collect();
    symbols.sort_by_key(|s| s.value);
    let is_plain = |(at, s): (usize, &&Symbol)| {
        s.value == at as u64 * 64 && (s.size, s.kind, s.global) == (64, SymbolKind::Object, true)
    };
    if symbols.len() * 64 != object.rodata.len() || !symbols.iter().enumerate().all(is_plain) {
        return None;
    }
    let protected = |name: &str| {
        let code = object.symbols.iter().find(|s| s.name == name);
        code.is_some_and(|s| s.visibility == Visibility::Protected)
    };
    let kernels = symbols.into_iter().map(|s| {
        let name = s.name.strip_suffix(".kd").filter(|name| protected(name))?;
        let descriptor = object.descriptor(s)?;
        let directives = descriptor.directives().filter(|_| descriptor.wave() == object.wave())?;
        Some((name, directives))
    });
    kernels.collect()
}

/// What directives say of a symbol, but for what its kernel's directive implies.
fn attributes(s: &Symbol, is_kernel: bool, out: &mut String) {
    if s.global && s.section != Section::Undefined {
        let _ = writeln!(out, ".globl {}", s.name);
    }
    match s.visibility {
        Visibility::Hidden => drop(writeln!(out, ".hidden {}", s.name)),
        Visibility::Protected if !is_kernel => drop(writeln!(out, ".protected {}", s.name)),
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

fn code(object: &CodeObject, dialect: u8, out: &mut String) {
    let lister = Lister::new(object.wave(), dialect);
    let named = names(object, Section::Text);
    let known: Labels = named.iter().map(|(at, names)| (*at, names[0].to_owned())).collect();
    let read = lister.read_named(&object.text, &known);
    let labels = read.labels(known);
    let relocated = relocations(object, Section::Text);
    for (at, _, line) in read.lines(&labels) {
        let own = labels.get(&at.into()).map(String::as_str);
        print_names(named.get(&at.into()).map_or(own.as_slice(), Vec::as_slice), out);
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
    print_names(named.get(&(object.text.len() as u64)).map_or(&[], Vec::as_slice), out);
}

/// The names of a section by their places; one place may have several.
fn names(object: &CodeObject, section: Section) -> BTreeMap<u64, Vec<&str>> {
    let mut names: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
    for symbol in object.symbols.iter().filter(|s| s.section == section) {
        names.entry(symbol.value).or_default().push(&symbol.name);
    }
    names
}

fn print_names(names: &[&str], out: &mut String) {
    for name in names {
        let _ = writeln!(out, "{name}:");
    }
}

/// Places of a section that a linker fills in.
fn relocations(object: &CodeObject, section: Section) -> BTreeMap<u64, &Relocation> {
    object.relocations.iter().filter(|r| r.section == section).map(|r| (r.offset, r)).collect()
}

fn descriptor((name, directives): Kernel<'_>, out: &mut String) {
    let _ = writeln!(out, ".amdhsa_kernel {name}");
    for (directive, n) in directives {
        let _ = writeln!(out, "  .amdhsa_{directive} {n}");
    }
    out.push_str(".end_amdhsa_kernel\n");
}

/// Constants that are more than descriptors, byte for byte.
fn raw(object: &CodeObject, out: &mut String) {
    for symbol in object.symbols.iter().filter(|s| s.section == Section::Rodata) {
        attributes(symbol, false, out);
    }
    let names = names(object, Section::Rodata);
    if object.wave() == 64 {
        out.push_str("// .amdhsa_wavefront_size32 0\n");
    }
    let (mut at, end) = (0, object.rodata.len());
    let mut relocated = relocations(object, Section::Rodata);
    // Others have no text, and end no line.
    relocated.retain(|at, r| r.kind == ABS64 && r.addend >= 0 && at.saturating_add(8) <= end as u64);
    while at < end {
        print_names(names.get(&(at as u64)).map_or(&[], Vec::as_slice), out);
        // A line ends where the next name or address begins.
        let next = |key: Option<&u64>| key.map_or(end, |n| usize::try_from(*n).unwrap_or(end));
        let place = (at as u64 + 1)..;
        let (name, address) = (names.range(place.clone()).next(), relocated.range(place).next());
        let stop = next(name.map(|(n, _)| n)).min(next(address.map(|(n, _)| n))).min(at + 4).min(end);
        match relocated.get(&(at as u64)) {
            Some(r) => {
                let _ = writeln!(out, "  .quad {}+{}", r.symbol, r.addend);
                at += 8;
            }
            None => {
                let bytes: Vec<_> = object.rodata[at..stop].iter().map(|b| format!("{b:#04x}")).collect();
                let _ = writeln!(out, "  .byte {}", bytes.join(", "));
                at = stop;
            }
        }
    }
    print_names(names.get(&(end as u64)).map_or(&[], Vec::as_slice), out);
}
