//! The listing of a code object: symbols, code, descriptors, constants and metadata as directives.
//!
//! What a linker fills in stands beside its name where text can say it: in a literal, or as an address among
//! constants. Any other place has a `.reloc` before it.

use super::{Labels, Lister};
use crate::container::{
    ABS32, ABS64, CodeObject, REL64, RELOCATIONS, Relocation, SUFFIXES, Section, Symbol, SymbolKind,
    Visibility, yaml,
};
use crate::isa::LLVM;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;

/// Bytes of a kernel's descriptor.
const DESCRIPTOR: u64 = 64;
/// A literal of no value, where a linker puts one.
const OPEN: &str = "lit(0x0)";

/// A listing in LLVM's language that assembles to the same code, descriptors, relocations and metadata.
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
    let kernels = kernels(object);
    let implied: HashSet<&str> = kernels.values().map(|(name, _)| *name).collect();
    let is_named = |s: &&Symbol| s.section != Section::Rodata && s.kind != SymbolKind::Section;
    for symbol in object.symbols.iter().filter(is_named) {
        attributes(symbol, implied.contains(symbol.name.as_str()), &mut out);
    }
    code(object, dialect, &mut out);
    out.push_str(".section .rodata,\"a\"\n");
    constants(object, &kernels, &mut out);
    if let Some(document) = object.document() {
        out.push_str(".amdgpu_metadata\n---\n");
        out.push_str(&yaml::write(&document));
        out.push_str("...\n.end_amdgpu_metadata\n");
    }
    out
}

/// A kernel as directives say it: its name, and those of its descriptor.
type Kernel<'a> = (&'a str, Vec<(&'static str, u32)>);

/// The kernels of which `.amdhsa_kernel` says everything, by the places of their descriptors.
fn kernels(object: &CodeObject) -> BTreeMap<u64, Kernel<'_>> {
    let (named, open) = (names(object, Section::Rodata), relocations(object, Section::Rodata));
    let wave = object.wave();
    let by_name: HashMap<&str, &Symbol> = object.symbols.iter().map(|s| (s.name.as_str(), s)).collect();
    let is_apart = |s: &Symbol| named.range(s.value + 1..s.value + DESCRIPTOR).next().is_none();
    let is_plain = |s: &&Symbol| {
        let is_one =
            (s.section, s.size, s.kind, s.global) == (Section::Rodata, DESCRIPTOR, SymbolKind::Object, true);
        is_one && s.value.is_multiple_of(DESCRIPTOR) && is_apart(s)
    };
    let kernel = |s: &'_ Symbol| -> Option<(u64, Kernel<'_>)> {
        let own = *by_name.get(s.name.strip_suffix(".kd")?)?;
        let descriptor = object.descriptor(s)?;
        let is_said = own.visibility == Visibility::Protected && descriptor.wave() == wave;
        let within = open.partition_point(|r| r.offset < s.value)..;
        let directives = descriptor
            .directives()
            .filter(|_| is_said && is_entered(object.linked, &open[within], [s, own]))?;
        Some((s.value, (own.name.as_str(), directives)))
    };
    object.symbols.iter().filter(is_plain).filter_map(kernel).collect()
}

/// Whether a linker fills in the entry of a descriptor and nothing else of it, as the directive asks for; in a linked
/// object none does. The places that are open begin with the first one from the descriptor on.
fn is_entered(linked: bool, open: &[&Relocation], [descriptor, code]: [&Symbol; 2]) -> bool {
    let within = open.partition_point(|r| r.offset < descriptor.value + DESCRIPTOR);
    match open[..within] {
        [] => linked,
        [r] => (r.offset, r.kind, r.addend) == (descriptor.value + 16, REL64, 16) && r.symbol == code.name,
        _ => false,
    }
}

/// What directives say of a symbol, but for what its kernel's directive implies.
fn attributes(s: &Symbol, is_kernel: bool, out: &mut String) {
    if s.global && s.section != Section::Undefined {
        let _ = writeln!(out, ".globl {}", s.name);
    }
    if !(is_kernel && s.visibility == Visibility::Protected) {
        visibility(s, out);
    }
    match s.kind {
        SymbolKind::Function => drop(writeln!(out, ".type {},@function", s.name)),
        SymbolKind::Object => drop(writeln!(out, ".type {},@object", s.name)),
        SymbolKind::None | SymbolKind::Section => {}
    }
    if s.size > 0 {
        let _ = writeln!(out, ".size {}, {}", s.name, s.size);
    }
}

