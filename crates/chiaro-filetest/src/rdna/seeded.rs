//! Faults for code of a driver's compiler and of LLVM's, and for our own.
//!
//! That a fault changes something is known without the checker. What breaks a class of registers
//! does so by its making (spec 3.3). Of a wait it is known by the table of what each wait protects,
//! and where that has no row, by running the code: a register that is used too early is a fault of
//! the simulator, whose counters are its own. Our own code is compared with its source besides.

mod own;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chiaro_isa::finding::Severity;
use chiaro_isa::{Inst, Isa, Rng, Value, Word};
use chiaro_rdna::isa::isa;
use chiaro_rdna::machine::{Config, FaultKind, Group, Program};
use chiaro_rdna::regs::file;
use chiaro_sim::mapped::Mapped;
use serde_json::Value as Json;

use super::driver::{Driven, case_of, first_fault};
use crate::compute::hex_bytes;
use crate::suite::Miss;
use crate::victim::{self, Row, Verdict, change, decoded, reason};
use chiaro_rdna::check::{Config as Rules, check};

/// Instructions that a wave of LLVM's code may execute: nobody gave it inputs.
const STEPS: u64 = 20_000;
/// Fields of s_waitcnt: the counter's name, and its bits (spec 10.2).
const COUNTERS: [(&str, u32); 2] = [("vm", 0xc00f), ("lgkm", 0x3f00)];
/// Where LLVM's code stands.
const CODE: u64 = 1 << 32;
const S_WAITCNT: u32 = 0xbf8c;
/// Bits of a field that names any scalar register (spec 3.1).
const REGISTER_BITS: u8 = 7;
const S_NOP: u32 = 0xbf80_0000;

/// What is done to the code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fault {
    /// A counter of a wait may be higher.
    Weakened,
    /// A wait is gone.
    Dropped,
    /// A tuple of scalars begins where none may.
    Unaligned,
    /// A vector instruction reads three scalars.
    ThreeScalars,
}

const FAULTS: [Fault; 4] = [Fault::Weakened, Fault::Dropped, Fault::Unaligned, Fault::ThreeScalars];

/// The target among those whose checkers are tried.
pub(crate) const ROW: Row = Row {
    target: "rdna",
    faults: &["weakened wait", "dropped wait", "unaligned", "three scalars"],
    victims: boxed,
    own: Some(own::programs),
};

/// Code that faults are put into.
struct Victim {
    name: String,
    code: Vec<u8>,
    rules: Rules,
    /// Where the vectors are.
    folder: PathBuf,
    /// Of a driver's code, what a run needs.
    driven: Option<Driven>,
    /// Of our own code, its source.
    own: Option<own::Program>,
    /// Words of waits with the counters that protect a register.
    tight: BTreeSet<(usize, &'static str)>,
    insts: Vec<(usize, Inst)>,
    /// What the checker says without a fault.
    known: BTreeSet<String>,
}

/// What the checker says, notes left out: by its word and message, since a fault may stand where
/// there was one before.
fn findings(code: &[u8], rules: Rules) -> BTreeSet<String> {
    let found = check(code, rules).into_iter().filter(|f| f.finding.rule.severity != Severity::Note);
    found.map(|f| format!("{}: {}", f.word, f.finding.message)).collect()
}

impl Victim {
    fn new(name: String, code: Vec<u8>, rules: Rules, folder: &Path) -> Victim {
        let insts = decoded(isa(rules.wave), &code, 4);
        let known = findings(&code, rules);
        Victim {
            name,
            code,
            rules,
            folder: folder.to_owned(),
            driven: None,
            own: None,
            tight: BTreeSet::new(),
            insts,
            known,
        }
    }

    /// The bytes with an instruction replaced.
    fn with(&self, at: usize, word: Word, length: u8) -> Vec<u8> {
        let mut code = self.code.clone();
        code[at..at + usize::from(length)].copy_from_slice(&word.to_bytes()[..usize::from(length)]);
        code
    }

    /// Puts a fault in: the code, the word, and the counters of a wait that are touched.
    fn fault(&self, fault: Fault, rng: &mut Rng) -> Option<(Vec<u8>, usize, Vec<&'static str>)> {
        let isa = isa(self.rules.wave);
        let start = rng.below(self.insts.len());
        let around = (0..self.insts.len()).map(|n| &self.insts[(start + n) % self.insts.len()]);
        let mut made = around.filter_map(|(at, inst)| {
            let word = match fault {
                Fault::Weakened => weakened(inst, rng)?,
                Fault::Dropped => {
                    (is_wait(inst).then_some(Word::from(u64::from(S_NOP)))?, touched(inst, u32::MAX))
                }
                Fault::Unaligned => (unaligned(isa, inst, rng)?, Vec::new()),
                Fault::ThreeScalars => (three_scalars(isa, inst)?, Vec::new()),
            };
            Some((self.with(*at, word.0, inst.length), at / 4, word.1))
        });
        made.next()
    }

