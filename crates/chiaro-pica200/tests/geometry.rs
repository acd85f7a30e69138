//! Geometry shaders against hand-written programs: the triangles that both send, and their words.

use std::path::{Path, PathBuf};

use chiaro_diag::{Diagnostic, SourceMap};
use chiaro_glsl::source::{Options as GlslOptions, Stage};
use chiaro_opt::Cx;
use chiaro_pica200::abi::Interface;
use chiaro_pica200::asm::picasso::{Source, assemble};
use chiaro_pica200::check::check;
use chiaro_pica200::compile::compile_geometry;
use chiaro_pica200::compile::geometry::{Request, Wish, together};
use chiaro_pica200::compile::{Compiled, Options};
use chiaro_pica200::container::Shbin;
use chiaro_pica200::verify::{Primitives, geometry};
use chiaro_spirv::Reading;

/// Primitives that each program is run on.
const PRIMITIVES: usize = 1000;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/geometry")
}

/// A shader, its name and its text.
fn shaders(folder: &Path) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|end| end == "geom") {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            all.push((name, std::fs::read_to_string(&path).unwrap()));
        }
    }
    all.sort();
    all
}

/// Reads a GLSL source.
fn read(name: &str, text: &str, stage: Stage) -> (Reading, Interface) {
    let mut sources = SourceMap::new();
    let file = sources.add(name, text);
    let options = GlslOptions::new(stage);
    let (module, found) = chiaro_glsl::compile(file, &mut sources, &options, &mut |_, _, _| None);
    let module = module.unwrap_or_else(|| panic!("{name}: {found:?}"));
    let reading = chiaro_spirv::read_module(&module, &Default::default(), &mut sources).unwrap();
    let interface = reading.interface.clone();
    (reading, interface)
}

/// What a comment at the head of a shader asks for.
fn request(text: &str) -> Request {
    let wish = text.lines().find_map(|line| line.strip_prefix("// mode: ")).map(|mode| match mode {
        "fixed" => Wish::Fixed,
        "point" => Wish::Point,
        other => panic!("there is no mode {other}"),
    });
    Request { feed: None, wish }
}

fn try_compile(name: &str, text: &str) -> (Reading, Result<Compiled, Box<Diagnostic>>) {
    let (reading, interface) = read(name, text, Stage::Geometry);
    let mut cx = Cx { verify: true, ..Cx::default() };
    let made =
        compile_geometry(&reading.module, &interface, "main", &Options::default(), &request(text), &mut cx);
    (reading, made)
}

fn compiled(name: &str, text: &str) -> (Reading, Compiled) {
    let (reading, made) = try_compile(name, text);
    (reading, made.unwrap_or_else(|e| panic!("{name}: {} {:?}", e.message, e.help)))
}

/// The program that was written by hand, if there is one.
fn by_hand(name: &str) -> Option<Shbin> {
    let text = std::fs::read_to_string(folder().join(format!("{name}.g.pica"))).ok()?;
    let mut sources = SourceMap::new();
    let file = sources.add(name, text.as_str());
    let source = Source { name, file, text: &text };
    Some(assemble(&[source], &Default::default()).unwrap_or_else(|e| panic!("{name}: {e:?}")).shbin)
}

/// Files may fill the memory of the geometry unit to its last word.
#[test]
fn joined_files_fit_the_memory() {
    let file = |words: usize| {
        let text =
            format!(".gsh point c0\n.out pos position\n.proc main\n{}end\n.end\n", "nop\n".repeat(words - 1));
        let mut sources = SourceMap::new();
        let source = Source { name: "words", file: sources.add("words", text.as_str()), text: &text };
        assemble(&[source], &Default::default()).expect("it is right").shbin
    };
    let joined = |a: usize, b: usize| together(&[&file(a), &file(b)], &[0, 1]);
    assert_eq!(joined(1000, 3096).expect("it fits").program.code.len(), 4096);
    for (a, b) in [(1000, 3097), (4000, 4000)] {
        let why = joined(a, b).expect_err("it does not fit").message;
        assert_eq!(why, format!("the programs take {} words together, 4096 are there", a + b));
    }
}

