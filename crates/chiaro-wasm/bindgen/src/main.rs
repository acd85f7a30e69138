//! What makes files for a web page of the library's wasm.
//!
//! `bindgen glue IN.wasm FOLDER NAME` writes the JavaScript that goes with it. `bindgen split IN.wasm FOLDER TARGET...`
//! takes it apart: `front.wasm` has what every target needs, and each target is a file that is loaded when it is chosen.

mod split;

use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match &args[..] {
        ["glue", input, folder, name] => glue(input, folder, name),
        ["split", input, folder, targets @ ..] => {
            for (name, wasm) in split::split(&std::fs::read(input)?, targets)? {
                std::fs::write(Path::new(folder).join(format!("{name}.wasm")), wasm)?;
            }
            Ok(())
        }
        _ => Err("bindgen glue IN.wasm FOLDER NAME, or bindgen split IN.wasm FOLDER TARGET...".into()),
    }
}

fn glue(input: &str, folder: &str, name: &str) -> Result<(), Box<dyn Error>> {
    let mut bindgen = wasm_bindgen_cli_support::Bindgen::new();
    bindgen.input_path(input).web(true)?.typescript(false).omit_default_module_path(true).out_name(name);
    bindgen.generate(folder).map_err(|error| format!("{error:#}").into())
}
