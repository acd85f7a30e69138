//! Captures of command streams. spec section 26.3.

use super::bytes::{text_at, u32_at};
use super::error::Error;

/// What a section holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SectionKind {
    /// Nothing.
    None,
    /// Name of the test.
    Test,
    /// Command line.
    Command,
    /// Address and size of the buffer that follows.
    Address,
    /// Unknown context.
    Context,
    /// Commands.
    Stream,
    /// Address of the commands.
    StreamAddress,
    /// Type, value and bits of a parameter.
    Parameter,
    /// End of a submission.
    Flush,
    /// A program binary.
    Program,
    /// Source of the vertex program.
    VertexSource,
    /// Source of the fragment program.
    FragmentSource,
    /// Contents of a buffer.
    Buffer,
    /// Number of the GPU.
    Gpu,
}

const KINDS: [SectionKind; 14] = [
    SectionKind::None,
    SectionKind::Test,
    SectionKind::Command,
    SectionKind::Address,
    SectionKind::Context,
    SectionKind::Stream,
    SectionKind::StreamAddress,
    SectionKind::Parameter,
    SectionKind::Flush,
    SectionKind::Program,
    SectionKind::VertexSource,
    SectionKind::FragmentSource,
    SectionKind::Buffer,
    SectionKind::Gpu,
];

/// A section.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Section<'a> {
    /// Byte of the file at which its payload begins.
    pub offset: usize,
    /// What it holds.
    pub kind: SectionKind,
    /// The payload.
    pub data: &'a [u8],
}

impl Section<'_> {
    /// The payload as text.
    pub fn text(&self) -> String {
        text_at(self.data, 0).unwrap_or_default()
    }

    /// The payload as a dword.
    pub fn number(&self) -> Option<u32> {
        u32_at(self.data, 0)
    }
}

/// Whether bytes begin with a whole section: also a capture that is cut off is one.
#[must_use]
pub fn has_section(data: &[u8]) -> bool {
    let (kind, size) = (u32_at(data, 0), u32_at(data, 4));
    let is_known = kind.is_some_and(|kind| (kind as usize) < KINDS.len());
    is_known && size.is_some_and(|size| data.len() - 8 >= size as usize)
}

/// The sections of a capture that is not compressed.
///
/// # Errors
/// Where a section has no kind of the list or runs past the end.
pub fn sections(data: &[u8]) -> Result<Vec<Section<'_>>, Error> {
    let (mut found, mut at) = (Vec::new(), 0);
    while at < data.len() {
        let (Some(kind), Some(size)) = (u32_at(data, at), u32_at(data, at + 4)) else {
            return Err(Error::new(at, "the capture ends inside the head of a section"));
        };
        let Some(kind) = KINDS.get(kind as usize).copied() else {
            return Err(Error::new(at, format!("no section is of kind {kind}")));
        };
        let offset = at + 8;
        let Some(payload) = data.get(offset..offset + size as usize) else {
            let left = data.len() - offset;
            return Err(Error::new(at, format!("a section of {size} bytes has only {left}")));
        };
        found.push(Section { offset, kind, data: payload });
        at = offset + size as usize;
    }
    Ok(found)
}
