//! Faults for Mesa's compiled units, its prologs and epilogs, and what it links.
//!
//! What a fault changes, the simulator tells: it is given the registers that the code needs, and no others. A register that
//! is read and was never written, a result that is used before its wait, samples that no part of a program decides on or that
//! are decided on twice, a mask that follows nothing, a register that the code leaves and now does not: each is a change. The checker has
//! found a fault if it says something, or the contract is no longer the one that is stored beside the code.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use chiaro_agx::abi::link::STOP;
use chiaro_agx::check::contract::Contract;
use chiaro_agx::check::{Config as Rules, Piece, Stage, check};
use chiaro_agx::isa::isa;
use chiaro_agx::machine::{Config, FaultKind, Group, Launch, Pixels, Program};
use chiaro_agx::regs::file;
use chiaro_isa::{Inst, Rng, Value};
use chiaro_sim::mapped::Mapped;
use serde_json::Value as Json;

use super::bytes;
use super::checked::{part_code, rules_of_linked, rules_of_part, rules_of_unit, with_traps};
use super::linked::Unit;
use crate::victim::{self, Row, Verdict, change, decoded, reason};

/// The target among those whose checkers are tried.
pub(crate) const ROW: Row = Row {
    target: "agx",
    faults: &["register", "wait", "slot", "counter", "mask", "sample"],
    victims,
    own: None,
};

/// Instructions that a run may take: nobody gave it inputs.
const STEPS: u64 = 1000;
/// Bytes of threadgroup memory.
const LOCAL: usize = 1 << 15;
/// Places that are tried in code for a fault.
const PLACES: usize = 64;

/// Code with what the checker says of it, and what a run shows.
struct Victim {
    name: String,
    code: Vec<u8>,
    rules: Rules,
    contract: Contract,
    insts: Vec<(usize, Inst)>,
    known: BTreeSet<String>,
    before: Shown,
}

/// What a run shows.
#[derive(Default)]
struct Shown {
    /// What went wrong.
    faults: BTreeSet<String>,
    /// Halves that the contract says are left, and every lane has.
    left: Vec<u16>,
}

impl Victim {
    fn new(name: String, code: &[u8], rules: Rules) -> Victim {
        let code = with_traps(code);
        let insts = decoded(isa(0), &code, 2);
        let (contract, known) = (Contract::of(&code, 0), findings(&code, &rules));
        let mut victim = Victim { name, code, rules, contract, insts, known, before: Shown::default() };
        victim.before = victim.run(&victim.code);
        victim
    }

    /// Code with a fault, and its place.
    fn fault(&self, kind: &str, rng: &mut Rng) -> Option<(Vec<u8>, usize)> {
        (0..PLACES).find_map(|_| {
            let &(at, inst) = self.insts.get(rng.below(self.insts.len()))?;
            let mut code = self.code.clone();
            let place = code.get_mut(at..at + usize::from(inst.length))?;
            changed(kind, &inst, place, rng)?;
            Some((code, at))
        })
    }

    /// Runs code in place of this one.
    fn run(&self, code: &[u8]) -> Shown {
        let is_fragment = self.rules.stage == Stage::Fragment;
        let config =
            Config { soft_fault: true, fuel: STEPS, engine: None, contracts: true, ..Config::default() };
        let end: &[u8] = if self.contract.stops { &[] } else { &STOP };
        let program = Arc::new(Program::new(&[code, end].concat(), 0, &config));
        let launch = Launch::default();
        let mut group = Group::new(&program, &config, &launch, LOCAL);
        group.enter(&launch, [0; 3]);
        let simdgroup = &mut group.simdgroups[0];
        if is_fragment {
            let coefficients = vec![[[0.5; 3]; 32]; 256];
            simdgroup.shade(Pixels { coefficients, ..Pixels::default() });
        }
        self.contract.needs().for_each(|half| simdgroup.hand_over(half));
        let outcome = group.run(&mut Mapped::default());
        // Of a part alone nobody knows which samples others decide on.
        let decides = self.rules.piece == Piece::Program && samples_by_number(&self.insts);
        let kinds = outcome.faults.iter().filter_map(|fault| told(&fault.kind, decides));
        let simdgroup = &group.simdgroups[0];
        let left = (0..256).filter(|half| self.contract.leaves(*half) && simdgroup.has(*half));
        Shown { faults: kinds.collect(), left: left.collect() }
    }