fn visibility(s: &Symbol, out: &mut String) {
    match s.visibility {
        Visibility::Hidden => drop(writeln!(out, ".hidden {}", s.name)),
        Visibility::Protected => drop(writeln!(out, ".protected {}", s.name)),
        Visibility::Default => {}
    }
}

fn code(object: &CodeObject, dialect: u8, out: &mut String) {
    let lister = Lister::new(object.wave(), dialect);
    let named = names(object, Section::Text);
    let known: Labels = named.iter().map(|(at, names)| (*at, names[0].to_owned())).collect();
    let read = lister.read_named(&object.text, &known);
    let labels = read.labels(known);
    let mut open = relocations(object, Section::Text).into_iter().peekable();
    for (at, length, line) in read.lines(&labels) {
        let own = labels.get(&at.into()).map(String::as_str);
        print_names(named.get(&at.into()).map_or(own.as_slice(), Vec::as_slice), out);
        let end = u64::from(at) + u64::from(length);
        let within: Vec<&Relocation> = std::iter::from_fn(|| open.next_if(|r| r.offset < end)).collect();
        let text = match within[..] {
            [one] if one.offset + 4 == end && length > 4 => in_literal(one, &line),
            _ => None,
        };
        if text.is_none() {
            within.into_iter().for_each(|r| reloc(r, out));
        }
        let _ = writeln!(out, "  {}", text.unwrap_or(line));
    }
    print_names(named.get(&(object.text.len() as u64)).map_or(&[], Vec::as_slice), out);
    open.for_each(|r| reloc(r, out));
}

/// The line with a name in its literal, which is zero until a linker has been there; if text can say that.
fn in_literal(r: &Relocation, line: &str) -> Option<String> {
    let (suffix, _) = SUFFIXES.iter().find(|(_, kind)| *kind == r.kind)?;
    let is_one = line.matches(OPEN).count() == 1 && r.addend >= 0 && !is_operand(&r.symbol);
    is_one.then(|| line.replace(OPEN, &format!("{}@{suffix}+{}", r.symbol, r.addend)))
}

/// Whether a name is read as a number or a register where an operand is expected.
fn is_operand(name: &str) -> bool {
    let is_numbered =
        |prefix: &str| name.strip_prefix(prefix).is_some_and(|rest| rest.bytes().all(|c| c.is_ascii_digit()));
    let special = ["vcc", "exec", "src_", "m0", "null", "off"];
    starts_as_number(name)
        || ["s", "v", "ttmp"].into_iter().any(is_numbered)
        || special.iter().any(|special| name.starts_with(special))
}

fn starts_as_number(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_digit())
}

/// A relocation by its place, which no other text says.
fn reloc(r: &Relocation, out: &mut String) {
    let kind = match RELOCATIONS.iter().find(|(_, kind)| *kind == r.kind) {
        Some((name, _)) => format!("R_AMDGPU_{name}"),
        None => r.kind.to_string(),
    };
    let _ = writeln!(out, "  .reloc {:#x}, {kind}, {}{:+}", r.offset, r.symbol, r.addend);
}

/// The names of a section by their places; one place may have several.
fn names(object: &CodeObject, section: Section) -> BTreeMap<u64, Vec<&str>> {
    let mut names: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
    let is_own = |s: &&Symbol| s.section == section && s.kind != SymbolKind::Section;
    for symbol in object.symbols.iter().filter(is_own) {
        names.entry(symbol.value).or_default().push(&symbol.name);
    }
    names
}

fn print_names(names: &[&str], out: &mut String) {
    for name in names {
        let _ = writeln!(out, "{name}:");
    }
}

/// Places of a section that a linker fills in, in their order.
fn relocations(object: &CodeObject, section: Section) -> Vec<&Relocation> {
    let mut own: Vec<_> = object.relocations.iter().filter(|r| r.section == section).collect();
    own.sort_by_key(|r| r.offset);
    own
}

