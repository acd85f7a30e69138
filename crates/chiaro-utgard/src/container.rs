//! MBS1, the container of Mali's offline compilers: a tree of tagged chunks.
//!
//! Reading keeps everything: a chunk becomes typed where its typed form writes the same bytes
//! again, and stays raw bytes else, so that an unedited file is written back byte for byte.
//! spec section 16.

mod read;
mod write;

use crate::isa::word::Word;

/// A file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mbs {
    /// Stage and core: the tag of the chunk inside, and its first number.
    pub core: Core,
    /// What the core's chunk holds, in order.
    pub chunks: Vec<Chunk>,
    /// Bytes behind the file's outermost chunk.
    pub behind: Vec<u8>,
}

/// For which processor the code is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Core {
    /// `CVER`: vertex; 2 is Mali-200's GP2, 6 the GP of Mali-400.
    Vertex(u32),
    /// `CFRA`: fragment; 5 is Mali-200, 7 Mali-400's PP.
    Fragment(u32),
}

/// A chunk within the core's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Chunk {
    /// `FINS`: facts about a vertex program.
    Instructions {
        /// Zero in all known files.
        unknown: u32,
        /// How many.
        count: u32,
        /// Where the last attribute is loaded: its number, or one more. [unknown]
        prefetch: u32,
    },
    /// `SUNI`, `SATT`, `SVAR`: names with their places.
    Symbols(Symbols),
    /// `DBIN`: the code.
    Code(Vec<u8>),
    /// Anything else, or something that is not built as expected.
    Raw {
        /// Its tag.
        tag: [u8; 4],
        /// Its payload.
        bytes: Vec<u8>,
    },
}

/// Which names a table holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Table {
    /// `SUNI`.
    Uniforms,
    /// `SATT`.
    Attributes,
    /// `SVAR`: outputs of the vertex program, inputs of the fragment program.
    Varyings,
}

/// A table of names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbols {
    /// Which.
    pub table: Table,
    /// Floats of the uniform area; uniforms only.
    pub size: u32,
    /// The names.
    pub list: Vec<Symbol>,
}

/// A name with its place: lengths and offsets count floats.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Symbol {
    /// The name.
    pub name: String,
    /// 1 float, 2 int, 3 bool, 4 matrix, 5 sampler2D, 6 samplerCube, 8 struct, 9 external.
    pub kind: u8,
    /// Components of a vector or of a matrix' column; members of a structure.
    pub components: u16,
    /// Size of one element.
    pub size: u16,
    /// Elements of an array; 0 for none.
    pub entries: u16,
    /// From element to element.
    pub stride: u16,
    /// 0x10; 0x18 for varyings that are texture coordinates as they are.
    pub flags: u8,
    /// 1 low, 2 medium, 3 high.
    pub precision: u8,
    /// Whether it is invariant; of attributes only the low half is kept.
    pub invariant: u32,
    /// From the start of the area; 0xffff for a varying that nothing uses.
    pub offset: u16,
    /// The symbol of the structure around it, 0xffff for none; attributes have none.
    pub parent: u16,
    /// The three words of newer compilers' `VIDX`: `ITDR`, `IYUV`, `IGRD`.
    pub index: Option<[u32; 3]>,
    /// Initial values of a constant, as bits.
    pub init: Option<Vec<u32>>,
}

/// A number of a symbol's record: its name, how to get it, how to set it.
type NumberField = (&'static str, fn(&Symbol) -> u32, fn(&mut Symbol, u32));

impl Symbol {
    /// The numbers of a record, in the order of the listing.
    pub(crate) const NUMBERS: [NumberField; 10] = [
        ("kind", |s| s.kind.into(), |s, n| s.kind = n as u8),
        ("components", |s| s.components.into(), |s, n| s.components = n as u16),
        ("size", |s| s.size.into(), |s, n| s.size = n as u16),
        ("entries", |s| s.entries.into(), |s, n| s.entries = n as u16),
        ("stride", |s| s.stride.into(), |s, n| s.stride = n as u16),
        ("flags", |s| s.flags.into(), |s, n| s.flags = n as u8),
        ("precision", |s| s.precision.into(), |s, n| s.precision = n as u8),
        ("invariant", |s| s.invariant, |s, n| s.invariant = n),
        ("offset", |s| s.offset.into(), |s, n| s.offset = n as u16),
        ("parent", |s| s.parent.into(), |s, n| s.parent = n as u16),
    ];
}

/// Why bytes are no MBS1 file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Malformed {
    /// Byte of the file.
    pub at: usize,
    /// What is wrong there.
    pub reason: &'static str,
}

impl std::fmt::Display for Malformed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "byte {:#x}: {}", self.at, self.reason)
    }
}

impl std::error::Error for Malformed {}

impl Mbs {
    /// Whether the bytes begin as such a file does.
    #[must_use]
    pub fn is(bytes: &[u8]) -> bool {
        bytes.starts_with(b"MBS1")
    }

    /// Reads a file.
    ///
    /// # Errors
    /// The first byte at which the outer chunks are not as they should be.
    pub fn read(bytes: &[u8]) -> Result<Mbs, Malformed> {
        read::file(bytes)
    }

    /// The bytes of the file.
    #[must_use]
    pub fn write(&self) -> Vec<u8> {
        write::file(self)
    }

    /// The smallest file that tools accept: code alone, for the GP of Mali-400.
    #[must_use]
    pub fn of_code(program: &[Word]) -> Mbs {
        let code: Vec<u8> = program.iter().flat_map(|word| word.to_bytes()).collect();
        Mbs::of_bytes(&code)
    }

    /// The same of the code's bytes.
    #[must_use]
    pub fn of_bytes(code: &[u8]) -> Mbs {
        Mbs { core: Core::Vertex(6), chunks: vec![Chunk::Code(code.to_vec())], behind: Vec::new() }
    }

    /// The code's bytes; empty without any.
    #[must_use]
    pub fn code(&self) -> &[u8] {
        let code = |chunk: &'_ Chunk| matches!(chunk, Chunk::Code(_));
        match self.chunks.iter().find(|c| code(c)) {
            Some(Chunk::Code(bytes)) => bytes,
            _ => &[],
        }
    }

    /// The instructions of a vertex program; what is left behind the last whole one is dropped.
    #[must_use]
    pub fn program(&self) -> Vec<Word> {
        let (words, _) = self.code().as_chunks();
        words.iter().map(|&bytes| Word::load(bytes)).collect()
    }

    /// A table of names.
    #[must_use]
    pub fn symbols(&self, table: Table) -> &[Symbol] {
        let found = self.chunks.iter().find_map(|chunk| match chunk {
            Chunk::Symbols(symbols) if symbols.table == table => Some(&symbols.list[..]),
            _ => None,
        });
        found.unwrap_or_default()
    }
}
