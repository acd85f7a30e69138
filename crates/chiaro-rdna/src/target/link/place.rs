//! The parts behind each other, with every name filled in.

use std::collections::HashMap;

use chiaro_diag::Diagnostic;

use super::names::{At, Names};
use super::{Part, Wrong, error};
use crate::compile::calls::stack::Chain;
use crate::container::descriptor::Descriptor;
use crate::container::note::{self, Item};
use crate::container::part::{Linked, Part as Record, Table};
use crate::container::relocate::fill;
use crate::container::{CodeObject, REL16, Relocation, Section, Symbol};

/// Code of parts begins at multiples of this, as they count when loops are aligned: a line of the instruction cache.
const LINE: usize = 64;
/// What stands between parts (spec section 12.5).
const CODE_END: u32 = 0xbf9f_0000;

/// A program of several parts.
pub(super) struct Joined {
    pub(super) object: CodeObject,
    /// What its functions agree on.
    pub(super) record: Record,
    /// The first byte of each function of the record.
    pub(super) starts: Vec<u32>,
    /// The first byte of each call through a pointer, and the functions of the record that it may come to.
    pub(super) sites: Vec<(u32, Vec<usize>)>,
}

/// Joins parts, the one with the kernel first.
///
/// # Errors
/// A name that is nowhere, a call that is too far.
pub(super) fn joined(parts: &[Part<'_>], names: &Names<'_>, chain: &Chain) -> Result<Joined, Wrong> {
    let mut object =
        CodeObject { symbols: Vec::new(), relocations: Vec::new(), note: None, ..parts[0].object.clone() };
    let mut bases = vec![0];
    for part in &parts[1..] {
        while !object.text.len().is_multiple_of(LINE) {
            object.text.extend_from_slice(&CODE_END.to_le_bytes());
        }
        bases.push(object.text.len() as u64);
        object.text.extend_from_slice(&part.object.text);
    }
    let mut found = Vec::new();
    for (p, part) in parts.iter().enumerate() {
        for place in &part.object.relocations {
            match place.section {
                Section::Text => {
                    let settled = settle(parts, names, (p, &bases), place, &mut object.text);
                    found.extend(settled.err().map(|error| *error));
                }
                _ => object.relocations.push(place.clone()),
            }
        }
    }
    if !found.is_empty() {
        return Err(found);
    }
    let (symbols, mut record, starts) = symbols(parts, names, &bases);
    let sites = sites(parts, names, &bases, &starts);
    let named = |n: &usize| record.functions[*n].name.clone();
    record.sites = sites.iter().map(|(at, all)| (*at, all.iter().map(named).collect())).collect();
    object.symbols = symbols;
    needs(&mut object, &record, chain);
    let mut document = parts[0].document.clone();
    describe(&mut document, &record, chain);
    object.note = Some(note::write(&document));
    Ok(Joined { object, record, starts, sites })
}

/// Fills in a place of the code.
fn settle(
    parts: &[Part<'_>],
    names: &Names<'_>,
    (p, bases): (usize, &[u64]),
    place: &Relocation,
    text: &mut [u8],
) -> Result<(), Box<Diagnostic>> {
    let nowhere =
        || Box::new(error(format!("`{}` names `{}`, which no part has", parts[p].name(), place.symbol)));
    let here = |p: usize| {
        let mut own = parts[p].object.symbols.iter();
        own.find(|s| s.name == place.symbol && s.section == Section::Text).map(|s| bases[p] + s.value)
    };
    let there = || names.meant(p, &place.symbol).and_then(|(other, _)| here(other));
    let target = here(p).or_else(there).ok_or_else(nowhere)?;
    let moved = Relocation { offset: place.offset + bases[p], ..place.clone() };
    let words = (target as i64 - moved.offset as i64 - 4) / 4;
    if place.kind == REL16 && i16::try_from(words).is_err() {
        let message = format!(
            "a call of `{}` goes over {} words of code, {} are allowed",
            place.symbol,
            words.unsigned_abs(),
            i16::MAX
        );
        let help = "name the parts in an order in which callers and callees are near";
        return Err(Box::new(error(message).help(help)));
    }
    fill(&moved, target.wrapping_add(place.addend as u64), moved.offset, text);
    Ok(())
}

/// The names of all parts, each once, and what is known of the functions among them, with their first bytes.
fn symbols(parts: &[Part<'_>], names: &Names<'_>, bases: &[u64]) -> (Vec<Symbol>, Record, Vec<u32>) {
    let mut all: Vec<Symbol> = Vec::new();
    let (mut starts, mut times) = (Vec::new(), HashMap::<String, u32>::new());
    let (mut functions, mut renamed) = (Vec::new(), HashMap::<At, String>::new());
    for (p, part) in parts.iter().enumerate() {
        for symbol in part.object.symbols.iter().filter(|symbol| symbol.section != Section::Undefined) {
            let name = free(&symbol.name, &mut times);
            let value = if symbol.section == Section::Text { symbol.value + bases[p] } else { symbol.value };
            let known = names.own(p, &symbol.name).filter(|_| symbol.section == Section::Text);
            if let Some(at) = known {
                renamed.insert(at, name.clone());
                functions.push((at, name.clone()));
                starts.push(value as u32);
            }
            all.push(Symbol { name, value, ..symbol.clone() });
        }
    }
    let linked = functions.into_iter().map(|((p, n), name)| {
        let f = &parts[p].record.functions[n];
        let meant = f.calls.iter().filter_map(|callee| renamed.get(&names.meant(p, callee)?).cloned());
        Linked { name, calls: meant.collect(), ..f.clone() }
    });
    let named = |p: usize, name: &String| {
        let meant = names.meant(p, name).and_then(|at| renamed.get(&at));
        meant.unwrap_or(name).clone()
    };
    let tables = parts.iter().enumerate().flat_map(|(p, part)| {
        let entries = move |table: &Table| table.entries.iter().map(|name| named(p, name)).collect();
        part.record.tables.iter().map(move |table| Table { entries: entries(table), ..table.clone() })
    });
    let tables = tables.collect();
    let record = Record { functions: linked.collect(), sites: Vec::new(), tables, ..parts[0].record.clone() };
    (all, record, starts)
}

/// The first byte of a function of a part.
fn start(parts: &[Part<'_>], bases: &[u64], (p, n): At) -> Option<u32> {
    let f = parts[p].record.functions.get(n)?;
    let mut own = parts[p].object.symbols.iter();
    let symbol = own.find(|s| s.name == f.name && s.section == Section::Text)?;
    u32::try_from(bases[p] + symbol.value).ok()
}

/// Calls through pointers in all parts, each with the functions of the program that it may come to.
fn sites(parts: &[Part<'_>], names: &Names<'_>, bases: &[u64], starts: &[u32]) -> Vec<(u32, Vec<usize>)> {
    let mut all = Vec::new();
    for (p, part) in parts.iter().enumerate() {
        for (at, called) in &part.record.sites {
            let meant = called.iter().filter_map(|name| start(parts, bases, names.meant(p, name)?));
            let found = meant.filter_map(|first| starts.iter().position(|start| *start == first)).collect();
            all.push((at.saturating_add(bases[p] as u32), found));
        }
    }
    all
}

/// A name that no symbol before has.
fn free(name: &str, times: &mut HashMap<String, u32>) -> String {
    let count = times.entry(name.to_owned()).or_insert(0);
    *count += 1;
    if *count == 1 { name.to_owned() } else { free(&format!("{name}.{}", *count - 1), times) }
}

/// What the kernel asks the machine for: all that it calls come with it.
fn needs(object: &mut CodeObject, record: &Record, chain: &Chain) {
    let [vectors, lds] = most(record);
    if let Some(bytes) = object.rodata.first_chunk_mut::<64>() {
        let descriptor = Descriptor::read(bytes).with_needs(chain.bytes() as u32, lds, vectors);
        *bytes = descriptor.write();
    }
}

/// Vector registers of a wave, and bytes of LDS of a group.
fn most(record: &Record) -> [u32; 2] {
    let all = || record.functions.iter();
    [all().map(|f| f.vectors).max().unwrap_or(1).min(256), all().map(|f| f.lds).max().unwrap_or(0)]
}

/// The same for readers of the note.
fn describe(document: &mut Item, record: &Record, chain: &Chain) {
    let [vectors, lds] = most(record);
    let Item::Map(entries) = document else { return };
    for (name, item) in entries.iter_mut() {
        if name != "amdhsa.kernels" {
            continue;
        }
        let Item::List(kernels) = item else { continue };
        let numbers = [
            (".private_segment_fixed_size", chain.bytes()),
            (".vgpr_count", vectors.into()),
            (".group_segment_fixed_size", lds.into()),
        ];
        for (field, number) in numbers {
            let all = kernels.iter_mut().filter_map(|kernel| match kernel {
                Item::Map(fields) => fields.iter_mut().find(|(name, _)| name == field),
                _ => None,
            });
            all.for_each(|(_, item)| *item = Item::Number(number));
        }
    }
    let own = record.entries();
    entries.retain(|(name, _)| own.iter().all(|(other, _)| other != name));
    entries.extend(own);
}