    /// What a run of changed code shows that one of this code does not.
    fn change(&self, code: &[u8]) -> Option<String> {
        let after = self.run(code);
        let fault = after.faults.difference(&self.before.faults).next().cloned();
        let ended = !after.faults.contains(ENDLESS) && !self.before.faults.contains(ENDLESS);
        // What a whole program leaves is nobody's.
        let ended = ended && self.rules.piece != Piece::Program;
        let gone = || self.before.left.iter().find(|half| ended && !after.left.contains(half));
        fault
            .filter(|fault| fault != ENDLESS)
            .or_else(|| gone().map(|half| format!("half {half} is not left")))
    }
}

const ENDLESS: &str = "endless";

/// The kinds of faults that words alone can tell; `None` for those that depend on values, or on other parts.
fn told(kind: &FaultKind, decides: bool) -> Option<String> {
    use FaultKind as F;
    match kind {
        F::TooEarly(..) => Some("used too early".to_owned()),
        F::Undefined(half) => Some(format!("half {half} is read, and nobody wrote it")),
        F::Counter | F::Target(_) | F::Trap | F::Decided(_) => Some(kind.to_string()),
        F::Undecided(_) if decides => Some(kind.to_string()),
        F::Endless => Some(ENDLESS.to_owned()),
        _ => None,
    }
}

/// Whether numbers say which samples are decided on: a register may hold what the draw gives, which is nothing here.
fn samples_by_number(insts: &[(usize, Inst)]) -> bool {
    let by_register = |inst: &Inst| name(inst) == "sample_mask" && inst.word.0[0] >> 8 & 1 == 0;
    !insts.iter().any(|(_, inst)| by_register(inst))
}

fn name(inst: &Inst) -> &'static str {
    isa(0).form(inst).operation.name
}

fn findings(code: &[u8], rules: &Rules) -> BTreeSet<String> {
    let all = check(code, rules).into_iter();
    all.map(|finding| format!("{:?}: {}", finding.place, finding.message)).collect()
}

/// Changes one thing in the bytes of an instruction; `None` where it has nothing of the kind.
fn changed(kind: &str, inst: &Inst, bytes: &mut [u8], rng: &mut Rng) -> Option<()> {
    let (name, word) = (name(inst), inst.word.0[0]);
    match kind {
        "register" => return register(inst, bytes, rng),
        "wait" if name == "wait" => bytes[1] ^= 1,
        // What is asked for is on the other slot.
        "slot" if matches!(word & 0xff, 0x31 | 0x71) && bytes.len() >= 8 => bytes[7] ^= 0x80,
        "slot" if name.starts_with("device_") || name == "atomic" => bytes[3] ^= 0x40,
        // What was written to r0l goes elsewhere.
        "counter" if name == "mov_imm" && bytes[1] & 0x7e == 0 => bytes[1] |= 2,
        "mask" if matches!(name, "pop_exec" | "if_icmp" | "if_fcmp" | "push_exec") => bytes[1] ^= 8,
        "sample" if matches!(name, "sample_mask" | "zs_emit") => bytes[1] ^= 2 << rng.below(4),
        _ => return None,
    }
    Some(())
}

