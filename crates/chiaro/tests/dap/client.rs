//! A client: messages over two pipes to an adapter on a thread of its own.

use std::collections::{BTreeMap, VecDeque};
use std::io::{BufReader, PipeReader, PipeWriter, Write, pipe};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::thread::{JoinHandle, spawn};

use chiaro::laboratory::Laboratory;
use chiaro_wire::{Frame, read};
use jsonschema::Validator;
use serde_json::{Value, json};

/// The protocol's schema, of Microsoft's repository `debug-adapter-protocol` (MIT).
static SCHEMA: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("debugProtocol.json")).expect("JSON"));

/// The validators of definitions: each is made once.
static VALIDATORS: Mutex<BTreeMap<String, Arc<Validator>>> = Mutex::new(BTreeMap::new());

fn validator(definition: &str) -> Arc<Validator> {
    let mut all = VALIDATORS.lock().unwrap_or_else(PoisonError::into_inner);
    let made = || {
        let mut schema = SCHEMA.clone();
        assert!(schema["definitions"][definition].is_object(), "the protocol has no `{definition}`");
        let all = schema.as_object_mut().expect("an object");
        all.retain(|key, _| key == "definitions" || key == "$schema");
        all.insert("$ref".to_owned(), json!(format!("#/definitions/{definition}")));
        Arc::new(jsonschema::validator_for(&schema).expect("a schema"))
    };
    Arc::clone(all.entry(definition.to_owned()).or_insert_with(made))
}

/// Checks a message by its definition.
fn check(message: &Value, definition: &str) {
    let wrong: Vec<String> =
        validator(definition).iter_errors(message).map(|error| error.to_string()).collect();
    assert!(wrong.is_empty(), "{definition}: {message}\n{}", wrong.join("\n"));
}

fn capital(name: &str) -> String {
    name[..1].to_uppercase() + &name[1..]
}

pub(crate) struct Client {
    to: Option<PipeWriter>,
    from: BufReader<PipeReader>,
    server: Option<JoinHandle<u8>>,
    asked: u64,
    last: u64,
    events: VecDeque<Value>,
}

impl Client {
    pub(crate) fn start() -> Client {
        let (server_in, to) = pipe().expect("a pipe");
        let (from, server_out) = pipe().expect("a pipe");
        let serve =
            move || chiaro_dap::serve(&mut BufReader::new(server_in), Box::new(server_out), &Laboratory);
        let (from, server) = (BufReader::new(from), Some(spawn(serve)));
        Client { to: Some(to), from, server, asked: 0, last: 0, events: VecDeque::new() }
    }

    pub(crate) fn send_raw(&mut self, bytes: &[u8]) {
        self.to.as_mut().expect("open").write_all(bytes).expect("sent");
    }