/// The same triangles, the same way round, bit for bit as the IR has them; and from the program
/// that was written by hand, as the source has them.
#[test]
fn triangles_are_those_of_the_source() {
    for (name, text) in shaders(&folder()) {
        let (reading, compiled) = compiled(&name, &text);
        assert_eq!(check(&compiled.shbin), [], "{name}");
        let entry = &reading.module.entries[0];
        let plan = compiled.plan.as_ref().unwrap();
        let given = Primitives::new(&reading.module, entry, plan, PRIMITIVES, 7);
        let source = (&reading.module, entry);
        let run = |shbin: &Shbin| geometry(source, &compiled, shbin, &given).unwrap();
        let [meaning, words] = run(&compiled.shbin);
        // Where a condition turns within rounding, the source proves nothing.
        assert_eq!(meaning.wrong, None, "{name}");
        assert!(
            meaning.conclusive * 100 >= PRIMITIVES * 99,
            "{name}: {} prove something",
            meaning.conclusive
        );
        assert_eq!((words.wrong, words.conclusive), (None, PRIMITIVES), "{name}");
        let Some(hand) = by_hand(&name) else { continue };
        let geometry = |shbin: &Shbin| shbin.executables[0].geometry;
        assert_eq!(geometry(&hand), geometry(&compiled.shbin), "{name}");
        let [meaning, _] = run(&hand);
        assert_eq!(meaning.wrong, None, "{name} by hand");
    }
}

/// Of a source that does not end nothing is known, whatever the words do.
#[test]
fn a_source_without_end_proves_nothing() {
    let text = std::fs::read_to_string(folder().join("fan.geom")).unwrap();
    let (_, compiled) = compiled("fan", &text);
    let endless =
        text.replacen("void main() {", "void main() {\n    for (int n = 0; n < 2; n = 1 - n) { }", 1);
    let (reading, _) = read("endless fan", &endless, Stage::Geometry);
    let entry = &reading.module.entries[0];
    let given = Primitives::new(&reading.module, entry, compiled.plan.as_ref().unwrap(), 2, 7);
    let found = geometry((&reading.module, entry), &compiled, &compiled.shbin, &given).unwrap();
    assert!(found.iter().all(|found| found.wrong.is_none() && found.conclusive == 0), "{found:?}");
}

/// The same where the machine's rounding alone leads out of an array: of a square it loses what makes 1 of the index.
#[test]
fn a_source_that_rounding_leads_astray_proves_nothing() {
    let text = "#version 320 es
        layout(points) in; layout(triangle_strip, max_vertices = 3) out; uniform vec4 list[2];
        void main() {
            float x = gl_in[0].gl_Position.x; int k = int((x * x - 1.001953125) * 1048576.0);
            for (int i = 0; i < 3; i++) { gl_Position = list[2 - k]; EmitVertex(); }
        }";
    let (reading, compiled) = compiled("astray", text);
    let entry = &reading.module.entries[0];
    let mut given = Primitives::new(&reading.module, entry, compiled.plan.as_ref().unwrap(), 2, 7);
    given.registers.iter_mut().flatten().for_each(|row| *row = [1.0 + 1.0 / 1024.0; 4]);
    let [meaning, _] = geometry((&reading.module, entry), &compiled, &compiled.shbin, &given).unwrap();
    let why: Vec<_> = meaning.reasons.into_iter().collect();
    assert_eq!(why, [("it reads outside of an array, or a loop does not end", 2)]);
    assert_eq!((meaning.wrong, meaning.conclusive), (None, 0));
}

#[test]
fn as_few_words_as_by_hand() {
    for (name, text) in shaders(&folder()) {
        let (_, compiled) = compiled(&name, &text);
        let Some(hand) = by_hand(&name) else { continue };
        let (words, hand) = (compiled.statistics.words, hand.program.code.len() - 1);
        println!("{name}: {words} words ({hand} by hand)");
        assert!(words <= hand, "{name}: {words} words, {hand} by hand");
    }
}

/// What the unit does not have is told; the first line of each shader says how.
#[test]
fn what_the_unit_lacks_is_told() {
    for (name, text) in shaders(&folder().join("refused")) {
        let expected = text.lines().next().and_then(|line| line.strip_prefix("// error: ")).unwrap();
        match try_compile(&name, &text).1 {
            Err(told) => assert_eq!(told.message, expected, "{name}"),
            Ok(_) => panic!("{name} is compiled"),
        }
    }
}
