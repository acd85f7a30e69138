//! What is asked: arguments and files.

use chiaro::host::{Bytes, Call};
use wasm_bindgen::prelude::*;

/// Arguments as the command takes them, and files in memory.
#[wasm_bindgen]
#[derive(Clone, Debug, Default)]
pub struct Question {
    args: Vec<String>,
    files: Vec<(String, Bytes)>,
}

#[wasm_bindgen]
impl Question {
    /// Nothing is asked yet.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Question {
        Question::default()
    }

    /// Adds an argument, the command's name not among them: `--target`, ...
    pub fn arg(&mut self, text: String) {
        self.args.push(text);
    }

    /// Adds a file of text.
    pub fn text(&mut self, name: String, text: String) {
        self.files.push((name, text.into_bytes().into()));
    }

    /// Adds a file of bytes.
    pub fn bytes(&mut self, name: String, bytes: Vec<u8>) {
        self.files.push((name, bytes.into()));
    }
}

impl Question {
    /// For a command.
    pub fn call(self, command: &str) -> Call {
        let args = std::iter::once(command.to_owned()).chain(self.args).collect();
        Call { args, files: self.files }
    }

    /// As it is: the first argument is the command.
    pub fn whole(self) -> Call {
        Call { args: self.args, files: self.files }
    }
}
