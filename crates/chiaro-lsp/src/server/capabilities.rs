//! What the server can, as `initialize` answers it.

use serde_json::{Value as Json, json};

use crate::document::Encoding;
use crate::tokens::TYPES;

/// The answer to `initialize`.
pub(super) fn capabilities(encoding: Encoding) -> Json {
    let encoding = match encoding {
        Encoding::Utf16 => "utf-16",
        Encoding::Utf8 => "utf-8",
    };
    json!({
        "capabilities": {
            "positionEncoding": encoding,
            "textDocumentSync": { "openClose": true, "change": 2 },
            "hoverProvider": true,
            "definitionProvider": true,
            "referencesProvider": true,
            "documentHighlightProvider": true,
            "documentSymbolProvider": true,
            "foldingRangeProvider": true,
            "documentFormattingProvider": true,
            "documentRangeFormattingProvider": true,
            "inlayHintProvider": true,
            "codeLensProvider": {},
            "codeActionProvider": { "codeActionKinds": ["quickfix"] },
            "renameProvider": { "prepareProvider": true },
            "completionProvider": { "triggerCharacters": [".", "@"] },
            "signatureHelpProvider": { "triggerCharacters": ["(", ",", " "] },
            "semanticTokensProvider": {
                "legend": { "tokenTypes": TYPES, "tokenModifiers": [] },
                "full": true
            }
        },
        "serverInfo": { "name": "chiaro", "version": env!("CARGO_PKG_VERSION") }
    })
}

/// What characters count, by the client's wishes: what it names first of those that are known here.
pub(super) fn encoding(params: &Json) -> Encoding {
    let wishes = params["capabilities"]["general"]["positionEncodings"].as_array();
    let known = wishes.into_iter().flatten().filter_map(|wish| match wish.as_str()? {
        "utf-8" => Some(Encoding::Utf8),
        "utf-16" => Some(Encoding::Utf16),
        _ => None,
    });
    known.into_iter().next().unwrap_or_default()
}
