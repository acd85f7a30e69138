//! What a session knows: its documents, what is seen of them, and what the worker has found.

use std::collections::HashMap;
use std::sync::Arc;

use chiaro_target::{Offer, Target};
use serde_json::Value as Json;

use super::capabilities::{capabilities, encoding};
use super::transport::Outgoing;
use super::worker::{Found, Job, Worker};
use crate::document::Encoding;
use crate::{Document, Language, Outline, Tools};

/// Documents that are open at once at most; the text of others is not kept.
const MOST_DOCUMENTS: usize = 1000;

/// A session.
pub(super) struct State {
    pub(super) tools: &'static dyn Tools,
    documents: HashMap<String, Open>,
    encoding: Encoding,
    worker: Worker,
    out: Outgoing,
    /// Targets that costs are told of.
    targets: Vec<&'static dyn Target>,
    /// States of texts so far.
    states: u64,
}

/// An open document.
struct Open {
    document: Arc<Document>,
    /// Made when somebody asks for it.
    outline: Option<Arc<Outline>>,
}

/// A document with what is seen of it and known about it.
pub(super) struct View {
    pub(super) document: Arc<Document>,
    pub(super) outline: Arc<Outline>,
    /// Of this very text; empty while the worker is at it.
    pub(super) found: Arc<Found>,
}

impl State {
    /// A session as the client wants it, and the answer to that.
    pub(super) fn new(params: &Json, tools: &'static dyn Tools, out: Outgoing) -> (State, Json) {
        let encoding = encoding(params);
        let refreshes = |what: &str| params["capabilities"]["workspace"][what]["refreshSupport"] == true;
        let refreshed = ["codeLens", "inlayHint"].into_iter().filter(|what| refreshes(what));
        let worker = Worker::start(tools, out.clone(), refreshed.collect());
        let targets = targets(&params["initializationOptions"], tools);
        let state = State { tools, documents: HashMap::new(), encoding, worker, out, targets, states: 0 };
        (state, capabilities(encoding))
    }

    pub(super) fn stop(&mut self) {
        self.documents.clear();
        self.worker.stop();
    }

    pub(super) fn set_options(&mut self, options: &Json) {
        self.targets = targets(options, self.tools);
        let uris: Vec<String> = self.documents.keys().cloned().collect();
        uris.iter().for_each(|uri| self.enqueue(uri));
    }

    pub(super) fn open(&mut self, uri: &str, id: &str, version: i32, text: &str) {
        if self.documents.len() >= MOST_DOCUMENTS && !self.documents.contains_key(uri) {
            self.out.log(&format!("`{uri}` is not looked into: {MOST_DOCUMENTS} documents are open"));
            return;
        }
        let path = path_of(uri);
        let language = Language::of(self.tools.targets(), id, &path, text);
        let mut document = Document::new(path, language, text).counted_in(self.encoding);
        uri.clone_into(&mut document.uri);
        self.states += 1;
        (document.version, document.state) = (version, self.states);
        if language.is_some() && !document.is_readable() {
            self.out.log(&format!("`{uri}` is not looked into: it, or a line of it, is too long"));
        }
        self.documents.insert(uri.to_owned(), Open { document: Arc::new(document), outline: None });
        self.enqueue(uri);
    }

    /// Edits an open document.
    pub(super) fn edit(
        &mut self,
        uri: &str,
        version: i32,
        edit: impl FnOnce(&mut Document),
    ) -> Result<(), String> {
        let open = self.documents.get_mut(uri).ok_or("the document is not open")?;
        let document = Arc::make_mut(&mut open.document);
        self.states += 1;
        (document.version, document.state) = (version, self.states);
        edit(document);
        open.outline = None;
        self.enqueue(uri);
        Ok(())
    }

    pub(super) fn close(&mut self, uri: &str) {
        self.documents.remove(uri);
        self.worker.forget(uri);
        self.out
            .notify("textDocument/publishDiagnostics", serde_json::json!({ "uri": uri, "diagnostics": [] }));
    }

    fn enqueue(&mut self, uri: &str) {
        let Some(open) = self.documents.get(uri) else { return };
        let targets: Vec<_> = match open.document.readable() {
            None => return,
            Some(Language::Assembly(target, _)) => vec![*target],
            Some(_) => self.targets.clone(),
        };
        self.worker.enqueue(Job { document: Arc::clone(&open.document), targets });
    }

    /// A document with what is known about it.
    pub(super) fn view(&mut self, uri: &str) -> Option<View> {
        let open = self.documents.get_mut(uri)?;
        let document = Arc::clone(&open.document);
        let outline = open.outline.get_or_insert_with(|| Arc::new(Outline::of(&document)));
        let outline = Arc::clone(outline);
        let found = self.worker.found(uri, document.state);
        Some(View { document, outline, found })
    }
}

/// The targets that costs are wanted of: `{"targets": ["a3xx"]}`; all without it.
fn targets(options: &Json, tools: &dyn Tools) -> Vec<&'static dyn Target> {
    let all = tools.targets();
    match options["targets"].as_array() {
        Some(names) => names.iter().filter_map(|name| all.named(name.as_str()?)).collect(),
        None => all.iter().filter(|target| target.about().has(Offer::Compile)).collect(),
    }
}

/// The path that an address of a file names; the address itself where it names none.
pub(super) fn path_of(uri: &str) -> String {
    let Some(rest) = uri.strip_prefix("file://") else { return uri.to_owned() };
    let mut bytes = Vec::with_capacity(rest.len());
    let mut rest = rest.as_bytes();
    while let Some((&first, behind)) = rest.split_first() {
        let digits = behind.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        let code = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match code.filter(|_| first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = &behind[2..];
            }
            None => {
                bytes.push(first);
                rest = behind;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
