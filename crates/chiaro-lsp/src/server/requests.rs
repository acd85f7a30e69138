//! What clients ask: each request is a capability of a document.

use std::collections::HashMap;
use std::ops::Range;

use lsp_server::ErrorCode;
use lsp_types::{
    CodeAction, CodeActionKind, DocumentHighlight, Hover, HoverContents, Location, MarkupContent, MarkupKind,
    Position, PrepareRenameResponse, SemanticTokens, TextEdit, Uri, WorkspaceEdit,
};
use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};

use super::Refused;
use super::state::{State, View};
use crate::{
    actions, completion, definition, folding, format, hints, hover, lenses, references, rename, signature,
    symbols, tokens,
};

type Answer = Result<Json, Refused>;
type Capability = fn(&View, &Json, &State) -> Answer;

/// Requests about a document, and what answers them.
const CAPABILITIES: [(&str, Capability); 17] = [
    ("textDocument/hover", hover_at),
    ("textDocument/definition", definition_at),
    ("textDocument/references", references_at),
    ("textDocument/documentHighlight", highlights_at),
    ("textDocument/prepareRename", prepare_at),
    ("textDocument/rename", rename_at),
    ("textDocument/completion", completion_at),
    ("textDocument/signatureHelp", signature_at),
    ("textDocument/codeAction", actions_at),
    ("textDocument/inlayHint", hints_at),
    ("textDocument/documentSymbol", |view, _, _| Ok(json!(symbols::symbols(&view.document, &view.outline)))),
    ("textDocument/foldingRange", |view, _, _| Ok(json!(folding::folding(&view.outline)))),
    ("textDocument/formatting", |view, _, _| Ok(json!(format::format(&view.document, 0..usize::MAX)))),
    ("textDocument/rangeFormatting", format_range),
    ("textDocument/codeLens", |view, _, _| {
        Ok(json!(lenses::lenses(&view.document, &view.outline, &view.found.costs)))
    }),
    ("textDocument/semanticTokens/full", |view, _, _| {
        let data = tokens::tokens(&view.document, &view.outline);
        Ok(json!(SemanticTokens { result_id: None, data }))
    }),
    // What tests compare with: the text as the server has it.
    ("chiaro/text", |view, _, _| {
        Ok(json!({ "text": view.document.text(), "version": view.document.version }))
    }),
];

/// Answers a request.
pub(super) fn answer(state: &mut State, method: &str, params: Json) -> Answer {
    let Some((_, capability)) = CAPABILITIES.iter().find(|(known, _)| *known == method) else {
        return Err(Refused::because(ErrorCode::MethodNotFound, format!("there is no method `{method}`")));
    };
    let uri = params["textDocument"]["uri"].as_str().ok_or_else(|| wrong("it names no document"))?;
    let view = state.view(uri).ok_or_else(|| wrong(format!("`{uri}` is not open")))?;
    capability(&view, &params, state)
}

fn wrong(why: impl Into<String>) -> Refused {
    Refused::because(ErrorCode::InvalidParams, why)
}

fn part<T: DeserializeOwned>(params: &Json, name: &str) -> Result<T, Refused> {
    serde_json::from_value(params[name].clone()).map_err(|error| wrong(format!("`{name}`: {error}")))
}

fn byte(view: &View, params: &Json) -> Result<usize, Refused> {
    Ok(view.document.byte(part::<Position>(params, "position")?))
}

fn uri(view: &View) -> Result<Uri, Refused> {
    view.document.uri.parse().map_err(|_| wrong("the document's name is no address"))
}

fn locations(view: &View, places: Vec<Range<usize>>) -> Answer {
    let uri = uri(view)?;
    let location = |at| Location { uri: uri.clone(), range: view.document.range(&at) };
    Ok(json!(places.into_iter().map(location).collect::<Vec<_>>()))
}

fn hover_at(view: &View, params: &Json, _: &State) -> Answer {
    let found = hover::hover(&view.document, &view.outline, &view.found.costs, byte(view, params)?);
    Ok(json!(found.map(|hover| Hover {
        contents: HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value: hover.text }),
        range: Some(view.document.range(&hover.at)),
    })))
}

fn definition_at(view: &View, params: &Json, _: &State) -> Answer {
    locations(view, definition::definition(&view.outline, byte(view, params)?))
}

fn references_at(view: &View, params: &Json, _: &State) -> Answer {
    let with = params["context"]["includeDeclaration"].as_bool().unwrap_or(true);
    locations(view, references::references(&view.outline, byte(view, params)?, with))
}

fn highlights_at(view: &View, params: &Json, _: &State) -> Answer {
    let places = references::references(&view.outline, byte(view, params)?, true);
    let highlight = |at: &Range<usize>| DocumentHighlight { range: view.document.range(at), kind: None };
    Ok(json!(places.iter().map(highlight).collect::<Vec<_>>()))
}

fn prepare_at(view: &View, params: &Json, _: &State) -> Answer {
    let (at, placeholder) = rename::prepare(&view.outline, byte(view, params)?).map_err(refused)?;
    let range = view.document.range(&at);
    Ok(json!(PrepareRenameResponse::RangeWithPlaceholder { range, placeholder }))
}

fn refused(why: String) -> Refused {
    Refused::because(ErrorCode::RequestFailed, why)
}

fn rename_at(view: &View, params: &Json, _: &State) -> Answer {
    let new: String = part(params, "newName")?;
    let places = rename::rename(&view.document, &view.outline, byte(view, params)?, &new).map_err(refused)?;
    Ok(json!(edits(view, places.into_iter().map(|at| (at, new.clone())))?))
}

fn edits(view: &View, edits: impl Iterator<Item = (Range<usize>, String)>) -> Result<WorkspaceEdit, Refused> {
    let edit =
        |(at, new_text): (Range<usize>, String)| TextEdit { range: view.document.range(&at), new_text };
    #[expect(clippy::mutable_key_type, reason = "the protocol's type: its keys are not changed")]
    let changes = HashMap::from([(uri(view)?, edits.map(edit).collect())]);
    Ok(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() })
}

fn completion_at(view: &View, params: &Json, _: &State) -> Answer {
    Ok(json!(completion::completion(&view.document, &view.outline, byte(view, params)?)))
}

fn signature_at(view: &View, params: &Json, _: &State) -> Answer {
    Ok(json!(signature::signature(&view.document, &view.outline, byte(view, params)?)))
}

fn format_range(view: &View, params: &Json, _: &State) -> Answer {
    let range: lsp_types::Range = part(params, "range")?;
    let lines = range.start.line as usize..range.end.line as usize + 1;
    Ok(json!(format::format(&view.document, lines)))
}

fn hints_at(view: &View, params: &Json, _: &State) -> Answer {
    let range: lsp_types::Range = part(params, "range")?;
    // One machine at the end of a line is enough; the lenses have all.
    let hints = view.found.costs.first().map(|cost| hints::hints(&view.document, cost, range));
    Ok(json!(hints.unwrap_or_default()))
}

fn actions_at(view: &View, params: &Json, state: &State) -> Answer {
    let range = view.document.bytes(part(params, "range")?);
    let found = actions::actions(&view.document, &view.found.checked, &range, state.tools);
    let action = |action: actions::Action<'_>| -> Result<CodeAction, Refused> {
        Ok(CodeAction {
            title: action.title,
            kind: Some(CodeActionKind::QUICKFIX),
            edit: Some(edits(view, action.edits.into_iter())?),
            is_preferred: Some(true),
            ..CodeAction::default()
        })
    };
    let all: Result<Vec<_>, Refused> = found.into_iter().map(action).collect();
    Ok(json!(all?))
}
