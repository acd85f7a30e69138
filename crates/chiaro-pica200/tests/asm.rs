//! The assembler, by data: `asm/*.txt` hold small sources and what the assembler says.
//!
//! A case is a name line `== name`, a source, `--`, and what comes out: messages with
//! their lines and columns, and where there is no error the code, the descriptors and
//! the constants. `== name [picasso]` runs the compatibility mode and `[-n]` asks for
//! no padding; a line `=> NAME` begins a further file. `CHIARO_BLESS=1` rewrites what
//! comes out.

use chiaro_diag::{Diagnostic, FileId, SourceMap, Span};
use chiaro_isa::Rng;
use chiaro_pica200::asm::picasso::{Assembly, Mode, Options, Source, assemble};
use std::fmt::Write;
use std::path::{Path, PathBuf};

#[test]
fn cases_say_what_they_should() {
    let bless = std::env::var_os("CHIARO_BLESS").is_some();
    for path in case_files() {
        let text = std::fs::read_to_string(&path).expect("case file");
        let (head, cases) = cases(&text);
        if bless {
            let blessed: String = cases.iter().map(|case| case.with(&case.outcome())).collect();
            std::fs::write(&path, format!("{head}{blessed}")).expect("write cases");
            continue;
        }
        for case in cases {
            assert_eq!(case.outcome(), case.expected, "{}: {}", path.display(), case.name);
        }
    }
}

fn case_files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/asm");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("cases").map(|f| f.expect("case").path()).collect();
    files.sort();
    files
}

struct Case<'a> {
    name: &'a str,
    source: &'a str,
    expected: String,
}

/// What stands before the first case, and the cases.
fn cases(text: &str) -> (&str, Vec<Case<'_>>) {
    let (head, rest) = text.split_at(text.find("== ").unwrap_or(text.len()));
    let cases = rest.split("\n== ").filter(|c| !c.is_empty()).map(|case| {
        let case = case.strip_prefix("== ").unwrap_or(case);
        let (name, body) = case.split_once('\n').expect("a case has a source");
        let (source, expected) = body.split_once("--\n").expect("a case has an outcome");
        Case { name, source, expected: expected.trim_end().to_owned() }
    });
    (head, cases.collect())
}

impl Case<'_> {
    fn with(&self, outcome: &str) -> String {
        let gap = if outcome.is_empty() { "\n" } else { "\n\n" };
        format!("== {}\n{}--\n{outcome}{gap}", self.name, self.source)
    }

    fn files(&self) -> Vec<(&str, &str)> {
        let mut files = self.source.split("=> ").enumerate();
        let first = files.next().map(|(_, text)| ("a.pica", text));
        first
            .into_iter()
            .chain(files.map(|(_, file)| file.split_once('\n').expect("a file has lines")))
            .collect()
    }

    fn outcome(&self) -> String {
        let mode = if self.name.contains("[picasso]") { Mode::Picasso } else { Mode::Strict };
        let files = self.files();
        let mut map = SourceMap::new();
        let sources: Vec<_> =
            files.iter().map(|&(name, text)| Source { name, text, file: map.add(name, text) }).collect();
        match assemble(&sources, &Options { mode, no_nop: self.name.contains("[-n]") }) {
            Ok(assembly) => describe(&assembly.warnings, &map) + &result(&assembly),
            Err(errors) => describe(&errors, &map),
        }
        .trim_end()
        .to_owned()
    }
}

fn describe(list: &[Diagnostic], map: &SourceMap) -> String {
    let mut text = String::new();
    for d in list {
        let at = d.span.map_or(String::new(), |span| format!(" {}", place(span, map)));
        let label = if d.label.is_empty() { String::new() } else { format!(" ({})", d.label) };
        let _ = writeln!(text, "{}{at}: {}{label}", d.severity.name(), d.message);
        for (span, about) in &d.related {
            let _ = writeln!(text, "  {}: {about}", place(*span, map));
        }
        for note in &d.notes {
            let _ = writeln!(text, "  note: {note}");
        }
        for help in &d.help {
            let _ = writeln!(text, "  help: {help}");
        }
    }
    text
}

/// `line:first-last`, and the file's name if it is not the first.
fn place(span: Span, map: &SourceMap) -> String {
    let at = map.locate(span);
    let file = if span.file == FileId(0) { String::new() } else { format!("{}:", at.file) };
    let last = at.end.column.max(at.start.column + 1) - 1;
    format!("{file}{}:{}-{last}", at.start.line, at.start.column)
}

fn result(assembly: &Assembly) -> String {
    let hex = |words: &[u32]| words.iter().map(|w| format!(" {w:08x}")).collect::<String>();
    let program = &assembly.shbin.program;
    let descriptors: Vec<u32> = program.descriptors.iter().map(|d| d[0]).collect();
    let mut text = format!("code{}\n", hex(&program.code));
    if !descriptors.is_empty() {
        let _ = writeln!(text, "descriptors{}", hex(&descriptors));
    }
    for constant in assembly.shbin.executables.iter().flat_map(|e| &e.constants) {
        let _ = writeln!(text, "constant {} {}{}", constant.kind, constant.register, hex(&constant.words));
    }
    text
}

