//! What a panic says, before the machine stops.

use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// Hears what a panic says; the machine stops behind it.
    #[wasm_bindgen(js_namespace = globalThis, js_name = chiaroPanicked)]
    fn panicked(message: &str);
}

/// Stands in for every function of a target until its file is loaded.
///
/// # Panics
/// Always, so that who asks a target that is not there hears why.
#[wasm_bindgen]
pub fn unloaded() {
    panic!("a target was asked whose file is not loaded");
}

/// Sees to it that panics are heard. To be called once, before all else.
#[wasm_bindgen]
pub fn listen() {
    std::panic::set_hook(Box::new(|info| panicked(&info.to_string())));
}
