//! The questions, one function each.

use chiaro::host;
use wasm_bindgen::prelude::*;

use crate::{Answer, Question};

/// The targets as JSON: their names, stages, what can be asked of them, options.
#[wasm_bindgen]
pub fn targets() -> Answer {
    Answer::of_json(host::done(host::targets()))
}

/// Compiles: the results are `container`, `code`, `listing`, `ir`, `report` and, where there is one, `header`.
#[wasm_bindgen]
pub fn compile(question: Question) -> Answer {
    Answer::of(host::compile(question.call("compile")), |made| {
        let mut all = vec![
            ("container".to_owned(), made.container),
            ("code".to_owned(), made.code),
            ("listing".to_owned(), made.listing.into_bytes()),
            ("ir".to_owned(), made.ir.into_bytes()),
            ("report".to_owned(), made.report.to_string().into_bytes()),
        ];
        all.extend(made.header.map(|header| ("header".to_owned(), header.into_bytes())));
        all
    })
}

/// All that can be looked at of a program, as JSON; the arguments are those of `compile`, and the first file may be a
/// source of a target's assembly, or a container.
#[wasm_bindgen]
pub fn study(question: Question) -> Answer {
    Answer::of_json(host::study(question.call("compile")))
}

/// Runs a program on a simulator and records its steps: the results are `results` and `traces`, both JSON.
#[wasm_bindgen]
pub fn trace(question: Question) -> Answer {
    Answer::of(host::trace(question.call("run")), |made| {
        let json = |value: serde_json::Value| value.to_string().into_bytes();
        vec![("results".to_owned(), json(made.results)), ("traces".to_owned(), json(made.traces))]
    })
}

/// Where a host program finds what a shader reads and writes, as JSON.
#[wasm_bindgen]
pub fn abi(question: Question) -> Answer {
    Answer::of_json(host::abi(question.call("compile")))
}

/// Assembles sources to a container.
#[wasm_bindgen]
pub fn assemble(question: Question) -> Answer {
    command(question, "asm")
}

/// Lists a container; the listing assembles to the same bytes.
#[wasm_bindgen]
pub fn disassemble(question: Question) -> Answer {
    command(question, "dis")
}

/// Takes an instruction apart field by field, with the sources of what is said.
#[wasm_bindgen]
pub fn explain(question: Question) -> Answer {
    command(question, "explain")
}

/// Runs a program on a simulator, or on the interpreter where no target is named.
#[wasm_bindgen]
pub fn run(question: Question) -> Answer {
    command(question, "run")
}

/// Draws a scene on a simulator, or on the interpreter where no target is named.
#[wasm_bindgen]
pub fn draw(question: Question) -> Answer {
    command(question, "draw")
}

/// Anything that the command can do with one program: the first argument is its name.
#[wasm_bindgen]
pub fn call(question: Question) -> Answer {
    called(question.whole())
}

fn command(question: Question, name: &str) -> Answer {
    called(question.call(name))
}

fn called(call: host::Call) -> Answer {
    Answer::of(host::call_alone(call), |results| {
        let name = |path: Option<std::path::PathBuf>| path.map(|path| path.display().to_string());
        results.into_iter().map(|(path, bytes)| (name(path).unwrap_or_default(), bytes)).collect()
    })
}
