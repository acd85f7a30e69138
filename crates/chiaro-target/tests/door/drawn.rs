//! Random shaders for targets that compile, and what becomes of them: they are built of things that no shader of the
//! tables beside this puts together.

use std::ops::Range;

use chiaro_cases::{digest, head};
use chiaro_ir::random::{self, Features};
use chiaro_ir::{GlobalRef, Interface, Leaf, Module, Space};
use chiaro_opt::Cx;
use chiaro_target::{CompileOptions, Shader, Stage, Target};

use super::source::{Source, compiled, inputs, made};
use super::{COLUMNS, answers, kept};

/// Invocations that are compared with the source.
const INVOCATIONS: usize = 6;

/// A line for each seed: what its shader becomes with settings of the seed, what is said of that, and what a comparison
/// with its source shows.
pub(crate) fn shaders(target: &dyn Target, stage: Stage, seeds: Range<u64>) -> String {
    let mut out = head(&format!("seed: instructions code ir report | {COLUMNS} | proof"));
    for seed in seeds {
        let module = module(stage, seed);
        let interface = interface(&module, seed);
        let source =
            Source { name: seed.to_string(), module, interface, sources: chiaro_diag::SourceMap::new() };
        let options = options(target, stage, seed);
        let answer = compiled(target, &source, &options);
        out += &format!("{seed}: {}", made(&answer));
        if let Ok(made) = answer {
            let inputs = inputs(target, &made, stage);
            let said = answers(target, &made.container, &inputs);
            out += &format!(" | {said} | {}", proved(target, &source, &options, seed));
        }
        out.push('\n');
    }
    out
}

/// A random shader; a kernel of which has what the bits of its seed say.
fn module(stage: Stage, seed: u64) -> Module {
    let (size, bit) = (4 + (seed * 7 % 44) as u32, |n: u32| seed >> n & 1 == 1);
    let long = size + 14;
    match stage {
        Stage::Compute => {
            let features = Features {
                variables: bit(0),
                lively: !seed.is_multiple_of(9),
                subgroup: bit(1),
                shared: bit(2),
                within: true,
                halves: bit(3),
                images: bit(4),
            };
            random::module_with(seed, long, features)
        }
        Stage::Fragment => random::fragment::module(seed, size),
        _ => random::vertex::module(seed, size),
    }
}

/// What the uniforms are called; the array of four vectors is a matrix in every second shader.
fn interface(module: &Module, seed: u64) -> Interface {
    let uniforms = module.globals.iter().position(|global| global.space == Space::Uniform);
    let leaf = |at: usize| {
        let named = Leaf::named("u.m", GlobalRef(at as u32), module.globals[at].ty);
        Leaf { path: vec![0], columns: true, ..named }
    };
    let leaves = uniforms.filter(|_| seed % 2 == 1).map(leaf);
    Interface { leaves: leaves.into_iter().collect(), ..Interface::default() }
}

/// Every effort in turn, where there are several, and every setting of those that targets want to be tried in a third of
/// the shaders.
fn options(target: &dyn Target, stage: Stage, seed: u64) -> CompileOptions {
    let tried = target.about().settings.iter().filter_map(|s| Some((s.name.to_owned(), s.tried?.to_owned())));
    let is_tried = |n: usize| stage != Stage::Fragment && (seed / 3).wrapping_add(n as u64 * 5) % 3 == 2;
    CompileOptions {
        entry: Some("main".into()),
        settings: tried.enumerate().filter(|(n, _)| is_tried(*n)).map(|(_, setting)| setting).collect(),
        effort: target.effort().map(|_| (seed % 3) as u32),
        ..CompileOptions::default()
    }
}

/// What checked compilation says, and legal IR and words as it shows them.
fn proved(target: &dyn Target, source: &Source, options: &CompileOptions, seed: u64) -> String {
    let shader = Shader { module: &source.module, interface: &source.interface };
    match target.prove(shader, options, &mut Cx::default()) {
        Ok(proof) => {
            format!("{} {}", digest(&proof.listing()), kept(&proof.verify(INVOCATIONS, seed)))
        }
        Err(errors) => format!("!{}", digest(&format!("{errors:?}"))),
    }
}
