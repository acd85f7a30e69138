//! Code objects as ELF files.

use super::{CodeObject, Relocation, Section, Symbol, SymbolKind, Visibility, section_named};
use object::elf;
use object::read::elf::ElfFile64;
use object::write::StringId;
use object::write::elf::{FileHeader, Rel, SectionHeader, SectionIndex, Sym, Writer};
use object::{
    Endianness, FileFlags, Object as _, ObjectSection as _, ObjectSymbol as _, RelocationFlags,
    RelocationTarget, SymbolFlags,
};
use std::collections::HashSet;

/// `ELFOSABI_AMDGPU_HSA`.
const OS_ABI: u8 = 64;
/// Numbers of the machines with this instruction set: gfx1030 to 1036 (spec 19.1).
const MACHINES: [u8; 7] = [super::GFX1030, 0x37, 0x38, 0x39, 0x3e, 0x3d, 0x45];
/// The oldest version of the format, whose number in the file is 1.
const OLDEST: u8 = 3;

/// What is wrong with a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadError {
    /// The part of the file, as a section or header is called.
    pub part: &'static str,
    /// Byte of the file, where it is known.
    pub offset: Option<u64>,
    /// What is wrong with it.
    pub why: String,
}

impl std::fmt::Display for ReadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.part)?;
        if let Some(offset) = self.offset {
            write!(f, " at byte {offset:#x}")?;
        }
        write!(f, ": {}", self.why)
    }
}

impl std::error::Error for ReadError {}

fn wrong(part: &'static str, why: impl ToString) -> ReadError {
    ReadError { part, offset: None, why: why.to_string() }
}

/// The field of the header that says where the headers of sections are.
const SECTIONS: u64 = 40;
/// Bytes of a section's header.
const SECTION_HEADER: usize = 64;

type File<'a> = ElfFile64<'a, Endianness>;

/// Reads a code object of version 3 to 6.
///
/// # Errors
/// If it is not one, or a part lies outside of the file.
pub fn read(bytes: &[u8]) -> Result<CodeObject, ReadError> {
    let file = File::parse(bytes).map_err(|e| unread(bytes, &e.to_string()))?;
    let mut object = header(&file)?;
    if file.sections().next().is_none() {
        return Err(at(SECTIONS, "the file has no sections, by whose names code and descriptors are found"));
    }
    if let Some((address, data)) = section(&file, ".text")? {
        (object.text_address, object.text) = (address, data.to_vec());
    }
    if let Some((address, data)) = section(&file, ".rodata")? {
        (object.rodata_address, object.rodata) = (address, data.to_vec());
    }
    object.note = section(&file, ".note")?.map(|(_, data)| data.to_vec());
    overlaps(&file)?;
    if let Some(data) = object.note.as_ref().filter(|data| data.get(12..18) == Some(b"AMDGPU")) {
        super::note::read(data).map_err(|e| {
            let start = file.section_by_name(".note").and_then(|s| s.file_range()).map_or(0, |(at, _)| at);
            ReadError { part: ".note", offset: Some(start + e.at as u64), why: e.why.to_owned() }
        })?;
    }
    object.symbols = symbols(&file, &object)?;
    object.relocations = relocations(&file)?;
    add_sections(&mut object);
    Ok(object)
}

/// Why a file has no tables that can be read, with the place that leads to them: the field of the header for sections,
/// the section's own header for symbols.
fn unread(bytes: &[u8], why: &str) -> ReadError {
    let is_symbols = why.contains("symbol") || why.contains("section index");
    match symbols_header(bytes).filter(|_| is_symbols) {
        Some(offset) => ReadError { part: ".symtab", offset: Some(offset), why: why.to_owned() },
        None => at(if why.contains("section") { SECTIONS } else { 0 }, why),
    }
}

/// Where the header of the section with symbols stands.
fn symbols_header(bytes: &[u8]) -> Option<u64> {
    let field =
        |at: usize| bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()).map(|b| u64::from_le_bytes(*b));
    let first = usize::try_from(field(SECTIONS as usize)?).ok()?;
    let headers = bytes.get(first..)?.chunks_exact(SECTION_HEADER);
    let is_symbols = |header: &[u8]| header[4..8] == elf::SHT_SYMTAB.0.to_le_bytes();
    let found = headers.into_iter().position(is_symbols)?;
    Some((first + found * SECTION_HEADER) as u64)
}

