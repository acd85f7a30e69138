//! GLSL: names from the front end's tree.

use std::collections::HashMap;
use std::sync::LazyLock;

use chiaro_diag::SourceMap;
use chiaro_glsl::names::{NameKind, names};
use chiaro_glsl::source::{Options, Stage};
use chiaro_glsl::vocabulary::all_words;

use super::marks::of_c;
use super::{Kind, Name, Outline, Token};
use crate::Document;

/// Words of the language, and whether they name types.
static WORDS: LazyLock<HashMap<&'static str, bool>> = LazyLock::new(|| all_words().collect());

pub(super) fn outline(document: &Document, stage: Stage) -> Outline {
    let word =
        |text: &str| WORDS.get(text).map(|is_type| if *is_type { Token::Type } else { Token::Keyword });
    let mut outline = of_c(document, word);
    let mut sources = SourceMap::new();
    let file = sources.add(&*document.path, document.text());
    let options = Options { library: true, ..Options::new(stage) };
    let found = names(file, &mut sources, &options, &mut |_, _, _| None);
    outline.uses = found.uses;
    outline.dialect = Some((found.version, found.extensions));
    outline.names = found.list.into_iter().map(name).collect();
    outline
}

fn name(name: chiaro_glsl::names::Name) -> Name {
    let chiaro_glsl::names::Name { text, kind, declared, whole, scope, written, within } = name;
    Name { text, kind: kind_of(kind), declared, whole, scope, written, within }
}

fn kind_of(kind: NameKind) -> Kind {
    match kind {
        NameKind::Function => Kind::Function,
        NameKind::Parameter => Kind::Parameter,
        NameKind::Local | NameKind::Global => Kind::Variable,
        NameKind::Interface => Kind::Interface,
        NameKind::Constant => Kind::Constant,
        NameKind::Structure => Kind::Type,
        NameKind::Member => Kind::Member,
        NameKind::Block => Kind::Block,
        NameKind::Macro => Kind::Macro,
    }
}