/// A bit of an operand that is a register: the same instruction names another one, or another size.
fn register(inst: &Inst, bytes: &mut [u8], rng: &mut Rng) -> Option<()> {
    let set = isa(0);
    let values = set.values(inst, &set.cx());
    let fields = set.form(inst).format.fields.iter().zip(values.as_slice());
    let is_general =
        |value: &Option<Value>| value.and_then(Value::reg).is_some_and(|register| register.file == file::GPR);
    let all: Vec<_> = fields.filter(|(_, value)| is_general(value)).map(|(field, _)| field).collect();
    let field = all.get(rng.below(all.len().max(1)))?;
    let bit = 1 << rng.below(usize::from(field.bits.width()));
    let raw = field.bits.gather(&inst.word) ^ bit;
    let word = inst.word & !field.bits.scatter(u64::MAX) | field.bits.scatter(raw);
    let other = set.decode(&word.to_bytes()).ok()?;
    let is_like = other.form == inst.form && other.length == inst.length;
    let is_legal = set.values(&other, &set.cx()).as_slice().iter().all(Option::is_some);
    let size = bytes.len();
    bytes.copy_from_slice(&word.to_bytes()[..size]);
    (is_like && is_legal).then_some(())
}

impl victim::Victim for Victim {
    fn name(&self) -> &str {
        &self.name
    }

    fn seed(&self, kind: usize, rng: &mut Rng) -> Result<Option<Verdict>, String> {
        let Some((code, at)) = self.fault(ROW.faults[kind], rng) else { return Ok(None) };
        let is_new = |found: &String| !self.known.contains(found);
        if Contract::of(&code, 0) != self.contract || findings(&code, &self.rules).iter().any(is_new) {
            return Ok(Some(Verdict::Found));
        }
        Ok(Some(match self.change(&code) {
            None => Verdict::Harmless,
            Some(what) => {
                Verdict::Missed(format!("byte {at:#x}, {}: {what}", change(isa(0), [&self.code, &code], at)))
            }
        }))
    }
}

/// Main parts and preambles, parts of keys, linked programs.
fn victims(folder: &Path) -> Result<Vec<Box<dyn victim::Victim>>, String> {
    let mut all = Vec::new();
    rows(folder, "compile.jsonl", |name, row| {
        let unit = Unit::of(row).map_err(reason)?;
        if unit.number("has_preamble") == 1 {
            let code = unit.binary.get(unit.number("preamble_offset")..).unwrap_or_default();
            let halves = Some(unit.number("nr_preamble_gprs") as u16);
            let rules = Rules { stage: Stage::Preamble, halves, ..Rules::default() };
            all.push(Victim::new(format!("{name}, preamble"), code, rules));
        }
        all.push(Victim::new(name, &unit.main, rules_of_unit(&unit)));
        Ok(())
    })?;
    for (file, stage, piece) in [
        ("vs_prolog.jsonl", Stage::Vertex, Piece::Open),
        ("fs_prolog.jsonl", Stage::Fragment, Piece::Open),
        ("fs_epilog.jsonl", Stage::Fragment, Piece::Last),
    ] {
        rows(folder, file, |name, row| {
            all.push(Victim::new(name, &part_code(&row)?, rules_of_part(&row, stage, piece)));
            Ok(())
        })?;
    }
    rows(folder, "link.jsonl", |name, row| {
        let code = bytes(row["linked"].as_str().unwrap_or_default())?;
        all.push(Victim::new(name, &code, rules_of_linked(&row)));
        Ok(())
    })?;
    all.retain(|victim| !victim.insts.is_empty());
    Ok(all.into_iter().map(|victim| Box::new(victim) as Box<dyn victim::Victim>).collect())
}

/// The rows of a file, with a name for each.
fn rows(
    folder: &Path,
    file: &str,
    mut take: impl FnMut(String, Json) -> Result<(), String>,
) -> Result<(), String> {
    let text = std::fs::read_to_string(folder.join(file)).map_err(|e| format!("{file}: {e}"))?;
    for (n, line) in text.lines().enumerate().filter(|(_, line)| line.starts_with('{')) {
        let row: Json = serde_json::from_str(line).map_err(|e| format!("{file}: {e}"))?;
        let name = [row["name"].as_str(), row["stage"].as_str()].into_iter().flatten().collect::<Vec<_>>();
        take(format!("{file}:{} {}", n + 1, name.join(".")), row)?;
    }
    Ok(())
}
