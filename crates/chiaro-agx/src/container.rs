//! Files that hold code: ours, kernels of Mesa's device library, Metal's archives and libraries
//! (spec 15.2, 15.3).
//!
//! | module | is |
//! |---|---|
//! | this one | which file it is, and the programs in it |
//! | [`file`] | our own format, both directions |
//! | [`kernel`] | compiled units behind the 44-byte header, both directions |
//! | `member` | members of buffers by name |
//! | [`launch`] | what a driver writes to launch the program of a file |
//! | `metal` | universal and nested Mach-O, for reading (feature `metal`) |
//! | `stored` | how numbers, texts and lists of our format are stored |
//! | `uniforms` | what every half of the uniforms holds |
//! | [`varyings`] | the words of vertices that coefficient registers come from |

pub mod file;
pub mod kernel;
pub mod launch;
mod member;
#[cfg(feature = "metal")]
pub mod metal;
mod stored;
mod uniforms;
pub mod varyings;

use std::fmt;
use std::ops::Range;

use file::{File, Stage};
use kernel::Kernel;

/// Why a file cannot be read, with the place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    /// Bytes from the start of the file.
    pub offset: usize,
    /// What is wrong there.
    pub message: String,
}

impl Error {
    pub(crate) fn new(offset: usize, message: impl Into<String>) -> Error {
        Error { offset, message: message.into() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {:#x}: {}", self.offset, self.message)
    }
}

/// What bytes are.
#[derive(Clone, Debug)]
pub enum Contents {
    /// Our own format.
    File(Box<File>),
    /// A kernel of Mesa's device library.
    Kernel(Kernel),
    /// A Metal archive or library: where its programs are.
    Metal(Vec<Program>),
    /// Code and nothing else.
    Code,
}

/// A program in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// What it is called there.
    pub name: String,
    /// Where it is in the file.
    pub bytes: Range<usize>,
    /// What it is for, where the file says it.
    pub stage: Option<Stage>,
    /// Halves of general registers that it is launched with, where the file says it.
    pub halves: Option<u16>,
}

/// How the names of preambles end in Metal's files.
const CONSTANT_PROGRAM: &str = ".constant_program";

impl Program {
    /// A program of which nothing more is known.
    #[must_use]
    pub fn new(name: &str, bytes: Range<usize>) -> Program {
        Program { name: name.to_owned(), bytes, stage: None, halves: None }
    }

    /// Whether it runs once before another one.
    #[must_use]
    pub fn is_preamble(&self) -> bool {
        self.name == "preamble" || self.name.ends_with(CONSTANT_PROGRAM)
    }

    /// Whether it is the program of a name, or runs before it.
    #[must_use]
    pub fn belongs_to(&self, name: &str) -> bool {
        self.name == "preamble" || self.name.strip_suffix(CONSTANT_PROGRAM).unwrap_or(&self.name) == name
    }
}

/// The CPU type of Apple's GPUs in Mach-O (spec 15.3).
pub const CPU_TYPE: u32 = 0x0100_0013;
/// How a universal binary of GPU code begins: 0xcbfebabe as a little-endian word, or swapped.
pub const UNIVERSAL: [[u8; 4]; 2] = [[0xbe, 0xba, 0xfe, 0xcb], [0xcb, 0xfe, 0xba, 0xbe]];
/// How a Mach-O of a GPU begins: 64 bits, little-endian, the CPU type.
pub const MACH_O: [u8; 8] = [0xcf, 0xfa, 0xed, 0xfe, 0x13, 0, 0, 1];

/// Whether bytes are a container by their magic number.
#[must_use]
pub fn is_container(bytes: &[u8]) -> bool {
    bytes.starts_with(file::MAGIC)
        || bytes.starts_with(&MACH_O)
        || UNIVERSAL.iter().any(|magic| bytes.starts_with(magic))
}

/// Whether bytes are a container: by a magic number, or as a kernel that agrees with itself, be its end missing.
#[must_use]
pub fn is_known(bytes: &[u8]) -> bool {
    is_container(bytes) || Kernel::begins(bytes)
}

/// Tells files apart. Kernels have no magic number: they are what agrees with itself in every field.
///
/// # Errors
/// A container that cannot be read.
pub fn open(bytes: &[u8]) -> Result<Contents, Error> {
    if bytes.starts_with(file::MAGIC) {
        return File::read(bytes).map(|file| Contents::File(Box::new(file)));
    }
    if is_container(bytes) {
        return metal_programs(bytes).map(Contents::Metal);
    }
    Ok(Kernel::read(bytes)?.map_or(Contents::Code, Contents::Kernel))
}

#[cfg(feature = "metal")]
fn metal_programs(bytes: &[u8]) -> Result<Vec<Program>, Error> {
    metal::programs(bytes)
}

#[cfg(not(feature = "metal"))]
fn metal_programs(_: &[u8]) -> Result<Vec<Program>, Error> {
    Err(Error::new(0, "Mach-O files are not read by this build"))
}

/// The programs of a file.
///
/// # Errors
/// As [`open`].
pub fn programs(bytes: &[u8]) -> Result<Vec<Program>, Error> {
    Ok(match open(bytes)? {
        Contents::File(file) => file.programs(),
        Contents::Kernel(kernel) => kernel.programs(),
        Contents::Metal(programs) => programs,
        Contents::Code => vec![Program::new("code", 0..bytes.len())],
    })
}
