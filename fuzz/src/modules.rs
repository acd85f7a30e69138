//! Damaged WGSL and SPIR-V through the readers, and damaged GLSL through the compilers of the targets: `TARGET:compile` for
//! vertices, `TARGET:compile-others` for fragments and kernels where a target has them.

use chiaro::{
    CompileOptions, GlslOptions, GlslStage, ModuleOptions, Offer, Stage, TARGETS, Target, compile, load_glsl,
    load_spirv, load_wgsl,
};
use chiaro_diag::SourceMap;

use crate::subject::{Subject, damaged_container, hex, lossy};
use crate::{glsl, mutate};

/// The readers, and every target that compiles.
pub fn subjects() -> impl Iterator<Item = Subject> {
    let wgsl = Subject::new("wgsl", wgsl, mutate::text, read_wgsl, lossy);
    let spirv = Subject::new("spirv", words, damaged_container, read_spirv, hex);
    let compilers = TARGETS.iter().filter(|target| target.about().has(Offer::Compile));
    let compilers = compilers.flat_map(|target| {
        let others = OTHERS.iter().filter(|(stage, _)| target.about().stages.contains(stage));
        let others: Vec<GlslStage> = others.map(|(_, stage)| *stage).collect();
        let of = |kind: &str, stages: Vec<GlslStage>| Subject {
            name: format!("{}:{kind}", target.about().name),
            corpus: Box::new(move || glsl::sources_of(&stages)),
            make: glsl::damaged,
            run: Box::new(move |input| compile_for(target, input)),
            show: lossy,
        };
        let vertices = of("compile", vec![GlslStage::Vertex]);
        let others = (!others.is_empty()).then(|| of("compile-others", others));
        [vertices].into_iter().chain(others)
    });
    [wgsl, spirv].into_iter().chain(compilers)
}

/// Stages beside that of vertices that some targets compile.
const OTHERS: [(Stage, GlslStage); 2] =
    [(Stage::Fragment, GlslStage::Fragment), (Stage::Compute, GlslStage::Compute)];

/// The sources of the tests of the reader and of the compilers.
fn wgsl() -> Vec<Vec<u8>> {
    let folders =
        ["chiaro-spirv/tests/wgsl", "chiaro-pica200/tests/compile", "chiaro-filetest/tests/listings"];
    glsl::files(&folders, |path| path.extension().is_some_and(|ending| ending == "wgsl"))
}

fn read_wgsl(input: &[u8]) {
    let mut sources = SourceMap::new();
    let file = sources.add("fuzz.wgsl", String::from_utf8_lossy(input).into_owned());
    if let Err(found) = load_wgsl(file, &ModuleOptions::default(), &mut sources) {
        assert!(!found.is_empty(), "refused without a word");
    }
}

fn read_spirv(input: &[u8]) {
    let _ = load_spirv(input, &ModuleOptions::default(), &mut SourceMap::new());
}

/// What the front end takes as a shader of the stage that it looks like is compiled or refused with a reason.
fn compile_for(target: &dyn Target, input: &[u8]) {
    let mut sources = SourceMap::new();
    let text = String::from_utf8_lossy(input).into_owned();
    let stage = guess(target, &text);
    let file = sources.add("fuzz", text);
    let (glsl_options, options) = (GlslOptions::default(), ModuleOptions::default());
    let mut none = |_: &str, _: bool, _: &str| None;
    let loaded = load_glsl(&[(file, stage)], &glsl_options, &options, &mut sources, &mut none);
    let Ok(modules) = loaded else { return };
    let mut cx = chiaro_opt::Cx::default();
    if let Err(found) = compile(target, &modules, &CompileOptions::default(), &sources, &mut cx) {
        assert!(!found.is_empty(), "refused without a word");
    }
}

/// The stage of a source; that of vertices where the target has no such.
fn guess(target: &dyn Target, text: &str) -> GlslStage {
    let guess = glsl::guess(text);
    let is_known = OTHERS.iter().any(|(own, stage)| *stage == guess && target.about().stages.contains(own));
    if is_known { guess } else { GlslStage::Vertex }
}

/// The words of the sources that the front end takes, as bytes.
fn words() -> Vec<Vec<u8>> {
    glsl::sources().iter().filter_map(|text| glsl::words(text)).collect()
}
