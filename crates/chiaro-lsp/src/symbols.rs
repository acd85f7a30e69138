//! The names of a document as a tree: functions, types with their members, labels.

use lsp_types::{DocumentSymbol, SymbolKind};

use crate::outline::{Kind, Name};
use crate::{Document, Outline};

/// What a document declares on its outermost level, with what belongs to it.
#[must_use]
pub fn symbols(document: &Document, outline: &Outline) -> Vec<DocumentSymbol> {
    let mut inner: Vec<Vec<DocumentSymbol>> = vec![Vec::new(); outline.names.len()];
    let mut outer = Vec::new();
    // What is declared in something stands behind it.
    for (number, name) in outline.names.iter().enumerate().rev() {
        let mut children = std::mem::take(&mut inner[number]);
        children.reverse();
        let Some(symbol) = symbol(document, name, children) else { continue };
        match name.within.filter(|outer| *outer < number) {
            Some(owner) => inner[owner].push(symbol),
            None => outer.push(symbol),
        }
    }
    outer.sort_by_key(|symbol| (symbol.range.start.line, symbol.range.start.character));
    outer
}

#[expect(deprecated, reason = "the field has to be there")]
fn symbol(document: &Document, name: &Name, children: Vec<DocumentSymbol>) -> Option<DocumentSymbol> {
    let declared = name.declared.first().filter(|_| name.kind != Kind::Register)?;
    let whole = name.whole.start.min(declared.start)..name.whole.end.max(declared.end);
    Some(DocumentSymbol {
        name: name.text.clone(),
        detail: name.written.first().cloned(),
        kind: kind(name.kind),
        tags: None,
        deprecated: None,
        range: document.range(&whole),
        selection_range: document.range(declared),
        children: (!children.is_empty()).then_some(children),
    })
}

fn kind(kind: Kind) -> SymbolKind {
    match kind {
        Kind::Function => SymbolKind::FUNCTION,
        Kind::Parameter | Kind::Variable | Kind::Register => SymbolKind::VARIABLE,
        Kind::Interface => SymbolKind::PROPERTY,
        Kind::Constant => SymbolKind::CONSTANT,
        Kind::Type => SymbolKind::STRUCT,
        Kind::Member => SymbolKind::FIELD,
        Kind::Block => SymbolKind::INTERFACE,
        Kind::Macro => SymbolKind::CONSTANT,
        Kind::Label => SymbolKind::KEY,
    }
}
