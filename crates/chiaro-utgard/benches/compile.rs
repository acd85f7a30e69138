//! Compiling: SPIR-V in memory to words, a shader of each size; and the scheduler's efforts.
//! All shaders side by side, with Mesa's figures, are in the benchmark of `chiaro-filetest`.

use chiaro_diag::SourceMap;
use chiaro_glsl::source::{Options as Source, Stage};
use chiaro_ir::Interface;
use chiaro_opt::Cx;
use chiaro_utgard::compile::{Compiled, Options, compile};

fn main() {
    divan::main();
}

const SHADERS: [&str; 6] = [
    "mvp",
    "dependent_chain",
    "blinn_phong",
    "skin_named_8",
    "emulated_ffp_skin8_light4",
    "pressure_80_live",
];

fn spirv(name: &str) -> chiaro_words::Module {
    let path = format!("{}/tests/vectors/compile/shaders/{name}.vert", env!("CARGO_MANIFEST_DIR"));
    let mut sources = SourceMap::new();
    let file = sources.add(name, std::fs::read_to_string(path).unwrap());
    let options = Source::new(Stage::Vertex);
    chiaro_glsl::compile(file, &mut sources, &options, &mut |_, _, _| None).0.unwrap()
}

fn words(spirv: &chiaro_words::Module, effort: u32) -> Compiled {
    let reading = chiaro_spirv::read_module(spirv, &Default::default(), &mut SourceMap::new());
    let mut module = reading.unwrap_or_else(|_| unreachable!("the front end writes what is read")).module;
    let entry = module.entries[0].name.clone();
    compile(
        &mut module,
        &Interface::default(),
        &entry,
        &Options { effort, ..Options::default() },
        &mut Cx::default(),
    )
    .unwrap()
}

#[divan::bench(args = SHADERS)]
fn spirv_to_words(bencher: divan::Bencher<'_, '_>, name: &str) {
    let spirv = spirv(name);
    bencher.bench(|| words(&spirv, Options::default().effort));
}

#[divan::bench(args = [0, 1, 2, 3], sample_count = 5)]
fn effort(bencher: divan::Bencher<'_, '_>, effort: u32) {
    let spirv = spirv("blinn_phong");
    bencher.bench(|| words(&spirv, effort));
}
