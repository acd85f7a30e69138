//! That the functions of a program of several parts keep what they say, proven by its words.

use chiaro_diag::{Diagnostic, SourceMap};

use super::place::Joined;
use super::{Wrong, error};
use crate::abi::convention::Convention;
use crate::abi::file::{self, no_place};
use crate::abi::place::{Hints, place};
use crate::abi::signature;
use crate::check::Found;
use crate::check::contract::{Among, Contract, Role as As, Words};
use crate::container::part::{Linked, Role};
use crate::target::compile::listed;
use crate::target::contracts::{Pointers, all, praise};

/// Proves the contracts of all functions; what is left unproved is told.
///
/// # Errors
/// The first instruction of each function that breaks its contract.
pub(super) fn proven(joined: &Joined, pointers: Pointers) -> Result<Vec<Diagnostic>, Wrong> {
    let (text, record) = (&joined.object.text, &joined.record);
    let mut sources = SourceMap::new();
    let id = sources.add("the convention", record.convention.as_str());
    let convention = file::read(&record.convention, id)
        .map_err(|_| vec![error("the convention in the note is none")])?
        .convention;
    let given = record.functions.iter().map(|f| f.stack).max().unwrap_or(0);
    let mut contracts: Vec<(u32, Contract)> = Vec::new();
    for (f, start) in record.functions.iter().zip(&joined.starts).filter(|(f, _)| f.role != Role::Kernel) {
        let room = room(&record.functions, f).saturating_add(given);
        contracts.push((start / 4, contract(&convention, f, record.wave)?.with_room(room)));
    }
    let words = Words::of(text, record.wave);
    let mut found: Vec<(&str, Found)> = Vec::new();
    let mut sites = Vec::new();
    for (at, called) in &joined.sites {
        let of = |n: &usize| {
            contracts.iter().find(|(word, _)| joined.starts.get(*n).map(|s| s / 4) == Some(*word))
        };
        let called: Vec<Contract> = called.iter().filter_map(of).map(|(_, own)| own.clone()).collect();
        match Contract::of_all(at / 4, &called) {
            Ok(whole) => sites.push((at / 4, whole)),
            Err(wrong) => found.push(("the program", wrong)),
        }
    }
    // Where a pointer leads no words tell: that the note says.
    let among = Among { functions: &contracts, sites: &sites, whole: true };
    for (f, start) in record.functions.iter().zip(&joined.starts) {
        let own = contracts.iter().find(|(word, _)| *word == start / 4).map(|(_, own)| own.clone());
        let (role, own) = match (own, contracts.first()) {
            (Some(own), _) => (As::Function, own),
            (None, Some((_, any))) => (As::Kernel, any.clone().with_room(f.frame.saturating_add(given))),
            (None, None) => continue,
        };
        let own = words.proof((start / 4, role), &own, among);
        found.extend(own.into_iter().map(|found| (f.name.as_str(), found)));
    }
    let praise = praise(contracts.len(), " and the kernel");
    all(found, &listed(text, record.wave, |_| None), (Some(praise), pointers))
}

/// The contract that a part says a function keeps.
fn contract(convention: &Convention, f: &Linked, wave: u8) -> Result<Contract, Wrong> {
    let wrong = |why: String| vec![error(format!("the signature of `{}` in its part's note: {why}", f.name))];
    let signature = signature::parse(&f.signature).map_err(|e| wrong(e.message))?;
    let placement =
        place(convention, &signature, wave, &Hints::default()).map_err(|e| wrong(no_place(&e)))?;
    let whole = Contract::new(convention, &signature, &placement);
    let whole = whole.ok_or_else(|| wrong("the convention has no return address".to_owned()))?;
    let given: Vec<usize> = (0..signature.parameters.len()).take(f.takes as usize).collect();
    let gives: Vec<usize> =
        signature.parameters.iter().enumerate().filter(|(_, p)| p.returned).map(|(n, _)| n).collect();
    Ok(whole.passing((&signature, &placement), &given, &gives))
}

/// Bytes of a lane from its stack pointer on that are a function's own: the largest frame of it and of those that it may jump
/// to in its place.
fn room(functions: &[Linked], f: &Linked) -> u32 {
    let (mut reached, mut at) = (vec![f], 0);
    while let Some(&f) = reached.get(at) {
        at += 1;
        for next in functions.iter().filter(|other| f.calls.contains(&other.name)) {
            if !reached.iter().any(|known| std::ptr::eq(*known, next)) {
                reached.push(next);
            }
        }
    }
    reached.iter().map(|f| f.frame).max().unwrap_or(0)
}
