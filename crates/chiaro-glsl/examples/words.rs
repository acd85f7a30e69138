//! Compiles files and writes their words in Vulkan's flavour: `words FOLDER FILE...` makes
//! `FOLDER/FILE.spv`, for `spirv-val` and `spirv-dis`.

use std::path::Path;

use chiaro_diag::{Printer, SourceMap};
use chiaro_glsl::source::{Options, Stage};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let Some(folder) = arguments.next() else { return };
    for path in arguments {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let Some(stage) = path.rsplit('.').next().and_then(Stage::of_ending) else { continue };
        let name = Path::new(&path).file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut sources = SourceMap::new();
        let file = sources.add(path.as_str(), text.as_str());
        let options = Options::new(stage);
        let (module, found) = chiaro_glsl::compile(file, &mut sources, &options, &mut |_, _, _| None);
        println!("{name}\n{}", Printer::plain().print(&found, &sources));
        let Some(module) = module else { continue };
        match chiaro_words::vulkanize(&module) {
            Ok(module) => {
                let bytes: Vec<u8> = module.words.iter().flat_map(|word| word.to_le_bytes()).collect();
                if let Err(error) = std::fs::write(Path::new(&folder).join(format!("{name}.spv")), bytes) {
                    println!("{error}");
                }
            }
            Err(error) => println!("{}", error.message),
        }
    }
}
