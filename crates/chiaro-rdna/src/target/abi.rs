//! A calling convention described: who keeps what, where parameters stand, what a call costs.

use std::fmt::Write;

use chiaro_diag::{Diagnostic, SourceMap, Span};
use chiaro_target::{Abi, AbiOptions};
use serde_json::{Value as Json, json};

use super::wave_of;
use crate::abi::convention::{Borders, Convention, Counter, ReturnStack, Unit};
use crate::abi::file::{self, Read, no_place, shown};
use crate::abi::partition::{File, Partition, Pool, Span as Registers, partition, runs};
use crate::abi::place::{Hints, Place, Placed, Placement, Reason, place};
use crate::abi::sequence::{Cost, Kind, cost};
use crate::abi::signature::{self, Signature};

/// What is told of a convention.
struct Described<'a> {
    convention: &'a Convention,
    pools: Partition,
    placement: Placement,
    wave: u8,
}

pub(super) fn describe(sources: &SourceMap, options: &AbiOptions) -> Result<Abi, Vec<Diagnostic>> {
    let wave = wave_of(&options.settings).map_err(|error| vec![*error])?.unwrap_or(32);
    let Read { convention, registers } = file::read(sources.text(options.file), options.file)?;
    let signature = match options.signature {
        None => Signature::default(),
        Some(id) => signature::parse(sources.text(id))
            .map_err(|wrong| vec![Diagnostic::error(id.span(wrong.place), wrong.message)])?,
    };
    let at = options.file.span(registers);
    let pools = partition(&convention);
    let exceeded = exceeded(&pools, &signature, wave, at);
    if !exceeded.is_empty() {
        return Err(exceeded);
    }
    let placement = place(&convention, &signature, wave, &Hints::default())
        .map_err(|why| vec![Diagnostic::error(at, no_place(&why))])?;
    let described = Described { convention: &convention, pools, placement, wave };
    Ok(Abi { text: described.text(), json: described.json(), remarks: described.remarks(at) })
}

/// Parameters that have to be preserved where fewer registers are.
fn exceeded(pools: &Partition, signature: &Signature, wave: u8, at: Span) -> Vec<Diagnostic> {
    let preserved = |file: File| pools.of(file).iter().filter(|pool| **pool == Pool::Preserved).count();
    if File::BOTH.iter().all(|file| preserved(*file) == 0) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for file in File::BOTH {
        let kept = signature.parameters.iter().filter(|parameter| !parameter.is_given_away());
        let sizes = kept.map(|parameter| parameter.registers(wave)).filter(|(of, _)| *of == file);
        let needed: usize = sizes.map(|(_, size)| usize::from(size)).sum();
        if needed > preserved(file) {
            let message = format!(
                "parameters that are preserved take {needed} {} registers, of which {} are preserved",
                kind(file),
                preserved(file)
            );
            let help = "preserve more of them, or make parameters discardable (D) or returned (R)";
            found.push(Diagnostic::error(at, message).help(help));
        }
    }
    found
}

fn kind(file: File) -> &'static str {
    match file {
        File::Sgpr => "scalar",
        File::Vgpr => "vector",
    }
}

/// Why a parameter stands where it does, in words.
fn because(reason: Reason) -> String {
    match reason {
        Reason::Fixed => "the ABI says so".to_owned(),
        Reason::FirstFit => "the lowest that are free".to_owned(),
        Reason::Aligned(pad) => format!("aligned, {pad} above the lowest that are free"),
        Reason::FillsGap => "fills what an alignment left out".to_owned(),
        Reason::Hint => "asked for by a hint".to_owned(),
        Reason::PoolFull(pool) => format!("no such run of {} registers is free", pool.name()),
        Reason::Misaligned => "no run is free that is aligned".to_owned(),
        Reason::Demand(most) => format!("parameters take at most {most} registers of this file"),
    }
}

