//! A client: messages over two pipes to a server on a thread of its own.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Read, Write, pipe};
use std::thread::{JoinHandle, spawn};

use chiaro::editor::Editor;
use serde_json::{Value, json};

pub(crate) struct Client {
    to: Option<PipeWriter>,
    from: BufReader<PipeReader>,
    server: Option<JoinHandle<u8>>,
    asked: u64,
    /// What came while something else was waited for.
    waiting: VecDeque<Value>,
}

impl Client {
    pub(crate) fn start() -> Client {
        let (server_in, to) = pipe().expect("a pipe");
        let (from, server_out) = pipe().expect("a pipe");
        let serve = move || chiaro_lsp::serve(&mut BufReader::new(server_in), Box::new(server_out), &Editor);
        Client {
            to: Some(to),
            from: BufReader::new(from),
            server: Some(spawn(serve)),
            asked: 0,
            waiting: VecDeque::new(),
        }
    }

    pub(crate) fn initialize(&mut self) -> Value {
        let refresh = json!({ "refreshSupport": true });
        let capabilities = json!({ "workspace": { "codeLens": refresh, "inlayHint": refresh } });
        let answer = self.ask("initialize", json!({ "capabilities": capabilities }));
        self.tell("initialized", json!({}));
        answer
    }

    pub(crate) fn send_raw(&mut self, bytes: &[u8]) {
        self.to.as_mut().expect("open").write_all(bytes).expect("sent");
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        self.send_raw(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
    }

    pub(crate) fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// A request, and its answer.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        self.next(|message| message["id"] == id && message["method"].is_null())
    }

    /// A request about a document.
    pub(crate) fn ask_of(&mut self, uri: &str, method: &str, mut params: Value) -> Value {
        params["textDocument"] = json!({ "uri": uri });
        self.ask(method, params)
    }

    /// The result of a request about a document.
    pub(crate) fn of(&mut self, uri: &str, method: &str, params: Value) -> Value {
        let mut answer = self.ask_of(uri, method, params);
        assert!(answer["error"].is_null(), "{method}: {answer}");
        answer["result"].take()
    }

    pub(crate) fn open(&mut self, uri: &str, language: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": language, "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
    }

    pub(crate) fn change(&mut self, uri: &str, version: i32, changes: Value) {
        let document = json!({ "uri": uri, "version": version });
        self.tell("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
    }

    /// What is said of a version of a document.
    pub(crate) fn diagnostics(&mut self, uri: &str, version: i32) -> Value {
        let mut found = self.next(|message| {
            let params = &message["params"];
            message["method"] == "textDocument/publishDiagnostics"
                && params["uri"] == uri
                && params["version"] == version
        });
        found["params"]["diagnostics"].take()
    }

    pub(crate) fn wait_for(&mut self, method: &str) {
        let asked = self.next(|message| message["method"] == method);
        self.send(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": null }));
    }

    /// The next error that is no answer to a request.
    pub(crate) fn next_error(&mut self) -> Value {
        self.next(|message| message["id"].is_null() && !message["error"].is_null())
    }

    /// The text as the server has it.
    pub(crate) fn text(&mut self, uri: &str) -> String {
        self.of(uri, "chiaro/text", json!({}))["text"].as_str().expect("a text").to_owned()
    }

    fn next(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.waiting.iter().position(&wanted) {
            return self.waiting.remove(at).expect("there");
        }
        loop {
            let message = self.read();
            if wanted(&message) {
                return message;
            }
            if self.waiting.len() == 100 {
                self.waiting.pop_front();
            }
            self.waiting.push_back(message);
        }
    }

    fn read(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.from.read_line(&mut line).expect("readable") > 0, "the server is gone");
            match line.trim() {
                "" => break,
                line => {
                    let stated = line.strip_prefix("Content-Length: ").expect("the only header");
                    length = stated.parse().expect("a number");
                }
            }
        }
        let mut bytes = vec![0; length];
        self.from.read_exact(&mut bytes).expect("a whole message");
        let message: Value = serde_json::from_slice(&bytes).expect("JSON");
        assert_eq!(message["jsonrpc"], "2.0");
        message
    }

    /// The exit code.
    pub(crate) fn ended(&mut self) -> u8 {
        self.server.take().expect("not ended before").join().expect("no panic")
    }

    pub(crate) fn end(mut self) {
        assert_eq!(self.ask("shutdown", Value::Null)["result"], Value::Null);
        self.tell("exit", Value::Null);
        self.to = None;
        assert_eq!(self.ended(), 0);
    }
}

pub(crate) fn at(line: u32, character: u32) -> Value {
    json!({ "line": line, "character": character })
}

pub(crate) fn range(line: u32, character: u32, end_line: u32, end_character: u32) -> Value {
    json!({ "start": at(line, character), "end": at(end_line, end_character) })
}
