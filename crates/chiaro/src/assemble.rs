//! Sources to a container.

use std::collections::BTreeMap;

use chiaro_diag::{Diagnostic, FileId, SourceMap};
use chiaro_pica200::asm;
use chiaro_pica200::exact::{self, Exact};

use crate::Target;

/// A language that an assembler reads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Syntax {
    /// The one that the target's users have: picasso's for PICA200.
    #[default]
    Usual,
    /// nihstro's language for PICA200.
    Nihcode,
}

/// How to assemble.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct AssembleOptions {
    /// The language of the sources.
    pub syntax: Syntax,
    /// Do exactly what the language's original tool does, its silent errors included.
    pub compat: bool,
    /// Insert no padding instructions.
    pub no_padding: bool,
}

/// What comes out.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Assembled {
    /// The container.
    pub bytes: Vec<u8>,
    /// A C header that tells the host program where the uniforms are, if the language has one.
    pub header: Option<String>,
    /// The operand descriptors of a listing without a container, where they have no other place.
    pub table: Option<Vec<u8>>,
    /// Places in the code by name, where the language has names for them.
    pub labels: BTreeMap<String, u32>,
    /// What is likely not what was meant.
    pub warnings: Vec<Diagnostic>,
}

/// Assembles all files of a map, in their order, into one container.
///
/// # Errors
/// Everything that is wrong with the sources, warnings included.
pub fn assemble(
    target: Target,
    sources: &SourceMap,
    options: AssembleOptions,
) -> Result<Assembled, Vec<Diagnostic>> {
    match (target, options.syntax) {
        (Target::Pica200, _) if exact_listing(sources).is_some() => spelled_out(sources),
        (Target::Pica200, Syntax::Usual) => {
            let made = picasso(sources, options)?;
            let (bytes, labels) = (made.shbin.write(), labels(&made));
            Ok(Assembled { bytes, header: Some(made.header), table: None, labels, warnings: made.warnings })
        }
        (Target::Pica200, Syntax::Nihcode) => {
            Err(vec![Diagnostic::error(None, "the nihcode assembler does not exist yet")])
        }
    }
}

pub(crate) fn picasso(
    sources: &SourceMap,
    options: AssembleOptions,
) -> Result<asm::Assembly, Vec<Diagnostic>> {
    let source = |file| asm::Source { name: sources.name(file), text: sources.text(file), file };
    let files: Vec<_> = sources.ids().map(source).collect();
    let mode = if options.compat { asm::Mode::Picasso } else { asm::Mode::Strict };
    asm::assemble(&files, &asm::Options { mode, no_nop: options.no_padding })
}

/// Procedures win over labels of the same name, the first file over the others.
fn labels(made: &asm::Assembly) -> BTreeMap<String, u32> {
    let labels = made.labels.iter().rev().map(|label| (label.name.clone(), label.address));
    labels.chain(made.procedures.iter().map(|procedure| (procedure.name.clone(), procedure.start))).collect()
}

/// The file of a run that is one exact listing.
fn exact_listing(sources: &SourceMap) -> Option<FileId> {
    sources.ids().find(|&file| exact::is_exact(sources.text(file)))
}

/// An exact listing is a whole container, so it stands alone.
fn spelled_out(sources: &SourceMap) -> Result<Assembled, Vec<Diagnostic>> {
    let file = exact_listing(sources).unwrap_or_default();
    if sources.ids().count() > 1 {
        let message = "an `.exact` listing is a whole container and cannot be linked with other files";
        return Err(vec![Diagnostic::error(file.span(0..".exact".len()), message)]);
    }
    let (bytes, table) = match exact::read(sources.text(file), file)? {
        Exact::Shbin(shbin) => (shbin.write(), None),
        Exact::Raw { code, descriptors } => {
            (to_bytes(&code), Some(to_bytes(&descriptors.iter().map(|entry| entry[0]).collect::<Vec<_>>())))
        }
    };
    Ok(Assembled { bytes, header: None, table, labels: BTreeMap::new(), warnings: Vec::new() })
}

fn to_bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}
