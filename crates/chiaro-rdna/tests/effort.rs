//! What efforts come to: those above the usual one find code that waits less, and never give more away.

use chiaro_diag::SourceMap;
use chiaro_ir::Module;
use chiaro_opt::Cx;
use chiaro_rdna::compile::{Compiled, Options, compile};

use crate::common;

/// The shaders of the vectors.
fn shaders() -> Vec<(String, Module)> {
    let folder = common::path("shaders/bfs_frontier.spv");
    let files = std::fs::read_dir(folder.parent().expect("a folder")).expect("the shaders");
    let mut paths: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "spv"));
    paths.sort();
    let read = |path: std::path::PathBuf| {
        let bytes = std::fs::read(&path).expect("a shader");
        let words: Vec<u32> = chiaro_isa::dwords(&bytes).collect();
        let read = chiaro_spirv::read(&words, &Default::default(), &mut SourceMap::new());
        (path.display().to_string(), read.expect("SPIR-V").module)
    };
    paths.into_iter().map(read).collect()
}

fn made(module: &Module, wave: u8, effort: u8) -> Compiled {
    let entry = module.entries[0].name.clone();
    let options = Options { wave, effort, ..Options::default() };
    let made = compile(&mut module.clone(), &entry, options, &mut Cx::default());
    made.unwrap_or_else(|errors| panic!("{}", errors[0].message))
}

#[test]
fn more_effort_waits_less_and_never_more() {
    let mut sums = [0; 4];
    for (name, module) in shaders() {
        for wave in [32, 64] {
            let all = [0, 1, 2, 3].map(|effort| made(&module, wave, effort).statistics());
            for two in all[1..].windows(2) {
                let [less, more] = [&two[0], &two[1]];
                assert!(more.latency <= less.latency, "{name}: {} and {}", more.latency, less.latency);
                assert!(more.occupancy.waves >= less.occupancy.waves, "{name}");
            }
            sums.iter_mut().zip(&all).for_each(|(sum, own)| *sum += own.latency);
        }
    }
    println!("cycles by effort: {sums:?}");
    assert!(sums.windows(2).all(|two| two[1] < two[0]), "{sums:?}");
}

/// How long the shaders take with an effort, in milliseconds.
fn time(effort: u8) -> u128 {
    let shaders = shaders();
    let start = std::time::Instant::now();
    shaders.iter().for_each(|(_, module)| _ = made(module, 32, effort));
    start.elapsed().as_millis()
}

#[test]
fn the_least_effort_compiles_everything() {
    println!("milliseconds by effort: {:?}", [0, 1, 2, 3].map(time));
    for (name, module) in shaders() {
        for wave in [32, 64] {
            let least = made(&module, wave, 0);
            let config = chiaro_rdna::check::Config { wave, group: Some(least.interface.threads()) };
            let found = chiaro_rdna::check::check(&least.code, config);
            let is_error = |f: &&chiaro_rdna::check::Found| {
                f.finding.rule.severity == chiaro_isa::finding::Severity::Error
            };
            assert!(found.iter().find(is_error).is_none(), "{name}: {found:?}");
        }
    }
}
