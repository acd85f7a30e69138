//! Words of shaders in the style of homebrew and engines, beside the best that is known by hand:
//! `words/words.tsv`. A row may fall, never rise. Every program is proved against its source.
//!
//! What was written by hand lies beside a source as `words/NAME.v.pica`: with registers as the compiler gives them to
//! variables, so that it is proved like a compiled program, and counted by the assembler.

use chiaro_diag::{FileId, SourceMap};
use chiaro_glsl::source::{Options as GlslOptions, Stage};
use chiaro_ir::{Interface, Module};
use chiaro_opt::Cx;
use chiaro_pica200::asm::picasso::{Options as Assembling, Source, assemble};
use chiaro_pica200::compile::{Compiled, Options, compile};
use chiaro_pica200::verify::verify;
use std::path::{Path, PathBuf};

/// Vertices that each program runs on.
const VERTICES: usize = 64;

/// A row of the table.
struct Row<'a> {
    file: &'a str,
    /// The fewest words that are known by hand.
    hand: usize,
    /// The most that we may need.
    most: usize,
}

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

/// The source of a row: the nine of the golden vectors lie in `compile/`.
fn source(file: &str) -> (Module, Interface) {
    let path = [tests().join("words").join(file), tests().join("compile").join(file)];
    let path = path.iter().find(|path| path.exists());
    let path = path.unwrap_or_else(|| panic!("{file}: there is no such source"));
    read(&path.to_string_lossy()).unwrap_or_else(|| panic!("{file} is not understood"))
}

/// The module of a source; nothing for one with errors.
fn read(file: &str) -> Option<(Module, Interface)> {
    let text = std::fs::read_to_string(file).ok()?;
    let mut sources = SourceMap::new();
    let id = sources.add(file, text.as_str());
    let reading = if file.ends_with(".wgsl") {
        let hub = chiaro_spirv::wgsl::read(&text, id, &Default::default()).ok()?;
        chiaro_spirv::read(&hub.words, &Default::default(), &mut sources)
    } else {
        let options = GlslOptions::new(Stage::Vertex);
        let (hub, _) = chiaro_glsl::compile(id, &mut sources, &options, &mut |_, _, _| None);
        chiaro_spirv::read_module(&hub?, &Default::default(), &mut sources)
    };
    let reading = reading.ok()?;
    Some((reading.module, reading.interface))
}

/// Every vertex shader of a folder that compiles, by its path.
fn shaders(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.path() {
            path if path.is_dir() => found.extend(shaders(&path)),
            path if path.extension().is_some_and(|end| end == "vert") => found.push(path),
            _ => {}
        }
    }
    found.sort();
    found
}

/// Words and times of a folder of others' shaders at each effort, those that do not compile left out:
/// `CHIARO_SHADERS=FOLDER cargo test -p chiaro-pica200 --test all what_efforts_win -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement of a folder of others"]
fn what_efforts_win() {
    let folder = std::env::var("CHIARO_SHADERS").expect("CHIARO_SHADERS names a folder");
    let (mut words, mut times, mut count) = ([0usize; 4], [std::time::Duration::ZERO; 4], 0);
    for path in shaders(Path::new(&folder)) {
        let Some((module, interface)) = read(&path.to_string_lossy()) else { continue };
        let mut of = [0, 1, 2, 3].map(|effort| {
            let start = std::time::Instant::now();
            let options = Options { effort, ..Options::default() };
            let made = compile(&module, &interface, "main", &options, &mut Cx::default());
            (start.elapsed(), made.ok())
        });
        if of.iter().any(|(_, made)| made.is_none()) {
            continue;
        }
        count += 1;
        for (effort, (time, made)) in of.iter_mut().enumerate() {
            words[effort] += made.as_ref().map_or(0, |made| made.statistics.words);
            times[effort] += *time;
        }
        let each = of.each_ref().map(|(_, made)| made.as_ref().map_or(0, |made| made.statistics.words));
        let least = of[3].1.as_ref().map_or(0, |made| made.statistics.least);
        println!("{}\t{each:?}\t{least}", path.display());
        if let Some(made) = &of[3].1
            && let Err(failure) = verify(&module, made, VERTICES, 1)
        {
            println!("{}: {}", path.display(), failure.brief());
        }
    }
    println!("{count} shaders, words {words:?}, times {times:?}");
}

