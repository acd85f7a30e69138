//! Compiling: SPIR-V in memory to the bytes of an SHBIN file.

use chiaro_diag::SourceMap;
use chiaro_opt::Cx;
use chiaro_pica200::compile::{Options, compile};

fn main() {
    divan::main();
}

const SHADERS: [&str; 9] =
    ["constant_out", "mvp", "mv_proj", "lambert", "fog", "select", "loop_lights", "quat_view", "clamp_mix"];

fn words(name: &str) -> Vec<u32> {
    let path = format!("{}/tests/compile/{name}.wgsl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let file = SourceMap::new().add(name, text.as_str());
    chiaro_spirv::wgsl::read(&text, file, &chiaro_spirv::wgsl::Options::default()).unwrap().words
}

#[divan::bench(args = SHADERS)]
fn spirv_to_shbin(bencher: divan::Bencher<'_, '_>, name: &str) {
    let words = words(name);
    bencher.bench(|| {
        let mut sources = SourceMap::new();
        let options = chiaro_spirv::Options::default();
        let reading = chiaro_spirv::read(&words, &options, &mut sources).unwrap();
        let mut cx = Cx::default();
        compile(&reading.module, &reading.interface, "main", &Options::default(), &mut cx).unwrap().bytes
    });
}

#[divan::bench(args = SHADERS)]
fn read_spirv(bencher: divan::Bencher<'_, '_>, name: &str) {
    let words = words(name);
    bencher.bench(|| {
        chiaro_spirv::read(&words, &chiaro_spirv::Options::default(), &mut SourceMap::new()).is_ok()
    });
}
