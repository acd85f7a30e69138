//! Words and texts of existing tools, both directions.

use chiaro_a3xx::{isa, operand};
use chiaro_isa::{Cx, Word};
use std::path::PathBuf;

fn folder() -> Option<PathBuf> {
    std::env::var_os("CHIARO_VECTORS").map(|dir| PathBuf::from(dir).join("a3xx"))
}

fn rows(file: &str) -> Vec<Vec<String>> {
    let Some(dir) = folder() else { return Vec::new() };
    let text = std::fs::read_to_string(dir.join(file)).unwrap();
    let lines = text.lines().filter(|l| !l.starts_with('#'));
    lines.map(|l| l.split('\t').map(str::to_owned).collect()).collect()
}

fn word(text: &str) -> u64 {
    let (hi, lo) = text.split_once('_').unwrap();
    u64::from_str_radix(hi, 16).unwrap() << 32 | u64::from_str_radix(lo, 16).unwrap()
}

fn cx(generation: u8, dialect: u8) -> Cx<'static> {
    let isa = isa::isa(generation);
    let options = if dialect == 0 { operand::COMPAT } else { 0 };
    Cx { dialect, options, waived: isa::RULES, ..isa.cx() }
}

fn text(word: u64, generation: u8, dialect: u8) -> String {
    let isa = isa::isa(generation);
    let Ok(inst) = isa.decode_word(&Word::from(word), 8) else { return "<none>".to_owned() };
    isa.text(&inst, &cx(generation, dialect)).unwrap_or("<invalid>".to_owned())
}

fn assemble(line: &str, generation: u8, dialect: u8) -> Result<u64, String> {
    let isa = isa::isa(generation);
    isa.parse(line, &cx(generation, dialect)).map(|p| p.inst.word.0[0]).map_err(|e| e.to_string())
}

#[test]
#[ignore = "by hand"]
fn enc() {
    let only = std::env::var("ONLY").unwrap_or_default();
    for file in ["cat0", "cat1", "cat2", "cat3", "cat4", "cat5", "cat6", "cat7", "fuzz"] {
        if !file.contains(&only) {
            continue;
        }
        let (mut good, mut bad) = (0, 0);
        for row in rows(&format!("enc_{file}.tsv")) {
            let w = word(&row[1]);
            let mut ok = true;
            for (column, dialect) in [(2, 0), (5, 1), (6, 2)] {
                let want = if row[column] == "=" { &row[column - 1] } else { &row[column] };
                let got = text(w, 0, dialect);
                let none = got.starts_with('<') && want.starts_with("<no");
                if got != *want && !none {
                    println!(
                        "{file} d{dialect} {} {}\n   want {want}\n   got  {got}\n   note {}",
                        row[0], row[1], row[3]
                    );
                    ok = false;
                }
                if dialect == 0 && got == *want {
                    let want = match row[4].as_str() {
                        "=" => Some(w),
                        "ERR" | "CRASH" => Some(w),
                        "-" => None,
                        hex => Some(word(hex)),
                    };
                    let back = assemble(&got, 0, 0);
                    if let Some(want) = want
                        && back != Ok(want)
                    {
                        println!(
                            "{file} asm {} {} {got}\n   want {want:016x}\n   got  {back:016x?}",
                            row[0], row[1]
                        );
                        ok = false;
                    }
                }
            }
            if ok { good += 1 } else { bad += 1 }
        }
        println!("== {file} good {good} bad {bad}");
    }
}

#[test]
#[ignore = "by hand"]
fn pgmdump() {
    let Some(dir) = folder() else { return };
    let text = std::fs::read_to_string(dir.join("pgmdump_listings.jsonl")).unwrap();
    let (mut good, mut bad) = (0, 0);
    for line in text.lines().filter(|l| !l.contains("\"_comment\"")) {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let words: Vec<u64> =
            row["words"].as_array().unwrap().iter().map(|w| word(w.as_str().unwrap())).collect();
        let want: Vec<&str> = row["out"].as_array().unwrap().iter().map(|l| l.as_str().unwrap()).collect();
        let old = row["tool"] == "pgmdump-2013";
        let expand = row["args"][0] == "--expand";
        let got = chiaro_a3xx::listing::pgmdump::listing(
            &words,
            chiaro_a3xx::listing::pgmdump::Options { old, expand },
        );
        let got: Vec<&str> = got.split('\n').collect();
        let diff: Vec<_> = (0..got.len().max(want.len())).filter(|&i| got.get(i) != want.get(i)).collect();
        if diff.is_empty() {
            good += 1
        } else {
            bad += 1;
            println!("{} {} {}: {} lines differ", row["name"], row["tool"], row["args"], diff.len());
            for &i in diff.iter().take(3) {
                println!("   want {:?}\n   got  {:?}", want.get(i), got.get(i));
            }
        }
    }
    println!("== pgmdump good {good} bad {bad}");
}

