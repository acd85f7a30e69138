//! What a document costs on every target that runs it, above its entry point.

use lsp_types::{CodeLens, Command};

use crate::costs::Cost;
use crate::outline::{Kind, Name};
use crate::{Document, Outline};

/// A lens for each target.
#[must_use]
pub fn lenses(document: &Document, outline: &Outline, costs: &[Cost]) -> Vec<CodeLens> {
    let range = entry(outline).map_or_else(Default::default, |name| document.range(&name.declared[0]));
    let lens = |cost: &Cost| CodeLens {
        range,
        command: Some(Command { title: cost.headline.clone(), command: String::new(), arguments: None }),
        data: None,
    };
    costs.iter().map(lens).collect()
}

/// The function `main`, or the first that stands alone.
fn entry(outline: &Outline) -> Option<&Name> {
    let mut functions =
        outline.names.iter().filter(|name| name.kind == Kind::Function && !name.declared.is_empty());
    let first = functions.clone().next();
    functions.find(|name| name.text == "main").or(first)
}