fn rows(table: &str) -> impl Iterator<Item = Row<'_>> {
    table.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let columns: Vec<&str> = line.split('\t').collect();
        let number =
            |at: usize| columns.get(at).and_then(|n| n.parse().ok()).unwrap_or_else(|| panic!("{line}"));
        Row { file: columns[0], hand: number(1), most: number(2) }
    })
}

fn compiled(file: &str, module: &Module, interface: &Interface, effort: u32) -> Compiled {
    let mut cx = Cx { verify: true, ..Cx::default() };
    compile(module, interface, "main", &Options { effort, ..Options::default() }, &mut cx)
        .unwrap_or_else(|error| panic!("{file}: {}", error.message))
}

#[test]
fn no_row_rises_and_all_are_proved() {
    let table = std::fs::read_to_string(tests().join("words/words.tsv")).expect("the table");
    let only = std::env::var("CHIARO_WORDS").ok();
    let mut wrong = Vec::new();
    for Row { file, hand, most } in rows(&table) {
        if only.as_ref().is_some_and(|only| !file.starts_with(only.as_str())) {
            continue;
        }
        let (module, interface) = source(file);
        let made = compiled(file, &module, &interface, Options::default().effort);
        let (words, least) = (made.statistics.words, made.statistics.least);
        println!("{file}\t{hand}\t{words}\t{least}");
        if least > words {
            wrong.push(format!("{file}: {words} words, and {least} are said to be the least"));
        }
        if only.is_some() {
            println!("{}", chiaro_pica200::listing::exact::print(&made.shbin));
        }
        if words > most {
            wrong.push(format!("{file}: {words} words, not {most}"));
        }
        if let Err(failure) = verify(&module, &made, VERTICES, 1) {
            wrong.push(format!("{file}: {}", failure.brief()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The program that was written by hand for a source, in the place of a compiled one.
fn by_hand(file: &str, made: &Compiled) -> Option<Compiled> {
    let path = tests().join("words").join(file).with_extension("v.pica");
    let text = std::fs::read_to_string(&path).ok()?;
    let source = Source { name: file, text: &text, file: FileId(0) };
    let assembly = assemble(&[source], &Assembling::default());
    let assembly = assembly.unwrap_or_else(|found| panic!("{}: {found:?}", path.display()));
    let mut program = made.clone();
    (program.bytes, program.shbin) = (assembly.shbin.write(), assembly.shbin);
    Some(program)
}

#[test]
fn programs_by_hand_are_proved_and_counted() {
    let table = std::fs::read_to_string(tests().join("words/words.tsv")).expect("the table");
    let (mut wrong, mut known) = (Vec::new(), 0);
    for Row { file, hand, .. } in rows(&table) {
        let (module, interface) = source(file);
        let made = compiled(file, &module, &interface, Options::default().effort);
        let Some(program) = by_hand(file, &made) else { continue };
        known += 1;
        let words = program.shbin.program.code.len() - 1;
        println!("{file}\t{words}\t{}", made.statistics.words);
        if words != hand {
            wrong.push(format!("{file}: {words} words by hand, not {hand}"));
        }
        if let Err(failure) = verify(&module, &program, VERTICES, 1) {
            wrong.push(format!("{file}: {}", failure.brief()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(known >= 30, "{known} programs by hand");
}

#[test]
fn more_effort_is_never_more_words() {
    let table = std::fs::read_to_string(tests().join("words/words.tsv")).expect("the table");
    for Row { file, .. } in rows(&table) {
        let (module, interface) = source(file);
        let efforts = [0, 1, 2, 3].map(|effort| compiled(file, &module, &interface, effort));
        let words = efforts.each_ref().map(|made| made.statistics.words);
        println!("{file}\t{words:?}");
        assert!(words.is_sorted_by(|a, b| a >= b), "{file}: {words:?}");
        let verdict = verify(&module, &efforts[3], VERTICES, 1);
        assert!(
            verdict.is_ok(),
            "{file} at effort 3: {}",
            verdict.err().map(|f| f.brief()).unwrap_or_default()
        );
    }
}
