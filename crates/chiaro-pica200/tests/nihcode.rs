//! The assembler for nihcode: sources with what comes of them, and harmless mistakes.
//!
//! The files under `nihcode/` hold the sources; `CHIARO_BLESS=1` rewrites what is
//! expected. nihstro's own bytes are golden vectors, which `chiaro-filetest` checks.

use chiaro_diag::{Diagnostic, FileId, Severity, SourceMap};
use chiaro_pica200::asm::nihcode::{
    Assembly, Included, Includes, Mode, NoIncludes, Options, Source, assemble,
};
use chiaro_pica200::container::Shbin;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

/// The options that nihstro's arguments ask for.
fn options<'a>(mode: Mode, args: &[&'a str]) -> Options<'a> {
    let mut options = Options { mode, ..Options::default() };
    let mut args = args.iter();
    while let Some(&arg) = args.next() {
        match arg {
            "-g" | "--geo_shader" => options.geometry = true,
            "-e" | "--entrypoint" => options.entry = args.next().expect("a label follows"),
            _ => match arg.strip_prefix("--entrypoint=").or_else(|| arg.strip_prefix("-e")) {
                Some(entry) => options.entry = entry,
                None => panic!("unknown argument {arg}"),
            },
        }
    }
    options
}

fn line_of(source: &str, diagnostic: &Diagnostic) -> Option<u32> {
    let mut map = SourceMap::new();
    map.add("t.nih", source);
    diagnostic.span.map(|span| map.locate(span).start.line)
}

/// A case of a data file.
struct Case<'a> {
    /// Its first line: `name`, then options.
    title: &'a str,
    /// Files by name, the source first.
    files: Vec<(&'a str, String)>,
    expected: String,
}

/// Cases start with `=== title [compat] [-g] [-e LABEL]`; `--- file NAME` starts a
/// further file, `--- expect` what comes of them.
fn cases(text: &str) -> Vec<Case<'_>> {
    let mut cases: Vec<Case<'_>> = Vec::new();
    let mut expecting = false;
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("=== ") {
            cases.push(Case { title, files: vec![("t.nih", String::new())], expected: String::new() });
            expecting = false;
            continue;
        }
        let Some(case) = cases.last_mut() else { continue };
        if let Some(name) = line.strip_prefix("--- file ") {
            case.files.push((name, String::new()));
        } else if line == "--- expect" {
            expecting = true;
        } else {
            let (_, last) = case.files.last_mut().expect("a case has a source");
            let text = if expecting { &mut case.expected } else { last };
            text.push_str(line);
            text.push('\n');
        }
    }
    cases
}

/// The files of a case, for includes.
struct Files<'a> {
    files: &'a [(&'a str, String)],
    map: SourceMap,
}

impl Includes for Files<'_> {
    fn open(&mut self, path: &str) -> Result<Included, String> {
        let found = self.files.iter().find(|(name, _)| *name == path).ok_or("there is no such file")?;
        let file = self.map.add(path, found.1.as_str());
        Ok(Included { file, text: Arc::new(found.1.clone()) })
    }
}

fn outcome(case: &Case<'_>) -> String {
    let mut words = case.title.split(' ');
    let mut args: Vec<&str> = words.by_ref().skip_while(|word| !word.starts_with(['-', '['])).collect();
    let compat = args.first() == Some(&"[compat]");
    args.retain(|arg| *arg != "[compat]");
    let mode = if compat { Mode::Nihstro } else { Mode::Strict };
    let mut files = Files { files: &case.files, map: SourceMap::new() };
    let file = files.map.add(case.files[0].0, case.files[0].1.as_str());
    // A source that ends in `\` has no last line's end.
    let text = case.files[0].1.strip_suffix("\\\n").unwrap_or(&case.files[0].1);
    let sources = [Source { name: case.files[0].0, text, file }];
    let mut out = String::new();
    match assemble(&sources, &options(mode, &args), &mut files) {
        Ok(made) => {
            describe(&made, &mut out);
            tell(&made.warnings, &files.map, &mut out);
        }
        Err(errors) => tell(&errors, &files.map, &mut out),
    }
    out
}

fn describe(made: &Assembly, out: &mut String) {
    let join = |words: Vec<u32>| words.iter().map(|w| format!(" {w:08x}")).collect::<String>();
    let (program, dvle) = (&made.shbin.program, &made.shbin.executables[0]);
    writeln!(out, "entry {} code{}", dvle.entry, join(program.code.clone())).unwrap();
    if !program.descriptors.is_empty() {
        writeln!(out, "descriptors{}", join(program.descriptors.iter().map(|d| d[0]).collect())).unwrap();
    }
    for c in &dvle.constants {
        writeln!(out, "constant {} {}{}", c.kind, c.register, join(c.words.to_vec())).unwrap();
    }
    for o in &dvle.outputs {
        writeln!(out, "output {} o{} {:x}", o.kind, o.register, o.mask).unwrap();
    }
    for (name, u) in dvle.named_uniforms() {
        writeln!(out, "uniform {name} {:#x}..{:#x}", u.first, u.last).unwrap();
    }
    assert_eq!(made.spans.len(), program.code.len());
    assert_eq!(Shbin::read(&made.shbin.write()).expect("our container is sound").write(), made.shbin.write());
}

