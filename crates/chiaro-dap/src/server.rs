//! The protocol: requests come, responses and events go.

mod breaking;
mod moving;
mod session;
mod setting;
mod showing;

use std::io::{BufRead, Write};

use chiaro_wire::{Frame, Outgoing, contained};
use serde_json::{Value as Json, json};

use crate::Lab;
use session::Session;

/// What a request gives: the body of its response.
type Answer = Result<Json, String>;
/// What answers a request.
type Handler = fn(&mut Session<'_>, &Json) -> Answer;

/// Requests, and what answers them.
const HANDLERS: [(&str, Handler); 28] = [
    ("initialize", |session, arguments| session.initialize(arguments)),
    ("launch", |session, arguments| session.launch(arguments)),
    ("attach", |_, _| Err("there is nothing to attach to: launch a program".to_owned())),
    ("restart", moving::restart),
    ("configurationDone", moving::configured),
    ("disconnect", |session, arguments| session.disconnect(arguments)),
    ("terminate", |session, arguments| session.terminate(arguments)),
    ("setBreakpoints", breaking::at_lines),
    ("setInstructionBreakpoints", breaking::at_instructions),
    ("setExceptionBreakpoints", |_, _| Ok(Json::Null)),
    ("dataBreakpointInfo", breaking::data_info),
    ("setDataBreakpoints", breaking::at_data),
    ("threads", showing::threads),
    ("stackTrace", showing::stack_trace),
    ("scopes", showing::scopes),
    ("variables", showing::variables),
    ("setVariable", setting::set_variable),
    ("setExpression", setting::set_expression),
    ("evaluate", showing::evaluate),
    ("disassemble", showing::disassemble),
    ("source", |_, _| Err("the source is the file that its path names".to_owned())),
    ("continue", moving::go),
    ("reverseContinue", moving::go_back),
    ("next", moving::next),
    ("stepIn", moving::step_in),
    ("stepOut", moving::step_out),
    ("stepBack", moving::step_back),
    ("pause", moving::pause),
];

/// Answers a client until it disconnects or goes away; the exit code.
pub fn serve(input: &mut dyn BufRead, output: Box<dyn Write + Send>, lab: &dyn Lab) -> u8 {
    let out = Outgoing::new(output);
    let mut session = Session::new(lab);
    let mut number = 0u64;
    let mut send = |mut message: Json| {
        number += 1;
        message["seq"] = number.into();
        out.send(&message);
    };
    loop {
        let request = match chiaro_wire::read(input) {
            Frame::End => return u8::from(!session.is_over),
            Frame::Broken(why) => Err(why),
            Frame::Body(bytes) => serde_json::from_slice::<Json>(&bytes).map_err(|error| error.to_string()),
        };
        match request {
            Ok(request) if request["type"] == "request" => {
                send(answered(&mut session, &request));
                std::mem::take(&mut session.events).into_iter().for_each(&mut send);
            }
            // Responses to requests of ours: there are none.
            Ok(_) => {}
            Err(why) => {
                let text = format!("this is no message: {why}\n");
                send(
                    json!({ "type": "event", "event": "output", "body": { "category": "important", "output": text } }),
                );
            }
        }
        if session.is_over {
            return 0;
        }
    }
}

fn answered(session: &mut Session<'_>, request: &Json) -> Json {
    let command = request["command"].as_str().unwrap_or_default();
    let handler = HANDLERS.iter().find(|(known, _)| *known == command).map(|(_, handler)| *handler);
    let answer = match handler {
        None => Err(format!("there is no request `{command}`")),
        Some(handler) => contained(|| handler(session, &request["arguments"])).unwrap_or_else(Err),
    };
    let mut response = json!({
        "type": "response",
        "request_seq": request["seq"].as_u64().unwrap_or(0),
        "command": command,
        "success": answer.is_ok(),
    });
    match answer {
        Ok(Json::Null) => {}
        Ok(body) => response["body"] = body,
        Err(why) => {
            response["message"] = json!(why);
            response["body"] =
                json!({ "error": { "id": 1, "format": why.replace(['{', '}'], "|"), "showUser": true } });
        }
    }
    response
}
