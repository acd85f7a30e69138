//! The parts of a file, and what its headers claim of them.

use Part::*;
use std::fmt;

/// One contiguous piece of the file that a header field points to, or a header.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Part {
    /// The file header with the table of executables.
    Dvlb,
    /// The header of the program block.
    Dvlp,
    /// Instructions.
    Code,
    /// Operand descriptors.
    Descriptors,
    /// File name symbols.
    FileNames,
    /// Header of executable n.
    Dvle(usize),
    /// Constants of executable n.
    Constants(usize),
    /// Labels of executable n.
    Labels(usize),
    /// Output map entries of executable n.
    Outputs(usize),
    /// Uniform table of executable n.
    Uniforms(usize),
    /// Symbols of executable n.
    Symbols(usize),
}

impl Part {
    /// The executable that the part belongs to; `None` for the program and the file header.
    pub fn executable(self) -> Option<usize> {
        match self {
            Dvlb | Dvlp | Code | Descriptors | FileNames => None,
            Dvle(n) | Constants(n) | Labels(n) | Outputs(n) | Uniforms(n) | Symbols(n) => Some(n),
        }
    }

    /// Bytes of one item: a word, an entry, or a byte of a header or of symbols.
    pub fn unit(self) -> usize {
        match self {
            Code => 4,
            Descriptors | Outputs(_) | Uniforms(_) => 8,
            Labels(_) => 16,
            Constants(_) => 20,
            Dvlb | Dvlp | Dvle(_) | FileNames | Symbols(_) => 1,
        }
    }

    /// What its items are called.
    pub(super) fn items(self) -> &'static str {
        match self {
            Code => "words",
            _ if self.unit() == 1 => "bytes",
            _ => "entries",
        }
    }

    /// Whether its size may be something else than a multiple of four.
    pub(super) fn is_text(self) -> bool {
        matches!(self, FileNames | Symbols(_))
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Dvlb => f.write_str("DVLB"),
            Dvlp => f.write_str("DVLP"),
            Code => f.write_str("DVLP: code"),
            Descriptors => f.write_str("DVLP: descriptor table"),
            FileNames => f.write_str("DVLP: file names"),
            Dvle(n) => write!(f, "DVLE {n}"),
            Constants(n) => write!(f, "DVLE {n}: constant table"),
            Labels(n) => write!(f, "DVLE {n}: label table"),
            Outputs(n) => write!(f, "DVLE {n}: output table"),
            Uniforms(n) => write!(f, "DVLE {n}: uniform table"),
            Symbols(n) => write!(f, "DVLE {n}: symbols"),
        }
    }
}

/// What a header says about a part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Claim {
    pub(super) part: Part,
    /// Byte offset of the field that says so.
    pub(super) field: usize,
    /// The offset field's value.
    pub(super) value: u32,
    /// First byte of the part.
    pub(super) start: u64,
    /// First byte behind the header that speaks; its parts lie there or later.
    pub(super) body: u64,
    /// Items of [`Part::unit`] bytes.
    pub(super) count: u32,
}

impl Claim {
    /// One past the last byte.
    pub(super) fn end(&self) -> u64 {
        self.start + u64::from(self.count) * self.part.unit() as u64
    }
}
