//! What early public documents say and what is right: each case of `errata.txt` is named by a
//! statement of theirs, which the README lists, and shows ours.

use chiaro_cases::Cases;
use chiaro_diag::FileId;
use chiaro_isa::Word;
use chiaro_pica200::asm::picasso::{Assembly, Options, Source, assemble};
use chiaro_pica200::check::check;
use chiaro_pica200::container::UniformRegister;
use chiaro_pica200::isa::PICA200;
use chiaro_pica200::machine::{Config, Layout, Program};
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// A program of these lines, with one output.
fn program(lines: &str) -> Result<Assembly, String> {
    let body = lines.replace(" / ", "\n");
    let text = format!(".out out position\n.proc main\n{body}\nthere:\nnop\nend\n.end\n");
    let source = Source { name: "erratum", text: &text, file: FileId(0) };
    let first = |errors: Vec<chiaro_diag::Diagnostic>| errors[0].message.clone();
    assemble(&[source], &Options::default()).map_err(first)
}

fn text(word: u32, descriptor: u32) -> String {
    let full = Word::from(u64::from(descriptor) << 32 | u64::from(word));
    let inst = PICA200.decode_word(&full, 8).ok();
    let unclaimed = inst.as_ref().map_or(0, |inst| PICA200.unclaimed(inst).0[0]);
    let known = inst.and_then(|inst| PICA200.text(&inst, &PICA200.cx()));
    let rest = if unclaimed == 0 { String::new() } else { format!(" ; no field has {unclaimed:#x}") };
    format!("{word:08x} {descriptor:08x} {}{rest}", known.unwrap_or_else(|| "nothing".to_owned()))
}

/// The words of the lines, up to the NOP behind them.
fn assembled(made: &Assembly) -> String {
    let program = &made.shbin.program;
    let end = program.code.len() - 2;
    let descriptors = &program.descriptors;
    let line = |&word: &u32| {
        let index = chiaro_pica200::isa::descriptor_index(word);
        text(word, index.and_then(|i| descriptors.get(i)).map_or(0, |d| d[0]))
    };
    program.code[..end].iter().map(line).collect::<Vec<_>>().join("\n")
}

/// o0 behind the lines.
fn run(made: &Assembly) -> String {
    let program = &made.shbin.program;
    let loaded = Program::load(&program.code, &program.descriptors, 0, &Config::default()).unwrap();
    let layout = Layout { inputs: vec![0, 1], outputs: vec![0] };
    let mut found = [[0.0f32; 4]];
    let vertex = [[2.0, -3.0, 0.5, 4.0], [1.0; 4]];
    Arc::new(loaded).machine().run(&layout, &vertex, &mut found).unwrap();
    format!("{:?}", found[0])
}

/// Bytes that one more descriptor takes in a file.
fn descriptor_bytes() -> usize {
    let mut file = program("mov out, v0").unwrap().shbin;
    let before = file.write().len();
    file.program.descriptors.push([0; 2]);
    file.write().len() - before
}

fn line(line: &str) -> String {
    let (kind, rest) = line.split_once(' ').unwrap_or((line, ""));
    let made = || program(rest);
    let number = |text: &str| u32::from_str_radix(text.trim_start_matches("0x"), 16).unwrap();
    match (kind, rest.split_once(' ')) {
        ("asm", _) => made().map_or_else(|error| error, |made| assembled(&made)),
        ("run", _) => made().map_or_else(|error| error, |made| run(&made)),
        ("check", _) => {
            let found = made().map(|made| check(&made.shbin));
            let ids = found.unwrap_or_default().into_iter().map(|f| format!("{}: {}", f.rule.id, f.message));
            ids.collect::<Vec<_>>().join("\n")
        }
        ("word", Some((word, descriptor))) => text(number(word), number(descriptor)),
        ("uniform", _) => format!("{:#x}", rest.parse::<UniformRegister>().unwrap().number()),
        ("descriptor", _) => format!("{} bytes", descriptor_bytes()),
        _ => format!("`{line}` is no kind of evidence"),
    }
}

#[test]
fn ours_is_right() {
    let mut cases = Cases::new();
    cases.of_file(&folder().join("tests/errata.txt"), |text| {
        text.lines()
            .filter(|l| !l.is_empty())
            .map(|l| format!("{l}: {}", line(l)))
            .collect::<Vec<_>>()
            .join("\n")
    });
    cases.finish();
}

#[test]
fn the_readme_lists_each_case() {
    let read = |path: &Path| std::fs::read_to_string(path).unwrap();
    let (readme, cases) = (read(&folder().join("README.md")), read(&folder().join("tests/errata.txt")));
    let named: Vec<&str> = cases.lines().filter_map(|l| l.strip_prefix("; test ")).collect();
    let section = readme.split("## Errata of early documents").nth(1).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter(|l| l.starts_with("| ") && !l.starts_with("| early"));
    let listed: Vec<&str> = rows.map(|l| l[2..].split(" | ").next().unwrap()).collect();
    assert_eq!(listed, named);
}