fn tell(messages: &[Diagnostic], map: &SourceMap, out: &mut String) {
    for d in messages {
        let place = d.span.map_or(String::new(), |span| {
            let at = map.locate(span);
            let name = if at.file == "t.nih" { String::new() } else { format!("{}:", at.file) };
            format!(" {name}{}:{}-{}", at.start.line, at.start.column, at.end.column)
        });
        writeln!(out, "{}{place}: {}", d.severity.name(), d.message).unwrap();
        for (span, text) in &d.related {
            let at = map.locate(*span);
            writeln!(out, "  at {}:{}:{}: {text}", at.file, at.start.line, at.start.column).unwrap();
        }
        d.notes.iter().for_each(|note| writeln!(out, "  note: {note}").unwrap());
        d.help.iter().for_each(|help| writeln!(out, "  help: {help}").unwrap());
    }
}

fn check_file(path: &Path) -> usize {
    let text = std::fs::read_to_string(path).expect("the cases are there");
    let head: String =
        text.lines().take_while(|line| !line.starts_with("=== ")).fold(String::new(), |h, l| h + l + "\n");
    let cases = cases(&text);
    if std::env::var_os("CHIARO_BLESS").is_some() {
        let blessed = cases.iter().fold(head, |mut blessed, case| {
            blessed += &format!("=== {}\n{}", case.title, case.files[0].1);
            for (name, text) in &case.files[1..] {
                blessed += &format!("--- file {name}\n{text}");
            }
            blessed + "--- expect\n" + &outcome(case)
        });
        std::fs::write(path, blessed).expect("the cases can be written");
        return cases.len();
    }
    for case in &cases {
        assert_eq!(outcome(case), case.expected, "{}: {}", path.display(), case.title);
    }
    cases.len()
}

#[test]
fn sources_with_what_comes_of_them() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/nihcode");
    let files = std::fs::read_dir(folder).expect("the folder is there").map(|file| file.unwrap().path());
    let checked: usize =
        files.filter(|path| path.extension().is_some_and(|e| e == "txt")).map(|p| check_file(&p)).sum();
    assert!(checked > 20, "only {checked} cases");
}

/// A seeded generator, the same everywhere (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }
}

/// Damages a text: words from anywhere put somewhere, parts removed or doubled.
fn damaged(text: &str, random: &mut Random) -> String {
    const BITS: [&str; 24] = [
        "[",
        "]",
        ".",
        "-",
        "+",
        ",",
        ":",
        "\n",
        "\r",
        " ",
        "ä",
        "\u{0}",
        "c95",
        "a0",
        "cc.x",
        "if",
        "until",
        "mad",
        "4294967295",
        "1e400",
        "as (",
        ".include \"t.nih\"",
        "endif",
        "99",
    ];
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..=random.below(6) {
        let at = random.below(chars.len() + 1);
        let end = (at + random.below(12)).min(chars.len());
        match random.below(3) {
            0 => drop(chars.drain(at..end)),
            1 => drop(chars.splice(at..at, BITS[random.below(BITS.len())].chars())),
            _ => drop(chars.splice(at..at, chars[at..end].to_vec())),
        }
    }
    chars.into_iter().collect()
}

#[test]
fn damaged_sources_do_no_harm() {
    let texts = ["language", "tool", "mistakes", "include"].map(|name| {
        let path = format!("{}/tests/nihcode/{name}.txt", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(path).expect("the cases are there")
    });
    let cases: Vec<Case<'_>> = texts.iter().flat_map(|text| cases(text)).collect();
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for round in 0..4000 {
        let case = &cases[random.below(cases.len())];
        let text = damaged(&case.files[0].1, &mut random);
        let files = vec![("t.nih", text.clone())];
        for mode in [Mode::Strict, Mode::Nihstro] {
            let sources = [Source { name: "t.nih", text: &text, file: FileId(0) }];
            let mut includes = Files { files: &files, map: SourceMap::new() };
            match assemble(&sources, &options(mode, &[]), &mut includes) {
                Ok(made) => assert_eq!(
                    Shbin::read(&made.shbin.write()).as_ref().map(Shbin::write),
                    Ok(made.shbin.write())
                ),
                Err(errors) => {
                    assert!(errors.iter().any(|e| e.severity == Severity::Error), "round {round}: {text}");
                    let inside = |d: &Diagnostic| {
                        d.span.is_none_or(|s| s.start <= s.end && s.end as usize <= text.len())
                    };
                    assert!(errors.iter().all(inside), "round {round}: {errors:#?}");
                }
            }
        }
    }
}

#[test]
fn includes_are_bounded() {
    /// A file for any name: it includes two deeper ones.
    struct Endless;
    impl Includes for Endless {
        fn open(&mut self, path: &str) -> Result<Included, String> {
            let text = format!(".include \"{path}a\"\n.include \"{path}b\"\nnop\n");
            Ok(Included { file: FileId(1), text: text.into() })
        }
    }
    let sources = [Source { name: "t.nih", text: "main:\n.include \"x\"\n", file: FileId(0) }];
    let errors = assemble(&sources, &Options::default(), &mut Endless).expect_err("there is no end");
    assert!(errors.len() <= 300, "{} messages", errors.len());
}

#[test]
fn a_million_lines_are_one_message() {
    let text = format!("main:\n{}end\n", "mov r0, r1\n".repeat(1_000_000));
    let sources = [Source { name: "t.nih", text: &text, file: FileId(0) }];
    let errors = assemble(&sources, &Options::default(), &mut NoIncludes).expect_err("512 words are allowed");
    assert_eq!(errors.len(), 1, "{errors:#?}");
    assert_eq!(line_of(&text, &errors[0]), Some(514));
}
