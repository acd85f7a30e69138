//! Metal archives and libraries: a universal binary, in it a Mach-O for the GPU, in whose sections stand
//! Mach-O files again (spec 15.3).

use object::macho::{FatArch32, MachHeader64};
use object::read::macho::{MachHeader, MachOFatFile, MachOFile64};
use object::{BigEndian, LittleEndian, Object, ObjectSection, ObjectSymbol};

use super::file::Stage;
use super::{CPU_TYPE, Error, MACH_O, Program, UNIVERSAL};

/// Sections that hold a Mach-O each.
const NESTED: [&str; 3] = ["__vertex", "__fragment", "__compute"];
/// The section with code.
const TEXT: &str = "__text";
/// A trap: code ends with them, and they fill it up.
const TRAP: [u8; 2] = [0x08, 0x00];
/// Files in a universal binary that are looked at.
const MOST_SLICES: u32 = 64;

/// The programs of an archive, of a library, or of a single Mach-O.
///
/// # Errors
/// What keeps the file from being read, and that there is no code for these GPUs in it.
pub fn programs(bytes: &[u8]) -> Result<Vec<Program>, Error> {
    let (start, size) = match UNIVERSAL.iter().any(|magic| bytes.starts_with(magic)) {
        true => slice(bytes)?,
        false => (0, bytes.len()),
    };
    let data = bytes.get(start..start.saturating_add(size));
    let data = data.ok_or_else(|| Error::new(start, "the file for the GPU goes beyond the end"))?;
    let mut found = Vec::new();
    collect(data, start, "", true, &mut found)?;
    match found.is_empty() {
        true => Err(Error::new(start, "there is no section with code")),
        false => Ok(found),
    }
}

/// Where the first file for an Apple GPU is. The header is the usual one of universal binaries but for its
/// magic number and the order of bytes, so it is turned into that.
fn slice(bytes: &[u8]) -> Result<(usize, usize), Error> {
    let swapped = bytes.starts_with(&UNIVERSAL[0]);
    let word = |at: usize| bytes.get(at..at + 4).and_then(|four| four.first_chunk::<4>()).copied();
    let big = |mut four: [u8; 4]| {
        if swapped {
            four.reverse();
        }
        four
    };
    let count = word(4).map(|four| u32::from_be_bytes(big(four)));
    let count = count.filter(|n| *n <= MOST_SLICES);
    let count =
        count.ok_or_else(|| Error::new(4, format!("a universal binary has {MOST_SLICES} files at most")))?;
    let mut header = 0xcafe_babe_u32.to_be_bytes().to_vec();
    for n in 1..2 + 5 * count as usize {
        let four = word(4 * n).ok_or_else(|| Error::new(4 * n, "the list of files is cut off"))?;
        header.extend(big(four));
    }
    let fat = MachOFatFile::<FatArch32>::parse(&header[..]).map_err(|e| Error::new(0, e.to_string()))?;
    let gpu = fat.arches().iter().find(|arch| arch.cputype.get(BigEndian).0 == CPU_TYPE);
    let gpu = gpu.ok_or_else(|| Error::new(8, "no file in it is for an Apple GPU"))?;
    Ok((gpu.offset.get(BigEndian) as usize, gpu.size.get(BigEndian) as usize))
}

/// The programs of a Mach-O that begins `start` bytes into the file; `outer` ones hold others.
fn collect(
    data: &[u8],
    start: usize,
    prefix: &str,
    outer: bool,
    found: &mut Vec<Program>,
) -> Result<(), Error> {
    let wrong = |e: object::Error| Error::new(start, e.to_string());
    if !data.starts_with(&MACH_O[..4]) {
        return Err(Error::new(start, "a Mach-O of 64 bits in little-endian order is wanted here"));
    }
    let header = MachHeader64::<LittleEndian>::parse(data, 0).map_err(wrong)?;
    let kind = header.cputype(LittleEndian).0;
    if outer && kind != CPU_TYPE {
        return Err(Error::new(start + 4, format!("CPU type {kind:#x}; {CPU_TYPE:#x} is an Apple GPU")));
    }
    let file = MachOFile64::<LittleEndian>::parse(data).map_err(wrong)?;
    for section in file.sections() {
        let name = section.name().unwrap_or_default();
        let Some((at, size)) = section.file_range() else { continue };
        let (at, end) = (at as usize, (at as usize).saturating_add(size as usize));
        let inner = data.get(at..end).ok_or_else(|| {
            Error::new(start.saturating_add(at), format!("section `{name}` goes beyond the end"))
        })?;
        if outer && NESTED.contains(&name) {
            collect(inner, start + at, name.trim_start_matches('_'), false, found)?;
        } else if name == TEXT {
            functions(&file, &section, inner, start + at, prefix, found);
        }
    }
    Ok(())
}

/// The functions of a section with code, by its symbols; without any it is one program.
fn functions(
    file: &MachOFile64<'_, LittleEndian>,
    section: &object::read::macho::MachOSection64<'_, '_, LittleEndian>,
    code: &[u8],
    start: usize,
    prefix: &str,
    found: &mut Vec<Program>,
) {
    let place = |address: u64| address.checked_sub(section.address()).map(|at| at as usize);
    let of_section = |symbol: &object::read::macho::MachOSymbol64<'_, '_, LittleEndian>| {
        symbol.section_index() == Some(section.index())
    };
    let symbols = file.symbols().filter(of_section);
    let mut starts: Vec<(usize, String)> = symbols
        .filter_map(|symbol| Some((place(symbol.address())?, symbol.name().ok()?.to_owned())))
        .filter(|(at, _)| *at < code.len())
        .collect();
    starts.sort();
    starts.dedup_by_key(|(at, _)| *at);
    if starts.is_empty() {
        starts.push((0, TEXT.trim_start_matches('_').to_owned()));
    }
    for (n, (first, name)) in starts.iter().enumerate() {
        let end = starts.get(n + 1).map_or(code.len(), |(next, _)| *next);
        let name = if prefix.is_empty() { name.clone() } else { format!("{prefix}: {name}") };
        let end = first + without_padding(&code[*first..end]).len();
        found.push(Program { stage: stage(prefix), ..Program::new(&name, start + first..start + end) });
    }
}

/// What the programs of a nested file are for: its section is named so.
fn stage(section: &str) -> Option<Stage> {
    Stage::NAMES.iter().find(|(name, _)| *name == section).map(|(_, stage)| *stage)
}

/// Code with the traps that belong to its end, and not those that fill it up.
fn without_padding(mut code: &[u8]) -> &[u8] {
    /// Traps that stand behind a stop.
    const KEPT: usize = 8;
    while code.len() > 2 * KEPT + 2 && code[code.len() - 2 * KEPT - 2..].chunks(2).all(|two| two == TRAP) {
        code = &code[..code.len() - 2];
    }
    code
}