fn header(file: &File<'_>) -> Result<CodeObject, ReadError> {
    let header = file.elf_header();
    let machine = header.e_machine.get(Endianness::Little);
    if machine != elf::EM_AMDGPU {
        return Err(at(18, "the file is not for AMD's GPUs"));
    }
    let FileFlags::Elf { os_abi, abi_version, e_flags } = file.flags() else {
        return Err(wrong("the ELF header", "it has no flags"));
    };
    let version = abi_version.checked_add(OLDEST - 1).filter(|v| (OLDEST..=6).contains(v));
    let version = version.filter(|_| os_abi.0 == OS_ABI);
    let version = version.ok_or_else(|| at(8, "the code object's version is not 3 to 6"))?;
    if !MACHINES.contains(&(e_flags.0 as u8)) {
        return Err(at(
            48,
            &format!("the code is for machine {:#x}, not for gfx1030 (0x36)", e_flags.0 & 255),
        ));
    }
    let linked = file.kind() == object::ObjectKind::Dynamic;
    Ok(CodeObject { machine: e_flags.0 as u8, version, linked, ..CodeObject::default() })
}

/// Something wrong in the header.
fn at(offset: u64, why: &str) -> ReadError {
    ReadError { part: "the ELF header", offset: Some(offset), why: why.to_owned() }
}

/// Sections of this file that are read lie apart.
fn overlaps(file: &File<'_>) -> Result<(), ReadError> {
    let mut all: Vec<(u64, u64, &'static str)> = Vec::new();
    for name in [".note", ".rodata", ".text"] {
        let range = file.section_by_name(name).and_then(|section| section.file_range());
        all.extend(range.filter(|(_, size)| *size > 0).map(|(start, size)| (start, size, name)));
    }
    all.sort_unstable();
    for pair in all.windows(2) {
        let [(start, size, first), (next, _, second)] = pair else { continue };
        if start.saturating_add(*size) > *next {
            let why = format!("it overlaps {first}, which ends at byte {:#x}", start.saturating_add(*size));
            return Err(ReadError { part: second, offset: Some(*next), why });
        }
    }
    Ok(())
}

/// Address and bytes of a section.
fn section<'a>(file: &File<'a>, name: &'static str) -> Result<Option<(u64, &'a [u8])>, ReadError> {
    let Some(section) = file.section_by_name(name) else { return Ok(None) };
    let offset = section.file_range().map(|(at, _)| at);
    let data = section.data().map_err(|e| ReadError { part: name, offset, why: e.to_string() })?;
    Ok(Some((section.address(), data)))
}

/// Why no text can say a name.
fn unsaid(name: &str) -> Option<String> {
    let odd = name.chars().find(|c| !is_in_names(*c))?;
    Some(format!("has {odd:?}, which no assembler reads in a name"))
}

/// Names stand before something of their section, or at its end; why this one does not.
fn misplaced(section: Section, value: u64, length: usize) -> Option<String> {
    match section {
        Section::Undefined => None,
        _ if value > length as u64 => {
            Some(format!("lies outside of its section, which has {length:#x} bytes"))
        }
        Section::Text if !value.is_multiple_of(4) => {
            Some(format!("is at byte {value:#x} of the code, whose instructions begin at multiples of four"))
        }
        _ => None,
    }
}

/// Whether an assembler reads it as part of a name.
pub(crate) fn is_in_names(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$')
}