impl Described<'_> {
    fn costs(&self) -> impl Iterator<Item = (Kind, Cost)> {
        let bytes = self.placement.stack_bytes;
        let of = move |kind| Some((kind, cost(self.convention, &self.placement, self.wave, kind, bytes)?));
        Kind::ALL.into_iter().filter_map(of)
    }

    fn text(&self) -> String {
        let mut out = format!("ABI `{}`, waves of {}\n", self.convention.name, self.wave);
        for file in File::BOTH {
            let all = runs(self.pools.of(file));
            let all: Vec<String> = all
                .into_iter()
                .map(|(pool, span)| format!("{} {}", shown(file, span), pool.name()))
                .collect();
            let _ = writeln!(out, "  {:<8}{}", kind(file), all.join(", "));
        }
        let _ = writeln!(out, "  {:<8}vcc, scc, m0 clobbered; exec and mode as at entry", "besides");
        let _ = writeln!(out, "  {:<8}{}", "waits", self.waits());
        let _ = writeln!(out, "  {:<8}{}", "stack", self.stack());
        let _ = writeln!(out, "  {:<8}{}", "returns", self.returns());
        let _ = writeln!(out, "parameters");
        let width = self.placement.parameters.iter().map(|placed| placed.name.len()).max().unwrap_or(0);
        for placed in &self.placement.parameters {
            let (place, whose) = where_is(placed);
            let why = because(placed.reason);
            let _ = writeln!(out, "  {:<width$}  {place:<12}{whose:<11}{why}", placed.name);
        }
        let demand = self.placement.demand;
        let _ = writeln!(
            out,
            "  they take {} scalar and {} vector registers, {} bytes of the stack",
            demand.sgpr, demand.vgpr, self.placement.stack_bytes
        );
        let _ = writeln!(out, "instructions of a call, without moves of arguments and what is saved");
        for (kind, cost) in self.costs() {
            let Cost { caller, callee, further } = cost;
            let _ =
                write!(out, "  {:<18}{:>2}: caller {caller}, callee {callee}", kind.name(), caller + callee);
            let _ = match further {
                0 => writeln!(out),
                n => writeln!(out, ", and {n} for each further target"),
            };
        }
        out
    }

    /// What may be on its way at a border.
    fn waits(&self) -> String {
        let Borders { call, returns } = &self.convention.in_flight;
        let names = |list: &[Counter]| match list {
            [] => "all counters are 0".to_owned(),
            list => {
                let names: Vec<&str> = list.iter().map(|counter| counter.name()).collect();
                format!("{} may be above 0", names.join(", "))
            }
        };
        match call == returns {
            true => format!("{} at every border", names(call)),
            false => format!("{} where a callee begins; {} where it ends", names(call), names(returns)),
        }
    }

    fn stack(&self) -> String {
        let stack = self.convention.stack;
        match stack.unit {
            Unit::Lane => format!("bytes of a lane, frames of multiples of {}", stack.alignment),
            Unit::Wave { descriptor } => format!(
                "bytes of a wave by the descriptor s[{descriptor}:{}], frames of multiples of {}",
                descriptor + 3,
                stack.alignment
            ),
        }
    }

    /// Where functions that call others keep where to return to.
    fn returns(&self) -> String {
        match self.convention.return_stack() {
            None => "spilled as any value".to_owned(),
            Some(ReturnStack { register, counter }) => format!(
                "in lanes of v[{register}:{}] at s{counter}, {} at once: 6 instructions in functions that call others",
                register + 1,
                self.wave
            ),
        }
    }

    fn json(&self) -> Json {
        let convention = self.convention;
        let pools = |file: File| -> Json {
            let all = runs(self.pools.of(file)).into_iter();
            all.map(|(pool, Registers { first, last })| json!([pool.name(), first, last])).collect()
        };
        let names = |list: &[Counter]| list.iter().map(|counter| counter.name()).collect::<Vec<_>>();
        let cost = |(kind, cost): (Kind, Cost)| {
            json!({
                "kind": kind.name(), "caller": cost.caller, "callee": cost.callee, "further_target": cost.further,
            })
        };
        let parameters: Vec<Json> = self.placement.parameters.iter().map(parameter).collect();
        let demand = self.placement.demand;
        let returns = convention.return_stack();
        let returns = returns.map(|stack| json!({ "vgpr": stack.register, "counter": stack.counter }));
        json!({
            "version": 1,
            "abi": convention.name,
            "wave": self.wave,
            "partition": { "sgpr": pools(File::Sgpr), "vgpr": pools(File::Vgpr) },
            "in_flight": { "call": names(&convention.in_flight.call), "return": names(&convention.in_flight.returns) },
            "return_stack": returns,
            "parameters": parameters,
            "stack_bytes": self.placement.stack_bytes,
            "demand": { "sgpr": demand.sgpr, "vgpr": demand.vgpr },
            "calls": self.costs().map(cost).collect::<Vec<_>>(),
        })
    }

    /// What is allowed and costs more than it has to.
    fn remarks(&self, at: Span) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        for file in File::BOTH {
            if !self.pools.of(file).contains(&Pool::Preserved) {
                let message = format!("no {} register is preserved", kind(file));
                let cost = match file {
                    File::Sgpr => {
                        "a value that lives across a call costs two instructions: to a lane and back"
                    }
                    File::Vgpr => "a value that lives across a call costs a store and a load of each lane",
                };
                found.push(Diagnostic::remark(at, message).note(cost));
            }
        }
        let on_stack: Vec<&Placed> =
            self.placement.parameters.iter().filter(|p| matches!(p.place, Place::Stack(_))).collect();
        if let [first, ..] = on_stack[..] {
            let (count, bytes) = (on_stack.len(), self.placement.stack_bytes);
            let message = match count {
                1 => format!("`{}` is on the stack", first.name),
                n => format!("{n} parameters from `{}` on are on the stack", first.name),
            };
            let dwords = bytes / 4;
            let note =
                format!("{bytes} bytes of each lane: {dwords} dwords are stored and loaded for each call");
            found.push(Diagnostic::remark(at, message).note(note).note(because(first.reason)));
        }
        found
    }
}

/// The place, and whose it is.
fn where_is(placed: &Placed) -> (String, &'static str) {
    match placed.place {
        Place::Register { first, pool } => {
            let last = (first + placed.size).saturating_sub(1);
            (shown(placed.file, Registers { first, last }), pool.name())
        }
        Place::Stack(offset) => (format!("stack+{offset}"), "stack"),
    }
}

fn parameter(placed: &Placed) -> Json {
    let mut made = json!({ "name": placed.name, "file": placed.file.name(), "dwords": placed.size });
    match placed.place {
        Place::Register { first, pool } => {
            made["register"] = json!(format!("{}{first}", placed.file.letter()));
            made["pool"] = json!(pool.name());
        }
        Place::Stack(offset) => made["stack"] = json!(offset),
    }
    made["reason"] = json!(because(placed.reason));
    made
}