    /// Whether a run of changed code uses a register too early where the code itself does not.
    fn runs_early(&self, code: &[u8]) -> Result<bool, Miss> {
        if self.own.as_ref().is_some_and(|own| own.is_changed(code)) {
            return Ok(true);
        }
        if let Some(driven) = &self.driven {
            let Some(case) = case_of(driven, &self.folder)? else { return Ok(false) };
            let fault = first_fault(&driven.changed(code), &case)?;
            return Ok(matches!(fault, Some(FaultKind::TooEarly(..))));
        }
        if self.own.is_some() {
            return Ok(false);
        }
        // A function alone calls nobody: its calls go to the address behind them that a linker would have moved, so that
        // it may come by what is on its way without a fault of its own.
        Ok(!self.early(code).is_subset(&self.early(&self.code)))
    }

    /// Where a function that nobody gave inputs uses registers too early: bytes from its start.
    fn early(&self, code: &[u8]) -> BTreeSet<u32> {
        let program = Arc::new(Program::new(code, self.rules.wave));
        let mut group = Group::new(&program, &Config { fuel: STEPS, ..Config::default() }, 1, 1024, 1024);
        // Nobody called it: it returns to 0, which must not be its own start.
        group.set_code_base(CODE);
        let faults = group.run(&mut Mapped::default()).faults;
        faults
            .iter()
            .filter(|fault| matches!(fault.kind, FaultKind::TooEarly(..)))
            .map(|f| f.offset)
            .collect()
    }
}

fn is_wait(inst: &Inst) -> bool {
    inst.word.0[0] as u32 >> 16 == S_WAITCNT
}

/// The counters of a wait that are among some bits and wait for anything.
fn touched(inst: &Inst, bits: u32) -> Vec<&'static str> {
    let word = inst.word.0[0] as u32;
    let waits = |mask: u32| mask & bits != 0 && word & mask != mask;
    COUNTERS.iter().filter(|(_, mask)| waits(*mask)).map(|(name, _)| *name).collect()
}

/// A counter's limit raised, up to no limit.
fn weakened(inst: &Inst, rng: &mut Rng) -> Option<(Word, Vec<&'static str>)> {
    let word = inst.word.0[0] as u32;
    let open: Vec<u32> = COUNTERS.iter().map(|(_, mask)| *mask).filter(|mask| word & mask != *mask).collect();
    let mask = *open.get(rng.below(open.len())).filter(|_| is_wait(inst))?;
    let lanes: Vec<u32> = (0..16).filter(|bit| mask >> bit & 1 == 1).collect();
    let value = |word: u32| (0..).zip(&lanes).fold(0, |sum, (n, bit)| sum | (word >> bit & 1) << n);
    let (before, most) = (value(word), value(u32::MAX));
    let after = before + 1 + rng.below((most - before) as usize) as u32;
    let field = (0..).zip(&lanes).fold(0, |sum, (n, bit)| sum | (after >> n & 1) << bit);
    Some((Word::from(u64::from(word & !mask | field)), touched(inst, mask)))
}

/// A tuple of scalars that begins at another number than its alignment lets it (spec 3.3).
fn unaligned(isa: &Isa, inst: &Inst, rng: &mut Rng) -> Option<Word> {
    for field in isa.form(inst).format.fields {
        let Some(Value::Reg(r)) = isa.value(inst, field.name, &isa.cx()) else { continue };
        let raw = field.bits.gather(&inst.word);
        // Narrower fields hold numbers that are divided by two or four: what they name is aligned.
        if field.bits.width() >= REGISTER_BITS
            && r.file == file::SGPR
            && r.more > 0
            && r.index < 100
            && raw & 0x1ff == u64::from(r.index)
        {
            let bit = if r.more >= 3 { 1 << rng.below(2) } else { 1 };
            return Some(inst.word & !field.bits.scatter(bit) | field.bits.scatter(!raw & bit));
        }
    }
    None
}

