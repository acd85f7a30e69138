//! Sources in GLSL that test themselves, and sources that only have to become valid words.
//!
//! A `.comp` file of `tests/glsl` with a block `Result` fills its array `ok`: 1 for each
//! expectation that holds. It runs in OpenGL's and in Vulkan's flavour. Every source there and
//! in the front end's own corpus must be valid where `spirv-val` is installed.

use std::path::{Path, PathBuf};

use chiaro_diag::SourceMap;
use chiaro_filetest::stages::{Shader, check_corpus};
use chiaro_ir::interp::{Interpreter, NoImages};
use chiaro_ir::{Module, Space, Type};

/// Expectations that a source may have.
const MOST: usize = 64;
/// Words of buffers that are not the result: one open array of three elements is among them.
const OTHER_WORDS: usize = 9;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/glsl")
}

#[test]
fn sources_that_test_themselves() {
    for name in ["places", "flow", "values", "functions", "blocks"] {
        let shader = Shader::compile(&folder().join(name).with_extension("comp"))
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        let vulkan = chiaro_spirv::vulkanize(&shader.hub).unwrap_or_else(|e| panic!("{name}: {}", e.message));
        let options = chiaro_spirv::Options::default();
        let vulkan = chiaro_spirv::read_module(&vulkan, &options, &mut SourceMap::new())
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        for (module, flavour) in [(&shader.module, "OpenGL"), (&vulkan.module, "Vulkan")] {
            check(name, module, flavour);
        }
    }
}

fn check(name: &str, module: &Module, flavour: &str) {
    let mut interpreter = Interpreter::new(module, &module.entries[0]);
    let mut result = None;
    for (i, global) in module.globals.iter().enumerate() {
        let g = chiaro_ir::GlobalRef(i as u32);
        if !matches!(global.space, Space::Storage | Space::Uniform) {
            continue;
        }
        let block = match module.types.get(global.ty) {
            Type::Struct(block, _) => block.split('#').next().unwrap_or_default(),
            _ => "",
        };
        let bytes = match block {
            "Result" => {
                result = Some(g);
                vec![7; 4 * MOST]
            }
            "Numbers" => [1, -1i32 as u32, 0.5f32.to_bits(), 4_000_000_000]
                .iter()
                .flat_map(|w| w.to_le_bytes())
                .collect(),
            _ => vec![0; (interpreter.size_of(global.ty) as usize).max(4 * OTHER_WORDS)],
        };
        interpreter.set(g, bytes);
    }
    interpreter.dispatch([1; 3], &mut NoImages).unwrap_or_else(|e| panic!("{name}, {flavour}: {e}"));
    let words = interpreter.bytes(result.expect("a block `Result`")).unwrap_or_default();
    let words: Vec<u32> = words.as_chunks::<4>().0.iter().map(|w| u32::from_le_bytes(*w)).collect();
    let made = words.iter().take_while(|w| **w < 2).count();
    assert!(made > 8, "{name}, {flavour}: only {made} expectations");
    let wrong: Vec<usize> = (0..made).filter(|&i| words[i] == 0).collect();
    assert!(wrong.is_empty(), "{name}, {flavour}: expectations {wrong:?} do not hold");
}

#[test]
fn sources_become_valid_words() {
    let report = check_corpus(&folder()).unwrap();
    assert!(report.passed(), "{report}");
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../chiaro-glsl/tests/corpus");
    let report = check_corpus(&corpus).unwrap();
    assert!(report.passed(), "{report}");
}
