//! Reads every module that is named and reports the share that is read, is sound and
//! survives its text, with the reasons for the rest.
//!
//! ```text
//! cargo run --release -p chiaro-spirv --example survey -- FILE.spv...
//! ```

use chiaro_diag::{FileId, SourceMap};
use std::collections::BTreeMap;

fn main() {
    let files: Vec<String> = std::env::args().skip(1).collect();
    let mut reasons: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let mut good = 0;
    for file in &files {
        match check(file) {
            Ok(()) => good += 1,
            Err(reason) => reasons.entry(reason).or_default().push(file),
        }
    }
    for (reason, files) in &reasons {
        println!("{:4}  {reason}", files.len());
        files.iter().for_each(|file| println!("        {file}"));
    }
    println!("{good} of {} read ({:.1} %)", files.len(), 100.0 * f64::from(good) / files.len().max(1) as f64);
}

fn check(file: &str) -> Result<(), String> {
    let bytes = std::fs::read(file).map_err(|e| e.to_string())?;
    let words = chiaro_spirv::words_of(&bytes).map_err(|e| e.to_string())?;
    let mut sources = SourceMap::new();
    let reading = chiaro_spirv::read(&words, &chiaro_spirv::Options::default(), &mut sources)
        .map_err(|e| format!("read: {}: {}", e.opcode, e.what))?;
    chiaro_ir::verify(&reading.module).map_err(|breaches| format!("verify: {}", breaches[0]))?;
    let text = chiaro_ir::print(&reading.module);
    match chiaro_ir::parse(&text, FileId(0)) {
        Ok(again) if chiaro_ir::print(&again) == text => Ok(()),
        Ok(_) => Err("text: parses as another module".into()),
        Err(mistakes) => Err(format!("text: {}", mistakes[0].message)),
    }
}