fn descriptor((name, directives): &Kernel<'_>, out: &mut String) {
    let _ = writeln!(out, ".amdhsa_kernel {name}");
    for (directive, n) in directives {
        let _ = writeln!(out, "  .amdhsa_{directive} {n}");
    }
    out.push_str(".end_amdhsa_kernel\n");
}

/// Descriptors by their directives, and what else is constant: addresses, and bytes.
fn constants(object: &CodeObject, kernels: &BTreeMap<u64, Kernel<'_>>, out: &mut String) {
    let is_named = |s: &&Symbol| s.section == Section::Rodata && s.kind != SymbolKind::Section;
    for symbol in object.symbols.iter().filter(is_named) {
        let kernel = kernels.get(&symbol.value).map(|(name, _)| *name);
        match kernel.is_some() && symbol.name.strip_suffix(".kd") == kernel {
            true => visibility(symbol, out),
            false => attributes(symbol, false, out),
        }
    }
    if object.wave() == 64 && kernels.is_empty() {
        out.push_str("// .amdhsa_wavefront_size32 0\n");
    }
    let (names, open) = (names(object, Section::Rodata), relocations(object, Section::Rodata));
    let mut data = Data { bytes: &object.rodata, names, open, at: 0 };
    while data.at < object.rodata.len() as u64 {
        let name = kernels.get(&data.at).map(|(name, _)| format!("{name}.kd"));
        let here = data.names.get(&data.at).map_or(&[][..], Vec::as_slice);
        let other: Vec<&str> = here.iter().copied().filter(|own| name.as_deref() != Some(*own)).collect();
        print_names(&other, out);
        match kernels.get(&data.at) {
            Some(kernel) => {
                descriptor(kernel, out);
                data.at += DESCRIPTOR;
                data.open.retain(|r| r.offset >= data.at);
            }
            None => data.piece(out),
        }
    }
    print_names(data.names.get(&data.at).map_or(&[], Vec::as_slice), out);
    data.open.into_iter().for_each(|r| reloc(r, out));
}

/// Constants that are no descriptors, of which the text has come to a place.
struct Data<'a> {
    bytes: &'a [u8],
    names: BTreeMap<u64, Vec<&'a str>>,
    /// What a linker fills in from here on.
    open: Vec<&'a Relocation>,
    at: u64,
}

impl Data<'_> {
    /// One line: an address, or up to four bytes.
    fn piece(&mut self, out: &mut String) {
        let next = self.names.range(self.at + 1..).next().map_or(u64::MAX, |(place, _)| *place);
        let end = next.min(self.bytes.len() as u64);
        let here = self.open.iter().take_while(|r| r.offset <= self.at).count();
        let behind = self.open.get(here).map_or(u64::MAX, |r| r.offset);
        let here: Vec<&Relocation> = self.open.drain(..here).collect();
        if let [r] = here[..]
            && let Some(size) = self.address(r, end.min(behind))
        {
            let directive = if size == 4 { ".long" } else { ".quad" };
            let _ = writeln!(out, "  {directive} {}{:+}", r.symbol, r.addend);
            self.at += size;
            return;
        }
        here.into_iter().for_each(|r| reloc(r, out));
        let stop = (self.at + 4).min(end).min(behind);
        let bytes: Vec<_> = self.read(stop).iter().map(|b| format!("{b:#04x}")).collect();
        let _ = writeln!(out, "  .byte {}", bytes.join(", "));
        self.at = stop;
    }

    /// Bytes of an address that a directive can say, up to an end: they are zero until a linker has been there.
    fn address(&self, r: &Relocation, end: u64) -> Option<u64> {
        let size = [(ABS64, 8), (ABS32, 4)].into_iter().find(|(kind, _)| *kind == r.kind)?.1;
        let fits = r.offset == self.at && self.at + size <= end && !starts_as_number(&r.symbol);
        (fits && self.read(self.at + size).iter().all(|byte| *byte == 0)).then_some(size)
    }

    fn read(&self, end: u64) -> &[u8] {
        self.bytes.get(self.at as usize..end as usize).unwrap_or_default()
    }
}
