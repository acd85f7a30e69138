//! What can be seen of a text without compiling it: its names and where they are used, its tokens, its
//! regions. Texts may be wrong or unfinished.

mod assembly;
mod glsl;
mod marks;
mod wgsl;

use std::ops::Range;

pub(crate) use assembly::mnemonic;

use chiaro_glsl::source::Version;

use crate::{Document, Language};

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Kind {
    Function,
    Parameter,
    Variable,
    /// What the host gives or takes: uniforms, inputs, outputs.
    Interface,
    Constant,
    Type,
    Member,
    Block,
    Macro,
    Label,
    Register,
}

/// A name that a text declares.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// The name.
    pub text: String,
    /// What it stands for.
    pub kind: Kind,
    /// Its declarations: of a register, where it is written.
    pub declared: Vec<Range<usize>>,
    /// All that belongs to the first declaration.
    pub whole: Range<usize>,
    /// Where it can be used.
    pub scope: Range<usize>,
    /// How it is declared.
    pub written: Vec<String>,
    /// The name that it belongs to.
    pub within: Option<usize>,
}

/// What a token is, for colours.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Token {
    Comment,
    Keyword,
    Type,
    Number,
    Text,
    Directive,
    Instruction,
    /// A name of the text.
    Name(Kind),
}

/// What can be seen of a text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outline {
    /// Names in the order of their declarations.
    pub names: Vec<Name>,
    /// Places with the number of the name, declarations included, in the order of the text.
    pub uses: Vec<(Range<usize>, usize)>,
    /// Tokens in the order of the text, as far as they have a colour.
    pub tokens: Vec<(Range<usize>, Token)>,
    /// Regions that can be folded, in lines from the first to the last.
    pub folds: Vec<(usize, usize)>,
    /// The version of GLSL and the extensions that are on, which decide what the language brings.
    pub dialect: Option<(Version, Vec<String>)>,
}

impl Outline {
    /// What can be seen of a document; nothing of a language that is not known here.
    #[must_use]
    pub fn of(document: &Document) -> Outline {
        let mut outline = match document.readable() {
            None => return Outline::default(),
            Some(Language::Glsl(stage)) => glsl::outline(document, *stage),
            Some(Language::Wgsl) => wgsl::outline(document),
            Some(Language::Assembly(target, dialect)) => assembly::outline(document, *target, dialect),
        };
        outline.uses.sort_by_key(|(place, name)| (place.start, place.end, *name));
        outline.uses.dedup();
        outline.folds.sort_unstable();
        outline.folds.dedup();
        marks::colour(&mut outline);
        outline
    }

    /// The name at a byte of the text, and its place there.
    #[must_use]
    pub fn at(&self, byte: usize) -> Option<(&Range<usize>, &Name)> {
        let (place, name) = self.use_at(byte)?;
        Some((place, self.names.get(name)?))
    }

    /// The use at a byte, and the number of its name.
    #[must_use]
    pub fn use_at(&self, byte: usize) -> Option<(&Range<usize>, usize)> {
        let behind = self.uses.partition_point(|(place, _)| place.start <= byte);
        let (place, name) = self.uses.get(behind.checked_sub(1)?)?;
        (byte <= place.end).then_some((place, *name))
    }

    /// All places of a name.
    pub fn uses_of(&self, number: usize) -> impl Iterator<Item = &Range<usize>> {
        self.uses.iter().filter(move |(_, name)| *name == number).map(|(place, _)| place)
    }

    /// Names that can be used at a byte, inner ones first.
    #[must_use]
    pub fn visible(&self, byte: usize) -> Vec<&Name> {
        let here = |name: &&Name| name.scope.contains(&byte) || name.scope.end == byte;
        let mut all: Vec<&Name> = self.names.iter().filter(here).collect();
        all.sort_by_key(|name| name.scope.len());
        all
    }
}
