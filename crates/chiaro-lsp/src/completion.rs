//! What can be written at a place.

use lsp_types::{CompletionItem, CompletionItemKind, Documentation, MarkupContent, MarkupKind};

use crate::lex::{is_word, word_at};
use crate::outline::{Kind, Name};
use crate::statement::{What, statements};
use crate::vocabulary::{Entry, vocabulary};
use crate::{Document, Language, Outline};

/// Most proposals that are made: the client asks again when more is written.
const MOST: usize = 4000;

/// Proposals for a byte of the document, those that fit what is written already.
#[must_use]
pub fn completion(document: &Document, outline: &Outline, byte: usize) -> Vec<CompletionItem> {
    let Some(language) = document.readable() else { return Vec::new() };
    let bytes = document.text().as_bytes();
    let word = word_at(document.text(), byte).start;
    let before = word.checked_sub(1).and_then(|at| bytes.get(at)).copied();
    let written = document.text()[word..byte.max(word)].to_lowercase();
    let fits = |item: &CompletionItem| {
        let label = item.label.trim_start_matches(['.', '@']).to_lowercase();
        // A slip in the first letters is the client's to forgive.
        written.chars().next().is_none_or(|first| label.starts_with(first)) || label.contains(&written)
    };
    let all = match language {
        Language::Glsl(_) | Language::Wgsl if before == Some(b'.') => members(outline),
        Language::Assembly(_, dialect) => match operands_start(document, dialect, byte) {
            true => names(outline, byte),
            false => entries(document, outline),
        },
        Language::Glsl(_) | Language::Wgsl => {
            let mut all = names(outline, byte);
            all.extend(entries(document, outline));
            all
        }
    };
    all.into_iter().filter(fits).take(MOST).collect()
}

/// Whether the mnemonic stands before a byte already.
fn operands_start(document: &Document, dialect: &chiaro_target::Dialect, byte: usize) -> bool {
    let line = document.line_of(byte);
    let start = document.line_start(line);
    let before = &document.text()[start..byte.max(start)];
    let last = statements(&dialect.lexis, before, start).pop();
    last.is_some_and(|last| {
        let text = &document.text()[last.at.clone()];
        let behind = &before[last.at.end - start..];
        last.what != What::Label
            && (text.contains(char::is_whitespace) || behind.starts_with([' ', '\t']))
            && !behind.contains(dialect.lexis.separator.unwrap_or('\0'))
    })
}

fn members(outline: &Outline) -> Vec<CompletionItem> {
    let all = outline.names.iter().filter(|name| name.kind == Kind::Member);
    all.map(of_name).collect()
}

fn names(outline: &Outline, byte: usize) -> Vec<CompletionItem> {
    let mut seen = std::collections::HashSet::new();
    let visible = outline.visible(byte).into_iter().filter(|name| name.kind != Kind::Member);
    visible.filter(|name| seen.insert(&name.text)).map(of_name).collect()
}

fn entries(document: &Document, outline: &Outline) -> Vec<CompletionItem> {
    vocabulary(document, outline).into_iter().map(of_entry).collect()
}

fn of_name(name: &Name) -> CompletionItem {
    let kind = match name.kind {
        Kind::Function => CompletionItemKind::FUNCTION,
        Kind::Parameter | Kind::Variable | Kind::Register => CompletionItemKind::VARIABLE,
        Kind::Interface => CompletionItemKind::PROPERTY,
        Kind::Constant | Kind::Macro => CompletionItemKind::CONSTANT,
        Kind::Type => CompletionItemKind::STRUCT,
        Kind::Member => CompletionItemKind::FIELD,
        Kind::Block => CompletionItemKind::INTERFACE,
        Kind::Label => CompletionItemKind::REFERENCE,
    };
    CompletionItem {
        label: name.text.clone(),
        kind: Some(kind),
        detail: name.written.first().cloned(),
        sort_text: Some(format!("0{}", name.text)),
        ..CompletionItem::default()
    }
}

fn of_entry(entry: Entry) -> CompletionItem {
    let Entry { name, kind, written, doc } = entry;
    let forms: Vec<&str> = written.iter().take(8).map(String::as_str).collect();
    let value = format!("```\n{}\n```\n{doc}", forms.join("\n"));
    CompletionItem {
        sort_text: Some(format!("1{name}")),
        insert_text: Some(name.trim_start_matches(|c: char| !c.is_ascii() || !is_word(c as u8)).to_owned())
            .filter(|text| *text != name),
        label: name,
        kind: Some(kind),
        detail: written.into_iter().next(),
        documentation: Some(Documentation::MarkupContent(MarkupContent {
            kind: MarkupKind::Markdown,
            value,
        })),
        ..CompletionItem::default()
    }
}
