//! The threads that check and compile: one checks, so that messages come as one types, and hands on to another,
//! which compiles for every target and may take long. Of each document only the newest text waits; between two
//! steps they look whether there is a newer one.

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
    state: u64,
    pub(super) checked: Arc<Checked>,
    pub(super) costs: Vec<Cost>,
}

#[derive(Default)]
struct Shared {
    /// The newest state of each document that is open.
    open: HashMap<String, u64>,
    /// The newest text of each document that is to be checked, in no order that matters.
    waiting: BTreeMap<String, Job>,
    /// Those that are checked and to be compiled.
    checked: BTreeMap<String, (Job, Arc<Checked>)>,
    found: HashMap<String, Arc<Found>>,
    is_stopped: bool,
}

impl Shared {
    /// Whether there is a newer text of a document, or none any more.
    fn is_outdated(&self, document: &Document) -> bool {
        self.is_stopped || self.open.get(&document.uri) != Some(&document.state)
    }
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

/// The threads, as the one that reads knows them.
pub(super) struct Worker {
    board: Arc<Board>,
    threads: Vec<JoinHandle<()>>,
}

impl Worker {
    pub(super) fn start(tools: &'static dyn Tools, out: Outgoing, refreshed: Vec<&'static str>) -> Worker {
        let board = Arc::new(Board::default());
        let checks = Checks { board: Arc::clone(&board), tools, out: out.clone() };
        let mut costs = Costs { board: Arc::clone(&board), tools, out, refreshed, asked: 0 };
        let thread = |name: &str| std::thread::Builder::new().name(name.to_owned()).stack_size(64 << 20);
        let threads =
            [thread("checks").spawn(move || checks.all()), thread("costs").spawn(move || costs.all())];
        Worker { board, threads: threads.into_iter().flatten().collect() }
    }

    pub(super) fn enqueue(&self, job: Job) {
        let mut shared = self.board.lock();
        shared.open.insert(job.document.uri.clone(), job.document.state);
        shared.waiting.insert(job.document.uri.clone(), job);
        drop(shared);
        self.board.changed.notify_all();
    }

    pub(super) fn forget(&self, uri: &str) {
        let mut shared = self.board.lock();
        shared.open.remove(uri);
        shared.waiting.remove(uri);
        shared.checked.remove(uri);
        shared.found.remove(uri);
    }

    /// What is known of this very text.
    pub(super) fn found(&self, uri: &str, state: u64) -> Arc<Found> {
        let known = self.board.lock().found.get(uri).cloned();
        known.filter(|found| found.state == state).unwrap_or_default()
    }

    /// Ends the threads after the step that they are at.
    pub(super) fn stop(&mut self) {
        let mut shared = self.board.lock();
        shared.is_stopped = true;
        shared.waiting.clear();
        shared.checked.clear();
        drop(shared);
        self.board.changed.notify_all();
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Board {
    /// Waits for work; `None` when there will be none any more.
    fn next<T>(&self, take: impl Fn(&mut Shared) -> Option<T>) -> Option<T> {
        let mut shared = self.lock();
        loop {
            if shared.is_stopped {
                return None;
            }
            if let Some(work) = take(&mut shared) {
                return Some(work);
            }
            shared = self.changed.wait(shared).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Keeps what was found, unless there is a newer text.
    fn put(&self, document: &Document, found: Found) -> bool {
        let mut shared = self.lock();
        if shared.is_outdated(document) {
            return false;
        }
        shared.found.insert(document.uri.clone(), Arc::new(found));
        true
    }
}

/// The thread that checks.
struct Checks {
    board: Arc<Board>,
    tools: &'static dyn Tools,
    out: Outgoing,
}

impl Checks {
    fn all(&self) {
        while let Some(job) = self.board.next(|shared| shared.waiting.pop_first().map(|(_, job)| job)) {
            if let Err(why) = contained(|| self.check(job)) {
                self.out.log(&why);
            }
        }
    }

    fn check(&self, job: Job) {
        let document = Arc::clone(&job.document);
        let checked = Arc::new(self.tools.check(&document));
        let list = diagnostics(&document, &checked);
        let found = Found { state: document.state, checked: Arc::clone(&checked), costs: Vec::new() };
        if !self.board.put(&document, found) {
            return;
        }
        let params = json!({ "uri": document.uri, "version": document.version, "diagnostics": list });
        self.out.notify("textDocument/publishDiagnostics", params);
        self.board.lock().checked.insert(document.uri.clone(), (job, checked));
        self.board.changed.notify_all();
    }
}

/// The thread that compiles.
struct Costs {
    board: Arc<Board>,
    tools: &'static dyn Tools,
    out: Outgoing,
    /// What the client is asked to ask for again when costs are known.
    refreshed: Vec<&'static str>,
    asked: i32,
}

impl Costs {
    fn all(&mut self) {
        let take = |shared: &mut Shared| shared.checked.pop_first().map(|(_, work)| work);
        while let Some((job, checked)) = self.board.next(take) {
            if let Err(why) = contained(|| self.compile(&job, &checked)) {
                self.out.log(&why);
            }
        }
    }

    fn compile(&mut self, job: &Job, checked: &Arc<Checked>) {
        let document = &job.document;
        let mut costs = Vec::new();
        for &target in &job.targets {
            if self.board.lock().is_outdated(document) {
                return;
            }
            costs.extend(cost(document, target, self.tools));
        }
        let is_known = !costs.is_empty();
        let found = Found { state: document.state, checked: Arc::clone(checked), costs };
        if self.board.put(document, found) && is_known {
            self.refresh();
        }
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