/// Three sources that are different scalars (spec 3.3).
fn three_scalars(isa: &Isa, inst: &Inst) -> Option<Word> {
    let form = isa.form(inst);
    let reads = form.format.fields.iter().filter(|field| ["src0", "src1", "src2"].contains(&field.name));
    let single = |field: &&chiaro_isa::Field| matches!(isa.value(inst, field.name, &isa.cx()), Some(Value::Reg(r)) if r.file == file::VGPR && r.more == 0);
    let vectors: Vec<_> = reads.filter(single).collect();
    if form.format.name != "VOP3" || vectors.len() < 3 || form.operation.name.contains("lane") {
        return None;
    }
    let word = (0..)
        .zip(vectors)
        .fold(inst.word, |word, (n, field)| word & !field.bits.scatter(0x1ff) | field.bits.scatter(2 * n));
    // An encoding whose sources are vector registers alone has no such fault.
    isa.decode(&word.to_bytes()).is_ok_and(|other| other.form == inst.form).then_some(word)
}

impl victim::Victim for Victim {
    fn name(&self) -> &str {
        &self.name
    }

    fn seed(&self, kind: usize, rng: &mut Rng) -> Result<Option<Verdict>, String> {
        let fault = FAULTS[kind];
        let Some((code, word, counters)) = self.fault(fault, rng) else { return Ok(None) };
        let new = |found: &str| !self.known.contains(found);
        if findings(&code, self.rules).iter().any(|found| new(found)) {
            return Ok(Some(Verdict::Found));
        }
        let waits = matches!(fault, Fault::Weakened | Fault::Dropped);
        let tight = counters.iter().any(|counter| self.tight.contains(&(word, *counter)));
        if waits && !tight && !self.runs_early(&code).map_err(reason)? {
            return Ok(Some(Verdict::Harmless));
        }
        Ok(Some(Verdict::Missed(format!(
            "word {word}: {}",
            change(isa(self.rules.wave), [&self.code, &code], 4 * word)
        ))))
    }
}

fn boxed(folder: &Path) -> Result<Vec<Box<dyn victim::Victim>>, String> {
    let all = victims(folder).map_err(reason)?;
    Ok(all.into_iter().map(|victim| Box::new(victim) as Box<dyn victim::Victim>).collect())
}

/// All code, with at least one instruction.
fn victims(folder: &Path) -> Result<Vec<Victim>, Miss> {
    let mut victims = Vec::new();
    for file in ["aco_words.jsonl", "aco_words_mesa22.jsonl"] {
        for line in text(folder, file)?.lines() {
            let Some(driven) = Driven::read(line)? else { continue };
            let name = format!("{file}, {} {}", driven.name(), driven.wave);
            let mut victim = Victim::new(name, driven.code().to_vec(), driven.rules(), folder);
            victim.driven = Some(driven);
            victims.push(victim);
        }
    }
    tighten(&mut victims, folder)?;
    for line in text(folder, "llvm_calls.jsonl")?.lines() {
        let row: Json = serde_json::from_str(line).map_err(|e| format!("llvm_calls.jsonl: {e}"))?;
        let rules = Rules { wave: if row["wave"] == 64 { 64 } else { 32 }, group: None };
        for function in row["functions"].as_array().into_iter().flatten() {
            let name = format!("llvm_calls.jsonl, {} {}", row["name"], function["name"]);
            let code = hex_bytes(function["hex"].as_str().unwrap_or_default())?;
            victims.push(Victim::new(name, code, rules, folder));
        }
    }
    victims.retain(|victim| !victim.insts.is_empty());
    Ok(victims)
}

fn text(folder: &Path, file: &str) -> Result<String, Miss> {
    std::fs::read_to_string(folder.join(file)).map_err(|e| Miss::Failed(format!("{file}: {e}")))
}

/// Takes in what the driver's waits protect.
fn tighten(victims: &mut [Victim], folder: &Path) -> Result<(), Miss> {
    for line in text(folder, "aco_waits.jsonl")?.lines() {
        let row: Json = serde_json::from_str(line).map_err(|e| format!("aco_waits.jsonl: {e}"))?;
        let name = format!("aco_words.jsonl, {} {}", row["name"].as_str().unwrap_or_default(), row["wave"]);
        let Some(victim) = victims.iter_mut().find(|victim| victim.name == name) else { continue };
        for wait in row["waits"].as_array().into_iter().flatten() {
            let at = wait["at"].as_u64().unwrap_or(u64::MAX) as usize;
            let protect = COUNTERS.iter().filter(|(counter, _)| !wait[counter]["without"].is_null());
            victim.tight.extend(protect.map(|(counter, _)| (at, *counter)));
        }
    }
    Ok(())
}
