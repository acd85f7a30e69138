//! The protocol over two streams: one thread reads and answers, one checks, one compiles. Newer edits
//! take the place of work that has not begun, and what was begun for an older text is not told.

mod capabilities;
mod notifications;
mod requests;
mod state;
mod transport;
mod worker;

use std::io::{BufRead, Write};

use chiaro_wire::contained;
use lsp_server::{ErrorCode, Message, Request, Response};

use crate::Tools;
use state::State;
use transport::{Incoming, Outgoing};

/// Answers a client until it says `exit` or goes away; the exit code is 0 if it had said `shutdown` before.
pub fn serve(input: &mut dyn BufRead, output: Box<dyn Write + Send>, tools: &'static dyn Tools) -> u8 {
    let out = Outgoing::new(output);
    let mut session = Session { out: out.clone(), state: None, is_shut_down: false };
    loop {
        match transport::read(input) {
            Incoming::End => return u8::from(!session.is_shut_down),
            Incoming::Broken(why) => out.send_error(ErrorCode::ParseError, &why),
            Incoming::Message(Message::Notification(said)) if said.method == "exit" => {
                return u8::from(!session.is_shut_down);
            }
            Incoming::Message(Message::Request(asked)) => session.request(asked, tools),
            Incoming::Message(Message::Notification(said)) => session.notification(&said),
            // Answers to what the server asks of the client: nothing hangs on them.
            Incoming::Message(Message::Response(_)) => {}
        }
    }
}

struct Session {
    out: Outgoing,
    /// Since `initialize`.
    state: Option<State>,
    is_shut_down: bool,
}

impl Session {
    fn request(&mut self, asked: Request, tools: &'static dyn Tools) {
        let Request { id, method, params } = asked;
        let answer = match (method.as_str(), &mut self.state) {
            _ if self.is_shut_down => {
                Err(Refused::because(ErrorCode::InvalidRequest, "the server is shut down"))
            }
            ("initialize", None) => {
                let (state, answer) = State::new(&params, tools, self.out.clone());
                self.state = Some(state);
                Ok(answer)
            }
            ("initialize", Some(_)) => {
                Err(Refused::because(ErrorCode::InvalidRequest, "the server is initialized already"))
            }
            (_, None) => Err(Refused::because(ErrorCode::ServerNotInitialized, "say `initialize` first")),
            ("shutdown", Some(state)) => {
                state.stop();
                self.is_shut_down = true;
                Ok(serde_json::Value::Null)
            }
            (method, Some(state)) => contained(|| requests::answer(state, method, params))
                .unwrap_or_else(|why| Err(Refused::because(ErrorCode::InternalError, why))),
        };
        self.out.send(Message::Response(match answer {
            Ok(result) => Response::new_ok(id, result),
            Err(Refused { code, message }) => Response::new_err(id, code as i32, message),
        }));
    }

    fn notification(&mut self, said: &lsp_server::Notification) {
        let Some(state) = self.state.as_mut().filter(|_| !self.is_shut_down) else { return };
        match contained(|| notifications::take(state, &said.method, &said.params)) {
            Ok(Ok(())) => {}
            Ok(Err(why)) => self.out.log(&format!("`{}` is not understood: {why}", said.method)),
            Err(why) => self.out.log(&why),
        }
    }
}

/// Why a request has no answer.
struct Refused {
    code: ErrorCode,
    message: String,
}

impl Refused {
    fn because(code: ErrorCode, message: impl Into<String>) -> Refused {
        Refused { code, message: message.into() }
    }
}
