//! Code of LLVM's under LLVM's conventions: what keeps them is proven, what breaks them is refused.

use chiaro_rdna::abi::convention::{Convention, Unit};
use chiaro_rdna::abi::place::{Hints, place};
use chiaro_rdna::abi::shipped;
use chiaro_rdna::abi::signature::Signature;
use chiaro_rdna::check::contract::{Contract, Role, contract};
use chiaro_rdna::check::{Config, Found};
use chiaro_rdna::container::{self, Section, SymbolKind};
use serde_json::Value;

use crate::compute::hex_bytes;
use crate::suite::{Miss, Row};

/// Conventions that are not one of ours, by what names of rows begin with.
const OTHERS: [&str; 1] = ["cs_chain"];

/// What a row says of its functions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Claim {
    /// All of them keep the convention.
    Kept,
    /// One of them breaks it.
    Broken,
    /// Nothing that their own words decide.
    Nothing,
}

/// Functions of a row of `llvm_calls.jsonl`.
pub(in super::super) fn functions(row: &Row<'_>) -> Result<(), Miss> {
    let row = row.json()?;
    if row.get("_comment").is_some() {
        return Err(Miss::Skipped("the head of the file".to_owned()));
    }
    let name = row["name"].as_str().ok_or("the row has no name")?;
    if let Some(why) = row.get("llc_failed") {
        return Err(Miss::Skipped(format!("there is no code: llc failed with {}", why["rc"])));
    }
    if let Some(other) = OTHERS.iter().find(|other| name.starts_with(**other)) {
        return Err(Miss::Skipped(format!("`{other}` is a convention of its own")));
    }
    let wave = if row["wave"] == 64 { 64 } else { 32 };
    let agreed = agreed(wave, row["flat_scratch"] == 1, name.contains("gfx"))?;
    let mut found = Vec::new();
    for function in row["functions"].as_array().ok_or("the row has no functions")? {
        let code = hex_bytes(function["hex"].as_str().ok_or("a function has no code")?)?;
        let all = contract(&code, 0, role(&row, function), &agreed, Config { wave, group: None });
        found.extend(
            all.into_iter().map(|found| (function["name"].as_str().unwrap_or("?").to_owned(), found)),
        );
    }
    judged(claim(&row, name)?, &found)
}

/// The functions of a code object's row: kernels as kernels, the rest as C functions with scratch instructions.
pub(in super::super) fn object(row: &Row<'_>) -> Result<(), Miss> {
    let row = row.json()?;
    let wave = if row["wave"] == 64 { 64 } else { 32 };
    let agreed = agreed(wave, true, false)?;
    let bytes = hex_bytes(row["linked"].as_str().ok_or("the row has no linked object")?)?;
    let object = container::read(&bytes).map_err(|error| error.to_string())?;
    let kernels: Vec<&str> = object.kernels().map(|(name, _)| name).collect();
    let mut found = Vec::new();
    for symbol in &object.symbols {
        if symbol.section != Section::Text || symbol.kind != SymbolKind::Function {
            continue;
        }
        let role = if kernels.contains(&symbol.name.as_str()) { Role::Kernel } else { Role::Function };
        let entry = (symbol.value / 4) as u32;
        let all = contract(&object.text, entry, role, &agreed, Config { wave, group: None });
        found.extend(all.into_iter().map(|found| (symbol.name.clone(), found)));
    }
    judged(Claim::Kept, &found)
}

/// The contract of LLVM's functions.
fn agreed(wave: u8, flat_scratch: bool, graphics: bool) -> Result<Contract, String> {
    let name = if graphics { "llvm_gfx" } else { "llvm_c" };
    let mut convention: Convention = shipped::convention(name).ok_or("there is no such convention")?;
    if !flat_scratch {
        convention.stack.unit = Unit::Wave { descriptor: 0 };
    }
    let signature = Signature::default();
    let placement = place(&convention, &signature, wave, &Hints::default());
    let placement = placement.map_err(|why| format!("no places: {why:?}"))?;
    Contract::new(&convention, &signature, &placement).ok_or_else(|| "it has no return address".to_owned())
}

/// A kernel is what a row runs, and what does not come back.
fn role(row: &Value, function: &Value) -> Role {
    let returns = |line: &Value| line.as_str().is_some_and(|line| line.starts_with("s_setpc"));
    let leaves = function["dis"].as_array().is_some_and(|lines| lines.iter().any(returns));
    let is_run = row["run"]["kernel"].is_string() && row["run"]["kernel"] == function["name"];
    if is_run || !leaves { Role::Kernel } else { Role::Function }
}

fn claim(row: &Value, name: &str) -> Result<Claim, Miss> {
    let knows_callees = !row["llc"].as_str().unwrap_or_default().contains("-enable-ipra=0");
    let on_purpose = row["note"].as_str().is_some_and(|note| note.contains("NEGATIVE"));
    Ok(match row["contract"].as_str() {
        _ if on_purpose || row["needs_ipra"].as_bool() == Some(true) => Claim::Broken,
        Some("broken") => Claim::Broken,
        Some("kept in this run") => Claim::Kept,
        Some(other) => return Err(Miss::Failed(format!("`contract` is {other}"))),
        // Callees of the table's rows are elsewhere, so nobody knows what they leave alone.
        None if knows_callees && !name.starts_with("tsv_") => Claim::Nothing,
        None if row.get("defect").is_some() => Claim::Nothing,
        None => Claim::Kept,
    })
}

/// Whether what was found is what was claimed. What is unproved is no pass, and says where.
fn judged(claim: Claim, found: &[(String, Found)]) -> Result<(), Miss> {
    let told = |(function, found): &(String, Found)| {
        format!("{function}, word {}: {}", found.word, found.finding.message)
    };
    let wrong = found.iter().find(|(_, found)| found.finding.rule.id == "contract");
    match (claim, wrong, found.first()) {
        (Claim::Nothing, ..) | (Claim::Broken, _, Some(_)) | (Claim::Kept, None, None) => Ok(()),
        (Claim::Broken, _, None) => Err("nothing was found where the row says that there is".into()),
        (Claim::Kept, Some(first), _) => Err(told(first).into()),
        (Claim::Kept, None, Some(first)) => Err(Miss::Skipped(format!("unproved: {}", told(first)))),
    }
}