    /// A request, and its response.
    fn response(&mut self, request: &Value) -> Value {
        let command = &request["command"];
        let text = request.to_string();
        self.send_raw(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
        loop {
            let message = self.read();
            if message["type"] == "response" {
                assert_eq!((&message["request_seq"], &message["command"]), (&json!(self.asked), command));
                return message;
            }
            self.events.push_back(message);
        }
    }

    /// The next request.
    fn request(&mut self, command: &str, arguments: Value) -> Value {
        self.asked += 1;
        let mut request = json!({ "seq": self.asked, "type": "request", "command": command });
        if !arguments.is_null() {
            request["arguments"] = arguments;
        }
        request
    }

    /// A request that succeeds: the body of its response.
    pub(crate) fn ask(&mut self, command: &str, arguments: Value) -> Value {
        let request = self.request(command, arguments);
        check(&request, &format!("{}Request", capital(command)));
        let mut response = self.response(&request);
        assert_eq!(response["success"], true, "{command}: {response}");
        check(&response, &format!("{}Response", capital(command)));
        response["body"].take()
    }

    /// A request that may fail: the body of its response, or the reason.
    pub(crate) fn tried(&mut self, command: &str, arguments: Value) -> Result<Value, String> {
        let request = self.request(command, arguments);
        let mut response = self.response(&request);
        match response["success"] == true {
            true => Ok(response["body"].take()),
            false => Err(response["message"].as_str().unwrap_or_default().to_owned()),
        }
    }

    /// A request that fails, with a reason.
    pub(crate) fn refused(&mut self, command: &str, arguments: Value) {
        self.refused_unchecked(command, arguments);
    }

    pub(crate) fn refused_unchecked(&mut self, command: &str, arguments: Value) {
        let request = self.request(command, arguments);
        let response = self.response(&request);
        assert_eq!(response["success"], false, "{command}: {response}");
        check(&response, "ErrorResponse");
        assert!(response["message"].as_str().is_some_and(|why| !why.is_empty()));
    }

    /// The next event of a name; those before it are passed over.
    pub(crate) fn event(&mut self, name: &str) -> Value {
        self.event_of(&[name])
    }

    /// The next event of some names.
    pub(crate) fn event_of(&mut self, names: &[&str]) -> Value {
        loop {
            let event = self.events.pop_front().unwrap_or_else(|| self.read());
            if names.iter().any(|name| event["event"] == *name) {
                return event;
            }
        }
    }

    fn read(&mut self) -> Value {
        let Frame::Body(bytes) = read(&mut self.from) else { panic!("the adapter is gone") };
        let message: Value = serde_json::from_slice(&bytes).expect("JSON");
        let number = message["seq"].as_u64().expect("a number");
        assert_eq!(number, self.last + 1, "messages are numbered");
        self.last = number;
        match message["type"].as_str() {
            Some("event") => {
                check(&message, &format!("{}Event", capital(message["event"].as_str().expect("a name"))));
            }
            _ => check(&message, "Response"),
        }
        message
    }

    /// A step of the first thread.
    pub(crate) fn step(&mut self, command: &str, mut arguments: Value) {
        arguments["threadId"] = json!(1);
        self.ask(command, arguments);
        self.event("stopped");
    }

    /// The innermost frame of the first thread.
    pub(crate) fn top(&mut self) -> Value {
        self.ask("stackTrace", json!({ "threadId": 1 }))["stackFrames"][0].take()
    }

    /// What a scope of the first thread shows.
    pub(crate) fn scope(&mut self, name: &str) -> Vec<Value> {
        let scope = self.scopes(1).into_iter().find(|scope| scope["name"] == name).expect("a scope");
        self.children(&scope)
    }

    pub(crate) fn children(&mut self, of: &Value) -> Vec<Value> {
        let reference = of["variablesReference"].clone();
        let found = self.ask("variables", json!({ "variablesReference": reference }));
        found["variables"].as_array().expect("a list").clone()
    }

    pub(crate) fn variable(&mut self, scope: &str, name: &str) -> Value {
        let all = self.scope(scope);
        all.iter().find(|one| one["name"] == name).unwrap_or_else(|| panic!("no {name} in {all:?}")).clone()
    }

    /// A program that is launched and stands at its beginning.
    pub(crate) fn launched(program: &Value) -> Client {
        let mut client = Client::start();
        client.ask("initialize", json!({ "adapterID": "chiaro" }));
        client.ask("launch", program.clone());
        client.ask("configurationDone", json!({}));
        client.event("stopped");
        client
    }

    /// The scopes of a thread: names and references.
    pub(crate) fn scopes(&mut self, thread: u64) -> Vec<Value> {
        let scopes = self.ask("scopes", json!({ "frameId": thread }));
        scopes["scopes"].as_array().expect("a list").clone()
    }

    /// All that can be seen of the first thread, as a text.
    pub(crate) fn state(&mut self) -> String {
        let mut text = self.ask("stackTrace", json!({ "threadId": 1 })).to_string();
        for scope in self.scopes(1) {
            for one in self.children(&scope) {
                text.push_str(&format!("\n{} {} {}", scope["name"], one["name"], one["value"]));
                if scope["name"] == "Memory" {
                    self.children(&one).iter().for_each(|word| text.push_str(&word.to_string()));
                }
            }
        }
        // References have other numbers each time.
        text
    }

    pub(crate) fn end(mut self) {
        self.ask("disconnect", Value::Null);
        self.to = None;
        assert_eq!(self.server.take().expect("not ended before").join().expect("no panic"), 0);
    }
}
