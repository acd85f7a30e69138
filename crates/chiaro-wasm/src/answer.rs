//! What comes back, and how it is looked at.

use chiaro::host;
use serde_json::Value as Json;
use wasm_bindgen::prelude::*;

/// Results by name, and messages.
#[wasm_bindgen]
#[derive(Clone, Debug)]
pub struct Answer {
    status: u32,
    messages: String,
    text: String,
    results: Vec<(String, Vec<u8>)>,
}

#[wasm_bindgen]
impl Answer {
    /// How it went, as the command's exit code: 0 done, 1 the input is at fault, 2 the question is, 101 chiaro is.
    #[wasm_bindgen(getter)]
    pub fn status(&self) -> u32 {
        self.status
    }

    /// All messages, an object of JSON a line (docs/builds.md).
    #[wasm_bindgen(getter)]
    pub fn messages(&self) -> String {
        self.messages.clone()
    }

    /// All messages for people, with the lines of the sources.
    #[wasm_bindgen(getter)]
    pub fn text(&self) -> String {
        self.text.clone()
    }

    /// The names of the results; that of what a command would print is empty.
    #[wasm_bindgen(getter)]
    pub fn names(&self) -> Vec<String> {
        self.results.iter().map(|(name, _)| name.clone()).collect()
    }

    /// The bytes of a result.
    pub fn bytes(&self, name: &str) -> Option<Vec<u8>> {
        self.result(name).map(<[u8]>::to_vec)
    }

    /// A result as text.
    pub fn string(&self, name: &str) -> Option<String> {
        self.result(name).map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }

    /// A picture's width, height, and its pixels of four bytes, the upper row first: all in one array, of which the first
    /// two numbers of 32 bits are the sides.
    pub fn pixels(&self, name: &str) -> Option<Vec<u8>> {
        let ([width, height], pixels) = host::pixels(self.result(name)?)?;
        Some([&width.to_le_bytes()[..], &height.to_le_bytes()[..], &pixels[..]].concat())
    }
}

impl Answer {
    fn result(&self, name: &str) -> Option<&[u8]> {
        self.results.iter().find(|(known, _)| known == name).map(|(_, bytes)| bytes.as_slice())
    }

    /// An answer of the library, with the results that its value is.
    pub fn of<T>(answer: host::Answer<T>, results: impl FnOnce(T) -> Vec<(String, Vec<u8>)>) -> Answer {
        let results = answer.value.map(results).unwrap_or_default();
        Answer { status: answer.status as u32, messages: answer.messages, text: answer.text, results }
    }

    /// An answer that is JSON.
    pub fn of_json(answer: host::Answer<Json>) -> Answer {
        Answer::of(answer, |value| vec![(String::new(), value.to_string().into_bytes())])
    }
}