#[test]
#[ignore = "by hand"]
fn programs() {
    use chiaro_a3xx::asm;
    let Some(dir) = folder() else { return };
    let text = std::fs::read_to_string(dir.join("asm_programs.jsonl")).unwrap();
    let (mut good, mut bad) = (0, 0);
    for line in text.lines().filter(|l| !l.contains("\"_comment\"")) {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let words: Vec<u64> =
            row["words"].as_array().unwrap().iter().map(|w| word(w.as_str().unwrap())).collect();
        let source: Vec<&str> = row["asm"].as_array().unwrap().iter().map(|l| l.as_str().unwrap()).collect();
        let source = source.join("\n");
        let mut sources = chiaro_diag::SourceMap::new();
        let file = sources.add("x", source.clone());
        match asm::assemble(file, &source, asm::Options::default()) {
            Ok((program, _)) => {
                let f = program.facts(0);
                let info = format!(
                    "instrlen {} constlen {} max_reg {} max_half_reg {} max_const {} instrs {} nops {}",
                    f.granules, f.constants, f.full, f.half, f.read, f.instructions, f.nops
                );
                if program.image() == words && row["info"] == info {
                    good += 1
                } else {
                    bad += 1;
                    println!("{info}\n{}", row["info"]);
                }
            }
            Err(e) => {
                bad += 1;
                println!("{}", chiaro_diag::Printer::plain().print(&e[..1], &sources));
            }
        }
    }
    println!("== programs good {good} bad {bad}");
    let (mut good, mut bad) = (0, 0);
    for row in rows("asm_syntax.tsv") {
        let got = asm::instruction(&row[0], asm::Options { compat: true, ..Default::default() }).ok();
        let strict = asm::instruction(&row[0], asm::Options::default());
        let want = if row[1] == "ERR" || row[1] == "CRASH" { None } else { Some(word(&row[1])) };
        if got == want {
            good += 1
        } else {
            bad += 1;
            println!(
                "{}\n  want {} {}\n  got {:?} {:?}",
                row[0],
                row[1],
                row[2],
                got.map(|w| format!("{w:x}")),
                strict.as_ref().map_err(|e| e.to_string())
            );
        }
        if let Err(e) = strict {
            if want.is_some() {
                println!("strict: {} -> {e}", row[0]);
            }
        }
    }
    println!("== syntax good {good} bad {bad}");
    let (mut good, mut bad) = (0, 0);
    for row in rows("asm_old_lines.tsv") {
        let got =
            asm::instruction(&row[1], asm::Options { compat: true, dialect: 2, ..Default::default() }).ok();
        let made = if row[2] == "ERR" { word(&row[3]) } else { word(&row[2]) };
        let from = if row[3] == "=" { made } else { word(&row[3]) };
        if got == Some(made) || got == Some(from) {
            good += 1
        } else {
            bad += 1;
            println!(
                "{} {}\n  want {} {}\n  got {:?}",
                row[0],
                row[1],
                row[2],
                row[3],
                got.map(|w| format!("{w:x}"))
            );
        }
    }
    println!("== old good {good} bad {bad}");
}

#[test]
#[ignore = "by hand"]
fn checker() {
    let Some(dir) = folder() else { return };
    let text = std::fs::read_to_string(dir.join("shaders_gpu320_1.jsonl")).unwrap();
    let (mut good, mut bad) = (0, 0);
    for line in text.lines().filter(|l| !l.contains("\"_comment\"")) {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let words: Vec<u64> = row["words"].as_array().unwrap().iter().map(|w| word(w.as_str().unwrap())).collect();
        let found = chiaro_a3xx::check::check(&words, 0, None);
        if found.is_empty() { good += 1 } else {
            bad += 1;
            println!("{} {}", row["name"], row["stage"]);
            for f in found.iter().take(4) { println!("   {f}   | {}", text_at(&words, f.index)); }
        }
    }
    println!("== checker good {good} bad {bad}");
}

fn text_at(words: &[u64], index: usize) -> String {
    text(words[index], 0, 0)
}