#[test]
fn limits_are_told_with_their_numbers() {
    let first = |text: &str, mode| {
        let source = Source { name: "a.pica", text, file: FileId(0) };
        let errors = assemble(&[source], &Options { mode, no_nop: false }).expect_err("too much");
        assert_eq!(errors.len(), 1, "{errors:?}");
        let Diagnostic { message, label, span, .. } = &errors[0];
        let line = text[..span.expect("a place").start as usize].matches('\n').count() + 1;
        format!("{line}: {message} ({label})")
    };
    let long = |words: usize| format!(".proc main\n{}end\n.end\n", "nop\n".repeat(words - 1));
    let memory = "the program does not fit its memory";
    let allowed = "words by the end of this file, 512 allowed in vertex program memory";
    assert_eq!(first(&long(513), Mode::Strict), format!("514: {memory} (513 {allowed})"));
    assert_eq!(first(&long(514), Mode::Picasso), format!("515: {memory} (514 {allowed})"));
    assert_eq!(run(&long(512)), [true, true]);
    assert_eq!(run(&long(513)), [false, true]);
    let geometry = format!(".gsh point c0\n{}", long(4097));
    assert_eq!(
        first(&geometry, Mode::Strict),
        format!(
            "4099: {memory} (4097 words by the end of this file, 4096 allowed in geometry program memory)"
        )
    );
    let called = format!(".proc f\n{}.end\n.proc main\ncall f\nend\n.end\n", "nop\n".repeat(256));
    assert_eq!(
        first(&called, Mode::Strict),
        "260: a procedure that is called has at most 255 words, `f` has 256 ()"
    );
    let otherwise = format!(".proc main\nifu b0\nnop\n.else\n{}.end\nend\n.end\n", "nop\n".repeat(256));
    assert_eq!(first(&otherwise, Mode::Strict), "4: an else part has at most 255 words, this one has 256 ()");
    let deep = format!(".proc main\n{}nop\n{}.end\n", "ifu b0\n".repeat(32), ".end\n".repeat(32));
    assert!(first(&deep, Mode::Strict).starts_with("33: at most 32 blocks may be open"));
}

/// The pieces that random sources are made of.
const PIECES: &[&str] = &[
    ".proc",
    ".end",
    ".else",
    ".alias",
    ".fvec",
    ".constf",
    ".constfa",
    ".setf",
    ".setb",
    ".in",
    ".out",
    ".gsh",
    ".word",
    ".opdesc",
    ".dvle",
    ".nonop",
    ".entry",
    "mov",
    "mad",
    "cmp",
    "for",
    "ifc",
    "ifu",
    "call",
    "jmpc",
    "mova",
    "setemit",
    "a",
    "b",
    "main",
    "r0",
    "c95",
    "v15",
    "o7",
    "i3",
    "b0",
    "a0.x",
    "cmp.x",
    "[",
    "]",
    "(",
    ")",
    ",",
    ".",
    "-",
    "+",
    "*",
    "/",
    "&&",
    "!",
    ":",
    ";",
    "\n",
    "\n",
    "\n",
    " ",
    " ",
    "\t",
    "\r",
    "0",
    "1",
    "255",
    "0x7f",
    "1e39",
    "nan",
    "xyzw",
    "#",
    "\"",
    "é",
    "\u{b}",
    "position",
    "point",
    "true",
    "99999999999999999999",
];

#[test]
fn no_source_makes_it_panic() {
    let mut rng = Rng(3);
    for _ in 0..3000 {
        let text: String = (0..rng.below(60)).map(|_| PIECES[rng.below(PIECES.len())]).collect();
        run(&text);
        // With a procedure around it, more of it is read.
        run(&format!(".proc main\n{text}\n.end\n"));
    }
}

#[test]
fn changed_programs_do_not_make_it_panic() {
    let mut rng = Rng(4);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/programs");
    for file in std::fs::read_dir(folder).expect("programs") {
        let Ok(text) = std::fs::read_to_string(file.expect("program").path()) else { continue };
        let chars: Vec<char> = text.chars().collect();
        for _ in 0..50 {
            let mut chars = chars.clone();
            for _ in 0..1 + rng.below(4) {
                let at = rng.below(chars.len());
                match rng.below(3) {
                    0 => drop(chars.remove(at)),
                    1 => chars.insert(at, PIECES[rng.below(PIECES.len())].chars().next().expect("not empty")),
                    _ => chars.swap(at, 0),
                }
            }
            run(&chars.into_iter().collect::<String>());
        }
    }
}

/// Both modes; the container of what assembles can be written.
fn run(text: &str) -> [bool; 2] {
    [Mode::Strict, Mode::Picasso].map(|mode| {
        let source = Source { name: "a.pica", text, file: FileId(0) };
        let result = assemble(&[source], &Options { mode, no_nop: false });
        if let Ok(assembly) = &result {
            assert!(!assembly.shbin.write().is_empty());
        }
        result.is_ok()
    })
}

#[test]
fn huge_sources_are_refused_in_time() {
    let line = |line: &str, times: usize| format!(".proc main\n{}.end\n", line.repeat(times));
    assert_eq!(run(&line("nop\n", 1_000_000)), [false, false]);
    assert_eq!(run(&line("frob r0\n", 200_000)), [false, false]);
    assert_eq!(run(&line("ifu b0\n", 200_000)), [false, false]);
    assert_eq!(run(&line("l: jmpu b0, nowhere\n", 100_000)), [false, false]);
    assert_eq!(run(&".fvec a[2000000000]\n".repeat(2)), [false, false]);
    assert_eq!(run(&".constfa a[2000000000]\n.end\n".repeat(2)), [false, false]);
    assert!(!run(&format!(".constf a({}1,0,0,0)\n", "(".repeat(100_000)))[0]);
    let chain: String = (0..50_000).map(|i| format!(".alias n{} n{i}\n", i + 1)).collect();
    assert_eq!(run(&format!(".alias n0 r0\n{chain}.proc main\nmov n50000, n7\nend\n.end\n")), [true, true]);
}
