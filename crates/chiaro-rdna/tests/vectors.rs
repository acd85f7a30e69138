//! Words and text against LLVM's: every row of the encoding vectors, both ways.

use chiaro_rdna::isa::{ACO, isa};

use crate::common::{self, bytes, rows};

/// What is wrong with one row.
fn check(text: &str, code: &[u8], wave: u8) -> Result<(), String> {
    let isa = isa(wave);
    let inst = isa.decode(code).map_err(|e| format!("does not decode: {e}"))?;
    let printed = isa.text(&inst, &isa.cx()).ok_or("has no text")?;
    if printed != text {
        return Err(format!("prints `{printed}`"));
    }
    if !isa.unclaimed(&inst).is_zero() {
        return Err(format!("has bits without a meaning: {:?}", isa.unclaimed(&inst)));
    }
    let parsed = isa.parse(text, &isa.cx()).map_err(|e| format!("is not read: {e}"))?.inst;
    let read = &parsed.to_bytes()[..parsed.length as usize];
    if read != code {
        return Err(format!("is read as {}", common::hex(read)));
    }
    if usize::from(inst.length) != code.len() {
        return Err(format!("takes {} bytes", inst.length));
    }
    Ok(())
}

fn agrees(file: &str) {
    let mut failures = Vec::new();
    let mut count = 0;
    for row in rows(file) {
        count += 1;
        let (wave, text, code) = (row[2].parse().expect("a wave size"), row[3].as_str(), bytes(&row[4]));
        if let Err(why) = check(text, &code, wave) {
            failures.push(format!("{text} ({}, wave {wave}) {why}", row[4]));
        }
    }
    let told = failures.iter().take(40).cloned().collect::<Vec<_>>().join("\n");
    assert!(failures.is_empty(), "{file}: {} of {count} rows fail:\n{told}", failures.len());
}

#[test]
fn scalar() {
    agrees("enc_scalar.tsv");
}

#[test]
fn vector_short() {
    agrees("enc_vop12c.tsv");
}

#[test]
fn vector_long() {
    agrees("enc_vop3.tsv");
}

#[test]
fn dpp_and_sdwa() {
    agrees("enc_dpp_sdwa.tsv");
}

#[test]
fn memory() {
    agrees("enc_mem.tsv");
}

#[test]
fn images() {
    agrees("enc_mimg.tsv");
}

/// Slots that LLVM rejects have no instruction.
#[test]
fn unallocated() {
    for row in rows("enc_unallocated.tsv") {
        let code = bytes(&row[2]);
        for wave in [32, 64] {
            let isa = isa(wave);
            let text = isa.decode(&code).ok().and_then(|inst| isa.text(&inst, &isa.cx()));
            assert_eq!(text, None, "{row:?}");
        }
    }
}

/// Names, numbers and forms of every operation are those of the table.
#[test]
fn opcodes() {
    let isa = isa(32);
    let mut found = 0;
    for row in rows("opcodes_gfx1030.tsv") {
        let opcode = u64::from_str_radix(&row[1][2..], 16).expect("an opcode");
        let forms: Vec<_> = isa.forms.iter().filter(|f| f.operation.name == row[2]).collect();
        let first = forms.iter().find(|f| f.opcode == opcode);
        assert!(first.is_some(), "{row:?} is missing");
        found += 1;
        let operation = first.expect("it is there").operation;
        let has = |name: &str| operation.name_in(ACO) == name || operation.aliases.contains(&(ACO, name));
        // Where there are two names, one is of other generations or of other operands.
        for name in row[3].split(',').filter(|name| *name != "-") {
            assert!(has(name), "{row:?}");
        }
        for form in row[7].split(',').filter(|form| *form != "-") {
            let name = match form {
                "vop3" => "VOP3",
                "dpp16" | "dpp8" => "DPP",
                _ => "SDWA",
            };
            assert!(forms.iter().any(|f| f.format.name.contains(name)), "{row:?} has no {form}");
        }
    }
    assert!(found >= 1_000 || common::sampled(), "{found} operations");
}
