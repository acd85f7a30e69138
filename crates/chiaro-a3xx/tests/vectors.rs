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
                    println!("{file} d{dialect} {} {}\n   want {want}\n   got  {got}\n   note {}", row[0], row[1], row[3]);
                    ok = false;
                }
                if dialect == 0 && got == *want {
                    let want = match row[4].as_str() { "=" => Some(w), "ERR" | "CRASH" => Some(w), "-" => None, hex => Some(word(hex)) };
                    let back = assemble(&got, 0, 0);
                    if let Some(want) = want && back != Ok(want) {
                        println!("{file} asm {} {} {got}\n   want {want:016x}\n   got  {back:016x?}", row[0], row[1]);
                        ok = false;
                    }
                }
            }
            if ok { good += 1 } else { bad += 1 }
        }
        println!("== {file} good {good} bad {bad}");
    }
}