fn symbols(file: &File<'_>, object: &CodeObject) -> Result<Vec<Symbol>, ReadError> {
    let place = |index: Option<object::SectionIndex>| {
        let section = index.and_then(|index| file.section_by_index(index).ok());
        match section.as_ref().and_then(|s| s.name().ok()) {
            Some(".text") => (Section::Text, object.text_address, object.text.len()),
            Some(".rodata") => (Section::Rodata, object.rodata_address, object.rodata.len()),
            _ => (Section::Undefined, 0, 0),
        }
    };
    let (mut all, mut names) = (Vec::new(), HashSet::new());
    for symbol in file.symbols() {
        let entry = symbol.index().0;
        let wrong = |why: String| ReadError { why, ..wrong_entry(file, ".symtab", entry) };
        let name = symbol.name().map_err(|e| wrong(e.to_string()))?;
        let index = symbol.section_index();
        if let Some(index) = index.filter(|index| file.section_by_index(*index).is_err()) {
            return Err(wrong(format!(
                "`{}` lies in section {index}, which is not there",
                name.escape_debug()
            )));
        }
        let (section, base, length) = place(index);
        let (kind, visibility) = match symbol.flags() {
            SymbolFlags::Elf { st_info, st_other } => (st_info.0 & 15, st_other.0 & 3),
            _ => (0, 0),
        };
        // What a linker adds for itself belongs to no section of ours.
        if name.is_empty() || section == Section::Undefined && !symbol.is_undefined() {
            continue;
        }
        let value = symbol.address().wrapping_sub(base);
        let why = unsaid(name).or_else(|| misplaced(section, value, length));
        let why = why.or_else(|| (!names.insert(name)).then(|| "names two symbols".to_owned()));
        if let Some(why) = why {
            return Err(wrong(format!("`{}` {why}", name.escape_debug())));
        }
        all.push(Symbol {
            name: name.to_owned(),
            section,
            value,
            size: symbol.size(),
            kind: match kind {
                1 => SymbolKind::Object,
                2 => SymbolKind::Function,
                _ => SymbolKind::None,
            },
            global: symbol.is_global(),
            visibility: match visibility {
                2 => Visibility::Hidden,
                3 => Visibility::Protected,
                _ => Visibility::Default,
            },
        });
    }
    Ok(all)
}

/// Sections by whose start places are told get symbols, which have their names.
fn add_sections(object: &mut CodeObject) {
    for r in &object.relocations {
        let Some(section) = section_named(&r.symbol) else { continue };
        if object.symbols.iter().any(|s| s.name == r.symbol) {
            continue;
        }
        let (name, kind, visibility) = (r.symbol.clone(), SymbolKind::Section, Visibility::Default);
        let section = Symbol { name, section, value: 0, size: 0, kind, global: false, visibility };
        object.symbols.insert(0, section);
    }
}

/// Something wrong with an entry of a table, whose entries have 24 bytes each.
fn wrong_entry(file: &File<'_>, part: &'static str, entry: usize) -> ReadError {
    let table = file.section_by_name(part).and_then(|table| table.file_range());
    ReadError { part, offset: table.map(|(at, _)| at + 24 * entry as u64), why: String::new() }
}

fn relocations(file: &File<'_>) -> Result<Vec<Relocation>, ReadError> {
    let mut all = Vec::new();
    let parts = [(".text", ".rela.text", Section::Text), (".rodata", ".rela.rodata", Section::Rodata)];
    for (name, table, place) in parts {
        let Some(section) = file.section_by_name(name) else { continue };
        for (n, (offset, relocation)) in section.relocations().enumerate() {
            let wrong = |why: String| ReadError { why, ..wrong_entry(file, table, n) };
            let RelocationTarget::Symbol(index) = relocation.target() else { continue };
            let symbol = file.symbol_by_index(index).map_err(|e| wrong(e.to_string()))?;
            let RelocationFlags::Elf { r_type } = relocation.flags() else { continue };
            let symbol = named(file, &symbol).map_err(|e| wrong(e.to_string()))?;
            if symbol.is_empty() {
                return Err(wrong("it is of a symbol without a name".to_owned()));
            }
            if let Some(why) = unsaid(&symbol) {
                return Err(wrong(format!("`{}` {why}", symbol.escape_debug())));
            }
            if offset >= section.size() {
                return Err(wrong(format!(
                    "byte {offset:#x} is not in {name}, which has {:#x}",
                    section.size()
                )));
            }
            all.push(Relocation {
                section: place,
                offset,
                kind: r_type.0,
                symbol,
                addend: relocation.addend(),
            });
        }
    }
    Ok(all)
}

