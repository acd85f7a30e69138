//! What each target's compiler makes of the examples and of some shaders of ours, beside them as
//! text: a change of code generation is a diff that one reads.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use chiaro::{
    AssembleOptions, CompileOptions, CompiledShader, DisassembleOptions, GlslOptions, LoadedModule,
    ModuleOptions, TARGETS, Target, assemble, compile, disassemble, load_glsl, load_wgsl, no_files, stage_of,
};
use chiaro_cases::Cases;
use chiaro_diag::{Diagnostic, SourceMap};
use chiaro_opt::Cx;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The shaders of a folder, by name.
fn shaders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder is there").map(|entry| entry.unwrap().path());
    let is_shader = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.ends_with(".wgsl") || stage_of(&name).is_some()
    };
    let mut found: Vec<_> = entries.filter(is_shader).collect();
    found.sort();
    found
}

fn load(name: &str, text: &str, sources: &mut SourceMap) -> Result<Vec<LoadedModule>, Vec<Diagnostic>> {
    let file = sources.add(name, text);
    match stage_of(name) {
        Some(stage) => {
            let options = (GlslOptions::default(), ModuleOptions::default());
            load_glsl(&[(file, stage)], &options.0, &options.1, sources, &mut |_, _, _| None)
        }
        None => load_wgsl(file, &ModuleOptions::default(), sources).map(|loaded| vec![loaded]),
    }
}

/// The listing of a shader for a target that compiles it.
fn listing(target: &dyn Target, modules: &[LoadedModule], sources: &SourceMap) -> Option<String> {
    let options = CompileOptions::default();
    let made = compile(target, modules, &options, sources, &mut Cx::default()).ok()?;
    let listed = disassemble(target, &made.container, &DisassembleOptions::default());
    let text = summary(target, &made) + &listed.expect("what the compiler makes can be listed").text;
    comes_back(target, &text, &made.container);
    Some(text)
}

/// A listing is a source: the target's own assembler makes the same code of it.
fn comes_back(target: &dyn Target, text: &str, container: &[u8]) {
    let name = target.about().name;
    let mut sources = SourceMap::new();
    sources.add(format!("listing.{name}"), text);
    let assembled = assemble(target, &mut sources, &AssembleOptions::default(), &mut no_files);
    let assembled = assembled.unwrap_or_else(|errors| panic!("{name}: {}\n{text}", errors[0].message));
    let [own, back] = [container, &assembled.bytes[..]].map(|bytes| {
        let code = target.code(bytes, &[]).unwrap_or_else(|error| panic!("{name}: {}", error.message));
        code.bytes
    });
    assert!(own == back, "{name} assembles this to other code:\n{text}");
}

/// What the program takes of the machine, as comments of its language.
fn summary(target: &dyn Target, made: &CompiledShader) -> String {
    let mut out = String::new();
    let comment = target.instructions(&[]).map_or(";", |set| set.comment());
    for resource in made.report.resources.iter().filter(|resource| resource.used > 0) {
        let _ = writeln!(out, "{comment} {} {}", resource.name, resource.used);
    }
    if let Some((shortest, longest)) = made.report.cycles {
        let _ = writeln!(out, "{comment} cycles {shortest} to {longest}");
    }
    out
}

/// Compares the listings of all shaders of a folder with what is written in another.
fn check(folder: &Path, written: &Path) {
    let mut cases = Cases::new();
    for path in shaders(folder) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).expect("a shader is readable");
        let mut sources = SourceMap::new();
        let modules = load(&name, &text, &mut sources).unwrap_or_default();
        for target in TARGETS.iter() {
            let made = listing(target, &modules, &sources);
            cases.file(&written.join(format!("{name}.{}", target.about().name)), made.as_deref());
        }
    }
    cases.finish();
}

#[test]
fn shaders_of_ours_are_compiled_as_written_down() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/listings");
    check(&folder.join("shaders"), &folder);
}

#[test]
fn examples_are_compiled_as_written_down() {
    for entry in fs::read_dir(root().join("examples")).expect("there are examples") {
        let folder = entry.unwrap().path();
        check(&folder, &folder.join("listings"));
    }
}
