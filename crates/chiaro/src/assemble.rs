//! Sources to a container.

mod nihcode;
mod picasso;

use std::collections::BTreeMap;

use chiaro_diag::{Diagnostic, FileId, SourceMap, Span};
use chiaro_pica200::listing::exact::{self, Exact};
use chiaro_utgard::asm::{self, Fault};

use crate::Target;

/// A language that an assembler reads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Syntax {
    /// The one that the target's users have: picasso's for PICA200, chiaro's for Utgard GP.
    #[default]
    Usual,
    /// nihstro's language for PICA200.
    Nihcode,
}

/// How to assemble.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct AssembleOptions {
    /// The language of the sources.
    pub syntax: Syntax,
    /// Do exactly what the language's original tool does, its silent errors included.
    pub compat: bool,
    /// Insert no padding instructions.
    pub no_padding: bool,
    /// Where the program starts, in languages that do not say it themselves.
    pub entry: Option<String>,
    /// It is a geometry program, in languages that do not say it themselves.
    pub geometry: bool,
}

/// What comes out.
#[derive(Clone, Debug, Default)]
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
    /// What each word of the code came from, as far as that is known.
    pub spans: Vec<Span>,
    /// What is likely not what was meant.
    pub warnings: Vec<Diagnostic>,
}

/// Opens a file that a source includes, by its path. The error is a sentence without a full stop.
pub type Open<'a> = dyn FnMut(&str) -> Result<String, String> + 'a;

/// An [`Open`] for sources in one piece.
///
/// # Errors
/// Always.
pub fn no_files(_: &str) -> Result<String, String> {
    Err("other files cannot be read here".to_owned())
}

/// Assembles all files of a map, in their order, into one container. Files that they include
/// are opened and added to the map.
///
/// # Errors
/// Everything that is wrong with the sources, warnings included.
pub fn assemble(
    target: Target,
    sources: &mut SourceMap,
    options: &AssembleOptions,
    open: &mut Open<'_>,
) -> Result<Assembled, Vec<Diagnostic>> {
    match (target, options.syntax) {
        (Target::Pica200, _) if exact_listing(sources).is_some() => spelled_out(sources),
        (Target::Pica200, Syntax::Usual) => picasso::assemble(sources, options),
        (Target::Pica200, Syntax::Nihcode) => nihcode::assemble(sources, options, open),
        (Target::UtgardGp, _) => utgard(sources, options),
    }
}

/// A whole MBS1 file, or code alone.
fn utgard(sources: &SourceMap, options: &AssembleOptions) -> Result<Assembled, Vec<Diagnostic>> {
    let mut files = sources.ids();
    let file = files.next().unwrap_or_default();
    if let Some(other) = files.next() {
        let message = "a program of this target is one file";
        return Err(vec![Diagnostic::error(other.span(0..0), message)]);
    }
    if options.syntax != Syntax::Usual || options.compat {
        let message = "this target has one language, chiaro's own";
        return Err(vec![Diagnostic::error(None, message).help("leave out `--syntax` and `--compat`")]);
    }
    let told = |fault: Fault| Diagnostic::error(file.span(fault.place), fault.message);
    let made =
        asm::parse(sources.text(file)).map_err(|faults| faults.into_iter().map(told).collect::<Vec<_>>())?;
    Ok(Assembled {
        bytes: made.bytes,
        labels: made.labels,
        spans: made.places.into_iter().map(|place| file.span(place)).collect(),
        ..Assembled::default()
    })
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
    Ok(Assembled { bytes, table, ..Assembled::default() })
}

fn to_bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}
