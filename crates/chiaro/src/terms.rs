//! What the tools of vendors count, under their names, for any machine.

use std::collections::BTreeMap;

use chiaro::anatomy::Anatomy;
use chiaro::timeline::{longest, shortest};
use chiaro::{Cause, LoadedModule, Report, Stage};
use chiaro_ir::Space;

use crate::cli::TargetName;

/// A count under the name that vendors' tools give it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Term {
    /// Its name.
    pub name: String,
    /// How much.
    pub value: u64,
    /// What it counts: the target's own name, where it has one.
    pub unit: &'static str,
}

/// What is known of a program: by its instructions, and by the names that its target gives what vendors count.
pub fn terms(
    target: TargetName,
    anatomy: &Anatomy,
    report: Option<&Report>,
    varyings: Option<u64>,
) -> Vec<Term> {
    let mut all = registers(target, anatomy, report);
    let term = |name: &str, value: u64, unit| Term { name: name.to_owned(), value, unit };
    if !anatomy.instructions.is_empty() {
        let whole: Vec<usize> = (0..anatomy.instructions.len()).collect();
        all.push(term("instructions", whole.len() as u64, "instructions"));
        all.extend(cycles("total", anatomy, &whole));
        all.extend(cycles("shortest path", anatomy, &shortest(anatomy).instructions));
        all.extend(cycles("longest path", anatomy, &longest(anatomy, 1).instructions));
        let (halves, arithmetic) = anatomy.halves();
        let share = (100 * u64::from(halves)).checked_div(arithmetic.into()).unwrap_or(0);
        all.push(term("16-bit arithmetic", share, "percent"));
        let counts = anatomy.by_cause();
        let count =
            |wanted| counts.iter().find(|(cause, _)| *cause == wanted).map_or(0, |(_, n)| (*n).into());
        for (name, cause) in
            [("spills", Cause::Spill), ("texture", Cause::Texture), ("memory", Cause::Memory)]
        {
            all.push(term(name, count(cause), "instructions"));
        }
    }
    if let Some(waves) = &anatomy.waves {
        let share = 100 * u64::from(waves.used) / u64::from(waves.allowed.max(1));
        all.push(term("occupancy", share, "percent"));
    }
    all.extend(varyings.map(|count| term("varyings", count, "variables")));
    all
}

/// Everything that a report counts, by name: resources, statistics, cycles.
pub fn metrics(report: &Report) -> Vec<(String, u64)> {
    let resources = report.resources.iter().map(|r| (r.name.to_owned(), u64::from(r.used)));
    let counts = report.counts.iter().map(|(name, n)| ((*name).to_owned(), u64::from(*n)));
    let cycles = report.cycles.into_iter().flat_map(|(shortest, longest)| {
        [("shortest path cycles", shortest), ("longest path cycles", longest)].map(|(n, v)| (n.to_owned(), v))
    });
    resources.chain(counts).chain(cycles).collect()
}

/// Registers as the target names them; where it says nothing of work registers, those of its files that are named.
fn registers(target: TargetName, anatomy: &Anatomy, report: Option<&Report>) -> Vec<Term> {
    let known = report.map(metrics).unwrap_or_default();
    let named = target.terms().iter().filter_map(|(name, metric)| {
        let value = known.iter().find(|(other, _)| other == metric)?.1;
        Some(Term { name: (*name).to_owned(), value, unit: metric })
    });
    let mut all: Vec<Term> = named.collect();
    const WORK: &str = "work registers";
    if all.iter().all(|term| term.name != WORK) {
        let of = |(file, unit): &(u8, &'static str)| Term {
            name: WORK.to_owned(),
            value: anatomy.registers_of(*file).into(),
            unit,
        };
        all.extend(anatomy.files.iter().map(of));
    }
    all
}

/// Cycles that each unit works along a way.
fn cycles<'a>(of: &'a str, anatomy: &Anatomy, way: &[usize]) -> impl Iterator<Item = Term> + use<'a> {
    let mut sums: BTreeMap<&'static str, u64> = BTreeMap::new();
    for one in way.iter().filter_map(|n| anatomy.instructions.get(*n)) {
        for (unit, cycles) in &one.units {
            *sums.entry(unit).or_default() += u64::from(*cycles) * u64::from(one.passes.max(1));
        }
    }
    let term = move |(unit, value)| Term { name: format!("{of} cycles, {unit}"), value, unit: "cycles" };
    sums.into_iter().map(term)
}

/// Variables that a vertex program hands on, or a fragment program gets; nothing for other stages.
pub fn varyings(modules: &[LoadedModule]) -> Option<u64> {
    let loaded = modules.first()?;
    let space = match loaded.module.entries.first()?.stage {
        Stage::Vertex => Space::Output,
        Stage::Fragment => Space::Input,
        _ => return None,
    };
    let is_handed = |leaf: &&chiaro_ir::Leaf| {
        let global = loaded.module.globals.get(leaf.global.0 as usize);
        leaf.binding.builtin.is_none() && global.is_some_and(|global| global.space == space)
    };
    Some(loaded.interface.leaves.iter().filter(is_handed).count() as u64)
}
