//! The thread that checks and compiles. Of each document only the newest text waits; between two steps
//! it looks whether there is a newer one.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use chiaro_target::Target;
use chiaro_wire::contained;
use lsp_server::{Message, Request, RequestId};
use serde_json::{Value as Json, json};

use super::transport::Outgoing;
use crate::costs::{Cost, cost};
use crate::diagnostics::diagnostics;
use crate::{Checked, Document, Tools};

/// A text that is to be looked into.
pub(super) struct Job {
    pub(super) document: Arc<Document>,
    pub(super) targets: Vec<&'static dyn Target>,
}

/// What is known of a text.
#[derive(Default)]
pub(super) struct Found {
    version: i32,
    pub(super) checked: Arc<Checked>,
    pub(super) costs: Vec<Cost>,
}

#[derive(Default)]
struct Shared {
    /// The newest text of each document, in no order that matters.
    waiting: BTreeMap<String, Job>,
    found: HashMap<String, Arc<Found>>,
    is_stopped: bool,
}

#[derive(Default)]
struct Board {
    shared: Mutex<Shared>,
    changed: Condvar,
}

impl Board {
    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The thread, as the other one knows it.
pub(super) struct Worker {
    board: Arc<Board>,
    thread: Option<JoinHandle<()>>,
}

impl Worker {
    pub(super) fn start(tools: &'static dyn Tools, out: Outgoing, refreshed: Vec<&'static str>) -> Worker {
        let board = Arc::new(Board::default());
        let mut run = Run { board: Arc::clone(&board), tools, out, refreshed, asked: 0 };
        let thread = std::thread::Builder::new().name("worker".to_owned()).stack_size(64 << 20);
        let thread = thread.spawn(move || run.all()).ok();
        Worker { board, thread }
    }

    pub(super) fn enqueue(&self, job: Job) {
        self.board.lock().waiting.insert(job.document.uri.clone(), job);
        self.board.changed.notify_one();
    }

    pub(super) fn forget(&self, uri: &str) {
        let mut shared = self.board.lock();
        shared.waiting.remove(uri);
        shared.found.remove(uri);
    }

    /// What is known of this very text.
    pub(super) fn found(&self, uri: &str, version: i32) -> Arc<Found> {
        let known = self.board.lock().found.get(uri).cloned();
        known.filter(|found| found.version == version).unwrap_or_default()
    }

    /// Ends the thread after the step that it is at.
    pub(super) fn stop(&mut self) {
        let mut shared = self.board.lock();
        shared.is_stopped = true;
        shared.waiting.clear();
        drop(shared);
        self.board.changed.notify_one();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.stop();
    }
}

struct Run {
    board: Arc<Board>,
    tools: &'static dyn Tools,
    out: Outgoing,
    /// What the client is asked to ask for again when costs are known.
    refreshed: Vec<&'static str>,
    asked: i32,
}

impl Run {
    fn all(&mut self) {
        while let Some(job) = self.next() {
            if let Err(why) = contained(|| self.job(&job)) {
                self.out.log(&why);
            }
        }
    }

    fn next(&self) -> Option<Job> {
        let mut shared = self.board.lock();
        loop {
            if shared.is_stopped {
                return None;
            }
            if let Some((_, job)) = shared.waiting.pop_first() {
                return Some(job);
            }
            shared = self.board.changed.wait(shared).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn job(&mut self, job: &Job) {
        let document = &job.document;
        let checked = Arc::new(self.tools.check(document));
        let list = diagnostics(document, &checked);
        if !self.put(document, &checked, Vec::new()) {
            return;
        }
        self.publish(document, &json!(list));
        let mut costs = Vec::new();
        for &target in &job.targets {
            costs.extend(cost(document, target, self.tools));
            if self.is_outdated(document) {
                return;
            }
        }
        let is_known = !costs.is_empty();
        if self.put(document, &checked, costs) && is_known {
            self.refresh();
        }
    }

    fn publish(&self, document: &Document, list: &Json) {
        let params = json!({ "uri": document.uri, "version": document.version, "diagnostics": list });
        self.out.notify("textDocument/publishDiagnostics", params);
    }

    fn is_outdated(&self, document: &Document) -> bool {
        let shared = self.board.lock();
        shared.is_stopped || shared.waiting.contains_key(&document.uri)
    }

    /// Keeps what was found, unless there is a newer text.
    fn put(&self, document: &Document, checked: &Arc<Checked>, costs: Vec<Cost>) -> bool {
        let mut shared = self.board.lock();
        if shared.is_stopped || shared.waiting.contains_key(&document.uri) {
            return false;
        }
        let found = Found { version: document.version, checked: Arc::clone(checked), costs };
        shared.found.insert(document.uri.clone(), Arc::new(found));
        true
    }

    fn refresh(&mut self) {
        for what in self.refreshed.clone() {
            self.asked += 1;
            let id = RequestId::from(format!("chiaro-{}", self.asked));
            let method = format!("workspace/{what}/refresh");
            self.out.send(Message::Request(Request { id, method, params: Json::Null }));
        }
    }
}
