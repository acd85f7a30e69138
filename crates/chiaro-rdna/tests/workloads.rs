//! Kernels as applications have them: sums, sorts, transforms, hashes, searches. Each means what its source does, whoever
//! launches it, in waves of both sizes.

use chiaro_cases::{digest, head, written};
use chiaro_opt::Cx;
use chiaro_rdna::abi::interface::Abi;
use chiaro_rdna::compile::{Options, compile};
use chiaro_rdna::listing;
use chiaro_rdna::verify::{Words, verify};

use crate::common::kernel;

/// Name and source of each file.
fn sources() -> Vec<(String, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/workloads");
    let files = std::fs::read_dir(folder).expect("the folder");
    let mut paths: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    paths.sort();
    let read = |path: std::path::PathBuf| {
        let text = std::fs::read_to_string(&path).expect("a kernel");
        (path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned()), text)
    };
    paths.into_iter().map(read).collect()
}

#[test]
fn workloads_mean_what_their_source_does() {
    let all = sources();
    assert!(all.len() >= 16);
    let mut made = head("kernel, lanes, who launches: code proof");
    for (name, text) in all {
        let module = kernel::read(&text);
        for (wave, abi) in [(32, Abi::Vulkan), (64, Abi::Vulkan), (32, Abi::Hsa), (64, Abi::Hsa)] {
            let options = Options { wave, abi, ..Options::default() };
            let mut cx = Cx { verify: true, ..Cx::default() };
            let compiled = compile(&mut module.clone(), "main", options, &mut cx)
                .unwrap_or_else(|errors| panic!("{name}, {wave}, {abi:?}: {}", errors[0].message));
            let code = compiled.code.clone();
            let words = Words { source: &module, entry: &module.entries[0], compiled };
            let proof = verify(&words, 1);
            let text = listing::code(&code, wave, 0);
            made += &format!("{name} {wave} {abi:?}: {} {}\n", digest(&text), digest(&format!("{proof:?}")));
            proof.unwrap_or_else(|why| {
                panic!("{name}, {wave}, {abi:?}: {why}\n{}", listing::code(&code, wave, 0))
            });
        }
    }
    written(env!("CARGO_MANIFEST_DIR"), "tests/made/workloads.txt", &made);
}
