//! The vendor's program binaries, in both formats, as far as they are known: the
//! instructions and constants of each program, and the names of what they read.
//! spec sections 26.4 and 26.5.

use super::bytes::{text_at, u32_at};
use super::error::Error;

/// The dword that ends a section of the first format.
pub const END_OF_SECTION: u32 = 0xba5e_ba11;
/// The first dword of the second format.
pub const SECOND_FORMAT: u32 = 0xb10b_cace;

/// A program.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Stage {
    /// `vertex`, `binning` or `fragment`.
    pub name: &'static str,
    /// Its instructions.
    pub words: Vec<u64>,
    /// Constant number as vec4 with its four values, or one value with its component.
    pub constants: Vec<(u32, Vec<u32>)>,
}

/// A variable by name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// `attribute`, `uniform`, `sampler`, `varying`, `output` or `block`.
    pub kind: &'static str,
    /// Its GL type, an enumerant.
    pub gl_type: u32,
    /// Register, constant or index, as the section gives it.
    pub place: u32,
    /// The name in the source.
    pub name: String,
}

/// A program binary.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Binary {
    /// Revision of the first format; 0 in the second.
    pub revision: u32,
    /// The variables.
    pub variables: Vec<Variable>,
    /// The programs.
    pub stages: Vec<Stage>,
}

/// Reads a binary of either format.
///
/// # Errors
/// Where a part that the header announces is missing.
pub fn read(data: &[u8]) -> Result<Binary, Error> {
    match u32_at(data, 0) {
        Some(SECOND_FORMAT) => second(data),
        Some(_) => First::new(data).read(),
        None => Err(Error::new(0, "the binary has no header")),
    }
}

/// A reader of the first format: sections one after another, ended by a marker anywhere.
struct First<'a> {
    data: &'a [u8],
    at: usize,
}

/// Sizes of a program's header, by revision from which it holds.
const VERTEX_HEADER: [(u32, usize); 3] = [(11, 160), (7, 156), (0, 152)];
const FRAGMENT_HEADER: [(u32, usize); 4] = [(11, 256), (8, 208), (7, 204), (0, 200)];