/// The name of a symbol; a section has that of its header.
fn named(
    file: &File<'_>,
    symbol: &object::read::elf::ElfSymbol64<'_, '_, Endianness>,
) -> object::read::Result<String> {
    let own = match symbol.kind() {
        object::SymbolKind::Section => symbol.section_index().and_then(|i| file.section_by_index(i).ok()),
        _ => None,
    };
    own.map_or_else(|| symbol.name().map(str::to_owned), |own| own.name().map(str::to_owned))
}

/// Writes a relocatable code object.
///
/// # Errors
/// If a relocation names a symbol that is not there, or a part is too large for the format.
pub fn write(object: &CodeObject) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    let mut file = Relocatable::reserve(object, &mut bytes)?;
    file.contents()?;
    file.section_headers();
    Ok(bytes)
}

/// Symbols with their names in the string table, those of this object alone first. Sections have none there.
type Named<'a> = Vec<(&'a Symbol, Option<StringId>)>;

/// A relocatable file whose places are given out.
struct Relocatable<'a, 'b> {
    writer: Writer<'b>,
    object: &'a CodeObject,
    symbols: Named<'a>,
    parts: Vec<Part<'a>>,
    symtab: SectionIndex,
}

/// A section, and the relocations in it.
struct Part<'a> {
    name: StringId,
    index: SectionIndex,
    kind: elf::SectionType,
    flags: elf::SectionFlags,
    align: u64,
    data: &'a [u8],
    offset: u64,
    relocations: Option<(StringId, Vec<&'a Relocation>, u64)>,
}

