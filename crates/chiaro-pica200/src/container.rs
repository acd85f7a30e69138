//! SHBIN files (DVLB, DVLP, DVLE): read, edit and write without loss.
//!
//! A file is content (these types) and a [`Layout`]: the order of its parts, the bytes between
//! them and the header words that nobody explains. [`Shbin::read`] takes both,
//! [`Shbin::write`] joins them again: an unmodified file comes out byte for byte, a modified one
//! is laid out anew in the same order. Every field is kept as it is in the file, however odd;
//! to judge it is the work of the checker.
//!
//! Two parts that overlap are refused, not kept: an edit of one would change the other behind
//! the user's back, and no known tool writes such files.
//!
//! Facts: spec section 18. \[3dbrew], \[picasso], \[nihstro]. Needs only the standard library.

use std::fmt;

pub mod commands;
mod constant;
mod edit;
mod error;
mod layout;
pub mod outmap;
mod part;
mod read;
mod register;
pub mod splice;
mod text;
mod write;

pub use constant::{ConstantValue, pack_float24, unpack_float24};
pub use error::{Problem, ReadError};
pub use layout::{Layout, Placed};
pub use part::Part;
pub use register::{ParseRegisterError, UniformRegister};
pub use text::ParseLayoutError;

/// Which unit a DVLE is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stage {
    /// Runs on all four units.
    Vertex,
    /// Runs on unit 3 behind the vertex program.
    Geometry,
    /// A type byte that no source explains; kept as it is.
    Other(u8),
}

/// A whole SHBIN file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shbin {
    /// The code and descriptors that all executables share.
    pub program: Dvlp,
    /// The executables, in the order of the DVLB table.
    pub executables: Vec<Dvle>,
    /// Where the parts stand in the file.
    pub layout: Layout,
}

impl Shbin {
    /// A new file in the layout of picasso.
    pub fn new(program: Dvlp, executables: Vec<Dvle>) -> Shbin {
        Shbin { program, executables, layout: Layout::picasso() }
    }
}

impl Stage {
    /// The type byte of the DVLE.
    pub fn byte(self) -> u8 {
        match self {
            Stage::Vertex => 0,
            Stage::Geometry => 1,
            Stage::Other(byte) => byte,
        }
    }

    /// The inverse of [`Stage::byte`].
    pub fn from_byte(byte: u8) -> Stage {
        match byte {
            0 => Stage::Vertex,
            1 => Stage::Geometry,
            other => Stage::Other(other),
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stage::Vertex => f.write_str("vertex"),
            Stage::Geometry => f.write_str("geometry"),
            Stage::Other(byte) => write!(f, "type {byte}"),
        }
    }
}

/// The program block.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Dvlp {
    /// Version word at 0x04.
    pub version: u32,
    /// Instructions, 32 bits each.
    pub code: Vec<u32>,
    /// Operand descriptors with their second word (0 from known assemblers).
    pub descriptors: Vec<[u32; 2]>,
    /// File name symbols at 0x20; empty from known assemblers.
    pub file_names: Vec<u8>,
}

/// One executable: an entry point with its interface.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dvle {
    /// Version at 0x04; picasso writes 0x1002, nihstro 0.
    pub version: u16,
    /// Unit that runs it.
    pub stage: Stage,
    /// Byte 0x07: 1 merges the vertex and geometry output maps.
    pub merge: u8,
    /// Entry point, in words.
    pub entry: u32,
    /// One past the entry procedure, in words.
    pub end: u32,
    /// Bit k: input vk is used.
    pub inputs: u16,
    /// Bit k: output ok is used.
    pub outputs_used: u16,
    /// Bytes 0x14-0x17: geometry mode, fixed mode's first c register, variable
    /// mode's full vertices, fixed mode's vertices.
    pub geometry: [u8; 4],
    /// Constants loaded with the program, in file order.
    pub constants: Vec<Constant>,
    /// Labels, in file order.
    pub labels: Vec<Label>,
    /// Output map entries, in file order.
    pub outputs: Vec<Output>,
    /// Named uniforms and inputs, in file order.
    pub uniforms: Vec<Uniform>,
    /// Zero-terminated names that labels and uniforms refer to by byte offset.
    pub symbols: Vec<u8>,
}

/// A constant entry (20 bytes): 18.4.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Constant {
    /// 0 bool, 1 integer vector, 2 float vector.
    pub kind: u16,
    /// Register within its bank.
    pub register: u16,
    /// The 16 payload bytes as four little-endian words.
    pub words: [u32; 4],
}

/// A label entry (16 bytes): 18.5.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Label {
    /// Identifier, 0 from nihstro.
    pub id: u16,
    /// Word 0x02, 1 in commercial files \[unknown].
    pub unknown: u16,
    /// Word offset in the code.
    pub offset: u32,
    /// Size in words; 0xFFFF_FFFF when none.
    pub size: u32,
    /// Byte offset of the name in the symbols.
    pub name: u32,
}

/// An output entry (8 bytes): 18.6.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Output {
    /// Property, see section 15.
    pub kind: u16,
    /// Output register.
    pub register: u16,
    /// Component mask, bit 0 is x.
    pub mask: u16,
    /// Word 0x06, 0 from picasso \[unknown].
    pub unknown: u16,
}

/// A uniform entry (8 bytes): 18.7; registers are numbered as in 18.8.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Uniform {
    /// Byte offset of the name in the symbols.
    pub name: u32,
    /// First register.
    pub first: u16,
    /// Last register, inclusive.
    pub last: u16,
}
