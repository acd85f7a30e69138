//! What clients tell: documents open, change, close.

use lsp_types::TextDocumentContentChangeEvent;
use serde_json::Value as Json;

use super::state::State;

/// Takes a notification. Those that are not known are passed over, as the protocol wants.
pub(super) fn take(state: &mut State, method: &str, params: &Json) -> Result<(), String> {
    let document = &params["textDocument"];
    let uri = || document["uri"].as_str().ok_or("it names no document");
    let version = || document["version"].as_i64().unwrap_or(0) as i32;
    match method {
        "textDocument/didOpen" => {
            let text = document["text"].as_str().ok_or("it has no text")?;
            state.open(uri()?, document["languageId"].as_str().unwrap_or_default(), version(), text);
            Ok(())
        }
        "textDocument/didChange" => {
            let changes: Vec<TextDocumentContentChangeEvent> =
                serde_json::from_value(params["contentChanges"].clone())
                    .map_err(|error| error.to_string())?;
            state.edit(uri()?, version(), |document| changes.iter().for_each(|change| document.edit(change)))
        }
        "textDocument/didClose" => {
            state.close(uri()?);
            Ok(())
        }
        "workspace/didChangeConfiguration" => {
            state.set_options(&params["settings"]["chiaro"]);
            Ok(())
        }
        _ => Ok(()),
    }
}
