//! The shaders of the vectors: compiled, checked, run against their source, counted against Mesa.
//! What they compute is compared with a CPU renderer's results by `chiaro-filetest`.

mod common;

use std::path::{Path, PathBuf};

use chiaro_diag::SourceMap;
use chiaro_ir::Module;
use chiaro_opt::Cx;
use chiaro_utgard::compile::{Compiled, Options, compile};
use chiaro_utgard::verify::verify;

use common::rows_of;

fn load(path: &Path) -> Result<Module, String> {
    let mut sources = SourceMap::new();
    let text = std::fs::read_to_string(path).expect("file");
    let file = sources.add(path.display().to_string(), text);
    let options = chiaro_glsl::source::Options {
        stage: chiaro_glsl::source::Stage::Vertex,
        version: None,
        defines: Vec::new(),
        library: false,
    };
    let (module, errors) = chiaro_glsl::compile(file, &mut sources, &options, &mut |_, _, _| None);
    let module =
        module.ok_or_else(|| errors.iter().map(|e| e.message.clone()).collect::<Vec<_>>().join("; "))?;
    let reading = chiaro_spirv::read_module(&module, &Default::default(), &mut sources);
    Ok(reading.map_err(|e| e.diagnostic(None).message)?.module)
}

fn build(path: &Path, options: &Options) -> Result<Compiled, String> {
    let source = load(path)?;
    let entry = source.entries[0].name.clone();
    let made = compile(&mut source.clone(), &entry, options, &mut Cx::default()).map_err(|e| e.message)?;
    verify(&source, &entry, &made, options, 8, 1).map_err(|failure| failure.to_string())?;
    Ok(made)
}

/// The larger set, or the sample of this crate.
fn folder() -> PathBuf {
    match std::env::var_os("CHIARO_VECTORS") {
        Some(dir) => Path::new(&dir).join("utgard-gp"),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/compile"),
    }
}

#[test]
fn against_mesa() {
    let dir = folder();
    let effort = std::env::var("EFFORT").ok().and_then(|e| e.parse().ok()).unwrap_or(1);
    let options = Options { effort, ..Options::default() };
    let (mut ours, mut theirs, mut bad) = (0, 0, Vec::new());
    for row in rows_of(&dir.join("compile.jsonl")) {
        let name = row["name"].as_str().expect("name");
        let mesa = row["instructions"].as_u64().unwrap_or(0) as usize;
        let made = match build(&dir.join("shaders").join(format!("{name}.vert")), &options) {
            Ok(made) => made,
            Err(why) => {
                bad.push(format!("{name}: {why}"));
                continue;
            }
        };
        if mesa > 0 {
            (ours, theirs) = (ours + made.words.len(), theirs + mesa);
        }
        println!("{name}: {} of {mesa}, spills {}, blocks {:?}", made.words.len(), made.spills, made.blocks);
    }
    println!("ours {ours}, Mesa {theirs}");
    assert!(bad.is_empty(), "{}", bad.join("\n"));
    // A guard against losing ground, not the aim.
    assert!(ours * 100 <= theirs * 82, "{ours} instructions, Mesa {theirs}");
}
