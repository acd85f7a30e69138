//! What early documents and tools say and what is right: each case of `errata.txt` is named by a
//! statement of theirs, which the README lists, and shows ours.

use chiaro_cases::Cases;
use chiaro_diag::{Printer, SourceMap};
use chiaro_rdna::check::{Config, check};
use chiaro_rdna::container::CodeObject;
use chiaro_rdna::isa::SET;
use chiaro_rdna::{asm, explain, listing};
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// A program of these lines; of what is wrong, the first sentence.
fn assembled(lines: &str) -> Result<CodeObject, String> {
    let text = lines.replace(" / ", "\n") + "\n";
    let mut sources = SourceMap::new();
    let file = sources.add("erratum", text.as_str());
    asm::assemble(&text, file, Some(32)).map_err(|errors| {
        let told = Printer::plain().print(&errors, &sources);
        told.lines().next().unwrap_or_default().to_owned()
    })
}

fn dwords(bytes: &[u8]) -> String {
    let dword = |d: &[u8]| d.iter().rev().map(|b| format!("{b:02x}")).collect::<String>();
    bytes.chunks(4).map(dword).collect::<Vec<_>>().join(" ")
}

/// Each dword and the text of all.
fn listed(bytes: &[u8]) -> String {
    let text = listing::code(bytes, 32, 0);
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    format!("{} {}", dwords(bytes), lines.join(" / "))
}

/// The rules that lines break.
fn broken(object: &CodeObject) -> String {
    let found = check(&object.text, Config { wave: 32, group: None });
    let ids: Vec<&str> = found.iter().map(|f| f.finding.rule.id).collect();
    if ids.is_empty() { "nothing".to_owned() } else { ids.join(", ") }
}

/// The bytes of dwords as documents write them.
fn bytes(words: &str) -> Vec<u8> {
    let word = |w: &str| u32::from_str_radix(w, 16).expect("hexadecimal").to_le_bytes();
    words.split(' ').flat_map(word).collect()
}

/// The first kernel's registers, and its LDS.
fn kernel(directives: &str) -> String {
    let text = format!("k: / s_endpgm / .amdhsa_kernel k / {directives} / .end_amdhsa_kernel");
    let object = match assembled(&text) {
        Ok(object) => object,
        Err(error) => return error,
    };
    let bytes = object.kernels().next().expect("a kernel").1.write();
    format!("LDS {}, rsrc1 {}", dwords(&bytes[0..4]), dwords(&bytes[48..52]))
}

fn line(line: &str) -> String {
    let (kind, rest) = line.split_once(' ').unwrap_or((line, ""));
    let shown = |show: &dyn Fn(&CodeObject) -> String| assembled(rest).map_or_else(|e| e, |made| show(&made));
    match kind {
        "asm" => shown(&|made| listed(&made.text)),
        "check" => shown(&broken),
        "word" => listed(&bytes(rest)),
        "explain" => explain::explain(&bytes(rest), 32, 0).unwrap_or_else(|| "nothing".to_owned()),
        "kernel" => kernel(rest),
        "row" => {
            let Some(row) = SET.rows().find(|row| row.name == rest) else { return "no such row".to_owned() };
            let touched: String = row.implicit.iter().map(|i| format!(" [{}]", i.name)).collect();
            format!("{}{touched}", row.doc.trim())
        }
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

/// The statements of the README's table are the cases, in the same order.
#[test]
fn the_readme_lists_each_case() {
    let read = |path: &Path| std::fs::read_to_string(path).expect("a text");
    let (readme, cases) = (read(&folder().join("README.md")), read(&folder().join("tests/errata.txt")));
    let named: Vec<&str> = cases.lines().filter_map(|l| l.strip_prefix("; test ")).collect();
    let section = readme.split("## Errata of early documents").nth(1).expect("the section");
    let section = section.split("\n### ").next().expect("its table");
    let rows = section.lines().filter(|l| l.starts_with("| ") && !l.starts_with("| statement"));
    let listed: Vec<&str> = rows.filter_map(|l| l[2..].split(" | ").next()).collect();
    assert_eq!(listed, named);
}
