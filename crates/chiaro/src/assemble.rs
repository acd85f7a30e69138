//! Sources to a container.

use chiaro_diag::{Diagnostic, SourceMap};
use chiaro_pica200::asm;

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
        (Target::Pica200, Syntax::Usual) => picasso(sources, options),
        (Target::Pica200, Syntax::Nihcode) => {
            Err(vec![Diagnostic::error(None, "the nihcode assembler does not exist yet")])
        }
    }
}

fn picasso(sources: &SourceMap, options: AssembleOptions) -> Result<Assembled, Vec<Diagnostic>> {
    let source = |file| asm::Source { name: sources.name(file), text: sources.text(file), file };
    let files: Vec<_> = sources.ids().map(source).collect();
    let mode = if options.compat { asm::Mode::Picasso } else { asm::Mode::Strict };
    let made = asm::assemble(&files, &asm::Options { mode, no_nop: options.no_padding })?;
    Ok(Assembled { bytes: made.shbin.write(), header: Some(made.header), warnings: made.warnings })
}
