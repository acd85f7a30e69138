//! The protocol's messages over the wire.

use std::io::{BufRead, Write};

use chiaro_wire::Frame;
use lsp_server::{ErrorCode, Message, Notification};
use serde_json::json;

/// What comes from a client.
pub(super) enum Incoming {
    Message(Message),
    /// Something that is no message, and what is wrong with it.
    Broken(String),
    /// Nothing more will come.
    End,
}

/// Reads the next message.
pub(super) fn read(input: &mut dyn BufRead) -> Incoming {
    match chiaro_wire::read(input) {
        Frame::End => Incoming::End,
        Frame::Broken(why) => Incoming::Broken(why),
        Frame::Body(bytes) => match serde_json::from_slice::<Message>(&bytes) {
            Ok(message) => Incoming::Message(message),
            Err(error) => Incoming::Broken(format!("this is no message: {error}")),
        },
    }
}

/// The way to the client, for both threads.
#[derive(Clone)]
pub(super) struct Outgoing(chiaro_wire::Outgoing);

impl Outgoing {
    pub(super) fn new(output: Box<dyn Write + Send>) -> Outgoing {
        Outgoing(chiaro_wire::Outgoing::new(output))
    }

    pub(super) fn send(&self, message: Message) {
        let mut text = json!({ "jsonrpc": "2.0" });
        let body = serde_json::to_value(message).unwrap_or_default();
        if let (Some(text), serde_json::Value::Object(body)) = (text.as_object_mut(), body) {
            text.extend(body);
        }
        self.0.send(&text);
    }

    /// Answers something that cannot be answered by its number.
    pub(super) fn send_error(&self, code: ErrorCode, message: &str) {
        let error = json!({ "code": code as i32, "message": message });
        self.0.send(&json!({ "jsonrpc": "2.0", "id": null, "error": error }));
    }

    /// Tells the client's log.
    pub(super) fn log(&self, message: &str) {
        self.notify("window/logMessage", json!({ "type": 1, "message": message }));
    }

    pub(super) fn notify(&self, method: &str, params: serde_json::Value) {
        self.send(Message::Notification(Notification { method: method.to_owned(), params }));
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write};
    use std::sync::{Arc, Mutex};

    use super::Outgoing;

    #[derive(Clone, Default)]
    struct Client(Arc<Mutex<Vec<u8>>>);

    impl Write for Client {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().expect("one writer").write(bytes)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn the_log_of_the_client_is_told() {
        let client = Client::default();
        Outgoing::new(Box::new(client.clone())).log("all is well");
        let told = String::from_utf8(client.0.lock().expect("one reader").clone()).expect("text");
        let (_, body) = told.split_once("\r\n\r\n").expect("a head");
        let body: serde_json::Value = serde_json::from_str(body).expect("a message");
        assert_eq!((&body["jsonrpc"], &body["method"]), (&"2.0".into(), &"window/logMessage".into()));
        assert_eq!((&body["params"]["type"], &body["params"]["message"]), (&1.into(), &"all is well".into()));
    }
}