impl<'a: 'b, 'b> Relocatable<'a, 'b> {
    fn reserve(object: &'a CodeObject, bytes: &'b mut Vec<u8>) -> Result<Relocatable<'a, 'b>, ReadError> {
        let mut writer = Writer::new(Endianness::Little, true, bytes);
        writer.reserve_file_header();
        writer.reserve_null_section_index();
        let code = elf::SectionFlags(elf::SHF_ALLOC.0 | elf::SHF_EXECINSTR.0);
        let mut parts = Vec::new();
        let mut add = |name: &'static str, rela: &'static str, kind, flags, align, data: &'a [u8], place| {
            let own = object.relocations.iter().filter(|r| Some(r.section) == place).collect::<Vec<_>>();
            let index = writer.reserve_section_index();
            let relocations = (!own.is_empty()).then(|| {
                writer.reserve_section_index();
                (writer.add_section_name(rela.as_bytes()), own, 0)
            });
            let name = writer.add_section_name(name.as_bytes());
            let offset = writer.reserve(data.len() as u64, align);
            parts.push(Part { name, index, kind, flags, align, data, offset, relocations });
        };
        add(".text", ".rela.text", elf::SHT_PROGBITS, code, 256, &object.text, Some(Section::Text));
        let has_names = object.symbols.iter().any(|s| s.section == Section::Rodata);
        if has_names || !object.rodata.is_empty() {
            let place = Some(Section::Rodata);
            add(".rodata", ".rela.rodata", elf::SHT_PROGBITS, elf::SHF_ALLOC, 64, &object.rodata, place);
        }
        if let Some(note) = &object.note {
            add(".note", "", elf::SHT_NOTE, elf::SHF_ALLOC, 4, note, None);
        }
        let (symbols, symtab) = reserve_symbols(object, &mut writer);
        for (_, own, offset) in parts.iter_mut().filter_map(|part| part.relocations.as_mut()) {
            *offset = writer.reserve_relocations(own.len(), true);
        }
        writer.reserve_strtab_section_index();
        writer.reserve_strtab().map_err(|e| wrong(".strtab", e))?;
        writer.reserve_shstrtab_section_index();
        writer.reserve_shstrtab().map_err(|e| wrong(".shstrtab", e))?;
        writer.reserve_section_headers();
        Ok(Relocatable { writer, object, symbols, parts, symtab })
    }

    fn contents(&mut self) -> Result<(), ReadError> {
        let header = FileHeader {
            os_abi: elf::OsAbi(OS_ABI),
            abi_version: self.object.version - (OLDEST - 1),
            e_type: elf::ET_REL,
            e_machine: elf::EM_AMDGPU,
            e_entry: 0,
            e_flags: elf::FileFlags(self.object.machine.into()),
        };
        self.writer.write_file_header(&header).map_err(|e| wrong("the ELF header", e))?;
        for part in &self.parts {
            self.writer.write_align(part.align);
            self.writer.write(part.data);
        }
        self.writer.write_null_symbol();
        for (symbol, name) in &self.symbols {
            let sym = self.sym(symbol, *name);
            self.writer.write_symbol(&sym);
        }
        for (_, own, _) in self.parts.iter().filter_map(|part| part.relocations.as_ref()) {
            self.writer.write_align_relocation();
            for r in own {
                let rel = rel(r, &self.symbols)?;
                self.writer.write_relocation(true, &rel);
            }
        }
        self.writer.write_strtab();
        self.writer.write_shstrtab();
        Ok(())
    }

    fn sym(&self, s: &Symbol, name: Option<StringId>) -> Sym {
        let at = match s.section {
            Section::Text => self.parts.first(),
            Section::Rodata => self.parts.get(1),
            Section::Undefined => None,
        };
        let kind = match s.kind {
            SymbolKind::None => 0,
            SymbolKind::Object => 1,
            SymbolKind::Function => 2,
            SymbolKind::Section => 3,
        };
        let visibility = match s.visibility {
            Visibility::Default => 0,
            Visibility::Hidden => 2,
            Visibility::Protected => 3,
        };
        Sym {
            section: at.map(|part| part.index.0),
            st_name: self.writer.string_offset(name),
            st_info: elf::SymbolInfo(u8::from(s.global) << 4 | kind),
            st_other: elf::SymbolOther(visibility),
            st_shndx: elf::SymbolSection(0),
            st_value: s.value,
            st_size: s.size,
        }
    }

    fn section_headers(&mut self) {
        self.writer.write_null_section_header();
        for part in &self.parts {
            self.writer.write_section_header(&SectionHeader {
                sh_name: self.writer.section_name_offset(Some(part.name)),
                sh_type: part.kind,
                sh_flags: part.flags,
                sh_addr: 0,
                sh_offset: part.offset,
                sh_size: part.data.len() as u64,
                sh_link: 0,
                sh_info: 0,
                sh_addralign: part.align,
                sh_entsize: 0,
            });
            if let Some((name, own, offset)) = &part.relocations {
                self.writer.write_relocation_section_header(
                    *name,
                    part.index,
                    self.symtab,
                    *offset,
                    own.len(),
                    true,
                );
            }
        }
        let own = self.symbols.iter().filter(|(s, _)| !s.global).count() as u32;
        self.writer.write_symtab_section_header(own + 1);
        self.writer.write_strtab_section_header();
        self.writer.write_shstrtab_section_header();
    }
}

fn reserve_symbols<'a: 'b, 'b>(object: &'a CodeObject, writer: &mut Writer<'b>) -> (Named<'a>, SectionIndex) {
    let mut symbols: Vec<&Symbol> = object.symbols.iter().collect();
    symbols.sort_by_key(|s| s.global);
    writer.reserve_null_symbol_index();
    let named = symbols.into_iter().map(|s| {
        writer.reserve_symbol_index(None);
        let is_named = s.kind != SymbolKind::Section;
        (s, is_named.then(|| writer.add_string(s.name.as_bytes())))
    });
    let named = named.collect();
    let symtab = writer.reserve_symtab_section_index();
    writer.reserve_symtab();
    (named, symtab)
}

fn rel(r: &Relocation, symbols: &Named<'_>) -> Result<Rel, ReadError> {
    let at = symbols.iter().position(|(s, _)| s.name == r.symbol);
    let at = at.ok_or_else(|| wrong("a relocation", format!("there is no symbol {}", r.symbol)))?;
    Ok(Rel {
        r_offset: r.offset,
        r_sym: at as u32 + 1,
        r_type: elf::RelocationType(r.kind),
        r_addend: r.addend,
    })
}