impl<'a> First<'a> {
    fn new(data: &'a [u8]) -> First<'a> {
        First { data, at: 0 }
    }

    /// The next section and where it begins.
    fn section(&mut self, what: &str) -> Result<(usize, &'a [u8]), Error> {
        let marker = END_OF_SECTION.to_le_bytes();
        let start = self.at;
        let rest = self.data.get(start..).unwrap_or_default();
        let Some(length) = rest.windows(4).position(|w| w == marker) else {
            return Err(Error::new(start, format!("the {what} is missing or has no end")));
        };
        self.at = start + length + 4;
        Ok((start, &rest[..length]))
    }

    fn read(mut self) -> Result<Binary, Error> {
        let (start, header) = self.section("header")?;
        let field =
            |n: usize| u32_at(header, n * 4).ok_or_else(|| Error::new(start, "the header is too short"));
        let revision = field(3)?;
        let counts = [field(9)?, field(10)?, field(11)?, field(12)?, field(13)?];
        let mut binary = Binary { revision, ..Binary::default() };
        // A further section follows, mostly empty.
        self.section("section behind the header")?;
        self.variables("attribute", counts[0], 28, 1, 0, &mut binary)?;
        self.uniforms(counts[1], &mut binary)?;
        self.variables("sampler", counts[2], 32, 6, u32::from(revision >= 7), &mut binary)?;
        self.variables("varying", counts[3], 16, 3, u32::from(revision >= 14), &mut binary)?;
        if revision >= 7 {
            self.variables("output", 1, 32, 1, 0, &mut binary)?;
        }
        self.blocks(counts[4], &mut binary)?;
        for name in ["vertex", "binning"] {
            let size = size_of(&VERTEX_HEADER, revision);
            binary.stages.push(self.stage(name, size, 32, revision)?);
        }
        let prefix = if revision >= 7 { 44 } else { 32 };
        let size = size_of(&FRAGMENT_HEADER, revision);
        binary.stages.push(self.stage("fragment", size, prefix, revision)?);
        Ok(binary)
    }

    /// The next section whose second byte says that it describes a variable.
    fn described(&mut self, what: &str) -> Result<(usize, &'a [u8]), Error> {
        loop {
            let (start, section) = self.section(what)?;
            if matches!(section.get(1), Some(0x8b | 0x8d | 0x14 | 0x01)) {
                return Ok((start, section));
            }
        }
    }

    fn variables(
        &mut self,
        kind: &'static str,
        count: u32,
        name: usize,
        place: usize,
        extra: u32,
        binary: &mut Binary,
    ) -> Result<(), Error> {
        for _ in 0..count {
            let (start, section) = self.described(kind)?;
            binary.variables.push(variable(kind, start, section, name, place)?);
        }
        for _ in 0..count * extra {
            self.section(kind)?;
        }
        Ok(())
    }

    /// Uniforms come in two lengths: the longer has a zero before its name.
    fn uniforms(&mut self, count: u32, binary: &mut Binary) -> Result<(), Error> {
        for _ in 0..count {
            let (start, section) = self.described("uniform")?;
            let name = if u32_at(section, 40) == Some(0) { 52 } else { 40 };
            binary.variables.push(variable("uniform", start, section, name, 6)?);
        }
        Ok(())
    }

    /// Blocks, each with its members twice.
    fn blocks(&mut self, count: u32, binary: &mut Binary) -> Result<(), Error> {
        for _ in 0..count {
            let (start, section) = self.described("uniform block")?;
            binary.variables.push(variable("block", start, section, 40, 1)?);
            let members = u32_at(section, 20).unwrap_or(0);
            for _ in 0..members.min(1 << 16) * 2 {
                self.section("member of a uniform block")?;
            }
        }
        Ok(())
    }

    /// A program: its instructions are in the header's section or in one of their own.
    fn stage(
        &mut self,
        name: &'static str,
        header: usize,
        prefix: usize,
        revision: u32,
    ) -> Result<Stage, Error> {
        let mut stage = Stage { name, ..Stage::default() };
        let (start, section) = self.section(name)?;
        if section.len() < header {
            return Err(Error::new(start, format!("the header of the {name} program is cut off")));
        }
        if section.len() > header {
            stage.words = whole_words(&section[header..]);
            return Ok(stage);
        }
        loop {
            let (start, section) = self.section("instructions")?;
            if !matches!(section.len(), 32 | 44) {
                let code =
                    section.get(prefix..).ok_or_else(|| Error::new(start, "the instructions are cut off"))?;
                // The start is aligned so that the tail is whole words.
                let skip = if revision >= 7 { code.len() % 8 } else { 0 };
                stage.words = whole_words(&code[skip..]);
                return Ok(stage);
            }
            let first = section.len() - 16;
            let values = (0..4).filter_map(|i| u32_at(section, first + i * 4)).collect();
            stage.constants.push((u32_at(section, first - 4).unwrap_or(0), values));
        }
    }
}

fn size_of(sizes: &[(u32, usize)], revision: u32) -> usize {
    sizes.iter().find(|(from, _)| revision >= *from).map_or(0, |(_, size)| *size)
}

fn variable(
    kind: &'static str,
    start: usize,
    section: &[u8],
    name: usize,
    place: usize,
) -> Result<Variable, Error> {
    let cut = || Error::new(start, format!("a {kind} is cut off"));
    let name = text_at(section, name).ok_or_else(cut)?;
    let gl_type = u32_at(section, 0).ok_or_else(cut)?;
    Ok(Variable { kind, gl_type, place: u32_at(section, place * 4).ok_or_else(cut)?, name })
}

fn whole_words(data: &[u8]) -> Vec<u64> {
    data.as_chunks::<8>().0.iter().map(|c| u64::from_le_bytes(*c)).collect()
}

/// Where the second format keeps the offsets of its programs.
const SECOND_STAGES: [(&str, usize); 3] = [("fragment", 0x54), ("vertex", 0x94), ("binning", 0x114)];

fn second(data: &[u8]) -> Result<Binary, Error> {
    let mut binary = Binary::default();
    for (name, at) in SECOND_STAGES {
        let Some(offset) = u32_at(data, at) else {
            return Err(Error::new(at, "the header is too short"));
        };
        if offset != 0 {
            binary.stages.push(second_stage(data, name, offset as usize, &mut binary.variables)?);
        }
    }
    Ok(binary)
}

fn second_stage(
    data: &[u8],
    name: &'static str,
    info: usize,
    variables: &mut Vec<Variable>,
) -> Result<Stage, Error> {
    let cut = || Error::new(info, format!("the description of the {name} program is cut off"));
    let count = info.checked_add(24).and_then(|at| u32_at(data, at)).ok_or_else(cut)?;
    let mut stage = Stage { name, ..Stage::default() };
    for n in 0..(count as usize).min(data.len() / 20) {
        let at = info + 40 + n * 20;
        let field = |k: usize| u32_at(data, at + k * 4).map(|x| x as usize).ok_or_else(cut);
        let (kind, offset, size) = (field(0)?, field(1)?, field(2)?);
        let start = info.checked_add(offset).ok_or_else(cut)?;
        let block = start.checked_add(size).and_then(|end| data.get(start..end)).ok_or_else(cut)?;
        match kind {
            2 | 3 => entries(if kind == 2 { "attribute" } else { "output" }, block, variables),
            6 => stage.constants.extend(constants(block)),
            10 => stage.words = whole_words(block),
            _ => {}
        }
    }
    Ok(stage)
}

/// Inputs and outputs: a name of 20 bytes and 37 dwords each.
fn entries(kind: &'static str, block: &[u8], variables: &mut Vec<Variable>) {
    for entry in block.chunks_exact(20 + 37 * 4) {
        let name = text_at(&entry[..20], 0).unwrap_or_default();
        let place = u32_at(entry, 20).unwrap_or(0);
        variables.push(Variable { kind, gl_type: 0, place, name });
    }
}

/// Constants: a value, and behind three more dwords the component that holds it.
fn constants(block: &[u8]) -> Vec<(u32, Vec<u32>)> {
    let entry = |c: &[u8]| Some((u32_at(c, 16)?, vec![u32_at(c, 0)?]));
    block.chunks_exact(40).filter_map(entry).collect()
}
